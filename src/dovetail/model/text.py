r"""Text and places in it.

Owns the only definition of a line in Dovetail: it ends with ``\n`` or ``\r\n``, or with a lone ``\r`` in a text
that has no ``\n`` at all. Form feeds, U+2028 and their like are content. An `IndexedText` never changes its characters;
whoever rewrites it says so with `Edit` values, and everything outside their spans is copied.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# `\r\n`, and `\r\r\n` as text mode on Windows makes of it. Three CRs are nobody's line end, and stay.
_SENT_END = re.compile(r"(?<!\r)\r{1,2}\n")
# Line ends are counted on demand until that has cost as much as a table of all lines; then the table is built.
_FEW = 8  # times the text's length that is counted before there is a table


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of characters, ``start <= end``, counted from 0."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    def meets(self, other: Span) -> bool:
        """Return whether both share a character, or one is a point inside the other."""
        return self.start < other.end and other.start < self.end

    def touches(self, other: Span) -> bool:
        """Return whether both share a character, or border on each other."""
        return self.start <= other.end and other.start <= self.end

    def holds(self, other: Span) -> bool:
        """Return whether the other lies in this one."""
        return self.start <= other.start and other.end <= self.end

    def joined(self, other: Span) -> Span:
        """From where the first of both begins to where the last one ends."""
        return Span(min(self.start, other.start), max(self.end, other.end))

    def shifted(self, by: int) -> Span:
        """The span, `by` characters further on."""
        return Span(self.start + by, self.end + by)

    def of(self, raw: str) -> str:
        """The characters of `raw` that the span covers."""
        return raw[self.start : self.end]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters of `span` by `text`. An empty span inserts, an empty text deletes."""

    span: Span
    text: str

    def shifted(self, by: int) -> Edit:
        """The edit, `by` characters further on."""
        return Edit(self.span.shifted(by), self.text)


_SPAN = attrgetter("span.start", "span.end")


class OverlappingEditsError(ValueError):
    """Two edits of one text touch the same characters."""


def apply_edits(raw: str, edits: Iterable[Edit]) -> str:
    """Return `raw` with every edit made; characters outside the spans are copied.

    Edits may come in any order. Insertions at one point keep the order in which they were given.
    Raises `OverlappingEditsError` where spans overlap.
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=_SPAN):  # comparing the spans themselves costs a call for each
        if edit.span.start < done:
            raise OverlappingEditsError(f"edit at {edit.span.start} begins before {done}, where the last one ends")
        pieces += (raw[done : edit.span.start], edit.text)
        done = edit.span.end
    pieces.append(raw[done:])
    return "".join(pieces)


class IndexedText:
    r"""A text and its lines, indexed on first use.

    Line indices count from 0; line *numbers* shown to people count from 1. A final line end closes the last line
    and opens none, so ``"a\n"`` has one line and ``""`` has none.
    """

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._end_sign = ""  # the last character of every line end, once it is asked for
        self._asked = 0, 0  # the line of the offset that was asked for last
        self._counted = 0
        self._last = 0, 0  # the line whose start was asked for last
        self._walked = 0

    @cached_property
    def lines(self) -> list[str]:
        """The lines' contents, without their ends."""
        return split_lines(self.raw)

    @cached_property
    def starts(self) -> list[int]:
        """Offset at which each line begins, followed by the length of the text."""
        raw = self.raw
        if self._short_ends:
            starts = [0, *accumulate([len(line) + 1 for line in self.lines])]
        else:
            starts = [0, *accumulate([len(line) + 1 for line in raw.split("\n")])][: len(self.lines) + 1]
        starts[-1] = len(raw)
        return starts

    @cached_property
    def _short_ends(self) -> bool:
        """Whether all line ends are one character long."""
        return "\r" not in self.raw or "\n" not in self.raw

    @property
    def rows(self) -> list[str]:
        """The same as `lines`, under the name that `Document` uses."""
        return self.lines

    def __len__(self) -> int:
        return len(self.lines)

    def line_at(self, offset: int) -> int:
        """Index of the line that holds the character at `offset` (the last line for the end of the text).

        As long as few are asked for, or such as are near each other, line ends are counted from the one before, which
        costs far less than the table of all lines does.
        """
        # the end of the text belongs to the last line, so that no index lies behind it
        offset = max(0, min(offset, len(self.raw) - 1))
        if "starts" in self.__dict__ or self._counted > _FEW * len(self.raw):
            return max(0, bisect_right(self.starts, offset) - 1)
        line, last = self._asked
        self._end_sign = self._end_sign or ("\n" if "\n" in self.raw else "\r")
        ends = self.raw.count(self._end_sign, min(last, offset), max(last, offset))
        line += ends if offset > last else -ends
        self._asked = line, offset
        self._counted += abs(offset - last)
        return line

    def line_range(self, span: Span) -> tuple[int, int]:
        """First and last line, from 1, that a span covers; the last is before the first where the span is empty."""
        first = len(self) + 1 if span.start >= len(self.raw) else self.line_at(span.start) + 1
        if len(span) == 0:
            return first, first - 1
        # every line ends in a lone CR, or there is only one
        if "\n" not in self.raw:
            return first, self.line_at(span.end - 1) + 1
        # without its last character: the line end that closes the span begins no further line of it
        return first, first + self.raw.count("\n", span.start, span.end - 1)

    def start_of(self, index: int) -> int:
        """Return the offset at which a line begins; for the index after the last line, the length of the text.

        As long as few are asked for, or such as are near each other, each is counted from the one before.
        """
        lines = self.lines
        if "starts" in self.__dict__ or self._walked > len(lines) or not self._short_ends:
            return self.starts[index]
        row, start = self._last
        size = sum(map(len, lines[min(row, index) : max(row, index)])) + abs(index - row)
        start = min(start + (size if index > row else -size), len(self.raw))
        if index < len(lines):
            self._last = index, start
        self._walked += abs(index - row)
        return start

    def span(self, first: int, last: int) -> Span:
        """Characters of lines `first` to `last` (exclusive), line ends included."""
        return Span(self.start_of(first), self.start_of(last))

    def content_end(self, index: int) -> int:
        """Offset just behind the last character of a line's content, before its line end."""
        return self.start_of(index) + len(self.lines[index])

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
        lone = raw.count("\n") - crlf
        if crlf == 0 and lone == 0:
            return "\r"
        return "\r\n" if crlf >= lone else "\n"

    def end_near(self, index: int) -> str:
        """The line end that a line inserted before line `index` takes: its neighbour's above, else below."""
        if "\r" not in self.raw:
            return "\n"
        for neighbour in (index - 1, index):
            if 0 <= neighbour < len(self) and (end := self.end_of(neighbour)):
                return end
        return self.main_end


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


def sent_to_lf(text: str) -> str:
    r"""Return a text that a model or program sent with ``\n`` for ``\r\n``, and for ``\r\r\n``, which is left where
    text mode wrote ``\r\n``. Lone CRs stay."""
    return _SENT_END.sub("\n", text) if "\r" in text else text


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
