"""Alignments: which line of the file corresponds to which line of a search, and where all of them agree.

An `Alignment` is the answer of every tier that compares lines; what lands is computed from it alone (`landing.land`).
Lines of the search without a partner are blank lines that the file does not have, or lines that a loose tier
forgives; lines of the file between partners that nobody names are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dovetail.model.work import spend
from dovetail.text.line import TABS, closes, deep, distinctive, full, indent_of, squeeze, width

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from dovetail.model.text import Span
    from dovetail.text.document import Document
    from dovetail.text.line import Form

_PLACE, _STEPS = 60, 4  # steps for a place, and for each line of it: what the tiers ask of them
_MOST_COUNTED = 8  # lines of the search that are looked up, if each of its words is common


@dataclass(frozen=True)
class Alignment:
    """For each line of the search the index of its line in the file, or None; strictly increasing, one at least.

    score: similarity of the lines, 1.0 where a tier compares for equality.
    gaps: search lines that stand for any number of the file's lines, all kept.
    ends: for each search line one past the last of the file's lines that it stands for, or None where that is one
    line; empty where each stands for one.
    """

    lines: tuple[int | None, ...]
    score: float = 1.0
    gaps: frozenset[int] = frozenset()
    ends: tuple[int | None, ...] = ()

    @property
    def first(self) -> int:
        """First line of the file that the search stands for."""
        return self.pairs[0][1]

    @cached_property
    def end(self) -> int:
        """One behind the last line of the file that the search stands for."""
        return self.reach(self.pairs[-1][0])[1]

    def reach(self, index: int) -> tuple[int, int]:
        """The file's lines, end exclusive, that a search line with a partner stands for."""
        line = self.lines[index]
        if line is None:
            raise ValueError(f"line {index} of the search has no partner")
        end = self.ends[index] if self.ends else None
        return line, end if end is not None else line + 1

    def span(self, document: Document) -> Span:
        """Return the span of the aligned lines of the file, in characters, line ends included."""
        return document.span(self.first, self.end)

    def meets(self, other: Alignment) -> bool:
        """Return whether both share lines of the file."""
        return min(self.end, other.end) > max(self.first, other.first)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Index in the search, index in the file, for every line that has a partner."""
        return tuple((i, line) for i, line in enumerate(self.lines) if line is not None)

    def moved(self, by: int) -> Alignment:
        """The same alignment, `by` lines further down in the file."""
        lines, ends = (tuple(n if n is None else n + by for n in numbers) for numbers in (self.lines, self.ends))
        return Alignment(lines, self.score, self.gaps, ends)

    def above(self, index: int) -> int | None:
        """One past the partner of the nearest search line before `index` that has one; None if a gap comes first."""
        nearest = self._nearest(range(index - 1, -1, -1))
        return self.reach(nearest)[1] if nearest is not None else None

    def below(self, index: int) -> int | None:
        """The partner of the nearest search line from `index` on that has one; None if a gap comes first."""
        nearest = self._nearest(range(index, len(self.lines)))
        return self.lines[nearest] if nearest is not None else None

    def _nearest(self, indices: range) -> int | None:
        for i in indices:
            if i in self.gaps:
                return None
            if self.lines[i] is not None:
                return i
        return None

    def unnamed(self) -> Iterator[int]:
        """Lines of the file inside the region that no line of the search stands for."""
        if not self.ends and None not in self.lines and self.end - self.first == len(self.lines):
            return iter(())
        named = {line for i, _ in self.pairs for line in range(*self.reach(i))}
        return (line for line in range(self.first, self.end) if line not in named)


def grow(search: Sequence[str], file: Sequence[str], anchor: tuple[int, int], form: Form) -> Alignment | None:
    """Align the whole search around `anchor`, indices of a search line and a file line that `form` makes equal.

    Blank lines on either side are passed over. None if a line that is not blank meets one that does not agree.
    """
    lines: list[int | None] = [None] * len(search)
    lines[anchor[0]] = anchor[1]
    for step in (-1, 1):
        walked, agree = _walk(search, file, form, lines, step, anchor)
        spend(walked)
        if not agree:
            return None
    spend(_PLACE + _STEPS * len(search))
    if None in lines:
        for i, line in blank_partners(search, file, Alignment(tuple(lines))):
            lines[i] = line
    return Alignment(tuple(lines))


def _walk(
    search: Sequence[str], file: Sequence[str], form: Form, lines: list[int | None], step: int, anchor: tuple[int, int]
) -> tuple[int, bool]:
    """Fill `lines` from the anchor outwards in one direction, blank lines aside.

    Returns how many lines of the file were looked at, and whether all agree.
    """
    i, j = anchor[0] + step, anchor[1] + step
    height = len(file)
    while 0 <= i < len(search):
        if not search[i].strip():
            i += step
        elif not 0 <= j < height:
            break
        elif form(search[i]) == form(file[j]):
            lines[i] = j
            i, j = i + step, j + step
        elif not file[j].strip():
            j += step
        else:
            break
    return abs(j - anchor[1]), not 0 <= i < len(search)


def blank_partners(search: Sequence[str], file: Sequence[str], alignment: Alignment) -> Iterator[tuple[int, int]]:
    """Yield partners for the blank lines of a search, as (search line, file line); its other lines have theirs.

    They are counted from the line above, as a person does; those before the first line from below.
    """
    first = next((i for i, line in enumerate(alignment.lines) if line is not None), 0)
    row = alignment.first - 1
    for i in range(first - 1, -1, -1):
        if search[i].strip() or row < 0 or file[row].strip():
            break
        yield i, row
        row -= 1
    below: int | None = None
    for i, line in enumerate(search):
        if line.strip():
            # A line without a partner leaves nothing to count the next blank lines from.
            below = alignment.reach(i)[1] if alignment.lines[i] is not None else None
        elif below is not None and below < len(file) and not file[below].strip():
            yield i, below
            below += 1


def places(document: Document, search: Sequence[str], form: Form = squeeze) -> Iterator[Alignment]:
    """Yield every alignment in which `form` makes all lines of `search` but blank ones equal to the file's.

    `form` must keep the ASCII words of a line: a line that agrees holds each of them.
    """
    rows = document.rows
    seen: set[int] = set()
    for anchor in _anchors(document, search, form):
        alignment = grow(search, rows, anchor, form)
        if alignment is not None and alignment.first not in seen and not _astray(search, rows, alignment):
            seen.add(alignment.first)
            yield alignment


def _astray(search: Sequence[str], file: Sequence[str], alignment: Alignment) -> bool:
    """Return whether a closing line was paired with another block's: it is shifted by a different number of columns.

    Asked of lines that only the search sets off by a blank line, or of all if the search is nothing but block ends.
    """
    if all(closes(line) for line in search if line.strip()):
        pairs = ((search[i], file[j]) for i, j in alignment.pairs if search[i].strip())
        return not uniform({(indent_of(wanted), indent_of(found)) for wanted, found in pairs})
    lines = alignment.lines
    # Search `    finish()`, blank, `}`; file `    finish()`, `    }`: the blank line has no partner, and this `}`
    # stands four columns further in than the one meant, which comes behind lines that the search forgot.
    set_off = [i for i in range(1, len(lines)) if lines[i - 1] is None and not distinctive(search[i])]
    if not set_off:
        return False
    others = _shifts(search, file, alignment, (i for i in range(len(lines)) if distinctive(search[i])))
    return bool(others) and not _shifts(search, file, alignment, set_off) <= others


def _shifts(search: Sequence[str], file: Sequence[str], alignment: Alignment, indices: Iterable[int]) -> set[int]:
    """By how many columns the lines at `indices` stand further right in the file than in the search."""
    pairs = ((i, alignment.lines[i]) for i in indices if search[i].strip())
    return {deep(file[j]) - deep(search[i]) for i, j in pairs if j is not None}


def _anchors(document: Document, search: Sequence[str], form: Form) -> Iterator[tuple[int, int]]:
    """Pair one search line, one that few lines of the file agree with, with each of those."""
    rarest = document.rarest_word(search)
    if rarest is None:
        index = max(range(len(search)), key=lambda i: len(search[i].strip()), default=-1)
        if index >= 0 and search[index].strip():
            yield from ((index, line) for line in document.agreeing(search[index], form))
        return
    index, word = rarest
    if document.is_common(word):
        yield from _of_the_rarest(document, search, form)
        return
    wanted = form(search[index])
    yield from ((index, line) for line in document.lines_holding(word) if form(document.rows[line]) == wanted)


def _of_the_rarest(document: Document, search: Sequence[str], form: Form) -> Iterator[tuple[int, int]]:
    """Pair the search line that agrees with the fewest lines of the file: words are too common to tell."""
    first: dict[str, int] = {}
    for index, line in enumerate(search):
        if line.strip():
            first.setdefault(line, index)
    texts = sorted(first, key=len, reverse=True)[:_MOST_COUNTED]
    found = ((first[text], document.agreeing(text, form)) for text in texts)
    index, lines = min(found, key=lambda pair: len(pair[1]))
    yield from ((index, line) for line in lines)


def gapless(alignment: Alignment, search: Sequence[str]) -> bool:
    """Return whether the search pairs with consecutive lines of the file; blank lines at its ends do not count."""
    filled = full(search)
    inner = alignment.lines[filled[0] : filled[-1] + 1]
    # Partners increase, so as many lines from first to last as the search has leave room for no other.
    return None not in inner and inner[-1] == inner[0] + len(inner) - 1  # type: ignore[operator]


def uniform(indents: Collection[tuple[str, str]]) -> bool:
    """Return whether one shift turns each first indentation into the second, for some width of a tab.

    A shift to the left that stopped at column 0 is uniform too: the lines it could not move are those that had no room.
    """
    for tab in TABS:
        columns = [(width(wanted, tab), width(found, tab)) for wanted, found in indents]
        shift = max((found - wanted for wanted, found in columns), default=0)
        if all(found - wanted == shift or (wanted == 0 and 0 <= found < shift) for wanted, found in columns):
            return True
    return False
