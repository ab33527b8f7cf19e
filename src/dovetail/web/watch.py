"""Watches the files of open turns: a change that another program makes is shown within two seconds.

Only what the file system says of the files is looked at, once a second: their times, sizes and numbers. If that
changed, the turn is planned again from the files as they are, with its choices.
"""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from dovetail.model.errors import DovetailError
from dovetail.web.planning import plan_again
from dovetail.web.turns import PageTurn, TurnState

if TYPE_CHECKING:
    from dovetail.web.page_session import PageSession

EVERY = 1.0
"""The seconds between two looks at the files."""
_MOST_WATCHED = 4  # the newest open turns
_MOST_FILES = 500  # files of one turn

_Signs = dict[str, tuple[int, int, int] | None]


class Watcher:
    """Looks at the files of a session's open turns, again and again, until it is stopped."""

    def __init__(self, session: PageSession) -> None:
        self._session = session
        self._seen: dict[str, tuple[int, _Signs]] = {}  # for each turn its plan's number and the signs of its files
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="dovetail-watch", daemon=True)

    def start(self) -> None:
        """Start looking, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Stop looking; a look that has begun is completed."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(EVERY):
            with suppress(DovetailError, OSError):  # the next act on the turn says what is wrong
                self.look()

    def look(self) -> list[str]:
        """Plan the turns again whose files changed since their plan; return the ids of these turns."""
        with self._session.lock:
            turns = [turn for turn in self._session.turns.values() if turn.state is TurnState.OPEN]
            watched = [(turn, turn.plan_taken, self._paths(turn)) for turn in turns[-_MOST_WATCHED:]]
        changed = [turn for turn, plan, paths in watched if self._has_changed(turn, plan, _signs(paths))]
        self._seen = {turn.id: self._seen[turn.id] for turn, _, _ in watched}
        with self._session.lock:
            for turn in changed:
                if turn.state is TurnState.OPEN and turn.id in self._session.turns:
                    turn.last_change = "One of its files was changed outside."
                    with self._session.open() as workspace:
                        plan_again(self._session, turn, workspace)
        return [turn.id for turn in changed]

    def _paths(self, turn: PageTurn) -> list[tuple[str, str]]:
        files = turn.prepared.snapshot.files if turn.prepared is not None else {}
        wanted = dict.fromkeys([*files, *(e.path for e in turn.edits.values() if e.path is not None)])
        return [(path, str(self._session.root / path)) for path in list(wanted)[:_MOST_FILES]]

    def _has_changed(self, turn: PageTurn, plan: int, now: _Signs) -> bool:
        known_plan, before = self._seen.get(turn.id, (-1, {}))
        self._seen[turn.id] = plan, now
        if known_plan == plan:
            return now != before
        # For a new plan: a file that was written after the plan was begun may differ from what was read for it.
        # A time in the future, from another machine's clock say, would count as written after every plan.
        written = [sign[0] / 1e9 for sign in now.values() if sign is not None]
        return any(turn.planned_at < at <= time.time() for at in written)


def _signs(paths: list[tuple[str, str]]) -> _Signs:
    """Return signs by which a changed file is recognized; None for a missing one."""
    signs: _Signs = {}
    for name, path in paths:
        try:
            info = os.stat(path)  # noqa: PTH116 - by the hundred, each second
        except (OSError, ValueError):
            signs[name] = None
        else:
            signs[name] = (info.st_mtime_ns, info.st_size, info.st_ino)
    return signs
