"""Sets of words written as one string, for tables of names."""

from __future__ import annotations


def listed(words: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(words.split())
