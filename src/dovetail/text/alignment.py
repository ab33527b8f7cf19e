"""Which line of the file stands for which line of a search.

An `Alignment` is the answer of every tier that compares lines; what lands is computed from it alone (`landing.land`).
Lines of the search without a partner are blank lines that the file does not have, or lines that a loose tier
forgives; lines of the file between partners that nobody names are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.model.text import Span
    from dovetail.text.document import Document
    from dovetail.text.line import Form


@dataclass(frozen=True)
class Alignment:
    """For each line of the search the index of its line in the file, or None; strictly increasing, one at least.

    score: similarity of the lines, 1.0 where a tier compares for equality.
    gaps: search lines that stand for any number of the file's lines, all kept.
    ends: where a search line may stand for several of the file's, one behind the last of them; else empty.
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
        """The characters of those lines, line ends included."""
        return document.span(self.first, self.end)

    def meets(self, other: Alignment) -> bool:
        """Whether both share lines of the file."""
        return min(self.end, other.end) > max(self.first, other.first)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Index in the search, index in the file, for every line that has a partner."""
        return tuple((i, line) for i, line in enumerate(self.lines) if line is not None)

    def moved(self, by: int) -> Alignment:
        """The same, so many lines further down in the file."""
        lines, ends = (tuple(n if n is None else n + by for n in numbers) for numbers in (self.lines, self.ends))
        return Alignment(lines, self.score, self.gaps, ends)

    def above(self, index: int) -> int | None:
        """One behind the file's line of the nearest search line before `index` that has one; None across a gap."""
        nearest = self._nearest(range(index - 1, -1, -1))
        return self.reach(nearest)[1] if nearest is not None else None

    def below(self, index: int) -> int | None:
        """The file's line of the nearest search line from `index` on that has one; None across a gap."""
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
    """Align the whole search around one pair of lines that agree in a form, passing over blank lines on either side.

    None where a line that is not blank finds a line that does not agree.
    """
    lines: list[int | None] = [None] * len(search)
    lines[anchor[0]] = anchor[1]
    for step in (-1, 1):
        if not _walk(search, file, form, lines, step, anchor):
            return None
    if None in lines:
        for i, line in blank_partners(search, file, Alignment(tuple(lines))):
            lines[i] = line
    return Alignment(tuple(lines))


def _walk(
    search: Sequence[str], file: Sequence[str], form: Form, lines: list[int | None], step: int, anchor: tuple[int, int]
) -> bool:
    """Fill `lines` from the anchor outwards in one direction, blank lines aside; False where the texts part."""
    i, j = anchor[0] + step, anchor[1] + step
    height = len(file)
    while 0 <= i < len(search):
        if not search[i].strip():
            i += step
        elif not 0 <= j < height:
            return False
        elif form(search[i]) == form(file[j]):
            lines[i] = j
            i, j = i + step, j + step
        elif not file[j].strip():
            j += step
        else:
            return False
    return True


def blank_partners(search: Sequence[str], file: Sequence[str], alignment: Alignment) -> Iterator[tuple[int, int]]:
    """Partners for the blank lines of a search of which the other lines have theirs.

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
            below = alignment.reach(i)[1] if alignment.lines[i] is not None else None
        elif below is not None and below < len(file) and not file[below].strip():
            yield i, below
            below += 1
