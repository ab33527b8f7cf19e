"""Questions that a turn waits for, answered by whichever tab is first.

The thread that asks sleeps until somebody answers, or the turn is cancelled. A file that somebody takes into the
conversation meanwhile answers the question about it.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from dovetail.session.participants import Why

if TYPE_CHECKING:
    from dovetail.session.chat_files import ChatFiles


class Question:
    """One question. `record` is what the tabs are told; `places` has the lines that each edit may begin at."""

    def __init__(self, record: dict[str, Any], places: Mapping[int, Collection[int]] | None = None) -> None:
        self.record = record
        self.places = places or {}
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

    def settled_by(self, held: ChatFiles) -> bool:
        """Whether these files in the conversation are the answer."""
        return self.kind == "add-file" and holds(held, self.record["path"], Why(self.record["why"]))

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


def holds(held: ChatFiles, path: str, why: Why) -> bool:
    """Whether a file may be shown to the model, or edited by it, already."""
    return path in (held.paths if why is Why.ASKED else held.editable)
