"""`Workspace`: one root, read and written through one object.

Brings together the jail, the journal, the lock and the transaction. Every method that writes takes the lock, recovers
an interrupted operation, then does its work. Every `OSError` is raised as a `WorkspaceError`.
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
"""Chooses one of the log's operations, given by id, oldest first; returns its id."""

Planner = Callable[[LogContents], PlannedOperation]
"""Plans one operation from the journal's contents; called under the lock, or for a preview without it."""

_SETTLING = 0.5  # seconds that opening waits for the lock to take the hooks' events; else the next start takes them


class Newest(NamedTuple):
    """The newest operations, oldest first.

    versions: by operation's id, then by path; operations whose versions are lost are left out.
    partial: the undos of single edits among all operations that were read. older: how many operations are before these.
    lost: how many cannot be read. refused: why the journal is not acted on; None if it is.
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
    recovery: what opening it recovered, or why it could not; None if nothing was interrupted.
    findings: warnings about the journal itself, since it was opened.
    conflicts: the files that the last undo or redo with `except_conflicts` left out.
    charsets: how its files are decoded; its `encoding` may be set to the codec of those that are not UTF-8.
    """

    def __init__(self, root: Directory, patience: float, limits: Limits | None, step: Step) -> None:
        self.root = Path(root.path)
        self.recovery: Recovery | None = None
        self.findings: tuple[Diagnostic, ...] = ()
        self.conflicts: tuple[Conflict, ...] = ()
        self._closed = False
        self._contents: LogContents | None = None  # the journal's, read once for all calls of `text`
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
        """Open a folder as a root, and recover an operation of this user that was interrupted there.

        encoding: Python's name for the encoding of files that are not UTF-8; "" if only `.editorconfig` files name one.
        patience: how many seconds to wait for another process that holds the lock.
        limits: how many operations, and bytes of their files, the journal keeps; None: as the settings say.
        step, descriptors: for tests.

        Raises `WorkspaceError` if the folder cannot be opened, `LockedError` if an operation was interrupted and
        another process holds the lock, `UsageError` for anything but a path.
        """
        folder = resolve_folder(arguments.folder(root))
        with _errors_explained():
            workspace = cls(Directory.open(str(folder), descriptors=descriptors), patience, limits, step)
        workspace.charsets.encoding = encoding
        try:
            workspace.recovery = workspace.recover()
            workspace._patience = min(patience, _SETTLING)
            with suppress(WorkspaceError, JournalError):  # the next start takes the events
                workspace.settle()
            workspace._patience = patience
        except BaseException:
            workspace.close()
            raise
        return workspace

    def close(self) -> None:
        """Close the root; a second call does nothing. Every other method raises `UsageError` from then on."""
        self._closed = True
        self._directory.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Close the root. An exception of the block gets `recovery` and `findings` as notes."""
        self.close()
        if error is not None and self.recovery is not None:
            error.add_note(self.recovery.message)
        if error is not None:
            for finding in self.findings:
                error.add_note(f"{finding.code}  {finding.path}  {finding.message}")

    def tree(self) -> frozenset[str]:
        """Return the path of every file that exists and is not ignored, relative to the root."""
        with self._acting():
            return list_tree(self.root)

    def snapshot(
        self, paths: Iterable[str], *, seen: Mapping[str, str] | None = None, tree: frozenset[str] | None = None
    ) -> Snapshot:
        """Read `paths` as they are now, whether ignored or not.

        seen: by path, the text that the model saw. tree: what `tree` returned before; None lists it now.
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
        """Write every change or none, and record it as an `apply`. Earlier undos can no longer be redone then.

        snapshot: what the changes were planned on. results, terms: kept as they are; must be JSON.
        origin: the agent that made the call, if one did; None for the agent's open call that hooks have seen.
        A journal of somebody else is moved away first, and `findings` say so. Raises `ChangedError`, `JailError`,
        `JournalError`, `LockedError` or `WorkspaceError`, with nothing written; `UsageError` if there is nothing to
        write.
        """
        check_text(reply)
        targets, kept = targets_of(arguments.changes(changes, snapshot), snapshot), arguments.records(results)
        # The most precise origin counts: of a caller that knows the request, else of an open call that hooks have seen,
        # else of a caller that knows only the agent.
        made = origin if origin is not None and origin.prompt else origin_of_open_calls(self.root) or origin
        provenance = Provenance(Label.APPLY, reply, kept, terms=terms, origin=made)
        return self._write(lambda _: PlannedOperation(targets, provenance), whole=False)

    def record(self, changes: Sequence[OutsideChange], fetch: Fetch) -> list[Operation]:
        """Record changes that somebody else made, oldest first, each as an operation that can be undone.

        fetch: returns the bytes of the versions that the changes name. No file is read or written. Raises as `commit`
        does, with nothing recorded, and whatever `fetch` raises.
        """
        if not changes:
            return []
        with self._writing(whole=False) as (folder, contents):
            return self._record(folder, contents, changes, fetch)

    def settle(self) -> list[Operation]:
        """Record the changes that hooks have seen since the last time, as `record` does; return the operations."""
        spool = waiting(self.root)
        if spool is None:
            return []
        with self._writing(whole=False) as (folder, contents):
            look_again(spool)
            batch = Batch(spool)
            # Only the end of the log was read. An interrupted batch may have recorded more operations than are in it,
            # and those would be recorded twice. Then the whole log is read.
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
            with suppress(OSError, WorkspaceError):  # the next write prunes
                prune(folder, self._journal.read(), self._limits, self._journal.author())
        return operations

    def _real(self, path: str) -> str:
        """Return a path with links resolved; the path itself if it leads out of the root by now."""
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
        """Take back some edits of an operation, recorded as an `undo`; `reversal` has the files' new texts.

        Raises as `commit` does, and `JournalError` if there is no such operation.
        """
        return self._write(self._revert_planner(wanted, reversal))

    def would_revert(self, wanted: str, reversal: Reversal) -> Shown:
        """Return what `revert` would record, with both versions of each file. Writes nothing; raises as it does."""
        return self._preview(self._revert_planner(wanted, reversal))

    def undo(self, wanted: str | Choice | None = None, *, except_conflicts: bool = False) -> Operation:
        """Take back a whole operation: the newest apply that is not undone, or `wanted`, its id or a part of the id.

        A `Choice` is called for the id under the lock. Raises `JournalError` if there is no such operation, and
        `ConflictError` if files were edited since and cannot be merged; with `except_conflicts` those are left as they
        are, and the operation stays done. Git's index and commits are not touched.
        """
        return self._write(self._undo_planner(wanted, except_conflicts))

    def would_undo(self, wanted: str | Choice | None = None, *, except_conflicts: bool = False) -> Shown:
        """Return what `undo` would record, with both versions of each file. Writes nothing; raises as `undo` does."""
        return self._preview(self._undo_planner(wanted, except_conflicts))

    def undo_to(self, wanted: str, *, except_conflicts: bool = False) -> Operation:
        """Take back in one step every apply after the operation `wanted` (its id or a part). Raises as `undo` does."""
        return self._write(self._undo_to_planner(wanted, except_conflicts))

    def would_undo_to(self, wanted: str, *, except_conflicts: bool = False) -> Shown:
        """Return what `undo_to` would record, with both versions of each file. Writes nothing; raises as it does."""
        return self._preview(self._undo_to_planner(wanted, except_conflicts))

    def undo_by_intent(self, wanted: Intent, *, except_conflicts: bool = False) -> Operation:
        """Take back in one step the changes of agents that `wanted` selects. Raises as `undo` does."""
        return self._write(self._intent_planner(wanted, except_conflicts))

    def would_undo_by_intent(self, wanted: Intent, *, except_conflicts: bool = False) -> Shown:
        """Return what `undo_by_intent` would record. Writes nothing; raises as `undo_by_intent` does."""
        return self._preview(self._intent_planner(wanted, except_conflicts))

    def redo(self, *, except_conflicts: bool = False) -> Operation:
        """Take back the newest undo after which nothing was applied. Raises as `undo` does."""
        return self._write(partial(self._plan_redo, except_conflicts=except_conflicts))

    def would_redo(self, *, except_conflicts: bool = False) -> Shown:
        """Return what `redo` would record, with both versions of each file. Writes nothing; raises as `redo` does."""
        return self._preview(partial(self._plan_redo, except_conflicts=except_conflicts))

    def log(self) -> list[Operation]:
        """Return every operation, oldest first. Raises `JournalError` if the journal's log cannot be read."""
        with self._acting():
            return list(readable(self._journal.read()).operations.values())

    def refusal(self) -> JournalError | None:
        """Return why the journal is not acted on; None if it belongs to this user, or there is none."""
        with self._acting():
            return self._journal.refusal(self._journal.read()) if self._journal.exists() else None

    def lost(self) -> int:
        """Return how many operations of the journal cannot be read. Raises as `log` does."""
        with self._acting():
            return readable(self._journal.read()).lost

    def show(self, wanted: str) -> Shown:
        """Return an operation, by its id or a part, with reply, results and file versions. Raises `JournalError`."""
        named = arguments.operation_id(wanted)
        with self._acting():
            contents = readable(self._journal.read())
            operation = find_operation(contents.known, named)
            reply = self._fetch(contents, operation.reply).decode("utf-8", "surrogatepass")
            results = tuple(json.loads(self._fetch(contents, operation.results) or b"[]"))
            versions = self._versions(contents, operation)
        return Shown(operation, reply, results, versions)

    def text(self, digest: str, path: str) -> str | None:
        """Return a version of the journal as text, decoded as the file at `path` would be; None if it is no text.

        Reads the journal once, so later operations are not known to it. Raises `JournalError` if the version is gone.
        """
        with self._acting():
            if self._contents is None:
                self._contents = readable(self._journal.read())
            decoded = self.charsets.decode(self._fetch(self._contents, digest), path)
        return decoded.text if isinstance(decoded, Decoded) else None

    def newest(self, count: int) -> Newest:
        """Return the newest `count` operations with their versions, and the journal's state. Raises as `log` does."""
        with self._acting():
            contents = readable(self._journal.read_newest(count))
            operations = list(contents.operations.values())[-count:] if count else []
            versions: dict[str, dict[str, FileVersions]] = {}
            for operation in operations:
                with suppress(JournalError):
                    versions[operation.id] = self._versions(contents, operation)
            refused = self._journal.refusal(contents) if self._journal.exists() else None
            partial = [op for op in contents.operations.values() if op.edits]
            # `begun` counts every operation of the log, unread ones too.
            older = contents.begun - contents.lost - len(operations) - (contents.pending is not None)
            return Newest(operations, versions, partial, older, contents.lost, refused)

    def _versions(self, contents: LogContents, operation: Operation) -> dict[str, FileVersions]:
        return _versions_of(operation.files, self.charsets, lambda digest: self._fetch(contents, digest))

    def would_adopt(self) -> tuple[Shown, ...]:
        """Return the operations, newest first, of a journal that is not known to be this user's, for `adopt`.

        Raises `JournalError` as `adopt` does. Writes nothing.
        """
        with self._acting():
            contents = readable(self._journal.read())
            self._journal.check_adoptable(contents)
        return tuple(self.show(operation) for operation in reversed(contents.operations))

    def adopt(self, shown: Sequence[Shown]) -> None:
        """Make the journal this user's own, whoever wrote it, so that it is acted on from then on.

        shown: what `would_adopt` returned, and the user agreed to. Raises `JournalError` if the journal has changed
        since, git tracks it, it is the user's already, or an operation was interrupted.
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
        """Return the newest `apply` of exactly this reply that is not undone; None if there is none."""
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
        """The limits of the journal; read from the settings each time, as these may change."""
        return Limits.of(str(self.root)) if self._limits_chosen is None else self._limits_chosen

    def prune(self, limits: Limits | None = None) -> Pruned:
        """Remove the oldest operations beyond the limits, by default those of the settings."""
        with self._acting():
            if not self._journal.exists():
                return Pruned(0, 0)
        with self._writing() as (folder, contents):
            return prune(folder, contents, limits or self._limits, self._journal.author())

    def recover(self) -> Recovery | None:
        """Complete or take back an interrupted operation of this user; None if there is none. `open` calls this."""
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
        """Stage with git what an operation wrote; paths that were dirty before it are left out, named in `refused`."""
        return stage_operation(self.root, self.show(wanted))

    def git_commit(self, wanted: str, message: str) -> Staged:
        """Commit with git what an operation wrote and nothing else, its id as a trailer. Raises `WorkspaceError`."""
        return commit_operation(self.root, self.show(wanted), message)

    def committed_operations(self) -> frozenset[str]:
        """Return the ids of operations in the trailers of the branch's commits. Raises `WorkspaceError`."""
        return committed_operations(self.root)

    @contextmanager
    def _acting(self) -> Iterator[None]:
        """Raise `UsageError` if the workspace is closed, and explain an `OSError` of the block."""
        if self._closed:
            raise UsageError(f"The workspace of `{self.root}` is closed.", hint="Open it again: Workspace.open(path)")
        with _errors_explained():
            yield

    @contextmanager
    def _writing(self, whole: bool = True) -> Iterator[tuple[Directory, LogContents]]:
        """Hold the lock; yield the journal's folder and contents, with nothing pending.

        whole: the whole journal is read; a log that is unreadable or somebody else's raises `JournalError`. Else only
        enough to append is read, and such a log is moved away.
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
        """Complete or take back the pending operation, under the lock, if the journal belongs to this user."""
        contents = self._journal.read()
        if contents.pending is not None and (refused := self._journal.refusal(contents)) is not None:
            return _refused_recovery(contents.pending, refused)
        return recover(self._jail, self._journal, folder, contents, self._step)

    def _write(self, plan: Planner, whole: bool = True) -> Operation:
        """Plan and write one operation. `whole`: the plan needs the whole journal, not its end alone."""
        if whole:
            with self._acting():
                if not self._journal.exists():
                    plan(LogContents())  # raises that there is no such operation, before a journal is made
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
        """Return what `_write` would record with the same plan, after the same checks. Writes nothing."""
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
        """Plan to take back operations, given oldest first; with patterns in `only`, just the paths that fit one.

        except_conflicts: leave out the files that cannot be merged, unless none is left to write.
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
    """Return both versions of each file, by path."""

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
    """Raise an `OSError` of the block as a `WorkspaceError`."""
    try:
        yield
    except OSError as error:
        raise explain(error) from error
