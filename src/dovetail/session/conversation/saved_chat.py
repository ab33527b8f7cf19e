"""A conversation that is saved while it happens, and gone on with later.

`SavedChat` brings a conversation and its transcript together; faces talk to it. `ResumedChat` is what a transcript says
at its end, with its turns as they came: every command that changed the files, or how the model is asked, is a record,
so the last one counts. A turn whose process ended before it could write down what the history takes up (a closed
terminal, a crash) is read from its replies.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dovetail.formats import parse
from dovetail.llm.transport import Cancellation
from dovetail.llm.values import Message, Reply, Role
from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.session.apply.operations import UndoResult, edits_undone_since
from dovetail.session.conversation import chat_record
from dovetail.session.conversation.chat_files import ChatFiles, with_files
from dovetail.session.conversation.chat_record import ChatRecord, Record
from dovetail.session.conversation.chat_state import Options
from dovetail.session.conversation.conversation import (
    NOT_APPLIED,
    Conversation,
    OperationsInForce,
    TurnOutcome,
    notes_on_journal,
)
from dovetail.session.conversation.participants import Model, Person, Why
from dovetail.session.conversation.recording import (
    RECORDED_OPTIONS,
    RecordedModel,
    RecordedPerson,
    files_of,
    history_of,
    history_record,
    reply_of,
)
from dovetail.session.conversation.rounds import Step
from dovetail.session.conversation.turn_events import EditsWritten, Outdated, Sent, TurnEvent
from dovetail.session.settings import PLANNING_CHOICES
from dovetail.workspace import Workspace

_TURN_KINDS = frozenset({"turn", "reply", "arrived", "added", "places", "approved", "outdated", "written"})


@dataclass(frozen=True, slots=True)
class ResumedReply:
    """One reply of an earlier turn, as it came.

    message: what the model was told before it, where that is known. broken: something else than the model ended it.
    """

    step: Step
    reply: Reply
    message: str | None = None
    broken: bool = False


@dataclass(frozen=True, slots=True)
class ResumedTurn:
    """A turn that the history holds: what was asked, how, its replies, and its messages as the next request has them.

    options: by the names of `Options`. time: UTC, ISO 8601; None in transcripts of earlier versions.
    """

    request: str
    options: Mapping[str, Any]
    replies: tuple[ResumedReply, ...]
    messages: tuple[Message, ...]
    time: str | None = None


@dataclass(frozen=True, slots=True)
class ResumedChat:
    """What a transcript says at its end.

    turns: those that the history holds. options: how the model was asked, by the names of `Options`.
    notes: what the next request is to begin with. operations: what it wrote, oldest first, undone or not.
    known: what of that is in force as far as the model knows. warnings: sentences for the person.
    """

    record: ChatRecord
    turns: tuple[ResumedTurn, ...] = ()
    files: ChatFiles = field(default_factory=ChatFiles)
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    known: OperationsInForce = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def history(self) -> tuple[Message, ...]:
        """The messages of all turns."""
        return tuple(message for turn in self.turns for message in turn.messages)


def resume_chat(root: Path, wanted: str | None = None) -> ResumedChat:
    """The conversation with an id, or the newest under a root that no session has open, to be gone on with.

    Raises `UsageError` if there is none, `LockedError` if it is open elsewhere.
    """
    claimed, locked = chat_record.resume(root, wanted)
    try:
        before = read_back(claimed)
    except BaseException:
        claimed.close()
        raise
    if locked is None:
        return before
    return replace(before, warnings=(f"{locked.message} This is the newest that is not.", *before.warnings))


def read_back(saved: ChatRecord) -> ResumedChat:
    """What a transcript says at its end. Raises `UsageError` if it cannot be read as one."""
    read = chat_record.read(saved.file)
    turns: list[ResumedTurn] = []
    files, notes = ChatFiles(), ()
    options: Mapping[str, Any] = {}
    operations: list[str] = []
    for part, record in ((turn, record) for turn in _by_turn(_completed(read)) for record in turn):
        match record["kind"]:
            case "turn":
                files, options = files_of(record), record["options"]
            case "options":
                options = record["options"]
            case "held":
                files = files_of(record)
            case "added" if record["answer"] and record.get("why") != Why.WHOLE:
                files = files.adding(record["path"])
            case "written":
                operations.append(record["operation"])
            case "heard":
                messages = history_of(record)
                if messages:
                    begun = part[0] if _is_turn(part) else {"request": messages[0].content}
                    replies = tuple(_replies(part, messages))
                    turns.append(ResumedTurn(begun["request"], options, replies, tuple(messages), begun.get("time")))
                notes = tuple(record.get("notes", notes))
            case "cleared":
                turns, notes = [], ()
    known, warnings = _known_to_model(read), _warnings(read)
    return ResumedChat(saved, tuple(turns), files, options, notes, tuple(operations), known, warnings)


def _replies(part: Sequence[Record], messages: Sequence[Message]) -> Iterator[ResumedReply]:
    """The replies of a turn; `messages` are those that the history has of it."""
    told = [message.content for message in messages if message.role is Role.USER]
    step = Step.REQUEST
    for n, record in enumerate(record for record in part if record["kind"] == "reply"):
        reply = reply_of(record)
        # Transcripts of earlier versions do not say why the model was asked.
        step = Step(record.get("step", step))
        if reply.text:
            yield ResumedReply(step, reply, told[n] if n < len(told) else None, record.get("broken", False))
        step = Step.CALLS if reply.calls else Step.REPAIR


def _by_turn(records: Sequence[Record]) -> list[list[Record]]:
    """What comes before the first turn, and each turn with what comes after it."""
    parts: list[list[Record]] = [[]]
    for record in records:
        if record["kind"] == "turn":
            parts.append([])
        parts[-1].append(record)
    return parts


def _is_turn(part: Sequence[Record]) -> bool:
    """Return whether a part has a turn; a file that was removed in the middle of one begins anew without its start."""
    return bool(part) and part[0]["kind"] == "turn"


def _is_history(record: Record) -> bool:
    return record["kind"] == "heard" and bool(record["messages"])


def _replies_not_in_history(part: Sequence[Record]) -> list[str]:
    """The replies of a turn that the history did not take up."""
    if not _is_turn(part) or any(_is_history(record) for record in part):
        return []
    return [record["text"] for record in part if record["kind"] == "reply" and record["text"]]


def _completed(records: Sequence[Record]) -> list[Record]:
    """The records, with a record `heard` for each turn that broke off before it wrote one, as its end would have."""
    completed: list[Record] = []
    for part in _by_turn(records):
        replies = _replies_not_in_history(part)
        if not replies:
            completed += part
            continue
        notes: list[str] = []
        for record in completed:
            notes = record.get("notes", notes) if record["kind"] == "heard" else notes
        left_edits = any(parse(text).has_edits for text in replies) and all(r["kind"] != "written" for r in part)
        request, answer = "\n\n".join([*notes, part[0]["request"]]), "\n\n".join(replies)
        heard = {
            "kind": "heard",
            "messages": [[str(Role.USER), request], [str(Role.ASSISTANT), answer]],
            "notes": [NOT_APPLIED] if left_edits else [],
        }
        # Behind the turn's own records, before the commands that came after it: those may clear what was heard.
        end = max(n for n, record in enumerate(part) if record["kind"] in _TURN_KINDS) + 1
        completed += [*part[:end], heard, *part[end:]]
    return completed


def _known_to_model(records: Sequence[Record]) -> OperationsInForce:
    """What was in force when the model was asked and answered last, and what came of that turn."""
    known: dict[str, frozenset[int]] = {}
    for part in _by_turn(records):
        written = {record["operation"]: frozenset[int]() for record in part if record["kind"] == "written"}
        in_force = part[0].get("stands") if _is_turn(part) else None
        if in_force is not None and any(_is_history(record) for record in part):
            known = {name: frozenset(edits) for name, edits in in_force.items()}
        known |= written
    return known


def _warnings(records: Sequence[Record]) -> tuple[str, ...]:
    """What the person should know of the last turn, if it broke off in silence."""
    part = _by_turn(records)[-1]
    if not _is_turn(part):
        return ()
    if _replies_not_in_history(part):
        written = [record["operation"] for record in part if record["kind"] == "written"]
        edits = f"its edits are written, as operation {written[-1]}" if written else "none of its edits was written"
        return (f"The last turn broke off before its end: its reply is in the conversation, {edits}.",)
    if not any(record["kind"] == "heard" for record in part):
        return ("The last turn broke off before a reply came. Say again what you want.",)
    return ()


@dataclass(frozen=True, slots=True)
class Participants:
    """The two sides of a conversation."""

    model: Model
    person: Person


class SavedChat:
    """A conversation and its transcript. What changes the conversation between turns is recorded first.

    operations: all that it wrote, oldest first, undone or not. known: what of that is in force as far as the model
    knows.
    """

    def __init__(self, workspace: Workspace, participants: Participants, options: Options, saved: ChatRecord) -> None:
        self._model, person = RecordedModel(participants.model, saved), RecordedPerson(participants.person, saved)
        self.record = saved
        self.note_options(options)
        self.conversation = Conversation(workspace, self._model, person, options)
        self.operations: list[str] = []
        self.known: OperationsInForce = {}

    @classmethod
    def begin(cls, workspace: Workspace, participants: Participants, options: Options) -> SavedChat:
        """A new one, to be closed. Raises `WorkspaceError` if it cannot be saved."""
        return cls(workspace, participants, options, chat_record.begin(workspace.root))

    @classmethod
    def resume(
        cls, workspace: Workspace, participants: Participants, options: Options, before: ResumedChat
    ) -> SavedChat:
        """Go on with an earlier one, with its history, and those of its files that still exist."""
        saved = cls(workspace, participants, options, before.record)
        chat, files = saved.conversation, before.files
        found = workspace.snapshot(files.paths, tree=frozenset()).files
        editable = tuple(path for path in files.editable if path in found)
        read_only = tuple(path for path in files.read_only if path in found)
        chat.files = ChatFiles(editable, read_only)
        chat.history, chat.notes = list(before.history), list(before.notes)
        saved.operations, saved.known = list(before.operations), before.known
        return saved

    def close(self) -> None:
        """Let other sessions go on with it; a second call does nothing."""
        self.record.close()

    def add(self, *paths: str, read_only: Sequence[str] = ()) -> None:
        """Take files into the conversation, all or none. Raises `UsageError` if one of them is no text file."""
        if paths or read_only:
            self._hold(with_files(self.conversation.workspace, self.conversation.files, paths, read_only))

    def drop(self, path: str) -> None:
        """Take a file out of the conversation; its bytes stay as they are."""
        self._hold(self.conversation.files.dropping(path))

    def _hold(self, files: ChatFiles) -> None:
        self.note_files(files)
        self.conversation.files = files

    def ask_with(self, options: Options) -> None:
        """Have the model asked in another way from now on."""
        self.note_options(options)
        self.conversation.options = options

    def clear(self) -> None:
        """Forget what was said; the files of the conversation stay in it, and on disk as they are."""
        self.record.write("cleared")
        self.conversation.history.clear()
        self.conversation.notes.clear()

    def begin_next_with(self, text: str) -> None:
        """Have the next request begin with a text."""
        self.conversation.notes.append(text)
        self.note_next(self.conversation.notes)

    def note_files(self, files: ChatFiles) -> None:
        """Record the files of the next turn, for a face that keeps them itself."""
        self.record.write("held", **files.record)

    def note_options(self, options: Options) -> None:
        """Record how the next turn is asked."""
        self.record.write("options", options=_options_record(options))

    def note_next(self, notes: Sequence[str]) -> None:
        """Record what the next request begins with, for a face that writes edits after their turn.

        They are written already: if that cannot be recorded, it is not.
        """
        with suppress(WorkspaceError):
            self.record.write("heard", messages=[], notes=list(notes))

    def note_undo(self, kind: str, operation: str | None, done: UndoResult) -> None:
        """Record an `undo` or `redo`; report it first, for the files are changed by then."""
        self.record.write(kind, operation=operation, files=chat_record.digests(done.changes))

    def in_force(self) -> tuple[str, ...]:
        """The operations of this conversation with an edit in force, oldest first. Raises `JournalError`."""
        now = edits_undone_since(self.conversation.workspace, self.operations)
        return tuple(name for name, edits in now.items() if edits is not None)

    def ask(self, request: str, *, cancel: Cancellation | None = None) -> Generator[TurnEvent, None, TurnOutcome]:
        """One turn, as `Conversation.ask`, recorded."""
        chat, saved = self.conversation, self.record
        in_force, news = self.known, list[str]()
        with suppress(JournalError, WorkspaceError):  # undo says what is wrong there
            now = edits_undone_since(chat.workspace, self.operations)
            # Operations that the journal has lost stay as the model knows them: there is nothing newer to say of them.
            in_force = {name: edits for name, edits in self.known.items() if name not in now}
            in_force |= {name: edits for name, edits in now.items() if edits is not None}
            news = notes_on_journal(self.known, now, chat.notes)
        saved.write(
            "turn",
            time=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            request=request,
            options=_options_record(chat.options),
            policy={name: getattr(chat.options.reply.policy, name) for name in PLANNING_CHOICES},
            stands={name: sorted(edits) for name, edits in in_force.items()},
            **chat.files.record,
        )
        notes, before, written = list(chat.notes), len(chat.history), len(self.operations)
        chat.notes += news
        try:
            outcome = yield from self._recorded(chat.ask(request, cancel=cancel))
        finally:
            if len(chat.history) > before:
                self.known = {**in_force, **dict.fromkeys(self.operations[written:], frozenset())}
            else:
                chat.notes = notes
            saved.write("heard", **history_record(chat.history[before:]), notes=list(chat.notes))
            self.note_files(chat.files)
        saved.write("end")
        return outcome

    def _recorded(self, events: Generator[TurnEvent, None, TurnOutcome]) -> Generator[TurnEvent, None, TurnOutcome]:
        """Hand on what happens, and record what became of the plan; if that fails, a write is reported first.

        An interruption while an event is handled is thrown into the turn, as one while it waits.
        """
        try:
            event = next(events)
            while True:
                failure = self._record_write(event) if isinstance(event, EditsWritten) else None
                if isinstance(event, Sent):
                    self._model.step = event.step
                if isinstance(event, Outdated):
                    self.record.write("outdated", reason=event.reason)
                try:
                    yield event
                except KeyboardInterrupt as stop:
                    event = events.throw(stop)
                    continue
                if failure is not None:
                    raise failure
                event = next(events)
        except StopIteration as ended:
            outcome: TurnOutcome = ended.value
            return outcome
        finally:
            events.close()

    def _record_write(self, event: EditsWritten) -> WorkspaceError | None:
        """Record a write; returns why that failed. The files are written all the same."""
        operation, files = event.committed.operation, chat_record.digests(event.committed.plan.changes)
        if operation is None:
            return None
        self.operations.append(operation.id)
        try:
            self.record.write("written", operation=operation.id, files=files)
        except WorkspaceError as error:
            return error
        return None


def _options_record(options: Options) -> dict[str, Any]:
    return {name: getattr(options, name) for name in RECORDED_OPTIONS}
