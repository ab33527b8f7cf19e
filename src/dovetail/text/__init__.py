"""Texts and their lines: the parts of a line, how two texts differ, which lines correspond. Knows nothing of edits."""
