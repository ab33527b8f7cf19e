"""A set of files, written all or none.

Owns the order of acts that makes it so: what is about to happen is recorded, every file is staged and flushed, the
record is closed, and only then the first file is replaced, each by one rename. Whatever stops it before the last file
is in place (an error, a full disk, Ctrl-C) takes everything back at once; a crash leaves the record, and the next
start makes the set whole.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.model.errors import WorkspaceError
from dovetail.workspace.bring import acts, bring, flush
from dovetail.workspace.explain import about, explain
from dovetail.workspace.files import signature, stage
from dovetail.workspace.folders import open_parent, remove_folders
from dovetail.workspace.settle import settle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dovetail.workspace.bring import Act
    from dovetail.workspace.directory import Directory
    from dovetail.workspace.jail import Jail
    from dovetail.workspace.operation import Operation
    from dovetail.workspace.prepare import FileSet
    from dovetail.workspace.steps import Step
    from dovetail.workspace.writer import Writer


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
