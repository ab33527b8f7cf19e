"""What drives a parse, and what it keeps: the machine at work, the lines above, the path in force, all it found."""
