"""What is said of an absolute path that a reply names: whether something is there, outside of the root.

Nothing is opened. The disk is asked for the name alone, and git for the worktrees of the root's own repository.
"""

from __future__ import annotations

import os
from pathlib import Path

from dovetail.workspace import git
from dovetail.workspace.jail import Jail
from dovetail.workspace.root import in_git


def why_outside(jail: Jail, path: str) -> str | None:
    """Why an absolute path names a file that is not under the root; None where nothing is there, or it is under it."""
    try:
        at = os.path.expanduser(path)  # noqa: PTH111 - `Path` raises where nobody knows the home
        if not os.path.isabs(at) or jail.inside(at) is not None:  # noqa: PTH117
            return None
        exists, tree = os.path.lexists(at), _worktree_of(Path(jail.root.path), Path(os.path.realpath(at)))
    except (OSError, ValueError):
        return None
    if tree is not None:
        return f"`{path}` lies in another worktree of this repository, `{tree}`."
    return f"`{path}` exists, outside of the root." if exists else None


def _worktree_of(root: Path, path: Path) -> Path | None:
    """The worktree of the repository of `root` that holds a path, or would."""
    listed = git.ask(root, "worktree", "list", "--porcelain", "-z") if in_git(root) else None
    lines = (listed or "").split("\0")
    trees = (Path(line.removeprefix("worktree ")) for line in lines if line.startswith("worktree "))
    holding = [tree for tree in trees if tree in path.parents]
    return max(holding, key=lambda tree: len(tree.parts), default=None)
