"""Ctrl-C at the moments that need care: while something must not stop half-way, while nobody types, and in a turn.

A turn hears it wherever it comes: while the model is waited for, and while what came is drawn.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from dovetail.session.loop.steps import Event

End = TypeVar("End")


@contextmanager
def held_back() -> Iterator[None]:
    """Hold back SIGINT while the block runs; raises KeyboardInterrupt behind it where one came."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    import signal  # most commands hear nothing

    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def driven(events: Generator[Event, None, End], draw: Callable[[Event], None]) -> End:
    """Run a turn, or several, to the end, drawing each event. Ctrl-C while one is drawn is thrown into the turn."""
    try:
        event = next(events)
        while True:
            try:
                draw(event)
            except KeyboardInterrupt as stop:
                event = events.throw(stop)
            else:
                event = next(events)
    except StopIteration as ended:
        end: End = ended.value
        return end
    finally:
        events.close()


def wait_for_line(descriptor: int) -> None:
    """Return when there is something to read. Ctrl-C raises KeyboardInterrupt, whenever it comes.

    A read that blocks hears only of the signals that come while it waits: one that came just before it, when the
    question stood on the screen already, would be heard with the next line. (On Windows nothing but a read can wait.)
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    import select
    import signal

    heard, signals = os.pipe()
    os.set_blocking(signals, False)
    before = signal.set_wakeup_fd(signals, warn_on_full_buffer=False)
    try:
        select.select([descriptor, heard], [], [])
    finally:
        signal.set_wakeup_fd(before)
        os.close(heard)
        os.close(signals)
