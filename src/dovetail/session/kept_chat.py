"""A conversation that is kept: every turn goes to a transcript, can be gone on with later, and replayed.

Brings conversation and transcript together; faces talk to this one.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.model.dataclasses import dataclass, replace
from dovetail.session import history, transcript
from dovetail.session.apply import NO_GIT
from dovetail.session.conversation import Conversation, Model, Options
from dovetail.session.earlier import UNDONE, Earlier, held_of
from dovetail.session.held_files import HeldFiles
from dovetail.session.history import TakenBack
from dovetail.session.person import Person
from dovetail.session.recording import RecordedModel, RecordedPerson, Replayed
from dovetail.session.steps import Event, Written
from dovetail.session.transcript import Record, Transcript
from dovetail.workspace import Workspace

if TYPE_CHECKING:
    from dovetail.llm.cancellation import Cancellation
    from dovetail.model.policy import Policy
    from dovetail.session.turn import Outcome

_KEPT = ("model", "editor_model", "format", "architect", "shell", "max_rounds", "map_tokens", "file_tokens")
_PLANNED = ("occurrence", "conflicts", "tiers")


@dataclass(frozen=True, slots=True)
class Ends:
    """Who a conversation stands between."""

    model: Model
    person: Person


class KeptChat:
    """A conversation and its transcript. What changes the conversation between turns is changed here, and noted."""

    def __init__(self, conversation: Conversation, kept: Transcript) -> None:
        self.conversation = conversation
        self.transcript = kept

    @classmethod
    def begin(cls, workspace: Workspace, ends: Ends, options: Options) -> KeptChat:
        """A new one. Raises `WorkspaceError` where it cannot be kept."""
        return cls._over(workspace, ends, options, transcript.begin(workspace.root))

    @classmethod
    def resume(cls, workspace: Workspace, ends: Ends, options: Options, before: Earlier) -> KeptChat:
        """Go on with an earlier one, with its history, and those of its files that are still there."""
        chat = cls._over(workspace, ends, options, before.kept)
        chat.conversation.history = list(before.history)
        chat.conversation.held = _still_there(workspace, before.held)
        chat.conversation.notes = list(before.notes)
        return chat

    @classmethod
    def _over(cls, workspace: Workspace, ends: Ends, options: Options, kept: Transcript) -> KeptChat:
        model, person = RecordedModel(ends.model, kept), RecordedPerson(ends.person, kept)
        kept.write("options", options=_options_record(options))
        return cls(Conversation(workspace, model, person, options), kept)

    def add(self, path: str, *, read_only: bool = False) -> None:
        """Take a file into the conversation. Raises `UsageError` where there is no such text file."""
        self.conversation.add(path, read_only=read_only)
        self.note_held(self.conversation.held)

    def drop(self, path: str) -> None:
        """Take a file out of the conversation; its bytes stay as they are."""
        self.conversation.drop(path)
        self.note_held(self.conversation.held)

    def ask_with(self, options: Options) -> None:
        """Have the model asked in another way from now on."""
        self.conversation.options = options
        self.note_options(options)

    def note_held(self, held: HeldFiles) -> None:
        """Write down what the next turn is to hold, where a face keeps that itself."""
        self.transcript.write("held", **_held_record(held))

    def note_options(self, options: Options) -> None:
        """Write down how the next turn is to be asked."""
        self.transcript.write("options", options=_options_record(options))

    def ask(self, request: str, *, cancel: Cancellation | None = None) -> Generator[Event, None, Outcome]:
        """One turn, as `Conversation.ask`, written down."""
        chat, kept = self.conversation, self.transcript
        options, policy = _options_record(chat.options), _policy_record(chat.options.policy)
        kept.write("turn", request=request, options=options, policy=policy, **_held_record(chat.held))
        before = len(chat.history)
        try:
            outcome = yield from _noting(chat.ask(request, cancel=cancel), kept)
        finally:
            said = [[str(message.role), message.content] for message in chat.history[before:]]
            kept.write("heard", messages=said)
            self.note_held(chat.held)
        kept.write("end", notes=list(chat.notes))
        return outcome

    def undo(self, wanted: str | None = None) -> TakenBack:
        """Take back an operation of this conversation, by default the root's newest. Raises `JournalError`."""
        done = history.undo(self.conversation.workspace.root, wanted)
        self.transcript.write(
            "undo", operation=done.operation.undoes, files=transcript.digests({c.path: c.after for c in done.changes})
        )
        self.conversation.tell(UNDONE)
        return done


def _noting(events: Generator[Event, None, Outcome], kept: Transcript) -> Generator[Event, None, Outcome]:
    """Hand on what happens, and write down what was written."""
    try:
        while True:
            event = next(events)
            if isinstance(event, Written) and event.committed.operation is not None:
                after = {change.path: change.after for change in event.committed.plan.changes}
                kept.write("written", operation=event.committed.operation.id, files=transcript.digests(after))
            yield event
    except StopIteration as ended:
        outcome: Outcome = ended.value
        return outcome
    finally:
        events.close()


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay came to: turns played, and one sentence for each file that came out differently."""

    turns: int
    skipped: int
    differences: tuple[str, ...]


def replay(root: Path, file: Path, options: Options) -> Generator[Event, None, Replay]:
    """Play a transcript again under a root whose files are as they were when it began; writes them.

    No model is asked. Turns that broke off then are passed over. Raises `ReplayError` where the conversation takes
    another course than its transcript, `UsageError` where the file is none.
    """
    records = transcript.read(file)
    turns = skipped = 0
    differences: list[str] = []
    made: dict[str, str] = {}  # operations by what the transcript calls them
    with Workspace.open(root) as workspace:
        chat: Conversation | None = None
        for played in _played(records):
            first = played[0]
            if first["kind"] == "undo":
                differences += _undone(root, first, made)
                continue
            if not any(r["kind"] == "end" for r in played):
                skipped += 1
                continue
            ends = Replayed(played)
            turn_options = _options_of(first, options)
            chat = Conversation(workspace, ends, ends, turn_options, held=held_of(first))
            written: Record = next((r for r in played if r["kind"] == "written"), {"files": {}, "operation": ""})
            after: dict[str, str | None] = {}
            for event in chat.ask(first["request"]):
                if isinstance(event, Written):
                    after = {change.path: change.after for change in event.committed.plan.changes}
                    if event.committed.operation is not None:
                        made[written["operation"]] = event.committed.operation.id
                yield event
            differences += _differing(written["files"], after)
            turns += 1
    return Replay(turns, skipped, tuple(differences))


def _undone(root: Path, record: Record, made: Mapping[str, str]) -> list[str]:
    """Take back what this replay wrote, and nothing else that is in the journal; gives what came out differently."""
    if record["operation"] not in made:
        return [
            f"Operation {record['operation']} was undone then; this replay did not write it, and took nothing back."
        ]
    done = history.undo(root, made[record["operation"]])
    return _differing(record["files"], {change.path: change.after for change in done.changes})


def _played(records: list[Record]) -> list[list[Record]]:
    """The records of each turn, and each undo, in order."""
    groups: list[list[Record]] = []
    for record in records:
        if record["kind"] in ("turn", "undo"):
            groups.append([record])
        elif groups and groups[-1][0]["kind"] == "turn":
            groups[-1].append(record)
    return groups


def _options_of(record: Record, options: Options) -> Options:
    """The options of a recorded turn. The map never reaches a recorded model, and git is left alone."""
    stated: dict[str, Any] = {name: value for name, value in record["options"].items() if name in _KEPT}
    policy = replace(options.policy, **{name: record["policy"][name] for name in _PLANNED})
    return replace(options, **{**stated, "map_tokens": 0, "git": NO_GIT, "policy": policy})


def _differing(recorded: dict[str, str | None], after: dict[str, str | None]) -> list[str]:
    now = transcript.digests(after)
    paths = sorted({*recorded, *now})
    return [f"`{path}` came out differently." for path in paths if recorded.get(path, "") != now.get(path, "")]


def _options_record(options: Options) -> dict[str, Any]:
    return {name: getattr(options, name) for name in _KEPT}


def _policy_record(policy: Policy) -> dict[str, Any]:
    return {name: getattr(policy, name) for name in _PLANNED}  # whose members are written as their words


def _held_record(held: HeldFiles) -> dict[str, list[str]]:
    return {"editable": list(held.editable), "read_only": list(held.read_only)}


def _still_there(workspace: Workspace, held: HeldFiles) -> HeldFiles:
    found = workspace.snapshot(held.paths, tree=frozenset()).files
    return HeldFiles(
        tuple(path for path in held.editable if path in found), tuple(path for path in held.read_only if path in found)
    )
