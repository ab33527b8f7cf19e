"""Reads paths from lines by their form alone, with the lists of words that this needs."""
