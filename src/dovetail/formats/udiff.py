r"""The format `udiff`: unified diffs, with or without git's headers. Line numbers are hints, counts are not trusted.

Grammar::

    file   = ["diff --git" …] git* ["---" old "+++" new] hunk*
    git    = "new file mode" | "deleted file mode" | "rename from" p | "rename to" p | "index" … | …
    hunk   = "@@" ["-"n[,n] "+"n[,n]] ["@@"] [scope] line*

Each hunk is a block; a file made (from ``/dev/null``) or deleted (to it) is one block. Outside a fence a diff ends at
the first line that no hunk line can be, or at a blank line once the counts are used up.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import faults, hunks
from dovetail.formats.paths import normalise, undecorate
from dovetail.formats.scanner import GiveBack
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, Reading
from dovetail.model.errors import RenderError

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.scanner import Scanner

NOWHERE = "/dev/null"
_OUTSIDE = re.compile(r"\n")
_INSIDE = re.compile(r"\n(?:--- |[^ +\-])")
_HUNK = re.compile(
    r"@@+(?:[ \t]*-(\d{1,9})(?:,(\d{1,9}))?[ \t]+\+(\d{1,9})(?:,(\d{1,9}))?)?[^@\n]*?(?:@@+[ \t]*(.*))?$"
)
_GIT = re.compile(r"diff --git (\"?a/.+?\"?) (\"?b/.+?\"?)$")
_GIT_LINE = re.compile(
    r"(?:index |new file|deleted file|old mode|new mode|similarity|dissimilarity|copy |Binary files|GIT binary|Index:|={60,})"
)


class Udiff:
    """A run of files' diffs, in a fence or not."""

    def __init__(self, scanner: Scanner, fence: Fence | None) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.fence = fence
        self.place = scanner.place(fence)
        self.interest = _OUTSIDE
        self.pending: tuple[str, int] | None = None
        self.seen = False
        self._new_file(None, None)

    def _new_file(self, old: str | None, new: str | None) -> None:
        self.old, self.new = old, new
        self.git: dict[str, str] = {}
        self.hunk: list[str] | None = None
        self.head = ""
        self.head_line = 0
        self.whole: list[str] = []
        self.whole_line = 0

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Lines of a hunk; a removed line may look like a file's header, so the last one is kept back for a look."""
        back = self._settle(text, line)
        if back is not None:
            return back
        if self.hunk is not None:
            self.hunk.append(text)
        return None

    def _settle(self, text: str, line: int) -> GiveBack | None:
        """Decide about a ``---`` line now that the next one is known."""
        if self.pending is None:
            return None
        held, number = self.pending
        self.pending = None
        if text.startswith("+++ "):
            self._flush_file()
            self._new_file(_name(held), None)
            self.seen = True
            self.head_line = number
            return GiveBack(text, line)
        if self.hunk is not None:
            self.hunk.append(held)
            return None
        self.scanner.as_text.add(number)
        return self._leave(held + text, number)

    def line(self, text: str, line: int) -> GiveBack | None:
        """Any header, or a line that no hunk line can be."""
        if self.pending is not None:
            back = self._settle(text, line)
            if back is not None:
                return back
        if self.fence is not None and self.fence.closes(text):
            self._flush_file()
            return self._leave(text, line)
        plain = text.rstrip("\n")
        if text.startswith("--- ") and not text.startswith("--- a\n"):
            self.pending = (text, line)
        elif text.startswith("+++ ") and self.hunk is None:
            self.new = _name(text)
        elif plain.startswith("@@"):
            self._flush_hunk()
            self.hunk, self.head, self.head_line, self.seen = [], plain, line, True
            self.interest = _INSIDE
        elif match := _GIT.match(plain):
            self._flush_file()
            self._new_file(_name("--- " + match[1]), _name("+++ " + match[2]))
            self.git["git"], self.head_line, self.seen = "", line, True
            self.interest = _OUTSIDE
        elif plain.startswith(("rename from ", "rename to ")):
            self.git[plain[: plain.index(" ", 7)]] = normalise(plain.split(" ", 2)[2])
        elif _GIT_LINE.match(plain):
            self.git[plain.split(" ", 1)[0].lower()] = plain
        else:
            return self._other(text, line)
        return None

    def _other(self, text: str, line: int) -> GiveBack | None:
        """Blank lines, lines without their mark, the end of a diff that stands in no fence."""
        blank = not text.strip()
        if self.hunk is None and self.fence is not None and not blank and not self.seen:
            self.hunk, self.head, self.head_line = [], "", line
            self.interest = _INSIDE
        if self.hunk is None:
            if blank or self.fence is not None:
                return None
            self._flush_file()
            return self._leave(text, line)
        if self.fence is None and (self._full() if blank else text[0] not in " +-\\"):
            self._flush_file()
            return self._leave(text, line)
        self.hunk.append(text)
        return None

    def _full(self) -> bool:
        """Whether the hunk has as many lines as its header says."""
        match = _HUNK.match(self.head)
        if match is None or match[1] is None:
            return False
        lines = "".join(self.hunk or ()).split("\n")[:-1]
        old = sum(1 for line in lines if line[:1] in (" ", "-", ""))
        new = sum(1 for line in lines if line[:1] in (" ", "+", ""))
        return old >= int(match[2] or 1) and new >= int(match[4] or 1)

    def _leave(self, text: str, line: int) -> GiveBack:
        self.scanner.state = self.parent
        if self.fence is None:
            self.scanner.recent.clear()
        return GiveBack(text, line)

    def end(self) -> GiveBack | None:
        """The reply ends; the last hunk is taken as it is."""
        if self.pending is not None:
            back = self._settle("", self.pending[1] + 1)
            if back is not None:
                return back
        self._flush_file()
        self.scanner.state = self.parent
        return None

    def _flush_hunk(self) -> None:
        if self.hunk is None:
            return
        text, self.hunk = "".join(self.hunk), None
        if NOWHERE in (self.old, self.new):
            self.whole_line = self.whole_line or self.head_line
            self.whole.append(text)
            return
        self._emit_hunk(text)

    def _emit_hunk(self, text: str) -> None:
        match = _HUNK.match(self.head)
        number = int(match[1]) if match and match[1] else None
        scope = (match[5] or "").strip() if match else ""
        hints = Hints(line=number or None, scope=(scope,) if scope else (), at_end=hunks.NO_NEWLINE in text)
        found = hunks.readings(text)
        block = self._block(Kind.EDIT, found[0], text, self.head_line)
        self._give(block, found, NO_HINTS if hints == NO_HINTS else hints)

    def _flush_file(self) -> None:
        """What is said about the file as a whole."""
        self._flush_hunk()
        self.interest = _OUTSIDE
        text = "".join(self.whole)
        reading = hunks.removed_and_added(text)
        line = self.whole_line or self.head_line
        if self.new == NOWHERE or "deleted" in self.git:
            self._give(self._block(Kind.DELETE, Reading(reading.search, ""), text, line))
        elif self.old == NOWHERE or ("new" in self.git and "git" in self.git and not self._said):
            self._give(self._block(Kind.CREATE, Reading("", reading.replace), text, line))
        elif "rename to" in self.git and not self._said:
            self._give(self._block(Kind.RENAME, Reading("", ""), "", line))
        self._new_file(None, None)
        self._said = False

    _said = False

    def _block(self, kind: Kind, reading: Reading, text: str, line: int) -> Block:
        path, others = self._path()
        raw = (self.head + "\n" if self.head else "") + text
        return Block(
            "udiff", kind, path, reading.search, reading.replace, raw=raw, line=line, path_candidates=others,
            destination=self.git.get("rename to"), draft=self.scanner.draft,
        )  # fmt: skip

    def _give(self, block: Block, found: tuple[Reading, ...] = (), hints: Hints = NO_HINTS) -> None:
        from dataclasses import replace

        self._said = True
        if found:
            block = replace(block, readings=found, hints=hints)
        if block.path is None:
            block = faults.spoil(block, faults.no_path("udiff", block.line))
        self.scanner.sink.counts["udiff", "start"] += 1
        self.scanner.sink.whole(block)

    def _path(self) -> tuple[str | None, tuple[str, ...]]:
        """The path and its other spellings: without git's ``a/`` and ``b/`` where both sides have them."""
        names = [n for n in (self.old, self.new) if n is not None and n != NOWHERE]
        if "rename from" in self.git:
            return self.git["rename from"], tuple(names)
        if not names:
            return self.place.path, self.place.candidates
        stripped = [
            n[2:] if n[:2] == side else n
            for n, side in zip(
                names,
                ("a/", "b/") if len(names) == 2 else (names[0][:2] if names[0][:2] in ("a/", "b/") else "a/",),
                strict=True,
            )
        ]
        both = len(names) == 1 or (stripped[0] != names[0] and stripped[1] != names[1])
        ordered = [*stripped, *names] if both else [*names, *stripped]
        return ordered[0], tuple(dict.fromkeys(p for p in ordered[1:] if p != ordered[0]))


def _name(line: str) -> str | None:
    """The name on a ``---`` or ``+++`` line: without time stamps and quotes."""
    text = line.rstrip("\n")[4:].partition("\t")[0].strip()
    text = re.sub(r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$|\s+\(.*\)$", "", text)
    return normalise(undecorate(text)) if text else None


def render(blocks: list[Block], fence: str) -> str:
    """One diff in a fence, a header for each run of blocks of one file."""
    from dovetail.formats.fences import longer_than

    out: list[str] = []
    last: str | None = None
    for block in blocks:
        old = NOWHERE if block.kind is Kind.CREATE else block.path
        new = NOWHERE if block.kind is Kind.DELETE else block.path
        if block.kind is Kind.REWRITE or block.inline or (block.destination and block.kind is not Kind.RENAME):
            raise RenderError(f"The format udiff cannot say this block of the kind {block.kind}.")
        if block.kind is Kind.RENAME:
            out.append(
                f"diff --git a/{block.path} b/{block.destination}\nrename from {block.path}\nrename to {block.destination}\n"
            )
            last = None
            continue
        if block.kind is not Kind.EDIT or block.path != last:
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
