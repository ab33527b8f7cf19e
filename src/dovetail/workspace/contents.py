"""What a log says, all lines taken together: operations with their state, and the one that was interrupted.

Pure: bytes in, values out. Undo and redo are operations like any other, so an operation's state follows from those
that come after it. Operations are numbered as they begin: a number left out tells of one that cannot be read, and so
does a line behind the newest that is none of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from dovetail.workspace.operation import Label, Operation, State
from dovetail.workspace.records import (
    FORMAT,
    Line,
    Lines,
    Record,
    RootIdentity,
    operation_of_record,
    permissions,
    read_lines,
    root_of_record,
)

_VERSIONS = re.compile(r"versions-[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Pending:
    """An operation that began and is not done.

    ready: it was staged whole, so it is completed; otherwise it is taken back.
    start: where its first line begins in the log; `begun` where that line ends.
    root: the folder that it was begun in; None where the log does not say.
    """

    operation: Operation
    ready: bool
    start: int
    begun: int
    root: RootIdentity | None


@dataclass(slots=True)
class Contents:
    """A log as it was read.

    format: what the log's first line says of it; beyond `FORMAT`, nothing else of it is read.
    operations: those that are done, oldest first, by id.
    blobs: digest → offset and length in the versions file.
    versions, versions_end: that file's name, and how much of it the log names; None where the log names no file.
    begun: how many operations the log has begun, those of an unread part included.
    end: where the last line ends.
    lost: how many operations cannot be read.
    stray: lines behind the newest operation that are none of its own, as far as is known.
    unreadable: there is a log, and nothing of it can be read.
    unproven: lines that check and that this user's key did not write.
    again: of an apply that was taken back whole and brought again, the redo that did so, by the apply's id.
    """

    format: int = FORMAT
    operations: dict[str, Operation] = field(default_factory=dict)
    pending: Pending | None = None
    blobs: dict[str, tuple[int, int]] = field(default_factory=dict)
    versions: str | None = None
    versions_end: int = 0
    begun: int = 0
    end: int = 0
    lost: int = 0
    stray: int = 0
    unreadable: bool = False
    unproven: int = 0
    again: dict[str, str] = field(default_factory=dict)

    @property
    def known(self) -> dict[str, Operation]:
        """The operations that are done, and the one that is done but for its last line, or will be."""
        pending = self.pending
        return self.operations | ({pending.operation.id: pending.operation} if pending and pending.ready else {})

    @property
    def last_id(self) -> str:
        """The newest id there is, ``""`` for none."""
        return max([*self.operations, self.pending.operation.id if self.pending else ""], default="")


def read_contents(data: bytes, key: bytes) -> Contents:
    """Take a log's bytes together; never raises, whatever they are. `key` is the user's."""
    read = read_lines(data, key)
    contents = _fold(read, read.lines)
    contents.unreadable = bool(data) and contents.versions is None and not contents.last_id
    return contents


def read_tail(first: bytes, tail: bytes, offset: int, key: bytes) -> Contents | None:
    """What the first line and the end of a log say, where that is enough to append; None where it is not.

    `tail` begins at `offset`, anywhere in a line. Operations before it are missing from the answer.
    """
    cut = tail.find(b"\n") + 1
    read = read_lines(tail[cut:], key, offset + cut)
    opened = read_lines(first, key).lines[:1]
    if not opened or not any(line.record is not None and line.record["do"] == "begin" for line in read.lines):
        return None
    contents = _fold(read, (*opened, *read.lines))
    newest = contents.pending.operation if contents.pending else next(reversed(contents.operations.values()), None)
    return None if contents.versions is None or newest is None or newest.lost else contents


def _fold(read: Lines, lines: Iterable[Line]) -> Contents:
    contents = Contents(end=read.end)
    for line in lines:
        contents.unproven += line.record is not None and not line.proven
        try:
            _fold_line(contents, line)
        except (KeyError, TypeError, ValueError):
            contents.stray += 1
        if contents.format > FORMAT:
            return contents
    pending = contents.pending
    of_its_own = 0 if pending is None else 1 if pending.ready else 2
    if contents.stray > of_its_own:
        _lose(contents, 1)
    return contents


def _fold_line(contents: Contents, line: Line) -> None:
    """Raises `KeyError`, `TypeError` or `ValueError` where no Dovetail wrote the line, or not behind these."""
    if line.record is None:
        raise ValueError(line)
    _DISPATCH[line.record["do"]](contents, line.record, line)


def _open(contents: Contents, record: Record, _: Line) -> None:
    if record.get("format", FORMAT) > FORMAT:
        contents.format = record["format"]
        return
    name = record["versions"]
    if not _VERSIONS.fullmatch(name):
        raise ValueError(name)
    contents.versions = name


def _begin(contents: Contents, record: Record, line: Line) -> None:
    operation = operation_of_record(record["operation"])
    blobs = {digest: (int(offset), int(length)) for digest, (offset, length) in record["blobs"].items()}
    versions_end, begun, root = int(record["end"]), int(record["n"]), root_of_record(record)
    _lose(contents, begun - contents.begun - 1)
    # Whoever began this one had made whole what came before, so only the newest can be pending.
    _settle(contents)
    contents.blobs.update(blobs)
    contents.versions_end, contents.begun, contents.stray = versions_end, begun, 0
    contents.pending = Pending(operation, False, line.start, line.end, root)


def _ready(contents: Contents, record: Record, _: Line) -> None:
    pending = _own(contents, record)
    modes = {path: mode for path, named in record["modes"].items() if (mode := permissions(named)) is not None}
    contents.pending = replace(pending, operation=pending.operation.with_modes(modes), ready=True)


def _done(contents: Contents, record: Record, _: Line) -> None:
    pending = _own(contents, record)
    contents.pending = replace(pending, operation=replace(pending.operation, left=tuple(record["left"])))
    # Of the lines that cannot be read one may have been its `ready`, and one the `done` that a recovery wrote again.
    contents.stray = max(0, contents.stray - (1 if pending.ready else 2))
    _settle(contents)


def _own(contents: Contents, record: Record) -> Pending:
    """The pending operation, which the line must be about. Raises `ValueError`.

    A line of a later one whose beginning cannot be read tells that this one was whole by then.
    """
    pending = contents.pending
    if pending is not None and pending.operation.id < record["id"]:
        _settle(contents)
    if pending is None or pending.operation.id != record["id"]:
        raise ValueError(record["id"])
    return pending


def _lost(contents: Contents, record: Record, _: Line) -> None:
    _lose(contents, int(record["count"]))


_DISPATCH: dict[str, Callable[[Contents, Record, Line], None]] = {
    "open": _open,
    "begin": _begin,
    "ready": _ready,
    "done": _done,
    "lost": _lost,
}


def _lose(contents: Contents, count: int) -> None:
    """So many operations behind the newest cannot be read."""
    if count <= 0:
        return
    contents.lost += count
    contents.begun += count
    pending, newest = contents.pending, next(reversed(contents.operations.values()), None)
    if pending is not None:
        operation = pending.operation
        contents.pending = replace(pending, operation=replace(operation, lost=operation.lost + count))
    elif newest is not None:
        contents.operations[newest.id] = replace(newest, lost=newest.lost + count)


def _settle(contents: Contents) -> None:
    """The pending operation counts as done, what it takes back as undone, what that took back as done, and so on.

    An operation of which some edits are taken back stands all the same. A redo stands as long as what it brought again.
    """
    pending, contents.pending = contents.pending, None
    if pending is None:
        return
    operation = pending.operation
    contents.operations[operation.id] = operation
    state = State.UNDONE
    while not operation.edits:
        other = contents.operations.get(operation.undoes or "")
        if other is None or other.id >= operation.id:  # only a damaged log names what came later
            break
        operation = contents.operations[other.id] = replace(other, state=state)
        if operation.label is Label.APPLY and state is State.DONE:
            contents.again[operation.id] = pending.operation.id
        elif operation.label is Label.APPLY and (redo := contents.again.pop(operation.id, None)) in contents.operations:
            contents.operations[redo] = replace(contents.operations[redo], state=State.UNDONE)
        state = State.DONE if state is State.UNDONE else State.UNDONE
