"""Checks of the arguments that callers hand to a workspace. Each raises `UsageError`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from dovetail.model.arguments import kind_of, several
from dovetail.model.errors import UsageError
from dovetail.model.results import FileChange
from dovetail.model.snapshot import Snapshot

_RECORDS = "Hand in objects of JSON, one for each edit."
_ID = "Hand in an id, for example: applied.operation"


def folder(root: object, name: str = "root") -> Path:
    """Return a folder as a path, whether it exists or not. An empty text is refused: the current folder is "."."""
    path = os.fspath(root) if isinstance(root, str | os.PathLike) else root
    if not isinstance(path, str):
        raise UsageError(f"`{name}` is of the type {kind_of(path)}.", hint="Hand in a folder's path.")
    if not path:
        raise UsageError(f"`{name}` is an empty text.", hint='Name the folder; the current one is "."')
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise UsageError(f"`{name}` is no path: {path!r}", hint="Hand in a folder's path.")
    return Path(path)


def operation_id(wanted: object) -> str:
    """Return an operation's id, or a part of one, if it is a text."""
    if isinstance(wanted, str):
        return wanted
    raise UsageError(f"`operation` is of the type {kind_of(wanted)}.", hint=_ID)


def operation(wanted: object) -> str | None:
    """Return an operation's id, or None, which stands for the newest operation."""
    return None if wanted is None else operation_id(wanted)


def paths(value: Iterable[str]) -> Iterable[str]:
    """Return paths if all are texts. One text in place of several passes: `read_snapshot` refuses it."""
    hint = "Write it as a text with `/`, for example: path.as_posix()"
    return value if isinstance(value, str) else several(value, str, "paths", hint)


def changes(value: object, snapshot: object) -> list[FileChange]:
    """Return the changes to write if they are `FileChange`s, and `snapshot` is a `Snapshot`."""
    listed = several(value, FileChange, "changes", "Hand in the changes of a plan, for example: plan.changes")
    if not isinstance(snapshot, Snapshot):
        hint = "Hand in what the plan was made on: workspace.snapshot(paths)"
        raise UsageError(f"The snapshot is of the type {kind_of(snapshot)}.", hint=hint)
    return listed


def records(value: object) -> list[Mapping[str, Any]]:
    """Return the results of edits as a list, if each is a mapping."""
    listed = several(value, object, "results", _RECORDS)
    for one in listed:
        if not isinstance(one, Mapping):
            raise UsageError(f"One of the results is of the type {kind_of(one)}.", hint=_RECORDS)
    return cast(list[Mapping[str, Any]], listed)
