"""Opens the folders that paths lead to, never outside the root; makes and removes the folders on the way to a file.

Owns the walk from the root to a file. Each component is opened relative to the folder before it, without following
links; where a component is a link its target is read and walked the same way, and a step above the root is refused.
So what was checked is the opened folder itself, and nothing that changes on disk meanwhile can lead outside.
"""

# Link targets are strings of the operating system, compared as such.
# ruff: noqa: PTH112, PTH117, PTH118, PTH206

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from dovetail.model.codes import Code
from dovetail.model.errors import JailError, WorkspaceError
from dovetail.workspace.directory import Directory, Step, mount_points, no_step
from dovetail.workspace.names import DEEPEST, check_name, check_path

MOST_LINKS = 40  # as Linux counts
_MOMENT = 1.0  # seconds
_KINDS = {stat.S_IFIFO: "pipe", stat.S_IFCHR: "device", stat.S_IFBLK: "device", stat.S_IFSOCK: "socket"}


class OpenedPath(NamedTuple):
    """The end of a walk along a path.

    directory: the innermost folder on the way that exists, held open.
    name: the name in `directory`: of the file, or of the first folder that is `missing`.
    real: the path with every link on the way resolved, relative to the root.
    missing: names of folders between `directory` and the file that do not exist, outermost first.
    info: the file's stat, never that of a link; None if there is no file.
    linked: the path's own last component is a link to the file.
    """

    directory: Directory
    name: str
    real: str
    missing: tuple[str, ...] = ()
    info: os.stat_result | None = None
    linked: bool = False

    @property
    def spelling(self) -> str:
        """The name as the folder spells it; it differs from `name` only where the file system folds case."""
        return self.name if self.info is None else self.directory.spelling(self.name, self.info)

    def __enter__(self) -> OpenedPath:
        return self

    def __exit__(self, *_: object) -> None:
        self.directory.close()


class Jail:
    """The root, and the only way from a path to a folder below it."""

    def __init__(self, root: Directory) -> None:
        self.root = root
        self.real_root = os.path.realpath(root.path)
        self._mounts: frozenset[str] = frozenset()
        self._mounts_until = 0.0

    def locate(self, path: str, yielding: Collection[str] = ()) -> OpenedPath:
        """Walk to `path`; the caller closes the place. Raises `JailError`, or `WorkspaceError` if the disk bars it.

        yielding: paths, links resolved, at which what bars the way counts as missing: a file where a folder is needed,
        a folder where the file is to be.
        """
        walk = _PathWalk(self, path, yielding)
        try:
            return walk.run()
        except OSError as error:
            raise self._explain(path, error) from error
        except UnicodeEncodeError:
            raise JailError(
                f"`{path}` cannot be spelled in the encoding of this locale's file names, "
                f"{sys.getfilesystemencoding()}; LC_ALL=C.UTF-8 has them all.",
                hint="Run it in a UTF-8 locale.",
            ) from None
        finally:
            walk.close()

    def open_folder(self, real: str) -> Directory:
        """Open a folder by its path, ``""`` for the root; no part may be a link. Raises `JailError` or `OSError`."""
        names = check_path(real) if real else ()
        directory = self.root.duplicate()
        for name in names:
            with directory:
                inner = directory.child(name)
            directory = inner
        return directory

    def inside(self, target: str) -> str | None:
        """Return an absolute path, links resolved, relative to the root; ``"."`` for the root, None for one outside."""
        real = os.path.realpath(target)
        try:
            if os.path.commonpath([os.path.normcase(real), os.path.normcase(self.real_root)]) != os.path.normcase(
                self.real_root
            ):
                return None
        except ValueError:  # another drive
            return None
        return os.path.relpath(real, self.real_root)

    @cached_property
    def git_files(self) -> frozenset[tuple[int, int]]:
        """Device and inode of each file with several hard links in the nearest `.git` folder."""
        folders = (os.path.join(folder, ".git") for folder in (self.real_root, *map(str, Path(self.real_root).parents)))
        waiting = [folder for folder in folders if os.path.isdir(folder)][:1]
        found: set[tuple[int, int]] = set()
        while waiting:
            with suppress(OSError), os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif (info := entry.stat(follow_symlinks=False)).st_nlink > 1:
                        found.add((info.st_dev, info.st_ino))
        return frozenset(found)

    def mounts(self) -> frozenset[str]:
        """Return the mount points, read anew after a second: that takes too long to do it for each file."""
        now = time.monotonic()
        if now >= self._mounts_until:
            self._mounts, self._mounts_until = mount_points(), now + _MOMENT
        return self._mounts

    def _explain(self, path: str, error: OSError) -> WorkspaceError:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            return JailError(f"A folder of `{path}` changed while it was opened.", hint="Run the command again.")
        barred = error.errno in (errno.EACCES, errno.EPERM)
        return WorkspaceError(
            f"`{path}` cannot be reached: {error.strerror}.",
            code=Code.UNREADABLE if barred else None,
            hint="Check the permissions of its folder." if barred else "Check that the folder exists.",
        )


class _PathWalk:
    """One walk. `trail` has the open folders from the root down; `close` closes all but the root, the jail's own."""

    def __init__(self, jail: Jail, path: str, yielding: Collection[str]) -> None:
        self.jail = jail
        self.path = path
        self.yielding = yielding
        # `todo` is a stack with the next name last. A link's target is put on top, so the names of `path` itself are
        # always the lowest `spelled`, and what is popped from above them comes from a link.
        self.todo = list(reversed(check_path(path)))
        self.spelled = len(self.todo)  # how many of `todo`, from its bottom, the path itself spells
        self.trail: list[Directory] = [jail.root]
        self.names: list[str] = []
        self.links = 0
        self.linked = False

    def run(self) -> OpenedPath:
        while self.todo:
            name = self.todo.pop()
            from_link = len(self.todo) >= self.spelled
            self.spelled = min(self.spelled, len(self.todo))
            if name in ("", "."):
                continue
            # Only a link's target has it; `check_path` refuses it in `path`.
            if name == "..":
                if len(self.trail) == 1:
                    raise self._leaves()
                self.trail.pop().close()
                self.names.pop()
                continue
            # A link to `.git/hooks` is checked as if the path spelled it.
            if from_link:
                check_name(name, self.path)
            info = self.trail[-1].lstat(name)
            if info is None or self._gives_way(name, info):
                if from_link:
                    # Only what the path itself spells is created; a link that leads nowhere is somebody's mistake.
                    at = "/".join([*self.names, name])
                    raise WorkspaceError(
                        f"`{self.path}` leads through a link to `{at}`, which does not exist.",
                        code="outside-root",
                        hint="Make its target first, or remove the link.",
                    )
                # All that is left, `name` included, does not exist: its last is the file, those before it are missing
                # folders.
                rest = [name, *reversed(self.todo)]
                self._check_depth(len(self.names) + len(rest) - 1)
                real = "/".join([*self.names, *rest])
                return OpenedPath(self.trail[-1].duplicate(), name, real, tuple(rest[:-1]))
            if stat.S_ISLNK(info.st_mode):
                self._follow(name)
            elif self.todo:
                if not stat.S_ISDIR(info.st_mode):
                    at = "/".join([*self.names, name])
                    code = (
                        Code.OUTSIDE_ROOT if self.links else Code.FILE_EXISTS
                    )  # a plan takes files away, and no links
                    raise WorkspaceError(f"`{at}` is no folder, so `{self.path}` cannot be below it.", code=code)
                # On a file system that folds case, `SRC/a.py` would reach `src/a.py`, and the plan would know one
                # file as two.
                spelling = name if from_link else self.trail[-1].spelling(name, info)
                if spelling != name:
                    raise JailError(f"`{self.path}` leads through `{spelling}`, in another case.", hint="Spell it so.")
                self._check_depth(len(self.trail))
                self.trail.append(self.trail[-1].child(name))
                self.names.append(name)
            else:
                return self._arrive(name, info)
        raise WorkspaceError(f"`{self.path}` is a folder, not a file.", code=Code.FILE_EXISTS)

    def close(self) -> None:
        for directory in self.trail[1:]:
            directory.close()

    def _gives_way(self, name: str, info: os.stat_result) -> bool:
        # On the way only a file bars (`a` for `a/b`), at the end only a folder (`a/` for `a`).
        in_the_way = stat.S_ISREG(info.st_mode) if self.todo else stat.S_ISDIR(info.st_mode)
        return in_the_way and bool(self.yielding) and "/".join([*self.names, name]) in self.yielding

    def _follow(self, name: str) -> None:
        self.links += 1
        if self.links > MOST_LINKS:
            raise JailError(f"`{self.path}` leads through more than {MOST_LINKS} links.", hint="Look for a loop.")
        # With nothing left to walk, the path's own last component is the link.
        self.linked = self.linked or not self.todo
        target = self.trail[-1].readlink(name)
        if os.path.isabs(target):
            within = self.jail.inside(target)
            if within is None:
                raise self._leaves()
            self.close()
            del self.trail[1:]
            self.names.clear()
            target = within
        if os.altsep:
            target = target.replace(os.altsep, os.sep)
        self.todo.extend(reversed(target.split(os.sep)))

    def _arrive(self, name: str, info: os.stat_result) -> OpenedPath:
        if stat.S_ISDIR(info.st_mode):
            raise WorkspaceError(f"`{self.path}` is a folder, not a file.", code=Code.FILE_EXISTS)
        if not stat.S_ISREG(info.st_mode):
            kind = _KINDS.get(stat.S_IFMT(info.st_mode), "special file")
            raise JailError(f"`{self.path}` is a {kind}, not a file.", hint="Name a regular file.")
        # `ln .git/config notes.txt` makes Git's settings writable under a harmless name.
        if info.st_nlink > 1 and (info.st_dev, info.st_ino) in self.jail.git_files:
            raise JailError(f"`{self.path}` is a hard link to a file of Git's own folder.", hint="Change it with git.")
        real = "/".join([*self.names, name])
        return OpenedPath(self.trail[-1].duplicate(), name, real, (), info, self.linked)

    def _check_depth(self, folders: int) -> None:
        if folders > DEEPEST:
            raise JailError(f"`{self.path}` leads through links to more than {DEEPEST} folders deep.")

    def _leaves(self) -> JailError:
        return JailError(
            f"`{self.path}` leads through a link that leaves the root.", hint="Name a path below the root."
        )


def open_parent(place: OpenedPath, step: Step = no_step) -> Directory:
    """Open the folder that holds the file; make those that are missing. Raises `OSError`."""
    directory = place.directory.duplicate()
    # The missing folders are the components of `real` right before the file's name.
    for name in place.real.split("/")[-1 - len(place.missing) : -1]:
        with directory:
            step("make-folder")
            with suppress(FileExistsError):  # somebody made it meanwhile
                directory.make(name)
            directory.sync()
            inner = directory.child(name)
        directory = inner
    return directory


def files_below(directory: Directory, path: str) -> Iterator[str]:
    """Yield the paths of all files, links and the like in the folder `path` and below. directory: that folder, open."""
    for name in directory.names():
        inside, info = f"{path}/{name}", directory.lstat(name)
        if info is not None and stat.S_ISDIR(info.st_mode):
            with directory.child(name) as inner:
                yield from files_below(inner, inside)
        elif info is not None:
            yield inside


def remove_empty(directory: Directory, name: str) -> None:
    """Remove a folder, if it exists, with the empty folders in it. Raises `OSError` if it holds anything else."""
    info = directory.lstat(name)
    if info is None:
        return
    if stat.S_ISDIR(info.st_mode):
        with directory.child(name) as inner:
            for below in inner.names():
                remove_empty(inner, below)
    directory.remove_folder(name)


def remove_folders(jail: Jail, folders: Iterable[str]) -> None:
    """Remove those of the folders that are empty, innermost first.

    Errors are ignored: all files are in place by then, and an empty folder that stays does no harm.
    """
    for folder in sorted(folders, key=lambda path: path.count("/"), reverse=True):
        parent, _, name = folder.rpartition("/")
        try:
            with jail.open_folder(parent) as directory:
                directory.remove_folder(name)
                directory.sync()
        except (OSError, WorkspaceError):
            continue
