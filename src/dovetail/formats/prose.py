"""The outermost machine: everything between blocks. Finds where fences, blocks, tags and reasoning sections begin.

Grammar::

    reply      = (text | fence | block | reasoning)*
    reasoning  = opening (text | fence | block)* (closing | the reply's end)      tags as in `reasoning`
               | (text | fence | block)* closing          the reply's beginning, where blocks follow
               | frame (text | fence | block)* frame

A reasoning tag counts only here, that is outside blocks. An opening one counts only at the start of a line, so that a
sentence about the tag does not hide what follows it. What stands behind a tag on its line is read as a line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.lines import lookalike, reasoning, shell, tokens
from dovetail.formats.lines.fences import opening
from dovetail.formats.lines.paths import Form, in_line
from dovetail.formats.listings import quoted
from dovetail.formats.listings.fenced import open_fence
from dovetail.formats.marked import misspelt
from dovetail.formats.openers import is_wanted, open_block, open_head
from dovetail.formats.scan import faults
from dovetail.formats.scan.keeping import ByInterest
from dovetail.formats.scan.place import MOST_SINCE, UNNAMED, Place, is_section
from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.calls.token_call import TokenCall
    from dovetail.formats.scan.scanner import Scanner, State

_SIGNS = ("<", "THINK]", "TOOL_CALLS]", "◁", "► **", "hinking.")  # each tag has one of them
_LINE_END = re.compile(r"[ \t]*(?:\n|$)")
MOST_AHEAD = 400
"""What begins something shows it before so many characters of its line."""
_ARTIFACTS = r"<boltA(?:rtifact|ction)\b|</bolt(?:Artifact|Action)>"
_TAG = re.compile(rf"{_ARTIFACTS}|{tokens.CALL}|{tokens.TAGGED}|{reasoning.TAG}", re.IGNORECASE)
_BEGINS = re.compile(rf"(?P<artifact>{_ARTIFACTS})|{tokens.CALL}", re.IGNORECASE)
"""A tag that begins a machine; the others are of reasoning."""
_TAGGED = re.compile(tokens.TAGGED, re.IGNORECASE)
_LABEL = re.compile(rf"[ \t]*(?:{tokens.LABEL}|{tokens.PYTHON})")


class Prose(ByInterest):
    """Text outside fences and blocks. `divided`: a line like a divider may have come since an end was looked at."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.interest = scanner.grammar.prose
        self.divided = False

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Text without a marker at the start of a line; tags may stand anywhere in it."""
        at, number = 0, line
        for match in _TAG.finditer(text) if any(map(text.__contains__, _SIGNS)) else ():
            start, first = match.start(), _begins_line(text, at, match.start())
            if text[start - 1 : start] == "`" or not self._counts(match, first=first):
                continue
            tag, before = match[0], text[at:start]
            self.plain(before, number)
            number += before.count("\n")
            at = match.end()
            if _TAGGED.match(text, start) is not None:
                return GiveBack(text[start:], number)
            if _BEGINS.match(text, start) is None:
                self._reasoning(tag, number, alone=first and _LINE_END.match(text, at) is not None)
                if self.interest.match(f"\n{text[at : at + MOST_AHEAD]}"):
                    return GiveBack(text[at:], number)
            elif (begun := self._begun(tag, number)) is not None:
                self.scanner.state = begun
                return GiveBack(text[start:], number)
            else:
                self.plain(tag, number)
        self.plain(text[at:], number)
        return None

    def plain(self, text: str, line: int) -> None:
        """Text and nothing else."""
        if not text:
            return
        scanner = self.scanner
        scanner.recent.add(text)
        scanner.since.add(text)
        scanner.begun = scanner.begun or (not scanner.sink.draft and not text.isspace())
        self.divided = self.divided or "===" in text or "═══" in text
        scanner.notes.look(text, line)
        at = 0
        if "`" in text:
            for suggestion, stop in shell.in_prose(text, line):
                scanner.sink.text(text[at:stop], line)
                scanner.sink.suggest(suggestion)
                line += text.count("\n", at, stop)
                at = stop
        scanner.sink.text(text[at:], line)

    def line(self, text: str, line: int) -> GiveBack | None:
        """A line that may begin something."""
        scanner = self.scanner
        head = text.lstrip(" \t")[:1]
        if line in scanner.tried.text:
            self.plain(text, line)
            return None
        if scanner.wrapper is not None and scanner.wrapper.closes(text):
            scanner.wrapper = None
            scanner.sink.text(text, line)
            return None
        if (fence := opening(text, scanner.grammar.markers.fences)) is not None:
            open_fence(scanner, fence, text, line)
            return None
        if (start := scanner.grammar.start(text)) is not None and is_wanted(scanner, start):
            open_block(scanner, start, text, line)
            return None
        if head == ">" and quoted.begins(scanner, text, line):
            scanner.state = quoted.Quoted(scanner, line)
            return scanner.state.bulk(text, line)
        if misspelt.begins(scanner, text):
            scanner.state = misspelt.Misspelt(scanner, line)
            return scanner.state.line(text, line)
        if head == '"':
            from dovetail.formats.calls import json_call

            if json_call.in_string(scanner, text, line):
                return None
        if head == "#":
            self._heading(text)
        elif scanner.grammar.is_end(text) or lookalike.looks_like_end(text):
            self._on_stray_end(text, line)
        elif _LABEL.match(text) and "tool-call" in scanner.wanted and line >= scanner.tried.json_from:
            scanner.state = self._call("", line)
            return scanner.state.line(text, line)
        elif (begun := open_head(scanner, head, text, line)) is not None:
            return begun.line(text, line)
        return self.bulk(text, line)

    def end(self) -> GiveBack | None:
        """Nothing is open here."""
        return None

    def _on_stray_end(self, text: str, line: int) -> None:
        """An end marker where no block is open: of one that has no start, or of nothing."""
        scanner = self.scanner
        above = scanner.since.lines(MOST_SINCE) if self.divided else []
        self.divided = False
        lines = "".join(f"{one}\n" for one in above) + text
        if above and misspelt.without_start(scanner, lines, line - len(above), None):
            scanner.recent.clear()
        elif scanner.grammar.is_end(text):
            scanner.sink.diagnose(faults.STRAY.at(line, marker=text.strip()))

    def _heading(self, text: str) -> None:
        """A heading that names a file puts it in force until the next one."""
        scanner = self.scanner
        if scanner.sink.draft:
            return
        found = [c for c in in_line(text) if c.form is Form.STRONG]
        level = len(text.lstrip()) - len(text.lstrip().lstrip("#"))
        if is_section(text) and found:
            others = tuple(c.path for c in in_line(text) if c.path != found[0].path)
            scanner.force = Place(found[0].path, others, "sections", section=level)
        elif level <= scanner.force.section:
            scanner.force = UNNAMED

    def _counts(self, match: re.Match[str], *, first: bool) -> bool:
        """Whether the tag there is one: none that closes an artifact; one that opens reasoning if it is `first` in its
        line, and a call's if it is not, since a line that begins with it has been tried."""
        begins = _BEGINS.match(match.string, match.start())
        if begins is not None and begins["artifact"]:
            return match[0][1] != "/" and "artifact" in self.scanner.wanted
        if begins is not None:
            return "tool-call" in self.scanner.wanted
        if _TAGGED.match(match.string, match.start()) is None:
            return first or not reasoning.opens(match[0])
        return not first and "tool-call" in self.scanner.wanted and self._ends(match)

    def _ends(self, match: re.Match[str]) -> bool:
        """Whether the call in tags that begins there has an end, as far as is known."""
        from dovetail.formats.calls import xml_call

        text, start = match.string, match.start()
        return xml_call.opening(self.scanner, text[start : text.find("\n", start) + 1]) is not None

    def _begun(self, tag: str, line: int) -> State | None:
        """The machine that a tag begins; no call where one was tried and the line was given back for good."""
        if tag[1:5].lower() == "bolt":
            from dovetail.formats.calls.artifact import Artifact

            return Artifact(self.scanner)
        tried = line < self.scanner.tried.json_from or line in self.scanner.tried.text
        return None if tried else self._call(tag, line)

    def _call(self, tag: str, line: int) -> TokenCall:
        """A call between tokens begins. A message of its own ends the one before, and reasoning with it."""
        from dovetail.formats.calls.token_call import TokenCall

        self.scanner.sink.draft &= not tag.startswith(("<|start", "<|channel"))
        return TokenCall(self, line)

    def _reasoning(self, tag: str, line: int, *, alone: bool) -> None:
        """A section begins or ends; what was above it names no path any more.

        Some models are given the opening tag, and write the closing one alone.
        """
        scanner = self.scanner
        scanner.recent.clear()
        scanner.since.clear()
        scanner.sink.text(tag, line)
        if (opens := reasoning.frames(tag)) is not None:
            scanner.sink.frame(opens=opens, shown=not tag.startswith("<"))
            return
        if not (reasoning.opens(tag) or reasoning.splits(tag) or scanner.sink.draft) and scanner.sink.blocks:
            surely = (alone or not tag.startswith("</")) and not scanner.inner
            scanner.sink.drafted = len(scanner.sink.blocks) if surely else scanner.sink.drafted
            drafts = "where edits follow, those above are drafts" if surely else "the edits above it may be drafts"
            scanner.sink.diagnose(faults.DRAFT_END.at(line, drafts=drafts))
        scanner.sink.draft = reasoning.opens(tag)


def _begins_line(text: str, first: int, at: int) -> bool:
    """Whether nothing but blanks stands between `at` and the line's start, or the offset `first` if that is nearer."""
    return not text[max(first, text.rfind("\n", first, at) + 1) : at].strip(" \t")
