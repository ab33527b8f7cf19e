"""The journal's record of one operation: its files with both versions, its origin, and what a recovery did about it.

Values only. A version names bytes by their sha-256; the journal has the bytes. An id is the time to the second, with a
counter if there are several in a second, so that ids sort in the order they were made.
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
"""Returns the bytes of a version by its digest. Raises `JournalError` if they are gone or damaged."""


def digest_of(data: bytes) -> str:
    """Return the sha-256 of bytes, hex, by which the journal names them."""
    return hashlib.sha256(data).hexdigest()


class Label(StrEnum):
    """What an operation did."""

    APPLY = "apply"
    UNDO = "undo"
    REDO = "redo"
    RECORDED = "recorded"

    @property
    def is_first(self) -> bool:
        """Return whether this is a change of its own, neither an undo nor a redo."""
        return self in (Label.APPLY, Label.RECORDED)


class OperationState(StrEnum):
    """DONE: the operation's effect is in place. UNDONE: a later operation took it back."""

    DONE = "done"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True)
class Version:
    """One side of a file: sha-256 of its bytes, hex, and its permission bits (None until it was written).

    owner: user and group numbers; None if they were not read. attributes: extended ones. A new version of a file has
    neither; both are taken from the old file when it is written.
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
        """The digests before and after; None for no file."""
        before, after = self.before, self.after
        return before.digest if before is not None else None, after.digest if after is not None else None

    @property
    def modes(self) -> tuple[int | None, int | None]:
        """The permission bits before and after; None for no file, or if they are not known."""
        before, after = self.before, self.after
        return before.mode if before is not None else None, after.mode if after is not None else None


_EMPTY = digest_of(b"")


def renames_of(files: Sequence[FileRecord]) -> dict[str, str]:
    """Return the files that an operation renamed: new path → old path.

    A plan and the journal keep a rename as two changes; people are shown one. It stays two if the file replaced another
    one, or its old path is in use again. Recorded changes name no sources: one removed and one new file with the same
    bytes are a rename.
    """
    gone = {file.path: file.digests[0] for file in files if file.after is None}
    new = {file.path: file for file in files if file.before is None and file.after is not None}
    renames = {path: file.source for path, file in new.items() if file.source is not None and file.source in gone}
    # Equal bytes show a rename only if exactly one removed and one new file have them: of two equal removed files,
    # nobody knows which one became the new one. Empty files are equal by chance (`__init__.py`).
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
    prompt: the number of the request in the session, from 1; None if it is not known. words: how the request begins.
    tool: the tool or tools; None if the call is not known.
    calls: the ids of the tool calls; several if they ran at once, none if the call is not known.
    """

    agent: str
    session: str
    prompt: int | None = None
    words: str = ""
    tool: str | None = None
    calls: tuple[str, ...] = ()

    @property
    def call(self) -> str | list[str] | None:
        """The id of the call; a list if there are several, None if it is not known."""
        return list(self.calls) if len(self.calls) > 1 else next(iter(self.calls), None)


_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def _local(stamp: str) -> str:
    """Return a time as ``3 May 14:05`` in the local zone; text that is no time, as in a damaged log, unchanged."""
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

    id: sorts by time; UTC, ``YYYYMMDD-HHMMSS``, and ``-NNN`` for the second one of a second and later ones.
    time: UTC, ISO 8601 with seconds.
    files: in the order of their paths.
    reply, results: digests under which the journal keeps them; `Workspace.show` gives both.
    terms: how the reply was read and planned, as JSON that the caller gave; None where it gave none.
    undoes: the operation whose effect this one takes back (for a redo: the undo).
    also: further operations that it takes back in the same step, newest first; all older than `undoes`.
    edits: numbers of the edits taken back, where an undo took back only some.
    folders: folders that it made, outermost first.
    left: files that a recovery found edited since and left alone.
    lost: how many operations between this one and the next cannot be read.
    origin: the agent and call that made the change; None if no agent did, as far as is known.
    not_covered: paths that changed with it and whose bytes are not kept.
    only: the patterns of paths that an undo was confined to; empty if it took back whole operations.
    key: of a recorded change, names the events that it was made from, so that it is recorded once; else "".
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
        """A name for messages: ``the edits of 3 May 14:05``, ``request 2 of claude (3 May 14:05)``."""
        when = _local(self.time)
        if self.origin is not None:
            made = f"request {self.origin.prompt}" if self.origin.prompt is not None else "a change"
            return f"{made} of {self.origin.agent} ({when})"
        what = {Label.APPLY: "edits", Label.RECORDED: "change"}.get(self.label, str(self.label))
        return f"the {what} of {when}"

    @property
    def is_partial(self) -> bool:
        """Return whether this took back, or brought again, only a part of the operations in `reverses`."""
        return bool(self.edits or self.only)

    @property
    def reverses(self) -> tuple[str, ...]:
        """The ids of the operations that this takes back, wholly or in part."""
        return () if self.undoes is None else (self.undoes, *self.also)

    @property
    def digests(self) -> set[str]:
        """The digests of all bytes that the journal must keep for this operation."""
        sides = {side.digest for record in self.files for side in (record.before, record.after) if side is not None}
        return sides | ({self.reply, self.results} - {""})

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it changed."""
        return tuple(record.path for record in self.files)

    @property
    def yielding(self) -> frozenset[str]:
        """The paths of the files that this makes or removes, links resolved.

        At these a file may give way to a folder, and a folder that holds no other file to a file.
        """
        return frozenset(record.real for record in self.files if None in (record.before, record.after))

    def with_modes(self, modes: Mapping[str, int]) -> Operation:
        """Return the operation with new permission bits of its files' later versions, by path; others keep theirs."""
        files = (
            replace(record, after=replace(record.after, mode=mode))
            if record.after is not None and (mode := modes.get(record.path)) not in (None, record.after.mode)
            else record
            for record in self.files
        )
        return replace(self, files=tuple(files))


@dataclass(frozen=True, slots=True)
class FileVersions:
    """Both versions of one file as bytes and as text; None for no file, the texts also if the bytes are no text."""

    before: bytes | None
    after: bytes | None
    before_text: str | None
    after_text: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    """An operation with its reply, its results as JSON, and the versions of its files by path."""

    operation: Operation
    reply: str
    results: tuple[Mapping[str, Any], ...]
    versions: Mapping[str, FileVersions] = field(default_factory=dict)


def folders_of(operations: Iterable[Operation]) -> tuple[str, ...]:
    """Return the folders that operations made, each once."""
    return tuple(dict.fromkeys(folder for operation in operations for folder in operation.folders))


class Outcome(StrEnum):
    """What became of an interrupted operation."""

    COMPLETED = "completed"
    ROLLED_BACK = "rolled back"
    REFUSED = "left as it is"


@dataclass(frozen=True, slots=True)
class Recovery:
    """What was done about an interrupted operation.

    files: the paths that were written to complete it or take it back.
    left: files edited since the interruption, which were not touched.
    why: if nothing was done, the reason, and what to do next; else "".
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
    """The paths that were staged or committed, the commit's id (None if only staged), and why others were refused."""

    paths: tuple[str, ...]
    commit: str | None = None
    refused: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many operations, and bytes on the disk, pruning removed."""

    operations: int
    bytes: int


_STAMP = "%Y%m%d-%H%M%S"
_STAMP_LENGTH = 15
_MOST_IN_A_SECOND = 999


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an operation comes from: a reply with results and terms, or what it takes back, as in `Operation`."""

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
    """Make an operation without files, with an id after `last_id`; return it, and its reply and results by digest."""
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
    """A change of some files by somebody else. files: by path, the versions before and after; None for no file.

    time: when it was seen, UTC, ISO 8601 with seconds. not_covered: other changed paths, whose bytes are not kept.
    key: as in `Operation`.
    """

    origin: Origin
    time: str
    files: Mapping[str, tuple[Version | None, Version | None]]
    not_covered: tuple[str, ...] = ()
    key: str = ""


def to_recorded(change: OutsideChange, reals: Mapping[str, str], last_id: str) -> Operation:
    """Make the operation of an outside change, whose id follows `last_id`. reals: its paths with links resolved."""
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
    """Return an id for the second `stamp` that sorts after `last` (``""`` for none), even if the clock was set back."""
    newest = last[:_STAMP_LENGTH]
    # `20260101-120000` < `20260101-120000-002` < `20260101-120001`: the first of a second has no counter.
    if stamp > newest:
        return stamp
    count = int(last[_STAMP_LENGTH + 1 :] or 1) + 1
    if count <= _MOST_IN_A_SECOND:
        return f"{newest}-{count:03d}"
    day, _, clock = newest.partition("-")
    return f"{day}-{int(clock) + 1:06d}"  # may be no valid time (…60), but sorts right


def reply_bytes(text: str) -> bytes:
    """Return a reply as the journal keeps it: UTF-8, with lone surrogates, which JSON can bring, encoded too."""
    return text.encode("utf-8", "surrogatepass")
