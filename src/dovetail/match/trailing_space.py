"""Tier `trailing-space`: blanks at line ends, blank lines that hold blanks, blank lines at the block's ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.alignment import Alignment


def belongs(alignment: Alignment, search: Sequence[str], file: Sequence[str]) -> bool:
    """Whether nothing else differs. Blank lines inside the block must be there on both sides."""
    return all(search[i].rstrip() == file[j].rstrip() for i, j in alignment.pairs) and gapless(alignment, search)


def gapless(alignment: Alignment, search: Sequence[str]) -> bool:
    """Whether lines follow each other alike on both sides; blank lines at the block's ends do not count."""
    full = [i for i, line in enumerate(search) if line.strip()]
    inner = alignment.lines[full[0] : full[-1] + 1]
    return None not in inner and inner[-1] == inner[0] + len(inner) - 1  # type: ignore[operator]
