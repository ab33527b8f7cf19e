"""Fences: what one holds, where it ends, and when it is a file."""
