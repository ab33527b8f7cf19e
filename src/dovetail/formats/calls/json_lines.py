r"""JSON values that stand in a reply's text, from a line that begins with a bracket to the line where it closes.

Only the brackets and strings are followed while lines arrive; the value is decoded once, when it is complete. What
turns out not to be JSON goes back as text, and no value is tried again from inside it, so the work stays linear.
"""

from __future__ import annotations

import json
import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]|[^\s\[\]{}"]+', re.DOTALL)
_PLAIN = re.compile(r"(?:[:,]|-?\d[\d.eE+-]*+|true|false|null)++$")
_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"?|(?<![\[{,:]),(?=\s*+[\]}])', re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)


class Balance:
    """How deep in brackets a text is, fed line by line. `end` is where the value ends in the text that was fed last."""

    def __init__(self) -> None:
        self.end = 0
        self.depth = 0
        self.string = False
        self.broken = False
        self.closed = False

    def feed(self, text: str, at: int = 0) -> None:
        """Take whole lines, from the offset `at`. Afterwards `closed` says that the value is complete, `broken` that it
        is none, or has something else behind it."""
        if self.string:
            match = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL).match(text, at)
            at = match.end() if match else at
            if at >= len(text):
                return
            self.string, at = False, at + 1
        for match in _TOKEN.finditer(text, at):
            found = match[0]
            if self.closed:
                self.broken = self.broken or found != ","
            elif found[0] == '"':
                self.string = len(found) < 2 or not _is_closed(found)
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


def _is_closed(found: str) -> bool:
    """Whether a string token ends with a quote that is not escaped."""
    if not found.endswith('"'):
        return False
    body = found[1:-1]
    return (len(body) - len(body.rstrip("\\"))) % 2 == 0


def decoded(text: str) -> tuple[list[tuple[object, int]], int]:
    """The JSON values at the top of `text` with their offsets, and the offset of what is none."""
    found: list[tuple[object, int]] = []
    at = 0
    as_given = True
    while True:
        while at < len(text) and text[at] in " \t\r\n,":
            at += 1
        if at >= len(text) or text[at] not in "{[":
            return found, at
        try:
            value, stop = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            if not as_given:
                return found, at
            text, as_given = _without_last_commas(text), False
            continue
        found.append((value, at))
        at = stop


def _without_last_commas(text: str) -> str:
    """The text with a blank for each comma behind the last entry of an object or a list, as models put them there."""
    return _LAST_COMMA.sub(lambda match: match[0] if match[0] != "," else " ", text)
