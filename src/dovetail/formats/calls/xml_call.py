r"""Calls in tags, whose fields are read as those of JSON are (`call`); and the tools of `cline` and `roo`.

Grammar::

    call  = "<invoke name=" name ">" field* "</invoke>"  |  "<function=" name ">" field* "</function>"
          | "<search_and_replace>" tag* "</search_and_replace>"  |  the same with another of `CALL_TAGS`
          | "<" name (field "=" quoted)+ ("/>" | ">" (tag* | text) "</" name ">")    text: the file's, or its blocks
          | "<edits>" ("<old_text" ["line=" n] ">" text "</old_text>" "<new_text>" text "</new_text>")* "</edits>"
          | "<tool_call>" name pair* "</tool_call>"
          , the first behind "<function_calls>", "<tool_calls>" or "<tool_call>" if there is one
    field = "<parameter name=" name ">" text "</parameter>"  |  "<parameter=" name ">" text "</parameter>"
    tag   = "<" name ">" text "</" name ">"
    pair  = "<arg_key>" name "</arg_key>" "<arg_value>" text "</arg_value>"
    tool  = "<write_to_file>" path content "</write_to_file>"
          | "<replace_in_file>" path diff "</replace_in_file>"
          | "<apply_diff>" (path diff | "<args>" ("<file>" path diff* "</file>")* "</args>") "</apply_diff>"

One JSON object may stand for all fields. A field's text is taken as it is; but if it stands on lines of its own, the
line ends beside its tags are dropped, and a file's whole text keeps its last one and loses a CDATA section around it.
The search/replace blocks of a diff are read as a reply of their own. A call that is not closed, or states no known
edit, is malformed; so is one whose text quotes its own opening tag, as either closing tag may be the quote's.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats import faults, fences
from dovetail.formats.around import Place
from dovetail.formats.calls import json_text, names
from dovetail.formats.calls.call import holds_file
from dovetail.formats.calls.give import give_all, note_unread
from dovetail.formats.calls.names import may_edit
from dovetail.formats.calls.values import items_of_call
from dovetail.formats.faults import Fault
from dovetail.formats.fences import unfenced
from dovetail.formats.paths.forms import normalise
from dovetail.formats.scanner import GiveBack, Keeping
from dovetail.formats.vocabulary import ATTRIBUTES, CALL_TAGS, NO_SENTENCE, SPACE, WRAPPED
from dovetail.model.blocks import Block, Kind
from dovetail.model.text import closed
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.scanner import Scanner
    from dovetail.model.diagnostics import Diagnostic
    from dovetail.model.markers import Markers

# `<invoke name="edit">`, `<function_calls><ns:invoke name="edit">`, `<function=edit>`, `<str_replace path="a.py">`,
# `<edits>`, `<tool_call>edit` before `<arg_key>` or a line's end, `<apply_diff>`. Not `<apply_diff> is the tool for`, a
# sentence.
_OPENING = pattern(
    rf"[ \t]*(?:{WRAPPED}"
    rf"<(?:(?P<space>{SPACE})?(?P<invoke>invoke)[ \t]+name=[\"'](?P<invoked>[^\"'<>\n]{{1,80}})[\"']"
    r"|(?P<function>function)=(?P<called>[^<>\n\"']{1,80})"
    rf"|(?P<tag>{CALL_TAGS}|edits)(?P<attributes>{ATTRIBUTES})?)[ \t]*>"
    r"|<(?P<pairs>tool_call)>[ \t]*(?P<named>\w[\w.-]{0,79})[ \t]*(?=\n|<arg_key>)"
    rf"|<(?P<tool>replace_in_file|write_to_file|apply_diff)>{NO_SENTENCE})"
)
_TOOLS = {"replace_in_file": "cline", "write_to_file": "cline", "apply_diff": "roo"}
_ROO = frozenset(("search_and_replace", "insert_content"))
_PARAMETER = pattern(
    rf"<(?P<tag>{SPACE}?parameter)"
    r"(?:[ \t]+name=[\"'](?P<name>[^\"'<>\n]{1,80})[\"'][^<>\n]{0,80}|=(?P<called>[^<>\n\"']{1,80}))>"
)
_FIELD = pattern(r"<(?P<tag>(?P<name>\w{1,40}))>")
_PAIR = pattern(r"<arg_key>\s*(?P<name>[^\s<>]{1,80})\s*</arg_key>\s*<(?P<tag>arg_value)>")
_ATTRIBUTE = pattern(r"(?P<name>[\w-]{1,40})=(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')")
_NOTHING = pattern("")
_OLD_TEXT = pattern(r"\s*<old_text(?:[ \t]+line=[\"']?(?P<line>\d{1,9})[\"']?)?>")
_NEW_TEXT = pattern(r"\s*<new_text>")
_COMMAND = pattern(r"command[\"']?>\s{0,9}(\w{1,40})\s{0,9}</")
_PATH = pattern(r"path[\"']?>\s{0,9}([^<>\n]{1,400}?)\s{0,9}</", re.IGNORECASE)
_CDATA = pattern(r"\s*<!\[CDATA\[(.*)\]\]>\s*$", re.DOTALL)
_START_LINE = pattern(r"<start_line>\s*\d+\s*</start_line>")
# `</diff>` with its blanks and line end. Looking back keeps a long run of blanks linear: it is tried from its start
# only.
_MARKUP = pattern(r"(?<![ \t])[ \t]*+</?(?:args|file|diff|content|start_line|line_count)>[ \t]*\n?|<!\[CDATA\[|\]\]>")
_UNREADABLE = Fault(
    "The fields of the call `{name}` cannot be told apart.",
    "Close each field once, with nothing between the fields; or send the change as a search/replace block.",
)
_QUOTED = Fault(
    "The call quotes its own tag <{name}>, so that nothing shows where the call ends.",
    "Send the change as a search/replace block.",
)
_NO_BLOCKS = Fault(
    "The tool's tag holds no block.", "Write the path in <path> and the search/replace blocks in <diff>."
)


def opening(scanner: Scanner, text: str) -> re.Match[str] | None:
    """Return the match of a call's opening tag that a line begins with, if its format is wanted; None for a tag that
    the rest of the reply is known not to close."""
    match = _OPENING.match(text)
    if match is None or _tag(match) in scanner.tried.unclosed:
        return None
    wanted = {"tags"} if match["tool"] else {"tags", "tool-call"}
    return match if scanner.wanted & wanted else None


def begin(scanner: Scanner, match: re.Match[str], line: int) -> TagMachine:
    """Return the machine for a call that begins at the reply's line `line`."""
    return ToolTag(scanner, line, match) if match["tool"] else XmlCall(scanner, line, match)


def _tag(match: re.Match[str]) -> str:
    return match["tag"] or match["invoke"] or match["function"] or match["pairs"] or match["tool"].lower()


class TagMachine(Keeping):
    """An open tag, kept whole until it closes. `pieces` is its text so far, `kept` all its lines, the tag's included.

    begins: the offset of the text on its first line. alone: it is one empty tag (``<x/>``). format: that of its blocks.
    edits: its name is that of a call that edits.
    """

    format: str
    edits = True

    def __init__(self, scanner: Scanner, line: int, match: re.Match[str]) -> None:
        super().__init__(scanner, line)
        self.tag = _tag(match)
        closing = rf"</{re.escape((match['space'] or '') + self.tag)}>"
        self.begins = match.end()
        self.alone = (match["attributes"] or "").endswith("/")
        self.closing = pattern(closing, re.IGNORECASE)
        # `</edit>` becomes `<edit( …)?>`: the tag's own opening, quoted in its text.
        self.opening = pattern(closing.replace("</", "<", 1)[:-1] + r"(?:[ \t=][^<>\n]*)?>", re.IGNORECASE)
        self.interest = pattern(rf"\n[^\n]*{closing}", re.IGNORECASE)
        self.pieces: list[str] = []

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """Take lines of the tag's text."""
        self.pieces.append(text)
        self.kept.append(text)
        return None

    def line(self, text: str, line: int) -> GiveBack | None:
        """Take the first line, or one that may close the tag."""
        self.kept.append(text)
        text, self.begins = text[self.begins :], 0
        # Only blanks and a colon behind the tag: the text begins on the next line.
        if len(self.kept) == 1 and not text.strip(" \t\n:"):
            text = text[text.find("\n") :]  # blanks and a colon after the tag are not part of the text
        closing = _NOTHING.match(text) if self.alone else self.closing.search(text)
        self.pieces.append(text if closing is None else text[: closing.start()])
        if closing is None:
            return None
        rest = text[closing.end() :]
        self.leave()
        body = "".join(self.pieces)
        if self.opening.search(body) is None:
            self.close(body)
        else:
            self.scanner.recent.clear()
            self._spoil(body, _QUOTED.at(self.first, name=self.tag))
        return GiveBack(rest, line) if rest.strip() else None

    def close(self, body: str) -> None:
        """Pass the edits in the tag's text to the sink."""
        raise NotImplementedError

    def _spoil(self, body: str, fault: Diagnostic) -> None:
        """Report a call that cannot be read, if it seems to edit."""
        command = _COMMAND.search(body)
        if self.edits or (command is not None and may_edit(command[1])):
            path = _PATH.search(body)
            self.scanner.spoiled(self.format, normalise(path[1]) if path else None, body, self.first, fault)


class XmlCall(TagMachine):
    """A call whose fields stand in tags, or in one JSON object."""

    def __init__(self, scanner: Scanner, line: int, match: re.Match[str]) -> None:
        super().__init__(scanner, line, match)
        self.name = match["tag"] or match["invoked"] or match["named"] or match["called"].strip()
        self.format = "roo" if self.tag in _ROO else "tool-call"
        self.edits = self.tag == "edits" or may_edit(self.name)
        self.attributes: dict[str, object] = {
            found["name"]: found["double"] or found["single"] or ""
            for found in _ATTRIBUTE.finditer(match["attributes"] or "")
        }

    def end(self) -> GiveBack | None:
        """The reply ends inside the call: report it, and give its lines back, as edits may follow the tag."""
        self._spoil("".join(self.pieces), faults.NO_END.at(self.first, format=self.format))
        self.scanner.tried.unclosed.add(self.tag)
        return self.back()

    def close(self, body: str) -> None:
        """Pass the call's edits to the sink."""
        if self.tag == "edits":
            self._give_edits(body)
            return
        self.scanner.recent.clear()
        # First in the call's own notation, then as tags named for the fields, which models mix in.
        first = _PAIR if self.tag == "tool_call" else _FIELD if self.tag == self.name else _PARAMETER
        fields = _fields(self.name, body, first) or _fields(self.name, body, _FIELD)
        if self.attributes:
            fields = fields or {}
            known = (*names.OLD, *names.NEW, *names.CONTENT)
            # Beside attributes stand tags for the old and the new text, or else the whole body is the file's.
            if body.strip() and not (fields and all(names.squashed(name) in known for name in fields)):
                fields = {"content": closed(_field_text(body, whole=holds_file(self.name, "content")))}
            fields = self.attributes | fields
        if not fields:
            # No tag at all: one JSON object may stand for the fields.
            text = unfenced(body, None)
            values, stop = json_text.decoded(text)
            alone = len(values) < 2 and not text[stop:].strip()
            value = (values[0][0] if values else {}) if alone else None
            fields = value if isinstance(value, dict) else None
        if fields is None:
            self._spoil(body, _UNREADABLE.at(self.first, name=self.name[:60]))
        else:
            items = [(item, self.first) for item in items_of_call(self.name, fields)]
            give_all(self.scanner, items, self.format)
            if not items:
                note_unread(self.scanner, fields, self.first)

    def _give_edits(self, body: str) -> None:
        """Pass on the pairs of texts in an ``<edits>`` tag, whose file the lines above it name."""
        place = self.scanner.place(None)
        self.scanner.recent.clear()
        edits = _pairs_of_texts(body)
        if edits is None:
            self._spoil(body, _UNREADABLE.at(self.first, name=self.tag))
            return
        for edit in edits:
            for item in items_of_call("str_replace", {"path": place.path or "", **edit}):
                if isinstance(item, Block):
                    item = replace(item.with_path(place.path), path_candidates=place.candidates, around=place.around)
                give_all(self.scanner, [(item, self.first)], self.format)


class ToolTag(TagMachine):
    """A tool of `cline` or `roo`: a whole file, or search/replace blocks after the path of each file."""

    def __init__(self, scanner: Scanner, line: int, match: re.Match[str]) -> None:
        super().__init__(scanner, line, match)
        self.format = scanner.asked if scanner.asked in ("cline", "roo") else _TOOLS[self.tag]

    def end(self) -> GiveBack | None:
        """The reply ends inside: what is complete in it still counts."""
        self.leave()
        self.close("".join(self.pieces), cut_off=True)
        return None

    def close(self, body: str, *, cut_off: bool = False) -> None:
        """Pass the file, or the blocks, to the sink."""
        counts = self.scanner.sink.counts
        counts[self.format, "start"] += 1
        counts[self.format, "end"] += not cut_off
        if self.tag == "write_to_file":
            self._give_file(body, cut_off=cut_off)
        else:
            self._give_blocks(body)

    def _give_file(self, body: str, *, cut_off: bool) -> None:
        found = _PATH.search(body)
        path = normalise(found[1]) if found else None
        begin, stop = body.find("<content>") + len("<content>"), body.rfind("</content>")
        whole = len("<content>") <= begin <= stop
        text = closed(unwrapped(outdented(body[begin:stop])).removeprefix("\n")) if whole else ""
        block = Block(self.format, Kind.REWRITE, path, "", unfenced(text, path), raw=body, line=self.first)
        fault = faults.no_path(self.first, self.format) if path is None else None
        if cut_off or not whole:
            fault = faults.NO_END.at(self.first, format=self.format)
        self.scanner.sink.whole(block, fault)

    def _give_blocks(self, body: str) -> None:
        """Pass on each path's blocks, up to the next path."""
        sink, before = self.scanner.sink, len(self.scanner.sink.blocks)
        markers = self.scanner.grammar.markers
        ends = [match.end() for match in _PATH.finditer(body)] or [0]
        paths: list[str | None] = [normalise(match[1]) for match in _PATH.finditer(body)] or [None]
        for path, begin, stop in zip(paths, ends, (*ends[1:], len(body)), strict=True):
            line = self.first + body.count("\n", 0, begin)
            place = Place(path, format=self.format)
            self.scanner.inside(_without_tags(body[begin:stop], markers), line, place, self.format)
        if len(sink.blocks) == before:
            self.scanner.spoiled(self.format, paths[0], body, self.first, _NO_BLOCKS.at(self.first))


def _without_tags(text: str, markers: Markers) -> str:
    """Return the text without the tools' own tags, with as many lines; text inside a block is left alone."""
    run = f"{{{markers.shortest},}}"
    search, replacing = ("|".join(map(re.escape, words)) for words in (markers.search_words, markers.replace_words))
    # Where a block begins or ends; a start may stand behind tags.
    marker_lines = re.compile(
        rf"(?m)^([ \t]*(?:<content>|<diff>|<!\[CDATA\[)*)(?=<{run}[ \t]*(?:{search})|-{run}[ \t]*SEARCH)"
        rf"|^[ \t]*(?:>{run}[ \t]*(?:{replacing})|\+{run}[ \t]*REPLACE)"
    )
    out: list[str] = []
    at, inside = 0, False
    for match in (*marker_lines.finditer(text), None):
        starts = match is not None and match[1] is not None
        # A piece ends at each marker that begins or ends a block. Outside of blocks the tools' tags are taken off;
        # inside all is content, and a start in a block, or an end outside of one, is ignored.
        if match is None or starts != inside:
            stop = match.end() if match is not None else len(text)
            piece = text[at:stop]
            if not inside:
                piece = _MARKUP.sub(lambda tag: "\n" if tag[0].endswith("\n") else "", _START_LINE.sub("", piece))
            out.append(piece)
            at, inside = stop, starts
    return "".join(out)


def _fields(call: str, body: str, opening: re.Pattern[str]) -> dict[str, object] | None:
    """Return the fields of a call by name, or None if text stands between them, or a name comes twice: then a field's
    text contains its own closing tag.

    call: the tool's name. opening: the pattern of a field's opening tag.
    """
    found: dict[str, object] = {}
    at = 0
    while (match := opening.search(body, at)) is not None:
        name = match["called"] if opening is _PARAMETER and match["called"] else match["name"]
        closing = f"</{match['tag']}>"
        stop = body.find(closing, match.end())
        # A text that quotes its own closing tag leaves words behind it, or a field twice.
        if stop < 0 or name in found or body[at : match.start()].strip():
            return None
        # `<parameter name="old"><parameter name="old">`: the first closing tag is the quoted one's.
        again = opening.match(body[match.end() : stop].lstrip())
        if again is not None and again[0] == match[0]:
            return None
        found[name] = _field_text(body[match.end() : stop], whole=holds_file(call, name))
        at = stop + len(closing)
    return None if body[at:].strip() else found


def _pairs_of_texts(body: str) -> list[dict[str, object]] | None:
    """Return old and new text of each edit, with the old one's line if given; None if anything else is between them."""
    found: list[dict[str, object]] = []
    at = 0
    while (old := _OLD_TEXT.match(body, at)) is not None:
        middle = body.find("</old_text>", old.end())
        new = _NEW_TEXT.match(body, middle + len("</old_text>")) if middle >= 0 else None
        stop = body.find("</new_text>", new.end()) if new is not None else -1
        if new is None or stop < 0:
            return None
        texts = (_field_text(body[old.end() : middle], whole=False), _field_text(body[new.end() : stop], whole=False))
        found.append({"old_text": texts[0], "new_text": texts[1], **({"line": old["line"]} if old["line"] else {})})
        at = stop + len("</new_text>")
    return found if not body[at:].strip() else None


def _field_text(text: str, *, whole: bool) -> str:
    """Return a field's text without the line ends beside its tags, blanks before the closing tag, and a colon after the
    opening one. whole: it is a file's whole text."""
    text = unwrapped(outdented(text)) if whole else text
    lines = text.removeprefix(":").rstrip(" \t")
    if len(lines) < 2 or not (lines.startswith("\n") and lines.endswith("\n")):
        return text
    return closed(lines[1:-1]) if whole else lines[1:-1]


def outdented(text: str) -> str:
    """Return a file's text between its tags without the blanks before the closing tag; if that is indented and no line
    less, also without the margin that the lines share."""
    *lines, blank = text.split("\n")
    if not blank or blank.strip():
        return text
    leads = {line[: len(line) - len(line.lstrip())] for line in lines if line.strip()}
    margin = min(leads, key=len, default="")
    # The closing tag's indentation is the margin only if every line has at least that.
    shared = margin.startswith(blank) and all(lead.startswith(margin) for lead in leads)
    return fences.outdented("".join(f"{line}\n" for line in lines), margin if shared else "")


def unwrapped(text: str) -> str:
    """Return a text without a CDATA section around it."""
    found = _CDATA.match(text)
    return found[1] if found is not None else text
