"""Lines of interest in a file, shown with what encloses them.

The idea: a line makes sense under the headers of what it stands in. Which lines those are, the scopes of the file
tell; a text without scopes (unknown language, too deep) is shown with padding alone. Line indices count from 0, as
`dovetail.model.text` counts them, and a line is never shown twice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.context.marks import Marks
from dovetail.model.text import Text
from dovetail.syntax import default_language

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dovetail.syntax.outline import Scope

_CLOSING = re.compile(r"\s*(?:[)\]}]|</|(?:end|fi|done|esac|endif|endfor|endfunction|endmodule)\b)")
_SMALL_SCOPE = 5  # lines that are shown whole when one begins at a line of interest
_LEAST_CHILDREN, _MOST_CHILDREN, _SHARE_OF_CHILDREN = 5, 25, 0.10


class TreeContext:
    """Collects lines to show: give lines of interest, add their context, format.

    color: marks and found text in colour, never as the only sign.
    verbose: each line says why it is shown.
    line_number: each line shows its number, from 1.
    parent_context: show the headers of the scopes around lines of interest.
    child_context: show what a line of interest opens: all of it when small, else the headers inside.
    last_line: show the lines that close shown scopes, and the last line of the file.
    margin: lines of context around each line of interest, inside its innermost scope.
    mark_lois: mark lines of interest.
    header_max: lines of one header at most.
    loi_pad: lines around each line of interest, whatever they belong to.
    """

    def __init__(
        self,
        filename: str,
        code: str,
        color: bool = False,
        verbose: bool = False,
        line_number: bool = False,
        parent_context: bool = True,
        child_context: bool = True,
        last_line: bool = True,
        margin: int = 3,
        mark_lois: bool = True,
        header_max: int = 10,
        loi_pad: int = 1,
    ) -> None:
        self.filename = filename
        self.code = code
        self.lines = Text(code).lines
        self.lines_of_interest: set[int] = set()
        self.show_lines: dict[int, str] = {}
        self._marks = Marks(color=color, verbose=verbose, line_number=line_number, mark_lois=mark_lois)
        self._parent_context = parent_context
        self._child_context = child_context
        self._last_line = last_line
        self._margin = margin
        self._header_max = header_max
        self._loi_pad = loi_pad
        self._pattern: re.Pattern[str] | None = None
        self._outline = default_language().outline(filename, code)
        self._opened: set[Scope] = set()

    def grep(self, pattern: str, ignore_case: bool = False) -> set[int]:
        """Lines where a regular expression is found; they become lines of interest."""
        self._pattern = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
        found = {index for index, line in enumerate(self.lines) if self._pattern.search(line)}
        self.lines_of_interest |= found
        return found

    def add_lines_of_interest(self, lines: Iterable[int]) -> None:
        """Add lines, from 0; those outside of the file are left out."""
        self.lines_of_interest |= {line for line in lines if 0 <= line < len(self.lines)}

    def add_context(self) -> None:
        """Choose the lines to show. Without lines of interest there are none."""
        interest = sorted(self.lines_of_interest)
        for line in interest:
            self._show(range(line, line + 1), "interest")
        for line in interest:
            self._add_around(line)
        if self._parent_context:
            for line in interest:
                self._add_parents(line)
        if self._child_context:
            for line in interest:
                self._add_children(line)
        if self._last_line and interest:
            self._show(range(len(self.lines) - 1, len(self.lines)), "end of file")
            self._add_parents(len(self.lines) - 1)
        self._close_small_gaps()

    def format(self) -> str:
        r"""The chosen lines, each closed by ``\n``, with a mark for each run of lines left out; "" for none."""
        return self._marks.render(self.lines, self.show_lines, self.lines_of_interest, self._pattern)

    def _show(self, lines: Iterable[int], why: str) -> None:
        for line in lines:
            if 0 <= line < len(self.lines):
                self.show_lines.setdefault(line, why)

    def _add_around(self, line: int) -> None:
        self._show(range(line - self._loi_pad, line + self._loi_pad + 1), "padding")
        first, last = 0, len(self.lines) - 1
        if self._outline is not None and (scope := next(self._outline.around(line), None)) is not None:
            first, last = scope.first, scope.last
        self._show(range(max(first, line - self._margin), min(last, line + self._margin) + 1), "margin")

    def _add_parents(self, line: int) -> None:
        """Open every scope around a line; those that are open already have theirs open too."""
        if self._outline is None:
            return
        for scope in self._outline.around(line):
            if scope in self._opened:
                return
            self._opened.add(scope)
            self._open(scope, "encloses")

    def _open(self, scope: Scope, why: str) -> None:
        self._show(range(scope.first, min(scope.header, scope.first + self._header_max - 1) + 1), why)
        if self._last_line and _CLOSING.match(self.lines[scope.last]):
            self._show(range(scope.last, scope.last + 1), "closes")

    def _add_children(self, line: int) -> None:
        scope = None if self._outline is None else self._outline.starting(line)
        if self._outline is None or scope is None:
            return
        size = scope.last - scope.first
        if size < _SMALL_SCOPE:
            self._show(range(scope.first, scope.last + 1), "inside")
            return
        room = max(_LEAST_CHILDREN, min(_MOST_CHILDREN, int(size * _SHARE_OF_CHILDREN)))
        limit = len(self.show_lines) + room
        largest_first = sorted(self._outline.inside(scope), key=lambda inner: inner.first - inner.last)
        for inner in largest_first:
            if len(self.show_lines) >= limit:
                return
            self._open(inner, "inside")

    def _close_small_gaps(self) -> None:
        """Show single lines that would be left out between two shown ones, and blank lines behind shown ones."""
        for line in sorted(self.show_lines):
            if line + 2 in self.show_lines:
                self._show((line + 1,), "between")
        for line in sorted(self.show_lines):
            if line + 1 < len(self.lines) and not self.lines[line + 1].strip() and self.lines[line].strip():
                self._show((line + 1,), "between")
