"""The journal as records of Agent Trace: which lines, of which operation; nothing of what was taken back."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest

from dovetail.cli import main
from dovetail.model.results import FileChange
from dovetail.session.apply import operations
from dovetail.session.apply.agent_trace import trace_records
from dovetail.workspace import Origin, Workspace


def write(root: Path, before: dict[str, str | None], after: dict[str, str | None], origin: Origin | None = None) -> str:
    with Workspace.open(root) as ws:
        changes = [FileChange(path, before[path], after[path]) for path in after]
        return ws.commit(changes, ws.snapshot(after), origin=origin).id


def test_each_operation_that_stands_names_its_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    origin = Origin("claude", "s1", 2, "Change it.", "Edit", ("t1",))
    first = write(tmp_path, {"a": None, "b": None}, {"a": "1\n2\n3\n", "b": "1\n"}, origin)
    second = write(tmp_path, {"a": "1\n2\n3\n", "b": "1\n"}, {"a": "0\n1\n2\nthree\nfour\n", "b": None})
    write(tmp_path, {"a": "0\n1\n2\nthree\nfour\n"}, {"a": "0\n"})
    operations.undo(tmp_path)
    (one, two) = trace_records(tmp_path, 20)
    assert one["version"] == "0.1.0"
    assert uuid.UUID(one["id"]) != uuid.UUID(two["id"])
    assert [file["path"] for file in one["files"]] == ["a", "b"]
    assert one["metadata"]["dev.dovetail"] == {
        "operation": first,
        "agent": "claude",
        "session": "s1",
        "prompt": 2,
        "tool": "Edit",
        "calls": ["t1"],
    }
    ranges = [{"start_line": 1, "end_line": 1}, {"start_line": 4, "end_line": 5}]
    conversation = {"contributor": {"type": "ai"}, "ranges": ranges}
    assert two["files"] == [{"path": "a", "conversations": [conversation]}]
    assert two["metadata"]["dev.dovetail"] == {"operation": second}
    assert list(trace_records(tmp_path, 1)) == [two]
    assert main(["log", "--format", "agent-trace", "-C", str(tmp_path)]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [one, two]
