"""Edits that an agent's own tool fails at: rewritten into what Dovetail's plan does, or refused with the file's lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_agent import FARES, git, put, told

from dovetail.hooks import event
from dovetail.hooks.exact import is_exact
from dovetail.hooks.mend import _exact
from dovetail.spool.record_settings import mends_in

WRONG_INDENTATION = (
    "def fare(age):\n  if age < 14:\n    return CHILD",
    "def fare(age):\n  if age < 15:\n    return CHILD",
)
NOWHERE = ("def fare(age):\n    if age < 99:\n        return 0", "def fare(age):\n    return 0")


def hunk(old: str, new: str, path: str = "src/fares.py") -> str:
    lines = [*(f"-{line}" for line in old.split("\n")), *(f"+{line}" for line in new.split("\n"))]
    return "\n".join(["*** Begin Patch", f"*** Update File: {path}", "@@", *lines, "*** End Patch"])


def codex(root: Path, patch: str, *, folder: str = "") -> dict[str, Any]:
    """What is answered to a patch of Codex."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "turn_id": "p1",
        "model": "m",
        "cwd": str(root / folder),
    }
    answer = event.take({**payload, "tool_name": "apply_patch", "tool_use_id": "t1", "tool_input": {"command": patch}})
    found: dict[str, Any] = json.loads(answer)["hookSpecificOutput"] if answer else {}
    return found


def opencode(root: Path, old: str, new: str, **more: bool) -> dict[str, Any]:
    """What is answered to an edit of opencode."""
    asked = {"filePath": str(root / "src/fares.py"), "oldString": old, "newString": new, **more}
    payload = {"agent": "opencode", "hook_event_name": "tool.execute.before", "session_id": "s1", "prompt_id": "p1"}
    answer = event.take({**payload, "cwd": str(root), "tool_name": "edit", "tool_use_id": "t1", "tool_input": asked})
    found: dict[str, Any] = json.loads(answer) if answer else {}
    return found


def test_an_exact_edit_is_left_alone(root: Path) -> None:
    assert codex(root, hunk("ADULT = 12", "ADULT = 13")) == {}
    assert opencode(root, "ADULT = 12", "ADULT = 13") == {}
    assert opencode(root, "age", "years", replaceAll=True) == {}


def test_a_form_feed_ends_no_line_of_a_patch(root: Path) -> None:
    (root / "src/page.py").write_text("a = 1\n# \x0c Rates\nb = 2\n")
    patch = hunk("# \x0c Rates\nb = 2", "# \x0c Rates\nb = 3", path="src/page.py")
    assert is_exact({"patch": "command"}, {"command": patch}, str(root))
    assert is_exact({"patch": "command"}, {"command": patch + "\n"}, str(root))


def test_a_misquoted_patch_becomes_an_exact_one(root: Path) -> None:
    answer = codex(root, hunk(*WRONG_INDENTATION))
    assert answer["permissionDecision"] == "allow"
    assert answer["updatedInput"]["command"] == hunk("    if age < 14:", "    if age < 15:")


def test_a_patch_keeps_the_folder_that_its_paths_begin_in(root: Path) -> None:
    answer = codex(root, hunk(*WRONG_INDENTATION, path="fares.py"), folder="src")
    assert answer["updatedInput"]["command"] == hunk("    if age < 14:", "    if age < 15:", path="fares.py")


def test_a_misquoted_edit_becomes_an_exact_one(root: Path) -> None:
    answer = opencode(root, *WRONG_INDENTATION)["args"]
    assert (answer["oldString"], answer["newString"]) == ("    if age < 14:", "    if age < 15:")
    assert answer["filePath"] == str(root / "src/fares.py")


def test_what_cannot_be_placed_is_refused_with_the_lines_of_the_file(root: Path) -> None:
    answer = codex(root, hunk(*NOWHERE))
    assert answer["permissionDecision"] == "deny"
    assert "if age < 14:" in answer["permissionDecisionReason"]
    assert "if age < 14:" in opencode(root, *NOWHERE)["refused"]
    assert told(root) == []  # a refused call changes nothing


def test_lines_that_are_taken_out_leave_no_blank_line(root: Path) -> None:
    misquoted = ("  if age < 14:\n    return CHILD\n  return ADULT", "  return ADULT")
    answer = opencode(root, *misquoted)["args"]
    after = FARES.replace(answer["oldString"], answer["newString"])
    assert after == FARES.replace("    if age < 14:\n        return CHILD\n", "")
    assert "+\n" not in codex(root, hunk(*misquoted))["updatedInput"]["command"] + "\n"


def test_a_patch_whose_parts_stand_in_another_order_is_written_anew(root: Path) -> None:
    swapped = hunk("    return ADULT", "    return ADULT + 1").replace(
        "*** End Patch", "@@\n-CHILD = 6\n+CHILD = 7\n*** End Patch"
    )
    patch = codex(root, swapped)["updatedInput"]["command"]
    assert patch.index("+CHILD = 7") < patch.index("+    return ADULT + 1")
    assert patch.count("@@") == 1


def test_a_patch_that_names_a_line_which_is_not_there_is_written_anew(root: Path) -> None:
    patch = hunk("CHILD = 6", "CHILD = 7").replace("@@", "@@ class Fares:")
    assert codex(root, patch)["updatedInput"]["command"] == hunk("CHILD = 6", "CHILD = 7")
    assert codex(root, hunk("    return ADULT", "    return 1").replace("@@", "@@ def fare(age):")) == {}


def test_an_edit_that_the_file_has_already_is_not_left_to_a_tool_that_cannot_find_it(root: Path) -> None:
    assert "stands already" in opencode(root, "ADULT = 11\nCHILD = 6", "ADULT = 12\nCHILD = 6")["refused"]
    assert told(root) == []


def test_the_parts_of_a_refused_patch_that_fit_are_asked_for_as_well(root: Path) -> None:
    patch = hunk("ADULT = 12", "ADULT = 13").replace("*** End Patch", hunk(*NOWHERE).split("\n", 2)[2])
    reason = codex(root, patch)["permissionDecisionReason"]
    assert "not written either, and not kept: edit 1." in reason
    assert "and nothing else" not in reason


def test_a_text_that_stands_twice_is_refused_with_both_places(root: Path) -> None:
    put(root, "src/fares.py", FARES + "\n\ndef again(age):\n    return ADULT\n")
    reason = codex(root, hunk("    return ADULT", "    return 0"))["permissionDecisionReason"]
    assert "line 8" in reason
    assert "line 12" in reason


def test_claude_is_told_where_its_refused_edit_fits(root: Path) -> None:
    asked = {"file_path": str(root / "src/fares.py"), "old_string": NOWHERE[0], "new_string": NOWHERE[1]}
    call = {
        "tool_name": "Edit",
        "tool_use_id": "t1",
        "tool_input": asked,
        "tool_response": "<tool_use_error>String to replace",
    }
    payload = {
        "hook_event_name": "PostToolBatch",
        "session_id": "s1",
        "prompt_id": "p1",
        "cwd": str(root),
        "transcript_path": "/t",
    }
    answer = json.loads(event.take({**payload, "tool_calls": [call]}))["hookSpecificOutput"]
    assert answer["hookEventName"] == "PostToolBatch"
    assert "if age < 14:" in answer["additionalContext"]
    assert event.take({**payload, "tool_calls": [{**call, "tool_response": "done"}]}) == ""


def test_what_is_the_users_to_allow_is_left_to_the_agent(root: Path) -> None:
    put(root, "../plans/plan.md", "# Plan\n\nStep one.\n")
    asked = {
        "filePath": str(root.parent / "plans/plan.md"),
        "oldString": "# Plan\nStep one.",
        "newString": "# Plan\nTwo.",
    }
    payload = {"agent": "opencode", "hook_event_name": "tool.execute.before", "session_id": "s1", "prompt_id": "p1"}
    call = {"cwd": str(root), "tool_name": "edit", "tool_use_id": "t1", "tool_input": asked}
    assert event.take({**payload, **call}) == ""


def test_a_setting_turns_it_off(root: Path) -> None:
    put(root, "dovetail.toml", "[record]\nmend = false\n")
    assert codex(root, hunk(*NOWHERE)) == {}


def test_other_line_ends_are_left_to_the_agent(root: Path) -> None:
    put(root, "src/fares.py", FARES.replace("\n", "\r\n"))
    assert codex(root, hunk(*WRONG_INDENTATION)) == {}


def test_a_fault_of_the_engine_leaves_the_edit_to_the_agent(root: Path) -> None:
    put(root, "dovetail.toml", "nonsense = 1\n")
    assert codex(root, hunk(*NOWHERE)) == {}
    git(root, "status")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\na\nb\n", "a\nb\na\nc\n"),
        ("a\na\na\n", "a\na\na\na\n"),
        ("", "a\n"),
        ("x", "x\ny"),
        ("a\n\n\nb\n", "a\n\nb\n"),
        ("a\nb\nc\n", "a\nc\n"),
        ("b\nc", "c"),
    ],
)
def test_the_exact_edit_stands_once_and_comes_to_the_same(before: str, after: str) -> None:
    old, new = _exact(before, after)
    assert before.count(old) == 1 or old == before
    assert before.replace(old, new, 1) == after


def test_settings_of_many_brackets_are_not_parsed(tmp_path: Path) -> None:
    put(tmp_path, "dovetail.toml", f"[record]\nmend = {'[' * 5_000}\n")
    assert mends_in(str(tmp_path))
