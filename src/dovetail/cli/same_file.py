"""Whether two names are one file, be it through links: what is read must not be written over."""

from __future__ import annotations

import os
from pathlib import Path


def same_file(one: Path | int, other: Path | int) -> bool:
    """Whether two paths or descriptors lead to one file; of paths also where neither is there yet."""
    try:
        if isinstance(one, Path) and isinstance(other, Path) and os.path.realpath(one) == os.path.realpath(other):
            return True
        return os.path.samestat(os.stat(one), os.stat(other))  # noqa: PTH116 - pathlib takes no descriptors
    except (OSError, ValueError):  # the latter for a name that can be none here
        return False
