"""Moves the hooks' events from the spool into the journal, under the journal's lock.

Owns the order that records nothing twice: the names of the events are written down first, then their changes go into
the journal in one write, then the trail names the events as taken, and only then they are removed. If this is stopped
in between, the next start goes on with the same events, and leaves out the operations that the journal has by then.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dovetail.model.errors import JournalError
from dovetail.spool.processes import has_ended
from dovetail.spool.spool import Spool
from dovetail.spool.tree import Looker
from dovetail.workspace.journal.attribution import Trail, attribute
from dovetail.workspace.operation import Label, Operation, Origin, OutsideChange, Version

_BATCH = "batch"
_TRAIL = "trail"


def waiting(root: Path) -> Spool | None:
    """Return the spool of a root; None if it has no events, open calls or interrupted batch."""
    spool = Spool.find(str(root))
    busy = spool is not None and (spool.names("events") or spool.names("open") or spool.read(_BATCH) is not None)
    return spool if busy else None


def origin_of_open_calls(root: Path) -> Origin | None:
    """Return the origin of a write at this moment: the open calls that may write any file; None if there are none."""
    spool = Spool.find(str(root))
    calls = {name: call for name, call in (spool.open_calls() if spool is not None else {}).items() if call["tree"]}
    if spool is None or not calls:
        return None
    trail = Trail.of(spool.read_json(_TRAIL))
    known = {name: {**call, "request": trail.calls.get(name, call)["request"]} for name, call in calls.items()}
    return trail.origin(sorted(known), known)


def look_again(spool: Spool) -> None:
    """Add an event with the files as they are now, so that changes up to now are attributed to the open calls.

    Closes the calls whose agent has died. Does nothing if no call is open.
    """
    calls = spool.open_calls()
    if not calls:
        return
    looker, first = Looker(spool), next(iter(calls.values()))
    base = next((call["base"] for call in calls.values() if call["base"]), "")
    whole = bool(base) and looker.use(base)
    named = list(dict.fromkeys(path for call in calls.values() for path in call["paths"]))
    who = {"agent": first["agent"], "session": first["session"], "thread": first["thread"], "request": ""}
    ended = [name for name, call in calls.items() if has_ended(call["process"], call["since"])]
    seen = looker.look(named, whole=whole)
    spool.add_event({**who, **seen, "time": int(time.time()), "opens": None, "closes": ended})
    for name in ended:
        spool.close_call(name)


class Batch:
    """Some events of a spool on their way into the journal. To be made and used under the journal's lock."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self.trail = Trail.of(spool.read_json(_TRAIL))
        names = [name for name in spool.names("events") if name not in set(self.trail.taken)]
        # An interrupted batch is taken again with the same events, without those that came since: the keys of its
        # changes, by which the journal knows what it has already, depend on them. If the trail names all of them as
        # taken, the batch was finished but for its removal.
        begun = spool.read_json(_BATCH)
        if isinstance(begun, list) and not set(begun) <= set(self.trail.taken):
            names = [name for name in names if name in set(begun)]
        else:
            spool.write_json(_BATCH, names)
        self._names = names
        read = {name: spool.read_json(f"events/{name}") for name in names}
        self._events = {name: event for name, event in read.items() if isinstance(event, dict)}
        self._changes = attribute(self.trail, self._events)

    def changes(self, operations: Mapping[str, Operation]) -> list[OutsideChange]:
        """Return the changes to record, without those in `operations`, the journal's so far."""
        # Times are whole seconds, so an operation of the second before may belong to these events, too.
        first = min((event["time"] for event in self._events.values()), default=0)
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(first - 1))
        known = {op.key for op in operations.values() if op.label is Label.RECORDED}
        # An agent that runs `dovetail apply` changes files within its own call: those changes are applies already.
        ours = [
            op for op in operations.values()
            if op.label is not Label.RECORDED and op.id > self.trail.last_id and op.time >= since
        ]  # fmt: skip
        found = [(_short(key), change) for key, change in self._changes]
        left = [_without(replace(change, key=key), ours) for key, change in found if key not in known]
        return [self._kept(change) for change in left if change.files or change.not_covered]

    @property
    def size(self) -> int:
        """The number of changes that the events show, including any that the journal has already."""
        return len(self._changes)

    def fetch(self, digest: str) -> bytes:
        """Return the bytes of a version by its sha-256. Raises `JournalError` if the spool lost them."""
        data = self._spool.bytes_of(digest)
        if data is None:
            raise JournalError(f"What was seen of a file is gone: {digest[:12]}.")
        return data

    def finish(self, last_id: str) -> None:
        """Remove the events, once the journal has them, and all bytes that no open call needs.

        last_id: the journal's newest operation.
        """
        self.trail.last_id = max(last_id, self.trail.last_id)
        self.trail.taken = list(self._names)
        spool = self._spool
        spool.write_json(_TRAIL, self.trail.record)
        for name in self._names:
            spool.discard(f"events/{name}")
        spool.discard(_BATCH)
        if not spool.names("events"):
            _forget(spool, self.trail)
            spool.forget_others()

    def _kept(self, change: OutsideChange) -> OutsideChange:
        """Return the change with those files named as not covered of which the spool lost a version."""
        lost = [
            path for path, sides in change.files.items()
            if not all(side is None or self._spool.bytes_of(side.digest) is not None for side in sides)
        ]  # fmt: skip
        files = {path: sides for path, sides in change.files.items() if path not in lost}
        return replace(change, files=files, not_covered=tuple(sorted({*change.not_covered, *lost})))


def _short(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def _without(change: OutsideChange, ours: Sequence[Operation]) -> OutsideChange:
    """Return a change without what Dovetail's operations `ours` wrote meanwhile."""
    files: dict[str, tuple[Version | None, Version | None]] = {}
    for path, (before, after) in change.files.items():
        at, written = before, False
        for record in (
            record for operation in ours for record in operation.files if path in (record.path, record.real)
        ):
            if (record.before and record.before.digest) == (at and at.digest):
                at, written = record.after, True
        if not written:
            files[path] = (before, after)
        elif (at and at.digest) != (after and after.digest):
            files[path] = (at, after)
    return replace(change, files=files)


def _forget(spool: Spool, trail: Trail) -> None:
    """Remove bases, copies of git's index and bytes that no open call, the newest base or the trail needs."""
    calls = spool.open_calls().values()
    latest = (spool.read("latest") or b"").decode()
    bases = {name: spool.read_json(f"bases/{name}") for name in {latest, *(call["base"] for call in calls)} if name}
    indexes = {base["index"] for base in bases.values() if isinstance(base, dict)}
    sides = [side for base in bases.values() if isinstance(base, dict) for side in base["files"].values()]
    sides += [*trail.known.values(), *(side for base in trail.bases.values() for side in base.values())]
    _discard(spool, "bases", lambda name: name in bases)
    for name in spool.names("."):
        kind, _, index = name.partition("-")
        if kind in ("index", "odd") and index not in indexes and spool.age(name) > _MOMENT:
            spool.discard(name)
    if not calls:
        shutil.rmtree(os.path.join(spool.path, "store"), ignore_errors=True)  # noqa: PTH118
    digests = {side[0] for side in sides if side is not None}
    _discard(spool, "objects", lambda name: name in digests)


_MOMENT = 60.0  # seconds for which new files are kept: an event that names them may not be written yet


def _discard(spool: Spool, folder: str, keeps: Callable[[str], bool]) -> None:
    for name in spool.names(folder):
        if not keeps(name) and spool.age(f"{folder}/{name}") > _MOMENT:
            spool.discard(f"{folder}/{name}")
