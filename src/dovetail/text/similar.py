"""Regions of a file that are like a search, when no region agrees with it.

Votes find them: each distinctive line of the search that the file holds votes for where the search would begin, the
rarer the line the stronger. Where these do not tell, the longest lines that stand nowhere vote by likeness.
What is found is aligned line by line and scored; nothing here decides whether an edit may land (`fuzzy`), or what a
person is told (`nearest`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from dovetail.text.alignment import Alignment
from dovetail.text.likeness import nearest, pairing, ratio
from dovetail.text.line import distinctive, squeeze
from dovetail.text.linediff import Hunk, apart, common

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dovetail.text.document import Document

_REGIONS = 4  # the regions looked at closely
_MOST_REGIONS = 12  # of those with as many votes as any
_PLACES = 6  # decimals of votes that count
_VOTERS = 400  # search lines that may vote
_COMMON = 64  # a line that stands in more places than this votes only where nothing rarer does
_ALIKE = 0.6  # the least likeness of two lines that may be partners
_LOOKED_UP = 3  # longest lines looked up by likeness where no line votes
_LOOKED_LIKE = 0.7  # how like a line of the file must be to vote then
_LOOKED_AT = 8  # lines that vote then, for each looked up
_CLOSE = 2  # lines beside the search's own where another place may begin right behind
_PAIRED = 60  # the largest gap, in lines on either side, whose lines are compared each with each


def regions(document: Document, search: Sequence[str]) -> list[Alignment]:
    """The regions most like `search`, best first, no two of them the same place; scores from 0 to 1."""
    starts = _starts(document, search)
    aligned = [align(document, search, start) for start in starts]
    found = [a for a in aligned if a is not None]
    for start, alignment in zip(starts, aligned, strict=True):
        if len(starts) > 1 and _strays(alignment, start, found):
            found += filter(None, [align(document, search, start, min(_CLOSE, max(1, len(search) // 3)))])
    kept: list[Alignment] = []
    for alignment in sorted(found, key=lambda a: -a.score):
        if not any(alignment.meets(other) for other in kept):
            kept.append(alignment)
    return kept


def _strays(alignment: Alignment | None, start: int, found: Sequence[Alignment]) -> bool:
    """Whether what was found around a start is at another, or shares lines with what was found there."""
    if alignment is None or abs(alignment.first - alignment.lines.index(alignment.first) - start) > _CLOSE:
        return True
    return any(alignment.meets(other) for other in found if other is not alignment)


def _starts(document: Document, search: Sequence[str]) -> list[int]:
    """Lines where the search may begin, most votes first.

    Where many stand alike, lines that are only like the search's vote as well; but too few of those are looked up for
    a start to be left out because they gave it no vote.
    """
    votes, absent = _votes(document, search)
    alike = _strongest(votes, len(search))
    if alike and len(alike) <= _REGIONS:
        return alike
    for start, weight in _likely(document, search, absent):
        votes[start] += weight
    starts = _strongest(votes, len(search))
    return starts + [start for start in alike if all(2 * abs(start - other) >= len(search) for other in starts)]


def _strongest(votes: Mapping[int, float], size: int) -> list[int]:
    """The starts with most votes, those close by included, for a search of so many lines."""
    near = _with_neighbours(votes, max(2, size // 4))
    most = max(near.values(), default=0.0)
    starts: list[int] = []
    for start in sorted(near, key=lambda start: (-near[start], -votes[start], start)):
        if len(starts) >= (_MOST_REGIONS if near[start] == most else _REGIONS):
            break
        if all(2 * abs(start - other) >= size for other in starts):
            starts.append(start)
    return starts


def _with_neighbours(votes: Mapping[int, float], reach: int) -> dict[int, float]:
    """The votes of each start and of those that lie no further from it, rounded so that as many are equal."""
    starts = sorted(votes)
    sums = [0.0, *accumulate(votes[start] for start in starts)]
    return {
        start: round(sums[bisect_right(starts, start + reach)] - sums[bisect_left(starts, start - reach)], _PLACES)
        for start in starts
    }


def _votes(document: Document, search: Sequence[str]) -> tuple[dict[int, float], list[int]]:
    """The votes of the search's distinctive lines, and which of these stand nowhere in the file."""
    wanted: dict[str, list[int]] = {}
    for i, line in enumerate(search):
        if distinctive(line) and len(wanted) < _VOTERS:
            wanted.setdefault(line.strip(), []).append(i)
    places = document.places_of(wanted)
    rare = {text: found for text, found in places.items() if len(found) <= _COMMON} or places
    votes: dict[int, float] = defaultdict(float)
    for text, found in rare.items():
        for place in found[: 4 * _COMMON]:
            for i in wanted[text]:
                votes[place - i] += len(text) / (len(found) * len(wanted[text]))
    return votes, [at for text, found in wanted.items() if text not in places for at in found]


def _likely(document: Document, search: Sequence[str], absent: Sequence[int]) -> Iterator[tuple[int, float]]:
    """The votes of lines like the longest of those that stand nowhere."""
    for i in sorted(absent, key=lambda i: -len(search[i].strip()))[:_LOOKED_UP]:
        line = search[i].strip()
        for place, alike in nearest(line, document.stripped, _LOOKED_LIKE, _LOOKED_AT):
            yield place - i, alike * len(line)


def align(document: Document, search: Sequence[str], start: int, slack: int | None = None) -> Alignment | None:
    """Align `search` with the file's lines around `start`, `slack` more on either side; None where nothing pairs."""
    slack = max(4, len(search) // 3) if slack is None else slack
    return within(document, search, start - slack, start + len(search) + slack)


def within(document: Document, search: Sequence[str], low: int, high: int) -> Alignment | None:
    """Align `search` with the file's lines `low` to `high` (exclusive), as far as it goes; None where nothing pairs."""
    low, high = max(0, low), min(len(document), high)
    window = document.stripped[low:high]
    wanted = [line.strip() for line in search]
    equal: list[int | None] = [None] * len(wanted)
    for i, k in common(wanted, window):
        equal[i] = low + k
    lines = _drawn_close(document.stripped, equal)
    for hunk in _gaps(lines, low, high):
        for i, k in _pair(wanted, document.stripped, hunk):
            lines[i] = k
    lines = _tight(wanted, _drawn_close(document.stripped, lines))
    if all(line is None for line in lines):
        return None
    alignment = Alignment(tuple(lines))
    return Alignment(alignment.lines, score(document, wanted, alignment))


def _gaps(lines: Sequence[int | None], low: int, high: int) -> list[Hunk]:
    """The stretches between partners, the file's from `low` to `high`, that hold lines on both sides."""
    pairs = ((i, line) for i, line in enumerate(lines) if line is not None)
    gaps = apart(pairs, Hunk(0, len(lines), low, high))
    return [gap for gap in gaps if gap.a1 < gap.a2 and gap.b1 < gap.b2]


def _drawn_close(file: Sequence[str], lines: Sequence[int | None]) -> list[int | None]:
    """With runs of lines moved to equal lines that stand as far from a neighbour's partner as in the search; the first
    and the last run that touch a neighbour to the nearest equal lines.

    Of several equal lines a difference takes any; those that stand as they do in the search are meant.
    """
    closer = list(lines)
    for step in (1, -1):
        runs = _runs(closer)[::step]
        if len(runs) == 1:
            break
        for near, (first, last) in pairwise(runs):
            beside, start = closer[near[1] if step > 0 else near[0]], closer[first]
            if beside is None or start is None:
                continue
            size, apart = last - first + 1, first - near[1] if step > 0 else near[0] - last
            new = beside + apart if step > 0 else beside - apart - size + 1
            outermost = (first, last) == runs[-1]
            if apart == 1:
                places = range(new, start, step)[: None if outermost else 1]
            elif outermost or (start - new) * step > 0:
                places = range(max(0, new), new + 1)
            else:
                continue
            run = file[start : start + size]
            start = next((place for place in places if file[place : place + size] == run), start)
            closer[first : last + 1] = range(start, start + size)
    return closer


def _runs(lines: Sequence[int | None]) -> list[tuple[int, int]]:
    """First and last of the search's lines that stand one behind the other in the file, too."""
    runs: list[tuple[int, int]] = []
    for i, line in enumerate(lines):
        if line is None:
            continue
        if runs and runs[-1][1] == i - 1 and lines[i - 1] == line - 1:
            runs[-1] = (runs[-1][0], i)
        else:
            runs.append((i, i))
    return runs


def _tight(wanted: Sequence[str], lines: list[int | None]) -> list[int | None]:
    """Without the partners of lone plain lines far from the rest, which match anywhere."""
    solid = [i for i, line in enumerate(lines) if line is not None and distinctive(wanted[i])]
    if not solid:
        return lines
    for i, line in enumerate(lines):
        if line is None or distinctive(wanted[i]):
            continue
        nearest = min(solid, key=lambda s: abs(s - i))
        partner = lines[nearest]
        if partner is not None and abs((line - partner) - (i - nearest)) > max(2, len(wanted) // 4):
            lines[i] = None
    return lines


def _pair(wanted: Sequence[str], file: Sequence[str], hunk: Hunk) -> Iterator[tuple[int, int]]:
    """Partners among lines that differ: the pairing, in order, that keeps most likeness."""
    old, new = wanted[hunk.a1 : hunk.a2], file[hunk.b1 : hunk.b2]
    if len(old) > _PAIRED or len(new) > _PAIRED:
        return
    for i, k in pairing([[_gain(line, found) for found in new] for line in old]):
        yield hunk.a1 + i, hunk.b1 + k


def _gain(wanted: str, found: str) -> float:
    if not wanted or not found:
        return 0.0
    alike = likeness(wanted, found)
    return alike * (len(wanted) + 4) if alike >= _ALIKE else 0.0


def likeness(wanted: str, found: str) -> float:
    """How alike two lines are, blanks aside, from 0 to 1."""
    return 1.0 if wanted == found else ratio(squeeze(wanted), squeeze(found))


def score(document: Document, wanted: Sequence[str], alignment: Alignment) -> float:
    """Likeness of all lines, weighted by length.

    Lines that the search has alone count as unlike, lines that it forgot half as much: they cannot be mistaken for
    the change, only for a sign of another place.
    """
    alike, total = _quoted(document, wanted, alignment)
    forgotten = sum(len(document.stripped[line]) + 4 for line in alignment.unnamed() if document.stripped[line])
    total += forgotten / 2
    return alike / total if total else 0.0


def quoted(document: Document, search: Sequence[str], alignment: Alignment) -> float:
    """Likeness of the lines that the search quotes, whatever it forgot."""
    alike, total = _quoted(document, [line.strip() for line in search], alignment)
    return alike / total if total else 0.0


def _quoted(document: Document, wanted: Sequence[str], alignment: Alignment) -> tuple[float, float]:
    """How much of the search's lines is alike, and how much there is."""
    shares = [(i, line, len(line) + 4) for i, line in enumerate(wanted) if line]
    pairs = ((share, line, alignment.lines[i]) for i, line, share in shares)
    alike = sum(share * likeness(line, document.stripped[row]) for share, line, row in pairs if row is not None)
    return alike, sum(share for *_, share in shares)
