"""The outermost machine: everything between blocks. Finds where fences, blocks, tags and reasoning sections begin.

Grammar::

    reply      = (text | fence | block | reasoning)*
    reasoning  = opening (text | fence | block)* (closing | the reply's end)      tags as in `reasoning`
               | (text | fence | block)* closing          the reply's beginning, where blocks follow

A reasoning tag counts only here, that is, outside blocks. An opening one counts only at the start of a line, so that a
sentence about the tag does not hide what follows it. Text after a tag on its line is read as a new line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import chat_tokens as tokens
from dovetail.formats import faults, reasoning, suggestions
from dovetail.formats.around import UNNAMED, Place, is_section
from dovetail.formats.calls import xml_call
from dovetail.formats.calls.artifact import Artifact
from dovetail.formats.calls.token_call import TokenCall
from dovetail.formats.fenced import Fenced
from dovetail.formats.fences import opening
from dovetail.formats.openers import on_stray_end, open_block, open_head, tell_misspelt
from dovetail.formats.paths.forms import Form, in_line
from dovetail.formats.scanner import GiveBack, TextMachine
from dovetail.formats.vocabulary import CALL_TAGS, OLD_TEXTS
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.scanner import Scanner, State

_SIGNS = ("<", "THINK]", "TOOL_CALLS]", "◁")  # each tag has one of them
_LINE_END = pattern(r"[ \t]*(?:\n|$)")
_MOST_AHEAD = 400  # characters of a line within which a match of the start of a block, a call, … must end
_ARTIFACTS = r"<boltA(?:rtifact|ction)\b|</bolt(?:Artifact|Action)>"
_TAG = pattern(rf"{_ARTIFACTS}|{tokens.CALL}|{tokens.TAGGED}|{reasoning.TAG}", re.IGNORECASE)
_KIND = pattern(rf"(?P<artifact>{_ARTIFACTS})|(?P<call>{tokens.CALL})|(?P<tagged>{tokens.TAGGED})|", re.IGNORECASE)
"""Tells the kind of a tag by its group; no group for reasoning. Apart from `_TAG`, whose search groups would slow."""
_OLD = r"old_(?:string|str|text|content|code)"
_ATTRIBUTE = r"(?:file)?path=[\"'](?P<path>[\w./-]{1,200}\.[a-z]\w{0,9})[\"']"
_ENDS = "the end of a call whose beginning is missing"
# In the order below: `edit(old_string="a"`, `- old_str: a`, `"old_string": …`, and neither `old_str == a` nor
# `f(old_str=old, …)`; `<file path="src/a.py">` alone on its line; `</invoke>` alone on its line; `…</old_text>` at a
# line's end; and the forms of single programs, which name themselves.
_UNREAD = (
    (
        "old_",
        pattern(
            rf"(?m)(?:^[ \t]*(?:-[ \t]+)?|[({{,][ \t]*|--){_OLD}\b(?:[ \t]*[:=]|[ \t]+[\"'$])[ \t]*(?=\S)(?!=|\w+[,)])"
            rf"|[\"'“”]{_OLD}[\"'“”](?:[ \t]*:[ \t]*[\"'“”]|>)"
        ),
        "a function call",
    ),
    (
        "path=",
        pattern(
            rf"(?mi)^[ \t]*<[a-z][\w-]{{0,39}}[ \t](?:[^<>\n]{{0,200}}[ \t_-])?{_ATTRIBUTE}[^<>\n]{{0,200}}>[ \t]*"
            r"(?:</[\w-]{1,40}>[ \t]*)?$"
        ),
        "a file's text in tags",
    ),
    (
        "</",
        pattern(rf"(?m)^[ \t]*</(?:invoke|function|parameter|(?:old|new)_\w+|{CALL_TAGS})>[ \t]*$"),
        _ENDS,
    ),
    ("</", pattern(rf"(?mi)</(?:{OLD_TEXTS})>[ \t]*$"), "an edit in tags"),
    ("<antA", pattern(r"(?m)^[ \t]*<antArtifact\b[^<>\n]{0,400}>"), "a file's text in tags"),
    (
        "<keystrokes",
        pattern(r"(?m)^[ \t]*<keystrokes\b[^<>\n]{0,80}>(?=[^\n]{0,400}(?:>|\b(?:sed -i|tee|patch|rm|mv|cp)\b))"),
        "commands of a terminal in tags",
    ),
    (
        "[Tool Use: ",
        pattern(r"(?m)^\[Tool Use: (?!apply_diff)(?=\w{0,40}(?:write|edit|insert|replace|create|patch|delete))\w+\]"),
        "a call in an exported chat",
    ),
    (
        "str_replace_editor ",
        pattern(r"(?m)^[ \t]*str_replace_editor (?:create|insert|str_replace) "),
        "a function call",
    ),
)
"""Signs of an edit in a form that nothing reads, each on one line: what the line has in it, its pattern, its name."""
_LABEL = pattern(rf"[ \t]*(?:{tokens.LABEL}|{tokens.PYTHON})")
_DIFF_LABEL = pattern(r"[ \t]*Diff:[ \t]+(?=<)")
"""The name of a call's field in an exported chat, before the start marker that its text begins with."""


class Prose(TextMachine):
    """Text outside fences and blocks."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.interest = scanner.grammar.prose

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Take text in which no line begins with a marker; tags may stand anywhere in it."""
        at, number = 0, line
        for match in _TAG.finditer(text) if any(map(text.__contains__, _SIGNS)) else ():
            start = match.start()
            kind = _KIND.match(text, start)
            # Nothing but blanks before the tag, on its line or behind the tag before it.
            first = not text[max(at, text.rfind("\n", at, start) + 1) : start].strip(" \t")
            # A tag in a code span is only mentioned.
            if text[start - 1 : start] == "`" or not self._counts(match, kind and kind.lastgroup, first=first):
                continue
            tag, before = match[0], text[at:start]
            self.plain(before, number)
            number += before.count("\n")
            at = match.end()
            if kind is not None and kind.lastgroup == "tagged":
                # `Here it is: <invoke name=…`: fed again as a line that begins with the tag, which `line` reads.
                return GiveBack(text[start:], number)
            if kind is None or kind.lastgroup is None:
                self._reasoning(tag, number, alone=first and _LINE_END.match(text, at) is not None)
                # `</think><<<<<<< SEARCH`: what stands behind the tag is a line of its own.
                if self.interest.match(f"\n{text[at : at + _MOST_AHEAD]}"):
                    return GiveBack(text[at:], number)
            elif (begun := self._begun(tag, number)) is not None:
                self.scanner.state = begun
                return GiveBack(text[start:], number)
            else:
                self.plain(tag, number)
        self.plain(text[at:], number)
        return None

    def plain(self, text: str, line: int) -> None:
        """Take text that begins nothing: note signs of edits in unknown forms, and list commands in code spans."""
        if not text:
            return
        scanner = self.scanner
        scanner.recent.add(text)
        scanner.prose.append(text)
        if scanner.notes.enabled and scanner.notes.sign is None and line >= scanner.sink.broken_to:
            found = [(m, what) for part, sign, what in _UNREAD if part in text and (m := sign.search(text))]
            if found:
                first, what = min(found, key=lambda one: one[0].start())
                number = line + text.count("\n", 0, first.start())
                path, shown = first.groupdict().get("path"), "" if what == _ENDS else first[0]
                scanner.notes.sign = scanner.notes.take(faults.UNREAD, number, path, shown, "tool-call", what=what)
        at = 0
        if "`" in text:
            for suggestion, stop in suggestions.in_prose(text, line):
                scanner.sink.text(text[at:stop], line)
                scanner.sink.suggest(suggestion)
                line += text.count("\n", at, stop)
                at = stop
        scanner.sink.text(text[at:], line)

    def line(self, text: str, line: int) -> GiveBack | None:
        """Take a line that may begin something."""
        scanner = self.scanner
        head = text.lstrip(" \t")[:1]
        # Checked first: a machine gave this line back as text, and would otherwise be begun again.
        if line in scanner.tried.text:
            self.plain(text, line)
            return None
        if (fence := opening(text, scanner.grammar.markers.fences)) is not None:
            scanner.state = Fenced(scanner, fence, text, line)
            return None
        # `Diff: <<<<<<< SEARCH`: the marker goes back as a line that begins with it.
        if (label := _DIFF_LABEL.match(text)) is not None and scanner.grammar.start(text[label.end() :]) is not None:
            self.plain(label[0], line)
            return GiveBack(text[label.end() :], line)
        # A correct marker goes before a misspelt one; both before machines that only a first character announces.
        if (start := scanner.grammar.start(text)) is not None and open_block(scanner, start, text, line):
            return None
        if head == "#":
            self._heading(text)
        elif head in "<&" and start is None and scanner.grammar.misspelt.match(text) is not None:
            tell_misspelt(scanner, text, line)
            return None
        elif head in ">+&»\U0001f7e9" and on_stray_end(scanner, text, line):
            return None
        elif _LABEL.match(text) and "tool-call" in scanner.wanted and line >= scanner.tried.json_from:
            scanner.state = self._call("", line)
            return scanner.state.line(text, line)
        elif (begun := open_head(scanner, head, text, line)) is not None:
            return begun.line(text, line)
        return self.bulk(text, line)

    def end(self) -> GiveBack | None:
        """Nothing is open here."""
        return None

    def _heading(self, text: str) -> None:
        """Put the file that a heading names in force, until the next heading that is not deeper."""
        scanner = self.scanner
        if scanner.sink.draft:
            return
        level = len(text.lstrip()) - len(text.lstrip().lstrip("#"))
        named = in_line(text) if is_section(text) else ()
        if named and named[0].form >= Form.SPACED:
            others = tuple(candidate.path for candidate in named[1:])
            scanner.force = Place(named[0].path, others, "sections", section=level)
        # `## Next` ends what `### File: a.py` put in force, `#### Details` does not. Where no heading did, `section` is
        # 0, and no level is so low.
        elif level <= scanner.force.section:
            scanner.force = UNNAMED

    def _counts(self, match: re.Match[str], kind: str | None, *, first: bool) -> bool:
        """Return whether a tag counts: not one that closes an artifact; one that opens reasoning only if it is `first`
        in its line; a call's in tags only if it is not, as a line that begins with it has been tried."""
        wanted, text, start = self.scanner.wanted, match.string, match.start()
        if kind == "artifact":
            return match[0][1] != "/" and "artifact" in wanted
        if kind == "call":
            return "tool-call" in wanted
        if kind is None:
            # A sentence may say `<think>` and would hide all edits behind it; a closing tag hides nothing below.
            return first or not reasoning.opens(match[0])
        if first or "tool-call" not in wanted:
            return False
        return xml_call.opening(self.scanner, text[start : text.find("\n", start) + 1]) is not None

    def _begun(self, tag: str, line: int) -> State | None:
        """Return the machine for an artifact's or a call's tag; None if a call was tried from this line in vain."""
        if tag[1:5].lower() == "bolt":
            return Artifact(self.scanner)
        tried = line < self.scanner.tried.json_from or line in self.scanner.tried.text
        return None if tried else self._call(tag, line)

    def _call(self, tag: str, line: int) -> TokenCall:
        """Return the machine for a call between tokens. A message to a tool ends the one before, with its reasoning."""
        self.scanner.sink.draft &= not tag.startswith(("<|start", "<|channel"))
        return TokenCall(self, line)

    def _reasoning(self, tag: str, line: int, *, alone: bool) -> None:
        """Begin or end a section of reasoning. Lines above it name no path below.

        alone: the tag is all of its line. Some models are given the opening tag, and write only the closing one.
        """
        scanner = self.scanner
        scanner.recent.clear()
        scanner.sink.text(tag, line)
        if not (reasoning.opens(tag) or reasoning.splits(tag) or scanner.sink.draft):
            # `</think>` inside a line may be quoted; `[/THINK]` and its like are written only by templates.
            surely = (alone or not tag.startswith("</")) and not scanner.inner
            if surely:
                scanner.sink.drafted, scanner.sink.drafted_to = len(scanner.sink.blocks), line
            drafts = "where edits follow, those above are drafts" if surely else "the edits above it may be drafts"
            if scanner.sink.blocks:
                scanner.sink.diagnose(faults.DRAFT_END.at(line, drafts=drafts))
        scanner.sink.draft = reasoning.opens(tag)
