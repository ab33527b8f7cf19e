"""Snapshots for plans: which files exist in the root, and the texts of those that a plan names.

In a git work tree git lists the files: tracked ones that exist, and untracked ones that no rule ignores. Elsewhere the
folders are walked by the rules of `.gitignore` files, without those that programs fill: packages, caches, virtual
environments. Listing never follows a link to a folder, never lists Git's own folder or Dovetail's, and stops at a
bound. Files are read once and decoded; one that cannot be edited gets the reason. For
an absolute path, only its existence is checked.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import filterfalse, islice
from pathlib import Path
from typing import TYPE_CHECKING

from dovetail.model.codes import Code
from dovetail.model.errors import JailError, UsageError, WorkspaceError
from dovetail.model.snapshot import FileText, Snapshot, folders_above
from dovetail.text.path_spelling import is_absolute
from dovetail.workspace import git
from dovetail.workspace.charsets import Charsets
from dovetail.workspace.directory import read_regular
from dovetail.workspace.encoding import Decoded, Encoding, Undecodable
from dovetail.workspace.files import FileOnDisk, is_fixed, read
from dovetail.workspace.jail import Jail, files_below
from dovetail.workspace.names import DEEPEST, is_allowed, takes_long
from dovetail.workspace.root import in_git

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

MOST_PATHS = 200_000
_LARGEST_RULES = 1 << 20  # bytes of a `.gitignore`
_FILLED_BY_PROGRAMS = frozenset((".dovetail", ".git", ".hg", ".svn", ".tox", "__pycache__", "node_modules"))
_MARKERS = frozenset(("CACHEDIR.TAG", "pyvenv.cfg"))
"""Files that mark their folder as filled by a program: a cache (bford.info/cachedir), a virtual environment."""
_OF_FILES = frozenset((Code.BINARY, Code.UNREADABLE))
"""Codes of errors about a file's content; all others are about its path."""

Rules = tuple[tuple[str, "GitIgnoreSpec"], ...]
"""The ignore rules in force, innermost folder first."""


def read_snapshot(
    jail: Jail, charsets: Charsets, paths: Iterable[str], seen: Mapping[str, str], tree: frozenset[str]
) -> Snapshot:
    """Read the files at `paths`; those that do not exist are left out.

    seen: the texts that the model saw, by path. tree: all paths of the root. Raises `UsageError` if `paths` is a str.
    """
    if isinstance(paths, str):
        raise UsageError("The paths are of the type str.", hint=f"Hand in several: [{paths!r}]")
    files: dict[str, FileText] = {}
    wanted = dict.fromkeys(paths)
    refused = {path: why for path in wanted if is_absolute(path) and (why := _why_outside(jail, path)) is not None}
    folders: set[str] = set()
    fixed: set[str] = set()
    linked: dict[str, os.stat_result] = {}  # the files with several hard links
    names: dict[object, list[tuple[bool, str]]] = {}  # of each file, its paths, and whether each leads through a link
    for path in filterfalse(is_absolute, wanted):
        try:
            with jail.locate(path) as place:
                if place.spelling != place.name:
                    raise JailError(f"`{path}` is there as `{place.spelling}`, in another case.")
                found, is_closed = read(place, path), is_fixed(place, jail.mounts())
        except WorkspaceError as error:
            if error.code in _OF_FILES:
                files[path] = FileText(path, None, Code(error.code), detail=error.message)
            elif error.code != Code.FILE_EXISTS:
                refused[path] = error.message
            elif (inside := _files_in_folder(jail, path, len(wanted) + 1)) is not None:
                tree |= set(inside)  # a plan may take away all of it, and put a file there
            elif (tree | wanted.keys()).isdisjoint(folders_above(path)):
                refused[path] = error.message  # else a plan may take away the file that bars the way
            continue
        # If the tree lists a folder on the way to a path that the jail walked, that is a link that stays inside.
        folders.update(folder for folder in folders_above(path) if folder in tree)
        if is_closed:
            fixed.add(path)
        if place.info is not None and place.info.st_nlink > 1:
            linked[path] = place.info
        if found is not None:
            files[path] = _text_of(path, found, charsets, seen.get(path), linked=place.linked)
        identity = found.identity if found is not None else None
        names.setdefault(identity or place.real, []).append((place.real != path, path))
    aliases: dict[str, str] = {}  # each further name of a file → the one that is written, if possible no link
    for same in names.values():
        (_, first), *others = sorted(same)
        aliases.update((path, first) for _, path in others)
    shared = _shared_outside(jail, linked, tree | wanted.keys()) if linked else frozenset[str]()
    return Snapshot(files, tree, refused, frozenset(folders), aliases, frozenset(fixed), shared)


def _why_outside(jail: Jail, path: str) -> str | None:
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


def _shared_outside(jail: Jail, linked: Mapping[str, os.stat_result], paths: Iterable[str]) -> frozenset[str]:
    """Return the `linked` files with hard links outside the root: with more links than `paths` (all of it) show."""
    found: Counter[tuple[int, int]] = Counter()
    for path in paths:
        with suppress(OSError):
            info = os.lstat(os.path.join(jail.real_root, path))  # noqa: PTH118 - nothing is opened, and links count for one
            found[info.st_dev, info.st_ino] += 1
    return frozenset(path for path, info in linked.items() if found[info.st_dev, info.st_ino] < info.st_nlink)


def _files_in_folder(jail: Jail, path: str, most: int) -> list[str] | None:
    """Return the paths of at most `most` files in the folder `path`; None if it is no folder that can be read."""
    try:
        with jail.open_folder(path) as folder:
            return list(islice(files_below(folder, path), most))
    except (OSError, WorkspaceError):
        return None


def _text_of(path: str, found: FileOnDisk, charsets: Charsets, seen: str | None, *, linked: bool) -> FileText:
    match charsets.decode(found.data, path):
        case Undecodable(code, detail):
            return FileText(path, None, code, digest=found.digest, detail=detail, link=linked)
        case Decoded(text, encoding):
            marked, unknown = encoding == Encoding.UTF_8_BOM, encoding == Encoding.BYTES
            file = FileText(path, text, seen=seen, digest=found.digest, link=linked, marked=marked, ascii_only=unknown)
            return file if found.writable else replace(file, problem=Code.READ_ONLY, detail="It is read-only.")


def list_tree(root: Path, most: int = MOST_PATHS) -> frozenset[str]:
    """Return at most `most` paths of the root's files, relative to it, with ``/``, without those never written to."""
    listed = git.listed(root) if in_git(root) else None
    paths = _walk(root) if listed is None else iter(listed)
    tree: set[str] = set()
    for path in paths:
        if is_allowed(path):
            tree.add(path)
            if len(tree) >= most:
                break
    return frozenset(tree)


def _walk(root: Path) -> Iterator[str]:
    """Yield the paths of a root without git, depth first, without recursion, so that a deep tree costs no stack."""
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
        if folder and any(entry.name in _MARKERS for entry in inside):
            continue
        if any(entry.name == ".gitignore" and entry.is_file(follow_symlinks=False) for entry in inside):
            rules = (*_rules_of(root, folder), *rules)
        for entry in inside:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if _is_ignored(path, is_folder, rules):
                continue
            if not is_folder:
                yield path
            elif entry.name.lower() not in _FILLED_BY_PROGRAMS and path.count("/") < DEEPEST:
                waiting.append((path, rules))


def _rules_of(root: Path, folder: str) -> Rules:
    try:
        data = read_regular(root / folder / ".gitignore", _LARGEST_RULES)
    except OSError:
        return ()  # git, too, goes on without rules that it cannot read
    lines = [line for line in data.decode("utf-8", "replace").splitlines() if not takes_long(line)]
    spec = _parse_rules(lines)
    if spec is None:
        spec = _parse_rules([line for line in lines if _parse_rules([line]) is not None])
    return ((folder, spec),) if spec is not None else ()


def _parse_rules(lines: list[str]) -> GitIgnoreSpec | None:
    from pathspec import GitIgnoreSpec  # 70 ms, which folders without rules are spared

    try:
        return GitIgnoreSpec.from_lines(lines)
    except (ValueError, re.error):
        return None


def _is_ignored(path: str, is_folder: bool, rules: Rules) -> bool:
    """Return whether rules ignore a path; the innermost `.gitignore` with a rule for it decides."""
    for folder, spec in rules:
        relative = path[len(folder) + 1 :] if folder else path
        include = spec.check_file(relative + "/" if is_folder else relative).include
        if include is not None:
            return include
    return False
