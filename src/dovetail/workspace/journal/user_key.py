"""The key that proves whose work a journal is.

Owns one file of random bytes for each user, `dovetail/key` in the state folder (`$XDG_STATE_HOME`, else
`~/.local/state`), or, if that cannot be used, in `$TMPDIR/dovetail-UID`. It is never in the work tree that it is used
for, nor where somebody else may write, so no project can bring one. The first write makes it, and two processes that
make it at once end up with the same one. If none can be kept, a key lives as long as the process.

The superuser, in another user's folder, uses that user's key, so that the journal stays the user's own.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from dovetail.spool.places import is_private, state_folders, user_of
from dovetail.workspace.directory import Directory, read_all, write_all

KEY_NAME = "key"
_LENGTH = 32
# The errors that mean no key is there. None is the errno of the `PermissionError` that `_opened` raises by itself.
_NONE_THERE = {None, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EACCES, errno.EPERM, errno.EROFS}
_OF_THIS_PROCESS = os.urandom(_LENGTH)


class UserKey(NamedTuple):
    """A key. kept: it is in a file, where other processes of this user find it, too."""

    secret: bytes
    kept: bool


class _Folder(NamedTuple):
    """A folder for the key. may_make: it may be made. owner: its future owner; None for its parent's owner."""

    path: Path
    may_make: bool
    owner: int | None


def find_key(root: str) -> UserKey:
    """Return the user's key for the journal of a root (an absolute path), or that of this process if none is kept.

    Writes nothing. Raises `OSError`.
    """
    user = user_of(root)
    for folder in _folders(root, user):
        secret = _kept_in(folder, user)
        if secret is not None:
            return UserKey(secret, True)
    return UserKey(_OF_THIS_PROCESS, False)


def make_key(root: str) -> UserKey:
    """Return the key like `find_key`, after it was put into the best folder that takes it."""
    user, found = user_of(root), find_key(root)
    for folder in _folders(root, user):
        if folder.may_make and _kept_in(folder, user) is None:
            with suppress(OSError):
                _make(folder, user, found.secret)
        secret = _kept_in(folder, user)
        if secret is not None:
            return UserKey(secret, True)
    return found


def _kept_in(folder: _Folder, user: int) -> bytes | None:
    """Return the key in a folder; None if there is no valid and private one.

    Raises `OSError` if one may be there and cannot be read now: without it the user's own journal looks foreign.
    """
    try:
        with _opened(folder.path, user) as opened:
            return _read(opened, user)
    except OSError as error:
        if error.errno not in _NONE_THERE:
            raise
    return None


def _folders(root: str, user: int) -> Iterator[_Folder]:
    with suppress(OSError):
        yield from (_Folder(Path(path), may_make, owner) for path, may_make, owner in state_folders(root, user))


def _opened(path: Path, user: int) -> Directory:
    """Open the key's folder, which must not be a link. Raises `OSError`, also if somebody else may write there."""
    with Directory.open(str(path.parent)) as parent:
        folder = parent.child(path.name)
    if folder.fd is not None and not is_private(os.fstat(folder.fd), user):
        folder.close()
        raise PermissionError(str(path))
    return folder


def _read(folder: Directory, user: int) -> bytes | None:
    """Return the key in a folder; None if the file is not private, or no key. Raises `OSError`."""
    fd = folder.open_file(KEY_NAME, os.O_RDONLY)
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or not is_private(info, user):
            return None
        secret = read_all(fd)
    finally:
        os.close(fd)
    return secret if len(secret) == _LENGTH else None


def _make(wanted: _Folder, user: int, secret: bytes) -> None:
    """Put a key into a folder, whole and flushed, unless one is there by now. Raises `OSError`."""
    path = wanted.path
    path.parent.mkdir(parents=True, exist_ok=True)
    with Directory.open(str(path.parent)) as parent, suppress(FileExistsError):
        parent.make_private_folder(path.name)
        if wanted.owner is not None:
            os.chown(path, wanted.owner, -1, follow_symlinks=False)
    with _opened(path, user) as folder:
        staged = f"{KEY_NAME}-{os.urandom(8).hex()}"
        fd = folder.open_private(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            write_all(fd, secret)
            os.fsync(fd)
        finally:
            os.close(fd)
        try:
            # Never over a key that is there: logs are already proved with it.
            folder.rename_to_new(staged, KEY_NAME)
        except FileExistsError:
            folder.discard(staged)
        folder.sync()
