"""The plainest tool: the search, letter for letter, if it stands exactly once. What the others must be better than."""

from __future__ import annotations


def land(text: str, search: str, replace: str) -> str | None:
    """One edit."""
    return text.replace(search, replace) if search and text.count(search) == 1 else None
