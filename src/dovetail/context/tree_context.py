"""Lines of a file with what encloses them: `TreeContext` shows them, `enclosing` names the definition around one.

The scopes of the file decide which lines give context: a line of interest is shown under the headers of the scopes
around it. A text without scopes (unknown language, nested too deep) is shown with padding only. Line indices count from
0, as in `dovetail.model.text`; a line is never shown twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.model.text import IndexedText
from dovetail.syntax import default_language

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from dovetail.model.language import Definition
    from dovetail.syntax.outline import Scope

GAP, LINE, INTEREST = "⋮", "│", "█"
_RED, _BOLD, _PLAIN = "\033[31m", "\033[1;31m", "\033[0m"
# `});`, `</div>`, `end`, `fi`: a last line that shows where its scope ends; in Python none does.
_CLOSING = re.compile(r"\s*(?:[)\]}]|</|(?:end|fi|done|esac|endif|endfor|endfunction|endmodule)\b)")
_SMALL_SCOPE = 5  # lines of a scope that is shown whole when it begins at a line of interest
_LEAST_CHILDREN, _MOST_CHILDREN, _SHARE_OF_CHILDREN = 5, 25, 0.10


@dataclass(frozen=True, slots=True)
class Marks:
    """How chosen lines are drawn: a bar before each, a block before those of interest, dots for a gap.

    `TreeContext` explains the fields.
    """

    color: bool = False
    verbose: bool = False
    line_number: bool = False
    mark_lois: bool = True

    def render(
        self,
        lines: Sequence[str],
        shown: Mapping[int, str],
        interest: Collection[int],
        pattern: re.Pattern[str] | None = None,
    ) -> str:
        r"""Return the lines of `shown` (index from 0 → reason) in order, each closed by ``\n``, with gap marks."""
        pieces: list[str] = []
        done = -1
        for index in sorted(shown):
            if index > done + 1:
                pieces.append(GAP)
            line, of_interest = lines[index], index in interest
            mark = INTEREST if of_interest and self.mark_lois else LINE
            if self.color and of_interest:
                line = line if pattern is None else pattern.sub(lambda found: f"{_BOLD}{found[0]}{_PLAIN}", line)
                mark = f"{_RED}{mark}{_PLAIN}" if self.mark_lois else mark
            number = f"{index + 1:4}" if self.line_number else ""
            reason = f"{shown[index]:>12} " if self.verbose else ""
            pieces.append(f"{reason}{number}{mark}{line}")
            done = index
        if pieces and done < len(lines) - 1:
            pieces.append(GAP)
        return "".join(piece + "\n" for piece in pieces)


class TreeContext:
    """Collects the lines to show: add lines of interest, add their context, format.

    color: colour marks and found text; colour is never the only sign.
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
        self.lines = IndexedText(code).lines
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
        """Make the lines where a regular expression is found lines of interest, and return them."""
        self._pattern = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
        found = {index for index, line in enumerate(self.lines) if self._pattern.search(line)}
        self.lines_of_interest |= found
        return found

    def add_lines_of_interest(self, lines: Iterable[int]) -> None:
        """Add lines of interest, counted from 0. Lines outside the file are ignored."""
        self.lines_of_interest |= {line for line in lines if 0 <= line < len(self.lines)}

    def add_context(self) -> None:
        """Choose the lines to show; none if there are no lines of interest."""
        interest = sorted(self.lines_of_interest)
        for line in interest:
            self._show(range(line, line + 1), "interest")
        for line in interest:
            self._show(range(line - self._loi_pad, line + self._loi_pad + 1), "padding")
            first, last = 0, len(self.lines) - 1
            if self._outline is not None and (scope := next(self._outline.around(line), None)) is not None:
                first, last = scope.first, scope.last
            self._show(range(max(first, line - self._margin), min(last, line + self._margin) + 1), "margin")
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
        r"""Return the chosen lines, each closed by ``\n``, with a mark for each gap; "" for none."""
        return self._marks.render(self.lines, self.show_lines, self.lines_of_interest, self._pattern)

    def _show(self, lines: Iterable[int], why: str) -> None:
        for line in lines:
            if 0 <= line < len(self.lines):
                self.show_lines.setdefault(line, why)

    def _add_parents(self, line: int) -> None:
        """Show the headers of every scope around a line, up to the first that is shown already."""
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
        # The largest scopes say most about what is inside, and there is room for some only.
        largest_first = sorted(self._outline.inside(scope), key=lambda inner: inner.first - inner.last)
        for inner in largest_first:
            if len(self.show_lines) >= limit:
                return
            self._open(inner, "inside")

    def _close_small_gaps(self) -> None:
        """Show lines that are alone between two shown ones, and blank lines after shown ones."""
        for line in sorted(self.show_lines):
            if line + 2 in self.show_lines:
                self._show((line + 1,), "between")
        for line in sorted(self.show_lines):
            if line + 1 < len(self.lines) and not self.lines[line + 1].strip() and self.lines[line].strip():
                self._show((line + 1,), "between")


@dataclass(frozen=True, slots=True)
class Enclosing:
    """The innermost function around a line, else the innermost class, else the innermost other definition.

    class_name, function_name: the innermost class, and function or method, around the line; None if there is none.
    first_line, last_line: from 1, both included; decorators and export keywords are part of a definition.
    code: its lines with their line ends.
    """

    path: str
    class_name: str | None
    function_name: str | None
    first_line: int
    last_line: int
    code: str


def enclosing(path: str, text: str, line: int) -> Enclosing | None:
    """Return the definition around a line, counted from 1; None if there is none or the language is unknown."""
    found = default_language().definitions(*_code_of(path, text))
    around = [d for d in found or () if d.first_line <= line - 1 <= d.last_line]
    function = _innermost(around, "function", "method")
    owner = _innermost(around, "class")
    chosen = function or owner or _innermost(around, "other")
    if chosen is None:
        return None
    span = IndexedText(text).span(chosen.first_line, chosen.last_line + 1)
    # A method in Go stands outside of its type, and names it.
    receiver = function.qualified.rpartition(".")[0] if function is not None and function.kind == "method" else ""
    return Enclosing(
        path,
        owner.name if owner is not None else receiver or None,
        function.name if function is not None else None,
        chosen.first_line + 1,
        chosen.last_line + 1,
        text[span.start : span.end],
    )


_PAGES = (".html", ".htm", ".vue", ".svelte")
_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script\s*>", re.IGNORECASE | re.DOTALL)


def _code_of(path: str, text: str) -> tuple[str, str]:
    """Return the path and text to read definitions from: for a page its scripts, at their lines of the page."""
    if not path.lower().endswith(_PAGES):
        return path, text
    pieces, at = [], 0
    for script in _SCRIPT.finditer(text):
        # As many line ends as the page has up to the script, so that its lines keep their numbers.
        pieces += ["\n" * text.count("\n", at, script.start(1)), script[1]]
        at = script.end(1)
    return f"{path}.ts", "".join(pieces)


def _innermost(around: list[Definition], *kinds: str) -> Definition | None:
    """Return the definition that begins last; of several on one line, the smallest."""
    fitting = [d for d in around if d.kind in kinds]
    return max(fitting, key=lambda d: (d.first_line, -d.last_line), default=None)
