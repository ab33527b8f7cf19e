r"""The format `apply-patch`: file sections with chunks of context, removed and added lines, and no line numbers.

Grammar::

    patch   = ["*** Begin Patch" ["*** Environment ID:" id]] section* ["*** End Patch"]
    section = "*** Add File:" path added*  |  "*** Delete File:" path
            | "*** Update File:" path ["*** Move to:" path] chunk*
    chunk   = ("@@" [scope] | unified head)* line* ["*** End of File"]       unified head: see `hunks`

Each chunk is a block; several ``@@`` lines in a row stack their scopes, outermost first. Headers may be indented, but
inside a chunk one that is indented deeper than all headers above is a line of the file. A chunk that only adds, and
names no scope, goes to the end of the file, as the format says; with a scope it is malformed, as appliers of the format
do not agree on its place. So is one whose only old lines are blank: it could mean any blank line of the file. The head
of a unified diff that names the section's file again is dropped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import faults
from dovetail.formats.around import Place
from dovetail.formats.diffs import hunks
from dovetail.formats.diffs.udiff import NOWHERE, name_of
from dovetail.formats.faults import Fault
from dovetail.formats.fences import outdented
from dovetail.formats.paths.forms import normalise
from dovetail.formats.scanner import EVERY, ByInterest, GiveBack
from dovetail.model.blocks import NO_HINTS, Hints, Kind, Reading
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.scanner import Scanner
    from dovetail.model.diagnostics import Diagnostic

# `*** Update File: a.py`, `***Update File: a.py`, `*** End Patch ***`, `*** Add File: a.py:`. Not `***bold***`, whose
# stars end the line, too.
_HEAD = pattern(
    r"[ \t]*\*{3}(?: |(?![^\n]*\*[ \t]*$))(?:(Begin Patch|End Patch|End of File)|(Add|Update|Delete) File:[ \t]*(.+?)"
    r"|(Move) to:[ \t]*(.+?)|(\w+ File):.*?|(Environment) ID:.*?)(?:[ \t]+\*{3}|[:.])?[ \t]*\n?$",
    re.IGNORECASE,
)
# `--- a/x.py` and `+++ b/x.py`, perhaps below git's lines: models mix the two formats.
_UNIFIED = pattern(r"\s*(?:(?:diff --git|index|new file mode) .*\n)*(--- .*)\n(\+\+\+ .*)\n")
# `@@` or `@@ -0,0 +1,12 @@` above the lines of a new file.
_NEW_HUNK = pattern(r"\s*@@(?:[ \t]*@@|[ \t]+-0,0 \+1(?:,\d{1,9})? @@.*)?[ \t]*\n")
_LINES = pattern(r"\n(?:[ \t]*\*{3} |[^ +\-\t])")
_MARKS = (" ", "+", "-", "\t", "@@")
_SECTIONS = "Write *** Add File:, *** Update File: or *** Delete File:, then the path."
_NOTHING = Fault("The patch has no section that names a file.", _SECTIONS)
_UNKNOWN = Fault("The patch has a section that does not exist: {text!r}.", _SECTIONS)
_NO_SECTION = Fault("The patch has lines that belong to no section.", "Write *** Update File: and the path above them.")
_NO_CONTEXT = Fault(
    "The chunk {where} and quotes none of the file's.", "Quote the lines before or behind the new ones as context."
)
_EMPTY = Fault(
    "The patch updates {path} and says no change.",
    "Write at least one chunk with removed or added lines, or leave the file out of the patch.",
)


def is_patch_head(text: str) -> bool:
    """Return whether a line begins a patch or one of its sections."""
    match = _HEAD.match(text)
    return match is not None and (bool(match[2]) or (match[1] or "").lower() == "begin patch")


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _before_all_signs(text: str) -> str:
    """Return the blanks before the plus signs, if each line has a plus with the same blanks before it; else ""."""
    if text[:1] == "+":  # as usual: the first line has none
        return ""
    before = {line[: _depth(line)] if line.lstrip()[:1] == "+" else "" for line in text.split("\n") if line.strip()}
    return before.pop() if len(before) == 1 else ""


class ApplyPatch(ByInterest):
    """One patch. `blank` is the indentation before each of its lines, which is no part of them."""

    def __init__(self, scanner: Scanner, fence: Fence | None, blank: str = "") -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.fence = fence
        self.blank = blank
        self.interest = EVERY if blank or (fence is not None and fence.blank) else _LINES
        self.begun = False
        self.begun_line = 0
        self.any = False
        self.verb = ""
        self.path = ""
        self.move: str | None = None
        self.section_line = 0
        self.depth = 0
        self.hunk_count = 0
        self._fresh(0)

    def _fresh(self, line: int) -> None:
        self.scopes: list[str] = []
        self.number: int | None = None
        self.lines: list[str] = []
        self.opened = False
        self.chunk_line = line

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """Take lines that have a mark."""
        self.lines.append(text)
        return None

    def line(self, text: str, line: int) -> GiveBack | None:
        """Take a header, a scope, the fence's end, or a line without a mark."""
        match = _HEAD.match(text)
        # A line like a header that stands deeper than those above is a line of the file.
        context = self.verb == "update" and (self.opened or bool(self.lines)) and _depth(text) > self.depth
        if match is not None and not context:
            return self._on_head(match, text, line)
        if self.fence is not None and self.fence.closes(text):
            self._take_off_end()
            self._flush_section()
            return self._leave(text, line)
        # A mark at the margin: only the head is indented, so nothing is taken off the lines.
        if self.fence is None and text[:1] in ("+", "-", "@"):
            self.blank = ""  # only the head is indented
        text = outdented(text, self.blank)
        if text.startswith("@@") and self.verb == "update":
            if "".join(self.lines).strip():
                self._flush_chunk()
            # `@@ class A` and `@@ def f` in a row are one chunk, in f of A; blank lines between them are dropped.
            if self.scopes:
                self.lines.clear()
            else:
                self._fresh(line)
            self.opened = True
            # Behind the signs stands a scope, or a unified diff's numbers, which are a hint.
            header = hunks.stated(text.rstrip("\n"))
            if header.counts is not None:
                self.number, scope = header.line, header.scope
            else:
                scope = text.rstrip("\n")[2:].removesuffix("@@").strip()
            self.scopes += [scope] if scope else []
        elif not self.begun and self.fence is None and text.strip() and not text.startswith(_MARKS):
            self._flush_section()
            return self._leave(text, line)
        else:
            self.lines.append(text)
        return None

    def _take_off_end(self) -> bool:
        """Take ``*** End Patch`` off the lines of the chunk, if it is the last of them; return whether it was."""
        while self.lines and not self.lines[-1].strip():
            self.lines.pop()
        text, _, last = "".join(self.lines).rstrip("\n").rpartition("\n")
        match = _HEAD.match(last)
        if match is None or (match[1] or "").lower() != "end patch":
            return False
        self.lines = [text + "\n"]
        return True

    def _on_head(self, match: re.Match[str], text: str, line: int) -> GiveBack | None:
        self.depth = max(self.depth, _depth(text))
        fixed, verb, path, _, move, unknown, environment = match.groups()
        if fixed:
            return self._on_fixed(fixed.lower(), line)
        if environment:
            self._flush_section()  # names where the patch is run, and no file
        elif move:
            self.move = normalise(move)
        elif unknown:
            self._flush_section()
            self._spoiled(_UNKNOWN.at(line, text=text.strip()))
        else:
            self._flush_section()
            self.verb, self.path, self.section_line = verb.lower(), normalise(path), line
            self.move, self.hunk_count = None, 0
        self._fresh(line + 1)
        return None

    def _on_fixed(self, word: str, line: int) -> GiveBack | None:
        match word:
            case "begin patch":
                self._flush_section()
                # From here a line without a mark is context; before, outside a fence, it ends the patch.
                self.begun, self.begun_line = True, line
                self._fresh(line + 1)
            case "end patch":
                self._flush_section()
                if not self.any:
                    self._spoiled(_NOTHING.at(self.begun_line or line))
                return self._leave("", line + 1)
            case _:
                self._flush_chunk(at_end=True)
        return None

    def _leave(self, text: str, line: int) -> GiveBack:
        self.scanner.state = self.parent
        self.scanner.recent.clear()
        return GiveBack(text, line)

    def end(self) -> GiveBack | None:
        """The reply ends inside the patch: it is cut off if it has begun and has no end line, or its fence is open."""
        ended = self._take_off_end()
        self._flush_section(cut_off=not ended and (self.begun or self.fence is not None))
        if self.begun and not self.any:
            self._spoiled(faults.NO_END.at(self.begun_line, format="apply-patch"))
        self.scanner.state = self.parent
        return None

    def _flush_chunk(self, *, at_end: bool = False, cut_off: bool = False) -> None:
        text = "".join(self.lines)
        scopes, number, line = tuple(self.scopes), self.number, self.chunk_line
        self._fresh(line + text.count("\n"))
        if not self.verb and text.strip():
            self._spoiled(_NO_SECTION.at(line))
        text = text if scopes or self.hunk_count else self._without_head(text)
        if not text.strip("\n") or self.verb != "update":
            return
        found = hunks.readings(text)
        # No old line and no scope: this format appends at the file's end.
        end = at_end or (not found[0].search and not scopes)
        # With numbers the scope is git's, and only says what stands above; without them it says what the place is in.
        within = bool(scopes) and number is None
        hints = Hints(number, scopes, within=within, at_end=end) if scopes or end or number else NO_HINTS
        fault = faults.NO_END.at(line, format="apply-patch") if cut_off else None
        if not at_end and not found[0].search.strip() and (scopes or found[0].search):
            where = f"adds lines under {scopes[-1]!r}" if scopes else "has blank lines for context"
            fault = fault or _NO_CONTEXT.at(line, where=where)
        self._give(Kind.EDIT, found, text, line, hints, fault)

    def _without_head(self, text: str) -> str:
        """Return a section's lines without a unified diff's head before them, if that names the section's file."""
        head = _UNIFIED.match(text)
        # Removed and added lines that look like a head (`--- x`) belong to the file, if the names are not the
        # section's.
        names = {name_of(head[1]), name_of(head[2])} - {NOWHERE} if head is not None else {None}
        own = {f"{prefix}{path}" for path in (self.path, self.move) if path for prefix in ("", "a/", "b/")}
        if head is None or not names <= own:
            return text
        return text[head.end() :]

    def _flush_section(self, *, cut_off: bool = False) -> None:
        if self.verb == "update":
            self._flush_chunk(cut_off=cut_off)
            if not self.hunk_count:
                kind = Kind.RENAME if self.move else Kind.EDIT
                fault = _EMPTY.at(self.section_line, path=self.path) if not self.move else None
                self._give(kind, (Reading("", ""),), "", self.section_line, fault=fault)
        elif self.verb == "add":
            text = self._without_head("".join(self.lines))
            hunk = _NEW_HUNK.match(text)
            text = text if hunk is None else text[hunk.end() :]
            text = outdented(text, _before_all_signs(text))
            content = hunks.without_margin("".join(line.removeprefix("+") + "\n" for line in text.split("\n")[:-1]))
            fault = faults.NO_END.at(self.section_line, format="apply-patch") if cut_off else None
            self._give(Kind.CREATE, (Reading("", content),), text, self.section_line, fault=fault)
        elif self.verb == "delete":
            self._give(Kind.DELETE, (Reading("", ""),), "", self.section_line)
        else:
            self._flush_chunk()
        self.verb = ""

    def _give(
        self, kind: Kind, found: tuple[Reading, ...], raw: str, line: int, hints: Hints = NO_HINTS,
        fault: Diagnostic | None = None,
    ) -> None:  # fmt: skip
        self.hunk_count += 1
        self.any = True
        place, follows = Place(self.path or None), self.hunk_count > 1
        block = place.block(
            "apply-patch", found, raw, line, kind=kind, hints=hints, destination=self.move, follows=follows
        )
        self.scanner.sink.whole(block, fault)

    def _spoiled(self, fault: Diagnostic) -> None:
        """Add a malformed block for text that has the marks of a patch and is no edit."""
        self.path, self.move = "", None
        self._give(Kind.EDIT, (Reading("", ""),), "", fault.line or 1, fault=fault)
