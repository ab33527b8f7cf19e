"""Patches: unified diffs and `*** Begin Patch`, their hunks, and how git writes names."""
