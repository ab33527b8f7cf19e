"""purepatch's edit of one block."""

from __future__ import annotations

from purepatch import PatchError, apply_edit


def land(text: str, search: str, replace: str) -> str | None:
    """One edit."""
    try:
        after: str = apply_edit(text, search, replace)
    except PatchError:
        return None
    return after
