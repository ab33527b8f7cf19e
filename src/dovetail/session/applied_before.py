"""Asks the journal whether a reply was applied before, where its files alone cannot tell.

A deleted line leaves no trace to recognise: on a second run its search is simply missing. Where the journal holds
this very reply, applied and not undone, an edit that it applied then and that finds nothing now is already applied.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.model.codes import Code, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dovetail.model.results import BlockResult, Plan
    from dovetail.workspace import Operation, Workspace

_GONE = frozenset({Code.NO_MATCH, Code.FILE_MISSING})
_DONE = frozenset({Status.APPLIED, Status.ALREADY_APPLIED})


def settled_by_journal(workspace: Workspace, reply: str, plan: Plan) -> Mapping[int, BlockResult]:
    """Results, by number, for failed edits that an operation has applied already."""
    missed = [result for result in plan.failed if result.code in _GONE]
    operation = workspace.find_reply(reply) if missed else None
    if operation is None:
        return {}
    applied = {result["n"] for result in workspace.show(operation.id).results if result["status"] in _DONE}
    return {result.n: _settled(result, operation) for result in missed if result.n in applied}


def _settled(result: BlockResult, operation: Operation) -> BlockResult:
    reason = f"Operation {operation.id} applied it."
    return replace(
        result, status=Status.ALREADY_APPLIED, code=None, reason=reason, hint=None, nearest=None, places=(), warnings=()
    )
