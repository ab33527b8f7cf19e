"""A conversation that is kept: every turn goes to a transcript, can be gone on with later, and replayed.

Brings conversation and transcript together; faces talk to this one.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.llm.values import Message, Role
from dovetail.model.codes import Conflicts, Occurrence, Tier
from dovetail.model.dataclasses import dataclass, replace
from dovetail.session import history, transcript
from dovetail.session.apply import NO_GIT
from dovetail.session.conversation import Conversation, Model, Options
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


@dataclass(frozen=True, slots=True)
class Ends:
    """Who a conversation stands between."""

    model: Model
    person: Person


class KeptChat:
    """A conversation and its transcript."""

    def __init__(self, conversation: Conversation, kept: Transcript) -> None:
        self.conversation = conversation
        self.transcript = kept

    @classmethod
    def begin(cls, workspace: Workspace, ends: Ends, options: Options) -> KeptChat:
        """A new one. Raises `WorkspaceError` where it cannot be kept."""
        return cls._over(workspace, ends, options, transcript.begin(workspace.root))

    @classmethod
    def resume(cls, workspace: Workspace, ends: Ends, options: Options, wanted: str | None = None) -> KeptChat:
        """Go on with an earlier one, with its history, and the files of its last turn that are still there.

        Raises `UsageError` where there is none.
        """
        kept = transcript.resume(workspace.root, wanted)
        records = transcript.read(kept.file)
        chat = cls._over(workspace, ends, options, kept)
        said = transcript.history_of(records)
        chat.conversation.history = [Message(Role(role), text) for role, text in said]
        last = next((r for r in reversed(records) if r["kind"] in ("turn", "held")), None)
        if last is not None:
            chat.conversation.held = _still_there(workspace, held_of(last))
        return chat

    @classmethod
    def _over(cls, workspace: Workspace, ends: Ends, options: Options, kept: Transcript) -> KeptChat:
        model, person = RecordedModel(ends.model, kept), RecordedPerson(ends.person, kept)
        return cls(Conversation(workspace, model, person, options), kept)

    def ask(self, request: str, *, cancel: Cancellation | None = None) -> Generator[Event, None, Outcome]:
        """One turn, as `Conversation.ask`, written down."""
        chat, kept = self.conversation, self.transcript
        options = {name: getattr(chat.options, name) for name in _KEPT}
        policy = _policy_record(chat.options.policy)
        kept.write("turn", request=request, options=options, policy=policy, **_held_record(chat.held))
        before = len(chat.history)
        try:
            outcome = yield from _noting(chat.ask(request, cancel=cancel), kept)
        finally:
            said = [[str(message.role), message.content] for message in chat.history[before:]]
            kept.write("heard", messages=said)
            kept.write("held", **_held_record(chat.held))
        kept.write("end")
        return outcome

    def undo(self, wanted: str | None = None) -> TakenBack:
        """Take back an operation of this conversation, by default the root's newest. Raises `JournalError`."""
        done = history.undo(self.conversation.workspace.root, wanted)
        self.transcript.write(
            "undo", operation=done.operation.undoes, files=transcript.digests({c.path: c.after for c in done.changes})
        )
        self.conversation.tell("I took back your last edits; the files are as they were before them.")
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
    with Workspace.open(root) as workspace:
        chat: Conversation | None = None
        for played in _played(records):
            first = played[0]
            if first["kind"] == "undo":
                done = history.undo(root)
                differences += _differing(first["files"], {c.path: c.after for c in done.changes})
                continue
            if not any(r["kind"] == "end" for r in played):
                skipped += 1
                continue
            ends = Replayed(played)
            turn_options = _options_of(first, options)
            chat = Conversation(workspace, ends, ends, turn_options, held=held_of(first))
            written: dict[str, str | None] = next((r["files"] for r in played if r["kind"] == "written"), {})
            after: dict[str, str | None] = {}
            for event in chat.ask(first["request"]):
                if isinstance(event, Written):
                    after = {change.path: change.after for change in event.committed.plan.changes}
                yield event
            differences += _differing(written, after)
            turns += 1
    return Replay(turns, skipped, tuple(differences))


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
    policy = replace(
        options.policy,
        occurrence=Occurrence(record["policy"]["occurrence"]),
        conflicts=Conflicts(record["policy"]["conflicts"]),
        tiers=None if record["policy"]["tiers"] is None else tuple(Tier(name) for name in record["policy"]["tiers"]),
    )
    return replace(options, **{**stated, "map_tokens": 0, "git": NO_GIT, "policy": policy})


def _differing(recorded: dict[str, str | None], after: dict[str, str | None]) -> list[str]:
    now = transcript.digests(after)
    paths = sorted({*recorded, *now})
    return [f"`{path}` came out differently." for path in paths if recorded.get(path, "") != now.get(path, "")]


def _policy_record(policy: Policy) -> dict[str, Any]:
    tiers = None if policy.tiers is None else [str(tier) for tier in policy.tiers]
    return {"occurrence": str(policy.occurrence), "conflicts": str(policy.conflicts), "tiers": tiers}


def _held_record(held: HeldFiles) -> dict[str, list[str]]:
    return {"editable": list(held.editable), "read_only": list(held.read_only)}


def held_of(record: Record) -> HeldFiles:
    """The files that a record names."""
    return HeldFiles(tuple(record["editable"]), tuple(record["read_only"]))


def _still_there(workspace: Workspace, held: HeldFiles) -> HeldFiles:
    found = workspace.snapshot(held.paths, tree=frozenset()).files
    return HeldFiles(
        tuple(path for path in held.editable if path in found), tuple(path for path in held.read_only if path in found)
    )
