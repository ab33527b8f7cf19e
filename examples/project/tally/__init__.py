"""Counts the words of texts."""
