"""The lock that lets one process at a time write to a root; and locks on any other file.

Owns the lock file in the journal's folder. The system releases the lock when its holder dies, so none is ever stale.
The file is opened relative to the open folder if the system can do that, else by its path. On Windows `filelock` locks.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from dovetail.model.errors import LockedError
from dovetail.workspace.directory import Directory, close_quietly, errors_about
from dovetail.workspace.names import JOURNAL_FOLDER

if sys.platform == "win32":
    import filelock
else:
    import fcntl

LOCK_NAME = "lock"
PATIENCE = 5.0  # seconds; a commit takes a few hundredths of one
_PAUSE = 0.01


Refuse = Callable[[str], LockedError]
"""Makes the error for a lock that another process holds, from that process's number, or "" if it is not known."""


@contextmanager
def locked(folder: Directory, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock while the block runs. Raises `LockedError` after `patience` seconds."""
    if folder.fd is None:
        path = os.path.join(folder.path, LOCK_NAME)  # noqa: PTH118  (the folder's path is a string)
        release = take_by_path(path, patience, _refusal)
        try:
            yield
        finally:
            release()
        return
    with errors_about(f"{JOURNAL_FOLDER}/{LOCK_NAME}"):
        fd = folder.open_private(LOCK_NAME, os.O_RDWR | os.O_CREAT)
    try:
        take(fd, patience, _refusal)
        yield
    finally:
        close_quietly(fd)  # this releases the lock, too


def take(fd: int, patience: float, refuse: Refuse) -> None:
    """Lock an open file and write this process's number into it. After `patience` seconds raise what `refuse` makes."""
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise refuse(os.pread(fd, 20, 0).decode("ascii", "replace")) from None
            time.sleep(_PAUSE)
        else:
            break
    with suppress(OSError):  # a full disk; the number is a courtesy
        os.ftruncate(fd, 0)
        os.pwrite(fd, str(os.getpid()).encode(), 0)


def take_by_path(path: str, patience: float, refuse: Refuse) -> Callable[[], None]:
    """Open a file by its path and lock it like `take`; return the function that releases it."""
    if sys.platform == "win32":
        lock = filelock.FileLock(path, timeout=patience, mode=0o600)
        try:
            lock.acquire()
        except filelock.Timeout:
            raise refuse("") from None
        return lock.release
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        take(fd, patience, refuse)
    except BaseException:
        os.close(fd)
        raise
    return partial(close_quietly, fd)


def _refusal(holder: str) -> LockedError:
    who = f"Process {holder}" if holder.isdigit() else "Another process"
    return LockedError(
        f"{who} is writing in this folder.", hint="Wait until it is done, or end it, and run the command again."
    )
