"""Checks a whole set of files, under the lock, before anything is written.

Turns targets into prepared files: each file is still as the plan saw it, may be written, is not in the set under a
second name, and has text that its encoding can express. Writes nothing.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dovetail.model.codes import Code
from dovetail.model.errors import ChangedError, WorkspaceError
from dovetail.model.snapshot import folders_above
from dovetail.workspace.charsets import Charsets
from dovetail.workspace.encoding import Decoded, Encoding, Undecodable, encode
from dovetail.workspace.files import FileOnDisk, check_size, givable, is_fixed, needs_writing_in_place, read
from dovetail.workspace.jail import Jail, OpenedPath, files_below
from dovetail.workspace.names import fold
from dovetail.workspace.operation import FileRecord, Version, digest_of


@dataclass(frozen=True, slots=True)
class Target:
    """What one file becomes.

    expected: digest of the bytes it must have now; None if it must not exist.
    wanted: its new bytes, or new text, which is written in its present encoding; None deletes it.
    version: an earlier version that an undo brings back: it gives the permission bits, and owner and attributes if no
    other file does. None keeps those that the file has.
    source: the path that it is renamed from; that file gives encoding, owner and mode.
    fresh: the file at this path is renamed away, so a new file here takes nothing from it.
    """

    path: str
    expected: str | None
    wanted: bytes | str | None
    version: Version | None = None
    source: str | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """One file as it will be written.

    found: the file as it is now. like: gives owner, mode and attributes. data: the new bytes; None deletes.
    missing: the names of the folders to make, outermost first.
    case_of: the name that the file has now, if only its case changes and the file system ignores case.
    moot: the removal of the old name in such a rename, which must not be done.
    """

    path: str
    real: str
    found: FileOnDisk | None
    like: Version | None
    data: bytes | None
    mode: int | None
    source: str | None
    in_place: bool
    missing: tuple[str, ...] = ()
    case_of: str | None = None
    moot: bool = False

    @property
    def record(self) -> FileRecord:
        """The file's record for the journal; the mode of a new file is known once it is staged."""
        before = None if self.found is None or self.case_of else self.found.version
        mode = self.mode if self.mode is not None or self.like is None else self.like.mode
        after = None if self.data is None else Version(digest_of(self.data), mode)
        return FileRecord(self.path, before, after, self.real, self.source, self.in_place)


@dataclass(frozen=True, slots=True)
class PreparedSet:
    """The files, sorted by path; the folders to make, outermost first; the bytes of all versions by digest."""

    files: tuple[PreparedFile, ...]
    folders: tuple[str, ...]
    blobs: dict[str, bytes] = field(default_factory=dict)

    @property
    def records(self) -> tuple[FileRecord, ...]:
        """The records of the files for the journal."""
        return tuple(file.record for file in self.files)


def prepare(jail: Jail, charsets: Charsets, targets: Sequence[Target]) -> PreparedSet:
    """Check a whole set of targets. Raises `ChangedError`, `JailError` or `WorkspaceError`. Writes nothing."""
    ordered = sorted(targets, key=lambda target: target.path)
    preparation = _Preparation(jail, charsets, ordered)
    if len(preparation.current) < len(ordered):
        raise WorkspaceError("A set of changes names one path twice.", hint="Give each file one change.")
    files = [preparation.prepare_file(target) for target in ordered]
    _check_distinct(files)
    # `Readme.md` → `README.md` on a file system that takes both as one: the rename of the new name moves the file, and
    # removing the old name after it would remove the new file.
    renamed = {file.source for file in files if file.case_of is not None}
    files = [replace(file, moot=True) if file.path in renamed else file for file in files]
    versions = [data for file in files for data in (file.found.data if file.found else None, file.data)]
    # `_new_paths` ends with the file itself, behind one path for each missing folder.
    folders = {path for file in files for path in _new_paths(file)[: len(file.missing)]}
    outermost_first = sorted(folders, key=lambda path: (path.count("/"), path))
    blobs = {digest_of(data): data for data in versions if data is not None}
    return PreparedSet(tuple(files), tuple(outermost_first), blobs)


class _Preparation:
    """One set while it is checked: the files as they are now, the removed ones, and the paths that may give way."""

    def __init__(self, jail: Jail, charsets: Charsets, targets: Sequence[Target]) -> None:
        self.jail = jail
        self.charsets = charsets
        # `yielding` are the paths that may change from file to folder or back: removed and new ones.
        self.removed = {target.path for target in targets if target.wanted is None}
        self.yielding = {target.path for target in targets if target.expected is None or target.wanted is None}
        self.current = {target.path: self._read(target) for target in targets}
        self._names: dict[str, dict[str, list[str]]] = {}

    def _check_emptied(self, place: OpenedPath) -> None:
        """Raise `WorkspaceError` if a file is to replace a folder with a file in it that the set does not remove."""
        info = place.directory.lstat(place.name)
        if info is None or not stat.S_ISDIR(info.st_mode):
            return
        with place.directory.child(place.name) as folder:
            other = next((inside for inside in files_below(folder, place.real) if inside not in self.removed), None)
        if other is not None:
            raise WorkspaceError(
                f"`{place.real}` is a folder that holds `{other}` too; nothing was written.",
                code=Code.FILE_EXISTS,
                hint="Move that file away, or take another name.",
            )

    def _read(self, target: Target) -> FileOnDisk | None:
        """Return the file as it is now. Raises `ChangedError` if it is not as the plan saw it."""
        with self.jail.locate(target.path, self.yielding) as place:
            found = read(place, target.path)
            if found is None and target.wanted is not None and not place.missing:
                self._check_emptied(place)
        if target.expected is not None and (found is None or found.digest != target.expected):
            what = "is gone" if found is None else "has changed"
            raise ChangedError(f"`{target.path}` {what} since it was read; nothing was written.", hint="Run it again.")
        return found

    def prepare_file(self, target: Target) -> PreparedFile:
        """Return a target as a prepared file. Raises as `prepare` does."""
        found = self.current[target.path]
        source = self.current.get(target.source) if target.source is not None else None
        if source is not None and source.info.st_nlink > 1 and target.source in self.removed:
            raise WorkspaceError(
                f"`{target.source}` has further names (hard links), and a rename would part it from them.",
                hint="Rename it by hand, or change it where it is.",
            )
        # A renamed file keeps its owner and mode. A new file at the path that another one leaves does not get those.
        like = source or (None if target.fresh else found)
        version = target.version
        if like is None and version is not None:
            version = givable(version)
        with self.jail.locate(target.path, self.yielding) as place:
            case_of = self._check_name(place, target)
            if found is not None and case_of is None:
                if not found.writable:
                    raise WorkspaceError(
                        f"`{target.path}` is read-only; nothing was written.",
                        code=Code.READ_ONLY,
                        hint="Make it writable first.",
                    )
                if place.linked and target.wanted is None:
                    raise WorkspaceError(
                        f"`{target.path}` is a link; Dovetail deletes and renames files only.",
                        hint="Remove the link by hand.",
                    )
            data = self._bytes_of(target, like)
            check_size(len(data or b""), target.path)  # an undo could not read a larger one
            replaces = found is not None and data is not None and case_of is None
            mounts = self.jail.mounts()
            # Only a file that stays the same one is overwritten in place; another file at its path is a new inode.
            in_place = replaces and found is not None and like is found and needs_writing_in_place(place, found, mounts)
            if not in_place and is_fixed(place, mounts):
                raise WorkspaceError(
                    f"Its folder does not let `{target.path}` be made, renamed or removed; nothing was written.",
                    code=Code.READ_ONLY,
                    hint="Look at the folder's permissions, and at what is mounted there.",
                )
            missing = place.missing
            real = place.real
        mode = version.mode if version is not None else None
        kept = version if like is None else like.version
        return PreparedFile(target.path, real, found, kept, data, mode, target.source, in_place, missing, case_of)

    def _bytes_of(self, target: Target, like: FileOnDisk | None) -> bytes | None:
        if not isinstance(target.wanted, str):
            return target.wanted
        if like is None:
            return encode(target.wanted, Encoding.UTF_8, target.path)
        match self.charsets.decode(like.data, target.source or target.path):
            case Decoded(_, encoding):
                data = encode(target.wanted, encoding, target.path)
                # The new text may change its own encoding, as with a new line `# coding: latin-1`: then the bytes would
                # be read as another text than the one that was shown.
                match self.charsets.decode(data, target.path):
                    case Decoded(text) if text == target.wanted.removeprefix("\ufeff"):
                        return data
                raise WorkspaceError(
                    f"The new text of `{target.path}` would be read in another encoding than {encoding}.",
                    code=Code.ENCODING,
                    hint="Leave the line alone that names the encoding, or save the file as UTF-8 first.",
                )
            case Undecodable(code, detail):
                raise WorkspaceError(f"`{target.path}` cannot be edited. {detail}", code=code)

    def _check_name(self, place: OpenedPath, target: Target) -> str | None:
        """Raise `WorkspaceError` for a name that differs only in case from one in the same folder.

        Return the old name of a rename that changes only the case; None for any other file.
        """
        # Where the file system folds case, `info` alone does not show that this very name is there.
        if place.info is not None and place.spelling == place.name:
            if target.expected is None:
                raise ChangedError(f"`{target.path}` exists by now; nothing was written.", hint="Run it again.")
            return None
        for twin in self._twins(place):
            # `place.name` is the first missing component, so a twin stands in its place in `real`: for `src/new/x.py`
            # without `src/new`, a folder `src/New` is the twin.
            at = "/".join([*place.real.split("/")[: -1 - len(place.missing)], twin])
            if at not in self.removed:
                raise WorkspaceError(
                    f"`{target.path}` differs from `{at}` in case only.",
                    code=Code.FILE_EXISTS,
                    hint="Use the name that is there, or rename it in the same reply.",
                )
            if place.info is not None:
                return twin
        return None

    def _twins(self, place: OpenedPath) -> list[str]:
        """Return the names in the place's folder that differ from its own only in case; each folder is listed once."""
        folder = place.directory.path
        if folder not in self._names:
            self._names[folder] = {}
            for name in place.directory.names():
                self._names[folder].setdefault(fold(name), []).append(name)
        return [name for name in self._names[folder].get(fold(place.name), ()) if name != place.name]


def _check_distinct(files: Sequence[PreparedFile]) -> None:
    """Raise `WorkspaceError` if two paths of a set are one file, file and folder, or differ only in case."""
    stays = [file for file in files if file.data is not None]
    above = {fold(folder): file.path for file in stays for folder in folders_above(file.real)}
    for file in stays:
        if (below := above.get(fold(file.real))) is not None:
            raise WorkspaceError(
                f"`{file.path}` cannot be a file and the folder of `{below}`; nothing was written.",
                code=Code.FILE_EXISTS,
                hint="Leave one of them out.",
            )
    inodes: dict[tuple[int, int], str] = {}
    places: dict[str, str] = {}
    spelled: dict[str, str] = {}
    for file in files:
        twin = places.setdefault(file.real, file.path)
        if twin != file.path:
            raise _one_file(twin, file.path)
        if file.found is not None and file.case_of is None and file.found.identity is not None:
            twin = inodes.setdefault(file.found.identity, file.path)
            if twin != file.path:
                raise _one_file(twin, file.path)
        # Two new names that differ in case only, `a/X.py` and `A/y.py` say, would be one folder on macOS and Windows.
        for new in _new_paths(file):
            twin = spelled.setdefault(fold(new), new)
            if twin != new:
                raise WorkspaceError(f"`{twin}` and `{new}` differ in case only.", hint="Choose one of the names.")


def _one_file(twin: str, path: str) -> WorkspaceError:
    return WorkspaceError(f"`{twin}` and `{path}` are one file.", hint="Change it under one name.")


def _new_paths(file: PreparedFile) -> list[str]:
    """Return the paths of a new file and its missing folders, outermost first; empty for any other file."""
    if file.data is None or (file.found is not None and file.case_of is None):
        return []
    parts = file.real.split("/")
    return ["/".join(parts[:end]) for end in range(len(parts) - len(file.missing), len(parts) + 1)]
