"""Writes a set of files, all or none, and recovers an interrupted one at the next start.

Owns the order that ensures it: the operation is recorded (`begin`), every file is staged and flushed, that is recorded
(`ready`), and only then the files are replaced, each by one rename. Whatever stops it before the last file is in place
(an error, a full disk, Ctrl-C) takes everything back at once. After a crash the next start completes an operation that
is `ready`; it takes back any other, and one that had replaced no file yet if a file was edited since. Files edited
since are never written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from dovetail.model.errors import WorkspaceError
from dovetail.workspace.directory import Directory, Step, errors_about, explain
from dovetail.workspace.file_set import (
    FileSide,
    FileTransition,
    flush,
    has_replaced,
    sides_of,
    switch_all,
    switch_file,
    transitions,
)
from dovetail.workspace.files import signature, stage
from dovetail.workspace.jail import Jail, open_parent, remove_folders
from dovetail.workspace.journal.lines import LogContents, PendingOperation
from dovetail.workspace.journal.store import Journal
from dovetail.workspace.journal.writer import JournalWriter
from dovetail.workspace.operation import Operation, Outcome, Recovery, folders_of
from dovetail.workspace.prepare import PreparedSet


@contextmanager
def written(operation: Operation) -> Iterator[None]:
    """Add a note to any exception of the block, Ctrl-C too: the files of the operation are written."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"The files are written, as operation {operation.id}. To take them back: dovetail undo")
        raise


class Transaction:
    """Writes one prepared set, under the lock. step: called before each act with its name, for tests."""

    def __init__(
        self, jail: Jail, writer: JournalWriter, prepared: PreparedSet, operation: Operation, step: Step
    ) -> None:
        self._jail = jail
        self._writer = writer
        self._files = {file.path: file for file in prepared.files}
        self._versions = prepared.blobs
        self._step = step
        self._operation = replace(operation, files=prepared.records, folders=prepared.folders)

    def run(self, extra: Mapping[str, bytes], clears: tuple[str, ...] = ()) -> Operation:
        """Write the set and return the operation as it was recorded.

        extra: further bytes to keep, by digest (the reply, the results). clears: folders to remove if they end up
        empty. Raises `WorkspaceError` if the set could not be written; then nothing is.
        """
        writer, before = self._writer, self._writer.ends
        begun: int | None = None
        try:
            self._step("begin")
            writer.begin(self._operation, {**self._versions, **extra})
            begun = writer.ends.log
            self._stage()
            self._step("ready")
            # After a crash before this record the next start takes the operation back, after a later one it completes
            # it. So all is staged by now, and no file replaced yet.
            writer.ready(self._operation)
            self._replace()
            remove_folders(self._jail, clears)
        except BaseException as error:
            try:
                left = self._take_back(begun)
                if not left:  # else the next start looks at those files again
                    writer.cut(before.log, before.versions)
            except (OSError, WorkspaceError) as failed:
                problem = failed if isinstance(failed, WorkspaceError) else explain(failed)
                raise WorkspaceError(
                    f"Writing failed, and so did taking it back. {problem.message}",
                    hint="Dovetail makes the files whole at its next start in this folder.",
                ) from error
            if left:
                raise WorkspaceError(
                    f"Writing failed and was taken back, but for {', '.join(left)}, edited meanwhile.",
                    hint="Look at those files.",
                ) from error
            if isinstance(error, OSError):
                raise explain(error, "nothing was written") from error
            raise
        with written(self._operation):
            self._step("done")
            try:
                writer.done(self._operation)
            except OSError:
                # Every file is in place. Without the `done` record, the next start finds that, and writes it.
                self._step("done-failed")
        return self._operation

    def _stage(self) -> None:
        modes: dict[str, int] = {}
        for transition in transitions(self._operation, forward=True):
            if transition.version is None or transition.record.in_place:
                continue
            self._step("stage")
            file = self._files[transition.record.path]
            data = self._versions[transition.version.digest]
            with errors_about(file.path), self._staging_folder(transition) as folder:
                folder.discard(transition.temp)  # what a journal that was moved aside left behind in this second
                modes[file.path] = stage(folder, transition.temp, data, file.like, file.mode)
        self._operation = self._operation.with_modes(modes)

    def _staging_folder(self, transition: FileTransition) -> Directory:
        if transition.folder != transition.parent:  # a file that will be removed still has the parent's name
            return self._jail.open_folder(transition.folder)
        with self._jail.locate(transition.record.path, transition.yielding) as place:
            return open_parent(place, self._step)

    def _replace(self) -> None:
        done = [
            transition
            for transition in transitions(self._operation, forward=True)
            if not self._files[transition.record.path].moot
        ]
        for transition in done:
            self._step("replace")
            found = self._files[transition.record.path].found
            seen = signature(found.info) if found is not None else None
            switch_file(self._jail, transition, seen, self._versions.__getitem__, self._step)
        flush(self._jail, done, self._step)

    def _take_back(self, begun: int | None) -> tuple[str, ...]:
        """Take back what was written and return the files edited meanwhile.

        begun: where the `begin` record ends in the log; None if it was not written.
        """
        if begun is None:
            return ()
        self._writer.cut(begun)  # first, as it decides what the next start does if this stops
        self._step("take-back")
        fetch = self._versions.__getitem__
        return switch_all(self._jail, self._operation, fetch, forward=False, step=self._step).left


def recover(jail: Jail, journal: Journal, folder: Directory, contents: LogContents, step: Step) -> Recovery | None:
    """Complete or take back the pending operation, under the lock; None if there is none.

    Raises `WorkspaceError`; then the next start tries again.
    """
    pending = contents.pending
    if pending is None:
        return None
    try:
        return _make_whole(jail, pending, journal, folder, contents, step)
    except (OSError, WorkspaceError) as error:
        problem = error if isinstance(error, WorkspaceError) else explain(error)
        operation = pending.operation
        message = f"An interrupted {operation.label} ({operation.id}) is not whole yet. {problem.message}"
        raise WorkspaceError(message, code=problem.code, hint=problem.hint) from error


def _make_whole(
    jail: Jail, pending: PendingOperation, journal: Journal, folder: Directory, contents: LogContents, step: Step
) -> Recovery:
    operation = pending.operation

    def fetch(digest: str) -> bytes:
        return journal.blob(contents, digest)

    sides = sides_of(jail, operation, fetch)
    begun = sides & {FileSide.AFTER, FileSide.TORN, FileSide.MOVED}
    # An unreadable line may have been the `ready` record; then a file that was replaced shows that it was.
    # TORN and MOVED count as replaced: only an operation that was ready leaves a file in either state.
    ready = pending.ready or bool(contents.stray and begun)
    # Whether files that were edited since had been replaced before shows only by the staged files left beside them. If
    # none was staged (files were only removed), nothing shows it: then the set counts as done, as it may have been
    # reported so, and the edited files stay as they are.
    stages = any(record.after is not None and not record.in_place for record in operation.files)
    forward = ready and (
        FileSide.OTHER not in sides
        or bool(begun)
        or (has_replaced(jail, operation) if stages else FileSide.BEFORE not in sides)
    )
    writer = JournalWriter(folder, contents, journal.author())
    try:
        # The `ready` record is cut: after a second crash while files are put back, the next start goes on taking back.
        if pending.ready and not forward:
            writer.cut(pending.begun)
        switched = switch_all(jail, operation, fetch, forward=forward, step=step)
        if forward:
            # The log does not name the folders that an undo removes: they are those that the undone operations made.
            undone = [contents.operations[name] for name in operation.reverses if name in contents.operations]
            remove_folders(jail, folders_of(undone))
            step("recovered")
            writer.done(operation, switched.left)
        else:
            step("recovered")
            writer.cut(pending.start)
    finally:
        writer.close()
    outcome = Outcome.COMPLETED if forward else Outcome.ROLLED_BACK
    return Recovery(operation.id, operation.label, outcome, switched.written, switched.left)
