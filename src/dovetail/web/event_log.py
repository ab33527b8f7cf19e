"""What happened, numbered from 1, for every tab that listens.

One log for all; a tab that lost its connection goes on behind the last number it saw. Bounded in events and in
characters: whoever asks for what is gone is told to begin anew. Invariant: numbers rise by one and are never given
out again.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_EVENTS = 20_000
MOST_CHARACTERS = 32_000_000


@dataclass(frozen=True, slots=True)
class Numbered:
    """One event: its number, its name, its data as one line of JSON."""

    number: int
    name: str
    data: str


class EventLog:
    """Safe for use by several threads."""

    def __init__(self, most_events: int = MOST_EVENTS, most_characters: int = MOST_CHARACTERS) -> None:
        self._most_events = most_events
        self._most_characters = most_characters
        self._lock = threading.Lock()
        self._events: deque[Numbered] = deque()
        self._characters = 0
        self._last = 0
        self._listeners: set[Callable[[], None]] = set()
        self._closed = False

    @property
    def last(self) -> int:
        """Number of the newest event; 0 before the first."""
        return self._last

    @property
    def closed(self) -> bool:
        """Whether nothing more will come."""
        return self._closed

    def publish(self, name: str, data: Mapping[str, Any]) -> None:
        """Append an event and wake everybody who listens."""
        line = json.dumps(data, separators=(",", ":"))
        with self._lock:
            self._last += 1
            self._events.append(Numbered(self._last, name, line))
            self._characters += len(line)
            while len(self._events) > self._most_events or self._characters > self._most_characters:
                self._characters -= len(self._events.popleft().data)
            listeners = tuple(self._listeners)
        for wake in listeners:
            wake()

    def after(self, number: int) -> tuple[Numbered, ...] | None:
        """The events behind one; None where some of them are gone, or the number was never given out."""
        with self._lock:
            oldest = self._last - len(self._events)
            if not oldest <= number <= self._last:
                return None
            newest_first = islice(reversed(self._events), self._last - number)
            return tuple(newest_first)[::-1]

    @contextmanager
    def listening(self, wake: Callable[[], None]) -> Iterator[None]:
        """Call `wake`, from any thread, whenever something was published or the log was closed."""
        with self._lock:
            self._listeners.add(wake)
        try:
            yield
        finally:
            with self._lock:
                self._listeners.discard(wake)

    def close(self) -> None:
        """Send everybody home."""
        with self._lock:
            self._closed = True
            listeners = tuple(self._listeners)
        for wake in listeners:
            wake()
