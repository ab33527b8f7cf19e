r"""The format `tool-call`: edits in JSON, as function calls carry them; `shapes` holds their shapes.

Grammar::

    reply = (text | value | fence of value*)*           value: JSON with edits in it, from the start of a line, or of
                                                        a list's item
          | string*                                     each a line that holds a reply, as programs print it

A search may begin and end inside a line. JSON without edits is text, and so is what is no JSON, unless it names the
fields of an edit: that is a malformed block.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.formats.calls import broken_json as broken
from dovetail.formats.calls import json_lines, shapes
from dovetail.formats.calls.call_edits import Around, Item, Patch, Said
from dovetail.formats.calls.tool_names import may_edit, tool_in
from dovetail.formats.lines import fences
from dovetail.formats.lines.names import listed
from dovetail.formats.scan import faults
from dovetail.formats.scan.faults import Fault
from dovetail.formats.scan.keeping import EveryLine, Keeping
from dovetail.formats.scan.place import Place
from dovetail.formats.scan.sink import Sink
from dovetail.model.blocks import Block, Kind, Parsed, ShellSuggestion

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import GiveBack, Scanner
    from dovetail.model.markers import Markers

_CLOSING_TAG = re.compile(r"</(?:tool_calls?|function_calls?)>[ \t]*(?=\n?$)")
JSON = listed("""
    json jsonc json5 jsonl ndjson xml text txt plaintext markdown md tool_call tool_calls tool_use tool_code tool
    function_call
""") | {""}
"""Languages of fences that may hold calls."""
_JSON_FILES = (".json", ".jsonc", ".json5", ".jsonl", ".ndjson")
_PATCHES = frozenset(("angle", "dash", "udiff", "apply-patch", "tags"))
_MARKS = re.compile(r"(?m)^[ \t]*(?:\*\*\* (?:Begin|Update|Add|Delete)\b|@@|diff --git |[<-]{5,9} ?SEARCH\b)")
_NO_BLOCKS = Fault(
    "The call's text looks like a patch and holds no edit.", "Send the change as path, old_string and new_string."
)


class JsonValue(EveryLine, Keeping):
    """A JSON value in a reply's text, line by line; `item` stands before it on its first line."""

    def __init__(self, scanner: Scanner, line: int, item: str) -> None:
        super().__init__(scanner, line)
        self.item = item
        self.balance = json_lines.Balance()

    def line(self, text: str, line: int) -> GiveBack | None:
        """The next line of the value."""
        text = text if self.kept else text[len(self.item) :]
        self.kept.append(text)
        self.balance.feed(text if self.balance.string else _CLOSING_TAG.sub("", text))
        if not self.balance.broken and not self.balance.closed:
            return None
        body = _CLOSING_TAG.sub("", "".join(self.kept))
        found, stop = items_in(body, self.first)
        if body[stop:].strip():
            return self._broken(body, line + 1)
        if not found:
            note_unread(self.scanner, body, self.first)
            return self._back(line + 1)
        give_all(self.scanner, found)
        self.leave()
        self.scanner.recent.clear()
        return None

    def end(self) -> GiveBack | None:
        """The reply ends inside the value: no JSON, or cut off."""
        return self._broken("".join(self.kept), self.scanner.number + 1)

    def _broken(self, body: str, resume: int) -> GiveBack:
        give_broken(self.scanner, body, self.first, tool_in(body))
        return self._back(resume)

    def _back(self, resume: int) -> GiveBack:
        self.scanner.tried.json_from = resume
        self.kept.insert(0, self.item)
        return self.back()


def in_string(scanner: Scanner, text: str, line: int) -> bool:
    """Read a line that is a JSON string with a reply in it, before which no other text stands; says whether it is."""
    try:
        said = None if scanner.begun or scanner.sink.draft else json.loads(text)
    except ValueError:
        return False
    if isinstance(said, str):
        give(scanner, Said(said), line)
    return isinstance(said, str)


def in_fence(scanner: Scanner, content: str, line: int, path: str | None) -> bool:
    """Read the JSON of a closed fence; says whether it held edits. `path` stands above it."""
    found, stop = items_in(content, line, path)
    if path is not None and fences.ends_as(path, _JSON_FILES) and not _only_of(found, path):
        return False  # the text of that very file
    give_all(scanner, found)
    if not found:
        note_unread(scanner, content, line)
    seen = content.count("\n", 0, stop)
    return give_broken(scanner, content[stop:], line + seen) or bool(found)


def note_unread(scanner: Scanner, text: str, line: int) -> None:
    """Note JSON that seems to hold an edit, in fields that no call has."""
    values = [value for value, _ in json_lines.decoded(text)[0]] if scanner.notes.wanted else []
    path = shapes.unread_in(values)
    if path is not None:
        scanner.notes.take(faults.UNREAD, line, path, what=f"an edit of `{path}` in other fields than any call has")


def _only_of(found: list[tuple[Item, int]], path: str) -> bool:
    """Whether there are edits, and all of them are of the file above."""
    return bool(found) and all(isinstance(item, Block) and item.path == path for item, _ in found)


def give_broken(scanner: Scanner, text: str, line: int, name: str | None = None) -> bool:
    """Tell of a text that is no JSON, if it speaks of an edit, or the call `name` that it belongs to does; says whether
    it is told as a block."""
    if broken.names_edit(text) or (name is not None and may_edit(name)):
        scanner.spoiled("tool-call", broken.path_in(text), text, line, broken.NO_JSON.at(line))
        return True
    if broken.names_call(text):
        scanner.sink.diagnose(broken.NO_JSON.at(line))
    return False


def items_in(
    text: str, line: int, path: str | None = None, name: str | None = None
) -> tuple[list[tuple[Item, int]], int]:
    """Every edit in the JSON values of `text` with its line, and the offset of what is no JSON.

    `path` is the file that is named around them, `name` the call whose arguments they are.
    """
    found: list[tuple[Item, int]] = []
    values, stop = json_lines.decoded(text)
    seen = at = 0
    for value, offset in values:
        seen += text.count("\n", at, offset)
        at = offset
        called = value if name is None else {"name": name, "arguments": value}
        found += ((item, line + seen) for item in shapes.edits_in(called, Around(path)))
    return found, stop


def give_all(scanner: Scanner, found: list[tuple[Item, int]]) -> None:
    """Every edit, patch text and command of a value."""
    for item, line in found:
        give(scanner, item, line)


def give(scanner: Scanner, item: Item, line: int, name: str = "tool-call") -> None:
    """One edit, patch text, or command; `name` is the format that it stands in."""
    match item:
        case Block():
            fault = replace(item.malformed, line=line) if item.malformed is not None else None
            block = replace(item, format=name, line=line, malformed=fault)
            if block.path is None and fault is None:
                block = faults.spoil(block, faults.NO_PATH.at(line, format=name))
            scanner.sink.whole(block)
        case ShellSuggestion(command):
            scanner.sink.suggest(ShellSuggestion(command, line, "tool-call"))
        case Patch():
            _give_patch(scanner, item, line)
        case Said(text):
            _give_said(scanner, text, line)


def _give_patch(scanner: Scanner, patch: Patch, line: int) -> None:
    """The blocks of a text in another format; what bears its marks and holds none is malformed."""
    inner = Sink()
    scanner.inside(patch.text, line, Place(patch.path or None), machines=_PATCHES, sink=inner)
    _give_parsed(scanner, inner.parsed, line)
    if not inner.blocks and _MARKS.search(patch.text):
        scanner.spoiled("tool-call", patch.path, patch.text, line, _NO_BLOCKS.at(line))


def _give_said(scanner: Scanner, text: str, line: int) -> None:
    """What a message says beside its calls, parsed as the reply that it is."""
    from dovetail.formats.stream import parse

    _give_parsed(scanner, parse(text, format=scanner.asked, markers=scanner.grammar.markers), line)


def _give_parsed(scanner: Scanner, inner: Parsed, line: int) -> None:
    """All that a text inside a value says, at the value's line."""
    for block in inner.blocks:
        fault = block.malformed and replace(block.malformed, line=line)
        scanner.sink.whole(replace(block, line=line, malformed=fault))
    told = [block.malformed for block in inner.blocks]
    for diagnostic in inner.diagnostics:
        if diagnostic not in told:
            scanner.sink.diagnose(replace(diagnostic, line=line))
    for suggestion in inner.shell_suggestions:
        scanner.sink.suggest(replace(suggestion, line=line))
    for action in inner.database_actions:
        scanner.sink.database(replace(action, line=line))


def render(blocks: list[Block], fence: str, _markers: Markers) -> str:
    """One list in a fence: edits by their fields, all else as function calls."""
    entries = [_entry(block) for block in blocks]
    return f"{fence}json\n{json.dumps(entries, ensure_ascii=False, indent=2)}\n{fence}\n"


def _entry(block: Block) -> dict[str, object]:
    path: dict[str, object] = {"path": block.path}
    match block.kind:
        case Kind.REWRITE:
            return {"name": "write_file", "arguments": path | {"content": block.replace}}
        case Kind.DELETE:
            return {"name": "delete_file", "arguments": path}
        case Kind.RENAME:
            return {"name": "move_file", "arguments": path | {"destination": block.destination}}
    entry = path | {"old_string": block.search, "new_string": block.replace}
    if block.replace_all:
        entry["replace_all"] = True
    if block.times is not None:
        entry["expected_replacements"] = block.times
    return entry
