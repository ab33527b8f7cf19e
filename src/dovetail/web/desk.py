"""One session over one workspace: its turns, its conversation, its log. All tabs see this one.

Owns the lock under which state and log change together, so that a state and the events behind its number always fit.
What may be done with a turn is in `deciding`, asking the model in `asking`, the journal in `journal`. Invariant:
every change that a tab could see is published while the lock is held.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail import __version__
from dovetail.model.errors import JournalError
from dovetail.session.chat_files import ChatFiles
from dovetail.session.history import next_to_undo
from dovetail.session.records import Record, of_operation
from dovetail.session.turn_events import Ledger
from dovetail.web.event_log import EventLog
from dovetail.web.faults import RequestError, busy, not_found
from dovetail.web.settings import settings_record
from dovetail.web.turn_records import of_fate, of_plan, of_turn
from dovetail.web.turn_state import Turn, TurnState
from dovetail.workspace import Workspace, in_git
from dovetail.workspace.history import to_redo

if TYPE_CHECKING:
    from dovetail.session.chat_state import Options
    from dovetail.session.participants import Model
    from dovetail.session.saved_chat import SavedChat
    from dovetail.session.turn_events import Spent, Total
    from dovetail.web.following import Following
    from dovetail.web.questions import Question
    from dovetail.workspace import Operation, Recovery

MOST_TURNS = 50
MOST_EDITS = 4_000
"""What is kept; the oldest turns are forgotten first, never the newest, and for their number alone none that is still
to be decided on. What they wrote stays in the journal, what was said in the conversation's file."""


@dataclass
class Desk:
    """Everything that the page shows. `ready` says why no model can be asked, None where one can.

    running: the turn that the model answers, followed.
    """

    root: Path
    options: Options
    model: Model
    ready: Callable[[Options], RequestError | None]
    log: EventLog = field(default_factory=EventLog)
    held: ChatFiles = field(default_factory=ChatFiles)
    ledger: Ledger = field(default_factory=Ledger)
    spent_on: list[str] = field(default_factory=list)
    turns: dict[str, Turn] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    running: Following | None = None
    chat: SavedChat | None = None
    last_asked: str | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)
    session: str = field(default_factory=lambda: secrets.token_hex(4))
    count: int = 0
    asked: int = 0
    recovery: Recovery | None = None
    told_journal: Record | None = None

    def open(self) -> Workspace:
        """The workspace, for one act; made whole where something was interrupted."""
        return Workspace.open(self.root)

    def new_turn(self, kind: str, request: str | None = None) -> Turn:
        """Begin a turn; it is published by whoever fills it."""
        self.count += 1
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        turn = Turn(f"t{self.count}", kind, now, request)
        self.turns[turn.id] = turn
        self._forget()
        return turn

    def _forget(self) -> None:
        """Let go of old turns beyond the bounds."""
        gone: list[str] = []
        turns, edits = len(self.turns), sum(len(turn.edits) for turn in self.turns.values())
        for turn in tuple(self.turns.values())[:-1]:
            if turns <= MOST_TURNS and edits <= MOST_EDITS:
                break
            undecided = turn.state is TurnState.OPEN and edits <= MOST_EDITS
            if turn.state is not TurnState.RUNNING and not undecided:
                gone.append(turn.id)
                turns, edits = turns - 1, edits - len(turn.edits)
        for name in gone:
            del self.turns[name]
        if gone:
            self.publish("forgotten", {"turns": gone})

    def turn(self, wanted: str) -> Turn:
        """The turn with an id. Raises `RequestError`."""
        if wanted not in self.turns:
            raise not_found(f"turn `{wanted}`")
        return self.turns[wanted]

    def settled_turn(self, wanted: str) -> Turn:
        """A turn that has choices and a plan, and is at rest. Raises `RequestError`."""
        turn = self.turn(wanted)
        if turn.state is TurnState.RUNNING:
            raise busy()
        _ = turn.choices_and_plan
        return turn

    def publish(self, name: str, data: Mapping[str, Any]) -> None:
        """Tell every tab."""
        self.log.publish(name, data)

    def publish_turn(self, turn: Turn) -> None:
        """Tell a turn whole."""
        record = of_turn(turn)
        turn.told = record["plan"]
        self.publish("turn", {"turn": record})

    def publish_state(self, turn: Turn) -> None:
        """Tell where a turn stands."""
        told = {"state": str(turn.state), "error": turn.error, "stopped": turn.stopped, "wanted": list(turn.wanted)}
        self.publish("turn-state", {"turn": turn.id, **told})

    def publish_plan(self, turn: Turn, numbers: Iterable[int]) -> None:
        """Tell a turn's plan and the fates that changed with it, unless the same plan was told."""
        plan = of_plan(turn)
        if plan == turn.told:
            return
        turn.told = plan
        fates = [of_fate(turn.edits[n]) for n in sorted(numbers)]
        self.publish("plan", {"turn": turn.id, "plan": plan, "fates": fates})

    def publish_journal(self, workspace: Workspace, newest: Operation | None = None) -> None:
        """Tell what undo and redo would take now, unless it was told; `newest` is an operation that was made here."""
        told = journal_record(workspace)
        known, self.told_journal = self.told_journal, told
        if newest is None and known in (None, told):
            return
        self.publish("journal", {**told, "operation": of_operation(newest) if newest is not None else None})
        if newest is None:
            self.publish("tree", {})

    def note(self, turn: Turn, text: str, hint: str | None) -> None:
        """Tell one sentence, kept with its turn."""
        note = {"text": text, "hint": hint}
        turn.notes.append(note)
        self.publish("note", {"turn": turn.id, **note})

    def spend(self, turn: Turn, spent: Spent) -> None:
        """Note what a request cost."""
        self.ledger.entries.append(spent)
        self.spent_on.append(turn.id)
        told = self.ledger_record()
        self.publish("ledger", {**told, "requests": None, "request": told["requests"][-1]})

    def state(self) -> Record:
        """All that a tab needs to begin; `seq` is the number of the last event in it."""
        with self.lock, self.open() as workspace:
            return {
                "seq": self.log.last,
                "session": self.session,
                "version": __version__,
                "root": str(self.root),
                "name": self.root.name or str(self.root),
                "git": in_git(self.root),
                "settings": settings_record(self),
                "held": self.held.record,
                "turns": [of_turn(turn) for turn in self.turns.values()],
                "running": self.running.turn.id if self.running is not None else None,
                "questions": [question.record for question in self.questions.values()],
                "ledger": self.ledger_record(),
                "journal": journal_record(workspace),
            }

    def ledger_record(self) -> Record:
        """What every request cost, and the sums."""
        entries = zip(self.spent_on, self.ledger.entries, strict=True)
        return {
            "requests": [{"turn": turn, **spent.record} for turn, spent in entries],
            "total": _of_total(self.ledger.total),
            "by_step": {str(step): _of_total(total) for step, total in self.ledger.by_step().items()},
        }

    def stop_model(self) -> None:
        """Have the turn that runs end soon; its thread settles it."""
        if self.running is not None:
            self.running.cancel.cancel()
            for question in tuple(self.questions.values()):
                question.close()

    def close(self) -> None:
        """Stop the model, and send every tab home."""
        self.stop_model()
        if self.chat is not None:
            self.chat.close()
        self.log.close()


def _of_total(total: Total) -> Record:
    names = ("requests", "input", "output", "repairs", "messages", "again", "saved")
    return {name: getattr(total, name) for name in names}


def known_operations(workspace: Workspace) -> list[Operation]:
    """Every operation, oldest first; none where the journal cannot be read, which undo and the log tell."""
    try:
        return workspace.log()
    except JournalError:
        return []


def journal_record(workspace: Workspace) -> Record:
    """What undo and redo would take."""
    operations = {operation.id: operation for operation in known_operations(workspace)}
    undo: str | None = None
    redo = False
    with suppress(JournalError):
        undo = next_to_undo(workspace, operations)
    with suppress(JournalError):
        redo = bool(to_redo(operations))
    return {"undo": undo, "redo": redo, "count": len(operations)}
