"""Runs tools that apply models' edits on cases with a known truth, and prints what each of them came to."""
