"""New files: written all or none, and never over what is there.

The journal does not know them. There was nothing before them, so to take them back is to remove them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dovetail.model.errors import UsageError


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file's bytes, and whether it is a program."""

    data: bytes
    executable: bool = False


def write_new(root: Path, files: Mapping[str, NewFile]) -> None:
    """Write files, by path below `root`, which is made where it is missing.

    Raises `UsageError` where one is there already, `OSError` where one cannot be written; then nothing is left.
    """
    there = [path for path in sorted(files) if os.path.lexists(root / path)]
    if there:
        raise UsageError(f"`{there[0]}` exists already.", hint="Use an empty folder; nothing is written over.")
    existed = root.exists()
    root.mkdir(parents=True, exist_ok=True)
    try:
        _write(root, files)
    except BaseException:
        if not existed:
            with suppress(OSError):
                root.rmdir()
        raise


def _write(root: Path, files: Mapping[str, NewFile]) -> None:
    written: list[Path] = []
    folders: list[Path] = []
    try:
        for path, file in files.items():
            target = root / path
            for folder in _missing(root, target.parent):
                folder.mkdir()
                folders.append(folder)
            mode = 0o777 if file.executable else 0o666
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            with os.fdopen(os.open(target, flags, mode), "wb") as out:
                written.append(target)
                out.write(file.data)
    except BaseException:
        for done in reversed(written):
            done.unlink(missing_ok=True)
        for folder in reversed(folders):
            with suppress(OSError):
                folder.rmdir()
        raise


def _missing(root: Path, folder: Path) -> list[Path]:
    """Folders from the root to a file that are not there, outermost first. None on the way may be a link."""
    way = [folder, *folder.parents]
    way = way[way.index(root) :: -1]
    linked = next((at for at in way if at.is_symlink()), None)
    if linked is not None:
        raise UsageError(f"{linked} is a link.", hint="Use an empty folder.")
    return [at for at in way if not at.exists()]
