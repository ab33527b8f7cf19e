r"""The format `udiff`: unified diffs, with or without git's headers. Line numbers are hints, counts are not trusted.

Grammar (see `udiff_head` and `hunks`)::

    diff = (head hunk*)*
    hunk = "@@" ["-"n[,n] "+"n[,n]] ["@@"] [scope] line*  |  "@@" scope "@@" line*

Each hunk is a block; a file made (from ``/dev/null``) or deleted (to it) is one block. A fence without a head uses the
path in force. Outside a fence a diff ends at the first line that no hunk line can be, or at a blank line once the
counts are used up; so it does everywhere at a mail's signature, and at the word that a shell's ``<<'EOF'`` right above
it names. In a fence, a line that could close it is context where the hunk goes on behind it. A head that no change
follows is malformed, and a hunk that the reply's end cuts off, inside a line or in an open fence before its counts are
reached; so is what only git can do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.diffs import hunks
from dovetail.formats.diffs.udiff_head import GIT, MODE_STAYS, NOWHERE, Head, git_head, name_of, unsaid
from dovetail.formats.lines.fences import around, outdented
from dovetail.formats.scan import faults
from dovetail.formats.scan.faults import Fault
from dovetail.formats.scan.keeping import EVERY, ByInterest
from dovetail.formats.scan.place import Place
from dovetail.formats.scan.scanner import GiveBack
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, Reading

if TYPE_CHECKING:
    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.scanner import Scanner
    from dovetail.model.diagnostics import Diagnostic
    from dovetail.model.markers import Markers

_UNMARKED = re.compile(r"\n(?:--- |-- ?\n|[^ +\-])")
_HEREDOC = re.compile(r"<<-?[ \t]*([\"']?)(\w{1,40})\1")
_SIGNATURES = ("-- ", "--")  # what ends a mail, and so a patch that git wrote for one
_GOES_ON = re.compile(r"@@ |[+-](?![-+>]|[ \t]\S)")  # no rule, no arrow, no item of a list
_PLAINLY_GOES_ON = re.compile(r"@@ |[+-](?![-+>\s])")
_HUNK_SIGNS = (" ", "+", "-")
_COMBINED = re.compile(r"@{3,}(?:[ \t]*-\d+(?:,\d+)?){2}")
_TWO_BEFORE = Fault(
    "The diff compares the file with two that were before it, as git does for a merge.",
    "Compare the file with one that was before it.",
)


class Udiff(ByInterest):
    """A run of files' diffs, in a fence or not. `blank` stands before each line of it, and is not the diff's."""

    def __init__(self, scanner: Scanner, fence: Fence | None, blank: str = "") -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.fence = fence
        self.blank = blank
        self.place = scanner.place(fence)
        if self.place.path is None:
            self.place = _place_before(scanner) or self.place
        above = scanner.recent.lines(1)
        heredoc = _HEREDOC.search(above[0]) if above else None
        self.until = None if heredoc is None else heredoc[2]
        self.pending: tuple[str, int] | None = None
        self.head = Head()
        self.whole: list[str] = []
        self.said = False
        self.hunk: list[str] | None = None
        self.hunk_head = ""
        self.hunk_line = 0
        self.counted = (0, 0)
        self.held: list[str] = []
        self.held_line = 0

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """In a hunk only headers and lines without a mark need a look."""
        indented = self.blank or (self.fence is not None and self.fence.blank)
        self.interest = EVERY if self.hunk is None or self.held or indented else _UNMARKED
        return super().take(text, at, line)

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Marked lines of a hunk."""
        if self.pending is not None:
            return self._settle(self.pending, text, line)
        self._append(text)
        return None

    def line(self, text: str, line: int) -> GiveBack | None:
        """A header, or a line without a mark."""
        if self.pending is not None:
            if self.hunk is None and not text.strip():
                self.pending = (self.pending[0] + text, self.pending[1])
                return None
            return self._settle(self.pending, text, line)
        if self.held:
            return self._decide(text, line)
        if self.fence is not None and self.fence.closes(text) and not self._is_marked(text, self.fence):
            if self.hunk is None or self._full() or (text[0] in " \t" and not self.blank):
                return self._leave(text, line)
            self.held, self.held_line = [text], line
            return None
        plain = outdented(text, self.blank).rstrip("\n")
        if plain == self.until:
            return self._leave(text, line)
        if plain in _SIGNATURES and self.hunk is not None and self._full():
            self._flush_hunk()
        elif plain.startswith("--- ") or (plain.startswith(("+++ ", "@@")) and self.fence is None and self._is_first()):
            self.pending = (text, line)
        elif plain.startswith("+++ ") and self.hunk is None:
            self.head.new, self.head.line = name_of(plain, git=self.head.git), self.head.line or line
        elif plain.startswith("@@"):
            self.blank = self.blank if text.startswith(self.blank) else ""  # only the head is indented
            self._open_hunk(plain, line)
        elif plain.startswith(GIT):
            self._open_file(git_head(plain, line))
        elif not self.head.take(plain):
            return self._unmarked(text, line)
        return None

    def _is_marked(self, text: str, fence: Fence) -> bool:
        """Whether a line stands deeper than the fence, so that its blank is the mark of a context line."""
        return self.hunk is not None and fence.is_above(text)

    def _decide(self, text: str, line: int) -> GiveBack | None:
        """Behind a line that closes the fence inside a hunk: where the hunk plainly goes on, the line is its context,
        and its blank was forgotten."""
        if not text.strip():
            self.held.append(text)
            return None
        held, self.held = "".join(self.held), []
        counts, adjacent = self._counts() is not None, held.count("\n") == 1
        goes_on = _GOES_ON if counts else _PLAINLY_GOES_ON
        plain = outdented(text, self.blank)
        if (counts or adjacent) and (goes_on.match(plain) or (counts and adjacent and plain[0] == " ")):
            self._append(held)
            return self.line(text, line)
        return self._leave(held + text, self.held_line)

    def _settle(self, pending: tuple[str, int], text: str, line: int) -> GiveBack:
        """A ``---`` line is a header if a ``+++`` line or a hunk follows; else a removed line, or none of ours.

        Outside a fence a ``+++`` line that opens a diff is one if a hunk follows, and an ``@@`` line if its lines do.
        """
        self.pending = None
        held, number = pending
        first, _, rest = text.partition("\n")
        second = outdented(first, self.blank)
        opening = outdented(held.partition("\n")[0], self.blank)
        if opening.startswith("@@") and first[:1] in _HUNK_SIGNS and _may_head(opening, first):
            self._open_hunk(opening, number)
            return GiveBack(held.partition("\n")[2] + text, number + 1)
        old = name_of(opening, git=self.head.git)
        if second.startswith("@@") and self.hunk is None and old:  # the other name was forgotten
            self._open_file(Head(number, old) if opening.startswith("-") else Head(number, None, old))
            return GiveBack(text, line)
        if self.fence is None and self.hunk is None:
            second = second.lstrip(" \t")
        if second.startswith("+++ ") and opening.startswith("-"):
            begun = self.said or self.whole or self.hunk is not None
            if begun or not self.head.git or not self.head.expects(old):
                self._open_file(Head(number))
            self.head.take_names(opening, second)
            return GiveBack(rest, line + 1)
        if self.hunk is None:
            self.scanner.tried.text.add(number)
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
        if self.hunk is None and self.fence is not None and not blank and self._may_begin(text):
            self._open_hunk("", line)
        if self.hunk is None:
            return None if blank or self.fence is not None else self._leave(text, line)
        if self.fence is None and (self._full() if blank else outdented(text, self.blank)[0] not in " +-\\"):
            return self._leave(text, line)
        self._append(text)
        return None

    def _is_first(self) -> bool:
        """Whether nothing of a diff has come yet."""
        return self.hunk is None and self.head == Head()

    def _may_begin(self, text: str) -> bool:
        """Whether a hunk may begin without its line: first thing in a diff fence, or marked, behind the names."""
        return self.head == Head() or (self.head.named and outdented(text, self.blank)[0] in " +-")

    def _append(self, text: str) -> None:
        """Add lines to the hunk and count them, as its header counts."""
        if self.hunk is not None:
            text = outdented(text, self.blank)
            self.hunk.append(text)
            lines = "\n" + text
            size = text.count("\n")
            self.counted = self.counted[0] + size - lines.count("\n+"), self.counted[1] + size - lines.count("\n-")

    def _counts(self) -> tuple[int, int] | None:
        """How many lines the hunk's header says there are, before and after."""
        return hunks.stated(self.hunk_head).counts

    def _full(self) -> bool:
        """Whether the hunk has as many lines as its header says."""
        counts = self._counts()
        return counts is not None and self.counted[0] >= counts[0] and self.counted[1] >= counts[1]

    def _awaits_new(self) -> bool:
        """Whether the counts ask for new lines behind a removed one, which is the last that has come."""
        counts, lines = self._counts(), "".join(self.hunk or ()).rstrip("\n")
        return counts is not None and self.counted[1] < counts[1] and lines.rpartition("\n")[2].startswith("-")

    def _leave(self, text: str, line: int) -> GiveBack:
        self._flush_file()
        self.scanner.state = self.parent
        return GiveBack(text, line)

    def end(self) -> GiveBack | None:
        """The reply ends. In an open fence more may have been to come, unless the counts say that this is all; outside
        of one, where a last line has no end, unless they do, or where they ask for new lines in place of removed ones.
        """
        if self.pending is not None:
            return self._settle(self.pending, "", self.pending[1] + 1)
        if self.held:
            return self._leave("".join(self.held), self.held_line)
        short = self._counts() is not None and not self._full()
        open_end = self.fence is not None and self.hunk is not None and not self._full()
        inside = self.scanner.unended and (short or self.fence is not None)
        self._flush_file(cut_off=open_end or inside or (self.fence is None and self._awaits_new()))
        self.scanner.state = self.parent
        return None

    def _flush_hunk(self, *, cut_off: bool = False) -> None:
        if self.hunk is None:
            return
        text, self.hunk = "".join(self.hunk), None
        if self.head.creates or self.head.deletes or self.head.copied:
            self.whole.append(text)
            return
        number, _, scope = hunks.stated(self.hunk_head)
        hints = Hints(number, (scope,) if scope else (), at_end=hunks.NO_NEWLINE in text)
        found = hunks.readings(text)
        raw = (self.hunk_head + "\n" if self.hunk_head else "") + text
        fault = faults.NO_END.at(self.hunk_line, format="udiff") if cut_off else None
        if _COMBINED.match(self.hunk_head):
            fault = _TWO_BEFORE.at(self.hunk_line)
        self._give(Kind.EDIT, found, raw, self.hunk_line, hints, fault=fault, last_end=hunks.last_end(text))

    def _flush_file(self, *, cut_off: bool = False) -> None:
        """Give what is said of the file as a whole."""
        self._flush_hunk(cut_off=cut_off)
        head, text = self.head, "".join(self.whole)
        fault = faults.NO_END.at(head.line, format="udiff") if cut_off else None
        if head.copied or (head.binary and not head.deletes):
            self._give(Kind.EDIT, (Reading("", ""),), text, head.line, fault=unsaid(head))
        elif head.deletes:
            gone = hunks.readings(text)[0].search  # lines without a mark go, too
            self._give(Kind.DELETE, (Reading(gone, ""),), text, head.line, fault=fault)
        elif head.creates:
            ends = hunks.last_end(text)
            self._give(Kind.CREATE, (Reading("", hunks.new_text(text)),), text, head.line, fault=fault, last_end=ends)
        elif head.rename_to is not None and not self.said:
            self._give(Kind.RENAME, (Reading("", ""),), "", head.line)
        elif head.named and not self.said:
            self._give(Kind.EDIT, (Reading("", ""),), "", head.line, fault=unsaid(head))
        elif head.moded:
            self.scanner.sink.diagnose(MODE_STAYS.at(head.line))
        self.head, self.whole, self.said = Head(), [], False

    def _give(
        self, kind: Kind, found: tuple[Reading, ...], raw: str, line: int, hints: Hints = NO_HINTS,
        *, fault: Diagnostic | None = None, last_end: bool | None = None,
    ) -> None:  # fmt: skip
        self.said = True
        place, to = self.head.place(self.place), self.head.rename_to
        block = place.block("udiff", found, raw, line, kind=kind, hints=hints, last_end=last_end, destination=to)
        if place.path is None:
            fault = fault or faults.NO_PATH.at(line, format="udiff")
        self.scanner.recent.clear()
        self.scanner.sink.whole(faults.spoil(block, fault))


def _may_head(head: str, first: str) -> bool:
    """Whether an ``@@`` line outside fences may head a hunk: it has numbers, or no item of a list is below it."""
    return hunks.stated(head).counts is not None or first[0] == " " or _GOES_ON.match(first) is not None


def _place_before(scanner: Scanner) -> Place | None:
    """The place of the diff right before, in whose file a hunk goes on that nothing names a file for."""
    last = scanner.sink.last
    if last is None or last.format != "udiff" or last.draft != scanner.sink.draft or last.malformed is not None:
        return None
    return Place(last.path, last.path_candidates, mentioned=last.mentioned)


def headless(place: Place, content: str, line: int, *, cut_off: bool) -> Block | None:
    """The one hunk that a fence under its file's path holds without a head and a line ``@@``; `line` is its first.

    None where nothing is changed, or nothing quoted that could say where. One that is cut off is malformed.
    """
    found = hunks.readings(content)
    if not hunks.changes(content) or not found[0].search.strip():
        return None
    hints, last_end = Hints(at_end=hunks.NO_NEWLINE in content), hunks.last_end(content)
    block = place.block("udiff", found, content, line, hints=hints, last_end=last_end)
    return faults.spoil(block, faults.NO_END.at(line, format="udiff") if cut_off else None)


def render(blocks: list[Block], fence: str, _markers: Markers) -> str:
    """One diff in a fence, a header for each run of blocks of one file."""
    out: list[str] = []
    last: str | None = None
    for block in blocks:
        if block.kind is Kind.RENAME:
            names = f"rename from {block.path}\nrename to {block.destination}\n"
            out.append(f"diff --git a/{block.path} b/{block.destination}\n{names}")
            last = None
            continue
        if block.kind is not Kind.EDIT or block.path != last:
            old = NOWHERE if block.kind is Kind.CREATE else f"a/{block.path}"
            new = NOWHERE if block.kind is Kind.DELETE else f"b/{block.path}"
            out.append(f"--- {old}\n+++ {new}\n")
        last = block.path if block.kind is Kind.EDIT else None
        out.append(f"{_hunk_head(block)}\n{hunks.render(block.search, block.replace, block.last_end)}")
    return around("".join(out), fence, "diff")


def _hunk_head(block: Block) -> str:
    scope = f" {block.hints.scope[-1]}" if block.hints.scope else ""
    if block.hints.line is None:
        return f"@@{scope} @@"
    old, new = block.search.count("\n"), block.replace.count("\n")
    return f"@@ -{block.hints.line},{old} +{block.hints.line},{new} @@{scope}"
