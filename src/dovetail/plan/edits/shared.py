"""What two edits of one text both make, which is made once.

A model that tells two edits of the text as it was writes into the second what the first has made already, where both
speak of one stretch: the lines that both add, or the line that both change beside another one.

The invariant: with the other edit made, what is left of an edit gives its span the very text that it asks for.
"""

from __future__ import annotations

from collections.abc import Set

from dovetail.model.text import Edit, Span, split_lines
from dovetail.text.line import says


def left_of(edit: Edit, other: Edit, had: Set[str]) -> Edit | None:
    """What an edit still changes where another one is made: all of it, where they have nothing in common; None for
    nothing, where all of it is a part of the other. `had` are the lines that the text had before,
    without their blanks.

    Later edits may say more than earlier ones of the same characters. That an edit says less of them is no such case:
    it may be a correction.
    """
    if edit == other:
        return None
    if (rest := _rest(edit, other, had)) is not None:
        return rest
    more = _rest(other, edit, had)
    return None if more is not None and (len(more.span) or not len(edit.span)) else edit


def _rest(edit: Edit, part: Edit, had: Set[str]) -> Edit | None:
    """What an edit changes beside a part that it begins or ends with; None where it does neither.

    Signs and blanks alone may come of anything, and so may a part of a word, or a line that stands somewhere already.
    """
    (start, end), (first, last) = _ends(edit), _ends(part)
    if not (
        start <= first
        and last <= end
        and says(part.text)
        and had.isdisjoint("".join(line.split()) for line in split_lines(part.text))
    ):
        return None
    size, text = len(part.text), edit.text
    if first == start and text.startswith(part.text) and not _in_word(text, size):
        return Edit(Span(last, end), text[size:])
    if last == end and text.endswith(part.text) and not _in_word(text, len(text) - size):
        return Edit(Span(start, first), text[:-size])
    return None


def _ends(edit: Edit) -> tuple[int, int]:
    return edit.span.start, edit.span.end


def _in_word(text: str, at: int) -> bool:
    """Whether a place is between two letters of one word."""
    return 0 < at < len(text) and _of_word(text[at - 1]) and _of_word(text[at])


def _of_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
