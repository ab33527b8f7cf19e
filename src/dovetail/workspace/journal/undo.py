"""Plans operations: which operation an undo or redo takes back, and what each file becomes.

Owns the targets of one operation: the changes of a plan, a whole undo or redo, or some edits taken back. Undo and redo
are one act: every file of the operation goes from its later version to its earlier one. A file that still has the later
bytes gets the earlier bytes exactly. One that was edited since gets the difference merged into it; if that fails for
any file, nothing is written. An earlier undo of a part of the operation counts as no edit: the later bytes are those
that it left.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import NamedTuple

from dovetail.model.codes import Code
from dovetail.model.errors import ChangedError, JournalError, UsageError, WorkspaceError
from dovetail.model.results import FileChange
from dovetail.model.snapshot import Snapshot
from dovetail.model.text import IndexedText, apply_edits
from dovetail.workspace.charsets import Charsets
from dovetail.workspace.encoding import Decoded, encode
from dovetail.workspace.files import FileOnDisk, read_exactly
from dovetail.workspace.jail import Jail
from dovetail.workspace.journal.lines import LogContents
from dovetail.workspace.operation import (
    Fetch,
    FileRecord,
    Label,
    Operation,
    OperationState,
    Provenance,
    Version,
    renames_of,
)
from dovetail.workspace.prepare import Target


class Reversal(NamedTuple):
    """Some edits of an operation to take back, with the texts that the files get.

    edits: their numbers. snapshot: the files as they are now.
    texts: each file's whole new text, which is written in the file's encoding, or its bytes, or None to remove it.
    origins: by path, two paths from before the operation: that of the file that is there now, and that of the file that
    will be there, whose permission bits count. None stands for a file that the operation made. A path that is missing
    here keeps its file.
    """

    edits: Sequence[int]
    texts: Mapping[str, str | bytes | None]
    snapshot: Snapshot
    origins: Mapping[str, tuple[str | None, str | None]] = {}


class PlannedOperation(NamedTuple):
    """The targets of one operation, and where it comes from. clears: folders to remove afterwards if they are empty."""

    targets: Sequence[Target]
    provenance: Provenance
    clears: tuple[str, ...] = ()


def targets_of(changes: Sequence[FileChange], snapshot: Snapshot) -> list[Target]:
    """Return the targets of a plan's changes. Raises `UsageError` if nothing changes.

    Raises `ChangedError` if the snapshot has another text of a file than the change was planned on.
    """
    moved = {change.source for change in changes}
    targets: list[Target] = []
    for change in changes:
        path = change.path
        if change.before == change.after and change.source is None:
            continue
        known = snapshot.files.get(path)
        text = known.text if known is not None else None
        if text != change.before or (known is not None and text is None):
            raise ChangedError(f"`{path}` was planned on another text than it was read with.", hint="Plan it again.")
        digest = known.digest if known is not None else None
        targets.append(Target(path, digest, change.after, source=change.source, fresh=path in moved))
    if not targets:
        raise UsageError("There is nothing to write.", hint="Commit only a plan that changes files.")
    return targets


def find_operation(operations: Mapping[str, Operation], wanted: str) -> Operation:
    """Return the operation with this id, or the only one whose id begins or ends with it. Raises `JournalError`."""
    if wanted in operations:
        return operations[wanted]
    hits = [op for op in operations.values() if wanted and (op.id.startswith(wanted) or op.id.endswith(wanted))]
    if len(hits) == 1:
        return hits[0]
    problem = f"`{wanted}` stands for {len(hits)} operations." if hits else f"There is no operation `{wanted}`."
    raise JournalError(problem, hint="Take an id from `dovetail log`")


def to_undo(operations: Mapping[str, Operation], wanted: str | None) -> Operation:
    """Return the operation that undo takes back: the one named, else the newest apply that is not undone.

    For a redo that brought back a whole apply, that is the apply. Raises `JournalError`.
    """
    if wanted is None:
        for operation in reversed(tuple(operations.values())):
            check_newest(operation)
            if operation.label is Label.APPLY and operation.state is OperationState.DONE:
                return operation
        hint = "See `dovetail log`"
        if any(op.label is Label.RECORDED and op.state is OperationState.DONE for op in operations.values()):
            hint = "What agents changed is taken back by session or request: dovetail undo --session"
        raise JournalError("There is nothing to undo.", hint=hint)
    operation = find_operation(operations, wanted)
    if operation.label is Label.REDO and operation.state is OperationState.DONE:
        # Apply A, undo U, redo R: `undo R` means `undo A`, unless U took back a part of A, or several at once.
        undone = operations.get(operation.undoes or "")
        if undone is not None and not undone.is_partial and not undone.also:
            operation = operations.get(undone.undoes or "", operation)
    whole_undo = operation.label is Label.UNDO and not operation.is_partial
    # A partial undo stays done even when its apply is undone as a whole, and then cannot be taken back itself.
    for needed in (operation, operation if whole_undo else _apply_of(operations, operation)):
        if needed.state is OperationState.UNDONE:
            raise JournalError(f"Already taken back: {needed.description}.", hint="Run `dovetail redo`")
    return operation


def to_undo_after(operations: Mapping[str, Operation], wanted: str) -> tuple[Operation, ...]:
    """Return the applies after an operation that are not undone, oldest first. Raises `JournalError` if none is."""
    start = find_operation(operations, wanted)
    after = [operation for operation in operations.values() if operation.id >= start.id]
    for operation in after:
        check_newest(operation)
    stand = [op for op in after[1:] if op.label is Label.APPLY and op.state is OperationState.DONE]
    if not stand:
        hint = f"To take back that one itself: dovetail undo {start.id}"
        raise JournalError(f"No apply after {start.description} stands.", hint=hint)
    return tuple(stand)


class Intent(NamedTuple):
    """Selects changes of agents: each field that is set narrows them down.

    session: an id or its beginning; "" for the newest with a change that is not undone. prompt: a request's number.
    call: the id of a call, or `UNTOLD`. since: UTC, ISO 8601 with seconds. paths: patterns, of which one must fit.
    operations: ids; if empty, all operations.
    """

    session: str | None = None
    prompt: int | None = None
    call: str | None = None
    since: str | None = None
    paths: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The selection in words for a message."""
        parts = [f"call {self.call}"] if self.call is not None else []
        parts += [f"request {self.prompt}"] if self.prompt is not None else []
        if self.session is not None:
            parts.append(f"session {self.session}" if self.session else "the newest session")
        parts += [f"all since {self.since}"] if self.since is not None else []
        parts += ["these operations"] if self.operations else []
        return " of ".join(parts) + (f", in {', '.join(self.paths)}" if self.paths else "")


UNTOLD = "unknown"
"""The value of `Intent.call` for changes whose call is not known."""


def to_undo_by_intent(operations: Mapping[str, Operation], wanted: Intent) -> tuple[Operation, ...]:
    """Return the selected operations that are not undone, oldest first. Raises `JournalError` if there is none.

    With a session, request or call, only agents' changes count; otherwise applies, too.
    """
    for operation in operations.values():
        check_newest(operation)
    stand = [op for op in operations.values() if op.label.is_first and op.state is OperationState.DONE]
    if wanted.session is not None or wanted.prompt is not None or wanted.call is not None:
        stand = [op for op in stand if op.origin is not None]
    if wanted.call is not None:
        calls = () if wanted.call == UNTOLD else (wanted.call,)
        stand = [op for op in stand if op.origin is not None and set(op.origin.calls) >= set(calls)]
        stand = [op for op in stand if op.origin is not None and bool(op.origin.calls) == bool(calls)]
    if wanted.operations:
        stand = [op for op in stand if op.id in wanted.operations]
    if wanted.since is not None:
        stand = [op for op in stand if op.time >= wanted.since]
    if wanted.paths:
        stand = [op for op in stand if any(fits(path, wanted.paths) for path in op.paths)]
    if wanted.session is not None or (wanted.prompt is not None and wanted.call is None):
        sessions = list(dict.fromkeys(op.origin.session for op in stand if op.origin is not None))
        named = wanted.session or (sessions[-1] if sessions else "")
        if named not in sessions:
            known = [session for session in sessions if session.startswith(named)]
            if len(known) > 1:
                raise JournalError(f"`{named}` stands for {len(known)} sessions.", hint="See `dovetail log`")
            named = next(iter(known), named)
        stand = [op for op in stand if op.origin is not None and op.origin.session == named]
    if wanted.prompt is not None:
        stand = [op for op in stand if op.origin is not None and op.origin.prompt == wanted.prompt]
    if not stand:
        raise JournalError(f"No change of {wanted.text} stands.", hint="See `dovetail log`")
    return tuple(stand)


def fits(path: str, patterns: Sequence[str]) -> bool:
    """Return whether a path fits a pattern: equals it, is in a folder of that path, or matches its `*`, `?`, `[]`."""
    return any(
        path == pattern or path.startswith(pattern.rstrip("/") + "/") or fnmatchcase(path, pattern)
        for pattern in patterns
    )


def check_newest(operation: Operation) -> None:
    """Raise `JournalError` if operations after this one cannot be read, so that the newest is not known."""
    if operation.lost:
        raise JournalError(
            f"What was done after {operation.description} cannot be read in the journal, so the newest is not known.",
            hint="See `dovetail log`, look at the files, and name the one that is meant: undo ID, show ID",
            code="journal-damaged",
        )


def _apply_of(operations: Mapping[str, Operation], operation: Operation) -> Operation:
    """Return the apply or recorded change that a chain of undos and redos began with, as far as it is known."""
    while not operation.label.is_first and (undone := operations.get(operation.undoes or "")) is not None:
        # Ids sort by time, so this ends even where a log names itself in a circle.
        if undone.id >= operation.id:  # only a damaged log names what came later
            break
        operation = undone
    return operation


def to_redo(operations: Mapping[str, Operation]) -> Operation:
    """Return the undo that redo takes back: the newest that is done. Raises `JournalError` if there is none.

    An undo before an apply does not count, nor one before a recorded change of the same files.
    """
    recorded: set[str] = set()
    for operation in reversed(tuple(operations.values())):
        check_newest(operation)
        if operation.label is Label.APPLY:
            break
        # Newest first: what was recorded since the undo that is looked at.
        if operation.label is Label.RECORDED and operation.state is OperationState.DONE:
            recorded.update(operation.paths)
        undone = operation.label is Label.UNDO and operation.state is OperationState.DONE
        if undone and recorded.isdisjoint(operation.paths):
            return operation
    raise JournalError("There is nothing to redo.", hint="A new apply drops what was undone; see `dovetail log`")


_Step = tuple[str | None, str | None]
"""Digests of a file before and after an operation; None for no file."""


class Conflict(NamedTuple):
    """Why a file cannot be taken back: somebody changed it since the operation with the id `since`.

    gone: the file was removed. made_by: that operation's description for people.
    line: the first line that both changed, from 1; None if the file is gone, was made, or is no text.
    barred: a sentence if a folder or a link out of the root is at its path by now; else "".
    """

    path: str
    since: str
    gone: bool = False
    line: int | None = None
    barred: str = ""
    made_by: str = ""

    @property
    def text(self) -> str:
        """A phrase for a message: the file, and what became of it."""
        if self.barred:
            return self.barred.rstrip(".")
        where = f", at line {self.line} too" if self.line is not None else ""
        return f"`{self.path}` {'is gone' if self.gone else 'was edited'} since {self.made_by}{where}"


class ConflictError(JournalError):
    """Files that operations wrote cannot be taken back; nothing was changed."""

    def __init__(self, conflicts: Sequence[Conflict], hint: str) -> None:
        told = [conflict.text for conflict in conflicts[:_MOST_CONFLICTS]]
        more = len(conflicts) - len(told)
        super().__init__("; ".join([*told, *([f"and {more} more"] if more else []), "nothing was changed."]), hint=hint)
        self.conflicts = tuple(conflicts)


_MOST_CONFLICTS = 10  # that one message names


class UndoTargets(NamedTuple):
    """What files become without some operations.

    conflicts: the files that cannot be taken back, which have no target.
    paths: all files of the operations without a conflict, including those without a target, as they are as before.
    """

    targets: tuple[Target, ...]
    paths: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


def targets_of_undo(
    jail: Jail,
    charsets: Charsets,
    operations: Mapping[str, Operation],
    taken: Sequence[Operation],
    fetch: Fetch,
    only: Sequence[str] = (),
) -> UndoTargets:
    """Return what every file of some operations becomes without them.

    operations: all of the log; taken: those to take back; each oldest first. only: patterns of the paths to take back,
    or () for all. A file that is as before already has no target. One that was edited since in a way that cannot be
    merged is a conflict.
    """
    # By path, the steps of the taken operations, and of the undos and redos of them or of parts of them.
    # If each step begins with the digest that the last one ended with, nobody else wrote in between.
    steps: dict[str, list[_Step]] = {}
    records: dict[str, tuple[Operation, FileRecord]] = {}
    by_id = {operation.id: operation for operation in taken}
    related: dict[str, tuple[Operation, ...]] = {
        name: (operation,) for name, operation in by_id.items()
    }  # by operation, the taken ones that it is, takes back or brings again
    joint: set[str] = set()  # undos and redos that are about operations that are not taken, too
    for operation in operations.values():
        is_taken = operation.id in by_id
        about = {op.id: op for name in operation.reverses for op in related.get(name, ())}
        if not is_taken and not about:
            continue
        if not is_taken:
            related[operation.id] = tuple(about[name] for name in sorted(about))
            if any(name not in related or name in joint for name in operation.reverses):
                joint.add(operation.id)
        for record in operation.files:
            if is_taken:
                # The newest taken operation of the file, with the version that the oldest one found: undo goes back
                # to that.
                first = records[record.path][1] if record.path in records else record
                records[record.path] = operation, replace(record, before=first.before)
            elif record.path not in records or record.path in operation.left:
                continue
            step = record.digests
            # An undo of A and B, of which only A is taken: its digests hold what B did, too, so A's part is counted
            # alone.
            if operation.id in joint:
                step = _part_of_reversal(operation, related[operation.id], record.path)
            steps.setdefault(record.path, []).append(step)
    renamed = renamed_back(taken)
    yielding = frozenset[str]().union(*(operation.yielding for operation in taken))
    targets: dict[str, Target | None] = {}
    conflicts: dict[str, Conflict] = {}
    for path, (operation, record) in records.items():
        if only and not fits(path, only):
            continue
        try:
            with jail.locate(path, yielding) as place:
                found = read_exactly(place, path)
            targets[path] = _target_of_undo(operation, record, found, steps[path], renamed.get(path), fetch, charsets)
        except ConflictError as error:
            conflicts[path] = error.conflicts[0]
        except WorkspaceError as error:
            if error.code not in (Code.OUTSIDE_ROOT, Code.FILE_EXISTS):
                raise
            # A folder, or a link that leads out of the root, has that name by now.
            conflicts[path] = Conflict(path, operation.id, barred=error.message, made_by=operation.description)
    # A file that was renamed `old` → `new` and edited since as `new`: the edit goes along to `old` where it merges.
    moved = renamed_back(taken, told=True)
    for old, new in moved.items():
        if new in conflicts and targets.get(old) is not None:
            carried = _carried_back(records, old, new, steps, targets[old], fetch, jail, charsets)
            if carried is not None:
                del conflicts[new]
                targets[old], targets[new] = carried
    for old, new in moved.items():  # otherwise a conflict of one name of a renamed file is one of the other name, too
        for one, other in ((old, new), (new, old)):
            if one in conflicts and targets.pop(other, None) is not None:
                conflicts[other] = conflicts[one]._replace(path=other)
    done = tuple(target for target in targets.values() if target is not None)
    return UndoTargets(done, tuple(targets), tuple(conflicts.values()))


def _part_of_reversal(reversal: Operation, part: Sequence[Operation], path: str) -> _Step:
    """Return the step of an undo or redo of several operations at a file, of some of them alone.

    part: those, oldest first.
    """
    known = [record.digests for operation in part for record in operation.files if record.path == path]
    if not known:
        return None, None
    before, after = known[0][0], known[-1][1]
    return (after, before) if reversal.label is Label.UNDO else (before, after)


def _target_of_undo(
    operation: Operation,
    record: FileRecord,
    found: FileOnDisk | None,
    steps: Sequence[_Step],
    source: str | None,
    fetch: Fetch,
    charsets: Charsets,
) -> Target | None:
    now = found.digest if found is not None else None
    mode_changed = found is not None and record.after is not None and found.mode != record.after.mode
    version = None if mode_changed else record.before  # mode bits that the user has changed since stay
    # `early` is the file before all steps, `late` after the last one: what is still `late` becomes exactly `early`,
    # and anything else has the difference between the two merged in.
    early, late = steps[0][0], steps[-1][1]
    nobody_else_wrote = all(step[0] == before[1] for before, step in pairwise(steps))
    # This comes first, as the file's present text may hide what somebody else wrote: an agent edits (A → B), the user
    # edits (B → C), the agent runs `git checkout` (C → A). The file is as before the agent, without the user's edit.
    if not nobody_else_wrote:
        with suppress(ConflictError):
            texts = _taken_one_by_one(operation, record.path, found, steps, fetch, charsets)
            if texts is not None and texts.now == texts.back:
                return None
            if texts is not None:
                wanted = _as_it_was(texts.back, early, record.path, found, fetch, charsets)
                return Target(record.path, now, wanted, version if found is None else None)
    # With equal bytes before and after (the operation changed the mode alone) the mode tells whether it is back.
    if now == early and (now != late or found is None or version is None or version.mode == found.mode):
        return None
    if now == late and nobody_else_wrote:
        return Target(record.path, now, fetch(early) if early is not None else None, version, source)
    if found is None or early is None:
        raise edited_since(operation, record.path, gone=found is None)
    base = _text_left(operation, record.path, steps, fetch, charsets)
    match charsets.decode(found.data, record.path), charsets.decode(fetch(early), record.path):
        case Decoded(ours), Decoded(theirs):
            text = merge_change(operation, record.path, base=base, ours=ours, theirs=theirs)
            return None if text == ours else Target(record.path, now, text)
        case _:
            raise edited_since(operation, record.path)


class _Texts(NamedTuple):
    """A file's text as it is now, and after the undo; None for no file."""

    now: str | None
    back: str | None


def _taken_one_by_one(
    operation: Operation,
    path: str,
    found: FileOnDisk | None,
    steps: Sequence[_Step],
    fetch: Fetch,
    charsets: Charsets,
) -> _Texts | None:
    """Return a file without some steps between which somebody else wrote: each is taken back, the newest first.

    So the other's lines come back even if a later step, for example `git reset --hard`, removed them. None for a file
    that is no text. Raises `ConflictError` if a step cannot be taken back, or the other's lines would go with the file.
    """

    def text(data: bytes | None) -> str | None:
        match None if data is None else charsets.decode(data, path):
            case None:
                return None
            case Decoded(text):
                return text
            case _:
                raise UnicodeError

    try:
        now = back = text(found.data if found is not None else None)
        # Joined steps are taken back as one: an agent that removes a file and makes it anew leaves two steps through no
        # file at all, and nothing that the user wrote since could be merged into that.
        for old, new in reversed(_between_others(steps)):
            theirs, base = (text(fetch(side)) if side is not None else None for side in (old, new))
            back = merge_change(operation, path, base=base, ours=back, theirs=theirs)
    except UnicodeError:
        return None
    return _Texts(now, back)


def _between_others(steps: Sequence[_Step]) -> list[_Step]:
    """Join neighbouring steps between which nobody else wrote."""
    joined: list[_Step] = []
    for old, new in steps:
        if joined and joined[-1][1] == old:
            joined[-1] = joined[-1][0], new
        else:
            joined.append((old, new))
    return joined


def _as_it_was(
    text: str | None, early: str | None, path: str, found: FileOnDisk | None, fetch: Fetch, charsets: Charsets
) -> bytes | str | None:
    """Return the earlier bytes if they decode to `text`; else `text`, in the earlier encoding if the file is gone."""
    if text is None or early is None:
        return text
    data = fetch(early)
    match charsets.decode(data, path):
        case Decoded(was, _) if was == text:
            return data  # its own bytes, whatever encoding the file has had since
        case Decoded(_, encoding) if found is None:
            return encode(text, encoding, path)
        case _:
            return text


def _carried_back(
    records: Mapping[str, tuple[Operation, FileRecord]],
    old: str,
    new: str,
    steps: Mapping[str, Sequence[_Step]],
    target: Target | None,
    fetch: Fetch,
    jail: Jail,
    charsets: Charsets,
) -> tuple[Target, Target] | None:
    """Return the targets of both names of a file that was renamed, and then edited by somebody else under the new one.

    target: brings back the old name, which gets the edit. None if the edit cannot be merged.
    """
    operation, record = records[new]
    if (
        # The old name must be free, and the new one made by the rename: else there are two files, each with its own
        # past.
        target is None
        or target.expected is not None
        or not isinstance(target.wanted, bytes)
        or record.before is not None
    ):
        return None
    with jail.locate(new, operation.yielding) as place:
        found = read_exactly(place, new)
    if found is None or steps[new][0][1] is None:
        return None
    first, *later = steps[new]
    try:
        texts = _taken_one_by_one(operation, new, found, later, fetch, charsets)
        match charsets.decode(fetch(first[1] or ""), new), charsets.decode(target.wanted, old):
            case (Decoded(base), Decoded(theirs)) if texts is not None:
                text = merge_change(operation, new, base=base, ours=texts.back, theirs=theirs)
            case _:
                return None
    except ConflictError:
        return None
    return replace(target, wanted=text, source=new), Target(new, found.digest, None)


def _text_left(operation: Operation, path: str, steps: Sequence[_Step], fetch: Fetch, charsets: Charsets) -> str | None:
    """Return the text that an operation and its later undos and redos left, without what others wrote in between."""

    def text(digest: str | None) -> str | None:
        if digest is None:
            return None
        match charsets.decode(fetch(digest), path):
            case Decoded(text):
                return text
            case _:
                raise edited_since(operation, path)

    left = text(steps[0][1])
    for before, after in steps[1:]:
        left = merge_change(operation, path, base=text(before), ours=left, theirs=text(after))
    return left


def renamed_back(operations: Iterable[Operation], *, told: bool = False) -> dict[str, str]:
    """Map the old path of each renamed file to its newest path; `operations` are oldest first.

    told: include renames that only equal bytes show (`renames_of`).
    """
    renamed: dict[str, str] = {}
    for operation in operations:
        moves = {record.source: record.path for record in reversed(operation.files) if record.source is not None}
        moves |= {old: new for new, old in renames_of(operation.files).items()} if told else {}
        # a → b, then b → c: `a` leads to `c`. The chained paths count over both single ones.
        onward = {old: moves[new] for old, new in renamed.items() if new in moves}
        renamed = {**renamed, **moves, **onward}
    return renamed


def merge_change(
    operation: Operation, path: str, *, base: str | None, ours: str | None, theirs: str | None
) -> str | None:
    """Return the text `ours` with the change from `base` to `theirs` made to it; None stands for no file.

    base: what the operation left. Raises `ConflictError` if both changed the same lines, or one removed what the other
    changed.
    """
    if ours in (base, theirs):
        return theirs
    if base is None or ours is None or theirs is None:
        raise edited_since(operation, path, gone=ours is None)
    # loaded only here: most undos find the file as the operation left it
    from dovetail.text.languages import layout_is_grammar
    from dovetail.text.merge import merge

    merged = merge(base, ours, theirs, layout=layout_is_grammar(path), line_ends=True)
    if merged.clashes:
        raise edited_since(operation, path, line=IndexedText(ours).line_at(merged.clashes[0].ours.start) + 1)
    return apply_edits(ours, merged.edits)


def edited_since(operation: Operation, path: str, *, gone: bool = False, line: int | None = None) -> ConflictError:
    """Return the error for a file that an operation wrote and somebody else has changed or removed since."""
    hint = f"Take back first what a later operation did there (`dovetail log`). {_both_versions(operation)}"
    hint += " To take back an edit that is not in the way: --edit N" if operation.results else ""
    return ConflictError((Conflict(path, operation.id, gone, line, made_by=operation.description),), hint)


def cannot_take_back(back: UndoTargets, taken: Sequence[Operation]) -> ConflictError:
    """Return the error for the conflicts of some operations, with a hint what can still be taken back."""
    first = back.conflicts[0]
    operation = next(op for op in taken if op.id == first.since)
    edits = " To take back an edit that is not in the way: --edit N" if len(taken) == 1 and operation.results else ""
    if not back.targets:
        if len(back.conflicts) == 1 and not first.barred:
            return edited_since(operation, first.path, gone=first.gone, line=first.line)
        return ConflictError(back.conflicts, _both_versions(operation) + edits)
    rest = "the other file" if len(back.targets) == 1 else f"the other {len(back.targets):,} files"
    hint = f"To take back {rest} and leave what is named: add --except-conflicts. {_both_versions(operation)}{edits}"
    return ConflictError(back.conflicts, hint)


def _both_versions(operation: Operation) -> str:
    return f"You can change it by hand; `dovetail show {operation.id}` has both versions."


def plan_reversal(jail: Jail, contents: LogContents, wanted: str, reversal: Reversal) -> PlannedOperation:
    """Plan to take back some edits of an operation. Raises `JournalError` if there is no such operation."""
    operation = find_operation(contents.operations, wanted)
    renamed, yielding = renamed_back([operation]), operation.yielding
    records = {record.path: record for record in operation.files}

    def version_at(path: str, origin: str | None) -> Version | None:
        """Return the version at `origin` before the operation; if `origin` is None, the one that it wrote at `path`."""
        record = records.get(path if origin is None else origin)
        return None if record is None else record.after if origin is None else record.before

    targets: list[Target] = []
    for path, text in reversal.texts.items():
        origin, new_origin = reversal.origins.get(path, (path, path))
        was = version_at(path, origin)
        with jail.locate(path, yielding) as place:
            mode = stat.S_IMODE(place.info.st_mode) if place.info is not None else None
        # The permission bits stay if the same file is there already, or if the user has changed them since. If a rename
        # is taken back, another file with a mode of its own comes into this place.
        keeps_mode = mode is not None and (origin == new_origin or was is None or mode != was.mode)
        known = reversal.snapshot.files.get(path)
        digest = known.digest if known is not None else None
        version = None if keeps_mode else version_at(path, new_origin)
        targets.append(Target(path, digest, text, version, renamed.get(path)))
    provenance = Provenance(Label.UNDO, undoes=operation.id, edits=tuple(reversal.edits))
    return PlannedOperation(targets, provenance, operation.folders)
