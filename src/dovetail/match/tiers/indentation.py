"""Tier `indentation`: one uniform shift of the whole block, or tabs against spaces.

A shift to the left that stopped at column 0 is uniform too: the lines it could not move are those that had no room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.lines.blanks import gapless
from dovetail.match.lines.line import TABS, indent_of, width

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dovetail.match.lines.alignment import Alignment


def belongs(alignment: Alignment, search: Sequence[str], file: Sequence[str]) -> bool:
    """Whether the lines differ by such a shift, and by blanks at their ends at most."""
    full = [(search[i], file[j]) for i, j in alignment.pairs if search[i].strip()]
    return (
        gapless(alignment, search)
        and all(wanted.strip() == found.strip() for wanted, found in full)
        and uniform({(indent_of(wanted), indent_of(found)) for wanted, found in full})
    )


def uniform(indents: Collection[tuple[str, str]]) -> bool:
    """Whether one shift turns each first indentation into the second, for some width of a tab."""
    for tab in TABS:
        columns = [(width(wanted, tab), width(found, tab)) for wanted, found in indents]
        shift = max((found - wanted for wanted, found in columns), default=0)
        if all(found - wanted == shift or _clamped(wanted, found, shift) for wanted, found in columns):
            return True
    return False


def _clamped(wanted: int, found: int, shift: int) -> bool:
    """Whether a line that the model moved left by `shift` columns ran into column 0."""
    return wanted == 0 and 0 <= found < shift
