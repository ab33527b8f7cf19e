"""One file of a recorded set, brought to one of its versions: put in place, overwritten, or removed.

What a commit does once all is staged, what takes it back, and what the next start does after a crash: the same acts
in the same order, forwards or backwards. Each looks once more, at the last instant, whether the file is what was seen.


Make a recorded set of files whole, forwards or backwards, from the versions in the journal.

Owns what is done about a set that stopped half-way, whether just now or before a crash. Every file is brought to the
side that was asked for; a file that is on neither side was edited since, and is left alone and named. A file that the
system does not let us see is on no side yet: that is an error, and the next start looks again.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from dovetail.model.errors import ChangedError, JailError, JournalError, WorkspaceError
from dovetail.model.paths import folders_above
from dovetail.workspace.directory import Step, about, no_step
from dovetail.workspace.files import (
    Found,
    Signature,
    givable,
    is_torn,
    read,
    read_exactly,
    signature,
    stage,
    write_in_place,
)
from dovetail.workspace.jail import Place, open_parent, remove_empty, remove_folders
from dovetail.workspace.names import temp_name
from dovetail.workspace.operation import FileRecord, Operation, Version

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from dovetail.workspace.directory import Directory
    from dovetail.workspace.jail import Jail

Fetch = Callable[[str], bytes]

_TAKEN = {errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY, errno.EEXIST}


@dataclass(frozen=True, slots=True)
class Act:
    """One file on its way to a version; None removes it.

    temp, folder: where that version is staged: the name, and the folder's path without links.
    yielding: the names of the set that a file or a folder may have to give up.
    """

    record: FileRecord
    version: Version | None
    temp: str
    folder: str
    yielding: frozenset[str]

    @property
    def own_folder(self) -> str:
        """The folder that the file stands in."""
        return self.record.real.rpartition("/")[0]


def acts(operation: Operation, *, forward: bool) -> list[Act]:
    """What brings every file of a set to one side, in the order in which it is done.

    What is overwritten comes first: only that can still run out of space, and then no other file has to be taken back.
    What is removed comes last, so that a renamed file is never missing under both names, but for what has to give way.
    """
    yielding = operation.yielding
    folders = {folder for name in yielding for folder in folders_above(name)}
    listed: list[tuple[int, Act]] = []
    for n, record in enumerate(operation.files):
        version = record.after if forward else record.before
        above = next((folder for folder in folders_above(record.real) if folder in yielding), None)
        at = record.real if above is None else above
        act = Act(record, version, temp_name(operation.id, n), at.rpartition("/")[0], yielding)
        in_the_way = above is not None or record.real in folders
        turn = (1 if in_the_way else 3) if version is None else 0 if record.in_place else 2
        listed.append((turn, act))
    return [act for _, act in sorted(listed, key=lambda pair: pair[0])]


def flush(jail: Jail, done: Iterable[Act], step: Step) -> None:
    """Bring the names in the files' folders to the disk. Raises `OSError`."""
    for act in {act.own_folder: act for act in done}.values():
        step("flush")
        with about(act.record.path), jail.locate(act.record.path, act.yielding) as place:
            place.directory.sync()


def bring(jail: Jail, act: Act, seen: Signature | None, fetch: Fetch, step: Step) -> None:
    """Make one file what its version says. Raises `OSError`, or `ChangedError` where it is not what was `seen`.

    Forwards, what was staged is what is put in place: only it has the owner and the attributes of a renamed file.
    """
    record, version = act.record, act.version
    with about(record.path), jail.locate(record.path, act.yielding) as place:
        _check_still(act, seen, place.info)
        if place.real != record.real:
            raise _changed(act)
        if version is None:
            if place.info is not None:
                place.directory.unlink(place.name)
            return
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
            with open_parent(place) as parent, _staging(jail, act, parent) as staged:
                _install(staged, parent, act, version, seen, fetch, step)
        except OSError as error:
            if error.errno in _TAKEN:  # a folder that holds more, or a file where a folder is to be
                raise _changed(act) from error
            raise


def _staging(jail: Jail, act: Act, parent: Directory) -> Directory:
    """The folder that the version is staged in, opened: nearly always the file's own."""
    return parent.duplicate() if act.folder == act.own_folder else jail.open_folder(act.folder)


def _install(
    staged: Directory, parent: Directory, act: Act, version: Version, seen: Signature | None, fetch: Fetch, step: Step
) -> None:
    name = act.record.real.rpartition("/")[2]
    if not _is_staged(staged, act, version):
        data = fetch(version.digest)
        staged.discard(act.temp)
        found = read(Place(parent, name, act.record.real, (), parent.lstat(name)), act.record.path)
        like = givable(version) if found is None else found.version
        stage(staged, act.temp, data, like, like.mode if found is None else _mode_over(version, found))
    step("put")
    _check_still(act, seen, parent.lstat(name))  # writing a version takes as long as a flush
    if seen is None:
        staged.rename_to_new(act.temp, name, parent)
    else:
        staged.replace(act.temp, name, parent)


def _mode_over(version: Version, found: Found) -> int | None:
    """A version's permission bits, with those of the file that no journal gives (set-user-ID)."""
    return None if version.mode is None else version.mode | found.mode & ~0o777


def _is_staged(staged: Directory, act: Act, version: Version) -> bool:
    """Whether the version lies where it was staged, whole."""
    info = staged.lstat(act.temp)
    if info is None or not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
        return False
    found = read(Place(staged, act.temp, act.record.real, (), info), act.record.path)
    return found is not None and (found.digest, found.mode) == (version.digest, version.mode)


def _check_still(act: Act, seen: Signature | None, info: os.stat_result | None) -> None:
    if (signature(info) if info is not None else None) != seen:
        raise _changed(act)


def _changed(act: Act) -> ChangedError:
    return ChangedError(f"`{act.record.path}` changed while it was written; nothing was.", hint="Run it again.")


_NO_LONGER_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


class Side(Enum):
    """Where one file of a set stands."""

    BEFORE = "before"
    AFTER = "after"
    BOTH = "both"
    TORN = "torn"
    MOVED = "moved"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Settled:
    """Paths that were written, and those that were edited since and left alone."""

    written: tuple[str, ...]
    left: tuple[str, ...]


def survey(jail: Jail, operation: Operation, fetch: Fetch) -> dict[str, Side]:
    """On which side each file of the set stands, by path. Raises `WorkspaceError` where the system bars a file."""
    return {act.record.path: _look(jail, operation, act, fetch)[0] for act in acts(operation, forward=True)}


def has_replaced(jail: Jail, operation: Operation) -> bool:
    """Whether a staged version is gone from beside its file: it was renamed into its place. Raises `OSError`."""
    for act, folder in _staged(jail, operation):
        with folder:
            if act.version is not None and not act.record.in_place and folder.lstat(act.temp) is None:
                return True
    return False


def settle(jail: Jail, operation: Operation, fetch: Fetch, *, forward: bool, step: Step) -> Settled:
    """Bring every file to one side, staged leftovers and (backwards) new folders removed.

    Raises `OSError`, or `WorkspaceError` where the system bars a file.
    """
    written: list[Act] = []
    left: list[str] = []
    if not forward:  # first, as what is put back needs space
        _remove_staged(jail, operation)
    for act in acts(operation, forward=forward):
        side, seen = _look(jail, operation, act, fetch)
        if side in (Side.BOTH, Side.AFTER if forward else Side.BEFORE):
            continue
        if side is not Side.OTHER:
            step("settle")
            with suppress(ChangedError, JournalError):  # edited just now, or its version is damaged
                bring(jail, act, seen, fetch, step)
                written.append(act)
                continue
        left.append(act.record.path)
    flush(jail, written, no_step)
    _remove_staged(jail, operation)
    if not forward:
        remove_folders(jail, operation.folders)
    return Settled(tuple(sorted(act.record.path for act in written)), tuple(sorted(left)))


def _remove_staged(jail: Jail, operation: Operation) -> None:
    for act, folder in _staged(jail, operation):
        with folder:
            folder.discard(act.temp)


def _staged(jail: Jail, operation: Operation) -> Iterator[tuple[Act, Directory]]:
    """Each file with the folder that it is staged in, opened; folders that are no longer there are left out."""
    for act in acts(operation, forward=True):
        try:
            folder = jail.open_folder(act.folder)
        except JailError:
            continue
        except OSError as error:
            if error.errno not in _NO_LONGER_THERE:
                raise
            continue
        yield act, folder


def _look(jail: Jail, operation: Operation, act: Act, fetch: Fetch) -> tuple[Side, Signature | None]:
    """The side of one file, and what tells whether it is touched afterwards; None where there is no file."""
    record = act.record
    try:
        with jail.locate(record.path, act.yielding) as place:
            seen = signature(place.info) if place.info is not None else None
            found = read_exactly(place, record.path)
            if place.real != record.real:
                return Side.OTHER, seen
    except WorkspaceError as error:
        if isinstance(error.__cause__, OSError) and not isinstance(error, JailError):
            raise  # the system's word, and no sign of an edit
        return Side.OTHER, None
    return _side(operation, record, found, fetch), seen


def _side(operation: Operation, record: FileRecord, found: Found | None, fetch: Fetch) -> Side:
    before, after = record.digests
    now = None if found is None else found.digest
    if now == before == after:
        return _side_by_mode(record, found)
    if now in (before, after):
        return Side.AFTER if now == after else Side.BEFORE
    if now is not None and now == _source_digest(operation, record):
        return Side.MOVED  # renamed in case only, and not yet rewritten
    if record.in_place and found is not None and before is not None and after is not None:
        with suppress(JournalError):  # without both versions nothing shows that the bytes are of them
            return Side.TORN if is_torn(found.data, fetch(before), fetch(after)) else Side.OTHER
    return Side.OTHER


def _side_by_mode(record: FileRecord, found: Found | None) -> Side:
    """The side of a file whose bytes are the same on both: it took the name of its equal, and has its own mode."""
    before, after = record.modes
    if found is None or None in (before, after) or before == after or found.mode not in (before, after):
        return Side.BOTH
    return Side.AFTER if found.mode == after else Side.BEFORE


def _source_digest(operation: Operation, record: FileRecord) -> str | None:
    if record.source is None or record.source.casefold() != record.path.casefold():
        return None
    return next((other.digests[0] for other in operation.files if other.path == record.source), None)
