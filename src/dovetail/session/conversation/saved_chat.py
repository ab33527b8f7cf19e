"""A conversation that is saved while it happens, and can be continued later.

`SavedChat` joins a conversation and its transcript; faces use it. `ResumedChat` is the state at the end of a
transcript, with its turns: every command that changed the files or the options is a record, and the last one counts. A
turn whose process ended before it recorded its messages for the history (a closed terminal, a crash) gets them from its
replies.
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

    message: the message to the model before it; None if not known. broken: the reply broke off.
    """

    step: Step
    reply: Reply
    message: str | None = None
    broken: bool = False


@dataclass(frozen=True, slots=True)
class ResumedTurn:
    """A turn of the history: the request, its replies, and its messages as the next request has them.

    options: how the model was asked, by the names of `Options`. time: UTC, ISO 8601; None in old transcripts.
    """

    request: str
    options: Mapping[str, Any]
    replies: tuple[ResumedReply, ...]
    messages: tuple[Message, ...]
    time: str | None = None


@dataclass(frozen=True, slots=True)
class ResumedChat:
    """The state of a conversation at the end of its transcript.

    turns: the turns of the history. options: how the model was asked, by the names of `Options`.
    notes: sentences that the next request begins with. operations: ids of all that it wrote, oldest first.
    known: the operations in force as the model knows them. warnings: sentences for the person.
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
    """Open the conversation with an id or its beginning, by default the newest that no session has open.

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
    """Return the state at the end of a transcript. Raises `UsageError` if it cannot be read as one."""
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
    """Yield the replies of a turn. messages: the turn's messages in the history."""
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
    """Split records into those before the first turn, and one part for each turn with all records up to the next."""
    parts: list[list[Record]] = [[]]
    for record in records:
        if record["kind"] == "turn":
            parts.append([])
        parts[-1].append(record)
    return parts


def _is_turn(part: Sequence[Record]) -> bool:
    """Return whether a part begins with a turn; a file that was removed during one starts anew without that record."""
    return bool(part) and part[0]["kind"] == "turn"


def _is_history(record: Record) -> bool:
    return record["kind"] == "heard" and bool(record["messages"])


def _replies_not_in_history(part: Sequence[Record]) -> list[str]:
    """Return the replies of a turn that broke off before they were recorded for the history."""
    if not _is_turn(part) or any(_is_history(record) for record in part):
        return []
    return [record["text"] for record in part if record["kind"] == "reply" and record["text"]]


def _completed(records: Sequence[Record]) -> list[Record]:
    """Return the records with a record `heard` added for each turn with replies that broke off before it wrote one."""
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
        # After the turn's own records and before those of later commands, as these may clear the history.
        end = max(n for n, record in enumerate(part) if record["kind"] in _TURN_KINDS) + 1
        completed += [*part[:end], heard, *part[end:]]
    return completed


def _known_to_model(records: Sequence[Record]) -> OperationsInForce:
    """Return the operations in force when the model answered last, and those written since."""
    known: dict[str, frozenset[int]] = {}
    for part in _by_turn(records):
        written = {record["operation"]: frozenset[int]() for record in part if record["kind"] == "written"}
        in_force = part[0].get("stands") if _is_turn(part) else None
        if in_force is not None and any(_is_history(record) for record in part):
            known = {name: frozenset(edits) for name, edits in in_force.items()}
        known |= written
    return known


def _warnings(records: Sequence[Record]) -> tuple[str, ...]:
    """Return a sentence for the person if the last turn broke off; else none."""
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
    """A conversation and its transcript. Each change of the conversation between turns is recorded first.

    operations: ids of all that it wrote, oldest first, undone or not. known: the operations in force as the model knows
    them.
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
        """Begin a new conversation, to be closed by `close`. Raises `WorkspaceError` if it cannot be saved."""
        return cls(workspace, participants, options, chat_record.begin(workspace.root))

    @classmethod
    def resume(
        cls, workspace: Workspace, participants: Participants, options: Options, before: ResumedChat
    ) -> SavedChat:
        """Continue an earlier conversation, with its history, and those of its files that still exist."""
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
        """Release the transcript, so that other sessions can continue it; a second call does nothing."""
        self.record.close()

    def add(self, *paths: str, read_only: Sequence[str] = ()) -> None:
        """Add files to the conversation, all or none. Raises `UsageError` if one cannot be shown."""
        if paths or read_only:
            self._hold(with_files(self.conversation.workspace, self.conversation.files, paths, read_only))

    def drop(self, path: str) -> None:
        """Remove a file from the conversation; the file itself stays."""
        self._hold(self.conversation.files.dropping(path))

    def _hold(self, files: ChatFiles) -> None:
        self.note_files(files)
        self.conversation.files = files

    def ask_with(self, options: Options) -> None:
        """Use other options from now on."""
        self.note_options(options)
        self.conversation.options = options

    def clear(self) -> None:
        """Forget the history and the notes; the conversation keeps its files."""
        self.record.write("cleared")
        self.conversation.history.clear()
        self.conversation.notes.clear()

    def begin_next_with(self, text: str) -> None:
        """Begin the next request with a text, after earlier ones."""
        self.conversation.notes.append(text)
        self.note_next(self.conversation.notes)

    def note_files(self, files: ChatFiles) -> None:
        """Record the files of the next turn, for a face that keeps them itself."""
        self.record.write("held", **files.record)

    def note_options(self, options: Options) -> None:
        """Record how the next turn is asked."""
        self.record.write("options", options=_options_record(options))

    def note_next(self, notes: Sequence[str]) -> None:
        """Record the notes that the next request begins with, for a face that writes edits after their turn.

        The edits are written by then, so an error of recording is ignored.
        """
        with suppress(WorkspaceError):
            self.record.write("heard", messages=[], notes=list(notes))

    def note_undo(self, kind: str, operation: str | None, done: UndoResult) -> None:
        """Record an `undo` or `redo`. Report it to the person before, as this may raise and the files have changed."""
        self.record.write(kind, operation=operation, files=chat_record.digests(done.changes))

    def in_force(self) -> tuple[str, ...]:
        """Return the operations of this conversation with an edit in force, oldest first. Raises `JournalError`."""
        now = edits_undone_since(self.conversation.workspace, self.operations)
        return tuple(name for name, edits in now.items() if edits is not None)

    def ask(self, request: str, *, cancel: Cancellation | None = None) -> Generator[TurnEvent, None, TurnOutcome]:
        """Run one turn like `Conversation.ask`, and record it."""
        chat, saved = self.conversation, self.record
        in_force, news = self.known, list[str]()
        with suppress(JournalError, WorkspaceError):  # an undo will report what is wrong with the journal
            now = edits_undone_since(chat.workspace, self.operations)
            # Operations that the journal has lost stay as the model knows them.
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
        """Yield the turn's events, and record writes and outdated plans; a failure to record is raised after the event.

        An interruption while an event is handled is thrown into the turn.
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
        """Record a write, and return the error if that fails, or None. The files are written in either case."""
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
