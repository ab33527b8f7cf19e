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

_OPENERS = "([{<>\"'`=,;:|"
_CLOSERS = ")]}<>\"'`,;:|"


def places(document: Document, search: str, replace: str) -> Iterator[Span]:
    """Places of `search`, which has no last line end, that part a line between words.

    Where `replace` brings along what stands beside the place, it was meant for the whole line, and the place is left
    out: the rest of the line would stand twice.
    """
    if not search.strip():
        return
    for span in document.runs(search):
        before, after = _beside(document, span)
        beside = before.strip() or after.strip()
        if beside and _opens(before) and _closes(after) and not _repeats(search, replace, before, after):
            yield span


def unindented(search: str, replace: str) -> tuple[str, str]:
    """Both without the blanks they begin with: inside a line those are not indentation, and the file has its own."""
    return search.lstrip(" \t"), replace.lstrip(" \t")


def _beside(document: Document, span: Span) -> tuple[str, str]:
    """What stands in the span's first line before it, and in its last line behind it."""
    first, last = document.line_at(span.start), document.line_at(max(span.start, span.end - 1))
    return document.raw[document.start_of(first) : span.start], document.raw[span.end : document.content_end(last)]


def _repeats(search: str, replace: str, before: str, after: str) -> bool:
    head, tail = before.strip(), after.strip()
    at_start = bool(head) and replace.startswith(head) and not search.startswith(head)
    return at_start or (bool(tail) and replace.endswith(tail) and not search.endswith(tail))


def _opens(before: str) -> bool:
    """Whether something may begin behind this part of a line: at its start, after a blank, a bracket, a separator."""
    return not before or before[-1].isspace() or before[-1] in _OPENERS


def _closes(after: str) -> bool:
    """Whether something may end before this part of a line; a full stop ends nothing but a sentence."""
    return not after or after[0].isspace() or after[0] in _CLOSERS or (after[0] == "." and not after[1:2].strip())
