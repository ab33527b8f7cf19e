r"""Lines of the journal's log ↔ records.

Owns the log's grammar. A line is ``<crc32, 8 hex digits> <JSON object>\n``; ``do`` names the record:

    open   format, versions         first line: the log's format, and the name of the file that holds the versions
    begin  operation, blobs, end, n what is about to happen; where in that file each new version lies, and where
                                    the last one ends; how many operations the log has begun, this one included
    ready  id, modes                everything is staged and on disk; from here on the operation is completed
    done   id, left                 every file is in place
    lost   count                    so many operations here could not be read when the log was written anew

A line that does not check is kept where it is and told as unreadable; what follows the last line end is a torn end.
`FORMAT` is raised by whatever an earlier Dovetail would misread; the first line keeps its form in every format.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dovetail.workspace.operation import FileRecord, Label, Operation, Version

Record = dict[str, Any]
_ID = re.compile(r"[0-9]{8}-[0-9]{6}(-[0-9]{3})?")
_CHECK = 9  # eight digits and a space

FORMAT = 1  # of a log whose first line names none, too


@dataclass(frozen=True, slots=True)
class Line:
    """A record, None where it does not check. `start` and `end` are offsets in the log, line end included."""

    record: Record | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Lines:
    """A log as it was read. `end` is where the last line ends."""

    lines: tuple[Line, ...]
    end: int


def write_line(record: Record) -> bytes:
    """A record as a line of the log."""
    body = json.dumps(record, separators=(",", ":"), ensure_ascii=True).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def read_lines(data: bytes, offset: int = 0) -> Lines:
    """Every line, in order; never raises. `offset` is where `data` begins in the log."""
    lines: list[Line] = []
    start = 0
    while (stop := data.find(b"\n", start) + 1) > 0:
        lines.append(Line(_read_line(data[start : stop - 1]), offset + start, offset + stop))
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
    return record if isinstance(record, dict) and isinstance(record.get("do"), str) else None


def open_record(versions: str) -> Record:
    """The line with which a log begins."""
    return {"do": "open", "format": FORMAT, "versions": versions}


def begin_record(operation: Operation, blobs: Mapping[str, tuple[int, int]], end: int, n: int) -> Record:
    """The line with which an operation begins."""
    return {"do": "begin", "operation": operation_to_record(operation), "blobs": blobs, "end": end, "n": n}


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
        record["mode"],
        None if owner is None else (int(owner[0]), int(owner[1])),
        {key: bytes.fromhex(value) for key, value in attributes.items()} if attributes else {},
    )
