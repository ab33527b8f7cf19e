r"""Lines of the journal's log ↔ records.

Owns the log's grammar. A line is ``<crc32, 8 hex digits> <JSON object>\n``; ``do`` names the record:

    open   format, versions         first line: the log's format, and the name of the file that holds the versions
    begin  operation, blobs, end, n what is about to happen; where in that file each new version lies, and where
           root                     the last one ends; how many operations the log has begun, this one included;
                                    the root's path, device and inode
    ready  id, modes                everything is staged and on disk; from here on the operation is completed
    done   id, left                 every file is in place
    lost   count                    so many operations here could not be read when the log was written anew

The checksum tells damage. Whose work a line is tells ``proof``, the last field of each: an HMAC of all before it under
the user's key. A line that does not check is kept where it is and told as unreadable; what follows the last line end is
a torn end.
`FORMAT` is raised by whatever an earlier Dovetail would misread; the first line keeps its form in every format.


What a log says, all lines taken together: operations with their state, and the one that was interrupted.

Pure: bytes in, values out. Undo and redo are operations like any other, so an operation's state follows from those
that come after it. Operations are numbered as they begin: a number left out tells of one that cannot be read, and so
does a line behind the newest that is none of its own.
"""

from __future__ import annotations

import hmac
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from dovetail.workspace.operation import FileRecord, Label, Operation, State, Version

Record = dict[str, Any]
_ID = re.compile(r"[0-9]{8}-[0-9]{6}(-[0-9]{3})?")
_CHECK = 9  # eight digits and a space
_PROOF = b',"proof":"'
_PERMISSIONS = 0o777  # no other mode bit comes from a journal: none makes a program run as somebody else

FORMAT = 1  # of a log whose first line names none, too


class RootIdentity(NamedTuple):
    """What tells a root folder from its copies."""

    path: str
    device: int
    inode: int

    def is_same(self, other: RootIdentity) -> bool:
        """Whether both are one folder: moved, or on a device that got another number when the machine started."""
        moved = self.device == other.device and self.inode != 0
        return self.inode == other.inode and (self.path == other.path or moved)


class Author(NamedTuple):
    """Who writes to a log: the user's key, and the root."""

    key: bytes
    root: RootIdentity


@dataclass(frozen=True, slots=True)
class Line:
    """A record, None where it does not check. `start` and `end` are offsets in the log, line end included.

    proven: it was written with the key that the log is read with.
    """

    record: Record | None
    start: int
    end: int
    proven: bool


@dataclass(frozen=True, slots=True)
class Lines:
    """A log as it was read. `end` is where the last line ends."""

    lines: tuple[Line, ...]
    end: int


def write_line(record: Record, key: bytes) -> bytes:
    """A record as a line of the log, proved by the user's key."""
    body = _with_proof(json.dumps(record, separators=(",", ":"), ensure_ascii=True).encode()[:-1], key)
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _with_proof(fields: bytes, key: bytes) -> bytes:
    return fields + _PROOF + hmac.digest(key, fields, "sha256").hex().encode() + b'"}'


def read_lines(data: bytes, key: bytes, offset: int = 0) -> Lines:
    """Every line, in order; never raises. `offset` is where `data` begins in the log."""
    lines: list[Line] = []
    start = 0
    while (stop := data.find(b"\n", start) + 1) > 0:
        record = _read_line(data[start : stop - 1])
        proven = record is not None and _is_proven(data[start + _CHECK : stop - 1], key)
        lines.append(Line(record, offset + start, offset + stop, proven))
        start = stop
    return Lines(tuple(lines), offset + start)


def _read_line(line: bytes) -> Record | None:
    body = line[_CHECK:]
    if line[:_CHECK] != b"%08x " % zlib.crc32(body):
        return None
    try:
        record = json.loads(body)
    except ValueError:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("do"), str):
        return None
    record.pop("proof", None)
    return record


def _is_proven(body: bytes, key: bytes) -> bool:
    fields, proof, _ = body.rpartition(_PROOF)
    return bool(proof) and hmac.compare_digest(body, _with_proof(fields, key))


def open_record(versions: str) -> Record:
    """The line with which a log begins."""
    return {"do": "open", "format": FORMAT, "versions": versions}


def begin_record(
    operation: Operation, blobs: Mapping[str, tuple[int, int]], end: int, n: int, root: RootIdentity
) -> Record:
    """The line with which an operation begins."""
    record = operation_to_record(operation)
    return {"do": "begin", "operation": record, "blobs": blobs, "end": end, "n": n, "root": root}


def root_of_record(record: Record) -> RootIdentity | None:
    """The root of a line with which an operation begins; None where it names none. Raises as `operation_of_record`."""
    if "root" not in record:
        return None
    path, device, inode = record["root"]
    return RootIdentity(str(path), int(device), int(inode))


def operation_to_record(operation: Operation) -> Record:
    """The operation as JSON; its state and what is lost behind it follow from the log."""
    files = [
        {**_fields(file), "before": _version_to_record(file.before), "after": _version_to_record(file.after)}
        for file in operation.files
    ]
    record = {**_fields(operation), "files": files}
    del record["state"], record["lost"]
    return record


def _version_to_record(version: Version | None) -> Record | None:
    if version is None:
        return None
    record: Record = {"digest": version.digest, "mode": version.mode}
    if version.owner is not None:
        record["owner"] = version.owner
    if version.attributes:
        record["attributes"] = {key: value.hex() for key, value in version.attributes.items()}
    return record


def _fields(value: Operation | FileRecord) -> Record:
    return {name: getattr(value, name) for name in value.__match_args__}


def operation_of_record(record: Record) -> Operation:
    """The other way. Raises `KeyError`, `TypeError` or `ValueError` on what no Dovetail wrote."""
    if not _ID.fullmatch(record["id"]):
        raise ValueError(record["id"])
    return Operation(
        id=record["id"],
        time=record["time"],
        label=Label(record["label"]),
        files=tuple(_file_of_record(item) for item in record["files"]),
        reply=record["reply"],
        results=record["results"],
        undoes=record["undoes"],
        edits=tuple(record["edits"]),
        folders=tuple(record["folders"]),
        left=tuple(record["left"]),
        terms=record.get("terms"),
    )


def _file_of_record(record: Record) -> FileRecord:
    return FileRecord(
        path=record["path"],
        before=_version_of_record(record["before"]),
        after=_version_of_record(record["after"]),
        real=record["real"],
        source=record["source"],
        in_place=record["in_place"],
    )


def _version_of_record(record: Record | None) -> Version | None:
    if record is None:
        return None
    owner, attributes = record.get("owner"), record.get("attributes")
    return Version(
        record["digest"],
        permissions(record["mode"]),
        None if owner is None else (int(owner[0]), int(owner[1])),
        {key: bytes.fromhex(value) for key, value in attributes.items()} if attributes else {},
    )


def permissions(mode: int | None) -> int | None:
    """Mode bits that a journal names, as far as they are taken from it."""
    return None if mode is None else int(mode) & _PERMISSIONS


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
