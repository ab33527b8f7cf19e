"""What is drawn of a reply while it arrives."""

from __future__ import annotations

import io

import pytest

from dovetail.cli import stream_view
from dovetail.cli.screen import Screen, visible, width
from dovetail.cli.stream_view import StreamView
from dovetail.formats import Stream
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.session.conversation.rounds import Step
from dovetail.session.conversation.turn_events import Piece, Sent
from dovetail.session.conversation.turn_messages import LiveReply
from dovetail.session.settings import DEFAULT_REPLY_OPTIONS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_without_end_costs_no_more_with_every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    view = StreamView(Screen(terminal, colour=False))
    view.draw(Piece("a" * 100_000))
    drawn: list[int] = []
    monkeypatch.setattr(stream_view, "visible", lambda text: drawn.append(len(text)) or visible(text))
    for n in range(100):
        view.draw(Piece(f" word{n}"))
    assert len(drawn) == 100
    assert max(drawn) < 2_000
    assert terminal.getvalue().endswith(" word98 word99")


@pytest.mark.parametrize("word", ["价格太低了，", "a\tb ", "e\u0301t\u00e9 ", "\N{BIRD} and "])
def test_an_unfinished_line_takes_one_row_whatever_it_is_written_in(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    view = StreamView(Screen(terminal, colour=False))
    for _ in range(50):
        view.draw(Piece(word))
    rows = terminal.getvalue().split("\r\x1b[K")
    assert len(rows) == 50
    assert 36 <= max(width(row) for row in rows) <= 39
    assert not any("\t" in row for row in rows)
    assert (word * 50).expandtabs().endswith(rows[-1])


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("I begin.\nThen I wou", "I begin.\nThen I wou\n"),
        (
            "I begin.\nkiosk.py\n```\n<<<<<<< SEARCH\nPRICE = 4\n=======\nPRI",
            "I begin.\nCut short in edit 1, which is not applied.\n",
        ),
    ],
)
def test_a_turn_that_is_stopped_shows_words_and_no_pieces_of_an_edit(reply: str, shown: str) -> None:
    terminal, stream = io.StringIO(), Stream()
    view = StreamView(Screen(terminal, colour=False))
    for character in reply:
        view.draw(Piece(character, "", tuple(stream.feed(character))))
    view.interrupted()
    assert terminal.getvalue() == shown


def test_code_among_the_words_keeps_its_blank_lines_and_an_edit_leaves_one_of_two() -> None:
    reply = (
        "So:\n\n```python\na = 1\n\n\nb = 2\n```\n\n"
        "kiosk.py\n```\n<<<<<<< SEARCH\nPRICE = 4\n=======\nPRICE = 5\n>>>>>>> REPLACE\n```\n\nAll done.\n"
    )
    screen, stream = io.StringIO(), Stream()
    view = StreamView(Screen(screen, colour=False))
    for character in reply:
        view.draw(Piece(character, "", tuple(stream.feed(character))))
    assert screen.getvalue() == "So:\n\n```python\na = 1\n\n\nb = 2\n```\n\nAll done.\n"


@pytest.mark.parametrize("size", [1, 7, 40, 1_000])
def test_where_an_edit_lands_stands_behind_it_however_the_reply_is_cut(size: int) -> None:
    edit = "kiosk.py\n```\n<<<<<<< SEARCH\nPRICE = {0}\n=======\nPRICE = {1}\n>>>>>>> REPLACE\n```\n\n"
    reply = "First:\n\n" + edit.format(4, 5) + "Then:\n\n" + edit.format(5, 6) + "All done.\n"
    known = Snapshot({"kiosk.py": FileText("kiosk.py", "PRICE = 4\n")}, frozenset({"kiosk.py"}))
    screen = io.StringIO()
    view, live = StreamView(Screen(screen, colour=False)), LiveReply(known, DEFAULT_REPLY_OPTIONS, lambda _: known)
    for at in range(0, len(reply), size):
        for event in live.feed(reply[at : at + size]):
            view.draw(event)
    for event in live.close():
        view.draw(event)
    assert [line.split("  fits")[0] for line in screen.getvalue().splitlines() if line] == [
        "First:", "  edit 1", "Then:", "  edit 2", "All done.",
    ]  # fmt: skip


def test_a_blank_line_behind_a_word_is_drawn_in_every_reply_of_a_turn() -> None:
    reply = "Sure!\n\nkiosk.py\n```\n<<<<<<< SEARCH\nPRICE = 4\n=======\nPRICE = 5\n>>>>>>> REPLACE\n```\n\n"
    screen = io.StringIO()
    view = StreamView(Screen(screen, colour=False))
    for step in (Step.REQUEST, Step.REPAIR):
        stream = Stream()
        view.draw(Sent(step, "small", 1, {}))
        for line in reply.splitlines(keepends=True):
            view.draw(Piece(line, "", tuple(stream.feed(line))))
    assert screen.getvalue() == "Sure!\n\nSure!\n\n"
