"""Values as plain JSON objects: what `--json` prints, `batch` answers and the journal keeps.

Owns every key of the documented schemas in `dovetail.schema`; keys are only ever added. Lines count from 1, absent
values are null, and enumerations are the words that users type.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from dovetail.model.blocks import Block, DatabaseAction, ShellSuggestion
from dovetail.model.codes import Status
from dovetail.model.diagnostics import Diagnostic, Nearest
from dovetail.model.results import BlockResult, FileChange, Plan
from dovetail.session.apply.diff import patch
from dovetail.workspace.operation import Operation

if TYPE_CHECKING:
    from dovetail.formats import Validation

Record = dict[str, Any]
_MOST_PLACES = 20  # that are listed of an edit: a short search in a long file fits thousands


def fields(value: object, names: str) -> Record:
    """Return attributes of a value as a JSON object. names: separated by blanks. Tuples become lists, enums words."""
    found = {name: getattr(value, name) for name in names.split()}
    return {
        name: str(one) if isinstance(one, StrEnum) else list(one) if isinstance(one, tuple) else one
        for name, one in found.items()
    }


def of_explained(result: BlockResult, *, written: bool = False) -> Record:
    """Return one block's result, with all that a person is shown. written: the plan has been written to the files."""
    return {
        **fields(result, "n path"),
        **fields(result.block, "format line"),
        "status": str(Status.WRITTEN if written and result.status is Status.FITS else result.status),
        **fields(result, "code reason tier score confidence start end"),
        "previews": fields(result.previews, "anchor old new"),
        "kind": str(result.block.kind),
        **fields(result, "hint new_start new_end"),
        "places": list(result.places[:_MOST_PLACES]),
        "place_count": len(result.places),
        "enclosing": [name or None for name in result.enclosing[:_MOST_PLACES]],
        "nearest": of_nearest(result.nearest) if result.nearest is not None else None,
        "warnings": [of_diagnostic(warning) for warning in result.warnings],
    }


def of_nearest(nearest: Nearest) -> Record:
    """Return the text nearest to an edit that did not fit, and how it differs."""
    return fields(nearest, "start end similarity difference line expected found corrected")


def of_diagnostic(diagnostic: Diagnostic) -> Record:
    """Return a diagnostic: code, severity, message, path, line, hint."""
    return fields(diagnostic, "code severity message path line hint")


def of_shell(suggestion: ShellSuggestion) -> Record:
    """Return a command that the reply suggests."""
    return fields(suggestion, "command line origin")


def of_database(action: DatabaseAction) -> Record:
    """Return a database action of an artifact."""
    return fields(action, "operation sql line path")


def of_change(change: FileChange) -> Record:
    """Return one file's change, with its patch."""
    return {"path": change.path, "change": kind_of(change), "source": change.source, "diff": patch(change)}


def kind_of(change: FileChange) -> str:
    """Return the kind of a file's change: deleted, renamed, created or modified."""
    if change.after is None:
        return "deleted"
    if change.source is not None:
        return "renamed"
    return "created" if change.before is None else "modified"


def of_block(n: int, block: Block) -> Record:
    """Return a block, whole."""
    return {
        "n": n,
        **fields(block, "format kind path line destination search replace"),
        "readings": len(block.readings),
        "draft": block.draft,
        "malformed": of_diagnostic(block.malformed) if block.malformed is not None else None,
    }


def of_plan(plan: Plan, findings: Sequence[Diagnostic] = (), *, written: bool = False) -> Record:
    """Return a plan, each change with its patch. findings: further diagnostics. written: as for `of_explained`."""
    return {
        "results": [of_explained(result, written=written) for result in plan.results],
        "files_modified": list(plan.files_modified),
        "changes": [of_change(change) for change in plan.changes],
        "shell_suggestions": [of_shell(suggestion) for suggestion in plan.shell_suggestions],
        "database_actions": [of_database(action) for action in plan.database_actions],
        "diagnostics": [of_diagnostic(diagnostic) for diagnostic in (*plan.diagnostics, *findings)],
    }


def of_operation(operation: Operation) -> Record:
    """Return one entry of the journal."""
    origin = operation.origin
    return {
        **fields(operation, "id time label state paths undoes also edits left only not_covered"),
        "agent": origin.agent if origin is not None else None,
        "session": origin.session if origin is not None else None,
        "prompt": origin.prompt if origin is not None else None,
        "request": origin.words if origin is not None else None,
        "tool": origin.tool if origin is not None else None,
        "call": origin.call if origin is not None else None,
    }


def of_validation(checked: Validation) -> Record:
    """Return the blocks and commands of a reply, with the findings of its check."""
    parsed = checked.parsed
    return {
        "blocks": [of_block(n, block) for n, block in enumerate(parsed.blocks, 1)],
        "paths": list(parsed.paths),
        "markers": [fields(count, "format start divider end") for count in checked.counts],
        "shell_suggestions": [of_shell(suggestion) for suggestion in parsed.shell_suggestions],
        "database_actions": [of_database(action) for action in parsed.database_actions],
        "diagnostics": [of_diagnostic(diagnostic) for diagnostic in checked.diagnostics],
    }
