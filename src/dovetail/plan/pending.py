"""Edits of a text's newest version that are not made yet, and what a further edit still has to do beside them.

Insertions at one offset are ordered by what their blocks quote (`side_of`), then as in the reply. A change that two
blocks both make is made once (`left_of`), if the later block's region then has the text that it asks for.

Invariant: no pending edit changes characters that another one changes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import reduce
from typing import NamedTuple

from dovetail.match import Match
from dovetail.model.text import Edit, Span, apply_edits, split_lines
from dovetail.model.work import spend
from dovetail.plan.request import EditRequest
from dovetail.text.line import has_words, squeeze


class PendingEdit(NamedTuple):
    """An edit of block `n` that is not made yet. Edits at one offset are ordered by `side`, then by block."""

    edit: Edit
    side: int
    n: int


_COMPARED = 20  # steps to see what two edits at one point have in common
# Where a block's quotation lies, seen from its insertion. Of two insertions at one point, below line `a` and above
# line `b`, the one that quotes `a` comes first, whatever the reply's order; those at the file's end come last.
_ABOVE, _BETWEEN, _BELOW, _BEHIND = range(4)


def _order(item: PendingEdit) -> tuple[int, int, int, int]:
    span = item.edit.span
    return span.start, span.end, item.side, item.n


def _end(item: PendingEdit) -> int:
    return item.edit.span.end


class Pending:
    """Edits of one version of a text that are not made yet, apart from each other and in the order of their places."""

    def __init__(self) -> None:
        self._items: list[PendingEdit] = []
        self._unmade: list[PendingEdit] = []
        self._made: list[PendingEdit] = []
        self._grown: list[int] = []  # by how many characters each edit made has grown the text
        self._text: str | None = None

    def __len__(self) -> int:
        return len(self._items)

    @property
    def edits(self) -> Iterator[Edit]:
        """The edits, in order."""
        return (item.edit for item in self._items)

    def add(self, item: PendingEdit) -> None:
        """Add an edit, which must not change characters that another one changes."""
        insort(self._items, item, key=_order)
        self._unmade.append(item)

    def text(self, raw: str) -> str:
        """Return the newest version with these edits made, built from the text of the call before."""
        text = raw if self._text is None else self._text
        for item in self._unmade:
            # the edits before it, that are in the text already, have moved its place by what they have grown
            at = bisect_left(self._made, _order(item), key=_order)
            (start, end), by = _ends(item.edit), sum(self._grown[:at])
            text = text[: start + by] + item.edit.text + text[end + by :]
            self._made.insert(at, item)
            self._grown.insert(at, len(item.edit.text) - (end - start))
        self._unmade.clear()
        self._text = text
        return text

    def beside(self, items: Iterable[PendingEdit]) -> bool:
        """Return whether one of `items` shares characters with a pending edit, or touches it."""
        return any(self._near(item.edit.span) for item in items)

    def has(self, edit: Edit) -> bool:
        """Return whether this very edit is pending."""
        return any(item.edit == edit for item in self._near(edit.span))

    def meets(self, span: Span) -> bool:
        """Return whether an edit changes characters of a span, or inserts inside it."""
        return any(item.edit.span.meets(span) for item in self._near(span))

    def blocker(self, edit: Edit) -> int | None:
        """Return the block whose pending edit changes the same characters in another way, or None."""
        return next((item.n for item in self._near(edit.span) if item.edit.span.meets(edit.span)), None)

    def left_of(
        self, items: Sequence[PendingEdit], region: Span, asked: Sequence[str], raw: str, had: Callable[[], Set[str]]
    ) -> list[PendingEdit | int]:
        """For each edit of a block what is left of it once the pending ones are made; where nothing is left, the number
        of the block that makes all of it.

        region: where the block landed in `raw`, the newest version. asked: its replacement, by each of its readings.
        had: gives the lines that the text had before the reply, without their blanks; few edits ask for them.
        """
        left = [self._rest(item, had) for item in items]
        own = [rest for rest in left if isinstance(rest, PendingEdit)]
        shared = [rest != item and not self.has(item.edit) for item, rest in zip(items, left, strict=True)]
        # A part that another block makes too is left to that one only if the region then says what this block asks
        # for. If not, the edits stay whole, and `blocker` finds the conflict.
        if not any(shared) or self._say(asked, region, raw, own):
            return left
        return [item if one else rest for item, rest, one in zip(items, left, shared, strict=True)]

    def _rest(self, item: PendingEdit, had: Callable[[], Set[str]]) -> PendingEdit | int:
        near = self._near(item.edit.span)
        spend(_COMPARED * len(near))
        for other in near:
            left = left_of(item.edit, other.edit, had())
            if left is None:
                return other.n
            if left != item.edit and (side := _beside(item, other)) is not None:
                item = PendingEdit(left, side, item.n)
        return item

    def _say(self, asked: Sequence[str], region: Span, raw: str, own: Sequence[PendingEdit]) -> bool:
        """Return whether a region has the text asked for, with these edits and a block's own made."""
        if any(self.blocker(item.edit) is not None for item in own):
            return False
        items = sorted([*self._near(region), *own], key=_order)
        wide = reduce(Span.joined, (item.edit.span for item in items), region)
        words = _words(apply_edits(wide.of(raw), [item.edit.shifted(-wide.start) for item in items]))
        return any(_words(text) in words for text in asked)

    def _near(self, span: Span) -> Sequence[PendingEdit]:
        """Return the edits that share characters with a span, or touch it."""
        # the edits are apart, so in the order of their starts their ends rise as well
        low = high = bisect_left(self._items, span.start, key=_end)
        while high < len(self._items) and self._items[high].edit.span.start <= span.end:
            high += 1
        spend(high - low)
        return self._items[low:high]


def placed(request: EditRequest, hit: Match, edits: Sequence[Edit]) -> list[PendingEdit]:
    """Return the edits of a match as pending edits of the newest version, each at its side of the matched lines."""
    behind = request.behind is not None
    sides = (_BEHIND if behind else side_of(edit.span.start, hit.span) for edit in hit.edits)
    return [PendingEdit(edit, side, request.n) for edit, side in zip(edits, sides, strict=True)]


def side_of(point: int, region: Span) -> int:
    """Return an insertion's order among those at `point`, by whether its block quotes text above, below or both."""
    if point == region.start:
        return _BELOW
    return _ABOVE if point == region.end else _BETWEEN


def _beside(item: PendingEdit, other: PendingEdit) -> int | None:
    """Return the side of the rest of `item` beside `other`, which is a part of it; None if the order forbids that.

    Only insertions at one point have to be ordered. All other edits keep their side.
    """
    if item.edit.span != other.edit.span or len(item.edit.span):
        return item.side
    # Begins with the other: its rest goes behind that one, whose block must come first. Ends with it: its rest goes
    # before that one, as long as it is ordered so.
    if item.edit.text.startswith(other.edit.text):
        return max(item.side, other.side) if item.n > other.n else None
    return item.side if (item.side, item.n) < (other.side, other.n) else None


def _words(text: str) -> str:
    """Return the lines that are not blank, without their blanks."""
    return "\n".join(squeeze(line) for line in split_lines(text) if line.strip())


def left_of(edit: Edit, other: Edit, had: Set[str]) -> Edit | None:
    """Return what an edit still changes once another one is made: all of it if they have nothing in common; None if
    all of it is a part of the other. `had` are the lines that the text had before, without their blanks.

    Two blocks insert at one point, `import a` and `import a`, `import b`: of the first nothing is left, of the second
    the line `import b`.

    A later edit may do more to the same characters than an earlier one. One that does less is not reduced: it may be a
    correction.
    """
    if edit == other:
        return None
    if (rest := _rest(edit, other, had)) is not None:
        return rest
    more = _rest(other, edit, had)
    # The other makes this one and more. It must change further characters (`more.span`), or both must only insert:
    # two texts for the same characters, one longer than the other, are a conflict.
    return None if more is not None and (len(more.span) or not len(edit.span)) else edit


def _rest(edit: Edit, part: Edit, had: Set[str]) -> Edit | None:
    """Return what an edit changes beyond a part that it begins or ends with; None if it does neither.

    Signs and blanks alone, a part of a word, or a line that is elsewhere already may be equal by chance.
    """
    (start, end), (first, last) = _ends(edit), _ends(part)
    if not (
        start <= first
        and last <= end
        and has_words(part.text)
        and had.isdisjoint("".join(line.split()) for line in split_lines(part.text))
    ):
        return None
    size, text = len(part.text), edit.text
    if first == start and text.startswith(part.text) and not _in_word(text, size):
        return Edit(Span(last, end), text[size:])
    if last == end and text.endswith(part.text) and not _in_word(text, len(text) - size):
        return Edit(Span(start, first), text[:-size])
    return None


def _ends(edit: Edit) -> tuple[int, int]:
    return edit.span.start, edit.span.end


def _in_word(text: str, at: int) -> bool:
    """Return whether an offset is between two letters of one word."""
    return 0 < at < len(text) and _of_word(text[at - 1]) and _of_word(text[at])


def _of_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
