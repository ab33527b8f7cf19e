r"""The format `udiff`: unified diffs, with or without git's headers. Line numbers are hints, counts are not trusted.

Grammar (see `hunks`)::

    diff = (head hunk*)*
    head = ["diff --git" a b] extended* ["---" name "+++" name]
    name = path ["\t" time stamp]               ``/dev/null`` for a file that is not there
    hunk = "@@" ["-"n[,n] "+"n[,n]] ["@@"] [scope] line*  |  "@@" scope "@@" line*

Each hunk is a block; a file created (from ``/dev/null``) or deleted (to it) is one block. A fence without a head uses
the path in force. Outside a fence a diff ends at the first line that cannot be a hunk's, or at a blank line once the
counts are reached; everywhere it ends at a mail's signature. Malformed are: a head without a change; a hunk that the
reply's end cuts off, inside a line, or in an open fence before its counts are reached; a change that only git can make;
and a hunk without an ``@@`` line that quotes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.formats import faults
from dovetail.formats.around import Place
from dovetail.formats.diffs import git_names, hunks
from dovetail.formats.faults import Fault
from dovetail.formats.fences import outdented
from dovetail.formats.paths.forms import normalise, peeled
from dovetail.formats.scanner import EVERY, ByInterest, GiveBack
from dovetail.model.blocks import NO_HINTS, Hints, Kind, Reading
from dovetail.model.codes import Severity
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.scanner import Scanner
    from dovetail.model.diagnostics import Diagnostic

NOWHERE = "/dev/null"
_NEVER = pattern(r"\s(?:1970-01-01|1969-12-31)[ T]\d\d:")
"""The time stamp that `diff -N` writes for a missing file."""
_GIT = "diff --git "
# In a hunk: `--- a.py` (a head, or a removed line `-- a.py`), a mail's signature `-- `, and any line without a mark.
_UNMARKED = pattern(r"\n(?:--- |-- ?\n|[^ +\-])")
_SIGNATURES = ("-- ", "--")  # begins a mail's signature, and so ends a patch that git wrote for a mail
# `+x = 1`, `-x = 1`; not `- an item`, `---`, `-> x`.
_GOES_ON = pattern(r"@@ |[+-](?![-+>]|[ \t]\S)")  # no rule, no arrow, no item of a list
_HUNK_SIGNS = (" ", "+", "-")
_MOVED = pattern(r"(rename|copy) (from|to) (.+)$")
_OTHER_HEADER = pattern(
    r"(?:index [0-9a-f]|similarity index|dissimilarity index|Index: |={60,}$|diff -\w|diff --(?!git )\w|Only in .+: )"
)
# `2024-05-01 10:00:00 +0200` and svn's `(revision 12)` behind a name.
_STAMP = pattern(
    r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$"
    r"|\s+\((?:working copy|revision \d+|original|modified|updated|old|new|before|after)\)$"
)
_COPIES = Fault("The diff copies a file.", "Send the new file whole, as a diff from /dev/null.")
_BINARY = Fault("The diff is of a file that is not text.", "Put the file there by other means.")
_MODE = Fault("The diff changes nothing but the file's mode.", "Change the mode with chmod.")
_NO_CHANGE = Fault("The diff names a file and says no change.", "Write a line with @@ before the changed lines.")
_TWO_BEFORE = Fault(
    "The diff compares the file with two that were before it, as git does for a merge.",
    "Compare the file with one that was before it.",
)
_MODE_STAYS = Fault(
    "The diff also changes the file's mode, which stays as it is.",
    "Change the mode with chmod.",
    severity=Severity.WARNING,
)


@dataclass(slots=True)
class Head:
    """The head of one file's diff, filled line by line. `git`: a ``diff --git`` line opened it."""

    line: int = 0
    old: str | None = None
    new: str | None = None
    git: bool = False
    created: bool = False
    deleted: bool = False
    rename_from: str | None = None
    rename_to: str | None = None
    copied: str | None = None
    moded: bool = False
    binary: bool = False

    def take(self, text: str) -> bool:
        """Note the content of one of git's extended headers; return whether `text`, without its line end, is one."""
        if text.startswith("new file mode"):
            self.created = True
        elif text.startswith("deleted file mode"):
            self.deleted = True
        elif (match := _MOVED.match(text)) is not None:
            name = "copied" if match[1] == "copy" else f"rename_{match[2]}"
            setattr(self, name, _written_by_git(match[3]))
        elif text.startswith(("old mode ", "new mode ")):
            self.moded = True
        elif text.startswith(("Binary files ", "GIT binary patch")):
            self.binary = True
        else:
            return _OTHER_HEADER.match(text) is not None
        return True

    @property
    def named(self) -> bool:
        """True if the head names a file."""
        return self.old is not None or self.new is not None

    @property
    def creates(self) -> bool:
        """True if the diff makes the file: ``--- /dev/null``, `new file mode`, or a time stamp of 1970."""
        return self.old == NOWHERE or self.created

    @property
    def deletes(self) -> bool:
        """True if the diff deletes the file: ``+++ /dev/null``, `deleted file mode`, or a time stamp of 1970."""
        return self.new == NOWHERE or self.deleted

    def expects(self, old: str | None) -> bool:
        """Return whether a ``---`` line with this name belongs to this head; another name begins another file. One of
        the two may lack git's prefix, as models leave it off."""
        if self.old is None or old is None:
            return self.old is None
        same = old in (self.old, self.rename_from, NOWHERE)
        return same or old == self.old.partition("/")[2] or old.partition("/")[2] == self.old

    def place(self, above: Place) -> Place:
        """Return the place of the file: its likeliest path, with other spellings as candidates; `above` without a name.

        Git's ``a/`` and ``b/``, or two folders that were compared, are taken off if both names have them; the names as
        written stay candidates.
        """
        names = [name for name in (self.old, self.new) if name is not None and name != NOWHERE]
        if self.copied is not None or self.rename_from is not None:
            return Place(self.copied or self.rename_from)
        if not names:
            return above
        # `a/x.py` and `b/x.py` are x.py; `a/x.py` and `x.py` may well be a folder a. `old/x.py` and `new/x.py` are
        # x.py, too.
        plain = [name[2:] if name[:2] in ("a/", "b/") else name for name in names]
        prefixed = all(short != name for short, name in zip(plain, names, strict=True))
        below = {name.partition("/")[2] for name in names}
        if len(set(names)) == 2 and len(below) == 1 and below != {""}:
            plain, prefixed = [*below], True
        # Dicts keep their order: the likelier spelling is the path, the other a candidate that the files may prefer.
        first, *others = dict.fromkeys((*plain, *names) if prefixed else (*names, *plain))
        return Place(first, tuple(others))

    def unsaid(self) -> Diagnostic:
        """Return the diagnostic for a head without a change, or with one that only git can make."""
        fault = _COPIES if self.copied is not None else _BINARY if self.binary else _MODE if self.moded else _NO_CHANGE
        return fault.at(self.line)


def is_git_head(text: str) -> bool:
    """Return whether a line outside a diff is a ``diff --git`` head, and no sentence that begins with these words."""
    return text.startswith(_GIT) and ("/" in text or git_names.both(text[len(_GIT) :].rstrip()) is not None)


def name_of(text: str, *, git: bool = False) -> str | None:
    """Return the name on a ``---`` or ``+++`` line without time stamp and quotes, or None; `git`: git wrote it."""
    name = _STAMP.sub("", text.rstrip("\n")[4:].partition("\t")[0].strip())
    if git_names.is_quoted(name) or (git and name.startswith('"')):
        return _written_by_git(name)
    letter = name[:2] if name.startswith(("a/", "b/")) and name[2:3] in tuple("`*'\"") else ""
    return normalise(name if name == NOWHERE else letter + peeled(name[len(letter) :]).text) or None


def _written_by_git(name: str) -> str:
    """Return the name in a header that only git writes, without its quotes."""
    return normalise(git_names.unquoted(name.rstrip()))


class Udiff(ByInterest):
    """Diffs of one or several files, in a fence or not. `blank` is the indentation before each line, no part of it."""

    def __init__(self, scanner: Scanner, fence: Fence | None, blank: str = "") -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.fence = fence
        self.blank = blank
        self.place = scanner.place(fence)
        self.pending: tuple[str, int] | None = None
        self.head = Head()
        self.whole: list[str] = []
        self.has_block = False
        self.hunk: list[str] | None = None
        self.hunk_head = ""
        self.hunk_line = 0
        self.counted = (0, 0)

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """Take lines. In a hunk only headers and lines without a mark are looked at one by one."""
        indented = self.blank or (self.fence is not None and self.fence.blank)
        # Behind a margin the mark is not a line's first sign, so that the pattern cannot find it.
        self.interest = EVERY if self.hunk is None or indented else _UNMARKED
        return super().take(text, at, line)

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Take marked lines of a hunk."""
        if self.pending is not None:
            return self._settle(self.pending, text, line)
        self._append(text)
        return None

    def line(self, text: str, line: int) -> GiveBack | None:
        """Take a header, or a line without a mark."""
        if self.pending is not None:
            if self.hunk is None and not text.strip():
                self.pending = (self.pending[0] + text, self.pending[1])
                return None
            return self._settle(self.pending, text, line)
        if self.fence is not None and self.fence.closes(text):
            marked = self.hunk is not None and self.fence.is_above(text)  # its blank is the mark of a context line
            if not marked:
                return self._leave(text, line)
        plain = outdented(text, self.blank).rstrip("\n")
        is_first = self.hunk is None and self.head == Head()
        # `-- ` could also be a removed line `- `; the counts tell.
        if plain in _SIGNATURES and self.hunk is not None and self._full():
            self._flush_hunk()
        elif plain.startswith("--- ") or (plain.startswith(("+++ ", "@@")) and self.fence is None and is_first):
            # Only the next line tells whether this is a head: `--- x` in a hunk of SQL or Lua is a removed comment `--
            # x`.
            self.pending = (text, line)
        elif plain.startswith("+++ ") and self.hunk is None:
            self.head.new, self.head.line = name_of(plain, git=self.head.git), self.head.line or line
        elif plain.startswith("@@"):
            self.blank = self.blank if text.startswith(self.blank) else ""  # only the head is indented
            self._open_hunk(plain, line)
        elif plain.startswith(_GIT):
            self._flush_file()
            old, new = git_names.both(plain[len(_GIT) :].rstrip()) or ("", "")
            self.head = Head(line, normalise(old) or None, normalise(new) or None, git=True)
        elif not self.head.take(plain):
            return self._unmarked(text, line)
        return None

    def _settle(self, pending: tuple[str, int], text: str, line: int) -> GiveBack:
        """Decide what a line kept in `pending` is, by the line `text` after it.

        A ``---`` line is a header if a ``+++`` line or a hunk follows; else it is a removed line, or outside the diff.
        Outside a fence a ``+++`` line that opens a diff is a header if a hunk follows, and an ``@@`` line if the lines
        of a hunk do.
        """
        self.pending = None
        held, number = pending
        first, _, rest = text.partition("\n")
        second = outdented(first, self.blank)
        opening = outdented(held.partition("\n")[0], self.blank)
        # An `@@` line opens a hunk if it has numbers, or if the next line is not an item of a list.
        counts = hunks.stated(opening).counts
        may_head = counts is not None or first[:1] == " " or _GOES_ON.match(first) is not None
        if opening.startswith("@@") and first[:1] in _HUNK_SIGNS and may_head:
            self._open_hunk(opening, number)
            return GiveBack(held.partition("\n")[2] + text, number + 1)
        old = name_of(opening, git=self.head.git)
        if second.startswith("@@") and self.hunk is None and old:  # the other name was forgotten
            self._flush_file()
            self.head = Head(number, old) if opening.startswith("-") else Head(number, None, old)
            return GiveBack(text, line)
        if self.fence is None and self.hunk is None:
            second = second.lstrip(" \t")
        if second.startswith("+++ ") and opening.startswith("-"):
            begun = self.has_block or self.whole or self.hunk is not None
            # Git's own head has begun this file already: the names complete it. Any other pair of names is the next
            # file.
            if begun or not self.head.git or not self.head.expects(old):
                self._flush_file()
                self.head = Head(number)
            self.head.old, self.head.new = old, name_of(second, git=self.head.git)
            self.head.created = self.head.created or _NEVER.search(opening) is not None
            self.head.deleted = self.head.deleted or _NEVER.search(second) is not None
            return GiveBack(rest, line + 1)
        if self.hunk is None:
            self.scanner.tried.text.add(number)
            return self._leave(held + text, number)
        self._append(held)
        return GiveBack(text, line)

    def _open_hunk(self, plain: str, line: int) -> None:
        self._flush_hunk()
        self.hunk, self.hunk_head, self.hunk_line, self.counted = [], plain, line, (0, 0)

    def _unmarked(self, text: str, line: int) -> GiveBack | None:
        """Take a line without a mark: a blank line, a line whose mark was forgotten, or one that follows a diff outside
        a fence."""
        blank = not text.strip()
        if self.hunk is None and self.fence is not None and not blank:
            marked = outdented(text, self.blank)[0] in " +-"
            # In a fence, under a path: `+x = 1` without any head is a hunk.
            if self.head == Head() or (self.head.named and marked):  # the line @@ was forgotten
                self._open_hunk("", line)
        if self.hunk is None:
            return None if blank or self.fence is not None else self._leave(text, line)
        if self.fence is None and (self._full() if blank else outdented(text, self.blank)[0] not in " +-\\"):
            return self._leave(text, line)
        self._append(text)
        return None

    def _append(self, text: str) -> None:
        """Add lines to the hunk, and count its lines before and after the change as its header does."""
        if self.hunk is not None:
            text = outdented(text, self.blank)
            self.hunk.append(text)
            lines = "\n" + text
            # Context counts for both sides: all lines but the added are old, all but the removed are new.
            size = text.count("\n")
            self.counted = self.counted[0] + size - lines.count("\n+"), self.counted[1] + size - lines.count("\n-")

    def _full(self) -> bool:
        """Return whether the hunk has as many lines as its header says."""
        counts = hunks.stated(self.hunk_head).counts
        return counts is not None and self.counted[0] >= counts[0] and self.counted[1] >= counts[1]

    def _leave(self, text: str, line: int) -> GiveBack:
        self._flush_file()
        self.scanner.state = self.parent
        return GiveBack(text, line)

    def end(self) -> GiveBack | None:
        """Close what is open as the reply ends, and mark the diff as cut off if it may be incomplete.

        In an open fence it may, unless the counts are reached and the last line has its end. Outside of a fence it may
        if the counts are not reached and the last line has no end, or was removed while added lines are missing.
        """
        if self.pending is not None:
            return self._settle(self.pending, "", self.pending[1] + 1)
        counts, last = hunks.stated(self.hunk_head).counts, "".join(self.hunk or ()).rstrip("\n").rpartition("\n")[2]
        short = counts is not None and not self._full()
        # The counts ask for new lines behind a removed one, which is the last that has come.
        awaits_new = counts is not None and self.counted[1] < counts[1] and last.startswith("-")
        # A fence left open, and counts that are not reached or not given.
        open_end = self.fence is not None and self.hunk is not None and not self._full()
        inside = self.scanner.unended and (short or self.fence is not None)
        self._flush_file(cut_off=open_end or inside or (self.fence is None and awaits_new))
        self.scanner.state = self.parent
        return None

    def _flush_hunk(self, *, cut_off: bool = False) -> None:
        if self.hunk is None:
            return
        text, self.hunk = "".join(self.hunk), None
        # The hunks of a file that comes or goes are one block: they are kept until the file ends.
        if self.head.creates or self.head.deletes or self.head.copied:
            self.whole.append(text)
            return
        number, _, scope = hunks.stated(self.hunk_head)
        hints = Hints(number, (scope,) if scope else (), at_end=hunks.NO_NEWLINE in text)
        found = hunks.readings(text)
        fault = faults.NO_END.at(self.hunk_line, format="udiff") if cut_off else None
        if self.hunk_head.startswith("@@@ -"):
            fault = _TWO_BEFORE.at(self.hunk_line)
        if not self.hunk_head and not found[0].search.strip():
            fault = fault or faults.BARE_DIFF.at(self.hunk_line)
        raw = (self.hunk_head + "\n" if self.hunk_head else "") + text
        self._give(Kind.EDIT, found, raw, self.hunk_line, hints, fault=fault, last_end=hunks.last_end(text))

    def _flush_file(self, *, cut_off: bool = False) -> None:
        """Pass on the edit of the whole file (created, deleted, renamed, or nothing changed), and forget its head."""
        self._flush_hunk(cut_off=cut_off)
        head, text = self.head, "".join(self.whole)
        fault = faults.NO_END.at(head.line, format="udiff") if cut_off else None
        nothing = (Reading("", ""),)
        if head.copied or (head.binary and not head.deletes):
            self._give(Kind.EDIT, nothing, text, head.line, fault=head.unsaid())
        elif head.deletes:
            gone = hunks.readings(text)[0].search  # lines without a mark go, too
            self._give(Kind.DELETE, (Reading(gone, ""),), text, head.line, fault=fault)
        elif head.creates:
            ends = hunks.last_end(text)
            self._give(Kind.CREATE, (Reading("", hunks.new_text(text)),), text, head.line, fault=fault, last_end=ends)
        elif head.rename_to is not None and not self.has_block:
            self._give(Kind.RENAME, nothing, "", head.line)
        elif head.named and not self.has_block:
            self._give(Kind.EDIT, nothing, "", head.line, fault=head.unsaid())
        elif head.moded:
            self.scanner.sink.diagnose(_MODE_STAYS.at(head.line))
        self.head, self.whole, self.has_block = Head(), [], False

    def _give(
        self, kind: Kind, found: tuple[Reading, ...], raw: str, line: int, hints: Hints = NO_HINTS,
        *, fault: Diagnostic | None = None, last_end: bool | None = None,
    ) -> None:  # fmt: skip
        follows, self.has_block = self.has_block, True
        place, to = self.head.place(self.place), self.head.rename_to
        block = place.block(
            "udiff", found, raw, line, kind=kind, hints=hints, last_end=last_end, destination=to, follows=follows
        )
        if place.path is None:
            fault = fault or faults.no_path(line, "udiff")
        self.scanner.recent.clear()
        self.scanner.put_in_force(place._replace(own=True))
        self.scanner.sink.whole(block, fault)
