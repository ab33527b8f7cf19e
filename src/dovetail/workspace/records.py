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
"""

from __future__ import annotations

import hmac
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dovetail.workspace.operation import FileRecord, Label, Operation, Version

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
