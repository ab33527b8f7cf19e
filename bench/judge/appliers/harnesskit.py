"""harnesskit's edit of one file on disk, with the threshold that it comes with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hk import apply_edit


def write(case: Mapping[str, Any], folder: Path) -> bool:
    """One edit after the other."""
    return all(
        apply_edit(str(folder / edit["path"]), edit["search"], edit["replace"]).status == "applied"
        for edit in case["edits"]
    )
