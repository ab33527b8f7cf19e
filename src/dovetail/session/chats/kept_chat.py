"""A conversation that is kept: every turn goes to a transcript, and can be gone on with later.

Brings conversation and transcript together; faces talk to this one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.session.chats import transcript
from dovetail.session.chats.earlier import Earlier
from dovetail.session.chats.recording import RecordedModel, RecordedPerson
from dovetail.session.chats.transcript import Transcript
from dovetail.session.journal.emptied import fates_of
from dovetail.session.journal.history import TakenBack
from dovetail.session.loop.aftermath import Standing, told_of_journal
from dovetail.session.loop.conversation import Conversation, Model, Options
from dovetail.session.loop.held_files import HeldFiles, with_files
from dovetail.session.loop.person import Person
from dovetail.session.loop.steps import Event, Outdated, Written
from dovetail.session.terms import PLANNED
from dovetail.workspace import Workspace

if TYPE_CHECKING:
    from dovetail.llm.cancellation import Cancellation
    from dovetail.session.loop.turn import Outcome

KEPT = ("model", "editor_model", "format", "architect", "shell", "max_rounds", "map_tokens", "file_tokens")
"""The options that a transcript keeps of each turn."""


@dataclass(frozen=True, slots=True)
class Ends:
    """Who a conversation stands between."""

    model: Model
    person: Person


class KeptChat:
    """A conversation and its transcript. What changes the conversation between turns is noted first, and changed here.

    operations: all that it wrote, oldest first, whether it stands or not.
    known: what of that stands as far as the model was told.
    """

    def __init__(self, conversation: Conversation, kept: Transcript) -> None:
        self.conversation = conversation
        self.transcript = kept
        self.operations: list[str] = []
        self.known: Standing = {}

    @classmethod
    def begin(cls, workspace: Workspace, ends: Ends, options: Options) -> KeptChat:
        """A new one, to be closed. Raises `WorkspaceError` where it cannot be kept."""
        return cls._over(workspace, ends, options, transcript.begin(workspace.root))

    @classmethod
    def resume(cls, workspace: Workspace, ends: Ends, options: Options, before: Earlier) -> KeptChat:
        """Go on with an earlier one, with its history, and those of its files that are still there."""
        chat = cls._over(workspace, ends, options, before.kept)
        chat.conversation.history = list(before.history)
        chat.conversation.held = _still_there(workspace, before.held)
        chat.conversation.notes = list(before.notes)
        chat.operations, chat.known = list(before.operations), before.known
        return chat

    def close(self) -> None:
        """Let other sessions go on with it; a second call does nothing."""
        self.transcript.close()

    @classmethod
    def _over(cls, workspace: Workspace, ends: Ends, options: Options, kept: Transcript) -> KeptChat:
        model, person = RecordedModel(ends.model, kept), RecordedPerson(ends.person, kept)
        kept.write("options", options=_options_record(options))
        return cls(Conversation(workspace, model, person, options), kept)

    def add(self, *paths: str, read_only: Sequence[str] = ()) -> None:
        """Take files into the conversation, all or none. Raises `UsageError` where one of them is no text file."""
        if paths or read_only:
            self._hold(with_files(self.conversation.workspace, self.conversation.held, paths, read_only))

    def drop(self, path: str) -> None:
        """Take a file out of the conversation; its bytes stay as they are."""
        self._hold(self.conversation.held.dropping(path))

    def _hold(self, held: HeldFiles) -> None:
        self.note_held(held)
        self.conversation.held = held

    def ask_with(self, options: Options) -> None:
        """Have the model asked in another way from now on."""
        self.note_options(options)
        self.conversation.options = options

    def note_held(self, held: HeldFiles) -> None:
        """Write down what the next turn is to hold, where a face keeps that itself."""
        self.transcript.write("held", **held.record)

    def note_options(self, options: Options) -> None:
        """Write down how the next turn is to be asked."""
        self.transcript.write("options", options=_options_record(options))

    def note_told(self, notes: Sequence[str]) -> None:
        """Write down what the next request is to begin with, where a face writes edits after their turn.

        They are written already: where that cannot be noted, it is let go.
        """
        with suppress(WorkspaceError):
            self.transcript.write("heard", messages=[], notes=list(notes))

    def ask(self, request: str, *, cancel: Cancellation | None = None) -> Generator[Event, None, Outcome]:
        """One turn, as `Conversation.ask`, written down."""
        chat, kept = self.conversation, self.transcript
        options = _options_record(chat.options)
        planned = chat.options.terms.policy
        policy = {name: getattr(planned, name) for name in PLANNED}  # members are written as their words
        notes, (stands, news) = list(chat.notes), self._stands()
        record = {name: sorted(edits) for name, edits in stands.items()}
        kept.write("turn", request=request, options=options, policy=policy, stands=record, **chat.held.record)
        before, written = len(chat.history), len(self.operations)
        chat.notes += news
        try:
            outcome = yield from self._noting(chat.ask(request, cancel=cancel))
        finally:
            if len(chat.history) > before:
                self.known = {**stands, **dict.fromkeys(self.operations[written:], frozenset())}
            else:
                chat.notes = notes
            said = [[str(message.role), message.content] for message in chat.history[before:]]
            kept.write("heard", messages=said, notes=list(chat.notes))
            self.note_held(chat.held)
        kept.write("end")
        return outcome

    def standing(self) -> tuple[str, ...]:
        """Of the operations that this conversation wrote those that stand, oldest first. Raises `JournalError`."""
        fates = fates_of(self.conversation.workspace, self.operations)
        return tuple(name for name, fate in fates.items() if fate is not None)

    def _stands(self) -> tuple[Standing, list[str]]:
        """What of its writes stands now, and sentences about what of that the model does not know."""
        chat = self.conversation
        try:
            fates = fates_of(chat.workspace, self.operations)
        except (JournalError, WorkspaceError):  # undo says what is wrong there
            return self.known, []
        unknown = {name: edits for name, edits in self.known.items() if name not in fates}
        stands = {**unknown, **{name: fate for name, fate in fates.items() if fate is not None}}
        return stands, told_of_journal(self.known, fates, chat.notes)

    def note(self, kind: str, operation: str | None, done: TakenBack) -> None:
        """Write down an `undo` or `redo`; it is to be told first, for the files are others by then."""
        self.transcript.write(kind, operation=operation, files=transcript.digests(done.changes))

    def _noting(self, events: Generator[Event, None, Outcome]) -> Generator[Event, None, Outcome]:
        """Hand on what happens, and write down what became of the plan; where that cannot be, a write is told first.

        An interruption while something is told is the turn's to hear, as one while it waits.
        """
        try:
            event = next(events)
            while True:
                failure = self._note_written(event) if isinstance(event, Written) else None
                if isinstance(event, Outdated):
                    self.transcript.write("outdated", reason=event.reason)
                try:
                    yield event
                except KeyboardInterrupt as stop:
                    event = events.throw(stop)
                    continue
                if failure is not None:
                    raise failure
                event = next(events)
        except StopIteration as ended:
            outcome: Outcome = ended.value
            return outcome
        finally:
            events.close()

    def _note_written(self, event: Written) -> WorkspaceError | None:
        """The files are written already, whatever becomes of their record; gives what kept it from being made."""
        operation, files = event.committed.operation, transcript.digests(event.committed.plan.changes)
        if operation is None:
            return None
        self.operations.append(operation.id)
        try:
            self.transcript.write("written", operation=operation.id, files=files)
        except WorkspaceError as error:
            return error
        return None


def _options_record(options: Options) -> dict[str, Any]:
    return {name: getattr(options, name) for name in KEPT}


def _still_there(workspace: Workspace, held: HeldFiles) -> HeldFiles:
    found = workspace.snapshot(held.paths, tree=frozenset()).files
    return HeldFiles(
        tuple(path for path in held.editable if path in found), tuple(path for path in held.read_only if path in found)
    )
