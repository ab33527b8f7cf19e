"""Tier `exact`: nothing differs but line ends. Whole lines, or any run of characters where the format says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.match.document import Document
    from dovetail.model.text import Span


def lines(document: Document, search: str) -> Iterator[Span]:
    r"""Places of `search`, whole lines closed by ``\n``, in file order."""
    return document.whole_lines(search)


def runs(document: Document, search: str) -> Iterator[Span]:
    """Places of a run of characters, in file order, overlapping ones too."""
    return document.runs(search)
