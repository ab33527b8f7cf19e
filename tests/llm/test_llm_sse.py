"""Server-sent events: the grammar as a table, and the laws that any split and any line end keep."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.llm import wire
from dovetail.llm.errors import MalformedAnswerError
from dovetail.llm.wire import EventReader, ServerEvent


def read(stream: bytes, *cuts: int) -> list[ServerEvent]:
    reader = EventReader()
    events: list[ServerEvent] = []
    for start, end in pairwise((0, *sorted(cuts), len(stream))):
        events += reader.feed(stream[start:end])
    last = reader.close()
    return events if last is None else [*events, last]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        pytest.param("data: a\n\n", [("a", "", 1)], id="one"),
        pytest.param("data: a\r\n\r\ndata: b\r\n\r\n", [("a", "", 1), ("b", "", 3)], id="CRLF"),
        pytest.param("data: a\r\rdata: b\r\r", [("a", "", 1), ("b", "", 3)], id="CR"),
        pytest.param("data: a\ndata: b\n\n", [("a\nb", "", 1)], id="several lines"),
        pytest.param("data:a\n\ndata:  b\n\n", [("a", "", 1), (" b", "", 3)], id="one space at most goes"),
        pytest.param("data\n\n", [("", "", 1)], id="data without a colon"),
        pytest.param(": hi\n\n:\n\ndata: a\n\n", [("a", "", 5)], id="comments"),
        pytest.param("event: ping\n\ndata: a\n\n", [("a", "", 3)], id="a name without data is forgotten"),
        pytest.param("event: x\nid: 7\nretry: 5\nother: y\ndata: a\n\n", [("a", "x", 5)], id="other fields"),
        pytest.param("\ufeffdata: a\n\n", [("a", "", 1)], id="BOM"),
        pytest.param("data: \ufeff\n\n", [("\ufeff", "", 1)], id="BOM as content"),
        pytest.param("data: a", [("a", "", 1)], id="not closed"),
        pytest.param("data: a\n", [("a", "", 1)], id="not closed by a blank line"),
        pytest.param("data: a\u2028b\x0cc\n\n", [("a\u2028b\x0cc", "", 1)], id="other line separators are content"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_grammar(stream: str, events: list[tuple[str, str, int]]) -> None:
    found = read(stream.encode())
    assert [(e.data, e.name, e.line) for e in found] == events
    assert [e.n for e in found] == list(range(1, len(events) + 1))


LINES = st.sampled_from(["data: é☃", "data: b", "data", ": c", "event: x", "", "", "x", "\ufeffdata: z"])


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_any_split_gives_the_same_events(lines: list[str], end: str, data: st.DataObject) -> None:
    stream = end.join(lines).encode()
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=8))
    assert read(stream, *cuts) == read(stream) == read(stream, *range(len(stream)))


@settings(max_examples=100, deadline=None)
@given(st.lists(LINES, max_size=12))
def test_every_line_end_gives_the_same_events(lines: list[str]) -> None:
    unix, windows, mac = (read(end.join([*lines, ""]).encode()) for end in ("\n", "\r\n", "\r"))
    assert unix == windows == mac


def test_bytes_that_are_no_utf8_are_refused_with_their_line() -> None:
    with pytest.raises(MalformedAnswerError, match="Line 2 of the stream is not UTF-8 \\(byte 8"):
        read(b": ok\ndata: a\xff\n\n")


def test_a_character_cut_off_at_the_end_is_no_error_of_its_own() -> None:
    assert read("data: a\n\ndata: é".encode()[:-1]) == [ServerEvent("a", "", 1, 1)]


@pytest.mark.parametrize("stream", [b"data: " + b"x" * 100, b"data: xxxxxxxxx\n" * 100])
def test_an_event_without_bound_is_refused(stream: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LARGEST_EVENT", 64)
    with pytest.raises(MalformedAnswerError, match="longer than 64 bytes"):
        read(stream)


def test_single_bytes_cost_linear_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counting:
        """Looks for line ends, and counts the bytes that it looks at."""

        bytes = 0

        def search(self, buffer: bytearray, start: int) -> re.Match[bytes] | None:
            self.bytes += len(buffer) - start
            return line_end.search(buffer, start)

    line_end, counting = wire._LINE_END, Counting()
    monkeypatch.setattr(wire, "_LINE_END", counting)
    reader = EventReader()
    for _ in range(10_000):
        reader.feed(b"x")
    assert counting.bytes == 10_000
