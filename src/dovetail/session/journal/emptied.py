"""Operations of which nothing stands any more, because each of their edits was taken back by itself.

The journal itself knows only operations that were taken back whole; undoing an emptied one would write an entry that
says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.model.codes import Status
from dovetail.model.errors import JournalError
from dovetail.workspace import Label, State
from dovetail.workspace.history import to_undo

if TYPE_CHECKING:
    from dovetail.workspace import Operation, Workspace

TakenBackEdits = Mapping[str, frozenset[int]]
"""The edits of each operation that were taken back by themselves, by its id."""


def edits_taken_back(operations: Iterable[Operation]) -> TakenBackEdits:
    """The edits of each operation that were taken back by themselves, and not brought again."""
    taken_back: dict[str, frozenset[int]] = {}
    for operation in operations:
        if operation.label is Label.UNDO and operation.edits and operation.state is State.DONE and operation.undoes:
            taken_back[operation.undoes] = taken_back.get(operation.undoes, frozenset()).union(operation.edits)
    return taken_back


def as_it_stands(workspace: Workspace, operation: Operation, taken_back: TakenBackEdits) -> Operation:
    """An operation as people are shown it: undone, too, where each of its edits was taken back by itself."""
    with suppress(JournalError):  # what it was cannot be read any more; that it was can
        if _is_emptied(workspace, operation, taken_back):
            return replace(operation, state=State.UNDONE)
    return operation


def _is_emptied(workspace: Workspace, operation: Operation, taken_back: TakenBackEdits) -> bool:
    """Whether every edit of an apply was taken back by itself. Raises `JournalError`."""
    gone = taken_back.get(operation.id)
    if gone is None or operation.label is not Label.APPLY or operation.state is not State.DONE:
        return False
    results = workspace.show(operation.id).results
    return all(result["n"] in gone for result in results if result["status"] == Status.APPLIED)


def next_to_undo(workspace: Workspace, known: Mapping[str, Operation]) -> str:
    """The newest of the operations of which something stands. Raises `JournalError` where there is none."""
    operations = dict(known)
    taken_back = edits_taken_back(operations.values())
    while _is_emptied(workspace, newest := to_undo(operations, None), taken_back):
        del operations[newest.id]
    return newest.id


def fates_of(workspace: Workspace, wanted: Iterable[str]) -> dict[str, frozenset[int] | None]:
    """What the journal says of some applies, in the same order: the edits of each that were taken back by themselves.

    None for one of which nothing stands; those that the journal does not know (any more) are left out. Raises
    `JournalError`.
    """
    operations = {operation.id: operation for operation in workspace.log()}
    taken_back = edits_taken_back(operations.values())
    known = [operations[name] for name in wanted if name in operations and operations[name].label is Label.APPLY]
    return {
        operation.id: taken_back.get(operation.id, frozenset()) if _stands(workspace, operation, taken_back) else None
        for operation in known
    }


def _stands(workspace: Workspace, operation: Operation, taken_back: TakenBackEdits) -> bool:
    return operation.state is State.DONE and not _is_emptied(workspace, operation, taken_back)
