"""The journal on the page: what was done, one operation in full, undo and redo, whole or edit by edit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dovetail.hooks.notes import withdraw_note
from dovetail.model.errors import JournalError
from dovetail.session.apply import operations
from dovetail.session.apply.diff import with_renames_joined
from dovetail.session.apply.records import Record, of_operation
from dovetail.session.apply.undo_edits import undo_edits
from dovetail.web.planning import after_writing, look_around
from dovetail.web.turns import change_record
from dovetail.workspace.operation import renames_of

if TYPE_CHECKING:
    from dovetail.web.page_session import PageSession
    from dovetail.workspace import Operation


def log(session: PageSession, most: int) -> Record:
    """Return the newest operations, newest first, and how many cannot be read."""
    logged = operations.log(session.root, most=most)
    records = [_record(operation, logged.undone.get(operation.id, ())) for operation in logged.operations]
    return {"operations": records, "lost": logged.lost}


def _record(operation: Operation, undone: Collection[int]) -> Record:
    """Return an operation with its renames, the edits that were undone alone, and how many before it cannot be read."""
    renamed = renames_of(operation.files)
    return {**of_operation(operation), "renamed": renamed, "undone": sorted(undone), "lost": operation.lost}


def show(session: PageSession, name: str) -> Record:
    """Return one operation with its reply, results and diffs. Raises `JournalError`."""
    looked = operations.show(session.root, name)
    shown, operation = looked.shown, looked.shown.operation
    turns = (
        turn.id
        for turn in session.turns.values()
        if turn.choices is not None and any(write.operation == operation.id for write in turn.choices.writes)
    )
    return {
        "operation": _record(operation, looked.undone),
        "reply": shown.reply,
        "results": list(shown.results),
        "changes": [change_record(change) for change in with_renames_joined(looked.changes)],
        "turn": next(turns, None),
    }


def undo(session: PageSession, name: str | None, edits: Sequence[int], *, dry_run: bool) -> Record:
    """Undo an operation (None: the newest), or some of its edits. Raises `JournalError`."""
    with _looking_around(session):
        if edits:
            done = undo_edits(session.root, name, edits, session.options.reply, dry_run=dry_run)
        else:
            done = operations.undo(session.root, name, dry_run=dry_run)
    return _finish(session, done, dry_run=dry_run)


def redo(session: PageSession, *, dry_run: bool) -> Record:
    """Redo what was undone last. Raises `JournalError`."""
    with _looking_around(session):
        done = operations.redo(session.root, dry_run=dry_run)
    return _finish(session, done, dry_run=dry_run)


@contextmanager
def _looking_around(session: PageSession) -> Iterator[None]:
    """Update the page if the journal refuses in the block, as a terminal may have used it meanwhile."""
    try:
        yield
    except JournalError:
        look_around(session)
        raise


def _finish(session: PageSession, done: operations.UndoResult, *, dry_run: bool) -> Record:
    operation = of_operation(done.operation)
    if not dry_run:
        with session.open() as workspace:
            after_writing(session, workspace, done.changes, done.operation)
        for taken in done.operation.reverses:  # the agents' edits are in force again, so drop their notes
            withdraw_note(str(session.root), taken)
    changes = [change_record(change) for change in with_renames_joined(done.changes)]
    return {"operation": operation, "changes": changes, "notes": done.notes}
