r"""The journal's log: its grammar, and the contents that all its lines add up to.

Pure: bytes in, values out. A line is ``<crc32, 8 hex digits> <JSON object>\n``; ``do`` names the record:

    open   format, versions         first line: the log's format, and the name of the file that holds the versions
    begin  operation, blobs, end, n what is about to happen; where in that file each new version lies, and where
           root                     the last one ends; how many operations the log has begun, this one included;
                                    the root's path, device and inode
    ready  id, modes                everything is staged and on disk; from here on the operation is completed
    done   id, left                 every file is in place
    recorded operation, blobs, end, n, root   as `begin`, of what somebody else did: it is done already
    lost   count                    so many operations here could not be read when the log was written anew

The checksum shows damage. ``proof``, the last field of each line, shows whose work it is: an HMAC of all before it
under the user's key. A line that does not check stays where it is and counts as unreadable; what follows the last line
end is a torn end. `FORMAT` is raised by whatever an earlier Dovetail would misread; the first line keeps its form in
every format.

Undo and redo are operations like any other, so an operation's state follows from those that come after it. Operations
are numbered as they begin: a missing number shows that one cannot be read, and so does a line behind the newest
operation that does not belong to it.
"""

from __future__ import annotations

import hmac
import json
import re
import zlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from dovetail.text.pattern import pattern
from dovetail.workspace.operation import FileRecord, Label, Operation, OperationState, Origin, Version

Record = dict[str, Any]
FORMAT = 2
_FIRST_FORMAT = 1  # of a log whose first line names none, too: it has no `recorded`

_ID = pattern(r"[0-9]{8}-[0-9]{6}(-[0-9]{3})?")
_VERSIONS = pattern(r"versions-[0-9]{1,9}")
# An entry of `blobs`: digest, offset and length, as in "9f86…":[1024,88]
_SPAN = re.compile(rb'"([0-9a-f]{64})":\[([0-9]{1,18}),([0-9]{1,18})\]')
_CHECKSUM_LENGTH = 9  # eight digits and a space
_PROOF = b',"proof":"'
_PERMISSIONS = 0o777  # no other mode bit comes from a journal: none makes a program run as somebody else


class RootIdentity(NamedTuple):
    """What distinguishes a root folder from its copies."""

    path: str
    device: int
    inode: int

    def is_same(self, other: RootIdentity) -> bool:
        """Return whether both are one folder: moved, or on a device that got another number at a restart."""
        moved = self.device == other.device and self.inode != 0
        return self.inode == other.inode and (self.path == other.path or moved)


class Author(NamedTuple):
    """Who writes to a log: the user's key, and the root."""

    key: bytes
    root: RootIdentity


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the log.

    record: its JSON object; None if the checksum is wrong. start, end: offsets in the log, line end included.
    proven: its proof fits the key that the log is read with.
    """

    record: Record | None
    start: int
    end: int
    proven: bool


@dataclass(frozen=True, slots=True)
class PendingOperation:
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
class LogContents:
    """A log as it was read.

    format: the format that the first line states; if it is above `FORMAT`, nothing else is read.
    operations: those that are done, oldest first, by id.
    pending: the operation that began and is not done, if there is one.
    blobs: digest → offset and length in the versions file.
    versions, versions_end: that file's name, None if the log names none, and where the last version ends in it.
    begun: how many operations the log has begun, those of an unread part included.
    end: where the last line ends.
    lost: how many operations cannot be read.
    stray: how many lines behind the newest operation cannot be read, less those that may be its own.
    unreadable: there is a log, and nothing of it can be read.
    unproven: how many lines have a right checksum and no proof by this user's key.
    redone_by: apply's id → id of the redo that brought it again after a whole undo.
    """

    format: int = FORMAT
    operations: dict[str, Operation] = field(default_factory=dict)
    pending: PendingOperation | None = None
    blobs: dict[str, tuple[int, int]] = field(default_factory=dict)
    versions: str | None = None
    versions_end: int = 0
    begun: int = 0
    end: int = 0
    lost: int = 0
    stray: int = 0
    unreadable: bool = False
    unproven: int = 0
    redone_by: dict[str, str] = field(default_factory=dict)

    @property
    def known(self) -> dict[str, Operation]:
        """The operations that are done, by id, and the pending one if it is ready, as that will be completed."""
        pending = self.pending
        return self.operations | ({pending.operation.id: pending.operation} if pending and pending.ready else {})

    @property
    def last_id(self) -> str:
        """The newest id there is, ``""`` for none."""
        return max([*self.operations, self.pending.operation.id if self.pending else ""], default="")


# Lines ↔ records


# `{"do":"done","id":"…","proof":"<64 hex digits>"}`: the proof covers the bytes up to its own comma, so the object is
# written without its last brace, and the proof closes it.
def write_line(record: Record, key: bytes) -> bytes:
    """Return a record as a line of the log, with a proof by the user's key."""
    body = _with_proof(json.dumps(record, separators=(",", ":"), ensure_ascii=True).encode()[:-1], key)
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _with_proof(fields: bytes, key: bytes) -> bytes:
    return fields + _PROOF + hmac.digest(key, fields, "sha256").hex().encode() + b'"}'


def read_lines(data: bytes, key: bytes, offset: int = 0) -> tuple[list[LogLine], int]:
    """Return the whole lines, in order, and where the last one ends in the log; never raises.

    offset: where `data` begins in the log.
    """
    lines: list[LogLine] = []
    start = 0
    while (stop := data.find(b"\n", start) + 1) > 0:
        line = data[start : stop - 1]
        record = _read_record(line)
        fields, proof, _ = line[_CHECKSUM_LENGTH:].rpartition(_PROOF)
        proven = record is not None and bool(proof)
        proven = proven and hmac.compare_digest(line[_CHECKSUM_LENGTH:], _with_proof(fields, key))
        lines.append(LogLine(record, offset + start, offset + stop, proven))
        start = stop
    return lines, offset + start


def _read_record(line: bytes) -> Record | None:
    body = line[_CHECKSUM_LENGTH:]
    if line[:_CHECKSUM_LENGTH] != b"%08x " % zlib.crc32(body):
        return None
    try:
        record = json.loads(body)
    except ValueError:
        return None
    if not isinstance(record, dict) or not isinstance(record.get("do"), str):
        return None
    record.pop("proof", None)
    return record


def open_record(versions: str) -> Record:
    """Return the record with which a log begins."""
    return {"do": "open", "format": FORMAT, "versions": versions}


def begin_record(
    operation: Operation, blobs: Mapping[str, tuple[int, int]], end: int, n: int, root: RootIdentity
) -> Record:
    """Return the record with which an operation begins, or the only one of an operation of `Label.RECORDED`.

    blobs: digest → offset and length of each version that is new. end: where the last one ends. n: the operation's
    number in the log, from 1.
    """
    files = [
        {**_fields(file), "before": _version_to_record(file.before), "after": _version_to_record(file.after)}
        for file in operation.files
    ]
    record = {**_fields(operation), "files": files}
    del record["state"], record["lost"]  # both follow from the log
    record["origin"] = None if operation.origin is None else _fields(operation.origin)
    for name in ("origin", "not_covered", "only", "key"):  # which most operations do not have
        if not record[name]:
            del record[name]
    do = "recorded" if operation.label is Label.RECORDED else "begin"
    return {"do": do, "operation": record, "blobs": blobs, "end": end, "n": n, "root": root}


def _fields(value: Operation | FileRecord | Origin) -> Record:
    return {name: getattr(value, name) for name in value.__match_args__}


def _version_to_record(version: Version | None) -> Record | None:
    if version is None:
        return None
    record: Record = {"digest": version.digest, "mode": version.mode}
    if version.owner is not None:
        record["owner"] = version.owner
    if version.attributes:
        record["attributes"] = {key: value.hex() for key, value in version.attributes.items()}
    return record


# These functions raise `KeyError`, `TypeError` or `ValueError` for records that no Dovetail wrote.


def _operation_of(record: Record) -> Operation:
    if not _ID.fullmatch(record["id"]):
        raise ValueError(record["id"])
    files = tuple(
        FileRecord(
            path=item["path"],
            before=_version_of(item["before"]),
            after=_version_of(item["after"]),
            real=item["real"],
            source=item["source"],
            in_place=item["in_place"],
        )
        for item in record["files"]
    )
    return Operation(
        id=record["id"],
        time=record["time"],
        label=Label(record["label"]),
        files=files,
        reply=record["reply"],
        results=record["results"],
        undoes=record["undoes"],
        edits=tuple(record["edits"]),
        folders=tuple(record["folders"]),
        left=tuple(record["left"]),
        terms=record.get("terms"),
        also=tuple(record.get("also", ())),
        origin=_origin_of(record.get("origin")),
        not_covered=tuple(record.get("not_covered", ())),
        only=tuple(record.get("only", ())),
        key=str(record.get("key", "")),
    )


def _origin_of(record: Record | None) -> Origin | None:
    if record is None:
        return None
    prompt = record["prompt"]
    return Origin(
        str(record["agent"]),
        str(record["session"]),
        None if prompt is None else int(prompt),
        str(record["words"]),
        record["tool"],
        tuple(map(str, record["calls"])),
    )


def _version_of(record: Record | None) -> Version | None:
    if record is None:
        return None
    owner, attributes = record.get("owner"), record.get("attributes")
    return Version(
        record["digest"],
        _permissions(record["mode"]),
        None if owner is None else (int(owner[0]), int(owner[1])),
        {key: bytes.fromhex(value) for key, value in attributes.items()} if attributes else {},
    )


def _permissions(mode: int | None) -> int | None:
    """Return a mode of a journal without the bits that none may set."""
    return None if mode is None else int(mode) & _PERMISSIONS


def _root_of(record: Record) -> RootIdentity | None:
    if "root" not in record:
        return None
    path, device, inode = record["root"]
    return RootIdentity(str(path), int(device), int(inode))


# All lines together


def read_contents(data: bytes, key: bytes) -> LogContents:
    """Read a whole log; never raises, whatever its bytes are. `key` is the user's."""
    lines, end = read_lines(data, key)
    contents = _combine(lines, end)
    contents.unreadable = bool(data) and contents.versions is None and not contents.last_id
    return contents


def read_tail(first: bytes, tail: bytes, offset: int, key: bytes) -> LogContents | None:
    """Read a log's first line and its end, if that is enough to append to it; return None if it is not.

    tail: the end of the log, from `offset` on, anywhere in a line. Operations before it are missing from the result.
    """
    # The first piece may be the rest of a line, so it goes; if it was a whole line, only one operation more is unread.
    cut = tail.find(b"\n") + 1
    lines, end = read_lines(tail[cut:], key, offset + cut)
    opened = read_lines(first, key)[0][:1]
    if not opened or not any(line.record is not None and line.record["do"] in ("begin", "recorded") for line in lines):
        return None
    contents = _combine([*opened, *lines], end)
    # Operations before the tail make `contents.lost` large, but no operation's own `lost`. If the newest has one, lines
    # behind it cannot be read, and only the whole log tells how many.
    newest = contents.pending.operation if contents.pending else next(reversed(contents.operations.values()), None)
    return None if contents.versions is None or newest is None or newest.lost else contents


def is_sound(data: bytes, key: bytes, begun: int) -> bool:
    """Return whether each line of a log has a right checksum and proof, and `begun` operations begin in it.

    Far cheaper than `read_contents`, as no JSON is parsed.
    """
    start = count = 0
    while (stop := data.find(b"\n", start)) >= 0:
        body = data[start + _CHECKSUM_LENGTH : stop]
        fields, proof, _ = body.rpartition(_PROOF)
        if data[start : start + _CHECKSUM_LENGTH] != b"%08x " % zlib.crc32(body) or not proof:
            return False
        if not hmac.compare_digest(body, _with_proof(fields, key)):
            return False
        # `do` is the first field of each record, so its kind shows without parsing.
        count += body.startswith((b'{"do":"begin"', b'{"do":"recorded"'))
        start = stop + 1
    return count == begun


def find_spans(data: bytes, digests: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return offset and length of versions in the versions file, by digest, without parsing the log."""
    found = ((hit[1].decode(), (int(hit[2]), int(hit[3]))) for hit in _SPAN.finditer(data))
    return {digest: span for digest, span in found if digest in digests}


def _combine(lines: Iterable[LogLine], end: int) -> LogContents:
    contents = LogContents(end=end)
    for line in lines:
        contents.unproven += line.record is not None and not line.proven
        try:
            _take_line(contents, line)
        except (KeyError, TypeError, ValueError):
            contents.stray += 1
        if contents.format > FORMAT:
            return contents
    pending = contents.pending
    # Unreadable lines at the end may be the pending operation's own `ready` and `done`. Any more are of a later
    # operation, of which nothing else is known.
    still_missing = 0 if pending is None else 1 if pending.ready else 2
    if contents.stray > still_missing:
        _count_lost(contents, 1)
    return contents


def _take_line(contents: LogContents, line: LogLine) -> None:
    """Add one line. Raises `KeyError`, `TypeError` or `ValueError` if no Dovetail wrote it, or not in this place."""
    record = line.record
    if record is None:
        raise ValueError(line)
    match record["do"]:
        case "open":
            contents.format = record.get("format", _FIRST_FORMAT)
            if contents.format > FORMAT:
                return
            name = record["versions"]
            if not _VERSIONS.fullmatch(name):
                raise ValueError(name)
            contents.versions = name
        case "begin" | "recorded" as kind:
            operation = _operation_of(record["operation"])
            blobs = {digest: (int(offset), int(length)) for digest, (offset, length) in record["blobs"].items()}
            if min((number for span in blobs.values() for number in span), default=0) < 0:
                raise ValueError(blobs)
            versions_end, begun, root = int(record["end"]), int(record["n"]), _root_of(record)
            # Numbers run without gaps: 7 behind 4 means that 5 and 6 cannot be read.
            _count_lost(contents, begun - contents.begun - 1)
            # An operation begins only after a pending one was made whole, so only the newest can be pending.
            _finish_pending(contents)
            contents.blobs.update(blobs)
            contents.versions_end, contents.begun, contents.stray = versions_end, begun, 0
            contents.pending = PendingOperation(operation, False, line.start, line.end, root)
            if kind == "recorded":
                _finish_pending(contents)
        case "ready":
            pending = _pending_of(contents, record)
            modes = {path: mode for path, bits in record["modes"].items() if (mode := _permissions(bits)) is not None}
            contents.pending = replace(pending, operation=pending.operation.with_modes(modes), ready=True)
        case "done":
            pending = _pending_of(contents, record)
            contents.pending = replace(pending, operation=replace(pending.operation, left=tuple(record["left"])))
            # Of the unreadable lines one may have been its `ready`, and one the `done` that a recovery wrote again.
            contents.stray = max(0, contents.stray - (1 if pending.ready else 2))
            _finish_pending(contents)
        case "lost":
            _count_lost(contents, int(record["count"]))
        case unknown:
            raise ValueError(unknown)


def _pending_of(contents: LogContents, record: Record) -> PendingOperation:
    """Return the pending operation that a record is about. Raises `ValueError` if it is about another one.

    A record of a later operation whose `begin` cannot be read shows that the pending one was done by then.
    """
    pending = contents.pending
    if pending is not None and pending.operation.id < record["id"]:
        _finish_pending(contents)
    if pending is None or pending.operation.id != record["id"]:
        raise ValueError(record["id"])
    return pending


def _count_lost(contents: LogContents, count: int) -> None:
    """Note that `count` operations after the newest readable one cannot be read; nothing for a count below 1."""
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


def _finish_pending(contents: LogContents) -> None:
    """Count the pending operation as done, if there is one, and update the states of those that it reverses.

    What it takes back is undone, what that took back is done again, and so on. An operation of which only a part is
    taken back stays done. A redo stays done as long as what it brought again.
    """
    pending, contents.pending = contents.pending, None
    if pending is None:
        return
    operations = contents.operations
    operations[pending.operation.id] = pending.operation
    # Apply A, undo U of A, redo R of U: R makes U undone, so A is done again, and `redone_by[A]` is R. A later undo
    # of A makes R undone, too: what R brought again is no longer there.
    reversals, seen = [(pending.operation, OperationState.UNDONE)], {pending.operation.id}
    while reversals:
        operation, state = reversals.pop()
        opposite = OperationState.DONE if state is OperationState.UNDONE else OperationState.UNDONE
        for name in () if operation.is_partial else operation.reverses:
            if name not in operations or name >= operation.id or name in seen:
                continue  # only a damaged log names what came later, or one twice
            seen.add(name)
            other = operations[name] = replace(operations[name], state=state)
            reversals.append((other, opposite))
            if other.label.is_first and state is OperationState.DONE:
                contents.redone_by[name] = pending.operation.id
            elif other.label.is_first and (redo := contents.redone_by.pop(name, None)) in operations:
                operations[redo] = replace(operations[redo], state=OperationState.UNDONE)
