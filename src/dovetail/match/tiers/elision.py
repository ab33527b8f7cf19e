"""Tier `elision`: lines with dots, such as `...` or `// ... rest of code`, that search and replacement both have.

Such a line stands for lines of the file that the edit keeps. The pieces between must follow each other in the file, and
the lines between them there must not leave the block in which the elision begins; every way to do so is a place of its
own, so ways that would write different texts are ambiguous. An elision that only the search has would delete lines that
are not shown, and is refused.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING

from dovetail.model.codes import Tier
from dovetail.model.work import spend
from dovetail.text.alignment import Alignment, gapless, places
from dovetail.text.line import deep, full, opens, worded
from dovetail.text.omission import elides

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.landing.change import Change
    from dovetail.match.lookup import Lookup
    from dovetail.text.document import Document

    _Way = tuple[Alignment | None, "_Way | None"]  # a place of the newest piece, and the way to the one before

_MOST_WAYS = 64
_first = attrgetter("first")
_CLOSERS = ("}", ")", "]", "</", "end")


def find(lookup: Lookup) -> Sequence[Candidate]:
    """Return every way for the pieces between the elisions to follow each other, in file order."""
    document, change = lookup.document, lookup.change
    ways = (way for way in _ways(document, change) if _leaves(document, change.search, way) is None)
    return lookup.lines(Tier.ELISION, change, ways)


def _ways(document: Document, change: Change) -> Iterator[Alignment]:
    """Yield the alignments whose pieces follow each other, whatever is between them, if both halves have equal
    elisions.

    Elisions have no partner, so the lines that they stand for are kept like any that the search does not mention.
    """
    search = change.search
    gaps = [i for i, line in enumerate(search) if elides(line)]
    if not gaps or [search[i].strip() for i in gaps] != [line.strip() for line in change.replace if elides(line)]:
        return
    borders = [-1, *gaps, len(search)]
    ranges = [(a + 1, b) for a, b in pairwise(borders)]
    # Two elisions with nothing but blank lines between are one gap.
    pieces = [(a, b) for a, b in ranges if any(map(str.strip, search[a:b]))]
    if not pieces:
        return
    known: dict[tuple[str, ...], list[Alignment]] = {}  # equal pieces are looked for once
    found: list[list[Alignment]] = []
    for first, end in pieces:
        piece = tuple(search[first:end])
        if piece not in known:
            known[piece] = _places(document, piece)
        if not known[piece]:
            return
        found.append(known[piece])
    for chain in _chains(found):
        yield _joined(len(search), frozenset(gaps), pieces, chain)


def _places(document: Document, piece: Sequence[str]) -> list[Alignment]:
    """Return the places of a piece; for one without words only those with its very blank lines."""
    return [place for place in places(document, piece) if worded(piece) or gapless(place, piece)]


def _leaves(document: Document, search: Sequence[str], way: Alignment) -> int | None:
    """Return the first elision that would stand for lines of another block; None if each stays in its own."""
    partners = [i for i in full(search) if way.lines[i] is not None]
    spend(2 * len(search))
    return next((gap for gap in sorted(way.gaps) if not _stays_inside(document, search, way, gap, partners)), None)


def _chains(found: Sequence[Sequence[Alignment]]) -> list[list[Alignment]]:
    """Return every way to choose a place for each piece, each after the one before; none if there are too many ways."""
    ways: list[_Way] = [(None, None)]
    for candidates in found:
        longer: list[_Way] = []
        for way in ways:
            last = way[0]
            behind = bisect_right(candidates, last.end, key=_first) if last is not None else 0
            # One place more than the limit is enough to know that there are too many ways.
            longer += [(place, way) for place in candidates[behind : behind + _MOST_WAYS + 1]]
        if len(longer) > _MOST_WAYS:
            return []
        spend(len(longer) + 1)
        ways = longer
    return [_places_of(way) for way in ways]


def _places_of(way: _Way) -> list[Alignment]:
    places: list[Alignment] = []
    place, before = way
    while place is not None and before is not None:
        places.append(place)
        place, before = before
    return places[::-1]


def _joined(
    count: int, gaps: frozenset[int], pieces: Sequence[tuple[int, int]], chain: Sequence[Alignment]
) -> Alignment:
    lines: list[int | None] = [None] * count
    for (first, _), alignment in zip(pieces, chain, strict=True):
        for i, line in alignment.pairs:
            lines[first + i] = line
    return Alignment(tuple(lines), gaps=gaps)


def _stays_inside(
    document: Document, search: Sequence[str], alignment: Alignment, gap: int, partners: Sequence[int]
) -> bool:
    """Return whether the lines that an elision stands for are in its place: inside what opens above it, or beside it.


    partners: indices of the search lines that are not blank and have a line of the file.
    """
    at = bisect_left(partners, gap)
    if at in (0, len(partners)):
        return True
    above, below = partners[at - 1], partners[at]
    rows = document.rows
    first, end = alignment.reach(above)[1], alignment.reach(below)[0]
    # The depths of the lines left out, without a lone `{` below its head. `over` and `under` are the depths of the
    # file's lines around them, `upper` and `lower` those of the search's, and `mark` the elision's own.
    between = [deep(rows[i]) for i in range(first, end) if rows[i].strip() and (i > first or rows[i].strip() != "{")]
    over, under = deep(rows[first - 1]), deep(rows[end])
    mark, upper, lower = (deep(search[i]) for i in (gap, above, below))
    if (upper == over) != (lower == under):
        return False  # one is as deep as the file's line and the other is not: it belongs to another block
    # The lines around the elision must relate as in the search: deeper, less deep, or equally deep.
    if (lower > upper, lower < upper) != (under > over, under < over):
        return False
    if mark > upper or lower > upper or opens(search[above]):
        # `def f():`, `    ...`, `    return x`: the lines left out are inside the line above. With a mark as deep as
        # the line below, they begin at that depth, too.
        beside = mark == lower > upper and bool(between)
        return all(depth > over for depth in between) and not (beside and under != between[0])
    # `a = 1`, `...`, `b = 2`: lines as deep as these, or inside of such lines.
    if mark == upper or lower == upper:
        return all(depth >= over for depth in between)
    # `    a()`, `...`, `}`: the rest of a block. Above the line that closes it all are deeper; above another line as
    # deep or deeper.
    closed = search[below].strip().startswith(_CLOSERS)
    return all(depth > under if closed else depth >= under for depth in between)
