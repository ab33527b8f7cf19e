"""One file's text on its way through a reply: each version, and how places move from one to the next.

The invariant: version 0 is the text the edits were written against, and each next version is the one before it with
one set of disjoint edits. A place found in any version can be told in any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dovetail.match import Document
from dovetail.model.text import Edit, Span, Text, apply_edits
from dovetail.plan.edits.drift import Drift


class Versions:
    """Grows by `commit` alone. Of the texts, only the first and the newest are kept."""

    def __init__(self, first: Document) -> None:
        self.first = first
        self.document = first
        self.drifts: list[Drift] = []
        self._insertions: list[dict[int, list[Edit]]] = []

    @property
    def latest(self) -> int:
        """Number of the newest version, from 0."""
        return len(self.drifts)

    def commit(self, edits: Iterable[Edit]) -> None:
        """Add a version. Edits are in the coordinates of the newest, and sorted; raises `OverlappingEditsError`."""
        edits = list(edits)
        self.document = Document(apply_edits(self.document.raw, edits))
        self.drifts.append(Drift.of(edits))
        self._insertions.append(_by_point(edits))

    def preceded_by(self, first: Document, edits: Iterable[Edit]) -> Versions:
        """These as the later versions of a text that becomes their first by `edits`."""
        whole = Versions(first)
        whole.commit(edits)
        whole.document = self.document
        whole.drifts += self.drifts
        whole._insertions += self._insertions
        return whole

    def touched(self, span: Span) -> bool:
        """Whether anything committed changes characters of this span of version 0."""
        return _touched(span, self.drifts)

    def fresh(self, span: Span) -> bool:
        """Whether a span of the newest version holds what some edit brought in, or joins what one had kept apart."""
        return _touched(span, self._backwards(self.latest))

    def lifted(self, edit: Edit) -> Edit:
        """An edit of version 0, untouched so far, in the newest version's coordinates."""
        return Edit(self.forward(edit.span, 0), edit.text) if self.drifts else edit

    def forward(self, span: Span, version: int, to: int | None = None) -> Span:
        """A span of some version in a later one, by default the newest; insertions at its borders stay outside."""
        for drift in self.drifts[version:to]:
            span = drift.inner(span)
        return span

    def widened(self, span: Span, version: int, edits: Sequence[Edit]) -> Span:
        """Where a block's `span` of a version is in the newest, with what its own `edits` put at the borders."""
        return span if version == self.latest else self.forward(self._with_own(span, version, edits), version + 1)

    def _with_own(self, span: Span, version: int, edits: Sequence[Edit]) -> Span:
        """Where it is in the next version."""
        drift = self.drifts[version]
        start = drift.forward(span.start, right=False) + self._inserted(version, span.start, edits, up_to=False)
        end = drift.forward(span.end, right=False) + self._inserted(version, span.end, edits, up_to=True)
        return Span(start, max(start, end))

    def change(self, edit: Edit, version: int) -> tuple[Span, Span]:
        """What an edit of a version changes: characters of version 0, and what stands for them in the newest.

        Where other edits change the same characters, both are widened to all that they change together.
        """
        before, own = self.back(edit.span, version), self._with_own(edit.span, version, [edit])
        after = self.forward(own, version + 1)
        if not (_touched(edit.span, self._backwards(version)) or _touched(own, self.drifts[version + 1 :])):
            return before, after
        while True:
            after = after.joined(self._through(before))
            wider = before.joined(self.back(after, self.latest))
            if wider == before:
                return before, after
            before = wider

    def _through(self, span: Span) -> Span:
        """A span of version 0 in the newest, with all that was put at its borders."""
        for drift in self.drifts:
            span = drift.outer(span)
        return span

    def _inserted(self, version: int, point: int, edits: Sequence[Edit], *, up_to: bool) -> int:
        """Length of what was inserted at a point before the first insertion in `edits`, or up to the last of them.

        Where none of them is there, `edits` are taken to stand behind all others, or before them.
        """
        there = self._insertions[version].get(point)
        if there is None:
            return 0
        own = set(edits)
        ours = [index for index, edit in enumerate(there) if edit in own]
        if up_to:
            return sum(len(edit.text) for edit in there[: ours[-1] + 1]) if ours else 0
        return sum(len(edit.text) for edit in there[: ours[0] if ours else len(there)])

    def back(self, span: Span, version: int) -> Span:
        """A span of some version in version 0, widened to whole edits where it lies inside one."""
        for drift in self._backwards(version):
            span = drift.outer(span)
        return span

    def _backwards(self, version: int) -> list[Drift]:
        """The ways from a version to the one before it, down to version 0."""
        return [drift.back for drift in reversed(self.drifts[:version])]


def _touched(span: Span, drifts: Iterable[Drift]) -> bool:
    """Whether anything on the way through some drifts changes characters of a span."""
    for drift in drifts:
        if drift.touches(span):
            return True
        span = drift.inner(span)
    return False


def _by_point(edits: Iterable[Edit]) -> dict[int, list[Edit]]:
    """The insertions among some edits, by where they are made."""
    insertions: dict[int, list[Edit]] = {}
    for edit in edits:
        if edit.span.start == edit.span.end:
            insertions.setdefault(edit.span.start, []).append(edit)
    return insertions


def line_range(text: Text, span: Span) -> tuple[int, int]:
    """First and last line, from 1, that a span covers; the last is before the first where the span is empty."""
    first = len(text) + 1 if span.start >= len(text.raw) else text.line_at(span.start) + 1
    if len(span) == 0:
        return first, first - 1
    if "\n" not in text.raw:
        return first, text.line_at(span.end - 1) + 1
    return first, first + text.raw.count("\n", span.start, span.end - 1)
