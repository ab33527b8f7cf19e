"""Whole texts that a reply puts where a file is: new, complete, elided, or none at all."""
