"""A conversation with a model: its files, its turns, what is said and heard, and who decides."""
