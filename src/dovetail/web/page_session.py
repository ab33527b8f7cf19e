"""One session over one workspace: its turns, its conversation, its log. All tabs see the same one.

Owns the lock under which state and log change together, so a state and the events after its number always fit; every
change that a tab could see is published while the lock is held. `decisions` has what a person may do with a turn,
`asking` asks the model, `journal` undoes. A `PageQuestion` is what a turn waits for a person to answer.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from dovetail import __version__
from dovetail.formats.table import AUTO, format_names
from dovetail.model.errors import JournalError
from dovetail.session.apply.operations import next_to_undo
from dovetail.session.apply.records import Record, fields, of_operation
from dovetail.session.conversation.chat_files import ChatFiles
from dovetail.session.conversation.participants import Why
from dovetail.session.conversation.turn_events import Ledger
from dovetail.web.events import EventLog
from dovetail.web.requests import RequestError, busy, error_record, not_found
from dovetail.web.turns import PageTurn, Running, TurnState, outcome_record, plan_record, turn_record
from dovetail.workspace import Workspace, in_git
from dovetail.workspace.journal.undo import to_redo

if TYPE_CHECKING:
    from dovetail.session.conversation.chat_state import Options
    from dovetail.session.conversation.participants import Model
    from dovetail.session.conversation.saved_chat import SavedChat
    from dovetail.session.conversation.turn_events import Spent
    from dovetail.web.provider import Provider
    from dovetail.workspace import Operation, Recovery

MOST_TURNS = 50
MOST_EDITS = 4_000
"""The most turns and edits that are kept; the oldest turns are forgotten first, never the newest. A turn that needs a
decision is not forgotten for the number of turns. The journal keeps what turns wrote, the conversation's file its
messages."""
_TOTAL = "requests input output repairs messages again saved"
READINGS = (AUTO, *format_names())
"""The formats in which a pasted reply may be read."""


class SessionLock:
    """A reentrant lock that its holder can release for work that takes long, however often it was taken."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._taken = 0  # how often its holder took it; only the holder reads it

    def __enter__(self) -> None:
        self._lock.acquire()
        self._taken += 1

    def __exit__(self, *_: object) -> None:
        self._taken -= 1
        self._lock.release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Release the lock in the body. What was read before may have changed after it."""
        taken, self._taken = self._taken, 0
        # A reentrant lock is free only when it was released as often as it was taken.
        for _ in range(taken):
            self._lock.release()
        try:
            yield
        finally:
            for _ in range(taken):
                self._lock.acquire()
            self._taken = taken


class PageQuestion:
    """A question about a file that a turn waits for; whichever tab answers first counts.

    record: what the tabs get.
    """

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self._answered = threading.Event()
        self._answer: bool | None = None

    @property
    def id(self) -> str:
        """The name that an answer uses."""
        return str(self.record["id"])

    def is_answered_by(self, held: ChatFiles) -> bool:
        """Return whether these files in the conversation answer the question."""
        return holds(held, self.record["path"], Why(self.record["why"]))

    def answer(self, value: bool | None) -> None:
        """Set the answer, None if nobody will give one; only the first call counts."""
        if not self._answered.is_set():
            self._answer = value
            self._answered.set()

    def wait(self) -> bool | None:
        """Sleep until there is an answer; return None if nobody will answer."""
        self._answered.wait()
        return self._answer


class Keeper(Protocol):
    """Keeps open turns beyond the end of the server."""

    def keep(self, session: PageSession, turn: PageTurn) -> None:
        """Keep a turn as it is now, or forget it if nothing is left to decide."""

    def forget(self, session: PageSession, turn: PageTurn) -> None:
        """Forget a turn that leaves the page."""


def holds(held: ChatFiles, path: str, why: Why) -> bool:
    """Return whether a file may be shown to the model, or edited by it, already."""
    return why is not Why.WHOLE and path in (held.paths if why is Why.ASKED else held.editable)


@dataclass
class PageSession:
    """Everything that the page shows.

    ready: returns why no model can be asked, None if one can. provider: takes keys and addresses for the session, where
    the model has such. home: the root to go back to from the sample, None outside of it.
    running: the run of the model over a turn.
    spent_on: for each entry of the ledger, its turn. last_asked: the turn that the model answered last.
    published_journal: the journal's record as the tabs have it. keeper: keeps open turns; None if nobody does.
    opens: what a tab is to show first, as `GET /api/recorded` takes it; None for the chat.
    """

    root: Path
    options: Options
    model: Model
    ready: Callable[[Options], RequestError | None]
    provider: Provider | None = None
    home: Path | None = None
    log: EventLog = field(default_factory=EventLog)
    held: ChatFiles = field(default_factory=ChatFiles)
    ledger: Ledger = field(default_factory=Ledger)
    spent_on: list[str] = field(default_factory=list)
    turns: dict[str, PageTurn] = field(default_factory=dict)
    questions: dict[str, PageQuestion] = field(default_factory=dict)
    running: Running | None = None
    chat: SavedChat | None = None
    last_asked: str | None = None
    lock: SessionLock = field(default_factory=SessionLock)
    id: str = field(default_factory=lambda: secrets.token_hex(4))
    turn_count: int = 0
    question_count: int = 0
    recovery: Recovery | None = None
    published_journal: Record | None = None
    keeper: Keeper | None = None
    opens: Record | None = None

    def open(self) -> Workspace:
        """Return the workspace, for one act. Opening it completes an interrupted operation."""
        return Workspace.open(self.root, encoding=self.options.reply.encoding)

    def new_turn(self, kind: str, request: str | None = None) -> PageTurn:
        """Begin a turn, and forget old ones beyond the bounds. The caller fills and publishes it."""
        self.turn_count += 1
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        new = PageTurn(f"t{self.turn_count}", kind, now, request)
        self.turns[new.id] = new
        forgotten: list[str] = []
        turns, edits = len(self.turns), sum(len(turn.edits) for turn in self.turns.values())
        for turn in tuple(self.turns.values())[:-1]:
            if turns <= MOST_TURNS and edits <= MOST_EDITS:
                break
            # Too many turns spare those that are open; too many edits spare only the one that is running.
            undecided = turn.state is TurnState.OPEN and edits <= MOST_EDITS
            if turn.state is not TurnState.RUNNING and not undecided:
                forgotten.append(turn.id)
                turns, edits = turns - 1, edits - len(turn.edits)
        for name in forgotten:
            self.let_go(self.turns.pop(name))
        if forgotten:
            self.publish("forgotten", {"turns": forgotten})
        return new

    def let_go(self, turn: PageTurn) -> None:
        """Forget what is kept of a turn that leaves the page for good."""
        if self.keeper is not None:
            self.keeper.forget(self, turn)

    def turn(self, name: str) -> PageTurn:
        """Return the turn with an id. Raises `RequestError`."""
        if name not in self.turns:
            raise not_found(f"turn `{name}`")
        return self.turns[name]

    def planned_turn(self, name: str) -> PageTurn:
        """Return a turn that has choices and a plan, and is not running. Raises `RequestError`."""
        turn = self.turn(name)
        if turn.state is TurnState.RUNNING:
            raise busy()
        _ = turn.choices_and_plan
        return turn

    def publish(self, name: str, data: Mapping[str, Any]) -> None:
        """Send an event to every tab."""
        self.log.publish(name, data)

    def publish_turn(self, turn: PageTurn) -> None:
        """Publish a whole turn."""
        record = turn_record(turn)
        turn.published_plan = record["plan"]
        self.publish("turn", {"turn": record})
        self._keep(turn)

    def publish_state(self, turn: PageTurn) -> None:
        """Publish a turn's state."""
        self.publish("turn-state", {"turn": turn.id, **fields(turn, "state error stopped wanted")})
        self._keep(turn)

    def publish_plan(self, turn: PageTurn, numbers: Iterable[int]) -> None:
        """Publish a turn's plan and the outcomes of some edits, unless the tabs have the same plan."""
        plan = plan_record(turn)
        self._keep(turn)
        if plan == turn.published_plan:
            return
        turn.published_plan = plan
        self.publish("plan", {"turn": turn.id, "plan": plan, "fates": _outcomes(turn, numbers)})

    def publish_comments(self, turn: PageTurn) -> None:
        """Publish the comments on a turn."""
        self.publish("comments", {"turn": turn.id, "comments": turn.comments})
        self._keep(turn)

    def _keep(self, turn: PageTurn) -> None:
        if self.keeper is not None:
            self.keeper.keep(self, turn)

    def publish_outcomes(self, turn: PageTurn, numbers: Iterable[int]) -> None:
        """Publish the outcomes of some edits."""
        self.publish("fates", {"turn": turn.id, "fates": _outcomes(turn, numbers)})

    def publish_journal(self, workspace: Workspace, newest: Operation | None = None) -> None:
        """Publish the operations that undo and redo would take, if they changed. newest: an operation made here."""
        record = _journal_record(workspace)
        known, self.published_journal = self.published_journal, record
        if newest is None and known in (None, record):
            return
        self.publish("journal", {**record, "operation": of_operation(newest) if newest is not None else None})
        if newest is None:
            self.publish("tree", {})

    def note(self, turn: PageTurn, text: str, hint: str | None) -> None:
        """Publish one sentence, and keep it with its turn."""
        note = {"text": text, "hint": hint}
        turn.notes.append(note)
        self.publish("note", {"turn": turn.id, **note})

    def spend(self, turn: PageTurn, spent: Spent) -> None:
        """Record what a request cost."""
        self.ledger.entries.append(spent)
        self.spent_on.append(turn.id)
        record = self._ledger_record()
        self.publish("ledger", {**record, "requests": None, "request": record["requests"][-1]})

    def state(self) -> Record:
        """Return all that a tab needs to begin; `seq` is the number of the last event in it."""
        with self.lock, self.open() as workspace:
            return {
                "seq": self.log.last,
                "session": self.id,
                "version": __version__,
                "root": str(self.root),
                "name": "sample" if self.home is not None else self.root.name or str(self.root),
                "sample": self.home is not None,
                "git": in_git(self.root),
                "opens": self.opens,
                "settings": self.settings_record(),
                "held": self.held.record,
                "turns": [turn_record(turn) for turn in self.turns.values()],
                "running": self.running.turn.id if self.running is not None else None,
                "questions": [question.record for question in self.questions.values()],
                "ledger": self._ledger_record(),
                "journal": _journal_record(workspace),
            }

    def _ledger_record(self) -> Record:
        entries = zip(self.spent_on, self.ledger.entries, strict=True)
        return {
            "requests": [{"turn": turn, **spent.record} for turn, spent in entries],
            "total": fields(self.ledger.total, _TOTAL),
            "by_step": {str(step): fields(total, _TOTAL) for step, total in self.ledger.by_step().items()},
        }

    def settings_record(self) -> Record:
        """Return the settings as the page shows them. Keys and addresses are not part of them."""
        options, problem = self.options, self.ready(self.options)
        return {
            **fields(options, "model editor_model format edits_by"),
            "formats": list(format_names()),
            "reading": options.reply.format,
            "readings": list(READINGS),
            **fields(options, "architect shell max_rounds map_tokens"),
            **fields(options.reply.policy, "occurrence conflicts"),
            "ready": problem is None,
            "problem": error_record(problem) if problem is not None else None,
        }

    def take_options(self, options: Options) -> None:
        """Use other options for the turns to come. They are kept in memory only."""
        if self.chat is not None:
            self.chat.note_options(options)
        self.options = options
        self.publish("settings", self.settings_record())

    def stop_model(self) -> None:
        """Cancel the running turn; its thread ends soon after."""
        if self.running is not None:
            self.running.cancel.cancel()
            for question in tuple(self.questions.values()):
                question.answer(None)

    def close(self) -> None:
        """Stop the model, and end every tab's stream."""
        self.stop_model()
        if self.chat is not None:
            self.chat.close()
        self.log.close()


def _outcomes(turn: PageTurn, numbers: Iterable[int]) -> list[Record]:
    return [outcome_record(turn.edits[n]) for n in sorted(numbers)]


def known_operations(workspace: Workspace) -> list[Operation]:
    """Return every operation, oldest first; none if the journal cannot be read, which undo and the log report."""
    try:
        return workspace.log()
    except JournalError:
        return []


def _journal_record(workspace: Workspace) -> Record:
    operations = {operation.id: operation for operation in known_operations(workspace)}
    undo: str | None = None
    redo = False
    with suppress(JournalError):
        undo = next_to_undo(workspace, operations)
    with suppress(JournalError):
        redo = bool(to_redo(operations))
    return {"undo": undo, "redo": redo, "count": len(operations)}
