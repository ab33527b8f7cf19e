"""A set of files, written all or none.

Owns the order of acts that makes it so: what is about to happen is recorded, every file is staged and flushed, the
record is closed, and only then the first file is replaced, each by one rename. Whatever stops it before the last file
is in place (an error, a full disk, Ctrl-C) takes everything back at once; a crash leaves the record, and the next
start makes the set whole.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from dovetail.model.dataclasses import dataclass, replace
from dovetail.model.errors import ChangedError, WorkspaceError
from dovetail.workspace.explain import about, explain
from dovetail.workspace.files import signature, stage, write_in_place
from dovetail.workspace.folders import open_parent, remove_folders
from dovetail.workspace.names import temp_name
from dovetail.workspace.operation import FileRecord, Operation
from dovetail.workspace.settle import settle
from dovetail.workspace.steps import Step, no_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dovetail.workspace.jail import Jail, Place
    from dovetail.workspace.prepare import FileSet, Item
    from dovetail.workspace.writer import Mark, Writer


@contextmanager
def written(operation: Operation) -> Iterator[None]:
    """Around what comes behind the last file: whatever stops it (Ctrl-C) takes along that the files are written."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"The files are written, as operation {operation.id}. To take them back: dovetail undo")
        raise


@dataclass(frozen=True, slots=True)
class Transaction:
    """Writes prepared sets, under the lock. `step` is called with a word before each act that could be the last."""

    jail: Jail
    step: Step = no_step

    def run(
        self,
        writer: Writer,
        bare: Operation,
        prepared: FileSet,
        extra: Mapping[str, bytes],
        clears: tuple[str, ...] = (),
    ) -> Operation:
        """Write the set and return it as it was recorded.

        `extra` are further blobs to keep (the reply, the results); `clears` are folders to remove where they end up
        empty. Raises `WorkspaceError` where it could not be written; then nothing is.
        """
        files = tuple(item.record for item in prepared.items)
        operation = replace(bare, files=files, folders=prepared.folders)
        mark = writer.mark
        begun: int | None = None
        try:
            self.step("begin")
            writer.begin(operation, {**prepared.blobs, **extra})
            begun = writer.mark.log
            operation = self._stage(operation, prepared)
            self.step("ready")
            writer.ready(operation)
            self._replace(operation, prepared)
            remove_folders(self.jail, clears)
        except BaseException as error:
            self._take_back(writer, mark, begun, operation, prepared, error)
            if isinstance(error, OSError):
                raise explain(error, "nothing was written") from error
            raise
        with written(operation):
            self._close(writer, operation)
        return operation

    def _close(self, writer: Writer, operation: Operation) -> None:
        self.step("done")
        try:
            writer.done(operation)
        except OSError:
            # Every file is in place. Without the line the next start finds that, and says so.
            self.step("done-failed")

    def _take_back(
        self,
        writer: Writer,
        mark: Mark,
        begun: int | None,
        operation: Operation,
        prepared: FileSet,
        cause: BaseException,
    ) -> None:
        left: tuple[str, ...] = ()
        try:
            if begun is not None:
                writer.cut(begun)  # first, as it decides what the next start does if this stops
                self.step("take-back")
                fetch = prepared.blobs.__getitem__
                left = settle(self.jail, operation, fetch, forward=False, step=self.step).left
            if not left:  # else the next start looks at those files again
                writer.cut(mark.log, mark.versions)
        except (OSError, WorkspaceError) as error:
            told = error if isinstance(error, WorkspaceError) else explain(error)
            raise WorkspaceError(
                f"Writing failed, and so did taking it back. {told.message}",
                hint="Dovetail makes the files whole at its next start in this folder.",
            ) from cause
        if left:
            raise WorkspaceError(
                f"Writing failed and was taken back, but for {', '.join(left)}, edited meanwhile.",
                hint="Look at those files.",
            ) from cause

    def _stage(self, operation: Operation, prepared: FileSet) -> Operation:
        records: list[FileRecord] = []
        for n, (item, record) in enumerate(zip(prepared.items, operation.files, strict=True)):
            if item.data is None or record.after is None or item.in_place:
                records.append(record)
                continue
            self.step("stage")
            with about(item.path), self.jail.locate(item.path) as place, open_parent(place, self.step) as parent:
                mode = stage(parent, temp_name(operation.id, n), item.data, item.like, item.mode)
            records.append(replace(record, after=replace(record.after, mode=mode)))
        return replace(operation, files=tuple(records))

    def _replace(self, operation: Operation, prepared: FileSet) -> None:
        numbered = [(n, item) for n, item in enumerate(prepared.items) if not item.moot]
        # In place first: only they can still run out of space, and then no other file has to be taken back.
        # Deletions last: a renamed file is never missing under both names.
        for n, item in sorted(numbered, key=lambda pair: (pair[1].data is None, not pair[1].in_place)):
            self.step("replace")
            with about(item.path), self.jail.locate(item.path) as place:
                _check_still(item, place)
                self._put(item, place, temp_name(operation.id, n))
        for path in {item.real.rpartition("/")[0]: item.path for _, item in numbered}.values():
            self.step("flush")
            with about(path), self.jail.locate(path) as place:
                place.directory.sync()

    def _put(self, item: Item, place: Place, temp: str) -> None:
        if item.data is None:
            place.directory.unlink(place.name)
        elif item.in_place:
            write_in_place(place.directory, place.name, item.data, item.mode)
        elif item.case_of is not None:
            place.directory.replace(item.case_of, place.name)
            self.step("replace")
            place.directory.replace(temp, place.name)
        elif item.found is None:
            place.directory.rename_to_new(temp, place.name)
        else:
            place.directory.replace(temp, place.name)


def _check_still(item: Item, place: Place) -> None:
    """The last look before a file is replaced."""
    was = None if item.found is None else signature(item.found.info)
    now = None if place.info is None else signature(place.info)
    if was != now or place.real != item.real:
        raise ChangedError(f"`{item.path}` changed while it was written; nothing was.", hint="Run it again.")
