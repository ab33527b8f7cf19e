"""Tier `exact`: nothing differs but line ends. Whole lines, or any run of characters where the format says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.alignment import Alignment, straight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.match.document import Document
    from dovetail.model.text import Span


def lines(document: Document, search: str, count: int) -> Iterator[Alignment]:
    r"""Places of `search`, `count` whole lines closed by ``\n``, in file order."""
    return (straight(first, count) for first in document.whole_lines(search))


def runs(document: Document, search: str) -> Iterator[Span]:
    """Places of a run of characters, in file order, overlapping ones too."""
    return document.runs(search)
