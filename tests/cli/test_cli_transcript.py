"""`dovetail transcript` on a log of a session: what it writes is shown and asked for first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_shell import at_terminal, dovetail

BEFORE, AFTER = "fare = 5\n", "fare = 6\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A session of one edit, on a folder beside it."""
    root = tmp_path / "ferry"
    root.mkdir()
    (root / "ferry.py").write_text(AFTER)
    at = {"sessionId": "s", "cwd": str(root)}
    edit = {"file_path": str(root / "ferry.py"), "old_string": "5", "new_string": "6"}
    use = {"type": "tool_use", "id": "t", "name": "Edit", "input": edit}
    hunk = {"oldStart": 1, "newStart": 1, "lines": ["-fare = 5", "+fare = 6"]}
    result = {"filePath": str(root / "ferry.py"), "originalFile": BEFORE, "structuredPatch": [hunk]}
    back = {"type": "tool_result", "tool_use_id": "t"}
    records = [
        {**at, "type": "assistant", "message": {"content": [use]}},
        {**at, "type": "user", "message": {"content": [back]}, "toolUseResult": result},
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize("wanted", [["--undo-all"], ["--undo", "1"], ["--undo-all", "--json"]])
def test_nothing_is_taken_back_without_consent(log: Path, wanted: list[str]) -> None:
    root = log.with_name("ferry")
    done = dovetail(root, "transcript", str(log), *wanted)
    assert (done.returncode, (root / "ferry.py").read_text()) == (2, AFTER), done.stdout
    assert "fare = 5" in done.stdout
    assert "Add --yes" in done.stderr


@pytest.mark.parametrize(("key", "status", "after"), [("n", 1, AFTER), ("", 1, AFTER), ("y", 0, BEFORE)])
def test_a_person_is_asked(log: Path, key: str, status: int, after: str) -> None:
    root = log.with_name("ferry")
    with at_terminal(root, "transcript", str(log), "--undo-all") as person:
        assert "fare = 5" in person.wait_for("(Enter: no)")
        assert (root / "ferry.py").read_text() == AFTER
        person.type(key)
        assert person.leave() == status
    assert (root / "ferry.py").read_text() == after
