"""Questions to the person at the terminal, also where standard input is the reply.

Owns the only place that waits for a key. End of input and Ctrl-C are no answers: they raise KeyboardInterrupt, and
whoever asked has written nothing yet.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from typing import TextIO

from dovetail.cli.interrupts import wait_for_line

NOBODY = "Nothing was written: there is no terminal to ask on."
_CONSOLE = "CONIN$" if sys.platform == "win32" else "/dev/tty"


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
        """The key of the choice that was made. Choices map what may be typed to what is meant.

        A choice may be typed by its key or by any start of its meaning; Enter alone takes the default.
        """
        while True:
            typed = self._line(question).strip().lower()
            if not typed:
                return default
            for key, meaning in choices.items():
                if typed == key or (len(typed) > 1 and meaning.startswith(typed)):
                    return key
            offered = ", ".join(f"{key} ({meaning})" for key, meaning in choices.items())
            self._questions.write(f"Type {offered}.\n")

    def agrees(self, question: str) -> bool:
        """Whether the person says yes; Enter alone is no."""
        return self.ask(f"{question} [y]es, [n]o (Enter: no)", {"y": "yes", "n": "no"}, "n") == "y"

    def forget(self) -> None:
        """Drop what was typed until now: it is no answer to a question that nobody has seen yet."""
        if sys.platform == "win32":
            return
        import termios

        with suppress(termios.error):  # the terminal was closed, which the question finds out
            termios.tcflush(self._answers.fileno(), termios.TCIFLUSH)

    def _line(self, question: str) -> str:
        self._questions.write(f"{question} ")
        self._questions.flush()
        wait_for_line(self._answers.fileno())
        line = self._answers.readline()
        if not line:
            raise KeyboardInterrupt
        return line


def open_terminal(*, stdin_is_reply: bool) -> Terminal | None:
    """The terminal to ask on, or None where nobody is there to answer.

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
