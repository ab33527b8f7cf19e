r"""The format `tool-call`: edits in JSON, as function calls carry them; `calls` holds their shapes.

Grammar::

    reply = (text | value | fence of value*)*           value: JSON with edits in it, from the start of a line

A search may begin and end inside a line. What is no JSON, or JSON without edits, is text.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from dovetail.formats import calls, faults, json_lines
from dovetail.formats.place import Force
from dovetail.formats.scanner import GiveBack
from dovetail.formats.sink import Sink
from dovetail.model.blocks import Block, Kind, ShellSuggestion
from dovetail.model.codes import Code
from dovetail.model.dataclasses import replace
from dovetail.model.errors import RenderError

if TYPE_CHECKING:
    from dovetail.formats.fences import Fence
    from dovetail.formats.scanner import Scanner


_EVERY = re.compile(r"\n")


class JsonLines:
    """A JSON value in a reply's text, line by line."""

    interest = _EVERY

    def __init__(self, scanner: Scanner, line: int) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.first = line
        self.pieces: list[str] = []
        self.balance = json_lines.Balance()

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Never called: every line is looked at."""
        return self.line(text, line)

    def line(self, text: str, line: int) -> GiveBack | None:
        """The next line of the value."""
        self.pieces.append(text)
        self.balance.feed(text)
        if self.balance.broken:
            return self._back(line + 1)
        if self.balance.closed:
            body = "".join(self.pieces)
            found = blocks_in(self.scanner, body, self.first)
            if not found:
                return self._back(line + 1)
            self.scanner.state = self.parent
            self.scanner.recent.clear()
        return None

    def end(self) -> GiveBack | None:
        """The reply ends inside the value: no JSON, or cut off."""
        body = "".join(self.pieces)
        if looks_like_call(body) and not self.scanner.draft:
            self.scanner.sink.diagnose(bad_json(self.first))
        return self._back(self.scanner.number + 1)

    def _back(self, resume: int) -> GiveBack:
        self.scanner.json_from = resume
        self.scanner.as_text.add(self.first)
        self.scanner.state = self.parent
        return GiveBack("".join(self.pieces), self.first)


def may_be_calls(fence: Fence, content: str) -> bool:
    """Whether a closed fence may hold JSON."""
    return fence.language in _JSON and content.lstrip()[:1] in ("{", "[")


def in_fence(scanner: Scanner, content: str, line: int, path: str | None) -> bool:
    """Read the JSON of a closed fence; says whether it held edits."""
    if blocks_in(scanner, content, line, path):
        return True
    if looks_like_call(content) and next(json_lines.values(content), None) is None and not scanner.draft:
        scanner.sink.diagnose(bad_json(line))
    return False


_JSON = frozenset(
    ("", "json", "jsonc", "json5", "jsonl", "ndjson", "tool_call", "tool_calls", "tool_use", "tool", "function_call")
)


def bad_json(line: int) -> faults.Fault:
    """A value that names an edit and does not parse."""
    return faults.malformed(
        "This looks like a tool call and is no JSON.",
        line,
        "Send the call again as one JSON object, with line ends and quotes inside strings escaped.",
        Code.BAD_JSON,
    )


def looks_like_call(text: str) -> bool:
    """Whether a text that did not parse names the fields of an edit."""
    return (
        re.search(r'"(?:old_?(?:string|str|text)|tool_calls|tool_use|arguments)"\s*:', text, re.IGNORECASE) is not None
    )


def blocks_in(scanner: Scanner, text: str, line: int, path: str | None = None) -> bool:
    """Give the sink every edit in the JSON values of `text`; says whether there was any."""
    found = False
    seen = at = 0
    for value, offset in json_lines.values(text):
        seen += text.count("\n", at, offset)
        at = offset
        for item in calls.edits_in(value, path):
            found = True
            _give(scanner, item, line + seen)
    return found


def _give(scanner: Scanner, item: calls.Item, line: int) -> None:
    """One edit, patch text, or command."""
    match item:
        case Block():
            block = replace(item, line=line, draft=scanner.draft)
            if block.path is None:
                block = faults.spoil(block, faults.no_path("tool-call", line))
            scanner.sink.counts["tool-call", "start"] += 1
            scanner.sink.whole(block)
        case ShellSuggestion(command):
            if not scanner.draft:
                scanner.sink.suggest(ShellSuggestion(command, line, "tool-call"))
        case calls.Patch(text, path):
            inner = Sink()
            scanner.inside(text, line, Force(path, "diff") if path else None, machines=_PATCHES, sink=inner)
            for block in inner.blocks:
                fault = block.malformed and replace(block.malformed, line=line)
                scanner.sink.whole(replace(block, line=line, malformed=fault))


_PATCHES = frozenset(("angle", "dash", "udiff", "apply-patch", "tags"))


def render(blocks: list[Block], fence: str) -> str:
    """One call a line, each a function call of its own."""
    del fence
    return "".join(json.dumps(_as_call(block), ensure_ascii=False) + "\n" for block in blocks)


def _as_call(block: Block) -> dict[str, object]:
    if block.path is None or (block.destination is not None and block.kind is not Kind.RENAME):
        raise RenderError("The format tool-call cannot say a block without a path, or an edit that moves its file.")
    arguments: dict[str, object] = {"path": block.path}
    match block.kind:
        case Kind.EDIT:
            name = "str_replace"
            arguments |= {"old_string": block.search, "new_string": block.replace}
            if block.replace_all:
                arguments["replace_all"] = True
        case Kind.REWRITE:
            name = "write_file"
            arguments["content"] = block.replace
        case Kind.DELETE:
            name = "delete_file"
        case Kind.RENAME:
            name = "move_file"
            arguments["destination"] = block.destination
        case _:
            raise RenderError(f"The format tool-call cannot say a block of the kind {block.kind}.")
    return {"name": name, "arguments": arguments}
