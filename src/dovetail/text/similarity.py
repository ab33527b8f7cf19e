"""How similar texts and lines are, and which regions of a file are most similar to a search that is not found in it.

Votes find regions: each distinctive line of the search that the file holds votes for where the search would begin, the
rarer the line the stronger. If these do not decide, the longest lines that the file lacks vote by similarity.
What is found is aligned line by line and scored; nothing here decides whether an edit may land (`fuzzy`), or what a
person is told (`nearest`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING

from dovetail.model.work import spend, spend_on_table
from dovetail.text.alignment import Alignment
from dovetail.text.diff import Hunk, apart, common, pairing, rapidfuzz, subsequence
from dovetail.text.line import distinctive, squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dovetail.text.document import Document

_REGIONS = 4  # the regions looked at closely
_MOST_REGIONS = 12  # the same, of regions that tie for the most votes
_PLACES = 6  # decimals to which votes are rounded
_VOTERS = 400  # search lines that may vote
_COMMON = 64  # a line that stands in more places than this votes only where nothing rarer does
_ALIKE = 0.6  # the least likeness of two lines that may be partners
_LOOKED_UP = 3  # longest lines looked up by likeness where no line votes
_LOOKED_LIKE = 0.7  # how like a line of the file must be to vote then
_LOOKED_AT = 8  # lines of the file that vote then, for each search line looked up
_NEAR = 2  # lines that the search may have left out between its ends and its certain partners
_PAIRED = 60  # the largest gap, in lines on either side, whose lines are compared each with each
_LONG = 10_000  # characters from which on the other text's length matters
_CELLS = 5_000_000_000  # pairs of characters that are compared, some 64 at a time
_LARGE = 1_000_000  # pairs of characters from which on comparing two texts counts as work
_ALIGNED = 150  # steps to align a search with a region, however short both are
_GAIN = 4  # steps to compare two lines
_VERSION = 0.6  # likeness of a line that has changed to what it was


def ratio(a: Sequence[str], b: Sequence[str]) -> float:
    """Return the similarity of two texts or lists, from 0 to 1: twice the length of their longest common subsequence,
    divided by the sum of their lengths."""
    if len(a) * len(b) >= _LARGE:
        spend_on_table(len(a), len(b))
    return float(rapidfuzz().fuzz.ratio(a, b)) / 100


def is_version(old: str, new: str) -> bool:
    """Return whether `new` is similar enough to `old` to be a changed version of it, blanks aside."""
    return ratio(squeeze(old), squeeze(new)) >= _VERSION


def nearest(wanted: str, texts: Sequence[str], least: float, most: int) -> Iterator[tuple[int, float]]:
    """Yield index and similarity of the texts most like `wanted`, best first: at most `most`, each at least `least`.

    Two texts that are both very long are not compared, as that takes the product of their lengths.
    """
    if len(wanted) > _LONG:
        longest = _CELLS // len(wanted)
        texts = [text if len(text) <= longest else "" for text in texts]
    spend(len(texts) // 2)
    spend_on_table(len(wanted), sum(map(len, texts)))
    library = rapidfuzz()
    hits = library.process.extract(wanted, texts, scorer=library.fuzz.ratio, score_cutoff=least * 100, limit=most)
    return ((index, score / 100) for _, score, index in hits)


def misspellings(a: str, b: str) -> int:
    """Return how many letters must be inserted, deleted, changed or swapped with a neighbour to turn `a` into `b`."""
    return int(rapidfuzz().distance.OSA.distance(a, b))


def regions(document: Document, search: Sequence[str]) -> list[Alignment]:
    """The regions most like `search`, best first, no two of them the same place; scores from 0 to 1."""
    starts = _starts(document, search)
    size, slack = len(search), max(4, len(search) // 3)
    aligned = (within(document, search, start - slack, start + size + slack, start) for start in starts)
    found = [a for a in aligned if a is not None]
    if found:  # a copy right beside the best one shares its votes
        best = max(found, key=lambda a: a.score)
        beside = ((best.first - size - _NEAR, best.first), (best.end, best.end + size + _NEAR))
        # Without a start of its own it would not be looked at, and the best region would seem to have no rival.
        found += filter(None, (within(document, search, low, high) for low, high in beside))
    kept: list[Alignment] = []
    for alignment in sorted(found, key=lambda a: -a.score):
        if not any(alignment.meets(other) for other in kept):
            kept.append(alignment)
    return kept


def _starts(document: Document, search: Sequence[str]) -> list[int]:
    """Return lines where the search may begin, most votes first.

    If more than `_REGIONS` starts tie, lines that are only similar to the search's vote, too. Too few of these are
    looked up to drop a start because none voted for it.
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
    """Return the starts with most votes, each with those of starts close by, for a search of `size` lines."""
    # The votes of each start with those close by, rounded so that ties are equal.
    places, reach = sorted(votes), max(2, size // 4)
    sums = [0.0, *accumulate(votes[place] for place in places)]
    near = {
        place: round(sums[bisect_right(places, place + reach)] - sums[bisect_left(places, place - reach)], _PLACES)
        for place in places
    }
    most = max(near.values(), default=0.0)
    starts: list[int] = []
    # Most votes of the neighbourhood, then of the line itself, then the first. Of starts with equal votes more are
    # taken, for any may be the one.
    for start in sorted(near, key=lambda start: (-near[start], -votes[start], start)):
        if len(starts) >= (_MOST_REGIONS if near[start] == most else _REGIONS):
            break
        if all(2 * abs(start - other) >= size for other in starts):
            starts.append(start)
    return starts


def _votes(document: Document, search: Sequence[str]) -> tuple[dict[int, float], list[int]]:
    """Return the votes of the search's distinctive lines, and the indices of those that the file lacks."""
    wanted: dict[str, list[int]] = {}
    for i, line in enumerate(search):
        if distinctive(line) and len(wanted) < _VOTERS:
            wanted.setdefault(line.strip(), []).append(i)
    places = document.places_of(wanted)
    rare = {text: found for text, found in places.items() if len(found) <= _COMMON} or places
    votes: dict[int, float] = defaultdict(float)
    for text, found in rare.items():
        for place in found[: 4 * _COMMON]:
            for i in wanted[text][:_COMMON]:
                # Longer lines weigh more; one that stands often, in the file or in the search, shares its weight among
                # its places.
                votes[place - i] += len(text) / (len(found) * len(wanted[text]))
    return votes, [at for text, found in wanted.items() if text not in places for at in found]


def _likely(document: Document, search: Sequence[str], absent: Sequence[int]) -> Iterator[tuple[int, float]]:
    """Yield votes, as (start, weight), of the file's lines that are similar to the longest of the absent lines."""
    for i in sorted(absent, key=lambda i: -len(search[i].strip()))[:_LOOKED_UP]:
        line = search[i].strip()
        for place, alike in nearest(line, document.stripped, _LOOKED_LIKE, _LOOKED_AT):
            yield place - i, alike * len(line)


def within(
    document: Document, search: Sequence[str], low: int, high: int, start: int | None = None
) -> Alignment | None:
    """Align `search` with the file's lines `low` to `high` (exclusive) as far as possible; None if no line pairs.

    start: the line where the search most likely begins. Equal lines that stand as far from it as in the search are
    partners first, so that a brace is the one meant, and not an equal one further off.
    """
    spend(_ALIGNED)
    low, high = max(0, low), min(len(document), high)
    file, wanted = document.stripped, [line.strip() for line in search]
    lines: list[int | None] = [None] * len(wanted)
    for first, end in _runs(wanted, file, start, low, high) if start is not None else ():
        # Certain: runs of equal lines where they would stand if the search began at `start`.
        lines[first:end] = range(start + first, start + end)  # type: ignore[operator]
    # Equal lines first; lines that are only like each other in the gaps that are left.
    for partners in (_equal_lines, _similar_lines):
        for hunk in _gaps(lines, low, high):
            for i, k in _outward(partners, wanted, file, hunk, certain=start is not None):
                lines[i] = k
    if all(line is None for line in lines):
        return None
    alignment = Alignment(tuple(lines))
    return Alignment(alignment.lines, score(document, wanted, alignment))


def _runs(wanted: Sequence[str], file: Sequence[str], start: int, low: int, high: int) -> Iterator[tuple[int, int]]:
    """Yield the runs of search lines, as (first, end), that equal the file's lines where they would stand if the search
    began at `start`; each run has a distinctive line."""
    first = max(0, low - start)
    for i in range(first, min(len(wanted), high - start) + 1):
        if i < min(len(wanted), high - start) and wanted[i] == file[start + i]:
            continue
        if any(map(distinctive, wanted[first:i])):
            yield first, i
        first = i + 1


def _gaps(lines: Sequence[int | None], low: int, high: int) -> list[Hunk]:
    """Return the gaps between partners that hold lines of the search and of the file, from `low` to `high`."""
    pairs = ((i, line) for i, line in enumerate(lines) if line is not None)
    gaps = apart(pairs, Hunk(0, len(lines), low, high))
    return [gap for gap in gaps if gap.a1 < gap.a2 and gap.b1 < gap.b2]


def _outward(
    partners: Callable[[Sequence[str], Sequence[str]], Iterator[tuple[int, int]]],
    wanted: Sequence[str],
    file: Sequence[str],
    hunk: Hunk,
    *,
    certain: bool,
) -> Iterator[tuple[int, int]]:
    """Yield partners in a gap, as (search, file); above or below `certain` partners the ones nearest to them."""
    old, new = wanted[hunk.a1 : hunk.a2], file[hunk.b1 : hunk.b2]
    reach = len(old) + _NEAR
    # Above the first certain line, the search is compared from its end upwards, with no more of the file than it has
    # lines and a few it may have forgotten.
    if certain and hunk.a1 == 0 and hunk.a2 < len(wanted):
        for i, k in partners(old[::-1], new[::-1][:reach]):
            yield hunk.a2 - 1 - i, hunk.b2 - 1 - k
    else:
        below = certain and hunk.a1 > 0 and hunk.a2 == len(wanted)
        for i, k in partners(old, new[:reach] if below else new):
            yield hunk.a1 + i, hunk.b1 + k


def _equal_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Partners among lines that are equal; of several, the first."""
    return subsequence(old, new) if len(old) * len(new) <= _PAIRED**2 else common(old, new)


def _similar_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield partners among lines that differ: the increasing pairing with the most similarity."""
    if len(old) <= _PAIRED and len(new) <= _PAIRED:
        spend(_GAIN * len(old) * len(new))
        yield from pairing([[_gain(line, found) for found in new] for line in old])


def _gain(wanted: str, found: str) -> float:
    if not wanted or not found:
        return 0.0
    alike = likeness(wanted, found)
    # As in `_shares`: the 4 is what a short line, such as a brace, counts at least.
    return alike * (len(wanted) + 4) if alike >= _ALIKE else 0.0


def likeness(wanted: str, found: str) -> float:
    """Return the similarity of two lines, blanks aside, from 0 to 1."""
    return 1.0 if wanted == found else ratio(squeeze(wanted), squeeze(found))


def score(document: Document, wanted: Sequence[str], alignment: Alignment) -> float:
    """Return the similarity of all lines, weighted by length, from 0 to 1.

    Lines that only the search has count as unlike. Lines that only the file has count half as much: they are no part
    of the change, but may show that the place is another.
    """
    alike, total = _shares(document, wanted, alignment)
    total += sum(len(document.stripped[row]) + 4 for row in alignment.unnamed() if document.stripped[row]) / 2
    return alike / total if total else 0.0


def quoted_score(document: Document, search: Sequence[str], alignment: Alignment) -> float:
    """Return the similarity of the search's lines; lines that only the file has do not count."""
    alike, total = _shares(document, [line.strip() for line in search], alignment)
    return alike / total if total else 0.0


def _shares(document: Document, wanted: Sequence[str], alignment: Alignment) -> tuple[float, float]:
    """Return how much of the search's lines is alike, and how much there is in all, both in weighted characters."""
    shares = [(i, line, len(line) + 4) for i, line in enumerate(wanted) if line]
    pairs = ((share, line, alignment.lines[i]) for i, line, share in shares)
    alike = sum(share * likeness(line, document.stripped[row]) for share, line, row in pairs if row is not None)
    return alike, sum(share for *_, share in shares)
