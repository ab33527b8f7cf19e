"""The versions of one file's text during a reply, and how places move from one to the next.

All arithmetic of offsets through disjoint edits is here, forward and back. Invariant: version 0 is the text the edits
were written against, and each next version is the one before it with one set of disjoint edits. A place found in any
version has its place in any other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice, takewhile

from dovetail.match import Document
from dovetail.model.text import Edit, Span, apply_edits
from dovetail.model.work import spend

_COPIED = 500  # characters that are copied in the time of one step
_MAPPED = 4  # steps to take a span from one version to the next


@dataclass(frozen=True, slots=True, order=True)
class Replaced:
    """The characters of `span` became `length` characters."""

    span: Span
    length: int


class OffsetMap:
    """A set of disjoint edits, as a map of offsets. Built in ``O(n log n)``, asked in ``O(log n)``."""

    def __init__(self, replaced: Iterable[Replaced]) -> None:
        self.replaced = sorted(replaced, key=lambda s: (s.span.start, s.span.end))
        self._ends = [one.span.end for one in self.replaced]
        # _before[k]: how far the first k edits move the text after them
        self._before = [0, *accumulate(one.length - len(one.span) for one in self.replaced)]

    @classmethod
    def of(cls, edits: Iterable[Edit]) -> OffsetMap:
        """Build a map from edits; those at one offset keep their order."""
        return cls(Replaced(edit.span, len(edit.text)) for edit in edits)

    def forward(self, offset: int, *, right: bool) -> int:
        """Return the offset after the edits of an `offset` before them.

        At an insertion it stays before the inserted text, or with `right` moves after it. Inside a replaced span it
        moves to the replacement's start, or with `right` to its end.
        """
        index = bisect_left(self._ends, offset)
        # `index` is the first edit that ends here or further on. One that began before `offset` and ends here is
        # passed; so is an insertion right here, with `right`.
        while (
            index < len(self.replaced)
            and self._ends[index] == offset
            and (right or self.replaced[index].span.start < offset)
        ):
            index += 1
        if index < len(self.replaced):
            inside = self.replaced[index]
            if inside.span.start < offset < inside.span.end:
                start = inside.span.start + self._before[index]
                return start + inside.length if right else start
        return offset + self._before[index]

    def inner(self, span: Span) -> Span:
        """Map a span, leaving out text inserted at its borders; an empty span goes after that text."""
        start = self.forward(span.start, right=True)
        return Span(start, max(start, self.forward(span.end, right=False)))

    def outer(self, span: Span) -> Span:
        """Map a span, with text inserted at its borders, and widened to whole edits if it ends inside one."""
        start = self.forward(span.start, right=False)
        return Span(start, max(start, self.forward(span.end, right=True)))

    def touches(self, span: Span) -> bool:
        """Return whether an edit changes characters of `span`, or inserts strictly inside it."""
        near = islice(self.replaced, bisect_left(self._ends, span.start), None)
        return any(one.span.meets(span) for one in takewhile(lambda one: one.span.start < span.end, near))

    @cached_property
    def back(self) -> OffsetMap:
        """Return the inverse map: from the text after the edits to the text before them."""
        return OffsetMap(
            Replaced(Span(one.span.start + moved, one.span.start + moved + one.length), len(one.span))
            for one, moved in zip(self.replaced, self._before, strict=False)
        )


class Versions:
    """Grows by `commit` alone. Of the texts, only the first and the newest are kept."""

    def __init__(self, first: Document) -> None:
        self.first = first
        self.document = first
        self.maps: list[OffsetMap] = []
        self._insertions: list[dict[int, list[Edit]]] = []

    @property
    def latest(self) -> int:
        """Number of the newest version, from 0."""
        return len(self.maps)

    def commit(self, edits: Iterable[Edit]) -> None:
        """Add a version. `edits` are sorted, in offsets of the newest version; raises `OverlappingEditsError`."""
        edits = list(edits)
        spend(len(self.document.raw) // _COPIED + len(edits))
        self.document = Document(apply_edits(self.document.raw, edits))
        self.maps.append(OffsetMap.of(edits))
        self._insertions.append(_by_point(edits))

    def preceded_by(self, first: Document, edits: Iterable[Edit]) -> Versions:
        """Return these versions with `first` in front, which `edits` turn into the present version 0."""
        whole = Versions(first)
        whole.commit(edits)
        whole.document = self.document
        whole.maps += self.maps
        whole._insertions += self._insertions
        return whole

    def touched(self, span: Span) -> bool:
        """Return whether any committed edit changes characters of this span of version 0."""
        return _touched(span, self.maps)

    def brings_in(self, span: Span) -> bool:
        """Return whether a span of the newest version holds inserted text, or joins what a deletion left."""
        return _touched(span, self._backwards(self.latest))

    def lifted(self, edit: Edit) -> Edit:
        """Return an edit of version 0, whose place no edit has changed, in offsets of the newest version."""
        return Edit(self.forward(edit.span, 0), edit.text) if self.maps else edit

    def forward(self, span: Span, version: int, to: int | None = None) -> Span:
        """Map a span of some version to a later one, by default the newest; insertions at its borders stay outside."""
        steps = self.maps[version:to]
        spend(_MAPPED * len(steps))
        for step in steps:
            span = step.inner(span)
        return span

    def widened(self, span: Span, version: int, edits: Sequence[Edit]) -> Span:
        """Map a block's `span` of a version to the newest, with the text that its own `edits` insert at the borders."""
        return span if version == self.latest else self.forward(self._with_edits(span, version, edits), version + 1)

    def _with_edits(self, span: Span, version: int, edits: Sequence[Edit]) -> Span:
        """Map a span of a version to the next one, with the text that `edits` insert at its borders."""
        step = self.maps[version]
        start = step.forward(span.start, right=False) + self._inserted(version, span.start, edits, up_to=False)
        end = step.forward(span.end, right=False) + self._inserted(version, span.end, edits, up_to=True)
        return Span(start, max(start, end))

    def change(self, edit: Edit, version: int) -> tuple[Span, Span]:
        """Return the span of version 0 that an edit of a version changes, and its place in the newest.

        If other edits change the same characters, both are widened to all that they change together.
        """
        before, own = self.back(edit.span, version), self._with_edits(edit.span, version, [edit])
        after = self.forward(own, version + 1)
        if not (_touched(edit.span, self._backwards(version)) or _touched(own, self.maps[version + 1 :])):
            return before, after
        # Widen both until nothing changes: the widened span of one side may hold a further edit of the other side.
        while True:
            after = after.joined(self._through(before))
            wider = before.joined(self.back(after, self.latest))
            if wider == before:
                return before, after
            before = wider

    def _through(self, span: Span) -> Span:
        """Map a span of version 0 to the newest, with all text inserted at its borders."""
        spend(_MAPPED * len(self.maps))
        for step in self.maps:
            span = step.outer(span)
        return span

    def _inserted(self, version: int, point: int, edits: Sequence[Edit], *, up_to: bool) -> int:
        """Return the length of the text inserted at an offset before the first insertion of `edits`, or up to their
        last.

        If none of them is there, `edits` count as after all other insertions, or before them.
        """
        there = self._insertions[version].get(point)
        if there is None:
            return 0
        spend(_MAPPED * len(there))
        mine = set(edits)
        ours = [index for index, edit in enumerate(there) if edit in mine]
        if up_to:
            return sum(len(edit.text) for edit in there[: ours[-1] + 1]) if ours else 0
        return sum(len(edit.text) for edit in there[: ours[0] if ours else len(there)])

    def back(self, span: Span, version: int) -> Span:
        """Map a span of some version back to version 0, widened to whole edits if it lies inside one."""
        for step in self._backwards(version):
            span = step.outer(span)
        return span

    def _backwards(self, version: int) -> list[OffsetMap]:
        """Return the inverse maps from a version down to version 0."""
        spend(_MAPPED * version)
        return [step.back for step in reversed(self.maps[:version])]


def _touched(span: Span, maps: Iterable[OffsetMap]) -> bool:
    """Return whether any of some successive maps changes characters of a span."""
    for step in maps:
        if step.touches(span):
            return True
        span = step.inner(span)
    return False


def _by_point(edits: Iterable[Edit]) -> dict[int, list[Edit]]:
    """Return the insertions among some edits, by offset."""
    insertions: dict[int, list[Edit]] = {}
    for edit in edits:
        if edit.span.start == edit.span.end:
            insertions.setdefault(edit.span.start, []).append(edit)
    return insertions
