"""Places where whole lines agree but for blanks: what the tiers trailing-space, indentation and whitespace share.

One search finds the candidates of all three; each tier's file says which of them are its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.alignment import Alignment, grow
from dovetail.match.lines import squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dovetail.match.document import Document


def agree_but_for_blanks(wanted: str, found: str) -> bool:
    """Whether two lines hold the same words and signs in the same order."""
    return squeeze(wanted) == squeeze(found)


def places(
    document: Document,
    search: Sequence[str],
    agree: Callable[[str, str], bool] = agree_but_for_blanks,
) -> Iterator[Alignment]:
    """Every alignment in which all lines of `search` that are not blank agree, in file order.

    `agree` must keep the ASCII words of a line: a line that agrees holds each of them.
    """
    rows = document.rows
    seen: set[int] = set()
    for anchor in _anchors(document, search, agree):
        alignment = grow(search, rows, anchor, agree)
        if alignment is not None and alignment.first not in seen:
            seen.add(alignment.first)
            yield alignment


def _anchors(document: Document, search: Sequence[str], agree: Callable[[str, str], bool]) -> Iterator[tuple[int, int]]:
    rarest = document.rarest_word(search)
    if rarest is not None:
        index, word = rarest
        wanted = search[index]
        for line in document.lines_holding(word):
            if agree(wanted, document.rows[line]):
                yield index, line
        return
    index = max(range(len(search)), key=lambda i: len(search[i].strip()), default=-1)
    if index < 0 or not search[index].strip():
        return
    wanted = search[index]
    for line, text in enumerate(document.stripped):
        if text and agree(wanted, text):
            yield index, line
