"""llm-patch-tool: all edits of a file at once, in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from patch_tool import Edit, apply_edits_to_text


def answer(case: Mapping[str, Any]) -> dict[str, str]:
    """The edits, by file."""
    by_file: dict[str, list[Edit]] = defaultdict(list)
    for edit in case["edits"]:
        by_file[edit["path"]].append(Edit(old=edit["search"], new=edit["replace"]))
    after = {path: apply_edits_to_text(case["files"][path], edits).content for path, edits in by_file.items()}
    return {**case["files"], **after}
