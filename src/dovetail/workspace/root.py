"""Where the root is, and where this user's own files are: settings, and the key of the journals.

The root is the enclosing git work tree, else the folder itself. Finding it looks only for the name `.git` on the way
up, as git does; it runs nothing and reads no file of the user's.


A user's folder must be an absolute path. A relative one, in an XDG variable or for an unknown home (`~`), would be
looked up in the current folder, whose files may come with a project, so it is ignored.
"""

from __future__ import annotations

from pathlib import Path

from dovetail.model.errors import WorkspaceError
from dovetail.spool import places


def find_root(folder: Path) -> Path:
    """Return the root for a command that runs in `folder`. Raises `WorkspaceError` if there is no such folder."""
    start = resolve_folder(folder)
    return next((at for at in (start, *start.parents) if is_git_top(at)), start)


def resolve_folder(folder: Path) -> Path:
    """Return `folder` as an absolute path without links. Raises `WorkspaceError` if it is no folder, or in `.git`."""
    try:
        resolved = Path(folder).resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise WorkspaceError(f"The folder `{folder}` cannot be opened.", hint="Check its name.") from error
    if not resolved.is_dir():
        raise WorkspaceError(f"`{folder}` is no folder.", hint="Name the folder that holds the files.")
    if any(part.lower() == ".git" for part in resolved.parts):
        raise WorkspaceError(f"`{folder}` lies in Git's own folder.", hint="Name the work tree instead.")
    return resolved


def is_git_top(folder: Path) -> bool:
    """Return whether a git work tree begins here: `.git` is a repository, or a file that points to one."""
    return places.is_git_top(str(folder))


def in_git(folder: Path) -> bool:
    """Return whether `folder` lies in a git work tree."""
    return any(is_git_top(at) for at in (folder, *folder.parents))


def user_folder(variable: str, default: str) -> Path | None:
    """Return the folder that a variable names, else `default` below the home; None if neither path is absolute."""
    named = places.user_folder(variable, default)
    return None if named is None else Path(named)


def lies_in_project(path: Path, root: Path) -> bool:
    """Return whether a path, links followed, is in the work tree of `root`, so that it may come with the project.

    Raises `WorkspaceError` if there is no such root.
    """
    return path.resolve().is_relative_to(find_root(root))
