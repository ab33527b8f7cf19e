"""Tells who wrote each line of a file: the operation of the journal, and so the request and call of an agent.

Owns the walk through a file's versions, oldest first: a line belongs to the operation that added it, and an undo gives
lines back to those who wrote them. Lines that changed between two operations have no writer in the journal; the notes
and trailers of commits may name one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from dovetail.model.errors import JournalError, UsageError
from dovetail.model.text import split_lines
from dovetail.session.apply.committed import CommitAuthor, committed_lines
from dovetail.text.carried import Line, carried
from dovetail.workspace import Label, Operation, Workspace

Writer = TypeVar("Writer")


@dataclass(frozen=True, slots=True)
class WrittenLines(Generic[Writer]):
    """Lines `start` to `end` of a file, from 1, both included. writer: None if not known. text: the first line."""

    start: int
    end: int
    writer: Writer | None
    text: str


@dataclass(frozen=True, slots=True)
class Removed(Generic[Writer]):
    """A removed line. behind: the line of today's file that it came after, from 1; 0 if it was before the first."""

    behind: int
    text: str
    writer: Writer | None
    removed_by: Writer


@dataclass(frozen=True, slots=True)
class Authorship(Generic[Writer]):
    """The writers of a file's lines, in order, and its removed lines. removed_by: who removed the file itself."""

    path: str
    written: tuple[WrittenLines[Writer], ...]
    removed: tuple[Removed[Writer], ...] = ()
    removed_by: Writer | None = None


Lines = list[Line]


def why(root: Path, path: str, line: int | None = None) -> Authorship[Operation | CommitAuthor]:
    """Return who wrote the lines of a file, or one line (from 1). Raises `JournalError` if nothing is known of it."""
    with Workspace.open(root) as workspace:
        operations = {operation.id: operation for operation in workspace.log()}
        file = workspace.snapshot([path], tree=frozenset()).files.get(path)
        known = _ancestors(path, operations.values())

        def text_of(digest: str | None) -> str | None:
            return None if digest is None else workspace.text(digest, path)

        lines = _walk(operations.values(), known, text_of).get(path, [])
    journaled = any(path in operation.paths for operation in operations.values())
    text = file.text if file is not None else None
    commits = committed_lines(root, path, text) if text is not None else {}
    if not journaled and not commits:
        raise JournalError(f"The journal knows nothing of `{path}`.", hint="See `dovetail log`")
    if text is None:
        removed = [op for op in operations.values() for record in op.files if record.path == path and not record.after]
        return Authorship(path, (), removed_by=_first_to_remove(removed[-1], path, operations) if removed else None)
    return answer_of(path, text, lines, operations, commits, line)


def answer_of(
    path: str,
    text: str,
    lines: Sequence[Line],
    writers: Mapping[str, Writer],
    commits: Mapping[int, CommitAuthor],
    only: int | None,
) -> Authorship[Writer | CommitAuthor]:
    """Return who wrote the lines of today's text, from the lines of the last known version with their writers' names.

    writers: by name. commits: by the line's number, what a commit records; used if no writer is known.
    only: return just this line, from 1. Raises `UsageError` if the file has no line of that number.
    """
    # Lines that changed after the last operation have no known writer: "".
    now = carried(lines, split_lines(text), "")
    count = sum(line.removed_by is None for line in now)
    if only is not None and not 1 <= only <= count:
        raise UsageError(f"`{path}` has {count} lines.", hint="Lines count from 1.")
    written: list[WrittenLines[Writer | CommitAuthor]] = []
    removed: list[Removed[Writer | CommitAuthor]] = []
    number = 0
    for line in now:
        known: Writer | CommitAuthor | None = writers.get(line.writer)
        if line.removed_by is not None:
            taker = writers.get(line.removed_by)
            # A removed line has no number; it is shown with the line above it and the line below.
            if taker is not None and (only is None or number in (only - 1, only)):
                removed.append(Removed(number, line.text, known, taker))
            continue
        number += 1
        if only is not None and number != only:
            continue
        known = commits.get(number) if known is None else known
        if written and written[-1].end == number - 1 and written[-1].writer == known:
            written[-1] = WrittenLines(written[-1].start, number, known, written[-1].text)
        else:
            written.append(WrittenLines(number, number, known, line.text))
    return Authorship(path, tuple(written), tuple(removed))


def _first_to_remove(operation: Operation, path: str, operations: Mapping[str, Operation]) -> Operation:
    """Return, for a redo, the operation that first removed the file; for any other, the operation itself."""
    undone = operations.get(operation.undoes or "") if operation.label is Label.REDO else None
    taken = (operations.get(name) for name in (undone.reverses if undone is not None else ()))
    removing = (each for each in taken if each is not None)
    return next((each for each in removing if any(r.path == path and not r.after for r in each.files)), operation)


def _ancestors(path: str, operations: Iterable[Operation]) -> set[str]:
    """Return the path and the earlier paths of a file, as far as the journal knows them."""
    known = {path}
    for operation in reversed(list(operations)):
        for record in operation.files:
            if record.path in known and record.before is None:
                known |= {source for source in (_source(operation, record.path),) if source is not None}
    return known


def _source(operation: Operation, path: str) -> str | None:
    """Return the path of the file that an operation moved to a path; None if it made a new one."""
    record = next(record for record in operation.files if record.path == path)
    if record.source is not None:
        return record.source
    gone = [other for other in operation.files if other.after is None and other.before is not None]
    same = [other.path for other in gone if record.after is not None and other.digests[0] == record.digests[1]]
    return same[0] if same else gone[0].path if len(gone) == 1 and record.before is None else None


def _walk(
    operations: Iterable[Operation], known: set[str], text_of: Callable[[str | None], str | None]
) -> dict[str, Lines]:
    """Return the lines of some files after all operations, by path, each line with its writer."""
    state: dict[str, Lines] = {}
    earlier: dict[tuple[str, str], Lines] = {}  # by path and digest: a version that comes back has its writers again
    for operation in operations:
        before = dict(state)
        for record in operation.files:
            if record.path not in known:
                continue
            old, new = record.digests
            try:
                old_text, new_text = text_of(old), text_of(new)
            except JournalError:
                continue
            lines = before.get(record.path, [])
            if old is None and (source := _source(operation, record.path)) is not None and new is not None:
                lines = before.get(source, [])
                origin = next((r.digests[0] for r in operation.files if r.path == source), None)
                old_text = text_of(origin)
            lines = carried(lines, split_lines(old_text or ""), "")
            if old is not None:
                earlier.setdefault((record.path, old), lines)
            if new is None or new_text is None:
                state[record.path] = []
                continue
            # An undo gives bytes back that the file had before, and their writers with them.
            state[record.path] = earlier.get((record.path, new)) or carried(lines, split_lines(new_text), operation.id)
            earlier[record.path, new] = state[record.path]
    return state
