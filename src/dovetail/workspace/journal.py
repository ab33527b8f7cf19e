"""The journal on disk: an append-only log and the versions it names, in `.dovetail/` under the root.

Owns that folder: private to the user, ignored by git through a file of its own. Versions are named by the sha-256 of
their bytes, compressed and kept once; nothing is appended behind a torn end, and nothing is written over that cannot
be read. Reading needs no lock and makes nothing; writing is done under the lock, through the `Writer` of `writer.py`.

Owns, too, whether a journal is this user's own (`refusal`): only then what it says is acted on.


Versions that a damaged log no longer leads to: they lie in the versions file between those that it names.

Each is a zlib stream that says itself where it ends, and is told by the digest of what comes out. So one damaged line
costs its own operation, and not the versions that later operations share with it.


What becomes of a log that cannot be read, or is not this user's: it is moved aside, and never written over.

The versions are whole files, compressed, so that somebody who needs one can have it back.


Folders of Dovetail's own inside `.dovetail/`: private to the user, ignored by git."""

from __future__ import annotations

import errno
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from itertools import count
from pathlib import Path

from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.workspace import git
from dovetail.workspace.directory import Directory, explain, read_all, write_all
from dovetail.workspace.log import (
    FORMAT,
    Author,
    Contents,
    RootIdentity,
    open_record,
    read_contents,
    read_tail,
    write_line,
)
from dovetail.workspace.names import JOURNAL_FOLDER
from dovetail.workspace.operation import digest_of
from dovetail.workspace.root import in_git
from dovetail.workspace.user_key import UserKey, find_key, make_key

LOG_NAME = "log"
VERSIONS = "versions-"
_IGNORE_NAME = ".gitignore"
_TAILS = (32 << 10, 512 << 10)  # bytes of the log that a commit reads: operations whose versions come up again
_FIRST_LINE = 256  # bytes that hold it, with its proof


class Journal:
    """The journal of one root."""

    def __init__(self, root: Directory) -> None:
        self._root = root
        self._found: UserKey | None = None
        self._author: Author | None = None
        self._tracked: bool | None = None

    @property
    def _key(self) -> UserKey:
        """The user's key as it is; `author` makes one."""
        if self._found is None:
            self._found = find_key(self._root.path)
        return self._found

    @property
    def is_proved(self) -> bool:
        """Whether other processes of this user will know what is written here for this user's."""
        return self._key.kept

    def author(self) -> Author:
        """Who writes here from now on; the user's key is made where there is none."""
        if self._author is None:
            self._found = make_key(self._root.path)
            self._author = Author(self._found.secret, self._identity())
        return self._author

    def _identity(self) -> RootIdentity:
        root = self._root
        info = os.stat(root.path if root.fd is None else root.fd)  # noqa: PTH116
        return RootIdentity(root.path, info.st_dev, info.st_ino)

    def refusal(self, contents: Contents) -> JournalError | None:
        """Why nothing that the log says may be acted on; None where it is this user's own, or there is none.

        It is the user's own if his key proves each line, and git does not track it: what git brings is what somebody
        committed. An interrupted operation must have been begun in this folder, not in the one it was copied from.
        """
        if self._is_tracked():
            return _tracked()
        if contents.unproven:
            return _foreign("is not known to be yours: it came with a copy, or another user or machine wrote it")
        pending = contents.pending
        if pending is not None and (pending.root is None or not pending.root.is_same(self._identity())):
            return _foreign(f"was copied here with an {pending.operation.label} that was interrupted elsewhere")
        return None

    def _is_tracked(self) -> bool:
        if self._tracked is None:
            root = Path(self._root.path)
            self._tracked = in_git(root) and bool(git.ask(root, "ls-files", "--", JOURNAL_FOLDER))
        return self._tracked

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

    def exists(self) -> bool:
        """Whether there is a journal's folder. Raises as `open_folder` does."""
        folder = self.open_folder()
        if folder is None:
            return False
        folder.close()
        return True

    def make_folder(self) -> Directory:
        """The journal's folder, made where it is missing.

        Raises `WorkspaceError`, and `JournalError` where git tracks it.
        """
        if self._is_tracked():
            raise _tracked()
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
            raise _not_made(error) from error
        return folder

    def check_folder(self) -> None:
        """Raise what `make_folder` would. Makes nothing."""
        if self._is_tracked():
            raise _tracked()
        folder = self.open_folder()
        with folder or nullcontext(self._root) as written:
            if not written.writable():
                raise _not_made(PermissionError(errno.EACCES, os.strerror(errno.EACCES)))

    def read(self) -> Contents:
        """What the log says; empty where there is none. Raises `JournalError` for one of a later format."""
        folder = self.open_folder()
        if folder is None:
            return Contents()
        with folder:
            data = read_own_file(folder, LOG_NAME)
            key = self._key.secret
            contents = _known(read_contents(data, key))
            if contents.unreadable and write_line(open_record(versions_name(folder, contents)), key).startswith(data):
                return Contents()  # it was stopped in its very first line, before anything was done
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
                tail = read_own_file(folder, LOG_NAME, size - length, length)
                contents = read_tail(first, tail, size - length, self._key.secret)
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
            data = unpack(read_own_file(folder, versions_name(folder, contents), *where))
        return data if data is not None and digest_of(data) == digest else None


def _not_made(error: OSError) -> WorkspaceError:
    return WorkspaceError(
        f"The journal's folder `{JOURNAL_FOLDER}` cannot be made: {error.strerror}.",
        code=explain(error).code,
        hint="Nothing is written without a journal: make the root writable, or free some space.",
    )


_UNUSED = "Nothing of it is used, and nothing was written."


def _tracked() -> JournalError:
    return JournalError(
        f"The journal `{JOURNAL_FOLDER}` came with the repository: git tracks it. {_UNUSED}",
        hint=f"Take it out of git (`git rm -r -q --cached {JOURNAL_FOLDER}`), then delete the folder or move it away.",
        code=Code.JOURNAL_FOREIGN,
    )


def _foreign(why: str) -> JournalError:
    return JournalError(
        f"The journal `{JOURNAL_FOLDER}` {why}. {_UNUSED}",
        hint=f"Delete `{JOURNAL_FOLDER}` or move it away; apply moves the journal aside by itself.",
        code=Code.JOURNAL_FOREIGN,
    )


def readable(contents: Contents) -> Contents:
    """The same contents; raises `JournalError` where the log cannot be read."""
    if contents.unreadable:
        raise JournalError(
            f"The journal's log, `{JOURNAL_FOLDER}/{LOG_NAME}`, cannot be read; nothing was changed.",
            hint="Bring it back from a backup, or go on: the next apply moves it aside and begins a new one.",
            code=Code.JOURNAL_UNREADABLE,
        )
    return contents


def _known(contents: Contents) -> Contents:
    """Refuse what cannot be read here, rather than write behind it what nobody could read."""
    if contents.format > FORMAT and not contents.unproven:
        raise JournalError(
            f"The journal under this root is of format {contents.format}, and this Dovetail knows {FORMAT}.",
            hint="A later Dovetail wrote it: use that one here.",
            code="journal-newer",
        )
    return contents


def _salvage(folder: Directory, contents: Contents) -> None:
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


def unpack(packed: bytes) -> bytes | None:
    """The bytes of a version; None where it is damaged."""
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


Span = tuple[int, int]
"""Offset and length in the versions file."""


def salvage(data: bytes, named: Iterable[Span]) -> dict[str, Span]:
    """The whole streams outside the `named` spans, by the digest of what they hold."""
    found: dict[str, Span] = {}
    at = 0
    for start, length in [*sorted(named), (len(data), 0)]:
        for span in _streams(data, at, start):
            found[digest_of(zlib.decompress(data[span[0] : sum(span)]))] = span
        at = max(at, start + length)
    return found


def _streams(data: bytes, at: int, end: int) -> Iterator[Span]:
    """Streams one behind the other; what is none, or torn, ends them."""
    while at < end:
        stream = zlib.decompressobj()
        try:
            stream.decompress(data[at:end])
        except zlib.error:
            return
        if not stream.eof:
            return
        length = end - at - len(stream.unused_data)
        yield at, length
        at += length


_UNREADABLE = (
    "The journal's log could not be read. It was moved here with its versions, and a new one has begun.",
    "What was applied before cannot be undone any more; bring the folder back from a backup, or delete it.",
)
_FOREIGN = (
    "The journal was not known to be yours. It was moved here, nothing of it was written, and a new one has begun.",
    "Delete the folder, unless you know whose it is.",
)


def set_aside(folder: Directory, code: Code) -> Diagnostic:
    """Move a log and its versions into a folder of their own, under the lock; gives what to say of it.

    code: why, `JOURNAL_UNREADABLE` or `JOURNAL_FOREIGN`. The log goes last: whatever stops this leaves one that is to
    be moved still, and the next call goes on. Raises `OSError`.
    """
    names = folder.names()
    message, hint = _FOREIGN if code is Code.JOURNAL_FOREIGN else _UNREADABLE
    kind = code.removeprefix("journal-")
    name = next(name for n in count(1) if not _holds_log(folder, name := f"{kind}-{n}"))
    if name not in names:
        folder.make_own(name)
    with folder.child(name) as aside:
        for moved in [*(other for other in names if other.startswith(VERSIONS)), LOG_NAME]:
            folder.replace(moved, moved, aside)
        aside.sync()
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
    """The folder `.dovetail/NAME` where it is there already."""
    folder = root / JOURNAL_FOLDER / name
    return folder if folder.is_dir() and not folder.is_symlink() else None


def own_folder(root: Path, name: str) -> Path | None:
    """The folder `.dovetail/NAME` under a root, made where it is missing; None where it cannot be, or is a link.

    Raises `JournalError` where git tracks `.dovetail`.
    """
    try:
        with Directory.open(str(root)) as top, Journal(top).make_folder() as folder:
            with suppress(FileExistsError):
                folder.make_own(name)
            with folder.child(name):
                return Path(folder.path) / name
    except (OSError, WorkspaceError):
        return None
