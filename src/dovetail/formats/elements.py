r"""Tags whose attributes name a file, as builders of websites and prompts made at home have them.

Grammar::

    element = "<" name attribute+ ">" text "</" name ">"  |  "<" name attribute+ "/>"
    name    = "file"  |  prefix "-" ("write" | "create" | "delete" | "rename")  |  "write_file" and its like
    attribute = field "=" text in quotes                 a path, and what `call_edits` reads beside it

The text is the file's whole text; one fence or a CDATA section around it is the reply's. Where it holds blocks, or
fences beside other text, the tag only names their path, and so does one that is not closed before the next begins. A
closing tag stands alone on its line, or ends one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import calls, faults, fences
from dovetail.formats.paths import Form, form_of, normalise
from dovetail.formats.scanner import GiveBack
from dovetail.formats.tagged import Tagged
from dovetail.formats.tool_call import give
from dovetail.formats.tool_names import squashed
from dovetail.model.blocks import Block, Kind
from dovetail.model.patterns import late
from dovetail.model.text import closed

if TYPE_CHECKING:
    from dovetail.formats.scanner import Scanner

_ATTRIBUTE = r"\s+[\w-]{1,40}\s*=\s*(?:\"[^\"<>\n]{0,400}\"|'[^'<>\n]{0,400}')"
_OPENING = late(
    r"[ \t]*<(?P<tag>(?:[a-z]{2,12}-(?P<verb>write|create|delete|rename))"
    r"|(?P<call>(?:write|create|delete|move|rename)_file)"
    rf"|file)(?P<given>(?:{_ATTRIBUTE})+)\s*(?P<alone>/)?>",
    re.IGNORECASE,
)
_GIVEN = late(r"([\w-]{1,40})\s*=\s*(?:\"([^\"<>\n]*)\"|'([^'<>\n]*)')")
_CDATA = late(r"\s*<!\[CDATA\[\n?(.*)\]\]>\s*$", re.DOTALL)
_NAMES_FILE = frozenset(("path", "filepath", "file", "filename", "name", "originalfilepath", "from"))
_FILE = "file"
_ALONE = late(r"[ \t]*(?:$|<!\[CDATA\[)")


def opens(scanner: Scanner, text: str) -> bool:
    """Whether a line begins an element that names a file. What no tag ends was tried once."""
    match = _OPENING.match(text)
    if match is not None and match["tag"].lower() == _FILE and not _ALONE.match(text, match.end()):
        return False  # a sentence about the tag
    return (
        match is not None
        and (match["alone"] is not None or match["tag"].lower() not in scanner.unclosed)
        and (path := _path(_fields(match))) is not None
        and form_of(path) >= Form.QUOTED
    )


def _fields(match: re.Match[str]) -> dict[str, str]:
    return {key: double or single for key, double, single in _GIVEN.findall(match["given"])}


def _path(fields: dict[str, str]) -> str | None:
    return next((value for key, value in fields.items() if squashed(key) in _NAMES_FILE), None)


class Element(Tagged):
    """One element, kept whole until its tag closes."""

    def __init__(self, scanner: Scanner) -> None:
        super().__init__(scanner, re.compile(r"\n"))
        self.tag = self.name = ""
        self.fields: dict[str, str] = {}
        self.path = ""

    def line(self, text: str, line: int) -> GiveBack | None:
        """The opening line, every line that may close the element, and every one that may begin the next."""
        self.whole.append(text)
        if not self.tag:
            match = _OPENING.match(text)
            if match is None or self._open(match, line):  # the first is never so: `opens` was asked
                return self._close("" if match is None else text[match.end() :])
            text = text[match.end() :]
        elif (match := _OPENING.match(text)) is not None and match["tag"].lower() == self.tag:
            return self._give_all_back()
        closing = self.closing.search(text)
        self.pieces.append(text if closing is None else text[: closing.start()])
        return None if closing is None else self._close("")

    def _open(self, match: re.Match[str], line: int) -> bool:
        """Note what the tag says; whether it is closed in itself."""
        self.tag, self.first = match["tag"].lower(), line
        self.name = (match["call"] or f"{match['verb'] or 'write'}_file").lower()
        self.fields = _fields(match)
        self.path = _path(self.fields) or ""
        tag = re.escape(self.tag)
        self.interest = re.compile(rf"\n(?:[^\n]*</{tag}>[ \t]*$|[ \t]*<{tag}\s)", re.IGNORECASE | re.MULTILINE)
        self.closing = re.compile(rf"</{tag}>[ \t]*$", re.IGNORECASE | re.MULTILINE)
        return match["alone"] is not None

    def end(self) -> GiveBack | None:
        """The reply ends inside: the tag of a file may only name it; any other element was cut off, and so was a
        file's where its text follows at once."""
        text = "".join(self.pieces).removeprefix("\n")
        if self.tag != _FILE or (text[:1].strip() not in ("", "`", "~") and not self._holds_edits(text)):
            block = Block(
                "tool-call", Kind.EDIT, normalise(self.path), "", "", raw="".join(self.whole), line=self.first,
                draft=self.scanner.draft,
            )  # fmt: skip
            self.scanner.sink.whole(faults.spoil(block, faults.no_end("tool-call", self.first)))
        self.scanner.unclosed.add(self.tag)
        return self._give_all_back()

    def _close(self, rest: str) -> GiveBack | None:
        scanner, text = self.scanner, "".join(self.pieces)
        cdata = _CDATA.match(text)
        content = closed((cdata[1] if cdata is not None else text).removeprefix("\n"))
        if self._holds_edits(content):
            return self._give_all_back()
        arguments = {("path" if key == "name" else key): value for key, value in self.fields.items()}
        if self.name in ("write_file", "create_file"):
            arguments["content"] = content
        found = list(calls.edits_in({"name": self.name, "arguments": arguments}, None))
        if not found:
            return self._give_all_back()
        scanner.state = self.parent
        scanner.recent.clear()
        for item in found:
            give(scanner, item, self.first, "whole" if self.tag == _FILE else "tool-call")
        return GiveBack(rest, self.first) if rest.strip() else None

    def _holds_edits(self, content: str) -> bool:
        """Whether blocks stand in it, or fences and other text beside them."""
        lines = content.strip().split("\n")
        if any(self.scanner.grammar.start(line) is not None for line in lines if line.lstrip()[:1] in "<&-«\U0001f7e7"):
            return True
        return (
            not self.path.lower().endswith(fences.DOCUMENTS)
            and any(map(fences.is_fence_line, lines))
            and fences.unfenced(content, self.path) == content
        )
