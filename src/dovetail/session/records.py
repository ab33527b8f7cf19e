"""Values as plain JSON objects: what `--json` prints, `batch` answers and the journal keeps.

Owns every key of the documented schemas in `dovetail.schema`; keys are only ever added. Lines count from 1, absent
values are null, and enumerations are the words that users type.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.formats import Validation
from dovetail.model.blocks import Block, DatabaseAction, ShellSuggestion
from dovetail.model.diagnostics import Diagnostic, Nearest
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.session.diff import patch
from dovetail.workspace.operation import Operation

Record = dict[str, Any]


def of_explained(result: BlockResult) -> Record:
    """One block's result, with all that a person is shown."""
    previews = result.previews
    return {
        "n": result.n,
        "path": result.path,
        "format": result.block.format,
        "line": result.block.line,
        "status": str(result.status),
        "code": _word(result.code),
        "reason": result.reason,
        "tier": _word(result.tier),
        "score": result.score,
        "confidence": _word(result.confidence),
        "start": result.start,
        "end": result.end,
        "previews": {"anchor": previews.anchor, "old": previews.old, "new": previews.new},
        "kind": str(result.block.kind),
        "hint": result.hint,
        "new_start": result.new_start,
        "new_end": result.new_end,
        "places": list(result.places),
        "enclosing": [name or None for name in result.enclosing],
        "nearest": of_nearest(result.nearest) if result.nearest is not None else None,
        "warnings": [of_diagnostic(warning) for warning in result.warnings],
    }


def of_nearest(nearest: Nearest) -> Record:
    """The explained miss."""
    return {
        "start": nearest.start,
        "end": nearest.end,
        "similarity": nearest.similarity,
        "difference": str(nearest.difference),
        "line": nearest.line,
        "expected": nearest.expected,
        "found": nearest.found,
        "corrected": nearest.corrected,
    }


def of_diagnostic(diagnostic: Diagnostic) -> Record:
    """A finding: code, weight, place, sentence, next step."""
    return {
        "code": str(diagnostic.code),
        "severity": str(diagnostic.severity),
        "message": diagnostic.message,
        "path": diagnostic.path,
        "line": diagnostic.line,
        "hint": diagnostic.hint,
    }


def of_shell(suggestion: ShellSuggestion) -> Record:
    """A command that the reply suggests."""
    return {"command": suggestion.command, "line": suggestion.line, "origin": suggestion.origin}


def of_database(action: DatabaseAction) -> Record:
    """A database action of an artifact."""
    return {"operation": action.operation, "sql": action.sql, "line": action.line, "path": action.path}


def of_change(change: FileChange) -> Record:
    """One file's change, with its patch."""
    return {"path": change.path, "change": kind_of(change), "source": change.source, "diff": patch(change)}


def kind_of(change: FileChange) -> str:
    """What happens to a file, in one word."""
    if change.after is None:
        return "deleted"
    if change.source is not None:
        return "renamed"
    return "created" if change.before is None else "modified"


def of_block(n: int, block: Block) -> Record:
    """A block, whole."""
    return {
        "n": n,
        "format": block.format,
        "kind": str(block.kind),
        "path": block.path,
        "line": block.line,
        "destination": block.destination,
        "search": block.search,
        "replace": block.replace,
        "readings": len(block.readings),
        "draft": block.draft,
        "malformed": of_diagnostic(block.malformed) if block.malformed is not None else None,
    }


def of_plan(plan: Plan, findings: Sequence[Diagnostic] = ()) -> Record:
    """A plan, each change with its patch; `findings` are further diagnostics."""
    return {
        "results": [of_explained(result) for result in plan.results],
        "files_modified": list(plan.files_modified),
        "changes": [of_change(change) for change in plan.changes],
        "shell_suggestions": [of_shell(suggestion) for suggestion in plan.shell_suggestions],
        "database_actions": [of_database(action) for action in plan.database_actions],
        "diagnostics": [of_diagnostic(diagnostic) for diagnostic in (*plan.diagnostics, *findings)],
    }


def of_operation(operation: Operation) -> Record:
    """One entry of the journal."""
    return {
        "id": operation.id,
        "time": operation.time,
        "label": str(operation.label),
        "state": str(operation.state),
        "paths": list(operation.paths),
        "undoes": operation.undoes,
        "edits": list(operation.edits),
        "left": list(operation.left),
    }


def of_validation(checked: Validation) -> Record:
    """What a reply says, with what was found in checking it."""
    parsed = checked.parsed
    return {
        "blocks": [of_block(n, block) for n, block in enumerate(parsed.blocks, 1)],
        "paths": list(parsed.paths),
        "markers": [
            {"format": count.format, "start": count.start, "divider": count.divider, "end": count.end}
            for count in checked.counts
        ],
        "shell_suggestions": [of_shell(suggestion) for suggestion in parsed.shell_suggestions],
        "database_actions": [of_database(action) for action in parsed.database_actions],
        "diagnostics": [of_diagnostic(diagnostic) for diagnostic in checked.diagnostics],
    }


def _word(value: str | None) -> str | None:
    return str(value) if value is not None else None
