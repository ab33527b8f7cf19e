"""The journal in the form of Agent Trace 0.1.0: for each operation, which lines of which files an agent wrote.

Owns that form alone; nothing is written. Lines count in the file as the operation left it. Operations that were taken
back, and those that take back, are left out.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dovetail import __version__
from dovetail.model.errors import JournalError
from dovetail.model.text import split_lines
from dovetail.text.diff import diff
from dovetail.workspace import Operation, OperationState, Workspace

VERSION = "0.1.0"
_VENDOR = "dev.dovetail"


def trace_records(root: Path, most: int) -> Iterator[dict[str, Any]]:
    """Yield a record for each of the newest `most` operations that are not undone, oldest first; none without lines."""
    with Workspace.open(root) as workspace:
        operations = [one for one in workspace.log() if one.label.is_first and one.state is OperationState.DONE]
        for operation in operations[-most:]:
            files = list(_files(workspace, operation))
            if files:
                yield _record(operation, files)


def _files(workspace: Workspace, operation: Operation) -> Iterator[dict[str, Any]]:
    for record in operation.files:
        before, after = record.digests
        try:
            old = None if before is None else workspace.text(before, record.path)
            new = None if after is None else workspace.text(after, record.path)
        except JournalError:  # the journal has lost its bytes
            continue
        if new is None:
            continue
        hunks = diff(split_lines(old or ""), split_lines(new))
        ranges = [{"start_line": hunk.b1 + 1, "end_line": hunk.b2} for hunk in hunks if hunk.b2 > hunk.b1]
        if ranges:
            yield {"path": record.path, "conversations": [{"contributor": {"type": "ai"}, "ranges": ranges}]}


def _record(operation: Operation, files: list[dict[str, Any]]) -> dict[str, Any]:
    origin = operation.origin
    about: dict[str, Any] = {"operation": operation.id}
    if origin is not None:
        about |= {"agent": origin.agent, "session": origin.session, "prompt": origin.prompt}
        about |= {"tool": origin.tool, "calls": list(origin.calls)}
    name = f"dovetail:{operation.id} {' '.join(str(record.digests) for record in operation.files)}"
    return {
        "version": VERSION,
        "id": str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
        "timestamp": operation.time,
        "tool": {"name": "dovetail", "version": __version__},
        "files": files,
        "metadata": {_VENDOR: about},
    }
