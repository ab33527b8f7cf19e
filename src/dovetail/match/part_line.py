"""Tier `part-line`: the search, verbatim, begins or ends inside a line, at a word border.

Where all that stands beside it in its lines is blanks, the stricter question is one of indentation or of trailing
blanks, and this tier keeps out: those tiers know how to indent what is inserted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.match.document import Document
    from dovetail.model.text import Span


def places(document: Document, search: str) -> Iterator[Span]:
    """Places of `search`, its last line end left out, that part a line between words."""
    bare = search.removesuffix("\n")
    if not bare.strip():
        return
    raw = document.raw
    for span in document.runs(bare):
        before, after = _beside(document, span)
        if (before.strip() or after.strip()) and _border(raw, span.start) and _border(raw, span.end):
            yield span


def _beside(document: Document, span: Span) -> tuple[str, str]:
    """What stands in the span's first line before it, and in its last line behind it."""
    first, last = document.line_at(span.start), document.line_at(max(span.start, span.end - 1))
    return document.raw[document.starts[first] : span.start], document.raw[span.end : document.content_end(last)]


def _border(raw: str, offset: int) -> bool:
    """Whether no word runs across an offset."""
    if offset <= 0 or offset >= len(raw):
        return True
    return not (_wordlike(raw[offset - 1]) and _wordlike(raw[offset]))


def _wordlike(character: str) -> bool:
    return character.isalnum() or character == "_"
