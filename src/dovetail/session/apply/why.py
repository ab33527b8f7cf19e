"""Who wrote each line of a file: which operation of the journal, and so which request and call of which agent.

Owns the walk through a file's versions, oldest first: a line belongs to the operation that brought it, and an undo
gives lines back to whoever had written them. What changed between two operations is nobody's that the journal knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dovetail.model.errors import JournalError, UsageError
from dovetail.model.text import split_lines
from dovetail.text.diff import diff
from dovetail.workspace import Label, Operation, Workspace


@dataclass(frozen=True, slots=True)
class Written:
    """Lines `start` to `end` of a file, from 1, and the operation that wrote them; None for one that is not known.

    text: the first of the lines.
    """

    start: int
    end: int
    operation: Operation | None
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """Who wrote a file's lines, in order; and who removed the file, if it is gone."""

    path: str
    written: tuple[Written, ...]
    removed_by: Operation | None = None


Lines = list[tuple[str, str | None]]
"""Lines, each with the id of the operation that wrote it."""


def why(root: Path, path: str, line: int | None = None) -> Answer:
    """Who wrote the lines of a file, or one of them. Raises `JournalError` where the journal knows nothing of it."""
    with Workspace.open(root) as workspace:
        operations = {operation.id: operation for operation in workspace.log()}
        file = workspace.snapshot([path], tree=frozenset()).files.get(path)
        known = _ancestors(path, operations.values())
        if not any(path in operation.paths for operation in operations.values()):
            raise JournalError(f"The journal knows nothing of `{path}`.", hint="See `dovetail log`")

        def text_of(digest: str | None) -> str | None:
            return None if digest is None else workspace.text(digest, path)

        lines = _walk(operations.values(), known, text_of).get(path, [])
    if file is None or file.text is None:
        removed = [op for op in operations.values() for record in op.files if record.path == path and not record.after]
        return Answer(path, (), _first_to_remove(removed[-1], path, operations) if removed else None)
    now = _moved(lines, split_lines(file.text), None)
    if line is not None and not 1 <= line <= len(now):
        raise UsageError(f"`{path}` has {len(now)} lines.", hint="Lines count from 1.")
    return Answer(path, tuple(_grouped(now, operations, line)))


def _first_to_remove(operation: Operation, path: str, operations: Mapping[str, Operation]) -> Operation:
    """The operation that a redo brought again, where it was one that removed a file."""
    undone = operations.get(operation.undoes or "") if operation.label is Label.REDO else None
    taken = (operations.get(name) for name in (undone.reverses if undone is not None else ()))
    removing = (each for each in taken if each is not None)
    return next((each for each in removing if any(r.path == path and not r.after for r in each.files)), operation)


def _ancestors(path: str, operations: Iterable[Operation]) -> set[str]:
    """The paths that a file had before, as far as the journal knows."""
    known = {path}
    for operation in reversed(list(operations)):
        for record in operation.files:
            if record.path in known and record.before is None:
                known |= {source for source in (_source(operation, record.path),) if source is not None}
    return known


def _source(operation: Operation, path: str) -> str | None:
    """The file that an operation moved to a path; None where it made a new one."""
    record = next(record for record in operation.files if record.path == path)
    if record.source is not None:
        return record.source
    gone = [other for other in operation.files if other.after is None and other.before is not None]
    same = [other.path for other in gone if record.after is not None and other.digests[0] == record.digests[1]]
    return same[0] if same else gone[0].path if len(gone) == 1 and record.before is None else None


def _walk(
    operations: Iterable[Operation], known: set[str], text_of: Callable[[str | None], str | None]
) -> dict[str, Lines]:
    """The lines of some files behind all operations, each with who wrote it."""
    state: dict[str, Lines] = {}
    earlier: dict[tuple[str, str], Lines] = {}  # by path and digest: what was so before has the same writers again
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
            lines = _moved(lines, split_lines(old_text or ""), None)
            if old is not None:
                earlier.setdefault((record.path, old), lines)
            if new is None or new_text is None:
                state[record.path] = []
                continue
            state[record.path] = earlier.get((record.path, new)) or _moved(lines, split_lines(new_text), operation.id)
            earlier[record.path, new] = state[record.path]
    return state


def _moved(lines: Lines, after: Sequence[str], writer: str | None) -> Lines:
    """Lines as they become others: those that stay keep who wrote them, new ones are the writer's."""
    found: Lines = []
    at = 0
    for hunk in diff([text for text, _ in lines], list(after)):
        found += lines[at : hunk.a1]
        found += [(text, writer) for text in after[hunk.b1 : hunk.b2]]
        at = hunk.a2
    return found + lines[at:]


def _grouped(lines: Lines, operations: Mapping[str, Operation], only: int | None) -> list[Written]:
    groups: list[Written] = []
    for number, (text, writer) in enumerate(lines, 1):
        if only is not None and number != only:
            continue
        operation = operations.get(writer or "")
        if groups and groups[-1].operation == operation:
            groups[-1] = Written(groups[-1].start, number, operation, groups[-1].text)
        else:
            groups.append(Written(number, number, operation, text))
    return groups
