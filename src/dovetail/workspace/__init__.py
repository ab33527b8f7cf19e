"""The room `workspace`: the only one that reads or writes the user's files.

A root is opened as a `Workspace`; paths are relative to it, with ``/`` as separator. Nothing here decides where an
edit goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.workspace.operation import (
    FileRecord,
    FileVersions,
    Label,
    Operation,
    Outcome,
    Pruned,
    Recovery,
    Shown,
    State,
    Version,
)
from dovetail.workspace.prune import Limits
from dovetail.workspace.root import find_root, in_git
from dovetail.workspace.workspace import Workspace

if TYPE_CHECKING:
    from dovetail.workspace.git_commit import Staged

__all__ = [
    "FileRecord",
    "FileVersions",
    "Label",
    "Limits",
    "Operation",
    "Outcome",
    "Pruned",
    "Recovery",
    "Shown",
    "Staged",
    "State",
    "Version",
    "Workspace",
    "find_root",
    "in_git",
]


def __getattr__(name: str) -> object:
    """Load `Staged` when it is asked for: only an operation that goes to git has one."""
    if name == "Staged":
        from dovetail.workspace.git_commit import Staged

        return Staged
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
