"""A text and its lines: what a line is made of, which lines differ, and which stand for which. Nothing of edits."""
