"""What a model is told behind an edit, where a setting asks for it: lines, what others changed, syntax errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_agent import FARES, Agent, put, told

from dovetail.hooks import event
from dovetail.hooks.notes import leave_note, withdraw_note


@pytest.fixture
def telling(root: Path) -> Path:
    put(root, "dovetail.toml", "[record]\ntell = true\n")
    return root


def sent(root: Path, name: str, old: str, new: str) -> str:
    """What opencode's plugin is answered about an edit."""
    asked = {"filePath": str(root / "src/fares.py"), "oldString": old, "newString": new}
    payload = {"agent": "opencode", "hook_event_name": name, "session_id": "s1", "prompt_id": "p1", "cwd": str(root)}
    answer = event.take({**payload, "tool_name": "edit", "tool_use_id": "t1", "tool_input": asked})
    found: dict[str, Any] = json.loads(answer) if answer else {}
    return str(found.get("context", found.get("args", "")))


def edit(root: Path, old: str, new: str, after: str) -> str:
    sent(root, "tool.execute.before", old, new)
    put(root, "src/fares.py", after)
    return sent(root, "tool.execute.after", old, new)


def test_an_edit_as_it_was_sent_costs_few_words(telling: Path) -> None:
    after = FARES.replace("ADULT = 12", "ADULT = 13")
    assert edit(telling, "ADULT = 12", "ADULT = 13", after) == "src/fares.py: line 1."
    assert told(telling) == [("t1", "1", ("src/fares.py",))]


def test_what_a_formatter_changed_since_is_shown(telling: Path) -> None:
    after = FARES.replace("ADULT = 12", "ADULT = 13").replace("CHILD = 6", "CHILD = 6  # fewer")
    assert edit(telling, "ADULT = 12", "ADULT=13", after).splitlines() == [
        "src/fares.py: lines 1 to 2.",
        "Others changed since:",
        "1|ADULT = 13",
        "2|CHILD = 6  # fewer",
    ]


def test_a_new_syntax_error_is_named(telling: Path) -> None:
    after = FARES.replace("age < 14:", "age < (14:")
    said = edit(telling, "age < 14:", "age < (14:", after)
    assert said == "src/fares.py: line 6.\nsrc/fares.py has a new syntax error at line 6: if age < (14:"


def test_an_edit_that_was_rewritten_shows_its_tier_and_lines(telling: Path) -> None:
    wrong = ("def fare(age):\n  if age < 14:\n    return CHILD", "def fare(age):\n  if age < 15:\n    return CHILD")
    said = edit(telling, *wrong, FARES.replace("14", "15"))
    assert said.splitlines()[:2] == ["src/fares.py: line 6 (whitespace).", "6|    if age < 15:"]


def test_nothing_is_told_without_the_setting(root: Path) -> None:
    assert edit(root, "ADULT = 12", "ADULT = 13", FARES.replace("12", "13")) == ""


def test_claude_is_told_in_its_own_form(telling: Path) -> None:
    agent = Agent(telling)
    agent.prompt("p1")
    asked = {"file_path": str(telling / "src/fares.py"), "content": "x = 1\n"}
    agent.before("Write", "t1", **asked)
    put(telling, "src/fares.py", "x = 1\n")
    common = {"session_id": "s1", "transcript_path": "/log.jsonl", "cwd": str(telling), "prompt_id": "p1"}
    call = {"tool_name": "Write", "tool_use_id": "t1", "tool_input": asked, "tool_response": ""}
    answer = json.loads(event.take({**common, "hook_event_name": "PostToolUse", **call}))["hookSpecificOutput"]
    assert answer == {"hookEventName": "PostToolUse", "additionalContext": "src/fares.py: line 1."}


def test_what_a_person_leaves_for_a_session_is_passed_on_once(root: Path) -> None:
    for about, text in (("op1", "fares.py was taken back."), ("op2", "routes.py, too.")):
        leave_note(str(root), "s1", about, text)
    leave_note(str(root), "s2", "op3", "Others hear this.")
    leave_note(str(root), "s1", "op4", "That was undone.")
    withdraw_note(str(root), "op4")
    said = edit(root, "ADULT = 12", "ADULT = 13", FARES.replace("12", "13"))
    assert said == "fares.py was taken back.\n\nroutes.py, too."
    assert edit(root, "ADULT = 13", "ADULT = 14", FARES.replace("12", "14")) == ""


def test_claude_hears_it_with_the_next_request_and_no_subagent_does(root: Path) -> None:
    leave_note(str(root), "s1", "op1", "fares.py was taken back.")
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "transcript_path": "/x", "cwd": str(root)}
    assert event.take({**payload, "prompt": "Go on.", "prompt_id": "p1", "agent_id": "a1"}) == ""
    answer = json.loads(event.take({**payload, "prompt": "Go on.", "prompt_id": "p2"}))
    assert answer == {
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": "fares.py was taken back.",
        }
    }
    assert event.take({**payload, "prompt": "Go on.", "prompt_id": "p3"}) == ""
