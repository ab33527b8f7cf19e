"""One writer at a time, per root; and any open file as a lock.

Owns the lock file in the journal's folder. The system lets go of the lock when its holder dies, so none is ever stale.
Where descriptors exist the file is opened in the folder that is held open, elsewhere by its path; where the system has
no such locks, as on Windows, `filelock` has some.
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
"""Says who holds a lock: the number of a process, or "" where that is not known."""


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
        close_quietly(fd)  # and of the lock with it


def take(fd: int, patience: float, refuse: Refuse) -> None:
    """Lock an open file for this process, whose number is written there. Raises what `refuse` gives."""
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
    """As `take`, for a file that is opened by its path; gives what lets go of it."""
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
