"""The three-way merge: carries the difference between two texts over to a third.

Owns the one merge of whole texts: for files that changed since the model saw them, and for undoing an edit under
later ones. (Landing an edit is the same idea on the lines of a search; see `land`.) Changes that stand next to each
other do not clash; changes of the same lines do, unless they are alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.landing.land import rewrite
from dovetail.model.text import Edit, IndexedText, Span, join_lines, split_lines
from dovetail.text.diff import Hunk, diff

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    _Lines = tuple[int, int]  # the first, and one behind the last


class Clash(NamedTuple):
    """Lines that both sides changed, differently. `ours` is a span of the text merged into; texts are whole lines."""

    ours: Span
    base: str
    theirs: str


class Merged(NamedTuple):
    """`edits` turn `ours` into the merge, `clashes` excluded; without clashes the merge is whole."""

    edits: tuple[Edit, ...]
    clashes: tuple[Clash, ...]


def merge(base: str, ours: str, theirs: str) -> Merged:
    """Carry the change from `base` to `theirs` over to `ours`, by lines; line ends are compared as equal.

    Inserted lines take the line end of their neighbours in `ours`. Lines that `theirs` does not change keep every
    character of `ours`. A change that both sides made alike is made once.
    """
    base_lines, their_lines, text = split_lines(base), split_lines(theirs), IndexedText(ours)
    edits: list[Edit] = []
    clashes: list[Clash] = []
    for in_base, in_ours, in_theirs in _regions(base_lines, text.lines, their_lines):
        was, mine, new = base_lines[slice(*in_base)], text.lines[slice(*in_ours)], their_lines[slice(*in_theirs)]
        if new in (was, mine):
            continue
        if mine == was:
            edits.append(rewrite(text, *in_ours, new))
        else:
            clashes.append(Clash(text.span(*in_ours), join_lines(was), join_lines(new)))
    if (last := _last_end(base, text, theirs)) is not None and not clashes:
        edits = with_last_end(edits, text, last)
    return Merged(tuple(edits), tuple(clashes))


def _regions(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[_Lines, _Lines, _Lines]]:
    """Stretches of base, ours and theirs that either side changed, joined where both changed the same lines of base."""
    mine, other = diff(base, ours), diff(base, theirs)
    i = k = 0
    mine_shift = other_shift = 0
    while i < len(mine) or k < len(other):
        start = min(h.a1 for h in (*mine[i : i + 1], *other[k : k + 1]))
        end, i2, k2 = _reach(mine, other, i, k, start)
        mine_after = _shift(mine[i:i2], mine_shift)
        other_after = _shift(other[k:k2], other_shift)
        yield (start, end), (start + mine_shift, end + mine_after), (start + other_shift, end + other_after)
        i, k, mine_shift, other_shift = i2, k2, mine_after, other_after


def _shift(hunks: Sequence[Hunk], before: int) -> int:
    return hunks[-1].b2 - hunks[-1].a2 if hunks else before


def _reach(mine: Sequence[Hunk], other: Sequence[Hunk], i: int, k: int, start: int) -> tuple[int, int, int]:
    """How far a region that begins at base line `start` goes, and the first hunks behind it.

    An insertion is taken before a change that begins at its point, so that the two stand next to each other.
    """
    end = start
    inserted = taken = False
    while i < len(mine) or k < len(other):
        from_mine = k == len(other) or (i < len(mine) and (mine[i].a1, mine[i].a2) <= (other[k].a1, other[k].a2))
        hunk = mine[i] if from_mine else other[k]
        if taken and hunk.a1 >= end and not (inserted and hunk.inserts and hunk.a1 == end):
            break
        end, taken, inserted = max(end, hunk.a2), True, hunk.inserts
        i, k = (i + 1, k) if from_mine else (i, k + 1)
    return end, i, k


def _last_end(base: str, ours: IndexedText, theirs: str) -> str | None:
    """The end that the last line is to have, where `theirs` changed that and `ours` did not; None to leave it."""
    had, has, wants = (text[-1:] in ("\n", "\r") for text in (base, ours.raw, theirs))
    if not (base and theirs and ours.raw) or had == wants or has != had:
        return None
    return ours.main_end if wants else ""


def with_last_end(edits: list[Edit], ours: IndexedText, end: str) -> list[Edit]:
    """The edits of `ours` with the last line's end set to `end`, where it is another or they reach it."""
    size = len(ours.raw)
    if edits and edits[-1].span.end == size and edits[-1].text:
        last = edits[-1]
        ended = ours.raw.endswith(("\n", "\r"))  # and so is what comes in place of its last line
        last_line = last.text.removesuffix("\n").removesuffix("\r") if ended else last.text
        return [*edits[:-1], Edit(last.span, last_line + end)]
    if end and edits and edits[-1].span.end == size:
        return edits  # the tail goes, and the line above it has its end
    if end:
        return [*edits, Edit(Span(size, size), end)]
    kept = ours.line_at(edits[-1].span.start) if edits and edits[-1].span.end == size else len(ours)
    cut = ours.content_end(kept - 1) if kept else size
    if edits and edits[-1].span.end == size:  # the tail goes, and with it the end of the line above
        return [*edits[:-1], Edit(Span(cut, size), "")] if kept else edits
    return edits if cut == size else [*edits, Edit(Span(cut, size), "")]
