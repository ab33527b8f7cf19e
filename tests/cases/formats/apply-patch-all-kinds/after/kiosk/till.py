"""The till."""
OPEN = True
