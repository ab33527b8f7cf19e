"""What is drawn of a reply while it arrives."""

from __future__ import annotations

import io
import time

import pytest

from dovetail.cli.screen import Screen
from dovetail.cli.stream_view import StreamView
from dovetail.session.steps import Piece


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_line_without_end_costs_no_more_with_every_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    view = StreamView(Screen(terminal, colour=False))
    view.draw(Piece("a" * 10_000_000))
    began = time.monotonic()
    for n in range(100):
        view.draw(Piece(f" word{n}"))
    assert time.monotonic() - began < 1.5
    assert terminal.getvalue().endswith(" word98 word99")
