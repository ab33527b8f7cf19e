"""Asks the journal whether a reply was applied before, where its files alone cannot tell.

A deleted line leaves no trace to recognise: on a second run its search is simply missing; and a line put behind each of
its kind could be put there again. Where the journal holds this very reply, applied and not undone, it decides: a
deletion or a move that it made then and that finds nothing now is already applied, and so is any of its edits while the
file is still as it left it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import MISSED, Code, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dovetail.model.results import BlockResult, Plan
    from dovetail.model.snapshot import Snapshot
    from dovetail.workspace import Operation, Workspace

_DONE = frozenset({Status.APPLIED, Status.ALREADY_APPLIED})


def settled_by_journal(workspace: Workspace, reply: str, plan: Plan, snapshot: Snapshot) -> Mapping[int, BlockResult]:
    """Results, by number, for edits that an operation has applied already, and that the plan does not know as such."""
    asked = [result for result in plan.results if _is_open(result)]
    operation = workspace.find_reply(reply) if asked else None
    if operation is None:
        return {}
    applied = {result["n"] for result in workspace.show(operation.id).results if result["status"] in _DONE}
    return {
        result.n: _settled(result, operation)
        for result in asked
        if result.n in applied and (_is_gone(result) or _as_left(result.path, operation, snapshot))
    }


def _is_open(result: BlockResult) -> bool:
    """Whether the plan takes the edit for one that is still to be made; what the user left out is settled."""
    held_back = result.status is Status.SKIPPED and result.code is Code.OTHER_FAILED
    return held_back or result.status in (Status.APPLIED, Status.FAILED)


def _is_gone(result: BlockResult) -> bool:
    """Whether a deletion finds nothing, or a move no file."""
    if result.status is not Status.FAILED or result.code not in (*MISSED, Code.FILE_MISSING):
        return False
    return _removes(result.block) or (result.code is Code.FILE_MISSING and result.block.destination is not None)


def _removes(block: Block) -> bool:
    return block.kind in (Kind.DELETE, Kind.RENAME) or (block.kind is Kind.EDIT and not block.replace.strip())


def _as_left(path: str | None, operation: Operation, snapshot: Snapshot) -> bool:
    """Whether a file still has the bytes that the operation gave it."""
    left = {record.path: record.after.digest for record in operation.files if record.after is not None}
    return path is not None and path in left and path in snapshot.files and snapshot.files[path].digest == left[path]


def _settled(result: BlockResult, operation: Operation) -> BlockResult:
    reason = f"Operation {operation.id} applied it."
    return replace(
        result, status=Status.ALREADY_APPLIED, code=None, reason=reason, hint=None, nearest=None, places=(), warnings=()
    )
