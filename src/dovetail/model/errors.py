"""The errors Dovetail raises. A fault in a reply is no error but a result.

::

    DovetailError           code, message, hint
    ├── UsageError          the caller asked for what does not exist
    ├── RenderError         a format cannot say this block
    ├── WorkspaceError      the files on disk do not allow it
    │   ├── JailError       a path leaves the root or names a protected place
    │   ├── ChangedError    a file is no longer what the plan saw
    │   └── LockedError     another process is writing here
    └── JournalError        an operation cannot be found, undone or redone
"""

from __future__ import annotations


class DovetailError(Exception):
    """Base of all: `code` is stable, `message` says what is wrong, `hint` names the next act."""

    code = "error"

    def __init__(self, message: str, *, hint: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code


class UsageError(DovetailError):
    """The caller named a format, tier or option that does not exist."""

    code = "usage"


class RenderError(DovetailError):
    """A format has no way to say a block; nothing was rendered."""

    code = "cannot-render"


class WorkspaceError(DovetailError):
    """The files on disk do not allow what was asked; nothing was written."""

    code = "workspace"


class JailError(WorkspaceError):
    """A path leaves the root, or names a place that is never written."""

    code = "outside-root"


class ChangedError(WorkspaceError):
    """A file changed between plan and commit; nothing was written."""

    code = "changed"


class LockedError(WorkspaceError):
    """Another process holds the root's lock."""

    code = "locked"


class JournalError(DovetailError):
    """An operation cannot be found, undone or redone; nothing was written."""

    code = "journal"


def said_by_system(error: OSError) -> str:
    """Return the operating system's message, with the file it is about, as a sentence."""
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}."
