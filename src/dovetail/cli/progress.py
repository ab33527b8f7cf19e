"""One line on the terminal while something takes long; nothing anywhere else, and nothing left behind."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from dovetail.cli.screen import can_redraw

_PATIENCE = 0.5  # seconds before anything is said
_BEAT = 0.2


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """While the block runs longer than a moment, say what is being done and for how long."""
    if sys.stderr is None or not can_redraw(sys.stderr):
        yield
        return
    done = Event()
    teller = Thread(target=_tell, args=(doing, done), daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _tell(doing: str, done: Event) -> None:
    began = time.monotonic()
    if done.wait(_PATIENCE):
        return
    while not done.wait(_BEAT):
        _show(f"{doing} … {time.monotonic() - began:.0f} s")
    _show("")


def _show(text: str) -> None:
    """Write a text over the line."""
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()


class Counter:
    """Counts on the terminal, a few times a second, where it is to be shown."""

    def __init__(self, done: str, *, shown: bool) -> None:
        self._done = done
        self._shown = shown and sys.stderr is not None and can_redraw(sys.stderr)
        self._last = time.monotonic()

    def at(self, number: int) -> None:
        """Say how many are done."""
        if self._shown and time.monotonic() - self._last > _BEAT:
            self._last = time.monotonic()
            _show(f"{number:,} {self._done}")

    def close(self) -> None:
        """Clear the line."""
        if self._shown:
            _show("")
