r"""Function calls in tags: their fields, read as `call_edits` reads those of JSON.

Grammar::

    call  = "<invoke name=" name ">" field* "</invoke>"  |  "<function=" name ">" field* "</function>"
          | "<search_and_replace>" tag* "</search_and_replace>"  |  the same with another of `CALL_TAGS`
          | "<tool_call>" name pair* "</tool_call>"
          , the first behind "<function_calls>", "<tool_calls>" or "<tool_call>" if there is one
    field = "<parameter name=" name ">" text "</parameter>"  |  "<parameter=" name ">" text "</parameter>"
    tag   = "<" name ">" text "</" name ">"
    pair  = "<arg_key>" name "</arg_key>" "<arg_value>" text "</arg_value>"

In place of all fields may stand one JSON object of them. A field's text is taken as it is; of one that stands on lines
of its own, the line ends beside its tags are the tags', and the last line of a file's whole text has one of its own; a
CDATA section around such a text is the tags', too.
A call that is not closed, or says no edit that is known, is malformed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.calls import json_lines, shapes
from dovetail.formats.calls.call_edits import holds_file
from dovetail.formats.calls.tool_call import give
from dovetail.formats.calls.tool_names import may_edit
from dovetail.formats.lines.fences import unfenced
from dovetail.formats.lines.vocabulary import CALL_TAGS, SPACE, WRAPPED
from dovetail.formats.scan import faults
from dovetail.formats.scan.faults import Fault
from dovetail.formats.tags.tagged import Tagged, outdented, path_in, unwrapped
from dovetail.model.text import closed

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import GiveBack, Scanner
    from dovetail.model.diagnostics import Diagnostic

_OPENING = re.compile(
    rf"[ \t]*{WRAPPED}"
    rf"<(?:(?P<space>{SPACE})?(?P<invoke>invoke)[ \t]+name=[\"'](?P<invoked>[^\"'<>\n]{{1,80}})[\"']"
    r"|(?P<function>function)=(?P<called>[^<>\n\"']{1,80})"
    rf"|(?P<tag>{CALL_TAGS}))[ \t]*>"
    r"|[ \t]*<(?P<pairs>tool_call)>[ \t]*(?P<named>\w[\w.-]{0,79})[ \t]*(?=\n|<arg_key>)"
)
_ROO = frozenset(("search_and_replace", "insert_content"))
_PARAMETER = re.compile(
    rf"<(?P<tag>{SPACE}?parameter)"
    r"(?:[ \t]+name=[\"'](?P<name>[^\"'<>\n]{1,80})[\"'][^<>\n]{0,80}|=(?P<called>[^<>\n\"']{1,80}))>"
)
_FIELD = re.compile(r"<(?P<tag>(?P<name>\w{1,40}))>")
_PAIR = re.compile(r"<arg_key>\s*(?P<name>[^\s<>]{1,80})\s*</arg_key>\s*<(?P<tag>arg_value)>")
_COMMAND = re.compile(r"command[\"']?>\s{0,9}(\w{1,40})\s{0,9}</")
_UNREADABLE = Fault(
    "The fields of the call `{name}` cannot be told apart.",
    "Close each field once, with nothing between the fields; or send the change as a search/replace block.",
)


def opening(scanner: Scanner, text: str) -> re.Match[str] | None:
    """The call in tags that a line begins. What no tag ends was tried once."""
    match = _OPENING.match(text)
    return None if match is None or _kind(match) in scanner.tried.unclosed else match


def _kind(match: re.Match[str]) -> str:
    return match["tag"] or match["invoke"] or match["function"] or match["pairs"]


class XmlCall(Tagged):
    """One call, kept whole until its tag closes."""

    def __init__(self, scanner: Scanner, line: int, match: re.Match[str]) -> None:
        self.kind = _kind(match)
        self.name = match["tag"] or match["invoked"] or match["named"] or match["called"].strip()
        super().__init__(scanner, line, match.end(), rf"</{re.escape((match['space'] or '') + self.kind)}>")

    def end(self) -> GiveBack | None:
        """The reply ends inside: the call may have been cut off anywhere, and what follows it may be edits."""
        self._spoil(faults.NO_END.at(self.first, format=self.format))
        self.scanner.tried.unclosed.add(self.kind)
        return self.back()

    @property
    def format(self) -> str:
        """The name of what its blocks are."""
        return "roo" if self.kind in _ROO else "tool-call"

    def close(self) -> GiveBack | None:
        """Give the call's edits."""
        scanner, body = self.scanner, "".join(self.pieces)
        scanner.recent.clear()
        opening = _PAIR if self.kind == "tool_call" else _FIELD if self.kind == self.name else _PARAMETER
        fields = _fields(self.name, body, opening) or _fields(self.name, body, _FIELD) or _fields_in_json(body)
        if fields is None:
            self._spoil(_UNREADABLE.at(self.first, name=self.name[:60]))
        for item in shapes.of_call(self.name, fields) if fields is not None else ():
            give(scanner, item, self.first, self.format)
        return None

    def _spoil(self, fault: Diagnostic) -> None:
        """Tell of a call that cannot be read, if it seems to edit."""
        command = _COMMAND.search(body := "".join(self.pieces))
        if not any(map(may_edit, (self.name, command[1] if command else ""))):
            return
        self.scanner.spoiled(self.format, path_in(body), body, self.first, fault)


def _fields(call: str, body: str, opening: re.Pattern[str]) -> dict[str, object] | None:
    """The fields of the call of this name; None where text stands between them, or one stands there twice: then a field
    may hold what looks like its end."""
    found: dict[str, object] = {}
    at = 0
    while (match := opening.search(body, at)) is not None:
        name = match["called"] if opening is _PARAMETER and match["called"] else match["name"]
        closing = f"</{match['tag']}>"
        stop = body.find(closing, match.end())
        if stop < 0 or name in found or body[at : match.start()].strip():
            return None
        again = opening.match(body[match.end() : stop].lstrip())
        if again is not None and again[0] == match[0]:
            return None
        found[name] = _unpadded(body[match.end() : stop], whole=holds_file(call, name))
        at = stop + len(closing)
    return None if body[at:].strip() else found


def _fields_in_json(body: str) -> dict[str, object] | None:
    """The fields of a call whose text is one JSON object, in a fence or not; none of one without any text."""
    text = unfenced(body, None)
    found, stop = json_lines.decoded(text)
    if text[stop:].strip() or len(found) > 1:
        return None
    fields = found[0][0] if found else {}
    return fields if isinstance(fields, dict) else None


def _unpadded(text: str, *, whole: bool) -> str:
    """A field's text without the line ends beside its tags, the blanks before the closing one, and a colon behind the
    opening one."""
    text = unwrapped(outdented(text)) if whole else text
    lines = text.removeprefix(":").rstrip(" \t")
    if len(lines) < 2 or not (lines.startswith("\n") and lines.endswith("\n")):
        return text
    return closed(lines[1:-1]) if whole else lines[1:-1]
