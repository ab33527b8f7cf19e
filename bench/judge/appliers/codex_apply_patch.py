"""A port of Codex's `apply_patch` to Rust."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from codex_apply_patch import apply_patch_in_memory


def answer(case: Mapping[str, Any]) -> dict[str, str]:
    """A whole patch."""
    after: dict[str, str] = apply_patch_in_memory(case["patch"], dict(case["files"])).files
    return after


@lru_cache(maxsize=4)
def _patch(search: str, replace: str) -> str:
    lines = [f"-{line}" for line in search.splitlines()] + [f"+{line}" for line in replace.splitlines()]
    return "\n".join(("*** Begin Patch", "*** Update File: file.py", "@@", *lines, "*** End Patch"))


def land(text: str, search: str, replace: str) -> str | None:
    """One edit, handed over as a patch."""
    try:
        after: str = apply_patch_in_memory(_patch(search, replace), {"file.py": text}).files["file.py"]
    except RuntimeError:
        return None
    return after
