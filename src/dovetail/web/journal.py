"""The journal on the page: what was done, one operation shown, undo and redo, whole or edit by edit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dovetail.model.results import FileChange
from dovetail.session import history
from dovetail.session.diff import diff
from dovetail.session.record import kind_of, of_operation
from dovetail.session.settings import Settings
from dovetail.session.undo_edits import undo_edits
from dovetail.web.desk import journal_record
from dovetail.web.planning import after_writing
from dovetail.web.turn_records import of_hunks

if TYPE_CHECKING:
    from dovetail.session.history import TakenBack
    from dovetail.web.desk import Desk
    from dovetail.web.turn_state import Record


def log(desk: Desk, most: int) -> Record:
    """The newest operations, newest first."""
    return {"operations": [of_operation(operation) for operation in history.log(desk.root).operations[:most]]}


def show(desk: Desk, wanted: str) -> Record:
    """One operation with its reply, results and diffs. Raises `JournalError`."""
    shown, changes = history.show(desk.root, wanted)
    mine = shown.operation.id
    turns = (
        turn.id
        for turn in desk.turns.values()
        if turn.choices is not None and any(write.operation == mine for write in turn.choices.writes)
    )
    return {
        "operation": of_operation(shown.operation),
        "reply": shown.reply,
        "results": list(shown.results),
        "changes": [of_changed(change) for change in changes],
        "turn": next(turns, None),
    }


def undo(desk: Desk, wanted: str | None, edits: Sequence[int], *, dry_run: bool) -> Record:
    """Take back an operation, or some of its edits. Raises `JournalError`."""
    if edits:
        settings = Settings(desk.options.policy, desk.options.reading, desk.options.markers)
        done = undo_edits(desk.root, wanted, edits, settings, dry_run=dry_run)
    else:
        done = history.undo(desk.root, wanted, dry_run=dry_run)
    notes = ["Git's index and commits were not touched."] if done.in_git else []
    return _told(desk, done, notes, dry_run=dry_run)


def redo(desk: Desk, *, dry_run: bool) -> Record:
    """Do again what was undone last. Raises `JournalError`."""
    return _told(desk, history.redo(desk.root, dry_run=dry_run), [], dry_run=dry_run)


def of_changed(change: FileChange) -> Record:
    """One file's change with its hunks."""
    return {
        "path": change.path,
        "change": kind_of(change),
        "source": change.source,
        "hunks": of_hunks(diff(change.before or "", change.after or "")),
    }


def _told(desk: Desk, done: TakenBack, notes: list[str], *, dry_run: bool) -> Record:
    operation = of_operation(done.operation)
    if not dry_run:
        with desk.open() as workspace:
            after_writing(desk, workspace, [change.path for change in done.changes])
            desk.publish("journal", {**journal_record(workspace.log()), "operation": operation})
        if any(change.before is None or change.after is None for change in done.changes):
            desk.publish("tree", {})
    said = [done.recovery.message] if done.recovery is not None else []
    return {"operation": operation, "changes": [of_changed(change) for change in done.changes], "notes": said + notes}
