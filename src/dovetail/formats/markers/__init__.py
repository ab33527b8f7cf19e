"""Blocks between marker lines: one machine for all families, and the readings of a body with several dividers."""
