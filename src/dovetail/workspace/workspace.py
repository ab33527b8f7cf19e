"""One root, read and written through one object.

Brings together the jail, the journal, the lock and the transaction. Every method that writes takes the lock, makes
whole what was interrupted, then does its work; every `OSError` leaves as a `WorkspaceError`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from dovetail.model.arguments import check_text, check_texts
from dovetail.model.codes import Code, Severity
from dovetail.model.diagnostics import Diagnostic
from dovetail.model.errors import JournalError, UsageError, WorkspaceError
from dovetail.model.results import FileChange
from dovetail.model.snapshot import Snapshot
from dovetail.workspace import arguments
from dovetail.workspace.charsets import Charsets
from dovetail.workspace.directory import HAS_DESCRIPTORS, Directory, Step, explain, no_step
from dovetail.workspace.encoding import Decoded
from dovetail.workspace.git import commit_operation, committed_operations, stage_operation
from dovetail.workspace.jail import Jail
from dovetail.workspace.journal.lines import LogContents, PendingOperation
from dovetail.workspace.journal.settle import Batch, look_again, origin_of_open_calls, waiting
from dovetail.workspace.journal.store import Journal, move_log_away, readable
from dovetail.workspace.journal.undo import (
    Conflict,
    Intent,
    PlannedOperation,
    Reversal,
    cannot_take_back,
    find_operation,
    plan_reversal,
    targets_of,
    targets_of_undo,
    to_redo,
    to_undo,
    to_undo_after,
    to_undo_by_intent,
)
from dovetail.workspace.journal.writer import JournalWriter, Limits, adopt, prune
from dovetail.workspace.lock import PATIENCE, locked
from dovetail.workspace.names import JOURNAL_FOLDER
from dovetail.workspace.operation import (
    Fetch,
    FileRecord,
    FileVersions,
    Label,
    Operation,
    OperationState,
    Origin,
    Outcome,
    OutsideChange,
    Provenance,
    Pruned,
    Recovery,
    Shown,
    Staged,
    Version,
    digest_of,
    folders_of,
    reply_bytes,
    to_operation,
    to_recorded,
)
from dovetail.workspace.prepare import prepare
from dovetail.workspace.root import resolve_folder
from dovetail.workspace.snapshot import list_tree, read_snapshot
from dovetail.workspace.transaction import Transaction, recover, written

Choice = Callable[[Mapping[str, Operation]], str]
"""Chooses an operation of the log, oldest first and by id; gives its id."""

Planner = Callable[[LogContents], PlannedOperation]
"""Plans one operation, called once no other process can write and the journal is read."""

_SETTLING = 0.5  # seconds to wait for whoever holds the lock, before what hooks have seen is left to the next one


class Newest(NamedTuple):
    """The newest operations, oldest first.

    versions: both versions of the files of each, by its id; operations whose versions are lost are left out.
    partial: those that took back single edits, among all that were read. older: how many operations there are before.
    lost: how many cannot be read. refused: why nothing of the journal is acted on, if so.
    """

    operations: list[Operation]
    versions: dict[str, dict[str, FileVersions]]
    partial: list[Operation]
    older: int
    lost: int
    refused: JournalError | None


class Workspace:
    """A root folder: reads its files, writes plans to them, and takes operations back.

    Made by `Workspace.open`, closed by `close` or at the end of a ``with``. Belongs to one thread at a time. Paths are
    relative to the root, with ``/``.

    root: its absolute path.
    recovery: what opening it made whole, or why it was not; None if nothing was interrupted.
    findings: what there is to say about the journal itself, since it was opened.
    conflicts: the files that the last undo or redo left out, because it was told to leave those that cannot be merged.
    charsets: how its files are decoded; its `encoding` may be set to the codec of those that are not UTF-8.
    """

    def __init__(self, root: Directory, patience: float, limits: Limits | None, step: Step) -> None:
        self.root = Path(root.path)
        self.recovery: Recovery | None = None
        self.findings: tuple[Diagnostic, ...] = ()
        self.conflicts: tuple[Conflict, ...] = ()
        self._closed = False
        self._contents: LogContents | None = None  # of the journal, as `text` has read it
        self._directory = root
        self._jail = Jail(root)
        self.charsets = Charsets(self.root)
        self._journal = Journal(root)
        self._patience = patience
        self._limits_chosen = limits
        self._step = step

    @classmethod
    def open(
        cls,
        root: str | os.PathLike[str],
        *,
        encoding: str = "",
        patience: float = PATIENCE,
        limits: Limits | None = None,
        step: Step = no_step,
        descriptors: bool = HAS_DESCRIPTORS,
    ) -> Workspace:
        """Open a folder as a root, and make whole what a process of this user was interrupted at there.

        encoding: Python's name for the encoding of files that are not UTF-8; "" leaves it to what is said in the root.
        patience: how many seconds to wait for another process that holds the lock.
        limits: how many operations, and bytes of their files, the journal keeps; None: as the settings say.
        step, descriptors: for tests.

        Raises `WorkspaceError` where the folder cannot be opened, `LockedError` where something was interrupted and
        another process holds the lock, `UsageError` for anything but a path.
        """
        folder = resolve_folder(arguments.folder(root))
        with _errors_explained():
            workspace = cls(Directory.open(str(folder), descriptors=descriptors), patience, limits, step)
        workspace.charsets.encoding = encoding
        try:
            workspace.recovery = workspace.recover()
            workspace._patience = min(patience, _SETTLING)
            with suppress(WorkspaceError, JournalError):  # it takes nothing now; the next one tries again
                workspace.settle()
            workspace._patience = patience
        except BaseException:
            workspace.close()
            raise
        return workspace

    def close(self) -> None:
        """Let go of the root; a second call does nothing. Whatever is asked of it then raises `UsageError`."""
        self._closed = True
        self._directory.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Close the root. An error that ends the block gets notes of what opening and writing reported."""
        self.close()
        if error is not None and self.recovery is not None:
            error.add_note(self.recovery.message)
        if error is not None:
            for finding in self.findings:
                error.add_note(f"{finding.code}  {finding.path}  {finding.message}")

    def tree(self) -> frozenset[str]:
        """Every path that exists and is not ignored, relative to the root."""
        with self._acting():
            return list_tree(self.root)

    def snapshot(
        self, paths: Iterable[str], *, seen: Mapping[str, str] | None = None, tree: frozenset[str] | None = None
    ) -> Snapshot:
        """Read `paths` as they are now, whether ignored or not.

        `seen` maps paths to the text that the model saw. `tree` is one that was listed already; None lists it.
        """
        wanted = arguments.paths(paths)
        if seen is not None:
            check_texts(seen, "seen")
        with self._acting():
            return read_snapshot(self._jail, self.charsets, wanted, seen or {}, self.tree() if tree is None else tree)

    def commit(
        self,
        changes: Sequence[FileChange],
        snapshot: Snapshot,
        *,
        reply: str = "",
        results: Sequence[Mapping[str, Any]] = (),
        terms: Mapping[str, Any] | None = None,
        origin: Origin | None = None,
    ) -> Operation:
        """Write every change or none, and record it as an `apply`; what had been undone can no longer be redone.

        `snapshot` is what the changes were planned on, `results` and `terms` are kept as they are and must be JSON.
        `origin` is the agent whose call it was, if it was one's.
        A journal of somebody else is moved away first, and `findings` say so. Raises `ChangedError`,
        `JailError`, `JournalError`, `LockedError` or `WorkspaceError`, with nothing written; `UsageError` where there
        is nothing to write.
        """
        check_text(reply)
        targets, kept = targets_of(arguments.changes(changes, snapshot), snapshot), arguments.records(results)
        # What hooks know of the call that this is a part of says more than a caller who knows no request.
        # In this order: a caller that knows the request, an open call that hooks have seen, a caller that knows the
        # agent only.
        made = origin if origin is not None and origin.prompt else origin_of_open_calls(self.root) or origin
        provenance = Provenance(Label.APPLY, reply, kept, terms=terms, origin=made)
        return self._write(lambda _: PlannedOperation(targets, provenance), whole=False)

    def record(self, changes: Sequence[OutsideChange], fetch: Fetch) -> list[Operation]:
        """Record what somebody else did to files, oldest first, each as an operation that can be taken back.

        No file is touched or looked at. `fetch` gives the bytes of the versions that the changes name. Raises as
        `commit` does, with nothing recorded, and whatever `fetch` raises.
        """
        if not changes:
            return []
        with self._writing(whole=False) as (folder, contents):
            return self._record(folder, contents, changes, fetch)

    def settle(self) -> list[Operation]:
        """Record what hooks have seen of agents' calls since the last time. Raises as `record` does."""
        spool = waiting(self.root)
        if spool is None:
            return []
        with self._writing(whole=False) as (folder, contents):
            look_again(spool)
            batch = Batch(spool)
            # Only the end of the log is read. An interrupted batch may have put more operations into the journal than
            # that holds, and those before it would be recorded twice: then all of it is read.
            if batch.size > len(contents.operations) < contents.begun:
                contents = readable(self._journal.read())
            operations = self._record(folder, contents, batch.changes(contents.operations), batch.fetch)
            batch.finish(operations[-1].id if operations else contents.last_id)
            return operations

    def _record(
        self, folder: Directory, contents: LogContents, changes: Sequence[OutsideChange], fetch: Fetch
    ) -> list[Operation]:
        """Record changes, under the lock."""
        operations: list[Operation] = []
        if not changes:
            return operations
        last_id = contents.last_id
        for change in changes:
            operations.append(to_recorded(change, {path: self._real(path) for path in change.files}, last_id))
            last_id = operations[-1].id
        writer = JournalWriter(folder, contents, self._journal.author())
        try:
            writer.record(operations, fetch)
        finally:
            writer.close()
        if self._limits.exceeded(contents, self._journal.oldest_recorded()):
            with suppress(OSError, WorkspaceError):  # the next one tries again
                prune(folder, self._journal.read(), self._limits, self._journal.author())
        return operations

    def _real(self, path: str) -> str:
        """A path with the links on its way resolved; the path itself where it leads out of the root by now."""
        try:
            with self._jail.locate(path, {path}) as place:
                return place.real
        except WorkspaceError:
            return path

    def check_commit(self, changes: Sequence[FileChange], snapshot: Snapshot) -> None:
        """Raise what `commit` would raise before it writes. Takes no lock, and writes nothing."""
        with self._acting():
            self._journal.check_folder()
            prepare(self._jail, self.charsets, targets_of(arguments.changes(changes, snapshot), snapshot))

    def revert(self, wanted: str, reversal: Reversal) -> Operation:
        """Take back some edits of an operation: the caller says what each file is to be; recorded as an `undo`.

        Raises as `commit` does, and `JournalError` where there is no such operation.
        """
        return self._write(self._revert_planner(wanted, reversal))

    def would_revert(self, wanted: str, reversal: Reversal) -> Shown:
        """What `revert` would record, with both versions of each file. Writes nothing; raises as `revert` does."""
        return self._preview(self._revert_planner(wanted, reversal))

    def undo(self, wanted: str | Choice | None = None, *, except_conflicts: bool = False) -> Operation:
        """Take back an operation whole: the newest not undone, or the one named by its id or a part of it.

        A `Choice` is asked for the id once no other process can write. Raises `JournalError` where there is none, and
        `ConflictError` where files were edited since and cannot be merged; with `except_conflicts` those are left as
        they are, and the operation stands. Git's index and commits are not touched.
        """
        return self._write(self._undo_planner(wanted, except_conflicts))

    def would_undo(self, wanted: str | Choice | None = None, *, except_conflicts: bool = False) -> Shown:
        """What `undo` would record, with both versions of each file. Writes nothing; raises as `undo` does."""
        return self._preview(self._undo_planner(wanted, except_conflicts))

    def undo_to(self, wanted: str, *, except_conflicts: bool = False) -> Operation:
        """Take back, in one step, every apply after an operation, named by its id or a part of it; raises as `undo`."""
        return self._write(self._undo_to_planner(wanted, except_conflicts))

    def would_undo_to(self, wanted: str, *, except_conflicts: bool = False) -> Shown:
        """What `undo_to` would record, with both versions of each file. Writes nothing; raises as `undo_to` does."""
        return self._preview(self._undo_to_planner(wanted, except_conflicts))

    def undo_by_intent(self, wanted: Intent, *, except_conflicts: bool = False) -> Operation:
        """Take back, in one step, the changes of agents that are meant; raises as `undo`."""
        return self._write(self._intent_planner(wanted, except_conflicts))

    def would_undo_by_intent(self, wanted: Intent, *, except_conflicts: bool = False) -> Shown:
        """What `undo_by_intent` would record. Writes nothing; raises as `undo_by_intent` does."""
        return self._preview(self._intent_planner(wanted, except_conflicts))

    def redo(self, *, except_conflicts: bool = False) -> Operation:
        """Take back the newest undo. Raises as `undo` does."""
        return self._write(partial(self._plan_redo, except_conflicts=except_conflicts))

    def would_redo(self, *, except_conflicts: bool = False) -> Shown:
        """What `redo` would record, with both versions of each file. Writes nothing; raises as `redo` does."""
        return self._preview(partial(self._plan_redo, except_conflicts=except_conflicts))

    def log(self) -> list[Operation]:
        """Every operation, oldest first. Raises `JournalError` where the journal's log cannot be read."""
        with self._acting():
            return list(readable(self._journal.read()).operations.values())

    def refusal(self) -> JournalError | None:
        """Why nothing that the journal says is acted on; None where it belongs to this user, or there is none."""
        with self._acting():
            return self._journal.refusal(self._journal.read()) if self._journal.exists() else None

    def lost(self) -> int:
        """How many operations of the journal cannot be read. Raises as `log` does."""
        with self._acting():
            return readable(self._journal.read()).lost

    def show(self, wanted: str) -> Shown:
        """An operation with its reply, results and both versions of each file. Raises `JournalError`."""
        named = arguments.operation_id(wanted)
        with self._acting():
            contents = readable(self._journal.read())
            operation = find_operation(contents.known, named)
            reply = self._fetch(contents, operation.reply).decode("utf-8", "surrogatepass")
            results = tuple(json.loads(self._fetch(contents, operation.results) or b"[]"))
            versions = self._versions(contents, operation)
        return Shown(operation, reply, results, versions)

    def text(self, digest: str, path: str) -> str | None:
        """The text of a version that the journal keeps, decoded as a file of that name; None for bytes that are none.

        Raises `JournalError` where it is gone.
        """
        with self._acting():
            if self._contents is None:
                self._contents = readable(self._journal.read())
            decoded = self.charsets.decode(self._fetch(self._contents, digest), path)
        return decoded.text if isinstance(decoded, Decoded) else None

    def newest(self, count: int) -> Newest:
        """The newest operations and their versions, and what there is to say of the whole journal. Raises as `log`."""
        with self._acting():
            contents = readable(self._journal.read_newest(count))
            operations = list(contents.operations.values())[-count:] if count else []
            versions: dict[str, dict[str, FileVersions]] = {}
            for operation in operations:
                with suppress(JournalError):
                    versions[operation.id] = self._versions(contents, operation)
            refused = self._journal.refusal(contents) if self._journal.exists() else None
            partial = [op for op in contents.operations.values() if op.edits]
            # `begun` counts all that the log has begun, the unread ones too.
            older = contents.begun - contents.lost - len(operations) - (contents.pending is not None)
            return Newest(operations, versions, partial, older, contents.lost, refused)

    def _versions(self, contents: LogContents, operation: Operation) -> dict[str, FileVersions]:
        return _versions_of(operation.files, self.charsets, lambda digest: self._fetch(contents, digest))

    def would_adopt(self) -> tuple[Shown, ...]:
        """The operations of a journal that is not known to be this user's, newest first, as `adopt` would make it his.

        Raises `JournalError` as `adopt` does. Writes nothing.
        """
        with self._acting():
            contents = readable(self._journal.read())
            self._journal.check_adoptable(contents)
        return tuple(self.show(operation) for operation in reversed(contents.operations))

    def adopt(self, shown: Sequence[Shown]) -> None:
        """Make the journal this user's own, whoever wrote it: from then on what it says is acted on.

        shown: what `would_adopt` gave, and the user agreed to. Raises `JournalError` where that is no longer all of it,
        where git tracks the journal, where it is his already, and where an operation was interrupted.
        """
        agreed = [one.operation for one in reversed(shown)]
        with self._acting():
            self._journal.check_adoptable(readable(self._journal.read()))
            folder = self._journal.make_folder()
            with folder, locked(folder, self._patience):
                contents = readable(self._journal.read())
                self._journal.check_adoptable(contents)
                if list(contents.operations.values()) != agreed:
                    raise JournalError("The journal changed meanwhile; it was left as it is.", hint="Run it again.")
                adopt(folder, self._journal.author())

    def find_reply(self, reply: str) -> Operation | None:
        """The newest `apply` of exactly this reply that was not undone; None where there is none."""
        check_text(reply)
        wanted = digest_of(reply_bytes(reply))
        with self._acting():
            contents = self._journal.read() if self._journal.mentions(wanted) else LogContents()
            if contents.operations and self._journal.refusal(contents) is not None:
                return None
        for operation in reversed(contents.operations.values()):
            # The newest one counts: the same reply may have been applied, undone, and applied again.
            if operation.reply == wanted and operation.label is Label.APPLY and operation.state is OperationState.DONE:
                return operation
        return None

    @property
    def _limits(self) -> Limits:
        """What the journal keeps; looked up when it is asked for, as the settings may change."""
        return Limits.of(str(self.root)) if self._limits_chosen is None else self._limits_chosen

    def prune(self, limits: Limits | None = None) -> Pruned:
        """Forget the oldest operations beyond the limits."""
        with self._acting():
            if not self._journal.exists():
                return Pruned(0, 0)
        with self._writing() as (folder, contents):
            return prune(folder, contents, limits or self._limits, self._journal.author())

    def recover(self) -> Recovery | None:
        """Make whole what a process of this user was interrupted at; None where nothing was.

        `open` has done so already.
        """
        with self._acting():
            contents = self._journal.read_tail()
            if contents.pending is None:
                return None
            if (refused := self._journal.refusal(contents)) is not None:
                return _refused_recovery(contents.pending, refused)
            folder = self._journal.make_folder()
            with folder, locked(folder, self._patience):
                # Another process may have been in the middle of it, and have finished by now.
                return self._recover(folder)

    def git_add(self, wanted: str) -> Staged:
        """Stage what an operation wrote; paths that were dirty before it are left out and named."""
        return stage_operation(self.root, self.show(wanted))

    def git_commit(self, wanted: str, message: str) -> Staged:
        """Commit what an operation wrote and nothing else, with its id as a trailer. Raises `WorkspaceError`."""
        return commit_operation(self.root, self.show(wanted), message)

    def committed_operations(self) -> frozenset[str]:
        """The ids of the operations that commits of the branch name. Raises `WorkspaceError`."""
        return committed_operations(self.root)

    @contextmanager
    def _acting(self) -> Iterator[None]:
        """Do something in the root, as long as it is open."""
        if self._closed:
            raise UsageError(f"The workspace of `{self.root}` is closed.", hint="Open it again: Workspace.open(path)")
        with _errors_explained():
            yield

    @contextmanager
    def _writing(self, whole: bool = True) -> Iterator[tuple[Directory, LogContents]]:
        """Hold the lock, with nothing pending and the journal read, `whole` or enough to append to it.

        A log that cannot be read, or belongs to somebody else, is refused, or moved away where nothing of it is needed.
        """
        with self._acting():
            if whole:  # before anything is touched
                self._check_not_foreign(self._journal.read_tail())
            folder = self._journal.make_folder()
            with folder, locked(folder, self._patience):
                read = self._journal.read if whole else self._journal.read_tail
                contents = read()
                foreign = self._journal.refusal(contents)
                # An undo acts on what the journal says, so it refuses a foreign one; an apply needs nothing of it,
                # and moves it away.
                if foreign is not None and whole:
                    raise foreign
                if contents.pending is not None and foreign is None:
                    self.recovery = self._recover(folder)
                    contents = read()
                if (contents.unreadable or foreign is not None) and not whole:
                    why = Code.JOURNAL_UNREADABLE if foreign is None else Code.JOURNAL_FOREIGN
                    self.findings += (move_log_away(folder, why),)
                    contents = read()
                yield folder, readable(contents)

    def _check_not_foreign(self, contents: LogContents) -> None:
        if (refused := self._journal.refusal(contents)) is not None:
            raise refused

    def _recover(self, folder: Directory) -> Recovery | None:
        """Make whole what was interrupted, under the lock, as far as the journal belongs to this user by now."""
        contents = self._journal.read()
        if contents.pending is not None and (refused := self._journal.refusal(contents)) is not None:
            return _refused_recovery(contents.pending, refused)
        return recover(self._jail, self._journal, folder, contents, self._step)

    def _write(self, plan: Planner, whole: bool = True) -> Operation:
        """Plan and write one operation. `whole`: the plan needs the whole journal, not its end alone."""
        if whole:
            with self._acting():
                if not self._journal.exists():
                    plan(LogContents())  # it raises that there is no such operation, and no journal is made for that
        with self._writing(whole) as (folder, contents):
            targets, provenance, clears = plan(contents)
            prepared = prepare(self._jail, self.charsets, targets)
            started, extra = to_operation(provenance, contents.last_id)
            writer = JournalWriter(folder, contents, self._journal.author())
            try:
                operation = Transaction(self._jail, writer, prepared, started, self._step).run(extra, clears)
            finally:
                writer.close()
            if not self._journal.is_proved:
                self.findings += (_UNPROVED,)
            if self._limits.exceeded(contents):
                with (
                    written(operation),
                    suppress(OSError, WorkspaceError),
                ):  # the files are written; the next one tries again
                    prune(folder, self._journal.read(), self._limits, self._journal.author())
            return operation

    def _preview(self, plan: Planner) -> Shown:
        """What `_write` would do with the same plan, checked as it is there."""
        with self._acting():
            contents = readable(self._journal.read())
            self._check_not_foreign(contents)
            targets, provenance, _ = plan(contents)
            self._journal.check_folder()
            prepared = prepare(self._jail, self.charsets, targets)
            operation, _ = to_operation(provenance, contents.last_id)
            operation = replace(operation, files=prepared.records, folders=prepared.folders)
            versions = _versions_of(operation.files, self.charsets, prepared.blobs.__getitem__)
            return Shown(operation, provenance.reply, tuple(provenance.results), versions)

    def _revert_planner(self, wanted: str, reversal: Reversal) -> Planner:
        return partial(plan_reversal, self._jail, wanted=arguments.operation_id(wanted), reversal=reversal)

    def _undo_planner(self, wanted: str | Choice | None, except_conflicts: bool) -> Planner:
        choice = wanted if callable(wanted) else arguments.operation(wanted)

        def plan(contents: LogContents) -> PlannedOperation:
            named = choice(contents.operations) if callable(choice) else choice
            taken = (to_undo(contents.operations, named),)
            return self._plan_reversal_of(contents, taken, except_conflicts=except_conflicts)

        return plan

    def _undo_to_planner(self, wanted: str, except_conflicts: bool) -> Planner:
        named = arguments.operation_id(wanted)

        def plan(contents: LogContents) -> PlannedOperation:
            taken = to_undo_after(contents.operations, named)
            return self._plan_reversal_of(contents, taken, except_conflicts=except_conflicts)

        return plan

    def _intent_planner(self, wanted: Intent, except_conflicts: bool) -> Planner:
        def plan(contents: LogContents) -> PlannedOperation:
            taken = to_undo_by_intent(contents.operations, wanted)
            return self._plan_reversal_of(contents, taken, wanted.paths, except_conflicts=except_conflicts)

        return plan

    def _plan_redo(self, contents: LogContents, except_conflicts: bool) -> PlannedOperation:
        taken = (to_redo(contents.operations),)
        return self._plan_reversal_of(contents, taken, except_conflicts=except_conflicts)

    def _plan_reversal_of(
        self,
        contents: LogContents,
        taken: Sequence[Operation],
        only: tuple[str, ...] = (),
        *,
        except_conflicts: bool = False,
    ) -> PlannedOperation:
        """Plan to take back operations, oldest first; `only` in the paths that fit, where patterns are given.

        except_conflicts: leave out the files that cannot be merged, as long as another one is left to write.
        """
        fetch = partial(self._journal.blob, contents)
        back = targets_of_undo(self._jail, self.charsets, contents.operations, taken, fetch, only)
        if back.conflicts:
            if not except_conflicts or not back.targets:
                raise cannot_take_back(back, taken)
            only = back.paths
        self.conflicts = back.conflicts
        *others, newest = taken
        label = Label.REDO if newest.label is Label.UNDO else Label.UNDO
        also = tuple(operation.id for operation in reversed(others))
        provenance = Provenance(label, undoes=newest.id, also=also, only=only)
        return PlannedOperation(back.targets, provenance, folders_of(taken))

    def _fetch(self, contents: LogContents, digest: str) -> bytes:
        return self._journal.blob(contents, digest) if digest else b""


_UNPROVED = Diagnostic(
    Code.JOURNAL_UNPROVED,
    "There is no folder for the key that proves whose work a journal is, so no later command takes this back.",
    Severity.WARNING,
    path=JOURNAL_FOLDER,
    hint="Set XDG_STATE_HOME to a folder of your own, outside of the project, that is kept from run to run.",
)


def _refused_recovery(pending: PendingOperation, refused: JournalError) -> Recovery:
    operation = pending.operation
    why = " ".join(filter(None, (refused.message, refused.hint)))
    return Recovery(operation.id, operation.label, Outcome.REFUSED, (), why=why)


def _versions_of(
    files: Iterable[FileRecord], charsets: Charsets, fetch: Callable[[str], bytes]
) -> dict[str, FileVersions]:
    """Both versions of each file, by path, as bytes and, where they are text, as text."""

    def fetched(path: str, version: Version | None) -> tuple[bytes | None, str | None]:
        data = None if version is None else fetch(version.digest)
        decoded = None if data is None else charsets.decode(data, path)
        return data, decoded.text if isinstance(decoded, Decoded) else None

    versions: dict[str, FileVersions] = {}
    for record in files:
        before, before_text = fetched(record.path, record.before)
        after, after_text = fetched(record.path, record.after)
        versions[record.path] = FileVersions(before, after, before_text, after_text)
    return versions


@contextmanager
def _errors_explained() -> Iterator[None]:
    """Turn what the system refuses into what a person reads."""
    try:
        yield
    except OSError as error:
        raise explain(error) from error
