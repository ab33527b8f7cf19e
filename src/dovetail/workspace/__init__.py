"""The package `workspace`: the only one that reads or writes the user's files.

A root is opened as a `Workspace`; paths are relative to it, with ``/`` as separator. Nothing here decides where an
edit goes.
"""

from __future__ import annotations

from dovetail.workspace.journal.writer import Limits
from dovetail.workspace.operation import (
    FileRecord,
    FileVersions,
    Label,
    Operation,
    OperationState,
    Origin,
    Outcome,
    OutsideChange,
    Pruned,
    Recovery,
    Shown,
    Staged,
    Version,
)
from dovetail.workspace.root import find_root, in_git
from dovetail.workspace.workspace import Workspace

__all__ = [
    "FileRecord",
    "FileVersions",
    "Label",
    "Limits",
    "Operation",
    "OperationState",
    "Origin",
    "Outcome",
    "OutsideChange",
    "Pruned",
    "Recovery",
    "Shown",
    "Staged",
    "Version",
    "Workspace",
    "find_root",
    "in_git",
]
