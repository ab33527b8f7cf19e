"""Ctrl-C while files are written waits until that is done."""

from __future__ import annotations

import os
import signal

import pytest

from dovetail.cli.terminal import held_back


def test_an_interrupt_is_held_back_and_comes_afterwards() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt), held_back():  # the signal comes in the middle
        os.kill(os.getpid(), signal.SIGINT)
        done.append("written")
    assert done == ["written"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_one_nothing_is_raised() -> None:
    with held_back():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
