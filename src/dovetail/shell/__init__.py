"""Follows shell commands over a tree of files without running them.

`follow` returns the files that a command leaves if every part of it is understood; else `NotReadError` names the part
that is not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dovetail.shell.change import changes_files, may_change
from dovetail.shell.files import FollowedChange, ShellFiles
from dovetail.shell.syntax import NotReadError

__all__ = ["FollowedChange", "NotReadError", "changes_files", "follow", "may_change"]


def follow(
    command: str,
    texts: Mapping[str, str],
    paths: Collection[str],
    *,
    links: Collection[str] = (),
    root: str = "",
    folder: str = "",
) -> tuple[FollowedChange, ...]:
    """Return what a command changes in a tree of files.

    paths: all files of the tree. texts: the known texts, by path. links: paths of links, to files and folders; what a
    command does there is not followed. root: the absolute path to which paths are relative, or "" if not known.
    folder: where the command starts, from the root or absolute.

    Raises `NotReadError` if any part is not understood; nothing is run or opened.
    """
    # Loaded when a command is followed, and not when somebody asks `may_change`.
    from dovetail.shell.programs import program
    from dovetail.shell.run import LeftError, Shell
    from dovetail.shell.syntax import read

    shell = Shell(ShellFiles.of(texts, paths, root, links), program)
    if folder:
        shell.folder = shell.key(folder)
        if shell.folder.startswith("/"):
            raise NotReadError(f"the folder `{folder}`")
    try:
        shell.run(read(command))
    except LeftError:
        pass
    except RecursionError:
        raise NotReadError("commands too deep inside each other") from None
    return tuple(shell.files.changes())
