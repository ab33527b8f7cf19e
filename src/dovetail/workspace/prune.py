"""Keeps the journal bounded: the newest operations stay, up to a number and a size.

The log and the versions are written anew beside the old ones; renaming the new log is the one act that switches both.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.workspace.directory import write_all
from dovetail.workspace.journal import LOG_NAME, VERSIONS, read_own_file, versions_name
from dovetail.workspace.operation import Operation, Pruned
from dovetail.workspace.records import begin_record, open_record, write_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.workspace.contents import Contents
    from dovetail.workspace.directory import Directory
    from dovetail.workspace.records import Author

_NEW_LOG = "log-new"


@dataclass(frozen=True, slots=True)
class Limits:
    """What is kept: at most so many operations, and so many bytes of log and versions. The newest always stays."""

    operations: int = 500
    bytes: int = 256 << 20

    def exceeded(self, contents: Contents) -> bool:
        """Whether it is time to prune by itself: at twice the limits, so that it is seldom."""
        return contents.begun > 2 * self.operations or contents.end + contents.versions_end > 2 * self.bytes


def prune(folder: Directory, contents: Contents, limits: Limits, author: Author) -> Pruned:
    """Drop the oldest operations, under the lock; none while one is pending, which has to stay. Raises `OSError`."""
    kept = _kept(contents, limits, author)
    dropped = len(contents.operations) - len(kept)
    if dropped == 0 or contents.pending is not None:
        return Pruned(0, 0)
    versions = f"{VERSIONS}{int(versions_name(folder, contents).removeprefix(VERSIONS)) + 1}"
    try:
        places = _copy_versions(folder, contents, kept, versions)
        lines = b"".join(_lines(kept, places, versions, author))
        with _made_anew(folder, _NEW_LOG) as fd:
            write_all(fd, lines)
    except BaseException:
        folder.discard(versions)
        folder.discard(_NEW_LOG)
        raise
    folder.replace(_NEW_LOG, LOG_NAME)
    folder.sync()
    for name in folder.names():
        if name.startswith(VERSIONS) and name != versions:
            folder.discard(name)
    before = contents.versions_end + contents.end
    after = sum(length for _, length in places.values()) + len(lines)
    return Pruned(dropped, max(0, before - after))


def digests(operation: Operation) -> set[str]:
    """Every version that an operation names."""
    versions = {side.digest for record in operation.files for side in (record.before, record.after) if side is not None}
    return versions | ({operation.reply, operation.results} - {""})


def _kept(contents: Contents, limits: Limits, author: Author) -> list[Operation]:
    """The newest operations within the limits, oldest first."""
    kept: list[Operation] = []
    named: set[str] = set()
    size = 0
    for operation in reversed(contents.operations.values()):
        new = {digest for digest in digests(operation) - named if digest in contents.blobs}
        line = write_line(begin_record(operation, {}, 0, 0, author.root), author.key)
        size += sum(contents.blobs[digest][1] for digest in new) + len(line)
        if kept and (len(kept) >= limits.operations or size > limits.bytes):
            break
        named |= new
        kept.append(operation)
    return kept[::-1]


def _copy_versions(
    folder: Directory, contents: Contents, kept: list[Operation], name: str
) -> dict[str, tuple[int, int]]:
    old = versions_name(folder, contents)
    places: dict[str, tuple[int, int]] = {}
    end = 0
    with _made_anew(folder, name) as fd:
        for digest in dict.fromkeys(digest for operation in kept for digest in sorted(digests(operation))):
            if digest in contents.blobs:
                packed = read_own_file(folder, old, *contents.blobs[digest])
                write_all(fd, packed)
                places[digest] = (end, len(packed))
                end += len(packed)
    return places


def _lines(kept: list[Operation], places: dict[str, tuple[int, int]], versions: str, author: Author) -> Iterator[bytes]:
    yield write_line(open_record(versions), author.key)
    told: set[str] = set()
    end = n = 0
    for operation in kept:
        n += 1
        named = digests(operation) & set(places) - told
        told |= named
        blobs = {digest: places[digest] for digest in sorted(named)}
        end = max([end, *(offset + length for offset, length in blobs.values())])
        yield write_line(begin_record(operation, blobs, end, n, author.root), author.key)
        yield write_line({"do": "done", "id": operation.id, "left": operation.left}, author.key)
        if operation.lost:
            yield write_line({"do": "lost", "count": operation.lost}, author.key)
            n += operation.lost


@contextmanager
def _made_anew(folder: Directory, name: str) -> Iterator[int]:
    """An empty file of Dovetail's own, to be written in the block and flushed behind it."""
    folder.discard(name)
    fd = folder.open_own(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        yield fd
        os.fsync(fd)
    finally:
        os.close(fd)
