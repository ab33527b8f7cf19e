"""apply-edit-block on one edit."""

from __future__ import annotations

from apply_edit_block import Edit, apply_edit


def land(text: str, search: str, replace: str) -> str | None:
    """One edit."""
    result = apply_edit(text, Edit(search, replace))
    after: str | None = result.text if result.ok else None
    return after
