"""openhands-aci's `str_replace`, on files of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openhands_aci.editor import OHEditor

EDITOR = OHEditor()


def write(case: Mapping[str, Any], folder: Path) -> bool:
    """One edit after the other; a miss raises."""
    for edit in case["edits"]:
        path = str(folder / edit["path"])
        EDITOR(command="str_replace", path=path, old_str=edit["search"], new_str=edit["replace"])
    return True
