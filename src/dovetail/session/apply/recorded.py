"""What agents did, as the journal recorded it: sessions and requests, their changes by file, and taking them back.

One change of one file by one operation is an edit, numbered in the order in which they were made. Taking back is an
undo of the operations concerned, or, of chosen lines, a change of its own; each can be taken back in turn. What
somebody else changed in these files since stays, and is known before anything is written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from dovetail.model.errors import JournalError, UsageError
from dovetail.model.results import FileChange
from dovetail.model.text import IndexedText
from dovetail.session.apply.diff import count_lines
from dovetail.session.apply.operations import UndoResult, changes_of, undo_by_intent
from dovetail.text import diff as linediff
from dovetail.workspace import Label, Operation, OperationState, Origin, Workspace
from dovetail.workspace.git import committed_changes
from dovetail.workspace.journal.undo import Intent, fits, merge_change


@dataclass(frozen=True, slots=True)
class RecordedEdit:
    """What one operation did to one file. `taken_by`: the operation that took it back; None if it is in force."""

    n: int
    operation: str
    time: str
    origin: Origin
    change: FileChange
    taken_by: str | None

    @property
    def told(self) -> bool:
        """Return whether one call is known to have made it."""
        return self.origin.tool is not None and len(self.origin.calls) == 1


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file from before the first of some edits to after the last of them, as they were recorded."""

    path: str
    change: FileChange
    edits: tuple[RecordedEdit, ...]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request of a session: how it began, its operations, and how many of its changes are of no known call."""

    number: int | None
    words: str
    operations: tuple[str, ...]
    untold: int
    taken_back: int


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session of an agent, with its requests in order."""

    agent: str
    session: str
    first: str
    last: str
    paths: tuple[str, ...]
    requests: tuple[RecordedRequest, ...]


def sessions(root: Path) -> tuple[RecordedSession, ...]:
    """Every session whose changes were recorded, the newest first. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        operations = workspace.log()
    found: dict[tuple[str, str], list[_Recorded]] = {}
    for made in _recorded(operations):
        found.setdefault((made.origin.agent, made.origin.session), []).append(made)
    taken = _Undone(operations)
    listed = [_session(agent, name, mine, taken) for (agent, name), mine in found.items()]
    return tuple(sorted(listed, key=lambda one: one.last, reverse=True))


class _Recorded(NamedTuple):
    """An operation that an agent is known to have made."""

    operation: Operation
    origin: Origin


def _recorded(operations: Iterable[Operation]) -> list[_Recorded]:
    return [_Recorded(op, op.origin) for op in operations if op.label.is_first and op.origin is not None]


def _session(agent: str, name: str, mine: Sequence[_Recorded], taken: _Undone) -> RecordedSession:
    requests: dict[int | None, list[_Recorded]] = {}
    for made in mine:
        requests.setdefault(made.origin.prompt, []).append(made)
    paths = dict.fromkeys(path for made in mine for path in made.operation.paths)
    numbered = sorted(requests, key=lambda number: (number is None, number or 0))
    return RecordedSession(
        agent,
        name,
        mine[0].operation.time,
        mine[-1].operation.time,
        tuple(paths),
        tuple(
            RecordedRequest(
                number,
                next((origin.words for _, origin in requests[number] if origin.words), ""),
                tuple(operation.id for operation, _ in requests[number]),
                sum(len(origin.calls) != 1 for _, origin in requests[number]),
                sum(all(taken.by(operation, path) for path in operation.paths) for operation, _ in requests[number]),
            )
            for number in numbered
        ),
    )


class _Undone:
    """Which changes of files are not in force, because their operation was taken back, in whole or in a part."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._by: dict[str, list[Operation]] = {}
        for operation in operations:
            if operation.label is Label.UNDO and operation.state is OperationState.DONE:
                for name in operation.reverses:
                    self._by.setdefault(name, []).append(operation)

    def by(self, operation: Operation, path: str) -> str | None:
        """The operation that took back what another did to a file; None if nobody did."""
        # An undo that was confined to some paths took back only those.
        found = [one.id for one in self._by.get(operation.id, ()) if not one.only or fits(path, one.only)]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which recorded changes are meant: of a session (its id or the beginning of it; "" for the newest), of one of its
    requests, since a time (UTC, ISO 8601), some operations; in some paths. `commits`: a range of commits instead, which
    git and not the journal takes back."""

    session: str | None = None
    prompt: int | None = None
    since: str | None = None
    operations: tuple[str, ...] = ()
    paths: tuple[str, ...] = field(default=())
    commits: str | None = None

    @property
    def intent(self) -> Intent:
        """The same for the journal."""
        return Intent(self.session, self.prompt, None, self.since, self.paths, self.operations)


def review(root: Path, wanted: Wanted) -> tuple[RecordedFile, ...]:
    """The files that the changes meant were made to, in the order of their names.

    Raises `JournalError`, and `WorkspaceError` for a range that git does not know.
    """
    if wanted.commits is not None:
        return _by_path(
            RecordedEdit(
                n, commit.id, commit.time, Origin("git", commit.id, None, commit.subject, "commit"), change, None
            )
            for n, (commit, change) in enumerate(committed_changes(root, wanted.commits), 1)
        )
    with Workspace.open(root) as workspace:
        operations = workspace.log()
        mine = _meant(_recorded(operations), wanted)
        if not mine:
            raise JournalError("No change of an agent was recorded for that.", hint="See `dovetail log`")
        shown = [(made, workspace.show(made.operation.id)) for made in mine]
    taken = _Undone(operations)
    changes = (
        (operation, origin, change)
        for (operation, origin), versions in shown
        for change in changes_of(versions)
        if not wanted.paths or fits(change.path, wanted.paths)
    )
    return _by_path(
        RecordedEdit(n, operation.id, operation.time, origin, change, taken.by(operation, change.path))
        for n, (operation, origin, change) in enumerate(changes, 1)
    )


def _by_path(edits: Iterable[RecordedEdit]) -> tuple[RecordedFile, ...]:
    files: dict[str, list[RecordedEdit]] = {}
    for edit in edits:
        files.setdefault(edit.change.path, []).append(edit)
    return tuple(
        RecordedFile(path, FileChange(path, mine[0].change.before, mine[-1].change.after), tuple(mine))
        for path, mine in sorted(files.items())
    )


def _meant(made: Sequence[_Recorded], wanted: Wanted) -> list[_Recorded]:
    stand = [one for one in made if not wanted.operations or one.operation.id in wanted.operations]
    if wanted.since is not None:
        stand = [one for one in stand if one.operation.time >= wanted.since]
    if wanted.session is not None:
        names = [one.origin.session for one in stand]
        named = wanted.session if wanted.session or not names else names[-1]
        if named not in names:
            named = next((name for name in names if name.startswith(named)), named)
        stand = [one for one in stand if one.origin.session == named]
    if wanted.prompt is not None:
        stand = [one for one in stand if one.origin.prompt == wanted.prompt]
    return stand


@dataclass(frozen=True, slots=True)
class RecordedUndo:
    """What taking back did, or would do. `own`: by file, the lines that others added and removed and that stay.

    sessions: of the agents that had made the changes.
    """

    done: UndoResult
    own: dict[str, tuple[int, int]]
    sessions: tuple[str, ...]


def take_back(root: Path, wanted: Wanted, *, dry_run: bool = False, except_conflicts: bool = False) -> RecordedUndo:
    """Take back, in one step, the changes that are meant and in force. Raises `JournalError`, with nothing changed.

    except_conflicts: leave files that were edited since and cannot be merged, as long as there is another.
    """
    with Workspace.open(root) as workspace:
        mine = _meant(_recorded(workspace.log()), wanted)
        first: dict[str, str | None] = {}
        # Newest first, so that the oldest change of a path is put in last and stays: the file before all of them.
        for made in reversed(mine):
            first.update({change.path: change.before for change in changes_of(workspace.show(made.operation.id))})
    done = undo_by_intent(root, wanted.intent, dry_run=dry_run, except_conflicts=except_conflicts)
    own = {
        change.path: count_lines(FileChange(change.path, first[change.path], change.after))
        for change in done.changes
        if change.path in first and first[change.path] != change.after
    }
    back = {one.origin.session: None for one in mine if one.operation.id in done.operation.reverses}
    return RecordedUndo(done, own, tuple(back))


def origin_of(root: Path, name: str) -> Origin | None:
    """Which agent made an operation; None if none did. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        return workspace.show(name).operation.origin


def take_back_lines(root: Path, name: str, path: str, chunks: Collection[int]) -> Operation:
    """Take back some of the changed lines of an edit: their numbers from 0, in the order of the file.

    Raises `JournalError` if somebody else has changed the same lines since, `UsageError` if there are none such.
    """
    with Workspace.open(root) as workspace:
        shown = workspace.show(name)
        change = next((one for one in changes_of(shown) if one.path == path), None)
        if change is None or change.before is None or change.after is None:
            raise UsageError(f"Operation {name} did not change lines of `{path}`.", hint="Take back the whole edit.")
        without = _without(change.before, change.after, chunks)
        if without == change.after:
            raise UsageError("No lines of that edit were chosen.", hint="Choose some that it changed.")
        snapshot = workspace.snapshot([path], tree=frozenset())
        file = snapshot.files.get(path)
        now = file.text if file is not None else None
        # From what the edit left to that without the chosen lines, merged into what the file is now.
        after = merge_change(shown.operation, path, base=change.after, ours=now, theirs=without)
        marks = (file.marked, file.marked) if file is not None else (False, False)
        return workspace.commit([FileChange(path, now, after, marks=marks)], snapshot)


def _without(before: str, after: str, chunks: Collection[int]) -> str:
    """The text after a change, with some of its runs of changed lines as they were."""
    old, new = (_lines(text) for text in (before, after))
    lines: list[str] = []
    at = 0
    for number, hunk in enumerate(linediff.diff(old, new)):
        lines += new[at : hunk.b1]
        lines += old[hunk.a1 : hunk.a2] if number in chunks else new[hunk.b1 : hunk.b2]
        at = hunk.b2
    return "".join([*lines, *new[at:]])


def _lines(text: str) -> list[str]:
    indexed = IndexedText(text)
    return [text[indexed.starts[n] : indexed.starts[n + 1]] for n in range(len(indexed))]
