"""What becomes of a log that cannot be read, or is not this user's: it is moved aside, and never written over.

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
