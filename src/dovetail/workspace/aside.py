"""What becomes of a log that cannot be read: it is moved aside with its versions, and never written over.

The versions are whole files, compressed, so that somebody who needs one can have it back.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from dovetail.workspace.journal import LOG_NAME, VERSIONS

if TYPE_CHECKING:
    from dovetail.workspace.directory import Directory


def set_aside(folder: Directory) -> str:
    """Move a log that cannot be read, and its versions, into a folder of their own, under the lock; its name.

    The log goes last: whatever stops this leaves one that cannot be read, and the next call goes on. Raises `OSError`.
    """
    names = folder.names()
    name = next(name for n in count(1) if not _holds_log(folder, name := f"unreadable-{n}"))
    if name not in names:
        folder.make_own(name)
    with folder.child(name) as aside:
        for moved in [*(other for other in names if other.startswith(VERSIONS)), LOG_NAME]:
            folder.move(moved, aside)
        aside.sync()
    folder.sync()
    return name


def _holds_log(folder: Directory, name: str) -> bool:
    if folder.lstat(name) is None:
        return False
    try:
        with folder.child(name) as inner:
            return inner.lstat(LOG_NAME) is not None
    except OSError:
        return True  # no folder, or one that cannot be entered: not ours to fill
