"""lcea: literal search and replace; its reader wants the info string `edit` behind each fence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from llm_edit_applier import apply_edits


def write(case: Mapping[str, Any], folder: Path) -> bool:
    """The edits, written as its own format asks."""
    blocks = (
        f"{edit['path']}\n```edit\n<<<<<<< SEARCH\n{edit['search']}=======\n{edit['replace']}>>>>>>> REPLACE\n```\n"
        for edit in case["edits"]
    )
    return bool(apply_edits(folder, "\n".join(blocks)))
