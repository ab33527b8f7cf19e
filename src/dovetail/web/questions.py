"""Questions that a turn waits for, answered by whichever tab is first.

The thread that asks sleeps until somebody answers, or the turn is cancelled.
"""

from __future__ import annotations

import threading
from typing import Any


class Question:
    """One question. `record` is what the tabs are told."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self._answered = threading.Event()
        self._answer: object = None

    @property
    def id(self) -> str:
        """What an answer names."""
        return str(self.record["id"])

    @property
    def kind(self) -> str:
        """``add-file`` or ``places``."""
        return str(self.record["kind"])

    def answer(self, value: object) -> None:
        """Give the answer; the first one counts."""
        if not self._answered.is_set():
            self._answer = value
            self._answered.set()

    def close(self) -> None:
        """Nobody will answer."""
        self.answer(None)

    def wait(self) -> object:
        """Sleep until there is an answer; None where there will be none."""
        self._answered.wait()
        return self._answer
