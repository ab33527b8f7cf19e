"""One session per conversation: a lock beside its transcript, held while the conversation is open.

The system lets go of the lock when its holder dies, so none is ever stale; its file holds the number of the process,
and goes when the conversation is left. Where the system has no such locks `filelock` does it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dovetail.model.errors import LockedError

LetGo = Callable[[], None]
"""Gives up what was claimed, once."""


def claim(file: Path) -> LetGo:
    """Hold a lock file, which is made. Raises `LockedError` where another session holds it, `OSError`."""
    if sys.platform == "win32":
        return _claim_by_path(file)
    descriptor = _locked(file)
    return lambda: _let_go(file, descriptor)


def _locked(file: Path) -> int:
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            _lock(descriptor, file)
            if _is_still(file, descriptor):
                with suppress(OSError):  # a full disk; the number is a courtesy
                    os.ftruncate(descriptor, 0)
                    os.pwrite(descriptor, str(os.getpid()).encode(), 0)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # who held it has left, and took the file along


def _lock(descriptor: int, file: Path) -> None:
    import fcntl  # Windows has none

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _refusal(file, os.pread(descriptor, 20, 0).decode("ascii", "replace")) from None


def _is_still(file: Path, descriptor: int) -> bool:
    """Whether the name still means the file that is open."""
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat(follow_symlinks=False))
    except FileNotFoundError:
        return False


def _let_go(file: Path, descriptor: int) -> None:
    with suppress(OSError):
        if _is_still(file, descriptor):
            file.unlink()
    os.close(descriptor)  # and of the lock with it


def _claim_by_path(file: Path) -> LetGo:
    import filelock

    lock = filelock.FileLock(file, timeout=0, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise _refusal(file, "") from None
    return lock.release


def _refusal(file: Path, holder: str) -> LockedError:
    who = f"process {holder}" if holder.isdigit() else "another process"
    return LockedError(
        f"Conversation {file.stem} is open in {who}.", hint="Leave it there first, or begin a new one: dovetail chat"
    )
