"""The journal on disk: an append-only log and the versions that it names, in `.dovetail/` under the root.

Owns that folder: private to the user, ignored by git through a file of its own. Versions are named by the sha-256 of
their bytes, compressed and kept once. Reading needs no lock and makes nothing; writing is done under the lock, by the
`JournalWriter`. A log that cannot be read, or belongs to somebody else, is never written over: it is moved away.

Owns, too, whether a journal belongs to this user (`refusal`): no other is acted on.
"""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from itertools import count
from pathlib import Path

from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.workspace import git
from dovetail.workspace.directory import Directory, explain, write_all
from dovetail.workspace.files import LARGEST
from dovetail.workspace.journal.lines import (
    FORMAT,
    Author,
    LogContents,
    RootIdentity,
    find_spans,
    is_sound,
    open_record,
    read_contents,
    read_lines,
    read_tail,
    write_line,
)
from dovetail.workspace.journal.user_key import UserKey, find_key, make_key
from dovetail.workspace.names import JOURNAL_FOLDER
from dovetail.workspace.operation import digest_of
from dovetail.workspace.root import in_git

LOG_NAME = "log"
VERSIONS = "versions-"
_IGNORE_NAME = ".gitignore"
# Bytes of the log's end that are read to append to it; the larger number if the smaller is not enough.
_TAILS = (32 << 10, 512 << 10)
_LARGEST = 1 << 30  # bytes of a file of the journal that are read at once; pruning keeps both far below
FIRST_LINE = 256  # bytes that are enough for the log's first line, with its proof
_UNUSED = "Nothing of it is used, and nothing was written."

Span = tuple[int, int]
"""Offset and length in the versions file."""


class Journal:
    """The journal of one root."""

    def __init__(self, root: Directory) -> None:
        self._root = root
        self._key: UserKey | None = None
        self._author: Author | None = None
        self._tracked: bool | None = None

    def _user_key(self) -> UserKey:
        """Return the user's key, which may be one of this process alone; `author` makes one to be kept."""
        if self._key is None:
            self._key = find_key(self._root.path)
        return self._key

    @property
    def is_proved(self) -> bool:
        """Return whether other processes of this user will recognize what is written here as this user's."""
        return self._user_key().kept

    def author(self) -> Author:
        """Return the user's key and the root's identity, to write with; make the key if there is none."""
        if self._author is None:
            self._key = make_key(self._root.path)
            self._author = Author(self._key.secret, self._identity())
        return self._author

    def _identity(self) -> RootIdentity:
        root = self._root
        info = os.stat(root.path if root.fd is None else root.fd)  # noqa: PTH116
        return RootIdentity(root.path, info.st_dev, info.st_ino)

    def refusal(self, contents: LogContents) -> JournalError | None:
        """Return why the log may not be acted on; None if it belongs to this user, or there is none.

        It belongs to the user if the user's key proves each line, and git does not track it: anybody may have committed
        a tracked one. An interrupted operation must have begun in this folder, not in one that was copied here.
        """
        if self._is_tracked():
            return _tracked()
        if contents.unproven:
            return _foreign("is not known to be yours: it came with a copy, or another user or machine wrote it")
        pending = contents.pending
        if pending is not None and (pending.root is None or not pending.root.is_same(self._identity())):
            return _foreign(f"was copied here with an {pending.operation.label} that was interrupted elsewhere")
        return None

    def check_adoptable(self, contents: LogContents) -> None:
        """Raise `JournalError` if `adopt` may not be called: git tracks the log, it is the user's already, or is empty.

        So for a log with an interrupted operation, which would be completed here.
        """
        if self._is_tracked():
            raise _tracked()
        if not contents.unproven:
            why = "is yours already" if contents.operations else "holds no operation"
            raise JournalError(f"The journal `{JOURNAL_FOLDER}` {why}.", hint="See `dovetail log`.")
        if contents.pending is not None:
            raise _foreign(f"holds an {contents.pending.operation.label} that was interrupted")

    def _is_tracked(self) -> bool:
        if self._tracked is None:
            root = Path(self._root.path)
            self._tracked = in_git(root) and git.tracks(root, JOURNAL_FOLDER)
        return self._tracked

    def open_folder(self) -> Directory | None:
        """Open the journal's folder; None if there is none yet.

        Raises `WorkspaceError` if it is a link or no folder, or belongs to another user.
        """
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

    def exists(self) -> bool:
        """Return whether the journal's folder exists. Raises what `open_folder` does."""
        folder = self.open_folder()
        if folder is None:
            return False
        folder.close()
        return True

    def make_folder(self) -> Directory:
        """Open the journal's folder; make it, and its `.gitignore`, if it is missing.

        Raises `WorkspaceError`, and `JournalError` if git tracks it.
        """
        if self._is_tracked():
            raise _tracked()
        folder = self.open_folder()
        ignored = folder.lstat(_IGNORE_NAME) if folder is not None else None
        # An empty `.gitignore` is one that was interrupted between its creation and its first byte.
        if folder is not None and ignored is not None and ignored.st_size > 0:
            if folder.fd is not None and os.fstat(folder.fd).st_mode & 0o077:
                with suppress(OSError):  # a journal that was copied here may have lost its mode
                    os.fchmod(folder.fd, 0o700)
            return folder
        try:
            if folder is None:
                with suppress(FileExistsError):
                    self._root.make_private_folder(JOURNAL_FOLDER)
                folder = self._root.child(JOURNAL_FOLDER)
            # Two processes may do so at once: both write the same bytes to the same place. Nothing is flushed: if a
            # power cut takes the file, the next start makes it again.
            fd = folder.open_private(_IGNORE_NAME, os.O_WRONLY | os.O_CREAT)
            try:
                write_all(fd, b"*\n")
            finally:
                os.close(fd)
            self._root.sync()
        except OSError as error:
            if folder is not None:
                folder.close()
            raise _not_made(error) from error
        return folder

    def check_folder(self) -> None:
        """Raise what `make_folder` would, but make nothing."""
        if self._is_tracked():
            raise _tracked()
        folder = self.open_folder()
        with folder or nullcontext(self._root) as written:
            if not written.writable():
                raise _not_made(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))

    def read(self) -> LogContents:
        """Read the log; empty contents if there is none. Raises `JournalError` for one of a later format."""
        folder = self.open_folder()
        if folder is None:
            return LogContents()
        with folder:
            data = read_journal_file(folder, LOG_NAME)
            key = self._user_key().secret
            contents = _check_format(read_contents(data, key))
            if contents.unreadable and write_line(open_record(versions_name(folder, contents)), key).startswith(data):
                return LogContents()  # writing was stopped within the first line, before anything was done
            if contents.lost and not contents.unproven:
                versions = read_journal_file(folder, versions_name(folder, contents))
                # Later operations may share versions whose place only a lost one stated, so that file is searched.
                contents.blobs = find_unnamed_versions(versions, contents.blobs.values()) | contents.blobs
                contents.versions_end = max((sum(span) for span in contents.blobs.values()), default=0)
        return contents

    def read_newest(self, count: int) -> LogContents:
        """Read the log like `read`, of a long, sound one only the end, with at least the newest `count` operations."""
        folder = self.open_folder()
        if folder is None:
            return LogContents()
        with folder:
            data = read_journal_file(folder, LOG_NAME)
        length, key = _TAILS[-1], self._user_key().secret
        if len(data) <= length:
            return self.read()
        contents = read_tail(data[:FIRST_LINE], data[-length:], len(data) - length, key)
        # The tail is enough only if nothing is open in it, and if what lies before it is sound: a damaged line there
        # would make `lost` and `older` wrong.
        if contents is None or contents.pending is not None or len(contents.operations) < count:
            return self.read()
        if not is_sound(data, key, contents.begun):
            return self.read()
        contents.lost = 0  # those before the end are only not read
        newest = list(contents.operations.values())[-count:]
        wanted = {digest for operation in newest for digest in operation.digests} - contents.blobs.keys()
        contents.blobs.update(find_spans(data, wanted) if wanted else {})
        return _check_format(contents)

    def read_tail(self) -> LogContents:
        """Read enough of the log to append to it: the end, or all of a short log and of one whose end is not enough.

        Raises what `read` does.
        """
        folder = self.open_folder()
        if folder is None:
            return LogContents()
        with folder:
            info = folder.lstat(LOG_NAME)
            size = info.st_size if info is not None else 0
            first = read_journal_file(folder, LOG_NAME, 0, FIRST_LINE)
            for length in (length for length in _TAILS if length < size):
                tail = read_journal_file(folder, LOG_NAME, size - length, length)
                contents = read_tail(first, tail, size - length, self._user_key().secret)
                if contents is not None:
                    return _check_format(contents)
        return self.read()

    def oldest_recorded(self) -> str:
        """Return the time of the log's oldest operation (UTC, ISO 8601) if its label is `RECORDED`; else ""."""
        folder = self.open_folder()
        if folder is None:
            return ""
        with folder:
            lines, _ = read_lines(read_journal_file(folder, LOG_NAME, 0, _TAILS[0]), self._user_key().secret)
        record = lines[1].record if len(lines) > 1 else None
        return str(record["operation"]["time"]) if record is not None and record["do"] == "recorded" else ""

    def mentions(self, digest: str) -> bool:
        """Return whether a digest occurs anywhere in the log; far cheaper than `read`."""
        folder = self.open_folder()
        if folder is None:
            return False
        with folder:
            return digest.encode() in read_journal_file(folder, LOG_NAME)

    def blob(self, contents: LogContents, digest: str) -> bytes:
        """Return the bytes of a version. Raises `JournalError` if they are gone or damaged."""
        data = self._version(contents, digest)
        if data is None:  # another process has pruned the journal since it was read, perhaps
            data = self._version(self.read(), digest)
        if data is None:
            raise JournalError(f"The journal no longer holds the version {digest[:12]}.", hint="See `dovetail log`.")
        return data

    def _version(self, contents: LogContents, digest: str) -> bytes | None:
        span = contents.blobs.get(digest)
        folder = self.open_folder() if span is not None else None
        if span is None or folder is None:
            return None
        with folder:
            data = unpack(read_journal_file(folder, versions_name(folder, contents), *span))
        return data if data is not None and digest_of(data) == digest else None


def _not_made(error: OSError) -> WorkspaceError:
    return WorkspaceError(
        f"The journal's folder `{JOURNAL_FOLDER}` cannot be made: {error.strerror}.",
        code=explain(error).code,
        hint="Nothing is written without a journal: make the root writable, or free some space.",
    )


def _tracked() -> JournalError:
    return JournalError(
        f"The journal `{JOURNAL_FOLDER}` came with the repository: git tracks it. {_UNUSED}",
        hint=f"Take it out of git (`git rm -r -q --cached {JOURNAL_FOLDER}`), then delete the folder or move it away.",
        code=Code.JOURNAL_FOREIGN,
    )


def _foreign(why: str) -> JournalError:
    return JournalError(
        f"The journal `{JOURNAL_FOLDER}` {why}. {_UNUSED}",
        hint=f"If you know it to be yours: dovetail log --adopt. If not, delete `{JOURNAL_FOLDER}` or move it away; "
        "apply moves the journal aside by itself.",
        code=Code.JOURNAL_FOREIGN,
    )


def readable(contents: LogContents) -> LogContents:
    """Return the contents as they are; raise `JournalError` if the log cannot be read."""
    if contents.unreadable:
        raise JournalError(
            f"The journal's log, `{JOURNAL_FOLDER}/{LOG_NAME}`, cannot be read; nothing was changed.",
            hint="Bring it back from a backup, or go on: the next apply moves it aside and begins a new one.",
            code=Code.JOURNAL_UNREADABLE,
        )
    return contents


def _check_format(contents: LogContents) -> LogContents:
    """Return the contents as they are; raise `JournalError` for a later format, so that nothing is appended to it."""
    if contents.format > FORMAT and not contents.unproven:
        raise JournalError(
            f"The journal under this root is of format {contents.format}, and this Dovetail knows {FORMAT}.",
            hint="A later Dovetail wrote it: use that one here.",
            code="journal-newer",
        )
    return contents


def versions_name(folder: Directory, contents: LogContents) -> str:
    """Return the name of the file that holds the versions.

    If the log names none: the newest such file with bytes in it if operations had begun, else a new name.
    """
    if contents.versions is not None:
        return contents.versions
    numbers = (name.removeprefix(VERSIONS) for name in folder.names() if name.startswith(VERSIONS))
    newest = max((int(n) for n in numbers if n.isdecimal() and _has_bytes(folder, f"{VERSIONS}{n}")), default=0)
    return f"{VERSIONS}{newest if contents.begun and newest else newest + 1}"


def _has_bytes(folder: Directory, name: str) -> bool:
    info = folder.lstat(name)
    return info is not None and info.st_size > 0


def unpack(packed: bytes) -> bytes | None:
    """Decompress a version; None if it is damaged, or larger than any that is written."""
    stream = zlib.decompressobj()
    try:
        # A bound, as a few bytes of a damaged or hostile file can stand for gigabytes.
        data = stream.decompress(packed, LARGEST + 1)
    except zlib.error:
        return None
    return data if stream.eof else None


def find_unnamed_versions(data: bytes, named: Iterable[Span]) -> dict[str, Span]:
    """Find the versions that a damaged log no longer names, by digest: whole zlib streams outside the `named` spans.

    So one damaged line costs its own operation, and not the versions that later operations share with it. A zlib stream
    marks its own end. Bytes that are none, or a torn one, end the search up to the next named span.
    """
    found: dict[str, Span] = {}
    at = 0
    for start, length in [*sorted(named), (len(data), 0)]:
        while at < start:
            stream = zlib.decompressobj()
            try:
                version = stream.decompress(data[at:start])
            except zlib.error:
                break
            if not stream.eof:
                break
            packed = start - at - len(stream.unused_data)
            found[digest_of(version)] = (at, packed)
            at += packed
        at = max(at, start + length)
    return found


def read_journal_file(folder: Directory, name: str, offset: int = 0, length: int | None = None) -> bytes:
    """Read a file of the journal, or at most `length` bytes from `offset` on; empty if the file is missing.

    Raises `WorkspaceError`.
    """
    try:
        fd = folder.open_file(name, os.O_RDONLY)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise WorkspaceError(
            f"The journal cannot be read: {error.strerror}.", hint=f"Check the permissions of `{JOURNAL_FOLDER}`."
        ) from error
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise WorkspaceError(f"`{JOURNAL_FOLDER}/{name}` is no regular file.", hint="Move it away.")
        length = info.st_size if length is None else min(length, info.st_size)
        if length > _LARGEST:
            raise WorkspaceError(
                f"`{JOURNAL_FOLDER}/{name}` is larger than {_LARGEST >> 30} GB.", hint=f"Move `{JOURNAL_FOLDER}` away."
            )
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, length)
    finally:
        os.close(fd)


_MOVED_AWAY = {
    Code.JOURNAL_UNREADABLE: (
        "The journal's log could not be read. It was moved here with its versions, and a new one has begun.",
        "What was applied before cannot be undone any more; bring the folder back from a backup, or delete it.",
    ),
    Code.JOURNAL_FOREIGN: (
        "The journal was not known to be yours. It was moved here, nothing of it was written, and a new one has begun.",
        "Delete the folder, unless you know whose it is.",
    ),
}


def move_log_away(folder: Directory, code: Code) -> Diagnostic:
    """Move a log and its versions into a folder below `folder`, under the lock; return what to report.

    code: why, `JOURNAL_UNREADABLE` or `JOURNAL_FOREIGN`. The versions are moved too, so that somebody who needs one can
    get it back. The log is moved last: if this is stopped, the log is still there, and the next call goes on. Raises
    `OSError`.
    """
    names = folder.names()
    message, hint = _MOVED_AWAY[code]
    kind = code.removeprefix("journal-")
    name = next(name for n in count(1) if not _holds_log(folder, name := f"{kind}-{n}"))
    if name not in names:
        folder.make_private_folder(name)
    with folder.child(name) as target:
        for moved in [*(other for other in names if other.startswith(VERSIONS)), LOG_NAME]:
            folder.replace(moved, moved, target)
        target.sync()
    folder.sync()
    return Diagnostic(code, message, Severity.WARNING, path=f"{JOURNAL_FOLDER}/{name}", hint=hint)


def _holds_log(folder: Directory, name: str) -> bool:
    if folder.lstat(name) is None:
        return False
    try:
        with folder.child(name) as inner:
            return inner.lstat(LOG_NAME) is not None
    except OSError:
        return True  # no folder, or one that cannot be entered: not ours to fill


def existing_folder(root: Path, name: str) -> Path | None:
    """Return the folder `.dovetail/NAME` under a root; None if it does not exist, or is a link."""
    folder = root / JOURNAL_FOLDER / name
    return folder if folder.is_dir() and not folder.is_symlink() else None


def private_folder(root: Path, name: str) -> Path | None:
    """Return the folder `.dovetail/NAME` under a root, made if it is missing; None if it is a link or cannot be made.

    Raises `JournalError` if git tracks `.dovetail`.
    """
    try:
        with Directory.open(str(root)) as top, Journal(top).make_folder() as folder:
            with suppress(FileExistsError):
                folder.make_private_folder(name)
            with folder.child(name):
                return Path(folder.path) / name
    except (OSError, WorkspaceError):
        return None
