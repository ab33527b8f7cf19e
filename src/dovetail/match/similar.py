"""Regions of a file that are like a search, when no region agrees with it.

Votes find them: each distinctive line of the search that the file holds votes for where the search would begin, the
rarer the line the stronger. A search whose every line is a little wrong is found by its longest lines' likeness.
What is found is aligned line by line and scored; nothing here decides whether an edit may land (`fuzzy`), or what a
person is told (`nearest`).
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dovetail.match.alignment import Alignment
from dovetail.match.likeness import nearest, ratio
from dovetail.match.linediff import Hunk, diff
from dovetail.match.lines import distinctive, squeeze

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.match.document import Document

_REGIONS = 4  # the regions looked at closely
_VOTERS = 400  # search lines that may vote
_COMMON = 64  # a line that stands in more places than this votes only where nothing rarer does
_ALIKE = 0.6  # the least likeness of two lines that may be partners
_LOOKED_UP = 3  # longest lines looked up by likeness where no line votes
_LOOKED_LIKE = 0.7  # how like a line of the file must be to vote then
_LOOKED_AT = 8  # lines that vote then, for each looked up
_PAIRED = 60  # the largest gap, in lines on either side, whose lines are compared each with each


def regions(document: Document, search: Sequence[str]) -> list[Alignment]:
    """The regions most like `search`, best first, no two of them overlapping; scores from 0 to 1."""
    found = [align(document, search, start) for start in _starts(document, search)]
    kept: list[Alignment] = []
    for alignment in sorted((a for a in found if a is not None), key=lambda a: -a.score):
        if all(alignment.end <= other.first or other.end <= alignment.first for other in kept):
            kept.append(alignment)
    return kept


def _starts(document: Document, search: Sequence[str]) -> list[int]:
    """Lines where the search may begin, most votes first."""
    votes = _votes(document, search) or _likely(document, search)
    reach = max(2, len(search) // 4)
    buckets: dict[int, float] = defaultdict(float)
    strongest: dict[int, tuple[float, int]] = {}
    for start, weight in votes.items():
        bucket = start // reach
        for near in (bucket - 1, bucket, bucket + 1):
            buckets[near] += weight
        strongest[bucket] = max(strongest.get(bucket, (0.0, start)), (weight, start))
    ranked = sorted(strongest, key=lambda b: -buckets[b])
    return [strongest[bucket][1] for bucket in ranked[:_REGIONS]]


def _votes(document: Document, search: Sequence[str]) -> dict[int, float]:
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
    return votes


def _likely(document: Document, search: Sequence[str]) -> dict[int, float]:
    votes: dict[int, float] = defaultdict(float)
    longest = sorted(range(len(search)), key=lambda i: -len(search[i].strip()))[:_LOOKED_UP]
    for i in longest:
        line = search[i].strip()
        if not distinctive(line):
            continue
        for place, alike in nearest(line, document.stripped, _LOOKED_LIKE, _LOOKED_AT):
            votes[place - i] += alike * len(line)
    return votes


def align(document: Document, search: Sequence[str], start: int) -> Alignment | None:
    """Align `search` with the file's lines around `start`; None where nothing pairs."""
    slack = max(4, len(search) // 3)
    low, high = max(0, start - slack), min(len(document), start + len(search) + slack)
    window = document.stripped[low:high]
    wanted = [line.strip() for line in search]
    lines: list[int | None] = [None] * len(wanted)
    a = b = 0
    for hunk in [*diff(wanted, window), Hunk(len(wanted), len(wanted), len(window), len(window))]:
        for n in range(hunk.a1 - a):
            lines[a + n] = low + b + n
        for i, k in _pair(wanted, window, hunk):
            lines[i] = low + k
        a, b = hunk.a2, hunk.b2
    lines = _tight(wanted, _drawn_close(wanted, document.stripped, lines))
    if all(line is None for line in lines):
        return None
    alignment = Alignment(tuple(lines))
    return Alignment(alignment.lines, score(document, wanted, alignment))


def _drawn_close(wanted: Sequence[str], file: Sequence[str], lines: list[int | None]) -> list[int | None]:
    """With plain lines moved to an equal line right beside a neighbour's partner, where they touched neither's.

    Of several equal lines a difference takes any; the one that stands as it does in the search is meant.
    """
    closer = list(lines)
    for step, order in ((1, range(1, len(wanted))), (-1, range(len(wanted) - 2, -1, -1))):
        for i in order:
            line, near = closer[i], closer[i - step]
            if line is None or near is None or distinctive(wanted[i]) or line == near + step:
                continue
            beyond = closer[i + step] if 0 <= i + step < len(wanted) else None
            if beyond != line + step and file[near + step] == wanted[i]:
                closer[i] = near + step
    return closer


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


def _pair(wanted: Sequence[str], window: Sequence[str], hunk: Hunk) -> Iterator[tuple[int, int]]:
    """Partners among lines that differ: the pairing, in order, that keeps most likeness."""
    rows, columns = hunk.a2 - hunk.a1, hunk.b2 - hunk.b1
    if not rows or not columns or rows > _PAIRED or columns > _PAIRED:
        return
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    gains = [[_gain(wanted[hunk.a1 + i], window[hunk.b1 + k]) for k in range(columns)] for i in range(rows)]
    for i in range(rows - 1, -1, -1):
        for k in range(columns - 1, -1, -1):
            best[i][k] = max(best[i + 1][k], best[i][k + 1], best[i + 1][k + 1] + gains[i][k])
    i = k = 0
    while i < rows and k < columns:
        if gains[i][k] and best[i][k] == best[i + 1][k + 1] + gains[i][k]:
            yield hunk.a1 + i, hunk.b1 + k
            i, k = i + 1, k + 1
        elif best[i][k] == best[i + 1][k]:
            i += 1
        else:
            k += 1


def _gain(wanted: str, found: str) -> float:
    if not wanted or not found:
        return 0.0
    alike = likeness(wanted, found)
    return alike * (len(wanted) + 4) if alike >= _ALIKE else 0.0


def likeness(wanted: str, found: str) -> float:
    """How alike two lines are, blanks aside, from 0 to 1."""
    return ratio(squeeze(wanted), squeeze(found))


def score(document: Document, wanted: Sequence[str], alignment: Alignment) -> float:
    """Likeness of all lines, weighted by length.

    Lines that the search has alone count as unlike, lines that it forgot half as much: they cannot be mistaken for
    the change, only for a sign of another place.
    """
    weight = total = 0.0
    for i, line in enumerate(wanted):
        if not line:
            continue
        partner = alignment.lines[i]
        share = len(line) + 4
        total += share
        weight += share * likeness(line, document.stripped[partner]) if partner is not None else 0.0
    forgotten = sum(len(document.stripped[line]) + 4 for line in alignment.unnamed() if document.stripped[line])
    total += forgotten / 2
    return weight / total if total else 0.0
