"""A set of files, written all or none.

Owns the order of acts that makes it so: what is about to happen is recorded, every file is staged and flushed, the
record is closed, and only then the first file is replaced, each by one rename. Whatever stops it before the last file
is in place (an error, a full disk, Ctrl-C) takes everything back at once; a crash leaves the record, and the next
start makes the set whole.


What the next start does about an operation that was interrupted.

An operation that was staged whole is completed; one that was not is taken back, and so is one of which no file had
been replaced while another was edited since. Files edited since are never written.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.model.errors import WorkspaceError
from dovetail.workspace.directory import about, explain
from dovetail.workspace.file_set import Side, acts, bring, flush, has_replaced, settle, survey
from dovetail.workspace.files import signature, stage
from dovetail.workspace.jail import open_parent, remove_folders
from dovetail.workspace.journal import Journal
from dovetail.workspace.journal_writer import Writer
from dovetail.workspace.operation import Outcome, Recovery

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dovetail.workspace.directory import Directory, Step
    from dovetail.workspace.file_set import Act
    from dovetail.workspace.jail import Jail
    from dovetail.workspace.log import Contents, Pending
    from dovetail.workspace.operation import Operation
    from dovetail.workspace.prepare import FileSet


@contextmanager
def written(operation: Operation) -> Iterator[None]:
    """Around what comes behind the last file: whatever stops it (Ctrl-C) takes along that the files are written."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"The files are written, as operation {operation.id}. To take them back: dovetail undo")
        raise


class Transaction:
    """One prepared set on its way to the disk, under the lock.

    `step` is called with a word before each act that could be the last.
    """

    def __init__(self, jail: Jail, writer: Writer, prepared: FileSet, bare: Operation, step: Step) -> None:
        self._jail = jail
        self._writer = writer
        self._items = {item.path: item for item in prepared.items}
        self._versions = prepared.blobs
        self._step = step
        files = tuple(item.record for item in prepared.items)
        self._operation = replace(bare, files=files, folders=prepared.folders)

    def run(self, extra: Mapping[str, bytes], clears: tuple[str, ...] = ()) -> Operation:
        """Write the set and return it as it was recorded.

        `extra` are further blobs to keep (the reply, the results); `clears` are folders to remove where they end up
        empty. Raises `WorkspaceError` where it could not be written; then nothing is.
        """
        writer, before = self._writer, self._writer.mark
        begun: int | None = None
        try:
            self._step("begin")
            writer.begin(self._operation, {**self._versions, **extra})
            begun = writer.mark.log
            self._stage()
            self._step("ready")
            writer.ready(self._operation)
            self._replace()
            remove_folders(self._jail, clears)
        except BaseException as error:
            try:
                left = self._taken_back(begun)
                if not left:  # else the next start looks at those files again
                    writer.cut(before.log, before.versions)
            except (OSError, WorkspaceError) as failed:
                told = failed if isinstance(failed, WorkspaceError) else explain(failed)
                raise WorkspaceError(
                    f"Writing failed, and so did taking it back. {told.message}",
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
            self._close()
        return self._operation

    def _stage(self) -> None:
        modes: dict[str, int] = {}
        for act in acts(self._operation, forward=True):
            if act.version is None or act.record.in_place:
                continue
            self._step("stage")
            item = self._items[act.record.path]
            with about(item.path), self._folder_to_stage_in(act) as folder:
                modes[item.path] = stage(folder, act.temp, self._versions[act.version.digest], item.like, item.mode)
        self._operation = self._operation.with_modes(modes)

    def _folder_to_stage_in(self, act: Act) -> Directory:
        if act.folder != act.own_folder:  # a file stands where that folder is to be
            return self._jail.open_folder(act.folder)
        with self._jail.locate(act.record.path, act.yielding) as place:
            return open_parent(place, self._step)

    def _replace(self) -> None:
        done = [act for act in acts(self._operation, forward=True) if not self._items[act.record.path].moot]
        for act in done:
            self._step("replace")
            found = self._items[act.record.path].found
            seen = signature(found.info) if found is not None else None
            bring(self._jail, act, seen, self._versions.__getitem__, self._step)
        flush(self._jail, done, self._step)

    def _taken_back(self, begun: int | None) -> tuple[str, ...]:
        """Take back what was written, where the record of it ends at `begun`; the files that were edited meanwhile."""
        if begun is None:
            return ()
        self._writer.cut(begun)  # first, as it decides what the next start does if this stops
        self._step("take-back")
        fetch = self._versions.__getitem__
        return settle(self._jail, self._operation, fetch, forward=False, step=self._step).left

    def _close(self) -> None:
        self._step("done")
        try:
            self._writer.done(self._operation)
        except OSError:
            # Every file is in place. Without the line the next start finds that, and says so.
            self._step("done-failed")


def recover(jail: Jail, journal: Journal, folder: Directory, contents: Contents, step: Step) -> Recovery | None:
    """Make whole what was interrupted, under the lock. Raises `WorkspaceError`; then the next start tries again."""
    pending = contents.pending
    if pending is None:
        return None
    try:
        return _made_whole(jail, pending, journal, folder, contents, step)
    except (OSError, WorkspaceError) as error:
        told = error if isinstance(error, WorkspaceError) else explain(error)
        operation = pending.operation
        said = f"An interrupted {operation.label} ({operation.id}) is not whole yet. {told.message}"
        raise WorkspaceError(said, code=told.code, hint=told.hint) from error


def _made_whole(
    jail: Jail, pending: Pending, journal: Journal, folder: Directory, contents: Contents, step: Step
) -> Recovery:
    operation = pending.operation

    def fetch(digest: str) -> bytes:
        return journal.blob(contents, digest)

    sides = set(survey(jail, operation, fetch).values())
    begun = sides & {Side.AFTER, Side.TORN, Side.MOVED}
    # A line that cannot be read may have said that all is staged; then a file that was replaced says so, too.
    ready = pending.ready or bool(contents.stray and begun)
    # Of files that were edited since only what is left beside them tells whether they had been replaced before.
    forward = ready and bool(Side.OTHER not in sides or begun or has_replaced(jail, operation))
    writer = Writer(folder, contents, journal.author())
    try:
        if pending.ready and not forward:
            writer.cut(pending.begun)
        settled = settle(jail, operation, fetch, forward=forward, step=step)
        if forward:
            undone = contents.operations.get(operation.undoes or "")
            remove_folders(jail, undone.folders if undone is not None else ())
            step("recovered")
            writer.done(operation, settled.left)
        else:
            step("recovered")
            writer.cut(pending.start)
    finally:
        writer.close()
    outcome = Outcome.COMPLETED if forward else Outcome.ROLLED_BACK
    return Recovery(operation.id, operation.label, outcome, settled.written, settled.left)
