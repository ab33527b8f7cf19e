"""Switches a recorded set of files on the disk to one of its two sides.

Owns what a commit does once everything is staged, how it is taken back, and what the next start does after a crash: the
same transitions in the same order, forwards or backwards. Each transition checks at the last instant that the file is
still as it was seen. A file on neither side was edited since; it is left alone and named. If the system does not let us
read a file, that is an error, and the next start tries again.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum
from typing import NamedTuple

from dovetail.model.errors import ChangedError, JailError, JournalError, WorkspaceError
from dovetail.model.snapshot import folders_above
from dovetail.workspace.directory import Directory, Step, errors_about, no_step
from dovetail.workspace.files import (
    FileOnDisk,
    Signature,
    givable,
    is_torn,
    read,
    read_exactly,
    signature,
    stage,
    write_in_place,
)
from dovetail.workspace.jail import Jail, OpenedPath, open_parent, remove_empty, remove_folders
from dovetail.workspace.names import temp_name
from dovetail.workspace.operation import Fetch, FileRecord, Operation, Version

_NAME_IS_TAKEN = {errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY, errno.EEXIST}
_NO_LONGER_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


class FileTransition(NamedTuple):
    """One file on its way to a version.

    version: what the file becomes; None removes it.
    temp, folder: where that version is staged: the name, and the folder's path without links.
    yielding: paths of the set at which a file may give way to a folder, or an empty folder to a file.
    """

    record: FileRecord
    version: Version | None
    temp: str
    folder: str
    yielding: frozenset[str]

    @property
    def parent(self) -> str:
        """The path of the folder that holds the file, links resolved; "" for the root."""
        return self.record.real.rpartition("/")[0]


class FileSide(Enum):
    """The side that one file of a set is on.

    TORN is partly overwritten in place, MOVED renamed in case only and not yet rewritten, OTHER edited since.
    """

    BEFORE = "before"
    AFTER = "after"
    BOTH = "both"
    TORN = "torn"
    MOVED = "moved"
    OTHER = "other"


class SwitchedSet(NamedTuple):
    """The paths that were written, and those that were left alone, as they were edited since or cannot be switched."""

    written: tuple[str, ...]
    left: tuple[str, ...]


def transitions(operation: Operation, *, forward: bool) -> list[FileTransition]:
    """Return the transitions that bring every file of a set to one side, in the order in which to do them.

    Files overwritten in place come first: only they can still run out of space, and then no other file has to be taken
    back. Removals come last, so that a renamed file is never missing under both names. A file that bars a folder of the
    set is removed earlier.
    """
    yielding = operation.yielding
    folders = {folder for name in yielding for folder in folders_above(name)}
    ordered: list[tuple[int, FileTransition]] = []
    for n, record in enumerate(operation.files):
        version = record.after if forward else record.before
        # `a` goes and `a/b.py` comes: `a` is still a file when `a/b.py` is staged, so that is staged beside `a`.
        above = next((folder for folder in folders_above(record.real) if folder in yielding), None)
        at = record.real if above is None else above
        gives_way = above is not None or record.real in folders
        # 0 overwrite, 1 remove what bars another name of the set, 2 rename into place, 3 remove the rest.
        turn = (1 if gives_way else 3) if version is None else 0 if record.in_place else 2
        staged_in = at.rpartition("/")[0]
        ordered.append((turn, FileTransition(record, version, temp_name(operation.id, n), staged_in, yielding)))
    return [transition for _, transition in sorted(ordered, key=lambda pair: pair[0])]


def flush(jail: Jail, done: Iterable[FileTransition], step: Step) -> None:
    """Flush the names in the files' folders to the disk. Raises `OSError`."""
    for transition in {transition.parent: transition for transition in done}.values():
        step("flush")
        path = transition.record.path
        with errors_about(path), jail.locate(path, transition.yielding) as place:
            place.directory.sync()


def switch_file(jail: Jail, transition: FileTransition, seen: Signature | None, fetch: Fetch, step: Step) -> None:
    """Bring one file to its version. Raises `OSError`, or `ChangedError` if it is no longer as it was `seen`.

    seen: the file's signature; None if there was no file. fetch: gives the bytes of a version that is not staged. A
    staged file is used if there is one, as only it has the owner and the attributes of a renamed file.
    """
    record, version = transition.record, transition.version
    with errors_about(record.path), jail.locate(record.path, transition.yielding) as place:
        _check_unchanged(transition, seen, place.info)
        if place.real != record.real:
            raise _changed(transition)
        if version is None:
            if place.info is not None:
                _check_unchanged(transition, seen, place.directory.lstat(place.name))  # folders were closed since
                place.directory.unlink(place.name)
            return
        # A case-only rename: the old file takes its new name first, then the new bytes take its place.
        if place.spelling != place.name:
            place.directory.replace(place.spelling, place.name)
            step("replace")
            moved = place.directory.lstat(place.name)
            seen = signature(moved) if moved is not None else None
        if place.info is not None and record.in_place:
            write_in_place(place.directory, place.name, fetch(version.digest), version.mode)
            return
        try:
            if place.info is None:
                remove_empty(place.directory, place.name)
            with open_parent(place) as parent:
                in_parent = transition.folder == transition.parent  # nearly always
                with parent.duplicate() if in_parent else jail.open_folder(transition.folder) as staged:
                    _install(staged, parent, transition, version, seen, fetch, step)
        except OSError as error:
            if error.errno in _NAME_IS_TAKEN:  # a folder that holds more, or a file where a folder is to be
                raise _changed(transition) from error
            raise


def _install(
    staged: Directory,
    parent: Directory,
    transition: FileTransition,
    version: Version,
    seen: Signature | None,
    fetch: Fetch,
    step: Step,
) -> None:
    """Rename the staged version into the file's place; stage it first if it is missing or not whole."""
    record, temp = transition.record, transition.temp
    name = record.real.rpartition("/")[2]
    if not _is_staged(staged, transition, version):
        data = fetch(version.digest)
        staged.discard(temp)
        there = read(OpenedPath(parent, name, record.real, (), parent.lstat(name)), record.path)
        if there is None:
            like = givable(version)
            mode = like.mode
        else:  # set-user-ID stays as the file has it; no journal may set it
            like = there.version
            mode = None if version.mode is None else version.mode | there.mode & ~0o777
        stage(staged, temp, data, like, mode)
    step("put")
    _check_unchanged(transition, seen, parent.lstat(name))  # writing a version takes as long as a flush
    # `seen` is None where nothing was there: then a file that was made this instant is not replaced.
    if seen is None:
        staged.rename_to_new(temp, name, parent)
    else:
        staged.replace(temp, name, parent)


def _is_staged(staged: Directory, transition: FileTransition, version: Version) -> bool:
    """Return whether the staged file is there with the version's bytes and mode."""
    info = staged.lstat(transition.temp)
    if info is None or not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
        return False
    record = transition.record
    found = read(OpenedPath(staged, transition.temp, record.real, (), info), record.path)
    return found is not None and (found.digest, found.mode) == (version.digest, version.mode)


def _check_unchanged(transition: FileTransition, seen: Signature | None, info: os.stat_result | None) -> None:
    if (signature(info) if info is not None else None) != seen:
        raise _changed(transition)


def _changed(transition: FileTransition) -> ChangedError:
    path = transition.record.path
    return ChangedError(f"`{path}` changed while it was written; nothing was.", hint="Run it again.")


def sides_of(jail: Jail, operation: Operation, fetch: Fetch) -> set[FileSide]:
    """Return the sides that the files of a set are on. Raises `WorkspaceError` if the system bars a file."""
    return {_side_of(jail, operation, item, fetch)[0] for item in transitions(operation, forward=True)}


def has_replaced(jail: Jail, operation: Operation) -> bool:
    """Return whether any staged file is gone, so it was renamed into place. Raises `OSError`."""
    for transition, folder in _staging_folders(jail, operation):
        with folder:
            staged = transition.version is not None and not transition.record.in_place
            if staged and folder.lstat(transition.temp) is None:
                return True
    return False


def switch_all(jail: Jail, operation: Operation, fetch: Fetch, *, forward: bool, step: Step) -> SwitchedSet:
    """Bring every file to one side; remove staged leftovers and, backwards, the folders that the set made.

    Files that were edited since are left alone and named in the result. Raises `OSError`, or `WorkspaceError` if the
    system bars a file.
    """
    written: list[FileTransition] = []
    left: list[str] = []
    if not forward:  # first, as what is put back needs space
        _remove_staged(jail, operation)
    for transition in transitions(operation, forward=forward):
        side, seen = _side_of(jail, operation, transition, fetch)
        # Already there: a second start after a second crash goes on where the first one stopped.
        if side in (FileSide.BOTH, FileSide.AFTER if forward else FileSide.BEFORE):
            continue
        # A file that cannot take its new name keeps its old one.
        stays = transition.version is None and any(
            other.source == transition.record.path and other.path in left for other in operation.files
        )
        if side is not FileSide.OTHER and not stays:
            step("switch")
            with suppress(ChangedError, JournalError):  # edited just now, or its version is damaged
                switch_file(jail, transition, seen, fetch, step)
                written.append(transition)
                continue
        left.append(transition.record.path)
    flush(jail, written, no_step)
    _remove_staged(jail, operation)
    if not forward:
        remove_folders(jail, operation.folders)
    return SwitchedSet(tuple(sorted(item.record.path for item in written)), tuple(sorted(left)))


def _remove_staged(jail: Jail, operation: Operation) -> None:
    for transition, folder in _staging_folders(jail, operation):
        with folder:
            folder.discard(transition.temp)


def _staging_folders(jail: Jail, operation: Operation) -> Iterator[tuple[FileTransition, Directory]]:
    """Yield each file with the folder that it is staged in, for the caller to close; skip folders that are gone."""
    for transition in transitions(operation, forward=True):
        try:
            folder = jail.open_folder(transition.folder)
        except JailError:
            continue
        except OSError as error:
            if error.errno not in _NO_LONGER_THERE:
                raise
            continue
        yield transition, folder


def _side_of(
    jail: Jail, operation: Operation, transition: FileTransition, fetch: Fetch
) -> tuple[FileSide, Signature | None]:
    """Return the side of one file, and its signature, by which a later edit shows, or None if it is missing."""
    record = transition.record
    try:
        with jail.locate(record.path, transition.yielding) as place:
            seen = signature(place.info) if place.info is not None else None
            found = read_exactly(place, record.path)
            if place.real != record.real:
                return FileSide.OTHER, seen
    except WorkspaceError as error:
        if isinstance(error.__cause__, OSError) and not isinstance(error, JailError):
            raise  # the system bars the file, which is no sign of an edit
        return FileSide.OTHER, None
    return _side_of_bytes(operation, record, found, fetch), seen


def _side_of_bytes(operation: Operation, record: FileRecord, found: FileOnDisk | None, fetch: Fetch) -> FileSide:
    before, after = record.digests
    now = None if found is None else found.digest
    # With the same bytes on both sides the mode decides; if that is the same or not known, the file is on both sides.
    if now == before == after:
        old_mode, new_mode = record.modes
        if found is None or None in (old_mode, new_mode) or old_mode == new_mode:
            return FileSide.BOTH
        return {new_mode: FileSide.AFTER, old_mode: FileSide.BEFORE}.get(found.mode, FileSide.BOTH)
    if now in (before, after):
        return FileSide.AFTER if now == after else FileSide.BEFORE
    if now is None or found is None:
        return FileSide.OTHER
    if record.source is not None and record.source.casefold() == record.path.casefold():
        source = next((other for other in operation.files if other.path == record.source), None)
        if source is not None and now == source.digests[0]:
            return FileSide.MOVED
    if record.in_place and before is not None and after is not None:
        with suppress(JournalError):  # without both versions nothing shows that the bytes are of them
            return FileSide.TORN if is_torn(found.data, fetch(before), fetch(after)) else FileSide.OTHER
    return FileSide.OTHER
