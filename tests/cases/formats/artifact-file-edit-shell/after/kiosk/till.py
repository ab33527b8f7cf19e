"""The till."""

OPEN = True
