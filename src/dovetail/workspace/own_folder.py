"""Folders of Dovetail's own inside `.dovetail/`: private to the user, ignored by git."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from dovetail.model.errors import WorkspaceError
from dovetail.workspace.directory import Directory
from dovetail.workspace.journal import Journal
from dovetail.workspace.names import JOURNAL_FOLDER


def existing_folder(root: Path, name: str) -> Path | None:
    """The folder `.dovetail/NAME` where it is there already."""
    folder = root / JOURNAL_FOLDER / name
    return folder if folder.is_dir() and not folder.is_symlink() else None


def own_folder(root: Path, name: str) -> Path | None:
    """The folder `.dovetail/NAME` under a root, made where it is missing; None where it cannot be, or is a link.

    Raises `JournalError` where git tracks `.dovetail`.
    """
    try:
        with Directory.open(str(root)) as top, Journal(top).make_folder() as folder:
            with suppress(FileExistsError):
                folder.make_own(name)
            with folder.child(name):
                return Path(folder.path) / name
    except (OSError, WorkspaceError):
        return None
