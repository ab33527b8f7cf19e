r"""Finds the existing files that a named path may mean.

Owns the spelling of paths: separators, ``./``, absolute prefixes, basenames, suffixes, near spellings. It does not
choose: it lists guesses, and tells which of them the name alone decides; any other must be confirmed by the file's
text. A path that exists is itself; every other reading is a guess that is reported. A name that lacks folders on the
left (`src/` forgotten) is enough if it is unique; a name that *disagrees* with a path needs the text.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection
from functools import cached_property
from itertools import takewhile

from dovetail.formats.paths.forms import normalise
from dovetail.model.snapshot import folders_above
from dovetail.text.path_spelling import is_absolute
from dovetail.text.pattern import pattern
from dovetail.text.similarity import nearest

GUESS_LIMIT = 8
NEAR_CUTOFF = 0.8
OUTSIDE_HINT = "If a file below the root is meant, name it by its path from there; else leave the edit out."
_DEEPEST = 100  # names at the end of a path by which it is looked for; deeper files are never written

_HOME = pattern(r"(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%)/")
_SYSTEM = pattern(r"/(?:boot|dev|etc|proc|sys)/")


def tidy(path: str, existing: Collection[str] = ()) -> str:
    r"""`path` with ``/`` as separator, without ``./``, doubled or closing slashes.

    A backslash is a separator unless a file of that very name exists.
    """
    return path if path in existing else normalise(path)


def leaves_root(path: str) -> bool:
    """Return whether a cleaned path contains ``..`` or names nothing."""
    return not path.strip("/") or ".." in path.split("/")


def reason_outside(path: str) -> str:
    """Return a sentence that says why a path, which `leaves_root` or is absolute, lies outside."""
    problem = "holds `..`, which is never followed" if ".." in path.split("/") else "leaves the root"
    return f"`{path}` {problem}."


def elsewhere(name: str, root: str) -> bool:
    """Return whether an absolute, cleaned path surely lies outside of `root`: beside it, as another project or
    checkout, in the system's folders, or elsewhere in the user's home.

    A path with a folder of the root's name that differs from the root above that may name this project on another
    machine. So may a path that shares no more than the first folder with the root, such as those of sandboxes.
    """
    home, parents = _HOME.match(name + "/"), root.split("/")[:-1]
    names = name.split("/")
    folders = names[:-1]
    if home is None and _SYSTEM.match(name):
        return True
    if root == "" or folders[:1] == ["$PWD"]:
        return False
    # For the root `/home/u/shop`: `/home/u/blog/a.py` and `/home/u/old/shop/a.py` lie beside it. `/home/v/shop/a.py`
    # is this project on another machine, and `/workspace/src/a.py` shares nothing with it.
    if parents[:1] != [""]:  # behind a drive, where names in another case are the same
        folders, parents = ([part.casefold() for part in parts] for parts in (folders, parents))
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(folders, parents, strict=False)))
    same_project = root.rpartition("/")[2] in names[1:-1] and shared < len(parents)
    return (home is not None or shared > 1) and not same_project


class Tree:
    """The paths that exist, indexed on first use; grows and shrinks as a reply makes and removes files.

    Looking up a name takes constant time, looking for near spellings is linear.
    """

    def __init__(self, paths: Collection[str]) -> None:
        self.paths = set(paths)

    def add(self, path: str) -> None:
        """Note that a path exists."""
        if path not in self.paths:
            self.paths.add(path)
            self._index(path, 1)

    def discard(self, path: str) -> None:
        """Note that a path no longer exists."""
        if path in self.paths:
            self.paths.discard(path)
            self._index(path, -1)

    def _index(self, path: str, by: int) -> None:
        """Update the indexes that were built, by 1 for an added path, -1 for a removed one."""
        built = self.__dict__
        for name, key in (("_by_name", path.rpartition("/")[2]), ("_by_fold", path.casefold())):
            if name in built:
                index: dict[str, set[str]] = built[name]
                same = index.setdefault(key, set())
                same.add(path) if by > 0 else same.discard(path)
        if "_folders" in built:
            # `Counter.update` adds, so that a folder is gone when its last path is
            self._folders.update(dict.fromkeys(folders_above(path), by))
        # never removed again: readers of this index skip folders that no longer exist
        for folder in folders_above(path) if "_folders_by_fold" in built else ():
            self._folders_by_fold.setdefault(folder.casefold(), set()).add(folder)
        built.pop("_sorted", None)
        built.pop("_spellings", None)

    @cached_property
    def _by_name(self) -> dict[str, set[str]]:
        return _grouped(self.paths, lambda path: path.rpartition("/")[2])

    @cached_property
    def _by_fold(self) -> dict[str, set[str]]:
        return _grouped(self.paths, str.casefold)

    @cached_property
    def _folders(self) -> Counter[str]:
        return Counter(folder for path in self.paths for folder in folders_above(path))

    def is_folder(self, path: str) -> bool:
        """Return whether any path lies below this one."""
        return self._folders[path] > 0

    def below(self, folder: str) -> list[str]:
        """Return the paths below this one, at any depth, sorted."""
        return sorted(path for path in self.paths if path.startswith(f"{folder}/")) if self.is_folder(folder) else []

    def in_other_case(self, path: str) -> tuple[str, ...]:
        """Return the paths that differ from this one only in case."""
        return tuple(sorted(self._by_fold.get(path.casefold(), set()) - {path}))

    @cached_property
    def _folders_by_fold(self) -> dict[str, set[str]]:
        return _grouped(self._folders, str.casefold)

    def folders_in_other_case(self, folder: str) -> tuple[str, ...]:
        """Return the folders that differ from this one only in case."""
        others = self._folders_by_fold.get(folder.casefold(), set()) - {folder}
        return tuple(sorted(filter(self.is_folder, others)))

    def ending(self, suffix: str) -> tuple[str, ...]:
        """Return the paths that are `suffix`, or end with it after a slash, sorted."""
        same_name = sorted(self._by_name.get(suffix.rpartition("/")[2], ()))
        return tuple(path for path in same_name if path == suffix or path.endswith("/" + suffix))

    def near(self, path: str) -> tuple[str, ...]:
        """Return up to `GUESS_LIMIT` paths spelled like `path`, nearest first."""
        hits = nearest(_spelled(path), self._spellings, NEAR_CUTOFF, GUESS_LIMIT)
        return tuple(self._sorted[index] for index, _ in hits)

    @cached_property
    def _sorted(self) -> tuple[str, ...]:
        return tuple(sorted(self.paths))

    @cached_property
    def _spellings(self) -> tuple[str, ...]:
        return tuple(map(_spelled, self._sorted))


def _spelled(path: str) -> str:
    """Return a path in the form in which spellings are compared: case-folded, in the Unicode form NFC."""
    return path.casefold() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def _grouped(paths: Collection[str], key: Callable[[str], str]) -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {}
    for path in paths:
        groups.setdefault(key(path), set()).add(path)
    return groups


def guesses(name: str, tree: Tree) -> tuple[str, ...]:
    """Return the existing paths that a cleaned path may mean, best first; none for one with ``..``."""
    if leaves_root(name):
        return ()
    near = () if is_absolute(name) else tree.near(name)
    return tuple(dict.fromkeys((*_ending(name, tree)[:GUESS_LIMIT], *near)))


def by_name(name: str, tree: Tree) -> str | None:
    """Return the existing path that a cleaned name decides: itself, or the only one that ends with it; else None."""
    if name in tree.paths:
        return name
    if leaves_root(name) or not (found := _ending(name, tree)):
        return None
    # `app/main.py` means `src/app/main.py`: only folders on the left are missing. `lib/main.py` does not mean
    # `src/main.py`. Of an absolute path all but the end may be another machine's: `/workspace/src/x.py`.
    agrees = is_absolute(name) or f"/{found[0]}".endswith(f"/{name.strip('/')}")
    return found[0] if agrees and (len(found) == 1 or name.endswith(f"/{found[0]}")) else None


def _ending(name: str, tree: Tree) -> list[str]:
    """Return the paths with the longest ending of `name` that any path has; first the path that equals this ending."""
    parts = name.strip("/").split("/")
    # for `w/src/x.py`: what ends with all of it, else with `src/x.py`, else with `x.py`
    for dropped in range(max(0, len(parts) - _DEEPEST), len(parts)):
        suffix = "/".join(parts[dropped:])
        if hits := tree.ending(suffix):
            return sorted(hits, key=lambda path: path != suffix)
    return []
