"""Ctrl-C while nobody types, and while something must not stop half-way."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from dovetail.cli.terminal import held_back, wait_for_line


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """Where to read, and where to write."""
    ends = os.pipe()
    yield ends
    for end in ends:
        os.close(end)


def press_later() -> threading.Timer:
    """Press Ctrl-C from outside in a moment."""
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_what_is_typed_ends_the_wait(pipe: tuple[int, int]) -> None:
    threading.Timer(0.05, os.write, (pipe[1], b"a\n")).start()
    wait_for_line(pipe[0])
    assert os.read(pipe[0], 10) == b"a\n"


def test_an_interrupt_ends_the_wait(pipe: tuple[int, int]) -> None:
    press_later()
    with pytest.raises(KeyboardInterrupt):
        wait_for_line(pipe[0])


def test_the_way_to_hear_of_signals_is_put_back(pipe: tuple[int, int]) -> None:
    before = signal.set_wakeup_fd(-1)
    os.write(pipe[1], b"\n")
    wait_for_line(pipe[0])
    assert signal.set_wakeup_fd(before) == -1


def test_an_interrupt_waits_for_what_must_not_stop() -> None:
    done = threading.Event()
    pressed = press_later()
    with pytest.raises(KeyboardInterrupt), held_back():
        pressed.join()
        done.set()
    assert done.is_set()
