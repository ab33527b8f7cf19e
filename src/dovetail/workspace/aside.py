"""What becomes of a log that cannot be read: it is moved aside with its versions, and never written over.

The versions are whole files, compressed, so that somebody who needs one can have it back.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.workspace.journal import LOG_NAME, VERSIONS
from dovetail.workspace.names import JOURNAL_FOLDER

if TYPE_CHECKING:
    from dovetail.workspace.directory import Directory


def set_aside(folder: Directory) -> Diagnostic:
    """Move a log that cannot be read, and its versions, into a folder of their own, under the lock; what to say of it.

    The log goes last: whatever stops this leaves one that cannot be read, and the next call goes on. Raises `OSError`.
    """
    names = folder.names()
    name = next(name for n in count(1) if not _holds_log(folder, name := f"unreadable-{n}"))
    if name not in names:
        folder.make_own(name)
    with folder.child(name) as aside:
        for moved in [*(other for other in names if other.startswith(VERSIONS)), LOG_NAME]:
            folder.replace(moved, moved, aside)
        aside.sync()
    folder.sync()
    return Diagnostic(
        Code.JOURNAL_UNREADABLE,
        "The journal's log could not be read. It was moved here with its versions, and a new one has begun.",
        Severity.WARNING,
        path=f"{JOURNAL_FOLDER}/{name}",
        hint="What was applied before cannot be undone any more; bring the folder back from a backup, or delete it.",
    )


def _holds_log(folder: Directory, name: str) -> bool:
    if folder.lstat(name) is None:
        return False
    try:
        with folder.child(name) as inner:
            return inner.lstat(LOG_NAME) is not None
    except OSError:
        return True  # no folder, or one that cannot be entered: not ours to fill
