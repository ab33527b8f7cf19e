"""One session per conversation: a lock beside its transcript, held while the conversation is open.

The lock is as that of a root; its file goes when the conversation is left.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from dovetail.model.errors import LockedError
from dovetail.workspace.lock import Refuse, take, take_by_path

LetGo = Callable[[], None]
"""Gives up what was claimed, once."""


def claim(file: Path) -> LetGo:
    """Hold a lock file, which is made. Raises `LockedError` where another session holds it, `OSError`."""
    refuse = partial(_refusal, file)
    if sys.platform == "win32":
        return take_by_path(str(file), 0, refuse)
    descriptor = _locked(file, refuse)
    return lambda: _let_go(file, descriptor)


def _locked(file: Path, refuse: Refuse) -> int:
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            take(descriptor, 0, refuse)
            if _is_still(file, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)  # who held it has left, and took the file along


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


def _refusal(file: Path, holder: str) -> LockedError:
    who = f"process {holder}" if holder.isdigit() else "another process"
    return LockedError(
        f"Conversation {file.stem} is open in {who}.", hint="Leave it there first, or begin a new one: dovetail chat"
    )
