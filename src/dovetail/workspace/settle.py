"""Make a recorded set of files whole, forwards or backwards, from the versions in the journal.

Owns what is done about a set that stopped half-way, whether just now or before a crash. Every file is brought to the
side that was asked for; a file that is on neither side was edited since, and is left alone and named. A file that the
system does not let us see is on no side yet: that is an error, and the next start looks again.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING

from dovetail.model.dataclasses import dataclass, replace
from dovetail.model.errors import ChangedError, JailError, JournalError, WorkspaceError
from dovetail.workspace.explain import about
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
from dovetail.workspace.folders import open_parent, remove_folders
from dovetail.workspace.jail import Place
from dovetail.workspace.names import temp_name
from dovetail.workspace.operation import Version

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from dovetail.workspace.directory import Directory
    from dovetail.workspace.jail import Jail
    from dovetail.workspace.operation import FileRecord, Operation
    from dovetail.workspace.steps import Step

Fetch = Callable[[str], bytes]

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


@dataclass(frozen=True, slots=True)
class _Act:
    """One file that is brought to a version: its staged name, and what tells that nobody touched it meanwhile."""

    record: FileRecord
    version: Version | None
    temp: str
    seen: Signature | None


def survey(jail: Jail, operation: Operation, fetch: Fetch) -> dict[str, Side]:
    """On which side each file of the set stands, by path. Raises `WorkspaceError` where the system bars a file."""
    return {record.path: _look(jail, operation, record, fetch)[0] for record in operation.files}


def has_replaced(jail: Jail, operation: Operation) -> bool:
    """Whether a staged version is gone from beside its file: it was renamed into its place. Raises `OSError`."""
    for temp, directory, record in _staged(jail, operation):
        with directory:
            if record.after is not None and not record.in_place and directory.lstat(temp) is None:
                return True
    return False


def settle(jail: Jail, operation: Operation, fetch: Fetch, *, forward: bool, step: Step) -> Settled:
    """Bring every file to one side, staged leftovers and (backwards) new folders removed.

    Forwards, what was staged is what is put in place: only it has the owner and the attributes of a renamed file.
    Raises `OSError`, or `WorkspaceError` where the system bars a file.
    """
    written: list[str] = []
    left: list[str] = []
    if not forward:
        _remove_staged(jail, operation)
    order = sorted(enumerate(operation.files), key=lambda numbered: (numbered[1].after is None) == forward)
    for n, record in order:
        side, seen = _look(jail, operation, record, fetch)
        if side in (Side.BOTH, Side.AFTER if forward else Side.BEFORE):
            continue
        if side is Side.OTHER:
            left.append(record.path)
            continue
        step("settle")
        # Under the operation's own name, so that a crash in here leaves nothing that the next start does not know.
        act = _Act(record, record.after if forward else record.before, temp_name(operation.id, n), seen)
        (written if _could_bring(jail, act, fetch, step) else left).append(record.path)
    if forward:
        _remove_staged(jail, operation)
    else:
        remove_folders(jail, operation.folders)
    return Settled(tuple(sorted(written)), tuple(sorted(left)))


def _could_bring(jail: Jail, act: _Act, fetch: Fetch, step: Step) -> bool:
    """Make one file what a version says, unless somebody edits it just now, or its version is damaged."""
    try:
        with about(act.record.path):
            _bring(jail, act, fetch, step)
    except (ChangedError, JournalError):
        return False
    return True


def _remove_staged(jail: Jail, operation: Operation) -> None:
    for temp, directory, _ in _staged(jail, operation):
        with directory:
            directory.discard(temp)


def _staged(jail: Jail, operation: Operation) -> Iterator[tuple[str, Directory, FileRecord]]:
    """The name of each file's staged version and its folder, opened; folders that are no longer there are left out."""
    for n, record in enumerate(operation.files):
        try:
            directory = jail.open_folder(record.real.rpartition("/")[0])
        except JailError:
            continue
        except OSError as error:
            if error.errno not in _NO_LONGER_THERE:
                raise
            continue
        yield temp_name(operation.id, n), directory, record


def _look(jail: Jail, operation: Operation, record: FileRecord, fetch: Fetch) -> tuple[Side, Signature | None]:
    """The side of one file, and what tells whether it is touched afterwards; None where there is no file."""
    try:
        with jail.locate(record.path) as place:
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


def _bring(jail: Jail, act: _Act, fetch: Fetch, step: Step) -> None:
    """Make one file what a version says. Raises `ChangedError` where it is no longer what was seen."""
    with jail.locate(act.record.path) as place:
        _check_still(act, place.info)
        version = act.version
        if version is None:
            if place.info is not None:
                place.directory.unlink(place.name)
                place.directory.sync()
            return
        if place.spelling != place.name:
            place.directory.replace(place.spelling, place.name)
            moved = place.directory.lstat(place.name)
            act = replace(act, seen=signature(moved) if moved is not None else None)
        found = read(place, act.record.path)
        if found is not None and act.record.in_place:
            write_in_place(place.directory, place.name, fetch(version.digest), version.mode)
            return
        with open_parent(place) as parent:
            _install(parent, act, version, fetch, found, step)


def _install(parent: Directory, act: _Act, version: Version, fetch: Fetch, like: Found | None, step: Step) -> None:
    name = act.record.real.rpartition("/")[2]
    try:
        if not _is_staged(parent, act):
            data = fetch(version.digest)
            parent.discard(act.temp)
            version = version if like is not None else givable(version)
            stage(parent, act.temp, data, version if like is None else like.version, version.mode)
        step("settle-staged")
        _check_still(act, parent.lstat(name))
        parent.replace(act.temp, name)
    except BaseException:
        parent.discard(act.temp)
        raise
    parent.sync()


def _is_staged(parent: Directory, act: _Act) -> bool:
    """Whether the version lies beside its file already, whole."""
    info = parent.lstat(act.temp)
    if info is None or not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
        return False
    staged = read(Place(parent, act.temp, act.record.real, (), info), act.record.path)
    wanted = act.version
    return staged is not None and wanted is not None and (staged.digest, staged.mode) == (wanted.digest, wanted.mode)


def _check_still(act: _Act, info: os.stat_result | None) -> None:
    """The last look before a file is replaced: writing a version takes as long as a flush."""
    if (signature(info) if info is not None else None) != act.seen:
        raise ChangedError(f"`{act.record.path}` changed while it was made whole.")
