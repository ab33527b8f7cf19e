"""Reads patches: unified diffs and `*** Begin Patch`, their hunks, and names as git writes them."""
