"""Where the places of a text go when the text is edited.

Owns the arithmetic of offsets through disjoint edits, forward and back. Knows only lengths, never characters.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, takewhile

from dovetail.model.text import Edit, Span


@dataclass(frozen=True, slots=True, order=True)
class Shift:
    """The characters of `span` became `length` characters."""

    span: Span
    length: int


class Drift:
    """A set of disjoint edits, as a map of offsets. Built in ``O(n log n)``, asked in ``O(log n)``."""

    def __init__(self, shifts: Iterable[Shift]) -> None:
        self.shifts = sorted(shifts, key=lambda s: (s.span.start, s.span.end))
        self._ends = [shift.span.end for shift in self.shifts]
        self._before = [0, *accumulate(shift.length - len(shift.span) for shift in self.shifts)]

    @classmethod
    def of(cls, edits: Iterable[Edit]) -> Drift:
        """Make one from edits; those at one point keep their order."""
        return cls(Shift(edit.span, len(edit.text)) for edit in edits)

    def forward(self, offset: int, *, right: bool) -> int:
        """Where `offset` is afterwards.

        At an insertion it stays before what is inserted, or with `right` goes behind it. Inside a replaced span it
        goes to the replacement's start, or with `right` to its end.
        """
        index = bisect_left(self._ends, offset)
        while (
            index < len(self.shifts)
            and self._ends[index] == offset
            and (right or self.shifts[index].span.start < offset)
        ):
            index += 1
        if index < len(self.shifts):
            inside = self.shifts[index]
            if inside.span.start < offset < inside.span.end:
                start = inside.span.start + self._before[index]
                return start + inside.length if right else start
        return offset + self._before[index]

    def inner(self, span: Span) -> Span:
        """Where a span goes when what is inserted at its borders stays outside; an empty one goes behind that."""
        start = self.forward(span.start, right=True)
        return Span(start, max(start, self.forward(span.end, right=False)))

    def outer(self, span: Span) -> Span:
        """Where a span goes with what is inserted at its borders, widened to whole edits where it ends inside one."""
        start = self.forward(span.start, right=False)
        return Span(start, max(start, self.forward(span.end, right=True)))

    def touches(self, span: Span) -> bool:
        """Whether an edit changes characters of `span`, or inserts strictly inside it."""
        near = islice(self.shifts, bisect_left(self._ends, span.start), None)
        return any(shift.span.meets(span) for shift in takewhile(lambda shift: shift.span.start < span.end, near))

    @cached_property
    def back(self) -> Drift:
        """The map in the other direction: from the text after the edits to the text before them."""
        return Drift(
            Shift(Span(shift.span.start + moved, shift.span.start + moved + shift.length), len(shift.span))
            for shift, moved in zip(self.shifts, self._before, strict=False)
        )
