"""A file cut to a number of tokens: what is asked about, the headers of its definitions, then as much as fits.

Lines stay as they are, so that a search copied from an excerpt is found in the file; what is left out is one line
that says which numbers. An excerpt never counts more than its limit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.context.tokens import Counter, estimate
from dovetail.context.tree_context import TreeContext
from dovetail.model.text import split_lines
from dovetail.syntax import default_language, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dovetail.model.language import Definition

_GAP_TOKENS = 8


def excerpt(
    path: str,
    text: str,
    limit: int,
    *,
    interest: Iterable[int] = (),
    count: Counter = estimate,
) -> str:
    r"""The lines of a text that fit into `limit` tokens, each closed by ``\n``, gaps said; "" where none fits.

    `interest` are lines, from 0, that come first.
    """
    cut = _Cut(path, text, limit, count)
    for lines in _wanted(path, text, sorted(interest)):
        cut.take(lines)
    cut.fill()
    return cut.render()


def _wanted(path: str, text: str, interest: Sequence[int]) -> Iterator[Iterable[int]]:
    """Groups of lines that make sense together, the most wanted first."""
    for line in interest:
        context = TreeContext(path, text, child_context=False, last_line=False)
        context.add_lines_of_interest((line,))
        context.add_context()
        yield context.show_lines
    definitions = default_language().definitions(path, text) or ()
    for found in _around(interest, definitions):
        yield range(found.first_line, found.last_line + 1)
    for found in sorted(definitions, key=lambda d: (d.qualified.count("."), d.first_line)):
        yield range(found.first_line, max(found.first_line, found.body_line - 1) + 1)


def _around(interest: Sequence[int], definitions: Sequence[Definition]) -> list[Definition]:
    """Definitions that hold a line of interest, smallest first."""
    holding = [d for d in definitions if any(d.first_line <= line <= d.last_line for line in interest)]
    return sorted(holding, key=lambda d: d.last_line - d.first_line)


class _Cut:
    """The lines taken so far; costs are summed line by line and the whole is counted at the end."""

    def __init__(self, path: str, text: str, limit: int, count: Counter) -> None:
        self._limit = limit
        self._lines = split_lines(text)
        self._language = language_of(path)
        self._count = count
        self._costs: dict[int, int] = {}
        self._shown: dict[int, None] = {}
        self._spent = _GAP_TOKENS

    def fill(self) -> None:
        """Take lines from the top on, as long as they fit."""
        for line in range(len(self._lines)):
            if not self.take((line,)):
                return

    def take(self, wanted: Iterable[int]) -> bool:
        """Take a group of lines whole, where it fits; tell whether it did."""
        new = [line for line in wanted if line not in self._shown]
        gaps = sum(line > 0 and line - 1 not in self._shown and line - 1 not in new for line in new)
        cost = sum(map(self._cost, new)) + gaps * _GAP_TOKENS
        if self._spent + cost > self._limit:
            return False
        self._spent += cost
        self._shown.update(dict.fromkeys(new))
        return True

    def _cost(self, line: int) -> int:
        if line not in self._costs:
            self._costs[line] = self._count(self._lines[line] + "\n", self._language)
        return self._costs[line]

    def render(self) -> str:
        """The lines in order; the last ones taken go where the whole counts more than its parts."""
        taken = list(self._shown)
        while taken:
            rendered = _render(self._lines, sorted(taken))
            if self._count(rendered, self._language) <= self._limit:
                return rendered
            del taken[-max(1, len(taken) // 20) :]
        rendered = _render(self._lines, ())
        return rendered if self._count(rendered, self._language) <= self._limit else ""


def _render(lines: Sequence[str], shown: Sequence[int]) -> str:
    pieces: list[str] = []
    for before, line in pairwise([-1, *shown, len(lines)]):
        if line > before + 1:
            pieces.append(gap_mark(before + 2, line))
        if line < len(lines):
            pieces.append(lines[line])
    return "".join(piece + "\n" for piece in pieces)


def gap_mark(first: int, last: int) -> str:
    """The line that stands for lines left out, numbered from 1."""
    return f"⋮ line {first}" if first == last else f"⋮ lines {first}-{last}"
