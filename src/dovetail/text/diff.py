"""The difference between two lists of lines.

Owns no text and no spans: a hunk is four indices. Lines that occur once on both sides anchor the comparison
(patience), what lies between them is compared by longest common subsequence, and what is too large for that is one
change. The cost is bounded by `_CELLS` bit operations a gap, whatever the input.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache
from itertools import chain, compress, count, pairwise
from operator import ne
from typing import TYPE_CHECKING, Any, NamedTuple

from dovetail.model.work import spend_on_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_CELLS = 64_000_000
_SMALL = 64  # cells of a table that is filled by hand sooner than the library is loaded


class Hunk(NamedTuple):
    """Lines `a1` to `a2` (exclusive) of the first list became lines `b1` to `b2` of the second."""

    a1: int
    a2: int
    b1: int
    b2: int

    @property
    def old(self) -> range:
        """The lines of the first list."""
        return range(self.a1, self.a2)

    @property
    def inserts(self) -> bool:
        """Whether the hunk only adds lines."""
        return self.a1 == self.a2

    @property
    def deletes(self) -> bool:
        """Whether the hunk only removes lines."""
        return self.b1 == self.b2

    @property
    def one_for_one(self) -> bool:
        """Whether the hunk adds as many lines as it removes."""
        return self.a2 - self.a1 == self.b2 - self.b1


def diff(a: Sequence[str], b: Sequence[str]) -> list[Hunk]:
    """Return the hunks that turn `a` into `b`, in order, none empty, no two adjacent.

    Two hunks that could as well be one are returned as one (`_as_one`).
    """
    head, tail = _ends(a, b)
    whole = Hunk(head, len(a) - tail, head, len(b) - tail)
    hunks = apart(_between(a, b, whole.a1, whole.a2, whole.b1, whole.b2), whole)
    joined: list[Hunk] = []
    for hunk in hunks:
        one = _as_one(a, b, joined[-1], hunk) if joined else None
        if one is not None:
            joined.pop()
        joined.append(one or hunk)
    return joined


def apart(pairs: Iterable[tuple[int, int]], whole: Hunk) -> Iterator[Hunk]:
    """The stretches of `whole` between index pairs of equal lines, in order, none empty."""
    a_done, b_done = whole.a1, whole.b1
    for i, k in chain(pairs, ((whole.a2, whole.b2),)):
        if i > a_done or k > b_done:
            yield Hunk(a_done, i, b_done, k)
        a_done, b_done = i + 1, k + 1


def _as_one(a: Sequence[str], b: Sequence[str], first: Hunk, second: Hunk) -> Hunk | None:
    """Return two neighbouring hunks as one if the second can be moved right below the first; else None.

    That is so if each only adds or only deletes, and the second ends with the lines between them. An addition and a
    deletion are joined only across blank lines: the one then replaces the other.
    """
    before, after = ((hunk.inserts, hunk.deletes) for hunk in (first, second))
    if not any(before) or not any(after):
        return None
    # `}` made to `a()`, `}`, `b()`, `}` gives two insertions, `a()` and `b()`, `}`. The second ends with the `}` that
    # stands between them, so it is as well `}`, `b()` above that one, and both are one insertion of three lines.
    lines, start, end = (b, second.b1, second.b2) if second.inserts else (a, second.a1, second.a2)
    apart = second.a1 - first.a2
    between = lines[start - apart : start]
    if between != lines[end - apart : end] or (before != after and any(map(str.strip, between))):
        return None
    return Hunk(first.a1, second.a2 - apart, first.b1, second.b2 - apart)


def line_by_line(a: Sequence[str], b: Sequence[str]) -> list[Hunk]:
    """Return the hunks that turn `a` into `b`, which is as long: each line became the one at its index."""
    hunks: list[Hunk] = []
    for i, (before, after) in enumerate(zip(a, b, strict=True)):
        if before != after:
            first = hunks.pop().a1 if hunks and hunks[-1].a2 == i else i
            hunks.append(Hunk(first, i + 1, first, i + 1))
    return hunks


def common(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Index pairs of equal lines, strictly increasing on both sides."""
    if set(a).isdisjoint(b):  # what differs has mostly nothing in common
        return
    head, tail = _ends(a, b)
    yield from ((i, i) for i in range(head))
    yield from _between(a, b, head, len(a) - tail, head, len(b) - tail)
    yield from ((len(a) - n, len(b) - n) for n in range(tail, 0, -1))


def _ends(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """Return how many equal lines both begin with, and how many of the rest both end with."""
    least = min(len(a), len(b))
    # `compress` counts up to the first pair that differs, without a step of Python for each line.
    head = next(compress(count(), map(ne, a, b)), least)
    tail = next(compress(count(), map(ne, reversed(a), reversed(b))), least) if head < least else 0
    return head, min(tail, least - head)


def _between(a: Sequence[str], b: Sequence[str], a1: int, a2: int, b1: int, b2: int) -> Iterator[tuple[int, int]]:
    """Yield index pairs of equal lines in two ranges: lines that occur once in each, and equal ones between them."""
    if set(a[a1:a2]).isdisjoint(b[b1:b2]):
        return
    for i, k in [*_unique_pairs(a, b, a1, a2, b1, b2), (a2, b2)]:
        mine, theirs = a[a1:i], b[b1:k]
        # What is too large to compare is one change.
        if mine and theirs and len(mine) * len(theirs) <= _CELLS and not set(mine).isdisjoint(theirs):
            yield from ((a1 + n, b1 + m) for n, m in subsequence(mine, theirs))
        if i < a2:
            yield i, k
        a1, b1 = i + 1, k + 1


def _unique_pairs(a: Sequence[str], b: Sequence[str], a1: int, a2: int, b1: int, b2: int) -> list[tuple[int, int]]:
    """Lines that occur once in each range, cut to the chain with most text that increases on both sides."""
    once_a, once_b = _once(a, a1, a2), _once(b, b1, b2)
    pairs = [(i, once_b[line]) for line, i in once_a.items() if line.strip() and line in once_b]
    if all(one[1] < other[1] for one, other in pairwise(pairs)):  # no line moved: the chain is all of them
        return pairs
    # The heaviest increasing chain: for each pair the heaviest one that ends before it, found among `tops`, where a
    # later top has more weight (as in patience sorting, with the length of text for the number of cards).
    tops: list[int] = []  # where chains end in `b`, each with more text than those that end before
    weights: list[int] = []
    chain: list[int] = []
    before: list[int] = []
    for n, (i, k) in enumerate(pairs):
        at = end = bisect_left(tops, k)
        before.append(chain[at - 1] if at else -1)
        weight = len(a[i].strip()) + (weights[at - 1] if at else 0)
        while end < len(tops) and weights[end] <= weight:
            end += 1
        tops[at:end], weights[at:end], chain[at:end] = [k], [weight], [n]
    longest: list[tuple[int, int]] = []
    n = chain[-1] if chain else -1
    while n >= 0:
        longest.append(pairs[n])
        n = before[n]
    return longest[::-1]


def _once(lines: Sequence[str], first: int, last: int) -> dict[str, int]:
    seen: dict[str, int] = {}
    for index in range(first, last):
        seen[lines[index]] = -1 if lines[index] in seen else index
    return {line: index for line, index in seen.items() if index >= 0}


def subsequence(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Index pairs of one longest common subsequence, in order."""
    if len(a) * len(b) <= _SMALL:
        yield from pairing([[one == other for other in b] for one in a])
        return
    spend_on_table(len(a), len(b))
    for op in rapidfuzz().distance.LCSseq.opcodes(a, b):
        if op.tag == "equal":
            yield from zip(range(op.src_start, op.src_end), range(op.dest_start, op.dest_end), strict=True)


@cache
def rapidfuzz() -> Any:  # noqa: ANN401 - a module
    """Return the library `rapidfuzz`, imported on first use: loading it takes longer than planning an exact edit."""
    import rapidfuzz

    return rapidfuzz


def pairing(gains: Sequence[Sequence[float]]) -> Iterator[tuple[int, int]]:
    """Yield increasing (row, column) pairs whose `gains[row][column]` have the largest sum; none of gain 0."""
    rows, columns = len(gains), len(gains[0]) if gains else 0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        here, below, gain = best[i], best[i + 1], gains[i]
        for k in range(columns - 1, -1, -1):
            most = below[k] if below[k] >= here[k + 1] else here[k + 1]  # noqa: FURB136 - a call costs twice as much
            here[k] = below[k + 1] + gain[k] if gain[k] and below[k + 1] + gain[k] > most else most
    i = k = 0
    while i < rows and k < columns:
        # Of pairings with the same sum, the one that pairs the earliest lines.
        if gains[i][k] and best[i][k] == best[i + 1][k + 1] + gains[i][k]:
            yield i, k
            i, k = i + 1, k + 1
        elif best[i][k] == best[i + 1][k]:
            i += 1
        else:
            k += 1
