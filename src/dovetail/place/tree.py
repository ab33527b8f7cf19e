r"""Which existing files a named path may mean.

Owns the spelling of paths: separators, ``./``, absolute prefixes, basenames, suffixes, near spellings. Refuses to
choose: it lists guesses, and says which of them the name alone decides; of any other the file's text must confirm it.

The idea: a path that exists is itself; every other reading is a guess that is reported. A name that adds folders on
the left (`src/` forgotten) may stand alone where it is unique; a name that *disagrees* with a path needs the text.
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
_DEEPEST = 100  # names of a path that is looked for by its end; none that is deeper is written

_HOME = pattern(r"(?:~|\$HOME|\$\{HOME\}|%USERPROFILE%)/")
_SYSTEM = pattern(r"/(?:boot|dev|etc|proc|sys)/")


def tidy(path: str, existing: Collection[str] = ()) -> str:
    r"""`path` with ``/`` as separator, without ``./``, doubled or closing slashes.

    A backslash is a separator unless a file of that very name exists.
    """
    return path if path in existing else normalise(path)


def leaves_root(path: str) -> bool:
    """Whether a tidied path holds ``..`` or names nothing."""
    return not path.strip("/") or ".." in path.split("/")


def reason_outside(path: str) -> str:
    """Why a path lies outside, in a sentence: it `leaves_root`, or is absolute."""
    problem = "holds `..`, which is never followed" if ".." in path.split("/") else "leaves the root"
    return f"`{path}` {problem}."


def elsewhere(name: str, root: str) -> bool:
    """Whether an absolute, tidied path lies beside `root`, as another project or another checkout of this one does, in
    the system's own folders, or somewhere in the user's home.

    A path that has a folder of the root's name in it, and shares no more with it than where homes are, may name this
    project as another machine has it. So may one that shares no folder with the root, as those of sandboxes.
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
        """Bring the indexes that are built up to date."""
        built = self.__dict__
        for name, key in (("_by_name", path.rpartition("/")[2]), ("_by_fold", path.casefold())):
            if name in built:
                index: dict[str, set[str]] = built[name]
                same = index.setdefault(key, set())
                same.add(path) if by > 0 else same.discard(path)
        if "_folders" in built:
            # `Counter.update` adds, so that a folder is gone when its last path is
            self._folders.update(dict.fromkeys(folders_above(path), by))
        # never taken out again: who reads this index leaves out what is no folder any more
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
        """Whether a path stands somewhere under this one."""
        return self._folders[path] > 0

    def below(self, folder: str) -> list[str]:
        """The paths that stand somewhere under this one, in order."""
        return sorted(path for path in self.paths if path.startswith(f"{folder}/")) if self.is_folder(folder) else []

    def in_other_case(self, path: str) -> tuple[str, ...]:
        """The paths that differ from this one only in upper and lower case."""
        return tuple(sorted(self._by_fold.get(path.casefold(), set()) - {path}))

    @cached_property
    def _folders_by_fold(self) -> dict[str, set[str]]:
        return _grouped(self._folders, str.casefold)

    def folders_in_other_case(self, folder: str) -> tuple[str, ...]:
        """The folders that differ from this one only in upper and lower case."""
        others = self._folders_by_fold.get(folder.casefold(), set()) - {folder}
        return tuple(sorted(filter(self.is_folder, others)))

    def ending(self, suffix: str) -> tuple[str, ...]:
        """The paths that are `suffix` or end with it, at a folder's border."""
        same_name = sorted(self._by_name.get(suffix.rpartition("/")[2], ()))
        return tuple(path for path in same_name if path == suffix or path.endswith("/" + suffix))

    def near(self, path: str) -> tuple[str, ...]:
        """Up to `GUESS_LIMIT` paths spelled like `path`, nearest first."""
        hits = nearest(_spelled(path), self._spellings, NEAR_CUTOFF, GUESS_LIMIT)
        return tuple(self._sorted[index] for index, _ in hits)

    @cached_property
    def _sorted(self) -> tuple[str, ...]:
        return tuple(sorted(self.paths))

    @cached_property
    def _spellings(self) -> tuple[str, ...]:
        return tuple(map(_spelled, self._sorted))


def _spelled(path: str) -> str:
    """A path as its spelling is compared: without case, and each letter in one with its marks, as models write it."""
    return path.casefold() if path.isascii() else unicodedata.normalize("NFC", path).casefold()


def _grouped(paths: Collection[str], key: Callable[[str], str]) -> dict[str, set[str]]:
    groups: dict[str, set[str]] = {}
    for path in paths:
        groups.setdefault(key(path), set()).add(path)
    return groups


def guesses(name: str, tree: Tree) -> tuple[str, ...]:
    """What a tidied path that does not exist may mean, best first; at most a few, and none that climbs."""
    if leaves_root(name):
        return ()
    near = () if is_absolute(name) else tree.near(name)
    return tuple(dict.fromkeys((*_ending(name, tree)[:GUESS_LIMIT], *near)))


def by_name(name: str, tree: Tree) -> str | None:
    """The existing path that a tidied name alone decides: itself, or the only one that ends with it."""
    if name in tree.paths:
        return name
    if leaves_root(name) or not (found := _ending(name, tree)):
        return None
    # `app/main.py` means `src/app/main.py`: only folders on the left are missing. `lib/main.py` does not mean
    # `src/main.py`. Of an absolute path all but the end may be another machine's: `/workspace/src/x.py`.
    agrees = is_absolute(name) or f"/{found[0]}".endswith(f"/{name.strip('/')}")
    return found[0] if agrees and (len(found) == 1 or name.endswith(f"/{found[0]}")) else None


def _ending(name: str, tree: Tree) -> list[str]:
    """The paths with the longest ending of `name` that any path has; first the path that is this ending and no more."""
    parts = name.strip("/").split("/")
    # for `w/src/x.py`: what ends with all of it, else with `src/x.py`, else with `x.py`
    for dropped in range(max(0, len(parts) - _DEEPEST), len(parts)):
        suffix = "/".join(parts[dropped:])
        if hits := tree.ending(suffix):
            return sorted(hits, key=lambda path: path != suffix)
    return []
