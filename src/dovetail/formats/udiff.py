r"""The format `udiff`: unified diffs, with or without git's headers. Line numbers are hints, counts are not trusted.

Grammar (see `udiff_head` and `hunks`)::

    diff = (head hunk*)*
    hunk = "@@" ["-"n[,n] "+"n[,n]] ["@@"] [scope] line*

Each hunk is a block; a file made (from ``/dev/null``) or deleted (to it) is one block. A fence without a head uses the
path in force. Outside a fence a diff ends at the first line that no hunk line can be, or at a blank line once the
counts are used up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import faults, hunks
from dovetail.formats.fences import longer_than
from dovetail.formats.scanner import GiveBack
from dovetail.formats.udiff_head import NOWHERE, Head, git_head, name_of
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, Reading
from dovetail.model.errors import RenderError

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.scanner import Scanner

_EVERY = re.compile(r"\n")
_UNMARKED = re.compile(r"\n(?:--- |[^ +\-])")
_HUNK = re.compile(
    r"@@+(?:[ \t]*-(\d{1,9})(?:,(\d{1,9}))?[ \t]+\+(\d{1,9})(?:,(\d{1,9}))?)?[^@\n]*?(?:@@+[ \t]*(.*))?$"
)


class Udiff:
    """A run of files' diffs, in a fence or not."""

    def __init__(self, scanner: Scanner, fence: Fence | None) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.fence = fence
        self.place = scanner.place(fence)
        self.pending: tuple[str, int] | None = None
        self.head = Head()
        self.whole: list[str] = []
        self.said = False
        self.hunk: list[str] | None = None
        self.hunk_head = ""
        self.hunk_line = 0
        self.counted = (0, 0)

    @property
    def interest(self) -> re.Pattern[str]:
        """In a hunk only headers and lines without a mark need a look."""
        return _EVERY if self.hunk is None else _UNMARKED

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Marked lines of a hunk."""
        if self.pending is not None:
            return self._settle(self.pending, text, line)
        self._append(text)
        return None

    def line(self, text: str, line: int) -> GiveBack | None:
        """A header, or a line without a mark."""
        if self.pending is not None:
            return self._settle(self.pending, text, line)
        if self.fence is not None and self.fence.closes(text):
            return self._leave(text, line)
        plain = text.rstrip("\n")
        if text.startswith("--- "):
            self.pending = (text, line)
        elif text.startswith("+++ ") and self.hunk is None:
            self.head.new = name_of(text)
        elif plain.startswith("@@"):
            self._open_hunk(plain, line)
        elif (head := git_head(plain, line)) is not None:
            self._open_file(head)
        elif not self.head.take(plain):
            return self._unmarked(text, line)
        return None

    def _settle(self, pending: tuple[str, int], text: str, line: int) -> GiveBack:
        """A ``---`` line is a header if a ``+++`` line follows; else it is a removed line, or none of ours."""
        self.pending = None
        held, number = pending
        if text.startswith("+++ "):
            fresh = self.head.git and not self.said and self.hunk is None and self.head.expects(name_of(held))
            if not fresh:
                self._open_file(Head(number))
            self.head.old = name_of(held)
            first, _, rest = text.partition("\n")
            self.head.new = name_of(first)
            return GiveBack(rest, line + 1)
        if self.hunk is None:
            self.scanner.as_text.add(number)
            return self._leave(held + text, number)
        self._append(held)
        return GiveBack(text, line)

    def _open_file(self, head: Head) -> None:
        self._flush_file()
        self.head = head

    def _open_hunk(self, plain: str, line: int) -> None:
        self._flush_hunk()
        self.hunk, self.hunk_head, self.hunk_line, self.counted = [], plain, line, (0, 0)

    def _unmarked(self, text: str, line: int) -> GiveBack | None:
        """A blank line, a line whose mark was forgotten, or the end of a diff that stands in no fence."""
        blank = not text.strip()
        if self.hunk is None and self.fence is not None and not blank and self.head == Head():
            self._open_hunk("", line)  # a diff fence that begins with changed lines
        if self.hunk is None:
            return None if blank or self.fence is not None else self._leave(text, line)
        if self.fence is None and (self._full() if blank else text[0] not in " +-\\"):
            return self._leave(text, line)
        self._append(text)
        return None

    def _append(self, text: str) -> None:
        """Add lines to the hunk and count them, as its header counts."""
        if self.hunk is not None:
            self.hunk.append(text)
            lines = "\n" + text
            size = text.count("\n")
            self.counted = self.counted[0] + size - lines.count("\n+"), self.counted[1] + size - lines.count("\n-")

    def _full(self) -> bool:
        """Whether the hunk has as many lines as its header says."""
        match = _HUNK.match(self.hunk_head)
        if match is None or match[1] is None:
            return False
        old, new = self.counted
        return old >= int(match[2] or 1) and new >= int(match[4] or 1)

    def _leave(self, text: str, line: int) -> GiveBack:
        self._flush_file()
        self.scanner.state = self.parent
        if self.fence is None:
            self.scanner.recent.clear()
        return GiveBack(text, line)

    def end(self) -> GiveBack | None:
        """The reply ends; the last hunk is taken as it is."""
        if self.pending is not None:
            return self._settle(self.pending, "", self.pending[1] + 1)
        self._leave("", 0)
        return None

    def _flush_hunk(self) -> None:
        if self.hunk is None:
            return
        text, self.hunk = "".join(self.hunk), None
        if self.head.creates or self.head.deletes:
            self.whole.append(text)
            return
        match = _HUNK.match(self.hunk_head)
        number = int(match[1]) if match is not None and match[1] is not None else 0
        scope = (match[5] or "").strip() if match is not None else ""
        hints = Hints(number or None, (scope,) if scope else (), at_end=hunks.NO_NEWLINE in text)
        found = hunks.readings(text)
        raw = (self.hunk_head + "\n" if self.hunk_head else "") + text
        self._give(Kind.EDIT, found, raw, self.hunk_line, NO_HINTS if hints == NO_HINTS else hints)

    def _flush_file(self) -> None:
        """Give what is said of the file as a whole."""
        self._flush_hunk()
        head, text = self.head, "".join(self.whole)
        changed = hunks.removed_and_added(text)
        if head.deletes:
            self._give(Kind.DELETE, (Reading(changed.search, ""),), text, head.line)
        elif head.creates:
            self._give(Kind.CREATE, (Reading("", changed.replace),), text, head.line)
        elif head.rename_to is not None and not self.said:
            self._give(Kind.RENAME, (Reading("", ""),), "", head.line)
        self.head, self.whole, self.said = Head(), [], False

    def _give(self, kind: Kind, found: tuple[Reading, ...], raw: str, line: int, hints: Hints = NO_HINTS) -> None:
        self.said = True
        path, others = self.head.path(self.place)
        block = Block(
            "udiff", kind, path, found[0].search, found[0].replace, raw=raw, line=line, path_candidates=others,
            readings=found, hints=hints, destination=self.head.rename_to, draft=self.scanner.draft,
        )  # fmt: skip
        if path is None:
            block = faults.spoil(block, faults.no_path("udiff", line))
        self.scanner.sink.counts["udiff", "start"] += 1
        self.scanner.sink.whole(block)


def render(blocks: list[Block], fence: str) -> str:
    """One diff in a fence, a header for each run of blocks of one file."""
    out: list[str] = []
    last: str | None = None
    for block in blocks:
        if block.kind is Kind.RENAME:
            names = f"rename from {block.path}\nrename to {block.destination}\n"
            out.append(f"diff --git a/{block.path} b/{block.destination}\n{names}")
            last = None
            continue
        if block.kind is Kind.REWRITE or block.inline or block.destination is not None:
            raise RenderError(f"The format udiff cannot say this block of the kind {block.kind}.")
        if block.kind is not Kind.EDIT or block.path != last:
            old = NOWHERE if block.kind is Kind.CREATE else block.path
            new = NOWHERE if block.kind is Kind.DELETE else block.path
            out.append(f"--- {old}\n+++ {new}\n")
        last = block.path if block.kind is Kind.EDIT else None
        out.append(f"{_hunk_head(block)}\n{hunks.render(block.search, block.replace)}")
    text = "".join(out)
    marks = longer_than(text, fence)
    return f"{marks}diff\n{text}{marks}\n"


def _hunk_head(block: Block) -> str:
    scope = f" {block.hints.scope[-1]}" if block.hints.scope else ""
    if block.hints.line is None:
        return f"@@ ... @@{scope}"
    old, new = block.search.count("\n"), block.replace.count("\n")
    return f"@@ -{block.hints.line},{old} +{block.hints.line},{new} @@{scope}"
