"""Records a whole tree so that it can be put back: a base, and how the tree differs from it later.

A base holds a copy of git's index, and every file whose bytes that index does not lead to: changed and untracked ones,
and those that git converts on their way. Without git it holds every file. Bytes are kept, but for ignored, too large
and excluded files, of which only enough is kept to see that they changed. Git's own index is never written.

The side of a file is a list, as JSON has it: the digest, the permission bits, and whether the bytes are kept (1 or 0).
None stands for no file. A file whose bytes are not kept has a digest all the same, or its size and time in its place.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from contextlib import suppress
from fnmatch import fnmatchcase

from dovetail.spool.git_program import look
from dovetail.spool.places import is_git_top
from dovetail.spool.record_settings import excluded_in
from dovetail.spool.spool import MOST_BYTES, Spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Side = list[Any] | None

MOST_FILES = 50_000  # that a base holds
LARGEST = 4 << 20  # bytes of a file that are kept
MOST_IGNORED = 2_000  # ignored files that are looked at
PATIENCE = 1.5  # seconds for one look of git
_FILLED_BY_PROGRAMS = frozenset((".dovetail", ".git", ".hg", ".svn", ".tox", "__pycache__", "node_modules"))
_MARKERS = frozenset(("CACHEDIR.TAG", "pyvenv.cfg"))
_TICK = 50_000_000  # nanoseconds in which a file may be written twice and show the same time
# Settings with which git's objects may not have the bytes of the files: it converts them, or has not fetched them.
_CONVERTING = (b"autocrlf", b"attributesfile", b"partialclone", b"promisor")


class TooLargeError(Exception):
    """The tree has more than `MOST_FILES` files to record."""


class Looker:
    """Records files of a root against a base. Files whose stat is as in the base are not read again."""

    def __init__(self, spool: Spool) -> None:
        self.spool, self.root, self.excluded = spool, spool.root, excluded_in(spool.root)
        self.base: dict[str, Any] = {"index": None, "files": {}, "kept": 0}
        self.name = ""
        self._ignored: set[str] = set()
        self._kept = 0

    def use(self, name: str) -> bool:
        """Compare with an earlier base from now on; return False if that base is gone."""
        base = self.spool.read_json(os.path.join("bases", name))
        if not isinstance(base, dict):
            return False
        self.base, self.name = base, name
        return True

    # One file.

    def side(self, path: str, *, named: bool = False) -> Side:
        """Return a file's side as it is now. named: a tool names it, so its bytes are kept even if git ignores it."""
        at = os.path.join(self.root, path)
        try:
            info = os.lstat(at)
        except (OSError, ValueError):
            return None
        # A link, a device: its bytes are not kept. A folder in a file's place is no file.
        if not stat.S_ISREG(info.st_mode):
            if stat.S_ISLNK(info.st_mode):
                return [f"link {os.readlink(at)}", 0, 0]
            return None if stat.S_ISDIR(info.st_mode) else ["special", 0, 0]
        mode = info.st_mode & 0o777
        # A side is [digest, mode, kept, *stamp]; without a stamp the next look reads the file again.
        stamp = [info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino]
        if (path in self._ignored and not named) or info.st_size > LARGEST:
            return [f"{info.st_size} bytes at {info.st_mtime_ns}", mode, 0, *stamp]
        known = self.base["files"].get(path)
        if known is not None and known[3:] == stamp and known[2] and self.spool.holds(known[0]):
            return [known[0], mode, 1, *stamp]
        try:
            with open(at, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError:
            return [f"{info.st_size} bytes at {info.st_mtime_ns}", mode, 0, *stamp]
        if info.st_ctime_ns > time.time_ns() - _TICK:
            stamp = []  # it may be written again within the same tick
        name = path.rsplit("/", 1)[-1]
        self._kept += len(data)
        if self._kept > MOST_BYTES or any(fnmatchcase(name, pattern) for pattern in self.excluded):
            return [hashlib.sha256(data).hexdigest(), mode, 0, *stamp]
        return [self.spool.keep(data), mode, 1, *stamp]

    # What an event sees.

    def look(self, named: list[str], *, whole: bool, new: bool = False, endangered: bool = False) -> dict[str, Any]:
        """Return the fields of an event that say what it sees: the `named` files, and with `whole` the tree.

        new: a call begins that may change the tree, so a base is made if none is used. endangered: the call may also
        remove objects from git's store. Raises what `make_base` does.
        """
        seen: dict[str, Any] = {"files": {}, "was": {}}
        if whole and self.name:
            files, was = self.compare()
            seen |= {"base": self.name, "tree": _short(files), "was": _short(was)}
        elif whole and new:
            seen |= {"base": self.make_base(), "tree": {}}
        if endangered and self.base["index"] is not None:
            self._keep_store()
        seen["files"] = _short({path: self.side(path, named=True) for path in named})
        if named and self.name and not new:
            seen["was"] |= _short(self.sides_in_base([path for path in named if path not in seen["was"]]))
        return seen

    # The whole tree.

    def make_base(self) -> str:
        """Make the tree as it is now the base, and return the base's name. Raises `TooLargeError`, `OSError`."""
        latest = self.spool.read("latest")
        # Files with the same stat as in the latest base are not read again. If none differs, that base is used.
        if latest is not None:
            self.use(latest.decode())
        index = self._copy_index() if is_git_top(self.root) else None
        paths = self._differing(index) if index is not None else dict.fromkeys(self._walk())
        # A tracked file that is gone is noted as well: else it would be there, as the index has it.
        base = {"index": index, "files": {path: self.side(path) for path in sorted(self._all(paths, index))}}
        if not self.name or base != {key: self.base[key] for key in base}:
            self.name = f"{time.time_ns():020d}-{os.getpid()}"
            self.spool.write_json(os.path.join("bases", self.name), base)
            self.spool.write("latest", self.name.encode())
        self.base = base
        return self.name

    def compare(self) -> tuple[dict[str, Side], dict[str, Side]]:
        """Return (now, was): the sides now and in the base of each file that differs. Raises what `make_base` does."""
        index = self.base["index"]
        entries = self._differing(index) if index is not None else dict.fromkeys(self._walk())
        now: dict[str, Side] = {}
        was: dict[str, Side] = {}
        for path in self._all(entries, index) | self.base["files"].keys():
            before, after = self.base["files"].get(path), self.side(path)
            # The base notes only what differed from the index then: any other file was as the index has it.
            if path not in self.base["files"] and entries.get(path) is not None:
                was[path], now[path] = entries[path], after  # git has it
            elif not _same(before, after):
                was[path], now[path] = before, after
        self._fetch(was, now)
        return now, was

    def sides_in_base(self, paths: list[str]) -> dict[str, Side]:
        """Return the sides of files in the base, by path: None for a file that it does not have."""
        found: dict[str, Side] = {path: self.base["files"][path] for path in paths if path in self.base["files"]}
        rest = [path for path in paths if path not in found]
        index = self.base["index"]
        if rest and index is not None:
            printed = look(self.root, "ls-files", "-s", "-z", "--", *rest, index=self._index(index), patience=PATIENCE)
            found.update(dict.fromkeys(rest))
            for entry in (printed or b"").split(b"\0"):
                head, _, name = entry.partition(b"\t")
                # Stage 0: no conflict. A path with a conflict has up to three entries, and none of them is the file.
                if name and head.endswith(b" 0"):
                    mode, oid, _ = head.split(b" ")
                    found[os.fsdecode(name)] = _in_git(mode, oid)
            self._fetch(found, {})
        elif rest:
            found.update(dict.fromkeys(rest))
        return found

    def _all(self, entries: dict[str, Side], index: str | None) -> set[str]:
        odd = self.spool.read_json(f"odd-{index}") if index is not None else None
        return {*entries, *(odd or ())}

    def _index(self, name: str) -> str:
        return os.path.join(self.spool.path, f"index-{name}")

    def _copy_index(self) -> str:
        """Copy git's index, and return the copy's name. If git has no index, the name stands for an empty one."""
        try:
            with open(os.path.join(self._git_folder(), "index"), "rb") as file:
                data, info = file.read(), os.fstat(file.fileno())
        except FileNotFoundError:
            data, info = b"", None
        # Git tells by the index's own time which entries it has to compare by content, so the copy has that time.
        written = info.st_mtime_ns if info is not None else 0
        name = f"{hashlib.sha256(data).hexdigest()[:24]}-{written}"
        copy = f"index-{name}"
        if info is not None and self.spool.read_json(f"odd-{name}") is None:
            self.spool.write(copy, data)
            os.utime(self._index(name), ns=(written, written))
            self.spool.write_json(f"odd-{name}", self._odd(name, data))
        return name

    def _git_folder(self) -> str:
        dot_git = os.path.join(self.root, ".git")
        if os.path.isdir(dot_git):
            return dot_git
        with open(dot_git, encoding="utf-8") as file:
            return os.path.join(self.root, file.read().strip().removeprefix("gitdir: "))

    def _differing(self, index: str) -> dict[str, Side]:
        """Return the sides in an index of the files that differ from it: None for untracked ones. Raises `OSError`."""
        options = ["--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames"]
        # Where the repository is gone by now, an empty one knows as well how files differ from an index.
        where = () if is_git_top(self.root) else self._empty_repository()
        command = (*where, "status", *options, "--ignore-submodules=all")
        printed = look(self.root, *command, index=self._index(index), patience=PATIENCE)
        if printed is None:
            raise OSError("git status does not answer.")
        found: dict[str, Side] = {}
        ignored = 0
        # 1 .M N... 100644 100644 100644 <HEAD> <index> a.py     changed (Y of XY, at 3, compares with the index)
        # u UU N... <3 modes> <mode> <3 ids> a.py                a conflict
        # ? new.py      ! build/out.o      ! build/              untracked; ignored; a whole folder that is ignored
        for entry in printed.split(b"\0"):
            kind = entry[:2]
            if kind == b"1 " and entry[3:4] != b".":
                _, _, _, _, mode, _, _, oid, name = entry.split(b" ", 8)
                tracked = oid.strip(b"0") != b""
                found[os.fsdecode(name)] = _in_git(mode, oid) if tracked else None
            elif kind == b"u ":
                found[os.fsdecode(entry.split(b" ", 10)[10])] = None
            elif kind in (b"? ", b"! ") and not entry.endswith(b"/"):
                path = os.fsdecode(entry[2:])
                if kind == b"! ":
                    ignored += 1
                    if ignored > MOST_IGNORED:
                        continue
                    self._ignored.add(path)
                found[path] = None
        found = {path: side for path, side in found.items() if not path.startswith(".dovetail/")}
        if len(found) > MOST_FILES:
            raise TooLargeError
        return found

    def _fetch(self, was: dict[str, Side], now: dict[str, Side]) -> None:
        """Keep the bytes of sides that are git's ids so far, in `was`: git may remove its objects at any time."""
        wanted = {path: side for path, side in was.items() if side is not None and side[0] == "git"}
        if not wanted:
            return
        names = "\n".join(side[3] for side in wanted.values()) + "\n"
        store = os.path.join(self.spool.path, "store")
        printed = None
        # First the repository itself; where it lacks an object, or is gone, the objects that were kept from it.
        for where, also in (((), ""), (self._empty_repository(), store)) if os.path.isdir(store) else (((), ""),):
            if printed is None or b" missing\n" in printed:
                command = (*where, "cat-file", "--batch")
                printed = look(self.root, *command, store=also, data=names.encode(), patience=PATIENCE)
        printed = printed or b""
        at = 0
        for path, side in wanted.items():
            assert side is not None  # noqa: S101
            # <id> blob <size>\n<bytes>\n for each id, or <id> missing\n, in the order that was asked in
            end = printed.find(b"\n", at)
            head = printed[at:end].split(b" ")
            if end < 0 or len(head) != 3 or head[1] != b"blob":
                was[path] = [f"git {side[3]}", side[1], 0]
                at = end + 1 if end >= 0 else len(printed)
                continue
            data = printed[end + 1 : end + 1 + int(head[2])]
            at = end + 2 + int(head[2])
            after = now.get(path)
            # Git keeps one of the permission bits; the others are what they are now.
            bits = after[1] if after is not None and after[1] else 0o666 & ~_umask()
            # Whoever may read may run it: 0o640 becomes 0o750.
            mode = bits | (bits & 0o444) >> 2 if side[1] & 0o100 else bits & ~0o111
            name = path.rsplit("/", 1)[-1]
            kept = len(data) <= LARGEST and not any(fnmatchcase(name, pattern) for pattern in self.excluded)
            was[path] = [self.spool.keep(data) if kept else hashlib.sha256(data).hexdigest(), mode, int(kept)]
        for path in wanted:
            if path in now and _same(was[path], now[path]):
                del was[path], now[path]

    def _odd(self, name: str, data: bytes) -> list[str]:
        """Return the tracked files whose bytes the base must keep: git converts them, or does not look at them.

        Raises `TooLargeError`, `OSError`.
        """
        listed = look(self.root, "ls-files", "-s", "-v", "-z", index=self._index(name), patience=PATIENCE)
        if listed is None:
            raise OSError("git ls-files does not answer.")
        entries = [entry for entry in listed.split(b"\0") if entry]
        # A small letter is git's mark of `assume-unchanged`: status does not look at the file.
        odd = {os.fsdecode(entry.partition(b"\t")[2]) for entry in entries if entry[:1].islower()}
        settings = look(self.root, "config", "--list", "--name-only", patience=PATIENCE) or b""
        attributes = os.path.join(self._git_folder(), "info", "attributes")
        has_attributes = b"attributes\0" in data or os.path.exists(os.path.join(self.root, ".gitattributes"))
        if not (has_attributes or os.path.exists(attributes) or any(word in settings for word in _CONVERTING)):
            return sorted(odd)
        heads = [(entry.partition(b"\t")[0].split(b" "), os.fsdecode(entry.partition(b"\t")[2])) for entry in entries]
        # H 100644 <id> 0\ta.py: regular files alone, no links and no submodules
        files = [(head[2], path) for head, path in heads if head[1].startswith(b"100")]
        names = b"".join(oid + b"\n" for oid, _ in files)
        printed = look(self.root, "cat-file", "--batch-check=%(objectsize)", data=names, patience=PATIENCE)
        paths = b"".join(os.fsencode(path) + b"\0" for _, path in files)
        filtered = look(self.root, "check-attr", "--stdin", "-z", "filter", "ident", data=paths, patience=PATIENCE)
        if printed is None or filtered is None:  # git does not say, so every file is kept
            odd.update(path for _, path in files)
            if len(odd) > MOST_FILES:
                raise TooLargeError
            return sorted(odd)
        sizes = printed.split(b"\n")[: len(files)]
        for (_, path), size in zip(files, sizes, strict=False):
            try:
                # Another size than git's object: converted (\r\n), changed, or not fetched. Equal sizes pass, but for
                # the filters below.
                if os.lstat(os.path.join(self.root, path)).st_size != (int(size) if size.isdigit() else -1):
                    odd.add(path)
            except OSError:
                continue
        parts = filtered.split(b"\0")
        for at in range(0, len(parts) - 2, 3):
            if parts[at + 2] not in (b"unspecified", b"unset"):
                odd.add(os.fsdecode(parts[at]))
        return sorted(odd)

    def _empty_repository(self) -> tuple[str, str]:
        """Return git's options for an empty repository with the root as its work tree; make it if it is missing."""
        empty = os.path.join(self.spool.path, "no-repository")
        if not os.path.isdir(empty):
            look(self.spool.path, "init", "-q", "--bare", "--template=", empty, patience=PATIENCE)
        return f"--git-dir={empty}", f"--work-tree={self.root}"

    def _keep_store(self) -> None:
        """Keep git's objects by hard links, so that no command can take them away.

        Without hard links nothing is kept, and files whose objects are lost later are named as not covered.
        """
        objects, store = os.path.join(self._git_folder(), "objects"), os.path.join(self.spool.path, "store")
        with suppress(OSError):
            for folder, _, names in os.walk(objects):
                target = os.path.join(store, os.path.relpath(folder, objects))
                os.makedirs(target, 0o700, exist_ok=True)
                there = set(os.listdir(target))
                for name in names:
                    if name not in there:
                        os.link(os.path.join(folder, name), os.path.join(target, name), follow_symlinks=False)

    def _walk(self) -> list[str]:
        """Return the files of a root without git, without folders that programs fill. Raises `TooLargeError`."""
        found: list[str] = []
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(os.path.join(self.root, folder)) as entries:
                    inside = list(entries)
            except OSError:
                continue
            names = {entry.name for entry in inside}
            if folder and not names.isdisjoint(_MARKERS):
                continue
            # Deeper rules count, too, so at the first `.gitignore` git lists all files in place of this walk.
            if ".gitignore" in names:
                return self._walk_by_rules()
            for entry in inside:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    if entry.name.lower() not in _FILLED_BY_PROGRAMS:
                        waiting.append(path)
                else:
                    found.append(path)
            if len(found) > MOST_FILES:
                raise TooLargeError
        return found

    def _walk_by_rules(self) -> list[str]:
        """Return the same files if there are `.gitignore` rules: git applies them, in an empty repository."""
        options = ["--others", "--exclude-per-directory=.gitignore", "-z"]
        printed = look(self.root, *self._empty_repository(), "ls-files", *options, patience=PATIENCE)
        if printed is None:
            raise OSError("git does not say what is ignored.")
        found = [os.fsdecode(name) for name in printed.split(b"\0") if name and not name.endswith(b"/")]
        if len(found) > MOST_FILES:
            raise TooLargeError
        return [path for path in found if _FILLED_BY_PROGRAMS.isdisjoint(path.lower().split("/"))]


def _in_git(mode: bytes, oid: bytes) -> Side:
    """Return the side of a file in git's index, whose fourth item is git's id. Links and submodules have no bytes."""
    name = oid.decode()
    return ["git", int(mode, 8) & 0o777, 0, name] if mode.startswith(b"100") else [f"not a file {name}", 0, 0]


def _short(sides: dict[str, Side]) -> dict[str, Side]:
    return {path: None if side is None else side[:3] for path, side in sides.items()}


def _same(one: Side, other: Side) -> bool:
    return one is other is None or (one is not None and other is not None and one[:3] == other[:3])


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
