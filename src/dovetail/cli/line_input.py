"""One request after another from the person in a chat, with editing, history and completion where the system has them.

A request of several lines is one entry of the history: there, as when it is typed, each but its last line ends in a
backslash.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

_KEPT = 1_000
_GOES_ON = "\\\n"

try:
    import readline as _found

    _readline: ModuleType | None = _found
except ImportError:  # Windows has none; lines are read all the same
    _readline = None


class LineInput:
    """Reads requests. A line that ends in a backslash goes on with the next; what is pasted at once is one request."""

    def __init__(self, history: Path | None, words: Callable[[], Iterable[str]]) -> None:
        """`history` keeps earlier requests; `words` are what Tab completes to."""
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
                return None if not lines else _noted("\n".join(lines))
            if not line.endswith("\\"):
                return _noted("\n".join([*lines, line]))
            lines.append(line[:-1])

    def close(self) -> None:
        """Keep the history, for this user alone."""
        if _readline is None:
            return
        _readline.set_completer(None)
        if self._history is None:
            return
        with suppress(OSError):
            kept = os.open(self._history, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
            with os.fdopen(kept, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.writelines(said.replace("\n", _GOES_ON) + "\n" for said in _requests(_readline)[-_KEPT:])

    def _prepare(self, readline: ModuleType) -> None:
        readline.clear_history()
        readline.set_auto_history(False)  # it takes each line for an entry
        if self._history is not None:
            with suppress(OSError):
                kept = self._history.read_text(encoding="utf-8", errors="surrogateescape")
                for said in kept.replace(_GOES_ON, "\0").split("\n"):
                    if said:
                        readline.add_history(said.replace("\0", "\n"))
        readline.set_completer_delims(" \t\n")
        readline.set_completer(self._completed)
        readline.parse_and_bind("tab: complete")
        # Python turns this off; each line of what is pasted would be a request of its own.
        readline.parse_and_bind("set enable-bracketed-paste on")

    def _completed(self, start: str, state: int) -> str | None:
        fitting = sorted(word for word in self._words() if word.startswith(start)) if start else []
        return fitting[state] if state < len(fitting) else None


def _noted(request: str) -> str:
    """A request, once more to be had from the history."""
    if _readline is not None and request.strip() and request not in _requests(_readline)[-1:]:
        _readline.add_history(request)
    return request


def _requests(readline: ModuleType) -> list[str]:
    """The history, oldest first."""
    return [readline.get_history_item(n) for n in range(1, readline.get_current_history_length() + 1)]
