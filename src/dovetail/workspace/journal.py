"""The journal on disk: an append-only log and the versions it names, in `.dovetail/` under the root.

Owns that folder: private to the user, ignored by git through a file of its own. Versions are named by the sha-256 of
their bytes, compressed and kept once; nothing is appended behind a torn end, and nothing is written over that cannot
be read. Reading needs no lock and makes nothing; writing is done under the lock, through a `Writer`.
"""

from __future__ import annotations

import os
import stat
import zlib
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from dovetail.model.dataclasses import dataclass
from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.workspace.contents import Contents, read_contents, read_tail
from dovetail.workspace.directory import Directory, let_go, read_all, sync_fully, write_all
from dovetail.workspace.explain import about, explain
from dovetail.workspace.files import digest_of
from dovetail.workspace.names import JOURNAL_FOLDER
from dovetail.workspace.records import FORMAT, begin_record, write_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dovetail.workspace.operation import Operation

LOG_NAME = "log"
VERSIONS = "versions-"
_IGNORE_NAME = ".gitignore"
_TAILS = (32 << 10, 512 << 10)  # bytes of the log that a commit reads: operations whose versions come up again
_FIRST_LINE = 128  # bytes that hold it
_COMPRESSION = 3  # a third of the time of the default, for a tenth more bytes


class Journal:
    """The journal of one root."""

    def __init__(self, root: Directory) -> None:
        self._root = root

    def open_folder(self) -> Directory | None:
        """The journal's folder, None where there is none yet. Raises `WorkspaceError` where it is no plain folder."""
        try:
            info = self._root.lstat(JOURNAL_FOLDER)
            if info is None:
                return None
            folder = self._root.child(JOURNAL_FOLDER)
        except OSError as error:
            raise WorkspaceError(
                f"The journal's folder `{JOURNAL_FOLDER}` cannot be opened: {error.strerror}.",
                hint="It must be a folder, not a link, that you may enter.",
            ) from error
        if hasattr(os, "geteuid") and info.st_uid != os.geteuid() != 0:
            folder.close()
            raise WorkspaceError(
                f"The journal's folder `{JOURNAL_FOLDER}` belongs to another user.", hint="Move it away."
            )
        return folder

    def make_folder(self) -> Directory:
        """The journal's folder, made where it is missing. Raises `WorkspaceError`."""
        folder = self.open_folder()
        if folder is not None and _is_ignored(folder):
            _make_private(folder)
            return folder
        try:
            if folder is None:
                with suppress(FileExistsError):
                    self._root.make_own(JOURNAL_FOLDER)
                folder = self._root.child(JOURNAL_FOLDER)
            _write_ignore(folder)
            self._root.sync()
        except OSError as error:
            if folder is not None:
                folder.close()
            raise WorkspaceError(
                f"The journal's folder `{JOURNAL_FOLDER}` cannot be made: {error.strerror}.",
                code=explain(error).code,
                hint="Nothing is written without a journal: make the root writable, or free some space.",
            ) from error
        return folder

    def read(self) -> Contents:
        """What the log says; empty where there is none. Raises `JournalError` for one of a later format."""
        folder = self.open_folder()
        if folder is None:
            return Contents()
        with folder:
            contents = _known(read_contents(read_own_file(folder, LOG_NAME)))
            if contents.lost:
                _salvage(folder, contents)
        return contents

    def read_tail(self) -> Contents:
        """Enough of the log to append to it; the whole of it where it is short, or its end says too little.

        Raises as `read` does.
        """
        folder = self.open_folder()
        if folder is None:
            return Contents()
        with folder:
            info = folder.lstat(LOG_NAME)
            size = info.st_size if info is not None else 0
            first = read_own_file(folder, LOG_NAME, 0, _FIRST_LINE)
            for length in (length for length in _TAILS if length < size):
                contents = read_tail(first, read_own_file(folder, LOG_NAME, size - length, length), size - length)
                if contents is not None:
                    return _known(contents)
        return self.read()

    def mentions(self, digest: str) -> bool:
        """Whether the log names these bytes anywhere; far cheaper than reading what it says."""
        folder = self.open_folder()
        if folder is None:
            return False
        with folder:
            return digest.encode() in read_own_file(folder, LOG_NAME)

    def blob(self, contents: Contents, digest: str) -> bytes:
        """The bytes of a version. Raises `JournalError` where they are gone or damaged."""
        data = self._version(contents, digest)
        if data is None:  # another process has pruned the journal since it was read, perhaps
            data = self._version(self.read(), digest)
        if data is None:
            raise JournalError(f"The journal no longer holds the version {digest[:12]}.", hint="See `dovetail log`.")
        return data

    def _version(self, contents: Contents, digest: str) -> bytes | None:
        where = contents.blobs.get(digest)
        folder = self.open_folder() if where is not None else None
        if where is None or folder is None:
            return None
        with folder:
            data = _unpack(read_own_file(folder, versions_name(folder, contents), *where))
        return data if data is not None and digest_of(data) == digest else None


def _known(contents: Contents) -> Contents:
    """Refuse what cannot be read here, rather than write behind it what nobody could read."""
    if contents.format > FORMAT:
        raise JournalError(
            f"The journal under this root is of format {contents.format}, and this Dovetail knows {FORMAT}.",
            hint="A later Dovetail wrote it: use that one here.",
            code="journal-newer",
        )
    return contents


def _salvage(folder: Directory, contents: Contents) -> None:
    from dovetail.workspace.salvage import salvage  # few journals are ever damaged

    data = read_own_file(folder, versions_name(folder, contents))
    contents.blobs = salvage(data, contents.blobs.values()) | contents.blobs
    contents.versions_end = max(start + length for start, length in [*contents.blobs.values(), (0, 0)])


def versions_name(folder: Directory, contents: Contents) -> str:
    """The file that holds the versions.

    Where the log does not say so any more, the newest that holds any; where it never did, the next one.
    """
    if contents.versions is not None:
        return contents.versions
    named = [(name, name.removeprefix(VERSIONS)) for name in folder.names() if name.startswith(VERSIONS)]
    holding = (
        int(number) for name, number in named if number.isdecimal() and (info := folder.lstat(name)) and info.st_size
    )
    newest = max(holding, default=0)
    return f"{VERSIONS}{newest if contents.begun and newest else newest + 1}"


def _is_ignored(folder: Directory) -> bool:
    info = folder.lstat(_IGNORE_NAME)
    return info is not None and info.st_size > 0


def _make_private(folder: Directory) -> None:
    """A journal that was copied here may have lost its mode."""
    if folder.fd is not None and os.fstat(folder.fd).st_mode & 0o077:
        with suppress(OSError):
            os.fchmod(folder.fd, 0o700)


def _write_ignore(folder: Directory) -> None:
    """Two processes may do so at once: both write the same bytes to the same place.

    Nothing is flushed: where a power cut takes the file, the next start finds it missing.
    """
    fd = folder.open_own(_IGNORE_NAME, os.O_WRONLY | os.O_CREAT)
    try:
        write_all(fd, b"*\n")
    finally:
        os.close(fd)


def _unpack(packed: bytes) -> bytes | None:
    try:
        return zlib.decompress(packed)
    except zlib.error:
        return None


def read_own_file(folder: Directory, name: str, offset: int = 0, length: int | None = None) -> bytes:
    """A file of the journal, or a part of it; empty where it is missing. Raises `WorkspaceError`."""
    try:
        fd = folder.open_file(name, os.O_RDONLY)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise WorkspaceError(
            f"The journal cannot be read: {error.strerror}.", hint=f"Check the permissions of `{JOURNAL_FOLDER}`."
        ) from error
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise WorkspaceError(f"`{JOURNAL_FOLDER}/{name}` is no regular file.", hint="Move it away.")
        if length is None:
            return read_all(fd)
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, length)
    finally:
        os.close(fd)


@dataclass(frozen=True, slots=True)
class Mark:
    """Ends of the log and of the versions file before an operation began."""

    log: int
    versions: int


class Writer:
    """Appends to the journal, under the lock. Every method may raise `OSError`."""

    def __init__(self, folder: Directory, contents: Contents) -> None:
        self._folder = folder
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
                self._append({"do": "open", "format": FORMAT, "versions": versions})
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
        self._append(begin_record(operation, places, end, self._begun))
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
        data = _unpack(os.read(self._versions, length))
        return data is not None and digest_of(data) == digest

    def _append(self, record: dict[str, Any]) -> None:
        line = write_line(record)
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
