"""Writes to the journal, under the lock: appends operations, drops the oldest if there are too many, adopts a log.

Lines and versions are appended to their files, after a torn end was cut. An operation is taken back by cutting both
files, which needs no space. Pruning writes a new log and new versions beside the old ones; renaming the new log
switches both at once. A log that was not the user's is adopted by proving its lines anew.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from dovetail.model.errors import WorkspaceError
from dovetail.spool.record_settings import BOUNDS, bound_in
from dovetail.workspace.directory import Directory, close_quietly, errors_about, sync_fully, write_all
from dovetail.workspace.journal.lines import (
    FORMAT,
    Author,
    LogContents,
    begin_record,
    open_record,
    read_lines,
    write_line,
)
from dovetail.workspace.journal.store import FIRST_LINE, LOG_NAME, VERSIONS, read_journal_file, unpack, versions_name
from dovetail.workspace.names import JOURNAL_FOLDER
from dovetail.workspace.operation import Fetch, Label, Operation, Pruned, digest_of

_COMPRESSION = 3  # a third of the time of the default, for a tenth more bytes


@dataclass(frozen=True, slots=True)
class JournalEnds:
    """Ends of the log and of the versions file before an operation began."""

    log: int
    versions: int


class JournalWriter:
    """Appends to the journal, under the lock. Every method may raise `OSError`."""

    def __init__(self, folder: Directory, contents: LogContents, author: Author) -> None:
        self._folder = folder
        self._author = author
        self._blobs = dict(contents.blobs)
        self._ends = JournalEnds(contents.end, contents.versions_end)
        self._begun = contents.begun
        self._format = contents.format
        with ExitStack() as opened:
            self._log = _opened(folder, LOG_NAME)
            opened.callback(close_quietly, self._log)
            self._versions_name = versions = versions_name(folder, contents)
            self._versions = _opened(folder, versions)
            opened.callback(close_quietly, self._versions)
            # A torn end is cut before anything is appended.
            _cut_behind(self._log, contents.end)
            _cut_behind(self._versions, contents.versions_end)
            if contents.end == 0:
                self._append(open_record(versions))
                folder.sync()
            self._opened = opened.pop_all()

    @property
    def ends(self) -> JournalEnds:
        """The present ends of both files."""
        return self._ends

    def close(self) -> None:
        """Close both files. All that must be on the disk was flushed before."""
        self._opened.close()

    def begin(self, operation: Operation, blobs: Mapping[str, bytes]) -> None:
        """Append the `begin` record of an operation, and those of its versions that the journal does not have.

        blobs: their bytes by sha-256.
        """
        start = self._ends
        # The versions are written before the line that names them, but flushed by `ready` alone: no file is replaced
        # before that, so what a crash stops earlier is taken back without them.
        new = {digest: zlib.compress(data, _COMPRESSION) for digest, data in blobs.items() if not self._holds(digest)}
        places: dict[str, tuple[int, int]] = {}
        end = start.versions
        for digest, packed in new.items():
            places[digest] = (end, len(packed))
            end += len(packed)
        _write_at(self._versions, start.versions, new.values())
        self._blobs.update(places)
        self._ends = JournalEnds(start.log, end)
        self._begun += 1
        self._append(begin_record(operation, places, end, self._begun, self._author.root))
        os.fsync(self._log)  # else a power cut could leave staged files that no record names

    def record(self, operations: Sequence[Operation], fetch: Fetch) -> None:
        """Append operations that somebody else carried out, all in one write; `fetch` gives the bytes that they name.

        Raises `WorkspaceError`, too, if the log was removed meanwhile.
        """
        before = self._ends
        try:
            lines = [write_line(self._keep(operation, fetch), self._author.key) for operation in operations]
            os.fsync(self._versions)
            if self._format < FORMAT:
                self._raise_format()
            self._check_there()
            _write_at(self._log, before.log, lines)
            os.fsync(self._log)
        except BaseException:
            self.cut(before.log, before.versions)
            raise
        self._ends = JournalEnds(before.log + sum(map(len, lines)), self._ends.versions)

    def _keep(self, operation: Operation, fetch: Fetch) -> dict[str, Any]:
        """Append the versions that an operation names and the journal does not have; return its record."""
        places: dict[str, tuple[int, int]] = {}
        end = self._ends.versions
        for digest in sorted(operation.digests):
            if not self._holds(digest):
                packed = zlib.compress(fetch(digest), _COMPRESSION)
                _write_at(self._versions, end, [packed])
                places[digest] = (end, len(packed))
                end += len(packed)
        self._blobs.update(places)
        self._ends = JournalEnds(self._ends.log, end)
        self._begun += 1
        return begin_record(operation, places, end, self._begun, self._author.root)

    def _raise_format(self) -> None:
        """Write this `FORMAT` into the log's first line, so that an earlier Dovetail refuses the log."""
        first = os.pread(self._log, FIRST_LINE, 0)
        length = first.find(b"\n") + 1
        # Written over the old line in place, so it must have the same length: "format":1 and "format":2 do.
        line = write_line(open_record(self._versions_name), self._author.key)
        if len(line) == length:
            _write_at(self._log, 0, [line])

    def _check_there(self) -> None:
        """Raise `WorkspaceError` if the log was removed meanwhile, as no later start would find what is appended."""
        there = self._folder.lstat(LOG_NAME)
        if there is None or not os.path.samestat(there, os.fstat(self._log)):
            raise WorkspaceError("The journal was removed meanwhile; nothing was written.", hint="Run it again.")

    def ready(self, operation: Operation) -> None:
        """Flush the versions, and append that everything is staged: from here on a recovery completes the operation.

        Raises `WorkspaceError` if the log was removed meanwhile.
        """
        self._check_there()
        os.fsync(self._versions)
        modes = {r.path: r.after.mode for r in operation.files if r.after is not None}
        self._append({"do": "ready", "id": operation.id, "modes": modes})
        sync_fully(self._log)

    def done(self, operation: Operation, left: tuple[str, ...] = ()) -> None:
        """Append that every file is in place, but for those in `left`, which a recovery left alone."""
        self._append({"do": "done", "id": operation.id, "left": left})
        os.fsync(self._log)

    def cut(self, log: int, versions: int | None = None) -> None:
        """Cut the log, and the versions file if an offset is given. Needs no space, so it works on a full disk too."""
        os.ftruncate(self._log, log)
        os.fsync(self._log)
        if versions is not None:
            os.ftruncate(self._versions, versions)
        self._ends = JournalEnds(log, self._ends.versions if versions is None else versions)

    def _holds(self, digest: str) -> bool:
        """Return whether the journal has an undamaged version of this digest."""
        where = self._blobs.get(digest)
        if where is None:
            return False
        offset, length = where
        os.lseek(self._versions, offset, os.SEEK_SET)
        data = unpack(os.read(self._versions, length))
        return data is not None and digest_of(data) == digest

    def _append(self, record: dict[str, Any]) -> None:
        line = write_line(record, self._author.key)
        _write_at(self._log, self._ends.log, [line])
        self._ends = JournalEnds(self._ends.log + len(line), self._ends.versions)


def _opened(folder: Directory, name: str) -> int:
    with errors_about(f"{JOURNAL_FOLDER}/{name}"):
        return folder.open_private(name, os.O_RDWR | os.O_CREAT)


def _cut_behind(fd: int, end: int) -> None:
    if os.fstat(fd).st_size > end:
        os.ftruncate(fd, end)


def _write_at(fd: int, offset: int, pieces: Iterable[bytes]) -> None:
    os.lseek(fd, offset, os.SEEK_SET)
    write_all(fd, b"".join(pieces))


_NEW_LOG = "log-new"


@dataclass(frozen=True, slots=True)
class Limits:
    """What pruning leaves: at most so many operations, and so many bytes of log and versions. The newest always stays.

    days: how long an operation of `Label.RECORDED` is kept.
    """

    operations: int = 10_000
    bytes: int = 32 << 20
    days: int = 30

    @classmethod
    def of(cls, root: str) -> Limits:
        """Return the limits of a root: half the bounds of its settings, as pruning begins at twice the limits."""
        megabytes, operations, days = (bound_in(root, name) for name in BOUNDS)
        return cls(operations // 2, megabytes << 19, days)  # half a megabyte is 1 << 19 bytes

    def exceeded(self, contents: LogContents, oldest: str = "") -> bool:
        """Return whether to prune without being asked: at twice the limits, so that it is rare.

        oldest: what `Journal.oldest_recorded` returned.
        """
        too_many = contents.begun > 2 * self.operations or contents.end + contents.versions_end > 2 * self.bytes
        # A day later than `expired`: else each event would prune the one operation that has just become too old.
        return too_many or "" < oldest < self._since(self.days + 1)

    def expired(self, operation: Operation) -> bool:
        """Return whether an operation is a recorded one that is older than `days`."""
        return operation.label is Label.RECORDED and operation.time < self._since(self.days)

    @staticmethod
    def _since(days: int) -> str:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - days * 86_400))


def prune(folder: Directory, contents: LogContents, limits: Limits, author: Author) -> Pruned:
    """Drop the oldest operations, under the lock; none while one is pending. Raises `OSError`."""
    kept = _kept(contents, limits, author)
    dropped = len(contents.operations) - len(kept)
    if dropped == 0 or contents.pending is not None:
        return Pruned(0, 0)
    # A new file for the versions: until the log is renamed, the old log needs the old one. A crash leaves both, and the
    # next pruning removes the one that no log names.
    versions = f"{VERSIONS}{int(versions_name(folder, contents).removeprefix(VERSIONS)) + 1}"
    try:
        places = _copy_versions(folder, contents, kept, versions)
        lines = b"".join(_lines(kept, places, versions, author))
        with _new_file(folder, _NEW_LOG) as fd:
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


def adopt(folder: Directory, author: Author) -> None:
    """Give every readable line of a log a proof by the user's key, under the lock; the rest of the log stays.

    Raises `OSError`.
    """
    data = read_journal_file(folder, LOG_NAME)
    lines, end = read_lines(data, author.key)
    proved = (
        data[line.start : line.end] if line.record is None else write_line(line.record, author.key) for line in lines
    )
    try:
        with _new_file(folder, _NEW_LOG) as fd:
            write_all(fd, b"".join(proved) + data[end:])
    except BaseException:
        folder.discard(_NEW_LOG)
        raise
    folder.replace(_NEW_LOG, LOG_NAME)
    folder.sync()


def _kept(contents: LogContents, limits: Limits, author: Author) -> list[Operation]:
    """Return the newest operations within the limits, oldest first."""
    kept: list[Operation] = []
    named: set[str] = set()
    size = 0
    for operation in reversed(contents.operations.values()):
        # Recorded changes expire, applies do not, so older operations may still be kept.
        if kept and limits.expired(operation):
            continue
        new = {digest for digest in operation.digests - named if digest in contents.blobs}
        line = write_line(begin_record(operation, {}, 0, 0, author.root), author.key)
        size += sum(contents.blobs[digest][1] for digest in new) + len(line)
        if kept and (len(kept) >= limits.operations or size > limits.bytes):
            break
        named |= new
        kept.append(operation)
    return kept[::-1]


def _copy_versions(
    folder: Directory, contents: LogContents, kept: list[Operation], name: str
) -> dict[str, tuple[int, int]]:
    old = versions_name(folder, contents)
    places: dict[str, tuple[int, int]] = {}
    end = 0
    with _new_file(folder, name) as fd:
        for digest in dict.fromkeys(digest for operation in kept for digest in sorted(operation.digests)):
            if digest in contents.blobs:
                packed = read_journal_file(folder, old, *contents.blobs[digest])
                write_all(fd, packed)
                places[digest] = (end, len(packed))
                end += len(packed)
    return places


def _lines(kept: list[Operation], places: dict[str, tuple[int, int]], versions: str, author: Author) -> Iterator[bytes]:
    yield write_line(open_record(versions), author.key)
    named_before: set[str] = set()
    end = n = 0
    for operation in kept:
        n += 1
        # A version is listed at the first operation that names it; later ones share it.
        named = operation.digests & set(places) - named_before
        named_before |= named
        blobs = {digest: places[digest] for digest in sorted(named)}
        end = max([end, *(offset + length for offset, length in blobs.values())])
        yield write_line(begin_record(operation, blobs, end, n, author.root), author.key)
        if operation.label is not Label.RECORDED:
            yield write_line({"do": "done", "id": operation.id, "left": operation.left}, author.key)
        if operation.lost:
            # The numbers go on behind the lost ones: a reader takes a gap in them for further lost operations.
            yield write_line({"do": "lost", "count": operation.lost}, author.key)
            n += operation.lost


@contextmanager
def _new_file(folder: Directory, name: str) -> Iterator[int]:
    """Yield the descriptor of a new file in the journal's folder, in place of an old one; flush it after the block."""
    folder.discard(name)
    fd = folder.open_private(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        yield fd
        os.fsync(fd)
    finally:
        os.close(fd)
