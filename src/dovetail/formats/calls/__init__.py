"""Reads function calls, in JSON, tags, Python or tokens, into their fields, and those into edits."""
