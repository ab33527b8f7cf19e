"""What an act is to write, out of what its caller says: one target a file, each with the text that it is planned on."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, NamedTuple

from dovetail.model.errors import ChangedError, UsageError
from dovetail.workspace.history import find, renamed_back
from dovetail.workspace.operation import Label
from dovetail.workspace.prepare import Target
from dovetail.workspace.provenance import Provenance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dovetail.model.results import FileChange
    from dovetail.model.snapshot import Snapshot
    from dovetail.workspace.contents import Contents
    from dovetail.workspace.jail import Jail
    from dovetail.workspace.operation import FileRecord, Version


class Reversal(NamedTuple):
    """Some `edits` of an operation, to be taken back from the files that `snapshot` holds.

    texts: for each file its whole new text, in the file's own encoding, or its bytes, or None to remove it.
    origins: for a file the earlier one that stands there now, and the one that is to, whose permission bits it gets;
    None is one that the operation made. A file left out stays the one it is.
    """

    edits: Sequence[int]
    texts: Mapping[str, str | bytes | None]
    snapshot: Snapshot
    origins: Mapping[str, tuple[str | None, str | None]] = {}


class Planned(NamedTuple):
    """What one operation is to do, and what is recorded of it; `clears` are folders that are removed where empty."""

    targets: Sequence[Target]
    said: Provenance
    clears: tuple[str, ...] = ()


def targets_of(changes: Sequence[FileChange], snapshot: Snapshot) -> list[Target]:
    """The files that a plan changes. Raises `UsageError` where there is none, `ChangedError` for another text."""
    moved = {change.source for change in changes}
    targets = [
        _target(change, snapshot, fresh=change.path in moved)
        for change in changes
        if change.before != change.after or change.source is not None
    ]
    if not targets:
        raise UsageError("There is nothing to write.", hint="Commit only a plan that changes files.")
    return targets


def _target(change: FileChange, snapshot: Snapshot, *, fresh: bool) -> Target:
    known = snapshot.files.get(change.path)
    text = known.text if known is not None else None
    if text != change.before or (known is not None and text is None):
        raise ChangedError(f"`{change.path}` was planned on another text than it was read with.", hint="Plan it again.")
    return Target(change.path, _digest(snapshot, change.path), change.after, source=change.source, fresh=fresh)


def _digest(snapshot: Snapshot, path: str) -> str | None:
    known = snapshot.files.get(path)
    return known.digest if known is not None else None


def reverting(jail: Jail, contents: Contents, wanted: str, reversal: Reversal) -> Planned:
    """Some edits of an operation taken back."""
    operation = find(contents.operations, wanted)
    back, yielding = renamed_back(operation), operation.yielding
    records = {record.path: record for record in operation.files}
    targets = []
    for path, text in reversal.texts.items():
        origin, comes = reversal.origins.get(path, (path, path))
        was = _version(records, path, origin)
        with jail.locate(path, yielding) as place:
            mode = stat.S_IMODE(place.info.st_mode) if place.info is not None else None
        # The bits stay where that file is there already, and where the user has changed them since.
        stays = mode is not None and (origin == comes or was is None or mode != was.mode)
        version = None if stays else _version(records, path, comes)
        targets.append(Target(path, _digest(reversal.snapshot, path), text, version, back.get(path)))
    said = Provenance(Label.UNDO, undoes=operation.id, edits=tuple(reversal.edits))
    return Planned(targets, said, operation.folders)


def _version(records: Mapping[str, FileRecord], path: str, origin: str | None) -> Version | None:
    """The version of the file at a path that was earlier at `origin`; None there is one that the operation made."""
    record = records.get(path if origin is None else origin)
    return None if record is None else record.after if origin is None else record.before
