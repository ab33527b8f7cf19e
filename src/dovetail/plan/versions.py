"""One file's text on its way through a reply: each version, and how places move from one to the next.

The invariant: version 0 is the text the edits were written against, and each next version is the one before it with
one set of disjoint edits. A place found in any version can be told in any other.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from dovetail.match import Document
from dovetail.model.dataclasses import replace
from dovetail.model.text import Edit, Span, Text, apply_edits
from dovetail.plan.drift import Drift


class Versions:
    """Grows by `commit` alone. Of the texts, only the first and the newest are kept."""

    def __init__(self, first: Document) -> None:
        self.first = first
        self.document = first
        self.drifts: list[Drift] = []
        self._made: list[list[Edit]] = []

    @property
    def latest(self) -> int:
        """Number of the newest version, from 0."""
        return len(self.drifts)

    def commit(self, edits: Iterable[Edit]) -> None:
        """Add a version. Edits are in the coordinates of the newest; raises `OverlappingEditsError`."""
        edits = sorted(edits, key=lambda e: e.span)
        self.document = Document(apply_edits(self.document.raw, edits))
        self.drifts.append(Drift.of(edits))
        self._made.append(edits)

    def touched(self, span: Span) -> bool:
        """Whether anything committed changes characters of this span of version 0."""
        for drift in self.drifts:
            if drift.touches(span):
                return True
            span = _moved(drift, span)
        return False

    def fresh(self, span: Span) -> bool:
        """Whether a span of the newest version holds what some edit brought in, or joins what one had kept apart."""
        for drift in reversed(self.drifts):
            origin = drift.back()
            if origin.touches(span):
                return True
            span = _moved(origin, span)
        return False

    def lifted(self, edit: Edit) -> Edit:
        """An edit of version 0, untouched so far, in the newest version's coordinates."""
        return replace(edit, span=self.forward(edit.span, 0))

    def forward(self, span: Span, version: int) -> Span:
        """A span of some version in the newest one; insertions at its borders stay outside."""
        for drift in self.drifts[version:]:
            span = _moved(drift, span)
        return span

    def widened(self, span: Span, version: int, edits: Iterable[Edit]) -> Span:
        """Where a block's `span` of a version is in the newest, with what its own `edits` put at the borders."""
        if version == self.latest:
            return span
        drift, own = self.drifts[version], set(edits)
        start = drift.forward(span.start, right=False) + self._inserted(version, span.start, own, up_to=False)
        end = drift.forward(span.end, right=False) + self._inserted(version, span.end, own, up_to=True)
        return self.forward(Span(start, max(start, end)), version + 1)

    def _inserted(self, version: int, point: int, own: set[Edit], *, up_to: bool) -> int:
        """Length of what was inserted at a point before the first insertion in `own`, or up to the last of them.

        Where none of them is there, `own` is taken to stand behind all others, or before them.
        """
        made = self._made[version]
        low = bisect_left(made, Span(point, point), key=lambda edit: edit.span)
        there = made[low : bisect_right(made, Span(point, point), key=lambda edit: edit.span)]
        ours = [index for index, edit in enumerate(there) if edit in own]
        if up_to:
            return sum(len(edit.text) for edit in there[: ours[-1] + 1]) if ours else 0
        return sum(len(edit.text) for edit in there[: ours[0] if ours else len(there)])

    def back(self, span: Span, version: int) -> Span:
        """A span of some version in version 0, widened to whole edits where it lies inside one."""
        for drift in reversed(self.drifts[:version]):
            origin = drift.back()
            start, end = origin.forward(span.start, right=False), origin.forward(span.end, right=True)
            span = Span(start, max(start, end))
        return span


def _moved(drift: Drift, span: Span) -> Span:
    start = drift.forward(span.start, right=True)
    return Span(start, max(start, drift.forward(span.end, right=False))) if len(span) else Span(start, start)


def line_range(text: Text, span: Span) -> tuple[int, int]:
    """First and last line, from 1, that a span covers; the last is before the first where the span is empty."""
    first = len(text) + 1 if span.start >= len(text.raw) else text.line_at(span.start) + 1
    if len(span) == 0:
        return first, first - 1
    if "\n" not in text.raw:
        return first, text.line_at(span.end - 1) + 1
    return first, first + text.raw.count("\n", span.start, span.end - 1)
