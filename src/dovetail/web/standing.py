"""What undo and redo would take, as the page tells it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from dovetail.model.errors import JournalError
from dovetail.session.emptied import next_to_undo
from dovetail.workspace.history import to_redo

if TYPE_CHECKING:
    from dovetail.web.turn_state import Record
    from dovetail.workspace import Workspace


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
