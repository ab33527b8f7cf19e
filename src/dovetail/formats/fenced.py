r"""Inside a fence: what it holds is known when a marker or a diff shows up in it, or when it closes.

Grammar::

    fence = open line* close            close: a line that `Fence.closes`, or the reply's end

A closed fence without blocks is a shell suggestion, JSON tool calls, a file listing (`whole`), or an example. A fence
around Markdown may hold fences: an inner one that opens with an info string is passed over with its own end, and of a
bare run the next line decides whether it opens an inner fence or ends this one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import faults, fences, shell, tool_call, whole
from dovetail.formats.openers import open_block, open_diff, open_head
from dovetail.formats.place import Place, locate
from dovetail.formats.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.scanner import Scanner

_FIRST = re.compile(r"\n[ \t]*+[^\s]")
_EVERY = re.compile(r"\n")
_REASONING_END = re.compile(r"[ \t]*</(?:think(?:ing)?|reasoning)(?:[-\s][^>\n]*)?>", re.IGNORECASE)


def open_fence(scanner: Scanner, fence: Fence, text: str, line: int) -> None:
    """Begin a fence at its opening line."""
    fenced = Fenced(scanner, fence, line)
    scanner.recent.add(text)
    scanner.sink.text(text, line, code=True)
    scanner.state = fenced


class Fenced:
    """One open fence. `lines` stand over it, and `above` is the place that they give."""

    def __init__(self, scanner: Scanner, fence: Fence, line: int) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.fence = fence
        self.lines = scanner.recent.lines()
        self.first = line
        self.pieces: list[str] = []
        self.nested = whole.holds_fences(fence, self.lines)
        self.inner = 0
        self.pending: tuple[str, int] | None = None
        self.before = ""
        self.interest = _FIRST
        self.used = False

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Content."""
        if self.pending is None:
            self._content(text, line)
            return None
        return self._decide(self.pending, text, line)

    def _content(self, text: str, line: int) -> None:
        if not self.used:
            self.pieces.append(text)
        self.scanner.recent.add(text)
        self.scanner.sink.text(text, line, code=True)

    def line(self, text: str, line: int) -> GiveBack | None:
        """The first line that is not blank, or one that may be a marker or a fence's."""
        scanner = self.scanner
        if self.pending is not None:
            return self._decide(self.pending, text, line)
        first = self.interest is _FIRST
        self.interest = scanner.grammar.fenced
        if scanner.draft and _REASONING_END.match(text):
            self._close("", line)
            return GiveBack(text, line)
        if self.fence.closes(text):
            self._on_closing(text, line)
        elif line in scanner.as_text or not self._opens(text, line, first=first):
            self._stray(text, line)
            self._inner_fence(text, line)
            self._content(text, line)
        else:
            self.used = True
        return None

    def _opens(self, text: str, line: int, *, first: bool) -> bool:
        """Whether a block or a diff begins at this line."""
        scanner = self.scanner
        if first and open_diff(scanner, self.fence, text, line):
            return True
        start = scanner.grammar.start(text)
        if start is not None:
            return open_block(scanner, start, text, line, self.fence)
        return open_head(scanner, text.lstrip()[:1], text, line, self.fence)

    def _stray(self, text: str, line: int) -> None:
        scanner = self.scanner
        if self.used and not scanner.draft and scanner.grammar.is_end(text):
            scanner.sink.diagnose(faults.stray(line, text))

    def _on_closing(self, text: str, line: int) -> None:
        if self.nested and self.inner and not self.used:
            self.inner -= 1
            self._content(text, line)
        elif self.nested and not self.used:
            self.before = self._last_line()
            self.pending = (text, line)
            self.interest = _EVERY
        else:
            self._close(text, line)

    def _inner_fence(self, text: str, line: int) -> None:
        """Count a fence inside a Markdown fence that could end it."""
        if self.nested and (inner := fences.opening(text, line)) is not None:
            could_end = inner.mark[0] == self.fence.mark[0] and len(inner.mark) >= len(self.fence.mark)
            self.inner += could_end and bool(inner.info)

    def _last_line(self) -> str:
        text = self.pieces[-1] if self.pieces else ""
        return text.removesuffix("\n").rpartition("\n")[2]

    def _decide(self, pending: tuple[str, int], text: str, line: int) -> GiveBack | None:
        """A bare run inside Markdown: with text right behind and a gap or a colon before, it opens an inner fence."""
        closing, number = pending
        self.pending = None
        self.interest = self.scanner.grammar.fenced
        gap = not self.before.strip() or self.before.rstrip().endswith(":")
        if text.strip() and gap and not whole.names_file(text):
            self.inner += 1
            self._content(closing, number)
        else:
            self._close(closing, number)
        return GiveBack(text, line)

    def end(self) -> GiveBack | None:
        """The reply ends inside the fence."""
        if self.pending is not None:
            self._close(*self.pending)
        else:
            self._close("", self.first, cut_off=True)
        return None

    def _close(self, text: str, line: int, *, cut_off: bool = False) -> None:
        scanner = self.scanner
        scanner.state = self.parent
        scanner.sink.text(text, line, code=True)
        scanner.recent.clear()
        if self.used:
            return
        content = "".join(self.pieces)
        shell_fence = self.fence.language in fences.SHELLS
        if not shell_fence and content.count("\n") <= 2 and whole.names_file(content.strip()):
            scanner.recent.add(content.strip() + "\n")  # the path alone in a fence of its own, the block in the next
        elif not self._is_call(content) and not self._is_listing(content, cut_off=cut_off):
            self._suggest(content)

    def _is_call(self, content: str) -> bool:
        scanner = self.scanner
        if "tool-call" not in scanner.wanted:
            return False
        if not tool_call.may_be_calls(self.fence, content):
            return False
        above = self._above()
        return tool_call.in_fence(scanner, content, self.first + 1, above.path if above.own else None)

    def _above(self) -> Place:
        """What the lines over the fence say."""
        return locate(self.lines, None, self.scanner.force, self.scanner.grammar.markers.fences)

    def _is_listing(self, content: str, *, cut_off: bool) -> bool:
        scanner = self.scanner
        asked = scanner.asked == "whole"
        if "whole" not in scanner.wanted or not (asked or content) or not (self.lines or self.fence.path):
            return False
        place = whole.place_for(self.fence, self._above(), self.lines, lenient=asked)
        if place is None:
            return False
        scanner.sink.whole(whole.listing(place, content, self.first + 1, draft=scanner.draft, cut_off=cut_off))
        scanner.put_in_force(place)
        return True

    def _suggest(self, content: str) -> None:
        scanner = self.scanner
        if self.fence.language in fences.SHELLS and not scanner.draft:
            for suggestion in shell.in_fence(content, self.first + 1):
                scanner.sink.suggest(suggestion)
