r"""Reads server-sent events from bytes, in pieces of any size, and fields of JSON that somebody else wrote.

Owns the grammar of https://html.spec.whatwg.org/multipage/server-sent-events.html and knows nothing of what the events
mean. Refuses bytes that are not UTF-8 (an edit with a replaced character would be a wrong edit) and events beyond a
bound. Work is linear in the bytes, and any split of the bytes gives the same events.

    stream = [BOM] *event
    event  = *( comment / field ) end-of-line
    field  = name [ ":" [SPACE] value ] end-of-line      ; `data` lines of one event are joined by LF
    comment = ":" *any end-of-line
    end-of-line = CR LF / LF / CR

A field of JSON that is missing or has another type reads as empty: each reader is named for the type that it returns,
and none raises; the caller checks for what must be there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dovetail.llm.errors import MalformedAnswerError

LARGEST_EVENT = 16_000_000
FIRST_OF_EVENTS = (b"", b":", b"d", b"e", b"i", b"r")
"""The first byte that a stream may have after blanks: none, or that of a comment, `data`, `event`, `id` or `retry`."""
_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"[\r\n]")


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event. `n` counts from 1; `line` is the line of the stream, from 1, with its first data."""

    data: str
    name: str
    n: int
    line: int


class EventReader:
    """Turns a stream's bytes into events."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._searched = 0
        self._after_cr = False
        self._line = 0
        self._count = 0
        self._name = ""
        self._data: list[str] = []
        self._size = 0
        self._first_line = 0

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """Take the next bytes; return the events that they complete."""
        self._buffer += piece
        events: list[ServerEvent] = []
        start = 0
        while (found := _LINE_END.search(self._buffer, self._searched)) is not None:
            end = found.start()
            at_lf = self._buffer[end] == 0x0A
            # An LF right behind a CR belongs to the same line end, though the two may come in different pieces.
            if not (at_lf and self._after_cr and end == start):
                event = self._take_line(bytes(self._buffer[start:end]))
                if event is not None:
                    events.append(event)
            self._after_cr = not at_lf
            start = self._searched = end + 1
        # Something follows the last CR, so an LF that comes later is a line end of its own.
        if len(self._buffer) > start:
            self._after_cr = False
        del self._buffer[:start]
        self._searched = len(self._buffer)
        self._check_size(self._size + self._searched)
        return events

    def close(self) -> ServerEvent | None:
        """End the stream. Return the event that no blank line closed, if there is one; it may be incomplete."""
        rest, self._buffer = bytes(self._buffer), bytearray()
        try:
            last = self._take_line(rest) if rest else None
        except MalformedAnswerError:
            last = None  # a character cut in half
        return last or self._dispatch()

    def _take_line(self, raw: bytes) -> ServerEvent | None:
        self._line += 1
        if self._line == 1:
            raw = raw.removeprefix(_BOM)
        if not raw:
            return self._dispatch()
        try:
            line = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise MalformedAnswerError(
                f"Line {self._line:,} of the stream is not UTF-8 (byte {error.start + 1} of the line).",
                hint="Ask again; if it stays so, the provider or a proxy in between is broken.",
            ) from error
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            if not self._data:
                self._first_line = self._line
            self._data.append(value)
            self._size += len(value)
            self._check_size(self._size)
        elif name == "event":
            self._name = value
        return None

    def _dispatch(self) -> ServerEvent | None:
        data, name = self._data, self._name
        self._data, self._name, self._size = [], "", 0
        if not data:
            return None
        self._count += 1
        return ServerEvent("\n".join(data), name, self._count, self._first_line)

    def _check_size(self, size: int) -> None:
        if size > LARGEST_EVENT:
            raise MalformedAnswerError(
                f"Event {self._count + 1:,} of the stream is longer than {LARGEST_EVENT:,} bytes.",
                hint="Check that the address is one of a model.",
            )


Table = Mapping[str, object]

_MOST = 10**15  # a larger number is not a count of anything


def parse_table(text: str | bytes) -> Table | None:
    """Return the object that a JSON text holds, or None if it is not JSON or holds something else.

    A list with one item stands for that item: some providers wrap their errors so.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def table(of: Table, name: str) -> Table:
    """Return a field that is an object; empty if it is missing or of another type."""
    value = of.get(name)
    return value if isinstance(value, Mapping) else {}


def tables(of: Table, name: str) -> list[Table]:
    """Return the objects in a field that is a list; none if it is missing or of another type."""
    value = of.get(name)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def text(of: Table, name: str) -> str:
    """Return a field that is a text; "" if it is missing or of another type."""
    value = of.get(name)
    return value if isinstance(value, str) else ""


def count(of: Table, name: str) -> int:
    """Return a field that is a whole number above 0; 0 if it is missing or anything else."""
    value = of.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST else 0
