"""What of the journal stands yet, as the page tells it: an operation whose edits were each taken back is undone too.

The journal itself knows only operations that were taken back whole; undoing an emptied one would write an entry that
says nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from dovetail.model.codes import Status
from dovetail.model.errors import JournalError
from dovetail.session.history import edits_taken_back
from dovetail.workspace import Label, State
from dovetail.workspace.history import to_redo, to_undo

if TYPE_CHECKING:
    from dovetail.web.turn_state import Record
    from dovetail.workspace import Operation, Workspace

TakenBack = Mapping[str, frozenset[int]]


def is_emptied(workspace: Workspace, operation: Operation, taken_back: TakenBack) -> bool:
    """Whether every edit of an apply was taken back by itself. Raises `JournalError`."""
    gone = taken_back.get(operation.id)
    if gone is None or operation.label is not Label.APPLY or operation.state is not State.DONE:
        return False
    results = workspace.show(operation.id).results
    return all(result["n"] in gone for result in results if result["status"] == Status.APPLIED)


def next_to_undo(workspace: Workspace) -> str:
    """The newest operation of which something stands. Raises `JournalError` where there is none."""
    operations = {operation.id: operation for operation in workspace.log()}
    taken_back = edits_taken_back(operations.values())
    while is_emptied(workspace, newest := to_undo(operations, None), taken_back):
        del operations[newest.id]
    return newest.id


def journal_record(workspace: Workspace) -> Record:
    """What undo and redo would take."""
    operations = {operation.id: operation for operation in workspace.log()}
    undo: str | None = None
    redo = False
    with suppress(JournalError):
        undo = next_to_undo(workspace)
    with suppress(JournalError):
        redo = bool(to_redo(operations))
    return {"undo": undo, "redo": redo, "count": len(operations)}
