"""Tier `indentation`: one uniform shift of the whole block, or tabs against spaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.lines.blanks import gapless, uniform
from dovetail.match.lines.line import indent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.lines.alignment import Alignment


def belongs(alignment: Alignment, search: Sequence[str], file: Sequence[str]) -> bool:
    """Whether the lines differ by such a shift, and by blanks at their ends at most."""
    full = [(search[i], file[j]) for i, j in alignment.pairs if search[i].strip()]
    return (
        gapless(alignment, search)
        and all(wanted.strip() == found.strip() for wanted, found in full)
        and uniform({(indent_of(wanted), indent_of(found)) for wanted, found in full})
    )
