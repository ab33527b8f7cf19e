"""Edits of whole lines, in the line ends of their place in the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.text import Edit, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.model.text import IndexedText


def rewrite(text: IndexedText, first: int, end: int, lines: Sequence[str]) -> Edit:
    """Return the edit that replaces lines `first` to `end` (exclusive) by `lines`, in the line ends of the place.

    A last line without line end stays so; lines put behind it are separated by a line end of the file's kind.
    """
    span = text.span(first, end)
    if not lines:
        return Edit(span, "")
    near = text.end_near(first if first == end else end - 1)
    if "\r" in text.raw:
        # A file may mix line ends: a line that takes a line's place takes its end; further ones take that of the
        # neighbour.
        ends = [text.end_of(first + n) if first + n < end else "" for n in range(len(lines))]
        pieces = [line + (own or near) for line, own in zip(lines, ends, strict=True)]
    else:
        pieces = [line + near for line in lines]
    # The text ends without a line end, and still does. Lines put behind its last one need one between.
    if 0 < span.end == len(text.raw) and not text.end_of(len(text) - 1):
        pieces[-1] = lines[-1]
        if first == end:
            pieces.insert(0, near)
    return Edit(span, "".join(pieces))


def with_last_end(edits: list[Edit], ours: IndexedText, end: str) -> list[Edit]:
    """Return `edits` of `ours`, changed so that the resulting text ends in `end` ("" for no line end)."""
    size = len(ours.raw)
    if edits and edits[-1].span.end == size and edits[-1].text:
        last = edits[-1]
        ended = ours.raw.endswith(("\n", "\r"))  # and so is what comes in place of its last line
        last_line = last.text.removesuffix("\n").removesuffix("\r") if ended else last.text
        return [*edits[:-1], Edit(last.span, last_line + end)]
    if end and edits and edits[-1].span.end == size:
        return edits  # the end of the text is deleted, and the line above has a line end
    if end:
        return [*edits, Edit(Span(size, size), end)]
    kept = ours.line_at(edits[-1].span.start) if edits and edits[-1].span.end == size else len(ours)
    cut = ours.content_end(kept - 1) if kept else size
    if edits and edits[-1].span.end == size:  # the end of the text is deleted, and the line above loses its line end
        return [*edits[:-1], Edit(Span(cut, size), "")] if kept else edits
    return edits if cut == size else [*edits, Edit(Span(cut, size), "")]
