"""Reads blocks between marker lines: one machine for all families, and the ways to split a body at its dividers."""
