r"""JSON in a reply's text: where a value ends, its decoded values, and what is wrong with a broken one.

A value that is all of its first line is decoded at once. For any other only brackets and strings are tracked while
lines arrive, and it is decoded when it is complete. What turns out not to be JSON goes back as text, and no value is
tried again from inside it, so the work stays linear. From broken JSON only two things are read: whether it seems to be
an edit, and of which file.
"""

from __future__ import annotations

import json
import re

from dovetail.formats.calls.names import CONTENT, PATH, SURE, effect_of, squashed
from dovetail.formats.faults import Fault
from dovetail.formats.paths.forms import normalise
from dovetail.model.codes import Code
from dovetail.model.diagnostics import Diagnostic
from dovetail.text.pattern import pattern

# What stands in a string up to its closing quote. Possessive runs: a text of megabytes is passed over once, without a
# step for each character.
_INSIDE = r'[^"\\]*+(?:\\.[^"\\]*+)*+'
_IN_STRING = pattern(_INSIDE, re.DOTALL)
# A string (its only group is the closing quote, which lacks where the string goes on behind what was fed), a bracket,
# or a run of all else.
_TOKEN = pattern(rf'"{_INSIDE}(")?|[\[\]{{}}]|[^\s\[\]{{}}"]+', re.DOTALL)
# All that JSON has outside strings and brackets, with the numbers that programs add to it. Possessive: a long run of
# digits is read once.
_PLAIN = pattern(r"(?:[:,]|-?\d[\d.eE+-]*+|true|false|null|NaN|-?Infinity)++$")
# Strings are matched so that commas in them are passed over; `[,]` stays an error.
_LAST_COMMA = pattern(rf'"{_INSIDE}"?|(?<![\[{{,:]),(?=\s*+[\]}}])', re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)
# `"path": "a.py"`, `path: 'a.py'`, with any quotes: broken JSON is often JavaScript or Python.
_FIELD = pattern(r"(?<![\w.])[\"'`]?([A-Za-z_][\w-]{0,40})[\"'`]?\s{0,9}:\s{0,99}(?=[\"'`])(?:\"([^\"\\\n]{1,400})\")?")
"""A field's name, and its text where that is short and whole."""
_BEHIND = 40  # characters before an error that its message quotes
_TOOL_FIELDS = ("name", "tool", "toolname", "command")
_NO_JSON = Fault(
    "This looks like a tool call and is no JSON{why}.",
    "Send the call again as one JSON object, with line ends and quotes inside strings escaped.",
    Code.BAD_JSON,
)


class Balance:
    """Tracks the brackets of a value, fed line by line. `end` is the offset where it ends in the text fed last."""

    def __init__(self) -> None:
        self.end = 0
        self.depth = 0
        self.string = False
        self.broken = False
        self.closed = False

    def feed(self, text: str, at: int = 0) -> None:
        """Take whole lines, from the offset `at`. Then `closed` says that the value is complete, `broken` that it is no
        JSON, or that something else follows it."""
        if self.string:
            match = _IN_STRING.match(text, at)
            at = match.end() if match else at
            if at >= len(text):
                return
            self.string, at = False, at + 1
        for match in _TOKEN.finditer(text, at):
            found = match[0]
            if self.closed:
                # Behind the value only a comma: `{…},` as in a list whose brackets were forgotten.
                self.broken = self.broken or found != ","
            elif found[0] == '"':
                self.string = match[1] is None
            elif found in "[{":
                self.depth += 1
            elif found in "]}":
                self.depth -= 1
                self.closed = self.depth <= 0
                self.end = match.end()
            elif not _PLAIN.match(found):
                self.broken = True
            if self.broken:
                return


def alone(text: str) -> tuple[object, ...]:
    """Return a tuple of the JSON value that `text` is, or () if it is no valid JSON value."""
    try:
        return (_DECODER.decode(text),)
    except (ValueError, RecursionError):
        return ()


def decoded(text: str) -> tuple[list[tuple[object, int]], int]:
    """Return the JSON values that `text` begins with, with their offsets, and the offset where the JSON ends.

    A comma after the last entry of an object or a list, as models write it, is ignored.
    """
    found: list[tuple[object, int]] = []
    at = 0
    as_written = True
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) or text[at] not in "{[":
            return found, at
        try:
            value, stop = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            # The second try has the commas taken off. Offsets stay, as each becomes a blank.
            if not as_written:
                return found, at
            text, as_written = _without_last_commas(text), False
            continue
        found.append((value, at))
        at = stop


def _without_last_commas(text: str) -> str:
    """Return the text with a blank for each comma before a closing bracket, so that offsets stay."""
    return _LAST_COMMA.sub(lambda match: match[0] if match[0] != "," else " ", text)


def no_json(text: str, line: int) -> Diagnostic:
    """Return the diagnostic for invalid JSON that seems to be a call, at `line` of the reply."""
    why, start = "", next((at for at in map(text.find, "{[") if at >= 0), None)
    try:
        _DECODER.raw_decode(_without_last_commas(text), start or 0)
    except json.JSONDecodeError as error:
        what = error.msg.removesuffix(" starting at")
        behind = text[: error.pos].rstrip()[-_BEHIND:].rpartition("\n")[2].strip()
        why = f": {what[:1].lower()}{what[1:]} behind `{behind}`" if behind and start is not None else ""
    except RecursionError:
        why = ": it is nested too deeply"
    return _NO_JSON.at(line, why=why)


def names_edit(text: str) -> bool:
    """Return whether broken JSON seems to be an edit: it has fields that only edits have, begins with a path and a
    content, or names a tool and a path."""
    fields = [(squashed(name), value) for name, value in _FIELD.findall(text)]
    keys = [key for key, _ in fields]
    if "*** Begin Patch" in text or not {*SURE, "codeedit"}.isdisjoint(keys):
        return True
    # `{"path": …, "content": …`: in any other order such fields may be any data's.
    if len(keys) > 1 and keys[0] in PATH and keys[1] in CONTENT:
        return text.lstrip()[:1] in "[{"
    named = any(key in _TOOL_FIELDS and effect_of(value) is not None for key, value in fields)
    return named and not set(PATH).isdisjoint(keys)


def path_in(text: str) -> str | None:
    """Return the first path that broken JSON names, or None."""
    paths = (value for name, value in _FIELD.findall(text) if squashed(name) in PATH and value)
    return next(map(normalise, paths), None)
