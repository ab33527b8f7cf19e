"""What a log says, all lines taken together: operations with their state, and the one that was interrupted.

Pure: bytes in, values out. Undo and redo are operations like any other, so an operation's state follows from those
that come after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dovetail.model.dataclasses import dataclass, field, replace
from dovetail.model.patterns import late
from dovetail.workspace.operation import FileRecord, Operation, State, Version
from dovetail.workspace.records import Line, Lines, Record, operation_of_record, read_lines

FIRST_VERSIONS = "versions-1"
_VERSIONS = late(r"versions-[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Pending:
    """An operation that began and is not done.

    ready: it was staged whole, so it is completed; otherwise it is taken back.
    start: where its first line begins in the log; `begun` where that line ends.
    """

    operation: Operation
    ready: bool
    start: int
    begun: int


@dataclass(slots=True)
class Contents:
    """A log as it was read.

    operations: those that are done, oldest first, by id.
    blobs: digest → offset and length in the versions file.
    versions, versions_end: that file's name, and how much of it the log names.
    begun: how many operations the log has begun, those of an unread part included.
    end: where the last good line ends.
    damaged: how many lines before that could not be read.
    """

    operations: dict[str, Operation] = field(default_factory=dict)
    pending: Pending | None = None
    blobs: dict[str, tuple[int, int]] = field(default_factory=dict)
    versions: str = FIRST_VERSIONS
    versions_end: int = 0
    begun: int = 0
    end: int = 0
    damaged: int = 0

    @property
    def known(self) -> dict[str, Operation]:
        """The operations that are done, and the one that is done but for its last line, or will be."""
        pending = self.pending
        return self.operations | ({pending.operation.id: pending.operation} if pending and pending.ready else {})

    @property
    def last_id(self) -> str:
        """The newest id there is, ``""`` for none."""
        return max([*self.operations, self.pending.operation.id if self.pending else ""], default="")


def read_contents(data: bytes) -> Contents:
    """Take a log's bytes together; never raises, whatever they are."""
    read = read_lines(data)
    return _fold(read, read.lines)


def read_tail(first: bytes, tail: bytes, offset: int) -> Contents | None:
    """What the first line and the end of a log say, where that is enough to append; None where it is not.

    `tail` begins at `offset`, anywhere in a line. Operations before it are missing from the answer.
    """
    cut = tail.find(b"\n") + 1
    read = read_lines(tail[cut:], offset + cut)
    if not any(line.record["do"] == "begin" for line in read.lines):
        return None
    return _fold(read, (*read_lines(first).lines, *read.lines))


def _fold(read: Lines, lines: Iterable[Line]) -> Contents:
    contents = Contents(end=read.end, damaged=read.damaged)
    for line in lines:
        try:
            _DISPATCH[line.record["do"]](contents, line)
        except (KeyError, TypeError, ValueError):
            contents.damaged += 1
    return contents


def _open(contents: Contents, line: Line) -> None:
    name = line.record["versions"]
    if not _VERSIONS.fullmatch(name):
        raise ValueError(name)
    contents.versions = name


def _begin(contents: Contents, line: Line) -> None:
    operation = operation_of_record(line.record["operation"])
    blobs = {digest: (int(offset), int(length)) for digest, (offset, length) in line.record["blobs"].items()}
    versions_end, begun = int(line.record["end"]), int(line.record["n"])
    # Whoever began this one had made whole what came before, so only the newest can be pending.
    _settle(contents)
    contents.blobs.update(blobs)
    contents.versions_end, contents.begun = versions_end, begun
    contents.pending = Pending(operation, False, line.start, line.end)


def _ready(contents: Contents, line: Line) -> None:
    pending = contents.pending
    if pending is not None and pending.operation.id == line.record["id"]:
        files = tuple(_with_mode(record, line.record["modes"]) for record in pending.operation.files)
        contents.pending = replace(pending, operation=replace(pending.operation, files=files), ready=True)


def _done(contents: Contents, line: Line) -> None:
    pending = contents.pending
    if pending is not None and pending.operation.id == line.record["id"]:
        left = tuple(line.record["left"])
        contents.pending = replace(pending, operation=replace(pending.operation, left=left))
        _settle(contents)


_DISPATCH: dict[str, Callable[[Contents, Line], None]] = {
    "open": _open,
    "begin": _begin,
    "ready": _ready,
    "done": _done,
}


def _with_mode(record: FileRecord, modes: Record) -> FileRecord:
    mode = modes.get(record.path)
    if record.after is None or mode is None:
        return record
    after = Version(record.after.digest, int(mode))
    return FileRecord(record.path, record.before, after, record.real, record.source, record.in_place)


def _settle(contents: Contents) -> None:
    """The pending operation counts as done, what it takes back as undone, what that took back as done, and so on.

    An operation of which some edits are taken back stands all the same.
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
        state = State.DONE if state is State.UNDONE else State.UNDONE
