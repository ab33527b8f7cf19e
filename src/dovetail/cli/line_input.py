"""One line after another from the person in a chat, with editing, history and completion where the system has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

_KEPT = 1_000

try:
    import readline as _found

    _readline: ModuleType | None = _found
except ImportError:  # Windows has none; lines are read all the same
    _readline = None


class LineInput:
    """Reads requests. A line that ends in a backslash goes on with the next; what is pasted at once is one request."""

    def __init__(self, history: Path | None, words: Callable[[], Iterable[str]]) -> None:
        """`history` keeps earlier lines; `words` are what Tab completes to."""
        self._history = history
        self._words = words
        if _readline is not None:
            self._prepare(_readline)

    def read(self, prompt: str) -> str | None:
        """The next request; None at the end of input. Ctrl-C raises KeyboardInterrupt."""
        lines: list[str] = []
        while True:
            try:
                line = input(prompt if not lines else "." * (len(prompt) - 1) + " ")
            except EOFError:
                return None if not lines else "\n".join(lines)
            if not line.endswith("\\"):
                return "\n".join([*lines, line])
            lines.append(line[:-1])

    def close(self) -> None:
        """Keep the history, for this user alone."""
        if _readline is None:
            return
        _readline.set_completer(None)
        if self._history is None:
            return
        with suppress(OSError):
            os.close(os.open(self._history, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
            _readline.set_history_length(_KEPT)
            _readline.write_history_file(str(self._history))

    def _prepare(self, readline: ModuleType) -> None:
        readline.clear_history()
        if self._history is not None:
            with suppress(OSError):
                readline.read_history_file(str(self._history))
        readline.set_completer_delims(" \t\n")
        readline.set_completer(self._completed)
        readline.parse_and_bind("tab: complete")
        # Python turns this off; each line of what is pasted would be a request of its own.
        readline.parse_and_bind("set enable-bracketed-paste on")

    def _completed(self, start: str, state: int) -> str | None:
        fitting = sorted(word for word in self._words() if word.startswith(start)) if start else []
        return fitting[state] if state < len(fitting) else None
