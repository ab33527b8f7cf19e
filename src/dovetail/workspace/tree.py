"""Which files exist below the root, ignored ones left out.

In a git work tree git says so: tracked files that are there, and untracked ones that no rule ignores. Elsewhere the
folders are walked under the same rules, read from `.gitignore` files, and those are passed over that programs fill:
packages, caches, virtual environments. Never follows a link to a folder, never lists Git's own folder or Dovetail's,
and stops at a bound.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.model.errors import WorkspaceError
from dovetail.workspace import git
from dovetail.workspace.names import DEEPEST, is_allowed
from dovetail.workspace.root import in_git

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MOST_PATHS = 200_000
_FILLED = frozenset((".dovetail", ".git", ".hg", ".svn", ".tox", "__pycache__", "node_modules"))
_SAY_SO = frozenset(("CACHEDIR.TAG", "pyvenv.cfg"))
"""Files that say of their folder that a program fills it: a cache (bford.info/cachedir), a virtual environment."""


def list_tree(root: Path, most: int = MOST_PATHS) -> frozenset[str]:
    """Paths relative to the root, ``/`` as separator, at most `most`; names that may not be written are left out."""
    paths = git.listed(root) if in_git(root) else None
    found = _walk(root) if paths is None else iter(paths)
    tree: set[str] = set()
    for path in found:
        if is_allowed(path):
            tree.add(path)
            if len(tree) >= most:
                break
    return frozenset(tree)


Rules = tuple[tuple[str, "GitIgnoreSpec"], ...]


def _walk(root: Path) -> Iterator[str]:
    """Depth first, without recursion, so that a deep tree costs no stack."""
    if not root.is_dir():
        raise WorkspaceError(f"The folder `{root}` has vanished.", hint="Check its name.")
    waiting: list[tuple[str, Rules]] = [("", ())]
    while waiting:
        folder, rules = waiting.pop()
        try:
            with os.scandir(root / folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue  # it may not be entered, or is gone by now
        if folder and any(entry.name in _SAY_SO for entry in inside):
            continue
        if any(entry.name == ".gitignore" and entry.is_file(follow_symlinks=False) for entry in inside):
            rules = (*_rules(root, folder), *rules)
        for entry in inside:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if _ignored(path, is_folder, rules):
                continue
            if not is_folder:
                yield path
            elif entry.name.lower() not in _FILLED and path.count("/") < DEEPEST:
                waiting.append((path, rules))


def _rules(root: Path, folder: str) -> Rules:
    try:
        lines = (root / folder / ".gitignore").read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()  # git, too, goes on without rules that it cannot read
    spec = _spec(lines)
    if spec is None:
        spec = _spec([line for line in lines if _spec([line]) is not None])
    return ((folder, spec),) if spec is not None else ()


def _spec(lines: list[str]) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec  # 70 ms, which folders without rules are spared

    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        return None


def _ignored(path: str, is_folder: bool, rules: Rules) -> bool:
    """The innermost file with a rule for the path decides."""
    for folder, spec in rules:
        relative = path[len(folder) + 1 :] if folder else path
        include = spec.check_file(relative + "/" if is_folder else relative).include
        if include is not None:
            return include
    return False
