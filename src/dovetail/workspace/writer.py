"""What is written to the journal, under the lock: lines behind the log's end, and versions behind the others.

Nothing is put behind a torn end, and all can be taken back by cutting both files, which needs no space.
"""

from __future__ import annotations

import os
import zlib
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.model.errors import WorkspaceError
from dovetail.workspace.directory import let_go, sync_fully, write_all
from dovetail.workspace.explain import about
from dovetail.workspace.files import digest_of
from dovetail.workspace.journal import LOG_NAME, unpack, versions_name
from dovetail.workspace.names import JOURNAL_FOLDER
from dovetail.workspace.records import begin_record, open_record, write_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dovetail.workspace.contents import Contents
    from dovetail.workspace.directory import Directory
    from dovetail.workspace.operation import Operation
    from dovetail.workspace.records import Author

_COMPRESSION = 3  # a third of the time of the default, for a tenth more bytes


@dataclass(frozen=True, slots=True)
class Mark:
    """Ends of the log and of the versions file before an operation began."""

    log: int
    versions: int


class Writer:
    """Appends to the journal, under the lock. Every method may raise `OSError`."""

    def __init__(self, folder: Directory, contents: Contents, author: Author) -> None:
        self._folder = folder
        self._author = author
        self._blobs = dict(contents.blobs)
        self._ends = Mark(contents.end, contents.versions_end)
        self._begun = contents.begun
        with ExitStack() as opened:
            self._log = _opened(folder, LOG_NAME)
            opened.callback(let_go, self._log)
            versions = versions_name(folder, contents)
            self._versions = _opened(folder, versions)
            opened.callback(let_go, self._versions)
            # A torn end is cut before anything is put behind it.
            _cut_behind(self._log, contents.end)
            _cut_behind(self._versions, contents.versions_end)
            if contents.end == 0:
                self._append(open_record(versions))
                folder.sync()
            self._opened = opened.pop_all()

    @property
    def mark(self) -> Mark:
        """Where both files end now."""
        return self._ends

    def close(self) -> None:
        """Let go of both files; what counts in them was flushed."""
        self._opened.close()

    def begin(self, operation: Operation, blobs: Mapping[str, bytes]) -> None:
        """Say what is about to happen and keep the bytes it needs."""
        start = self._ends
        new = {digest: zlib.compress(data, _COMPRESSION) for digest, data in blobs.items() if not self._holds(digest)}
        places: dict[str, tuple[int, int]] = {}
        end = start.versions
        for digest, packed in new.items():
            places[digest] = (end, len(packed))
            end += len(packed)
        _write_at(self._versions, start.versions, new.values())
        self._blobs.update(places)
        self._ends = Mark(start.log, end)
        self._begun += 1
        self._append(begin_record(operation, places, end, self._begun, self._author.root))
        os.fsync(self._log)  # else a power cut could leave staged files that nobody knows of

    def ready(self, operation: Operation) -> None:
        """Say that everything is staged, once the versions are on the disk. From here on recovery goes forward.

        Raises `WorkspaceError` where the log was removed meanwhile: no start would find what stands in it.
        """
        there = self._folder.lstat(LOG_NAME)
        if there is None or not os.path.samestat(there, os.fstat(self._log)):
            raise WorkspaceError("The journal was removed meanwhile; nothing was written.", hint="Run it again.")
        os.fsync(self._versions)
        modes = {r.path: r.after.mode for r in operation.files if r.after is not None}
        self._append({"do": "ready", "id": operation.id, "modes": modes})
        sync_fully(self._log)

    def done(self, operation: Operation, left: tuple[str, ...] = ()) -> None:
        """Say that every file is in place, but for those left alone: from here on they are the user's again."""
        self._append({"do": "done", "id": operation.id, "left": left})
        os.fsync(self._log)

    def cut(self, log: int, versions: int | None = None) -> None:
        """Forget what follows. Needs no space, so it works on a full disk too."""
        os.ftruncate(self._log, log)
        os.fsync(self._log)
        if versions is not None:
            os.ftruncate(self._versions, versions)
        self._ends = Mark(log, self._ends.versions if versions is None else versions)

    def _holds(self, digest: str) -> bool:
        """Whether a version that the log names is there indeed: what was damaged since is kept again."""
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
        self._ends = Mark(self._ends.log + len(line), self._ends.versions)


def _opened(folder: Directory, name: str) -> int:
    with about(f"{JOURNAL_FOLDER}/{name}"):
        return folder.open_own(name, os.O_RDWR | os.O_CREAT)


def _cut_behind(fd: int, end: int) -> None:
    if os.fstat(fd).st_size > end:
        os.ftruncate(fd, end)


def _write_at(fd: int, offset: int, pieces: Iterable[bytes]) -> None:
    os.lseek(fd, offset, os.SEEK_SET)
    write_all(fd, b"".join(pieces))
