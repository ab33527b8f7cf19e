"""Make a recorded set of files whole, forwards or backwards, from the versions in the journal.

Owns what is done about a set that stopped half-way, whether just now or before a crash. Every file is brought to the
side that was asked for; a file that is on neither side was edited since, and is left alone and named. A file that the
system does not let us see is on no side yet: that is an error, and the next start looks again.
"""

from __future__ import annotations

import errno
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from dovetail.model.errors import ChangedError, JailError, JournalError, WorkspaceError
from dovetail.workspace.bring import Act, Fetch, acts, bring, flush
from dovetail.workspace.files import Found, Signature, is_torn, read_exactly, signature
from dovetail.workspace.folders import remove_folders
from dovetail.workspace.steps import Step, no_step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.workspace.directory import Directory
    from dovetail.workspace.jail import Jail
    from dovetail.workspace.operation import FileRecord, Operation

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
