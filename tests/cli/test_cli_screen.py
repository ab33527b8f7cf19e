"""What reaches a terminal: safe, plain where nothing can be styled, and the same words either way."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from dovetail.cli.plan_view import draw_hunks, marker_row
from dovetail.cli.screen import Screen, Styled, TextStyle, visible, wants_colour, width
from dovetail.model.text import Span
from dovetail.session.apply.diff import diff

SEQUENCE = re.compile("\x1b\\[[0-9;]*m")


def drawn(before: str, after: str, *, colour: bool = False) -> str:
    stream = io.StringIO()
    draw_hunks(Screen(stream, colour=colour), diff(before, after))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain\ttext", "plain\ttext"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\rb\x00\x07", "a␍b␀␇"),
        ("\x7f\x9b31m", "␡<U+009B>31m"),
        ("abc\u202edcba", "abc<U+202E>dcba"),
        ("zero\ufeffwidth", "zero<U+FEFF>width"),
        ("日本語 é", "日本語 é"),
    ],
)
def test_nothing_in_a_reply_steers_the_terminal(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@pytest.mark.parametrize(("raw", "shown"), json.loads((Path(__file__).parent / "unseen.json").read_text()), ids=ascii)
def test_what_is_not_seen_is_spelled(raw: str, shown: str) -> None:
    assert visible(raw) == shown


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("", 0)])
def test_width_counts_columns(text: str, columns: int) -> None:
    assert width(text) == columns


class Teletype(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(environment: dict[str, str], terminal: bool, wanted: bool) -> None:
    assert wants_colour(Teletype() if terminal else io.StringIO(), environment) is wanted


def test_a_style_adds_nothing_to_the_words() -> None:
    screen = Screen(io.StringIO(), colour=True)
    assert SEQUENCE.sub("", screen.rendered("a ", Styled("failed", TextStyle.BAD), " b")) == "a failed b"


def test_marks_point_at_changed_characters_without_colour() -> None:
    assert drawn("x = a / b\n", "x = a / max(b, 1)\n").splitlines() == [
        "@@ -1 +1 @@",
        "-x = a / b",
        "+x = a / max(b, 1)",
        "?        ^^^^ ^^^^",
    ]


def test_marks_are_bold_and_underlined_with_colour() -> None:
    text = drawn("x = a\n", "x = b\n", colour=True)
    assert "\x1b[31;1;4ma\x1b[0m" in text
    assert "\x1b[32;1;4mb\x1b[0m" in text
    assert "?" not in text


def test_a_marker_row_keeps_tabs_and_wide_characters_in_line() -> None:
    assert marker_row("\t日本 x", [Span(4, 5)]) == "\t     ^"


def test_a_changed_line_end_is_named() -> None:
    assert drawn("a\r\nb\n", "a\nb\n").splitlines() == ["@@ -1,2 +1,2 @@", "-a [CRLF]", "+a [LF]", " b"]


def test_a_missing_last_line_end_is_named() -> None:
    assert drawn("a\n", "a").splitlines()[1:] == ["-a", "+a", "\\ No newline at end of file"]


def test_a_very_long_line_that_only_lacks_something_is_cut_as_the_other_one_is() -> None:
    head, tail = "lorem " * 300, " ipsum" * 300
    for before, after in ((head + tail, head + "new" + tail), (head + "old" + tail, head + tail)):
        removed, added = (line[1:] for line in drawn(before + "\n", after + "\n").splitlines()[1:] if line[0] in "+-")
        assert removed[:60] == added[:60] == "…" + (" lorem" * 10)[1:]


def test_a_long_line_that_is_changed_at_its_end_is_shown_up_to_it() -> None:
    removed = drawn("lorem " * 100 + "x\n", "lorem " * 100 + "y\n").splitlines()[1]
    assert removed.endswith("lorem x")
    assert len(removed) == 402


def test_a_very_long_line_is_cut_around_its_change() -> None:
    head, tail = "lorem " * 300, " ipsum" * 300
    text = drawn(head + "x" + tail + "\n", head + "y" + tail + "\n")
    removed = text.splitlines()[1]
    assert len(removed) < 420
    assert " x " in removed
    assert removed.startswith("-…")
    assert removed.endswith("…")
