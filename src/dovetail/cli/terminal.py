"""The person at the terminal: questions, Ctrl-C at the moments that need care, and a line while something takes long.

Questions can be asked while standard input is the reply. End of input and Ctrl-C are no answers: they raise
KeyboardInterrupt, and whoever asked has written nothing yet.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TextIO, TypeVar

from dovetail.cli.screen import can_redraw, visible

if sys.platform != "win32":
    import termios

Event = TypeVar("Event")
End = TypeVar("End")

NOBODY = "Nothing was written: there is no terminal to ask on."
_CONSOLE = "CONIN$" if sys.platform == "win32" else "/dev/tty"
_PATIENCE = 0.5  # seconds before anything is shown
_BEAT = 0.2
_RARE = 60.0


class Terminal(AbstractContextManager["Terminal"]):
    """Asks on one pair of streams."""

    def __init__(self, answers: TextIO, questions: TextIO, *, owned: bool = False) -> None:
        self._answers = answers
        self._questions = questions
        self._owned = owned

    def __exit__(self, *_: object) -> None:
        if self._owned:
            self._answers.close()

    def ask(self, question: str, choices: Mapping[str, str], default: str) -> str:
        """Ask until a choice is made, and return its key. choices: a meaning for each key.

        A choice may be typed by its key or by any start of its meaning; Enter alone takes the default.
        """
        while True:
            self._questions.write(f"{visible(question)} ")
            self._questions.flush()
            wait_for_line(self._answers.fileno())
            line = self._answers.readline()
            if not line:
                raise KeyboardInterrupt
            typed = line.strip().lower()
            if not typed:
                return default
            for key, meaning in choices.items():
                # One letter is a key or nothing: `e` must not become "everything" because a meaning begins so.
                if typed == key or (len(typed) > 1 and meaning.startswith(typed)):
                    return key
            offered = ", ".join(f"{key} ({meaning})" for key, meaning in choices.items())
            self._questions.write(f"Type {offered}.\n")

    def agrees(self, question: str) -> bool:
        """Return whether the person says yes; Enter alone is no."""
        return self.ask(f"{question} [y]es, [n]o (Enter: no)", {"y": "yes", "n": "no"}, "n") == "y"

    def forget(self) -> None:
        """Drop what was typed until now: it is no answer to a question that nobody has seen yet."""
        if sys.platform == "win32":
            return
        with suppress(termios.error):  # the terminal was closed, which the question finds out
            termios.tcflush(self._answers.fileno(), termios.TCIFLUSH)


def open_terminal(*, stdin_is_reply: bool) -> Terminal | None:
    """Return the terminal to ask on, or None if nobody is there to answer.

    With the reply on standard input the controlling terminal itself is opened, provided that the person sees what
    this command prints: one that runs unseen must not wait for a key.
    """
    seen = next((stream for stream in (sys.stdout, sys.stderr) if stream is not None and stream.isatty()), None)
    if seen is None:
        return None
    if not stdin_is_reply:
        return Terminal(sys.stdin, seen) if sys.stdin is not None and sys.stdin.isatty() else None
    try:
        keys = open(_CONSOLE, encoding="utf-8", errors="replace")  # noqa: PTH123, SIM115 - a device, closed on exit
    except OSError:
        return None
    return Terminal(keys, seen, owned=True)


def wait_for_line(descriptor: int) -> None:
    """Return when there is something to read. Ctrl-C raises KeyboardInterrupt, whenever it comes.

    A blocking read is interrupted only by signals that come while it waits: one that came just before it, after the
    question was shown, would be handled after the next line. (Windows can wait only by reading.)
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    heard, signals = os.pipe()
    os.set_blocking(signals, False)
    # A signal writes a byte into the pipe, so `select` returns even for one that came just before it.
    before = signal.set_wakeup_fd(signals, warn_on_full_buffer=False)
    try:
        select.select([descriptor, heard], [], [])
    finally:
        signal.set_wakeup_fd(before)
        os.close(heard)
        os.close(signals)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold back SIGINT while the block runs; raise KeyboardInterrupt after it if one came."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
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


@contextmanager
def progress(doing: str) -> Iterator[None]:
    """While the block runs longer than a moment, show what is being done and for how long; a terminal alone sees it."""
    if sys.stderr is None or not can_redraw(sys.stderr):
        yield
        return
    done = threading.Event()

    def show() -> None:
        began = time.monotonic()
        if done.wait(_PATIENCE):
            return
        while not done.wait(_BEAT):
            _show(f"{doing} … {time.monotonic() - began:.0f} s")
        _show("")

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class Counter:
    """Counts on standard error, if it is to be shown: on a terminal a few times a second, elsewhere once a minute."""

    def __init__(self, done: str, *, shown: bool) -> None:
        self._done = done
        self._redrawn = sys.stderr is not None and can_redraw(sys.stderr)
        self._shown = shown and sys.stderr is not None
        self._last = self._began = time.monotonic()
        self._first: float | None = None

    def at(self, number: int, part: float | None = None) -> None:
        """Show how many are done, and how long the rest will take if `part`, the part of all that is done, is known."""
        now = time.monotonic()
        if self._first is None:
            self._first = part  # the part done before this began to count
        if not self._shown or now - self._last < (_BEAT if self._redrawn else _RARE):
            return
        self._last = now
        text = f"{number:,} {self._done}"
        if part is not None and self._first is not None and part > self._first:
            seconds = (now - self._began) * (1 - part) / (part - self._first)
            text += f", {part:.0%}, about {seconds // 3600:.0f}:{seconds // 60 % 60:02.0f}:{seconds % 60:02.0f} left"
        if self._redrawn:
            _show(text)
        else:
            sys.stderr.write(f"{text}\n")

    def close(self) -> None:
        """Clear the line."""
        if self._shown and self._redrawn:
            _show("")


def _show(text: str) -> None:
    sys.stderr.write(f"\r\x1b[K{visible(text)}")
    sys.stderr.flush()
