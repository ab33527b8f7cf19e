"""`dovetail audit`: the figures of agents' logs equal a count by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_shell import dovetail

from dovetail.agents.audit import OTHER, reason_of

EDITS = [  # what Claude Code was asked, and what its tool said
    ("Write", {"content": "one\ntwo\ntwo\n"}, None),
    ("Edit", {"old_string": "one ", "new_string": "1"}, "String to replace not found in file."),
    ("Edit", {"old_string": "two", "new_string": "2"}, "Found 2 matches of the string to replace."),
    ("Edit", {"old_string": "one", "new_string": "1"}, "File has not been read yet. Read it first."),
    ("Bash", {"command": "rm b"}, None),
    ("Write", {"content": "three\n"}, None),
    ("Edit", {"old_string": "three", "new_string": "3"}, "The user doesn't want to proceed with this tool use."),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    records: list[dict[str, Any]] = []
    for n, (name, given, said) in enumerate(EDITS):
        who = {"sessionId": "s", "cwd": "/ferry", "timestamp": f"2026-01-01T00:00:{n:02}Z"}
        fields = given if name == "Bash" else {"file_path": "/ferry/a", **given}
        use = {"type": "tool_use", "id": f"t{n}", "name": name, "input": fields}
        records.append({**who, "message": {"model": "claude <b>", "content": [use]}})
        back = {"type": "tool_result", "tool_use_id": f"t{n}", "content": said, "is_error": said is not None}
        done: object = f"Error: {said}" if said else {"stdout": ""}
        if name == "Write":
            done = {"type": "update", "filePath": "/ferry/a", "content": given["content"], "originalFile": None}
        records.append({**who, "message": {"content": [back]}, "toolUseResult": done})
    log = tmp_path / ".claude" / "projects" / "p" / "s.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    return tmp_path


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("0 occurrences found for old_string", "text not found"),
        ("Failed to edit, expected 1 occurrence but found 0.", "text not found"),
        ("Failed to edit, expected 2 occurrences but found 0.", "text not found"),
        ("Failed to edit, expected 1 occurrence but found 3.", "several places"),
        ("10 occurrences of the text", "several places"),
        ("Out of cheese", OTHER),
    ],
)
def test_a_reason_is_told_by_what_the_tool_said(said: str, reason: str) -> None:
    assert reason_of(said) == reason


def test_the_figures_are_those_of_a_count_by_hand(home: Path) -> None:
    done = dovetail(home, "audit", "--json", extra={"HOME": str(home)})  # the logs of today, under HOME
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    figures = {(group["tool"], group["month"]): group for group in found["groups"]}
    assert set(figures) == {("Bash", "2026-01"), ("Edit", "2026-01"), ("Write", "2026-01")}
    total = found["total"]
    assert (found["logs"], total["edits"], total["refused"], total["commands"]) == (1, 6, 4, 1)
    assert total["reasons"] == dict.fromkeys(
        ("text not found", "several places", "file not read before", "refused by the user"), 1
    )
    assert (total["planned"], total["landed"], total["again"]) == (
        4,
        3,
        3,
    )  # two places stay two, the last was not again


def test_a_table_and_a_page(home: Path) -> None:
    log = next(home.rglob("s.jsonl"))
    done = dovetail(home, "audit", str(log), "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert re.search(r"2026-01 +claude-code +claude <b> +Edit +4 +4 +3 of 4 +3\n", done.stdout)
    assert "Dovetail lands 3 of the 4 refused edits" in done.stdout
    page = (home / "page.html").read_text()
    assert "<b>" not in page
    assert "claude &lt;b&gt;" in page
    assert "4 of 6, 67%" in page
    assert not re.search(r"<script|https?:", page)


def test_what_is_no_log_is_named(home: Path) -> None:
    (home / "other.txt").write_text("hello")
    done = dovetail(home, "audit", "other.txt", str(next(home.rglob("s.jsonl"))), "--json")
    assert done.returncode == 1
    assert [one["path"].endswith("other.txt") for one in json.loads(done.stdout)["unread"]] == [True]
    assert dovetail(home, "audit", extra={"HOME": str(home / "nobody")}).returncode == 2
