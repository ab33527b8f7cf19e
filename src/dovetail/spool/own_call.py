"""Records a call that may change the whole tree, for a program that carries the call out itself.

Puts into the spool what an agent's hook would put there before and after the call, so that the journal tells whose
change it was in the same way, whatever other calls are open meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from dovetail.spool.processes import this_process
from dovetail.spool.spool import Spool, call_name
from dovetail.spool.tree import Looker


class OwnCall:
    """One call: `begin` before it, `end` after it.

    root: an absolute path without links. agent, session, tool, call: the names to record in the journal.
    requests: the first words of each request of the session, in order; the call belongs to the last of them.
    """

    def __init__(self, root: str, agent: str, session: str, tool: str, call: str, requests: Sequence[str] = ()) -> None:
        self._spool = Spool.make(root)
        self._looker = Looker(self._spool)
        self._name = call_name(session, call)
        self._requests = requests
        self._who = {"agent": agent, "session": session, "thread": "", "request": str(len(requests) or "")}
        self._begun: dict[str, Any] = {
            **self._who, "call": call, "tool": tool, "paths": [], "base": "", "tree": True, "done": False,
            "background": "", "process": this_process(), "since": int(time.time()),
        }  # fmt: skip

    def begin(self) -> None:
        """Record the tree before the call. Raises `OSError`, `TooLargeError`."""
        other = next((call["base"] for call in self._spool.open_calls().values() if call["base"]), None)
        # The base of a call that is open already spares reading every file again.
        if other is not None:
            self._looker.use(other)
        for number, words in enumerate(self._requests, start=1):  # so that the journal counts them as the program does
            self._note({**self._event(), "request": str(number), "words": words})
        seen = self._looker.look([], whole=True, new=True)
        self._begun["base"] = self._looker.name
        self._spool.open_call(self._name, self._begun)
        self._note({**self._event(), **seen, "opens": self._name, "call": self._begun})

    def end(self) -> None:
        """Record the tree after the call. The call has ended even if this raises, as `begin` does."""
        try:
            self._note({**self._event(), **self._looker.look([], whole=True), "closes": [self._name]})
        finally:
            self._spool.close_call(self._name)

    def _event(self) -> dict[str, Any]:
        return {**self._who, "time": int(time.time()), "opens": None, "closes": [], "files": {}, "was": {}}

    def _note(self, event: dict[str, Any]) -> None:
        self._spool.add_event(event)
