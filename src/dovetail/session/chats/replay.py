"""Plays a transcript again, without a model, and says what came out otherwise than it did then.

A transcript is data like a reply: it says what is written, and never what is taken back but what this replay wrote.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.session.chats import transcript
from dovetail.session.chats.earlier import held_of
from dovetail.session.chats.kept_chat import KEPT
from dovetail.session.chats.recording import Replayed
from dovetail.session.journal import history
from dovetail.session.loop.conversation import Conversation, Options
from dovetail.session.loop.steps import Event, Written
from dovetail.session.terms import PLANNED
from dovetail.workspace import Workspace

if TYPE_CHECKING:
    from dovetail.model.results import FileChange
    from dovetail.session.chats.transcript import Record


_BACK = ("undo", "redo")


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay came to: turns played, and one sentence for each file that came out differently."""

    turns: int
    skipped: int
    differences: tuple[str, ...]


def replay(root: Path, records: list[Record], options: Options) -> Generator[Event, None, Replay]:
    """Play a transcript again under a root whose files are as they were when it began; writes them.

    No model is asked. Turns that broke off then are passed over. Raises `ReplayError` where the conversation takes
    another course than its transcript.
    """
    groups = _groups(records)
    turns = 0
    differences: list[str] = []
    with Workspace.open(root) as workspace:
        course = _Course(workspace, options)
        for records in groups:
            if records[0]["kind"] in _BACK:
                differences += course.back(records[0])
            elif _is_whole(records):
                differences += yield from course.turn(records)
                turns += 1
    skipped = sum(1 for records in groups if records[0]["kind"] == "turn" and not _is_whole(records))
    return Replay(turns, skipped, tuple(differences))


class _Course:
    """The course of one replay: what it wrote so far, by what the transcript calls it."""

    def __init__(self, workspace: Workspace, options: Options) -> None:
        self._workspace = workspace
        self._options = options
        self._made: dict[str, str] = {}
        self._undone: str | None = None

    def turn(self, records: list[Record]) -> Generator[Event, None, list[str]]:
        """Play a turn; gives what came out differently."""
        first, ends = records[0], Replayed(records)
        chat = Conversation(self._workspace, ends, ends, _options_of(first, self._options), held=held_of(first))
        then: Record = next((r for r in records if r["kind"] == "written"), {"files": {}, "operation": ""})
        changes: Sequence[FileChange] = ()
        for event in chat.ask(first["request"]):
            if isinstance(event, Written):
                changes, operation = event.committed.plan.changes, event.committed.operation
                self._undone = None
                if operation is not None:
                    self._made[then["operation"]] = operation.id
            yield event
        return _differing(then["files"], changes)

    def back(self, record: Record) -> list[str]:
        """Take back what this replay wrote, or do again what it took back last, and touch nothing else of the journal;
        gives what came out differently."""
        name, root, again = record["operation"], self._workspace.root, record["kind"] == "redo"
        if again and name != self._undone:
            return [f"Operation {name} was done again then; this replay did not take it back, and did nothing."]
        if name not in self._made:
            return [f"Operation {name} was undone then; this replay did not write it, and took nothing back."]
        self._undone = None if again else name
        done = history.redo(root) if again else history.undo(root, self._made[name])
        return _differing(record["files"], done.changes)


def _is_whole(records: list[Record]) -> bool:
    """Whether a turn did not break off before it wrote."""
    return any(record["kind"] in ("end", "written") for record in records)


def _groups(records: list[Record]) -> list[list[Record]]:
    """The records of each turn, and each undo and redo, in order."""
    groups: list[list[Record]] = []
    for record in records:
        if record["kind"] in ("turn", *_BACK):
            groups.append([record])
        elif groups and groups[-1][0]["kind"] == "turn":
            groups[-1].append(record)
    return groups


def _options_of(record: Record, options: Options) -> Options:
    """The options of a recorded turn. The map never reaches a recorded model."""
    stated: dict[str, Any] = {name: value for name, value in record["options"].items() if name in KEPT}
    policy = replace(options.terms.policy, **{name: record["policy"][name] for name in PLANNED})
    return replace(options, **{**stated, "map_tokens": 0, "terms": replace(options.terms, policy=policy)})


def _differing(recorded: dict[str, str | None], changes: Sequence[FileChange]) -> list[str]:
    now = transcript.digests(changes)
    paths = sorted({*recorded, *now})
    return [f"`{path}` came out differently." for path in paths if recorded.get(path, "") != now.get(path, "")]
