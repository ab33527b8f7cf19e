"""Diffs: hunks, whatever head names their file."""
