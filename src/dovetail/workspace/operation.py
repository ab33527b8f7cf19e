"""What the journal keeps of one operation: its files with both versions, where it comes from, and what a recovery did.

Values only. A version names bytes by their sha-256; the bytes themselves are the journal's. An id is the time to the
second, and a counter for those of one second, so that ids sort as they were made.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

Fetch = Callable[[str], bytes]
"""Gives the bytes of a version by their digest. Raises `JournalError` where they are gone or damaged."""


def digest_of(data: bytes) -> str:
    """Identity of bytes: sha-256, hex."""
    return hashlib.sha256(data).hexdigest()


class Label(StrEnum):
    """What an operation did."""

    APPLY = "apply"
    UNDO = "undo"
    REDO = "redo"
    RECORDED = "recorded"

    @property
    def is_first(self) -> bool:
        """Return whether it is a change of its own, and not one that takes back another."""
        return self in (Label.APPLY, Label.RECORDED)


class OperationState(StrEnum):
    """DONE: the operation's effect is in place. UNDONE: a later operation took it back."""

    DONE = "done"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Version:
    """One side of a file: sha-256 of its bytes, hex, and its permission bits (None until it was written).

    owner, attributes: user and group, and the extended attributes, where they were looked at; what an operation writes
    takes them from the file before it.
    """

    digest: str
    mode: int | None = None
    owner: tuple[int, int] | None = None
    attributes: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file of an operation. None stands for a file that does not exist.

    real: the path with links resolved, where the bytes are.
    source: the path that it was renamed from; that path has a record of its own.
    in_place: it was overwritten rather than replaced (hard links, a folder that takes no new names).
    """

    path: str
    before: Version | None
    after: Version | None
    real: str = ""
    source: str | None = None
    in_place: bool = False

    @property
    def digests(self) -> tuple[str | None, str | None]:
        """Of its bytes before and after."""
        before, after = self.before, self.after
        return before.digest if before is not None else None, after.digest if after is not None else None

    @property
    def modes(self) -> tuple[int | None, int | None]:
        """Its permission bits before and after."""
        before, after = self.before, self.after
        return before.mode if before is not None else None, after.mode if after is not None else None


_EMPTY = digest_of(b"")


def renames_of(files: Sequence[FileRecord]) -> dict[str, str]:
    """The files that an operation renamed: new path → old path.

    A plan and the journal keep a rename as two changes; people are shown one. A file that took the place of another, or
    whose old name something else has by then, stays two. Of what somebody else did only the bytes are known: it is a
    rename where one file is gone and one is new that have the same.
    """
    gone = {file.path: file.digests[0] for file in files if file.after is None}
    new = {file.path: file for file in files if file.before is None and file.after is not None}
    renames = {path: file.source for path, file in new.items() if file.source is not None and file.source in gone}
    # By bytes alone a rename is told only where one gone and one new file have them: of two equal files that are
    # gone, nobody knows which one the new name is. Empty files are equal by chance (`__init__.py`).
    left, right = Counter(gone.values()), Counter(file.digests[1] for file in new.values())
    alone = {digest: path for path, digest in gone.items() if left[digest] == right[digest] == 1}
    found = {path: alone.get(file.digests[1]) for path, file in new.items() if file.source is None}
    return renames | {
        path: source
        for path, source in found.items()
        if source is not None and source not in renames.values() and gone[source] != _EMPTY
    }


@dataclass(frozen=True, slots=True)
class Origin:
    """Who made a change, and at whose request.

    agent, session: the agent's short name, and its id of the session.
    prompt: which request of the session it was, from 1; None where that could not be told. words: how that began.
    tool: the tool or tools; None where the call could not be told.
    calls: the ids of the tool calls; several where they ran at once, none where the call could not be told.
    """

    agent: str
    session: str
    prompt: int | None = None
    words: str = ""
    tool: str | None = None
    calls: tuple[str, ...] = ()

    @property
    def call(self) -> str | list[str] | None:
        """The id of the call; a list of several, None where it could not be told."""
        return list(self.calls) if len(self.calls) > 1 else next(iter(self.calls), None)


_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def _local(stamp: str) -> str:
    """``3 May 14:05``, as the clocks here show it; what is no time, as a damaged log may have it, as it is."""
    # Only a refusal tells a time, and every start would pay for it.
    from datetime import datetime

    try:
        at = datetime.fromisoformat(stamp).astimezone()
    except (ValueError, OverflowError, OSError):
        return stamp
    return f"{at.day} {_MONTHS[at.month - 1]} {at:%H:%M}"


@dataclass(frozen=True, slots=True)
class Operation:
    """One entry of the journal.

    id: sorts by time; UTC, ``YYYYMMDD-HHMMSS`` and a counter for those of one second.
    time: UTC, ISO 8601 with seconds.
    files: in the order of their paths.
    reply, results: digests under which the journal keeps them; `Workspace.show` gives both.
    terms: how the reply was read and planned, as JSON that the caller gave; None where it gave none.
    undoes: the operation whose effect this one takes back (for a redo: the undo).
    also: further operations that it takes back in the same step, newest first; all older than `undoes`.
    edits: numbers of the edits taken back, where an undo took back only some.
    folders: folders that it made, outermost first.
    left: files that a recovery found edited since and left alone.
    lost: how many operations the log has behind it, before the next, that cannot be read.
    origin: the agent and call that made the change; None where no agent is known to have.
    not_covered: paths that changed with it and whose bytes are not kept.
    only: the patterns of paths that an undo was confined to; none where it took back whole operations.
    key: what a recorded change was made of, by which it is known again; "" for none.
    """

    id: str
    time: str
    label: Label
    files: tuple[FileRecord, ...]
    reply: str = ""
    results: str = ""
    state: OperationState = OperationState.DONE
    undoes: str | None = None
    edits: tuple[int, ...] = ()
    folders: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    lost: int = 0
    terms: Mapping[str, Any] | None = None
    also: tuple[str, ...] = ()
    origin: Origin | None = None
    not_covered: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    key: str = ""

    @property
    def description(self) -> str:
        """What a person knows it by: ``the edits of 3 May 14:05``, ``request 2 of claude (3 May 14:05)``."""
        when = _local(self.time)
        if self.origin is not None:
            made = f"request {self.origin.prompt}" if self.origin.prompt is not None else "a change"
            return f"{made} of {self.origin.agent} ({when})"
        what = {Label.APPLY: "edits", Label.RECORDED: "change"}.get(self.label, str(self.label))
        return f"the {what} of {when}"

    @property
    def is_partial(self) -> bool:
        """Return whether it took back, or brought again, a part of what it names only."""
        return bool(self.edits or self.only)

    @property
    def reverses(self) -> tuple[str, ...]:
        """The operations whose effect it takes back, wholly or in part."""
        return () if self.undoes is None else (self.undoes, *self.also)

    @property
    def digests(self) -> set[str]:
        """Everything that it needs the journal to keep."""
        sides = {side.digest for record in self.files for side in (record.before, record.after) if side is not None}
        return sides | ({self.reply, self.results} - {""})

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it changed."""
        return tuple(record.path for record in self.files)

    @property
    def yielding(self) -> frozenset[str]:
        """The names of the files that it makes or removes, links resolved.

        There a file gives way to a folder, and a folder that holds no other file to a file.
        """
        return frozenset(record.real for record in self.files if None in (record.before, record.after))

    def with_modes(self, modes: Mapping[str, int]) -> Operation:
        """The same with the permission bits that its files were given, by path; others keep theirs."""
        files = (
            replace(record, after=replace(record.after, mode=mode))
            if record.after is not None and (mode := modes.get(record.path)) not in (None, record.after.mode)
            else record
            for record in self.files
        )
        return replace(self, files=tuple(files))


@dataclass(frozen=True, slots=True)
class FileVersions:
    """Both versions of one file: bytes, and text where they are text; None where the file did not exist."""

    before: bytes | None
    after: bytes | None
    before_text: str | None
    after_text: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    """An operation with all that the journal keeps of it."""

    operation: Operation
    reply: str
    results: tuple[Mapping[str, Any], ...]
    versions: Mapping[str, FileVersions] = field(default_factory=dict)


def folders_of(operations: Iterable[Operation]) -> tuple[str, ...]:
    """The folders that operations made, each once."""
    return tuple(dict.fromkeys(folder for operation in operations for folder in operation.folders))


class Outcome(StrEnum):
    """What became of an interrupted operation."""

    COMPLETED = "completed"
    ROLLED_BACK = "rolled back"
    REFUSED = "left as it is"


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was done about an operation that was interrupted.

    files: the paths that were written to make it whole.
    left: files edited since the interruption, which were not touched.
    why: where nothing was done about it, the reason, and the next act.
    """

    id: str
    label: Label
    outcome: Outcome
    files: tuple[str, ...]
    left: tuple[str, ...] = ()
    why: str = ""

    @property
    def message(self) -> str:
        """Some sentences for a person."""
        sentences = [f"An interrupted {self.label} ({self.id}) was {self.outcome}."]
        sentences += [self.why] if self.why else []
        sentences += [f"Edited since, and left alone: {', '.join(self.left)}."] if self.left else []
        return " ".join(sentences)


@dataclass(frozen=True, slots=True)
class Staged:
    """What git took: paths, the commit's id where one was made, and per refused path the sentence that says why."""

    paths: tuple[str, ...]
    commit: str | None = None
    refused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pruned:
    """What pruning removed: operations, and bytes on disk."""

    operations: int
    bytes: int


_STAMP = "%Y%m%d-%H%M%S"
_STAMP_LENGTH = 15
_MOST_IN_A_SECOND = 999


@dataclass(frozen=True, slots=True)
class Provenance:
    """What led to an operation: the reply, its results and terms, or the operation and edits that it takes back."""

    label: Label
    reply: str = ""
    results: Sequence[Mapping[str, Any]] = ()
    undoes: str | None = None
    edits: tuple[int, ...] = ()
    terms: Mapping[str, Any] | None = None
    also: tuple[str, ...] = ()
    origin: Origin | None = None
    only: tuple[str, ...] = ()


def to_operation(provenance: Provenance, last_id: str) -> tuple[Operation, dict[str, bytes]]:
    """An operation without files, behind `last_id`, and the blobs of its reply and results by digest."""
    now = time.gmtime()
    reply = reply_bytes(provenance.reply)
    results = json.dumps(list(provenance.results), ensure_ascii=True).encode()
    extra = {digest_of(data): data for data in (reply, results)}
    operation = Operation(
        id=next_id(time.strftime(_STAMP, now), last_id),
        time=time.strftime("%Y-%m-%dT%H:%M:%SZ", now),
        label=provenance.label,
        files=(),
        reply=digest_of(reply),
        results=digest_of(results),
        undoes=provenance.undoes,
        edits=provenance.edits,
        terms=provenance.terms,
        also=provenance.also,
        origin=provenance.origin,
        only=provenance.only,
    )
    return operation, extra


@dataclass(frozen=True, slots=True)
class OutsideChange:
    """What somebody else did to some files: both versions of each, by path, None for no file.

    time: when it was seen, UTC, ISO 8601 with seconds. not_covered: paths that changed too, and are not kept.
    key: as an operation has it.
    """

    origin: Origin
    time: str
    files: Mapping[str, tuple[Version | None, Version | None]]
    not_covered: tuple[str, ...] = ()
    key: str = ""


def to_recorded(change: OutsideChange, reals: Mapping[str, str], last_id: str) -> Operation:
    """The operation of an outside change, behind `last_id`; `reals` are its paths with links resolved."""
    return Operation(
        id=next_id(time.strftime(_STAMP, time.gmtime()), last_id),
        time=change.time,
        label=Label.RECORDED,
        files=tuple(FileRecord(path, *sides, real=reals[path]) for path, sides in sorted(change.files.items())),
        origin=change.origin,
        not_covered=change.not_covered,
        key=change.key,
    )


def next_id(stamp: str, last: str) -> str:
    """An id for the second `stamp` that sorts behind `last` (``""`` for none), even where the clock was set back."""
    newest = last[:_STAMP_LENGTH]
    # `20260101-120000` < `20260101-120000-002` < `20260101-120001`: the first of a second has no counter.
    if stamp > newest:
        return stamp
    count = int(last[_STAMP_LENGTH + 1 :] or 1) + 1
    if count <= _MOST_IN_A_SECOND:
        return f"{newest}-{count:03d}"
    day, _, clock = newest.partition("-")
    return f"{day}-{int(clock) + 1:06d}"  # no time that a clock shows, perhaps (…60), but sorted all the same


def reply_bytes(text: str) -> bytes:
    """A reply as the journal keeps it; half surrogates, which JSON can bring, survive."""
    return text.encode("utf-8", "surrogatepass")
