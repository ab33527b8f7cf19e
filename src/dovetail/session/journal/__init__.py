"""The journal as use cases: whole operations and single edits, taken back and brought again."""
