r"""Text and places in it.

Owns the only definition of a line in Dovetail: it ends with ``\n`` or ``\r\n``, or with a lone ``\r`` in a text
that has no ``\n`` at all. Form feeds, U+2028 and their like are content. A `Text` never changes its characters;
whoever rewrites it says so with `Edit` values, and everything outside their spans is copied.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONG = 65_536  # characters from which on cutting a few lines out costs less than splitting all
_MANY = 1_000  # lines cut out of a text before it is split
_NEAR = 64  # lines that are walked sooner than all of a text's are indexed


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of characters, ``start <= end``, counted from 0."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def meets(self, other: Span) -> bool:
        """Whether both share a character, or one is a point inside the other."""
        return self.start < other.end and other.start < self.end

    def touches(self, other: Span) -> bool:
        """Whether both share a character, or border on each other."""
        return self.start <= other.end and other.start <= self.end

    def holds(self, other: Span) -> bool:
        """Whether the other lies in this one."""
        return self.start <= other.start and other.end <= self.end

    def joined(self, other: Span) -> Span:
        """From where the first of both begins to where the last one ends."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def shifted(self, by: int) -> Span:
        """The span, so many characters further on."""
        return Span(self.start + by, self.end + by)

    def of(self, raw: str) -> str:
        """The characters."""
        return raw[self.start : self.end]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters of `span` by `text`. An empty span inserts, an empty text deletes."""

    span: Span
    text: str

    def shifted(self, by: int) -> Edit:
        """The edit, so many characters further on."""
        return Edit(self.span.shifted(by), self.text)


class OverlappingEditsError(ValueError):
    """Two edits of one text touch the same characters."""


def apply_edits(raw: str, edits: Iterable[Edit]) -> str:
    """Return `raw` with every edit made; characters outside the spans are copied.

    Edits may come in any order. Insertions at one point keep the order in which they were given.
    Raises `OverlappingEditsError` where spans overlap.
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=_place):
        if edit.span.start < done:
            raise OverlappingEditsError(f"edit at {edit.span.start} begins before {done}, where the last one ends")
        pieces += (raw[done : edit.span.start], edit.text)
        done = edit.span.end
    pieces.append(raw[done:])
    return "".join(pieces)


def _place(edit: Edit) -> tuple[int, int]:
    """What edits are sorted by: their spans, as what is compared at no cost."""
    return edit.span.start, edit.span.end


class _Counted:
    """How many line ends stand before an offset, counted from the nearest offset that was asked for before.

    One question costs a scan up to its place and never a table of all lines; many cost one pass over the text
    together, in whatever order they come. Not for several threads at once.
    """

    def __init__(self, raw: str) -> None:
        self._raw = raw
        self._mark = "\n" if "\n" in raw else "\r"  # the character that every line end ends with
        self._offsets = [0]
        self._counts = [0]

    def before(self, offset: int) -> int:
        """The count."""
        offsets, counts = self._offsets, self._counts
        above = bisect_right(offsets, offset)
        known = offsets[above - 1]
        if known == offset:
            return counts[above - 1]
        if above < len(offsets) and offsets[above] - offset < offset - known:
            count = counts[above] - self._raw.count(self._mark, offset, offsets[above])
        else:
            count = counts[above - 1] + self._raw.count(self._mark, known, offset)
        offsets.insert(above, offset)
        counts.insert(above, count)
        return count

    def start(self, line: int) -> int | None:
        """Where a line begins; None where no offset that was asked for is near it."""
        raw, mark = self._raw, self._mark
        above = bisect_left(self._counts, line)
        if above < len(self._counts) and self._counts[above] - line < _NEAR:
            offset = self._offsets[above]
            for _ in range(self._counts[above] - line + 1):
                offset = raw.rfind(mark, 0, offset)
            return offset + 1
        if line - self._counts[above - 1] > _NEAR:
            return None
        offset = self._offsets[above - 1]
        for _ in range(line - self._counts[above - 1]):
            offset = raw.find(mark, offset) + 1
            if offset == 0:
                return None
        return offset

    def take_over(self, other: _Counted, offset: int) -> None:
        """Count up to an offset as another does, whose text is the same up to there."""
        if self._mark == other._mark and offset > 0:
            self._offsets.append(offset)
            self._counts.append(other.before(offset))


class Text:
    r"""A text and its lines, indexed on first use.

    Line indices count from 0; line *numbers* shown to people count from 1. A final line end closes the last line
    and opens none, so ``"a\n"`` has one line and ``""`` has none.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._beginning: tuple[Text, int] | None = None

    @cached_property
    def lines(self) -> list[str]:
        """The lines' contents, without their ends."""
        return split_lines(self.raw)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins, and one entry more: the length of the text."""
        raw = self.raw
        if "\r" not in raw or "\n" not in raw:
            starts = [0, *accumulate([len(line) + 1 for line in self.lines])]
        else:
            starts = [0, *accumulate([len(line) + 1 for line in raw.split("\n")])][: len(self.lines) + 1]
        starts[-1] = len(raw)
        return starts

    @cached_property
    def _counted(self) -> _Counted:
        counted = _Counted(self.raw)
        if self._beginning is not None:
            other, length = self._beginning
            counted.take_over(other._counted, length)
        return counted

    @property
    def rows(self) -> Sequence[str]:
        """The lines' contents for who looks at few of them: those of a long text are cut out one by one."""
        return self.lines if "lines" in self.__dict__ or len(self.raw) < _LONG else self._rows

    @cached_property
    def _rows(self) -> _Rows:
        return _Rows(self)

    def __len__(self) -> int:
        return len(self.lines) if "lines" in self.__dict__ or len(self.raw) < _LONG else self._height

    @cached_property
    def _height(self) -> int:
        return self.line_at(len(self.raw)) + 1

    def line_at(self, offset: int) -> int:
        """Index of the line that holds the character at `offset` (the last line for the end of the text)."""
        return self._counted.before(max(0, min(offset, len(self.raw) - 1)))

    def start_of(self, index: int) -> int:
        """Where a line begins; behind the last line, the length of the text."""
        near = self._counted.start(index) if "starts" not in self.__dict__ else None
        return near if near is not None else self.starts[index]

    def span(self, first: int, last: int) -> Span:
        """Characters of lines `first` to `last` (exclusive), line ends included."""
        return Span(self.start_of(first), self.start_of(last))

    def begins_like(self, other: Text, length: int) -> None:
        """Number lines from what is known then of another text, which begins with the same `length` characters."""
        self._beginning = other, length

    def content_end(self, index: int) -> int:
        """Offset just behind the last character of a line's content, before its line end."""
        return self.start_of(index) + len(self.rows[index])

    def end_of(self, index: int) -> str:
        r"""The line end of one line: ``\n``, ``\r\n``, ``\r``, or ``""`` for a last line without one."""
        return self.raw[self.content_end(index) : self.start_of(index + 1)]

    @cached_property
    def main_end(self) -> str:
        r"""The line end that most lines have; ``\n`` where there is none."""
        raw = self.raw
        if "\r" not in raw:
            return "\n"
        crlf = raw.count("\r\n")
        bare = raw.count("\n") - crlf
        if crlf == 0 and bare == 0:
            return "\r"
        return "\r\n" if crlf >= bare else "\n"

    def end_near(self, index: int) -> str:
        """The line end that a line inserted before line `index` takes: its neighbour's above, else below."""
        if "\r" not in self.raw:
            return "\n"
        for neighbour in (index - 1, index):
            if 0 <= neighbour < len(self) and (end := self.end_of(neighbour)):
                return end
        return self.main_end


class _Rows(Sequence[str]):
    """Lines of a text, cut out when asked for; all of them where too many were."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._cut: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._text)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        row = self._cut.get(index)
        if row is None:
            if len(self._cut) == _MANY:
                return self._text.lines[index]
            row = self._cut[index] = self._row(range(len(self))[index])
        return row

    def _row(self, index: int) -> str:
        raw, start = self._text.raw, self._text.start_of(index)
        mark = "\n" if "\n" in raw else "\r"
        end = raw.find(mark, start)
        if end < 0:
            return raw[start:]
        return raw[start:end].removesuffix("\r") if mark == "\n" else raw[start:end]


def split_lines(raw: str) -> list[str]:
    """Contents of the lines of `raw`, without line ends; see the module for what a line is."""
    if not raw:
        return []
    if "\r" not in raw:
        lines = raw.split("\n")
    elif "\n" not in raw:
        lines = raw.split("\r")
    else:
        lines = [line.removesuffix("\r") for line in raw.split("\n")]
        if not raw.endswith("\n") and raw.endswith("\r"):
            lines[-1] += "\r"  # a lone CR behind the last LF ends nothing
    if lines[-1] == "" and raw[-1] in "\r\n":
        lines.pop()
    return lines


def to_lf(raw: str) -> str:
    r"""`raw` with every line end written as ``\n``."""
    if "\r" not in raw:
        return raw
    return raw.replace("\r\n", "\n") if "\n" in raw else raw.replace("\r", "\n")


def closed(text: str) -> str:
    r"""`text` with a ``\n`` behind its last line where that has none; the empty text has no line to close."""
    return text if not text or text.endswith("\n") else text + "\n"


def join_lines(lines: Sequence[str]) -> str:
    """Lines joined, each closed by a line feed; no lines give the empty text."""
    return "".join(line + "\n" for line in lines)
