"""The files before and after a command: paths and texts in memory; nothing is opened.

A path is a key: relative to the root where it is below, absolute where it is not. Of files outside of the root only
those are known that the command itself writes.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from dovetail.shell.syntax import NotReadError

UNKNOWN = "\0"
"""Stands in a text for a value that only running the command would give."""
_SCRATCH = ("/tmp/", "/var/tmp/", "/private/tmp/")  # noqa: S108 - nothing is opened
_SINKS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
_MOST = 64 << 20
"""The most characters that a command may write: a loop can double its texts quickly."""


@dataclass
class ShellFiles:
    """A tree of files that a command changes.

    Folders that are not known are taken to exist; `gone` holds those that were removed.

    before, existed: the texts that were known, and the paths that were there, before the command.
    links: of `existed`, those that lead elsewhere, or below which other files are seen again.
    texts: those that are known. paths: of all files; one without a text is there, and cannot be read.
    root: the absolute path of the folder that relative paths begin in, where it is known.
    origins: the path at which a file stood before the command, for files that were there.
    readings: the files that were read, in order. guarded: files that a pipeline reads while its later commands run.
    opened: files that a running command prints to, and whether it may have printed already: its output is written at
    its end.
    """

    before: Mapping[str, str]
    paths: set[str]
    root: str = ""
    links: frozenset[str] = frozenset()
    existed: frozenset[str] = frozenset()
    texts: dict[str, str] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    origins: dict[str, str] = field(default_factory=dict)
    readings: list[str] = field(default_factory=list)
    guarded: frozenset[str] = frozenset()
    opened: dict[str, bool] = field(default_factory=dict)
    spent: int = 0

    @classmethod
    def of(
        cls, texts: Mapping[str, str], paths: Collection[str], root: str = "", links: Collection[str] = ()
    ) -> ShellFiles:
        """Return the tree before a command."""
        files = cls(texts, {*paths, *texts}, posixpath.normpath(root) if root.startswith("/") else "", frozenset(links))
        files.texts, files.existed = dict(texts), frozenset(files.paths)
        files.origins = {path: path for path in files.paths}
        return files

    def key(self, path: str, folder: str) -> str:
        """Return the key of a path that a command in `folder` (a key, too) names. Raises `NotReadError`."""
        # Drives (`C:/x`), shares (`//host`) and names of several lines mean different files to different systems.
        if UNKNOWN in path or not path or path.startswith("//") or path[1:3] in (":/", ":\\") or "\n" in path:
            raise NotReadError(f"the path `{path.replace(UNKNOWN, '…')[:80]}`")
        joined = posixpath.normpath(posixpath.join("/" if not folder else "", self.absolute(folder), path))
        # Without a root nothing is known above the tree: `../x` could be anywhere, and absolute paths stay outside.
        if not self.root:
            if path.startswith("/") or folder.startswith("/"):
                return posixpath.normpath(posixpath.join(folder, path))
            key = posixpath.normpath(posixpath.join(folder, path))
            if key.startswith(".."):
                raise NotReadError(f"the path `{path[:80]}`")
            return "" if key == "." else key
        if joined == self.root:
            return ""
        return joined[len(self.root) + 1 :] if joined.startswith(f"{self.root}/") else joined

    def absolute(self, key: str) -> str:
        """Return the absolute path of a key; below ``/`` if the tree's root is not known."""
        return key if key.startswith("/") else posixpath.join(self.root or "/", key)

    def _check(self, key: str) -> None:
        """Raise `NotReadError` for a link, or a path below a linked folder."""
        if self.links and (key in self.links or any(folder in self.links for folder in _above(key))):
            raise NotReadError(f"`{key}`, which is a link or stands behind one,")

    def is_file(self, key: str) -> bool:
        """Return whether a file exists. Raises `NotReadError` if that is not known."""
        self._check(key)
        # Outside of the root only files that the command wrote are known to exist, and no other to be missing.
        if key.startswith("/") and key not in self.paths and not self.is_made(key):
            raise NotReadError(f"`{key}`, which is outside of the root,")
        return key in self.paths

    def is_made(self, key: str) -> bool:
        """Return whether a path outside of the root lies in a folder that the command made."""
        return any(key.startswith(f"{folder}/") for folder in self.folders if folder.startswith("/"))

    def is_folder(self, key: str) -> bool:
        """Return whether a folder is known to exist: the root, one that holds a file, or was made. An empty folder
        that existed before is not known."""
        self._check(key)
        return not key or key in self.folders or any(path.startswith(f"{key}/") for path in self.paths)

    def below(self, key: str) -> list[str]:
        """Return the files below a folder, at any depth, sorted."""
        return sorted(path for path in self.paths if path.startswith(f"{key}/") or (not key and path[0] != "/"))

    def read(self, key: str) -> str:
        """Return a file's text. Raises `NotReadError` if it is not known."""
        self.is_file(key)
        if key not in self.texts:
            raise NotReadError(f"the text of `{key}`")
        if self.opened.get(key):
            raise NotReadError(f"`{key}`, which is read and written at once,")
        self.readings.append(key)
        return self.texts[key]

    def write(self, key: str, text: str) -> None:
        """Write a file's text. Raises `NotReadError` if the text or the folder is not known."""
        # All that is written counts, not what is left: a loop may write one file over and over.
        self.spent += len(text)
        if key in self.guarded or key in self.opened:
            raise NotReadError(f"`{key}`, which is read and written at once,")
        if key.startswith("/dev/"):
            raise NotReadError(f"`{key}`")
        if UNKNOWN in text or self.spent > _MOST:
            raise NotReadError(f"what is written to `{key}`")
        if self.is_folder(key):
            raise NotReadError(f"`{key}`, which is a folder,")
        # A file stands where the folder should be, or the command removed that folder: a real shell would fail.
        if any(folder in self.paths or folder in self.gone for folder in _above(key)):
            raise NotReadError(f"the folder of `{key}`")
        self.paths.add(key)
        self.texts[key] = text

    def append(self, key: str, text: str) -> None:
        """Append to a file. A file in `/tmp` that the command did not write has an unknown text before, and after."""
        if key.startswith(_SCRATCH) and key not in self.texts and not self.is_made(key):
            self.paths.add(key)
        else:
            self.write(key, (self.read(key) if self.is_file(key) else "") + text)

    def remove(self, key: str) -> None:
        """Remove a file."""
        self._check(key)
        if key in self.opened:
            raise NotReadError(f"`{key}`, which is written and removed at once,")
        self.paths.discard(key)
        self.texts.pop(key, None)
        self.origins.pop(key, None)
        # The folder stays when its last file goes; without this it would vanish, as folders are told by their files.
        self.folders.update(_above(key))

    def make_folder(self, key: str) -> None:
        """Make a folder, with those above it."""
        self.folders.add(key)
        self.gone -= {key, *_above(key)}

    def remove_folder(self, key: str) -> None:
        """Remove a folder that holds no files any more, with the folders in it."""
        inner = {folder for folder in self.folders if folder == key or folder.startswith(f"{key}/")}
        self.folders -= inner
        self.gone |= inner | {key}

    def move(self, key: str, to: str) -> None:
        """Move a file, with what is known of it, over whatever file is there."""
        self._check(key)
        # A file without a known text may only get another name inside the tree: there its origin says what it holds.
        if key not in self.texts and (to in self.paths or key.startswith("/") or to.startswith("/")):
            raise NotReadError(f"the text of `{key}`")
        text, origin = self.texts.get(key), self.origins.get(key)
        # Over a file that is there this is no rename but a new text for it.
        if to in self.paths:
            origin = None
            self.origins.pop(to, None)
        if text is not None:
            self.write(to, text)
        self.paths.add(to)
        self.remove(key)
        if origin is not None:
            self.origins[to] = origin

    def changes(self) -> Iterator[FollowedChange]:
        """Yield the differences to the tree before, by path. Raises `NotReadError` for a change outside of the root."""
        for path in sorted(self.paths | self.existed):
            origin, text, before = self.origins.get(path), self.texts.get(path), self.before.get(path)
            if path.startswith("/"):
                # Files in `/tmp` may be written and are forgotten; any other outside change cannot be shown in a plan.
                if not path.startswith(_SCRATCH) and text != before:
                    raise NotReadError(f"a file outside of the root, `{path}`,")
                continue
            if path not in self.paths:
                yield FollowedChange(path, None, None)
            # A file that came back to its path with its text is unchanged, whatever was done between.
            elif origin not in (None, path) or text != before:
                yield FollowedChange(path, text, origin if origin != path else None)


@dataclass(frozen=True, slots=True)
class FollowedChange:
    """What a command leaves at a path: a text, or None for no file, or for a moved file whose text is not known.

    origin: the path from which that file was moved; None for no move.
    """

    path: str
    text: str | None
    origin: str | None = None


def is_sink(path: str) -> bool:
    """Return whether a path is a device that keeps nothing, such as `/dev/null`."""
    return path in _SINKS


def _above(key: str) -> Iterator[str]:
    while key := posixpath.dirname(key):
        if key == "/":
            return
        yield key
