r"""Inside a fence: what it holds is known when a marker or a diff shows up in it, or when it closes.

Grammar::

    fence = open line* close            close: a line that `Fence.closes`, or the reply's end

What a fence without blocks is, `fence_content` says when it closes. A fence around a file's text may hold fences. What
stands in a long string is the file's; an inner one that opens with an info string is passed over with its own end, and
so is a run that stands deeper than an end may. Of a bare run in Markdown or between tags, what stands around it and the
next ones says whether it opens an inner fence or ends this one.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences, reasoning
from dovetail.formats.listings import documents, reopened, wrapped
from dovetail.formats.listings.above import Above
from dovetail.formats.listings.fence_content import FenceContent
from dovetail.formats.listings.long_strings import LongStrings
from dovetail.formats.openers import is_wanted, open_block, open_head
from dovetail.formats.scan import faults
from dovetail.formats.scan.keeping import ByInterest
from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.lines.grammar import Start
    from dovetail.formats.scan.keeping import Machine
    from dovetail.formats.scan.scanner import Scanner

_PYTHON = ("py", "python", "python3")
_FIRST = re.compile(r"\n[ \t]*+[^\s]")
_WRAPPING = re.compile(r"(?:\s*+<[\w:]{1,40}>)*\s*$")


def open_fence(scanner: Scanner, fence: Fence, text: str, line: int) -> None:
    """Begin a fence at its opening line."""
    fenced = Fenced(scanner, fence, line)
    scanner.recent.add(text)
    scanner.sink.text(text, line, code=True)
    scanner.state = fenced


class Fenced(ByInterest):
    """One open fence.

    alone: nothing stands before it in the reply.
    only_tags: nothing else has come in it.
    inner: how many fences inside are open whose ends could end it.
    unsure: whether it may have ended before.
    known: of which bare runs it is known whether they end it.
    used, used_from: whether a block began in it; at which line the first did, and how many the reply had before.
    """

    interest = _FIRST
    within: Fence | None = None
    document: bool | None = None  # the first start inside decides
    only_tags = True
    inner = 0
    unsure = False
    used = False
    used_from = (0, 0)

    def __init__(self, scanner: Scanner, fence: Fence, line: int) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.fence = fence
        self.above = Above(scanner, fence, scanner.recent.lines())
        self.alone, scanner.begun = not scanner.begun, scanner.begun or not scanner.sink.draft
        self.known: dict[int, bool] = {}
        self.first = line
        self.pieces: list[str] = []
        self.left_from = line + 1

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Content."""
        self._content(text, line)
        return None

    def _content(self, text: str, line: int) -> None:
        if not self.pieces:
            self.left_from = line
        if self.used_from == (line, len(self.scanner.sink.blocks)):
            self.used = False  # what began here was none, and is given back
        self.only_tags = self.only_tags and _WRAPPING.match(text) is not None
        self.pieces.append(text)
        self.scanner.recent.add(text)
        self.scanner.sink.text(text, line, code=True)

    def line(self, text: str, line: int) -> GiveBack | None:
        """The first line that is not blank, or one that may be a marker or a fence's."""
        scanner = self.scanner
        first = self.interest is _FIRST
        self.interest = scanner.grammar.fenced
        start = scanner.grammar.start(text)
        if start is not None and line not in scanner.tried.text and not self._begins_example(text):
            self._on_start(start, text, line)
        elif scanner.sink.draft and reasoning.closes(text):
            self.close("", line)
            return GiveBack(text, line)
        elif not self.used and fences.is_fence_line(text) and self.in_string(text):
            self._content(text, line)
        elif self.fence.closes(text) or (self.used and self._is_wrong_end(text)):
            self._on_closing(text, line)
        elif start is not None or line in scanner.tried.text or self.document:
            self._text(text, line)
        elif (begun := self._opened_head(text, line, first=first)) is not None:
            self._use(line)
            return begun.line(text, line)
        elif self.alone and (inner := fences.opening(text)) is not None and wrapped.is_around_reply(self, inner):
            scanner.wrapper = self.fence if self.fence.long else None  # a short one ends as any other does
            scanner.state = self.parent
            self.follow(inner, text, line)
        elif reopened.is_next(self, text):
            reopened.follow(self, scanner.recent.lines(), text, line)
        else:
            self._text(text, line)
        return None

    def _text(self, text: str, line: int) -> None:
        """A line that begins nothing."""
        self._stray(text, line)
        self._inner_fence(text)
        self._content(text, line)

    def _opened_head(self, text: str, line: int, *, first: bool) -> Machine | None:
        """What begins at this line: a diff, a patch, a tool's tag."""
        head = text.lstrip()[:1]
        if self.within is not None and (self.fence.long or self.above.holds_fences):
            return None  # it stands in a fence of its own, as in a reply of its own
        if not (first or self.used) and ((head == "<" and not self.only_tags) or self.above.file is not None):
            return None
        return open_head(self.scanner, head, text, line, self.fence, first=first)

    @property
    def is_markup(self) -> bool:
        """Whether its file is made of tags, between which any text may stand."""
        return self.above.file is not None and fences.ends_as(self.above.file.path, fences.MARKUP)

    @cached_property
    def strings(self) -> LongStrings | None:
        """The long strings of that text, or of any in Python."""
        path = (
            self.above.file.path if self.above.file is not None else ".py" if self.fence.language in _PYTHON else None
        )
        return None if path is None else LongStrings(path, self.fence)

    def _on_start(self, start: Start, text: str, line: int) -> None:
        """A start marker: a block begins, if it is wanted."""
        scanner = self.scanner
        if not is_wanted(scanner, start):
            self._text(text, line)
            return
        if start.family != "conflict" or line in scanner.tried.edits:  # else it comes back, as text or as an edit
            self._give_left()
            self._use(line)
        open_block(scanner, start, text, line, self.fence)

    def _use(self, line: int) -> None:
        """Another machine takes the lines from `line`."""
        if not self.used:
            self.used, self.used_from = True, (line, len(self.scanner.sink.blocks))

    def _begins_example(self, text: str) -> bool:
        """Whether a start is in a document, which is one listing whatever else is in it."""
        if self.document is None and self.pieces and not self.used:
            self.document = documents.holds_example(self, text)
        return bool(self.document)

    def _give_left(self) -> None:
        """Give what has come since the last block, if it looks like an edit that cannot be read."""
        if self.pieces:
            text, self.pieces = "".join(self.pieces), []
            above = Above(self.scanner, self.fence, ()) if self.used else self.above
            FenceContent(above, text, self.left_from).give_unread()

    def _stray(self, text: str, line: int) -> None:
        scanner = self.scanner
        if self.used and scanner.grammar.is_end(text):
            scanner.sink.diagnose(faults.STRAY.at(line, marker=text.strip()))

    def in_string(self, text: str) -> bool:
        """Whether a line stands in a string of the file's. Where one would begin a fence and the last in it has not
        ended, that may have ended the file's, in a string that is broken."""
        if self.used or self.above.holds_fences or self.strings is None:
            return False
        if not self.strings.hold(text, self.pieces):
            return False
        if self.strings.fences and not self.strings.fences % 2 and reopened.begins_listing(self, text):
            self.unsure = True
        return True

    def _is_wrong_end(self, text: str) -> bool:
        """Whether a bare run of another kind or length stands right behind a block, where it can only end the fence."""
        inner = fences.opening(text) if self.within is None else None
        return inner is not None and inner.bare and not any(map(str.strip, self.scanner.recent.lines()))

    def _on_closing(self, text: str, line: int) -> None:
        if not self.used and self.inner and (self.above.holds_fences or self.is_markup):
            self.end_one(text, line)
        elif not (self.used or self.inner) and self.fence.is_far_above(text) and self.above.file is not None:
            self._content(text, line)
        elif not self.used and line in self.known:
            self.on_known(text, line)
        elif not self.used and (self.above.holds_fences or self.is_markup):
            from dovetail.formats.listings.inner_runs import InnerRuns  # few fences hold others

            above = self.pieces[-1].removesuffix("\n").rpartition("\n")[2] if self.pieces else ""
            self.scanner.state = InnerRuns(self, text, line, above)
        elif not (self.used or self.above.file) and (found := reopened.titled(self.fence, self.pieces)) is not None:
            self.scanner.state = reopened.behind_titled(self, found, text, line)
        elif reopened.may_open(self, lines := self.scanner.recent.lines()):
            self.scanner.state = reopened.behind_bare(self, lines, text, line)
        else:
            self.end_one(text, line)

    def end_one(self, text: str, line: int) -> None:
        """A line that ends the fence which was opened last: one inside, or this one."""
        if self.inner and not self.used:
            self.inner -= 1
            self.within, self.scanner.state = None, self
            self._content(text, line)
        else:
            self.close(text, line)

    def follow(self, fence: Fence, text: str, line: int) -> None:
        """Begin the fence that stands behind this one."""
        open_fence(self.scanner, fence, text, line)

    def _inner_fence(self, text: str) -> None:
        """Note a fence inside: a shorter one that is open, and in a file's text one whose end could end this one."""
        inner = self.fence.opens(text)
        if inner is not None and inner.item and self.above.file is not None and not self.above.holds_fences:
            return  # a star in a comment is no list
        if self.within is None:
            self.within = inner
        elif self.within.closes(text):
            self.within = None
        if inner is None or inner.bare or self.used or inner.mark[0] != self.fence.mark[0]:
            return
        if len(inner.mark) >= len(self.fence.mark) and (self.above.holds_fences or self.above.file is not None):
            self.inner += 1

    def on_known(self, text: str, line: int) -> None:
        """A bare run in a text that may hold fences, of which is known whether it ends the text."""
        if self.known[line]:
            self.close(text, line)
        else:
            self.inner += 1
            self.scanner.state = self
            self._content(text, line)

    def end(self) -> GiveBack | None:
        """The reply ends inside the fence."""
        self.close("", self.first, cut_off=True)
        return None

    def close_titled(self, found: reopened.Titled, text: str, line: int) -> None:
        """The fence ended behind its path, and the one that stands behind it ends here."""
        self.above, self.alone, self.fence = Above(self.scanner, found.fence, [found.path]), False, found.fence
        self.first = line - found.content.count("\n") - 1
        self.pieces, self.left_from = [found.content], self.first + 1
        self.close(text, line)

    def close(self, text: str, line: int, *, cut_off: bool = False) -> None:
        """The fence ends, with its closing line `text` if there is one; what it held is given."""
        scanner = self.scanner
        scanner.state = self.parent
        scanner.sink.text(text, line, code=True)
        if self.used:
            self._give_left()
            scanner.recent.clear()
            return
        scanner.recent.clear()
        text, line = "".join(self.pieces), self.first + 1
        FenceContent(self.above, text, line, cut_off=cut_off, unsure=self.unsure).give()
