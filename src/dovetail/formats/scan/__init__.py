"""What drives a parse, and what it keeps of a reply: the lines above, the path in force, a listing, all it found."""
