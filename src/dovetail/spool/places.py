"""Where a work tree begins, and where the user's state is kept: the key of the journals, and the spools.

Owns which folders may hold that state: never one inside the work tree, so that no project can bring a state of its own.
Uses strings and `os` alone, because each event of an agent loads it.
"""

from __future__ import annotations

import os

try:
    import pwd
except ImportError:  # Windows has no such users
    pwd = None  # type: ignore[assignment]


def is_git_top(folder: str) -> bool:
    """Return whether a git work tree begins here: `.git` is a repository, or a file that points to one."""
    dot_git = os.path.join(folder, ".git")
    return os.path.isfile(dot_git) or os.path.isfile(os.path.join(dot_git, "HEAD"))


def top_of(folder: str) -> str:
    """Return the top of the git work tree around an absolute path; the path itself if it is in none."""
    at = folder
    while not is_git_top(at):
        above = os.path.dirname(at)
        if above == at:
            return folder
        at = above
    return at


def user_of(root: str) -> int:
    """Return the number of the user whose state belongs to a root; -1 on systems without user numbers (Windows).

    That is the user who runs this, or the folder's owner if the superuser does.
    """
    if not hasattr(os, "geteuid"):
        return -1
    return os.geteuid() or os.stat(root).st_uid


def user_folder(variable: str, default: str) -> str | None:
    """Return the folder that a variable names, else `default` below the home; None if neither path is absolute."""
    for named in (os.environ.get(variable, ""), os.path.join(os.path.expanduser("~"), default)):
        if os.path.isabs(named):
            return named
    return None


def state_folders(root: str, user: int) -> list[tuple[str, bool, int | None]]:
    """Return the folders that may hold a user's state, in order of preference.

    Each is (path, whether it may be made, the number of its future owner, or None for its parent's owner).
    """
    # The superuser working for another user must not use its own home, but that user's.
    mine = user < 0 or user == os.geteuid() or os.path.isabs(os.environ.get("XDG_STATE_HOME", ""))
    state = user_folder("XDG_STATE_HOME", os.path.join(".local", "state")) if mine else _state_of(user)
    found: list[tuple[str, bool, int | None]] = []
    # The superuser makes nothing in another user's home, and uses the folder only if it exists.
    if state is not None:
        found.append((os.path.join(state, "dovetail"), mine, None))
    if user >= 0:
        named = os.environ.get("TMPDIR", "")
        base = named if os.path.isabs(named) else "/tmp"  # noqa: S108 - whose it is, is looked at
        found.append((os.path.join(base, f"dovetail-{user}"), True, user))
    top = top_of(os.path.realpath(root))
    return [each for each in found if not _lies_in(os.path.realpath(each[0]), top)]


def _state_of(user: int) -> str | None:  # asked on systems with user numbers only, which have `pwd`
    try:
        return os.path.join(pwd.getpwuid(user).pw_dir, ".local", "state")
    except KeyError:
        return None


def _lies_in(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)


def is_private(info: os.stat_result, user: int) -> bool:
    """Return whether the user, or the one running this for them, owns the file or folder, and nobody else may write."""
    return user < 0 or (info.st_uid in (user, os.geteuid()) and not info.st_mode & 0o022)
