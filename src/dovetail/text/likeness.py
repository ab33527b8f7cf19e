"""Measures of likeness between texts and between lists of lines.

Owns the use of rapidfuzz, and loads it when it is first asked: an edit that lands exactly needs none of it, and the
library costs more to load than such an edit to plan.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dovetail.text.line import squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LONG = 10_000  # characters from which on the other text's length matters
_CELLS = 5_000_000_000  # pairs of characters that are compared, some 64 at a time
_VERSION = 0.6  # likeness of a line that has changed to what it was
_SMALL = 64  # cells of a table that is filled by hand sooner than the library is loaded


def ratio(a: Sequence[str], b: Sequence[str]) -> float:
    """How alike two texts, or two lists, are, from 0 to 1: twice their longest common subsequence over both lengths."""
    return _ratio()(a, b) / 100


@cache
def _ratio() -> Callable[[Sequence[str], Sequence[str]], float]:
    from rapidfuzz.fuzz import ratio as of_texts

    return of_texts


def is_version(old: str, new: str) -> bool:
    """Whether a line is like another as it may have been before, blanks aside."""
    return ratio(squeeze(old), squeeze(new)) >= _VERSION


def nearest(wanted: str, texts: Sequence[str], least: float, most: int) -> Iterator[tuple[int, float]]:
    """Index and likeness of the texts most like `wanted`, at least `least`, at most `most` of them, best first.

    Two texts that are both very long are not compared, as that takes the product of their lengths.
    """
    from rapidfuzz import fuzz, process

    if len(wanted) > _LONG:
        longest = _CELLS // len(wanted)
        texts = [text if len(text) <= longest else "" for text in texts]
    hits = process.extract(wanted, texts, scorer=fuzz.ratio, processor=None, score_cutoff=least * 100, limit=most)
    return ((index, score / 100) for _, score, index in hits)


def misspellings(a: str, b: str) -> int:
    """How many letters must be put in, left out, changed or swapped with their neighbour to turn one into the other."""
    from rapidfuzz.distance import OSA

    return OSA.distance(a, b)


def subsequence(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Index pairs of one longest common subsequence, in order."""
    if len(a) * len(b) <= _SMALL:
        yield from pairing([[one == other for other in b] for one in a])
        return
    from rapidfuzz.distance import LCSseq

    for op in LCSseq.opcodes(a, b):
        if op.tag == "equal":
            yield from zip(range(op.src_start, op.src_end), range(op.dest_start, op.dest_end), strict=True)


def pairing(gains: Sequence[Sequence[float]]) -> Iterator[tuple[int, int]]:
    """Index pairs, in order, of the rows and columns of a table whose gains add up to most; none that gains nothing."""
    rows, columns = len(gains), len(gains[0]) if gains else 0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        here, below, gain = best[i], best[i + 1], gains[i]
        for k in range(columns - 1, -1, -1):
            most = below[k] if below[k] >= here[k + 1] else here[k + 1]  # noqa: FURB136 - a call costs twice as much
            here[k] = below[k + 1] + gain[k] if gain[k] and below[k + 1] + gain[k] > most else most
    i = k = 0
    while i < rows and k < columns:
        if gains[i][k] and best[i][k] == best[i + 1][k + 1] + gains[i][k]:
            yield i, k
            i, k = i + 1, k + 1
        elif best[i][k] == best[i + 1][k]:
            i += 1
        else:
            k += 1
