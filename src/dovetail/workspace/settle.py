"""Make a recorded set of files whole, forwards or backwards, from the versions in the journal.

Owns what is done about a set that stopped half-way, whether just now or before a crash. Every file is brought to the
side that was asked for; a file that is on neither side was edited since, and is left alone and named.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from dovetail.model.dataclasses import dataclass
from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.workspace.files import Found, is_torn, read, read_exactly, stage, write_in_place
from dovetail.workspace.folders import open_parent, remove_folders
from dovetail.workspace.names import TEMP_PREFIX, temp_name

if TYPE_CHECKING:
    from dovetail.workspace.directory import Directory
    from dovetail.workspace.jail import Jail
    from dovetail.workspace.operation import FileRecord, Operation, Version
    from dovetail.workspace.steps import Step

Fetch = Callable[[str], bytes]


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
    """On which side each file of the set stands, by path."""
    return {record.path: _side(jail, operation, record, fetch) for record in operation.files}


def settle(jail: Jail, operation: Operation, fetch: Fetch, *, forward: bool, step: Step) -> Settled:
    """Bring every file to one side, staged leftovers and (backwards) new folders removed. Raises `OSError`."""
    written: list[str] = []
    left: list[str] = []
    _remove_staged(jail, operation)
    order = sorted(operation.files, key=lambda record: (record.after is None) == forward)
    for record in order:
        side = _side(jail, operation, record, fetch)
        if side is Side.OTHER:
            left.append(record.path)
        elif side is not Side.BOTH and side is not (Side.AFTER if forward else Side.BEFORE):
            step("settle")
            try:
                _bring(jail, record, record.after if forward else record.before, fetch)
            except JournalError:
                left.append(record.path)  # its version is damaged: nothing can be written that was meant
            else:
                written.append(record.path)
    if not forward:
        remove_folders(jail, operation.folders)
    return Settled(tuple(sorted(written)), tuple(sorted(left)))


def _remove_staged(jail: Jail, operation: Operation) -> None:
    for n, record in enumerate(operation.files):
        try:
            with jail.open_folder(record.real.rpartition("/")[0]) as directory:
                directory.discard(temp_name(operation.id, n))
        except (FileNotFoundError, WorkspaceError):
            continue  # its folder is gone, and it with it


def _side(jail: Jail, operation: Operation, record: FileRecord, fetch: Fetch) -> Side:
    try:
        with jail.locate(record.path) as place:
            found = read_exactly(place, record.path)
            if place.real != record.real:
                return Side.OTHER
    except WorkspaceError:
        return Side.OTHER
    before, after = _digest(record.before), _digest(record.after)
    now = None if found is None else found.digest
    if now == before == after:
        return Side.BOTH
    if now in (before, after):
        return Side.AFTER if now == after else Side.BEFORE
    if now is not None and now == _source_digest(operation, record):
        return Side.MOVED  # renamed in case only, and not yet rewritten
    if record.in_place and found is not None and before is not None and after is not None:
        return Side.TORN if is_torn(found.data, fetch(before), fetch(after)) else Side.OTHER
    return Side.OTHER


def _digest(version: Version | None) -> str | None:
    return None if version is None else version.digest


def _source_digest(operation: Operation, record: FileRecord) -> str | None:
    if record.source is None or record.source.casefold() != record.path.casefold():
        return None
    return next((_digest(other.before) for other in operation.files if other.path == record.source), None)


def _bring(jail: Jail, record: FileRecord, version: Version | None, fetch: Fetch) -> None:
    """Make one file what a version says."""
    with jail.locate(record.path) as place:
        if version is None:
            if place.info is not None:
                place.directory.unlink(place.name)
                place.directory.sync()
            return
        data = fetch(version.digest)
        if place.spelling != place.name:
            place.directory.replace(place.spelling, place.name)
        found = read(place, record.path)
        if found is not None and record.in_place:
            write_in_place(place.directory, place.name, data)
            return
        with open_parent(place) as parent:
            _install(parent, place.real.rpartition("/")[2], data, found, version.mode)


def _install(parent: Directory, name: str, data: bytes, like: Found | None, mode: int | None) -> None:
    temp = f"{TEMP_PREFIX}{os.getpid()}"
    parent.discard(temp)
    try:
        stage(parent, temp, data, like, mode)
        parent.replace(temp, name)
    except BaseException:
        parent.discard(temp)
        raise
    parent.sync()
