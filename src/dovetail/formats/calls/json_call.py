r"""The format `tool-call`: calls in JSON, from the start of a line to where the value closes, or in a fence.

Grammar::

    reply = (text | [list item] value | fence of value*)*      value: JSON with edits in it
          | string*                                            each a line that holds a reply, as programs print it

A search may begin and end inside a line. JSON without edits is text, and so is what is no JSON, unless it names the
fields of an edit: that is a malformed block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats import fences
from dovetail.formats.calls import json_text
from dovetail.formats.calls.call import Item
from dovetail.formats.calls.give import give_all, give_broken, note_unread
from dovetail.formats.calls.names import tool_in
from dovetail.formats.calls.values import ValueContext, items_of_call, items_of_value
from dovetail.formats.scanner import EveryLine, Keeping
from dovetail.model.blocks import Block
from dovetail.text.listed import listed
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from dovetail.formats.scanner import GiveBack, Scanner

_CLOSING_TAG = pattern(r"</(?:tool_calls?|function_calls?)>[ \t]*(?=\n?$)")
JSON = listed(
    """json jsonc json5 jsonl ndjson xml text txt plaintext markdown md tool_call tool_calls tool_use tool_code tool
    function_call"""
) | {""}
"""Languages of fences that may hold calls."""
_JSON_FILES = (".json", ".jsonc", ".json5", ".jsonl", ".ndjson")


class JsonValue(EveryLine, Keeping):
    """A JSON value in a reply's text, line by line; `item` is the list marker before it on its first line."""

    def __init__(self, scanner: Scanner, line: int, item: str) -> None:
        super().__init__(scanner, line)
        self.item = item
        self.balance: json_text.Balance | None = None

    def line(self, text: str, line: int) -> GiveBack | None:
        """The next line of the value."""
        text = text if self.kept else text[len(self.item) :]
        self.kept.append(text)
        # `{…}</tool_call>`: the tag is none of the value's, unless it stands in a string.
        body = text if self.balance is not None and self.balance.string else _CLOSING_TAG.sub("", text)
        # Nearly every call is one line, which the decoder reads in one pass. Brackets are followed in any other.
        if self.balance is None and (value := json_text.alone(body)):
            found = [(item, self.first) for item in items_of_value(value[0], ValueContext())]
        else:
            self.balance = self.balance or json_text.Balance()
            self.balance.feed(body)
            if not self.balance.broken and not self.balance.closed:
                return None
            body = _CLOSING_TAG.sub("", "".join(self.kept))
            found, stop = items_in(body, self.first)
            if body[stop:].strip():
                give_broken(self.scanner, body, self.first, tool_in(body))
                return self._back(line + 1)
        if not found:
            _note_unread(self.scanner, body, self.first)
            return self._back(line + 1)
        give_all(self.scanner, found)
        self.leave()
        self.scanner.recent.clear()
        return None

    def end(self) -> GiveBack | None:
        """The reply ends inside the value: no JSON, or cut off."""
        give_broken(self.scanner, "".join(self.kept), self.first)
        return self._back(self.scanner.number + 1)

    def _back(self, resume: int) -> GiveBack:
        """Give all lines back as text. No value is looked for before the line `resume`, inside this one."""
        self.scanner.tried.json_from = resume
        self.kept.insert(0, self.item)
        return self.back()


def in_fence(scanner: Scanner, content: str, line: int, path: str | None) -> bool:
    """Read the JSON of a closed fence and return whether it held edits. path: the one named above it, or None."""
    found, stop = items_in(content, line, path)
    # Below `package.json` a value is that file's text, unless all it says are edits of that file.
    if path is not None and fences.ends_as(path, _JSON_FILES):
        edits = bool(found) and all(isinstance(item, Block) and item.path == path for item, _ in found)
        if not edits:
            return False  # the text of that very file
    give_all(scanner, found)
    if not found:
        _note_unread(scanner, content, line)
    return give_broken(scanner, content[stop:], line + content.count("\n", 0, stop)) or bool(found)


def _note_unread(scanner: Scanner, text: str, line: int) -> None:
    """Note JSON that seems to hold a change, in fields that no known call has."""
    note_unread(scanner, [value for value, _ in json_text.decoded(text)[0]] if scanner.notes.enabled else [], line)


def items_in(
    text: str, line: int, path: str | None = None, tool: str | None = None
) -> tuple[list[tuple[Item, int]], int]:
    """Return every edit in the JSON values of `text` with its line, and the offset where the JSON ends.

    path: the file that is named around them. tool: the call whose arguments they are.
    """
    found: list[tuple[Item, int]] = []
    values, stop = json_text.decoded(text)
    seen = at = 0
    for value, offset in values:
        seen += text.count("\n", at, offset)
        at = offset
        items = items_of_value(value, ValueContext(path)) if tool is None else items_of_call(tool, value)
        found += ((item, line + seen) for item in items)
    return found, stop
