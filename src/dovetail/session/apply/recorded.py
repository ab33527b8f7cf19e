"""Agents' changes as the journal recorded them: sessions, requests, changes by file, and taking them back.

An edit here is the change of one file by one operation; edits are numbered in the order they were made. Whole edits are
taken back by an undo of their operations, chosen lines by a new change; both can be taken back in turn. What somebody
else changed in these files since stays, and is shown before anything is written.
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
    """One operation's change of one file. taken_by: the operation that took it back; None if none did."""

    n: int
    operation: str
    time: str
    origin: Origin
    change: FileChange
    taken_by: str | None

    @property
    def told(self) -> bool:
        """Return whether the one call that made it is known."""
        return self.origin.tool is not None and len(self.origin.calls) == 1


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """A file's edits, and its change from before the first of them to after the last, as they were recorded."""

    path: str
    change: FileChange
    edits: tuple[RecordedEdit, ...]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """One request of a session.

    number: from 1; None if not known. words: how it begins. operations: their ids.
    untold: how many of its operations are of no known call. taken_back: how many are undone.
    """

    number: int | None
    words: str
    operations: tuple[str, ...]
    untold: int
    taken_back: int


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session of an agent, with its requests in order. first, last: the times of its first and last change."""

    agent: str
    session: str
    first: str
    last: str
    paths: tuple[str, ...]
    requests: tuple[RecordedRequest, ...]


def sessions(root: Path) -> tuple[RecordedSession, ...]:
    """Return every session with recorded changes, the newest first. Raises `JournalError`."""
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
    """Tells which changes of files are undone, as their operation was taken back, wholly or in part."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._by: dict[str, list[Operation]] = {}
        for operation in operations:
            if operation.label is Label.UNDO and operation.state is OperationState.DONE:
                for name in operation.reverses:
                    self._by.setdefault(name, []).append(operation)

    def by(self, operation: Operation, path: str) -> str | None:
        """Return the id of the operation that took back another one's change of a file; None if none did."""
        # An undo that was confined to some paths took back only those.
        found = [one.id for one in self._by.get(operation.id, ()) if not one.only or fits(path, one.only)]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Selects recorded changes; each field that is set narrows them down.

    session: its id or the beginning of it; "" for the newest. prompt: the number of a request, from 1.
    since: UTC, ISO 8601. operations: ids. paths: patterns.
    commits: a range of commits, in place of recorded changes; git takes these back, not the journal.
    """

    session: str | None = None
    prompt: int | None = None
    since: str | None = None
    operations: tuple[str, ...] = ()
    paths: tuple[str, ...] = field(default=())
    commits: str | None = None

    @property
    def intent(self) -> Intent:
        """The same selection for the journal."""
        return Intent(self.session, self.prompt, None, self.since, self.paths, self.operations)


def review(root: Path, wanted: Wanted) -> tuple[RecordedFile, ...]:
    """Return the files of the selected changes, sorted by path.

    Raises `JournalError` if nothing was recorded for the selection, `WorkspaceError` for a range unknown to git.
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
    """The result of taking back, or of its dry run.

    own: by file, the numbers of lines that others added and removed, which stay. sessions: ids of the agents' sessions.
    """

    done: UndoResult
    own: dict[str, tuple[int, int]]
    sessions: tuple[str, ...]


def take_back(root: Path, wanted: Wanted, *, dry_run: bool = False, except_conflicts: bool = False) -> RecordedUndo:
    """Take back, in one step, the selected changes that are not undone. Raises `JournalError`, with nothing changed.

    except_conflicts: leave files that were edited since and cannot be merged, unless there are no others.
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
    """Return the agent and call that made an operation; None if no agent did. Raises `JournalError`."""
    with Workspace.open(root) as workspace:
        return workspace.show(name).operation.origin


def take_back_lines(root: Path, name: str, path: str, chunks: Collection[int]) -> Operation:
    """Take back some of an operation's runs of changed lines in a file, and return the new operation.

    name: the operation's id. chunks: numbers of the runs, from 0, in the order of the file. Raises `JournalError` if
    somebody else has changed the same lines since, `UsageError` if there are no such runs.
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
        # The change that takes the chosen lines back is merged into the file as it is now.
        after = merge_change(shown.operation, path, base=change.after, ours=now, theirs=without)
        marks = (file.marked, file.marked) if file is not None else (False, False)
        return workspace.commit([FileChange(path, now, after, marks=marks)], snapshot)


def _without(before: str, after: str, chunks: Collection[int]) -> str:
    """Return the text after a change with some runs of changed lines as before it. chunks: their numbers, from 0."""
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
