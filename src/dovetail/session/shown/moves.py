"""A renamed file as one change: what it is under its new name, beside what it was under its old one.

A plan and the journal keep a rename as two changes, for two paths are written; people are shown one. A file that took
the place of another, or whose old name something else has by then, stays two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.model.results import FileChange

if TYPE_CHECKING:
    from dovetail.workspace import FileRecord


def renames_of(files: Sequence[FileRecord]) -> dict[str, str]:
    """The files that an operation renamed: what each is called since, and what it was called."""
    gone = {file.path for file in files if file.after is None}
    made = (file for file in files if file.before is None and file.after is not None)
    return {file.path: file.source for file in made if file.source is not None and file.source in gone}


def renamed_paths(files: Sequence[FileRecord]) -> tuple[str, ...]:
    """The paths that an operation wrote, those of a rename as one: ``new (was old)``."""
    renames = renames_of(files)
    left = frozenset(renames.values())
    named = {path: f"{path} (was {source})" for path, source in renames.items()}
    return tuple(named.get(file.path, file.path) for file in files if file.path not in left)


def with_renames_joined(changes: Sequence[FileChange]) -> tuple[FileChange, ...]:
    """The changes in their order, those of a rename joined under the new name."""
    gone = {change.path: change.before for change in changes if change.after is None}
    left = {change.source for change in changes if change.before is None and change.after is not None} & gone.keys()
    return tuple(
        replace(change, before=gone[change.source]) if change.source is not None and change.source in left else change
        for change in changes
        if change.path not in left
    )
