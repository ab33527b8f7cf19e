"""Where a command stands: the folder it was started for, and the root it may write under.

Paths that a person types are relative to the folder; paths in replies are relative to the root.
"""

from __future__ import annotations

import os.path
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dovetail.model.errors import UsageError, WorkspaceError
from dovetail.workspace.root import find_root, resolve_folder


@dataclass(frozen=True, slots=True)
class Place:
    """`folder` and `root` are absolute, symbolic links resolved."""

    folder: Path
    root: Path

    def in_root(self, path: str) -> str:
        """The root's name for a path that a person typed, ``/`` as separator.

        Raises `UsageError` where it leaves the root, and for an empty one: it names nothing, least of all everything.
        """
        if not path:
            raise UsageError("A path is empty.", hint='Name a file or folder; the current one is "."')
        meant = Path(os.path.normpath(self.folder / path))
        if not meant.is_relative_to(self.root):
            meant = self._behind_links(meant)
        if not meant.is_relative_to(self.root):
            raise UsageError(
                f"`{path}` is outside the root `{self.root}`.", hint="Name a file under it, or set --root."
            )
        return meant.relative_to(self.root).as_posix()

    def _behind_links(self, path: Path) -> Path:
        """The path with links resolved down to where it enters the root, as from a home that is a link; else itself."""
        with suppress(OSError, ValueError):  # the latter for a name that can be none
            for upper in (*reversed(path.parents), path):
                real = Path(os.path.realpath(upper))
                if real.is_relative_to(self.root):
                    return real / path.relative_to(upper)
        return path


def find_place(folder: Path, root: Path | None = None) -> Place:
    """The place for a folder. The root is by default the enclosing git work tree, else the folder itself.

    `root` is relative to `folder`. Raises `UsageError` where one of them is no folder that can be a root.
    """
    try:
        here = resolve_folder(folder)
        return Place(here, resolve_folder(here / root) if root is not None else find_root(here))
    except WorkspaceError as error:
        raise UsageError(error.message, hint=error.hint) from None
