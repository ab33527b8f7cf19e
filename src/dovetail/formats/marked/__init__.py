"""Blocks between marker lines: one machine, and for each format its markers and what its body says."""
