"""apply-patch-py: a Python applier of Codex's patches, on files of a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from apply_patch_py import apply_patch


def write(case: Mapping[str, Any], folder: Path) -> bool:
    """A whole patch. What did not apply is in the result, not raised."""
    done = asyncio.run(apply_patch(case["patch"], folder))
    return bool(getattr(done, "success", True))
