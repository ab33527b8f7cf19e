"""The errors that Dovetail raises, to be caught by name. All are `DovetailError`s: `code`, `message`, `hint`.

::

    DovetailError
    ├── UsageError          the caller asked for what does not exist
    ├── RenderError         a format cannot say this block
    ├── WorkspaceError      the files on disk do not allow it
    │   ├── JailError       a path leaves the root or names a protected place
    │   ├── ChangedError    a file is no longer what the plan saw
    │   └── LockedError     another process is writing here
    ├── JournalError        an operation cannot be found, undone or redone
    └── ModelError          a model could not be asked; `dovetail.llm.errors` has its kinds
"""

from __future__ import annotations

from dovetail.llm.errors import ModelError
from dovetail.model.errors import (
    ChangedError,
    DovetailError,
    JailError,
    JournalError,
    LockedError,
    RenderError,
    UsageError,
    WorkspaceError,
)

__all__ = [
    "ChangedError",
    "DovetailError",
    "JailError",
    "JournalError",
    "LockedError",
    "ModelError",
    "RenderError",
    "UsageError",
    "WorkspaceError",
]
