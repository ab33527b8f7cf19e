"""Folders on the way to a file: made when it needs them, removed again when they are left empty."""

from __future__ import annotations

import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from dovetail.model.errors import WorkspaceError
from dovetail.workspace.steps import Step, no_step

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dovetail.workspace.directory import Directory
    from dovetail.workspace.jail import Jail, Place


def open_parent(place: Place, step: Step = no_step) -> Directory:
    """The folder that the file stands in, opened; folders that are missing are made. Raises `OSError`."""
    directory = place.directory.duplicate()
    for name in place.real.split("/")[-1 - len(place.missing) : -1]:
        with directory:
            step("make-folder")
            with suppress(FileExistsError):  # somebody made it meanwhile
                directory.make(name)
            directory.sync()
            inner = directory.child(name)
        directory = inner
    return directory


def held(directory: Directory, path: str) -> Iterator[str]:
    """The paths of all that stands in the folder `path`, or in one below it, and is no folder itself."""
    for name in directory.names():
        inside, info = f"{path}/{name}", directory.lstat(name)
        if info is not None and stat.S_ISDIR(info.st_mode):
            with directory.child(name) as inner:
                yield from held(inner, inside)
        elif info is not None:
            yield inside


def remove_empty(directory: Directory, name: str) -> None:
    """Remove a folder with the empty ones in it, where it exists. Raises `OSError` where it holds anything else."""
    info = directory.lstat(name)
    if info is None:
        return
    if stat.S_ISDIR(info.st_mode):
        with directory.child(name) as inner:
            for below in inner.names():
                remove_empty(inner, below)
    directory.remove_folder(name)


def remove_folders(jail: Jail, folders: Iterable[str]) -> None:
    """Remove those of the folders that are empty, innermost first; the others stay.

    Those that the system does not let go stay, too: every file is what it is to be by then, an empty folder changes
    none of them, and git does not know of it.
    """
    for folder in sorted(folders, key=lambda path: path.count("/"), reverse=True):
        parent, _, name = folder.rpartition("/")
        try:
            with jail.open_folder(parent) as directory:
                directory.remove_folder(name)
                directory.sync()
        except (OSError, WorkspaceError):
            continue
