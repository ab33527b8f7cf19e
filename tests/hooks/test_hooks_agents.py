"""Events of agents whose fields differ: whose they are, how a call without an id is paired, what each is answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fake_agent import FARES, put, recorded

from dovetail.hooks import event

WRONG = {
    "old": "def fare(age):\n  if age < 14:\n    return CHILD",
    "new": "def fare(age):\n  if age < 15:\n    return CHILD",
}
NOWHERE = {"old": "def fare(age):\n    if age < 99:\n        return 0", "new": "def fare(age):\n    return 0"}
COMMON = {"session_id": "s1", "timestamp": "2026-11-28T10:00:00.000Z"}
PAYLOADS: dict[str, dict[str, Any]] = {
    "claude": {"session_id": "s1", "transcript_path": "/t", "prompt_id": "p1"},
    "codex": {"session_id": "s1", "transcript_path": "/t", "turn_id": "t1", "model": "m"},
    "opencode": {"agent": "opencode", "session_id": "s1", "prompt_id": "p1"},
    "gemini": {**COMMON, "transcript_path": "/t"},
    "qwen": {**COMMON, "transcript_path": "/t", "permission_mode": "yolo", "prompt_id": "p1"},
    "pi": {"agent": "pi", "session_id": "s1", "prompt_id": "p1"},
    "copilot": COMMON,
    "kiro": {"session_id": "s1"},
    "cursor": {"conversation_id": "s1", "generation_id": "p1", "workspace_roots": ["/w"], "transcript_path": None},
}
EDITS = {
    "gemini": ("replace", "file_path", "old_string", "new_string"),
    "qwen": ("edit", "file_path", "old_string", "new_string"),
    "claude": ("Edit", "file_path", "old_string", "new_string"),
    "copilot": ("Edit", "path", "old_str", "new_str"),
    "kiro": ("str_replace", "path", "oldStr", "newStr"),
    "cursor": ("StrReplace", "path", "old_string", "new_string"),
}


def sent(agent: str, name: str, root: Path, **fields: object) -> dict[str, Any]:
    """What is answered to an event."""
    where = {"workspace_roots": [str(root)]} if agent == "cursor" else {"cwd": str(root)}
    answer = event.take({**PAYLOADS[agent], **where, "hook_event_name": name, **fields})
    found: dict[str, Any] = json.loads(answer) if answer else {}
    return found


def edit(agent: str, root: Path, old: str, new: str) -> dict[str, Any]:
    """The fields of an edit."""
    tool, path, old_name, new_name = EDITS[agent]
    return {"tool_name": tool, "tool_input": {path: str(root / "src/fares.py"), old_name: old, new_name: new}}


@pytest.mark.parametrize("agent", sorted(event.table()))
def test_an_agent_is_known_by_the_fields_of_its_events(agent: str) -> None:
    for name in event.table()[agent]["events"]:
        payload = {**PAYLOADS[agent], "cwd": "/w", "hook_event_name": name, "tool_name": "x"}
        assert event.agent_of(payload, event.table()) == agent


def test_another_agents_event_from_the_same_settings_is_nobodys(root: Path) -> None:
    local_harness = {**COMMON, "transcript_path": "/t", "cwd": str(root), "tool_use_id": "1"}
    assert event.agent_of({**local_harness, "hook_event_name": "PreToolUse"}, event.table()) is None


@pytest.mark.parametrize(
    ("agent", "times"), [("gemini", 1), ("gemini", 2), ("copilot", 1), ("copilot", 2), ("kiro", 1)]
)
def test_calls_without_an_id_are_paired_by_tool_and_file(agent: str, times: int, root: Path) -> None:
    """Twice: two installs are told the same."""

    def send(name: str, **fields: object) -> None:
        for _ in range(times):
            sent(agent, name, root, **fields)

    prompt, before, after, stop = {
        "gemini": ("BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent"),
    }.get(agent, ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"))
    send(prompt, prompt="Change it.")
    call = edit(agent, root, "ADULT = 12", "ADULT = 13")
    shell = {"tool_name": {"gemini": "run_shell_command", "kiro": "execute_bash"}.get(agent, "Bash")}
    send(before, **call)
    put(root, "src/fares.py", FARES.replace("12", "13"))
    send(after, **call)
    send(before, **shell, tool_input={"command": "work"})
    put(root, "new.txt", "new\n")
    send(after, **shell, tool_input={"command": "work"})
    send(stop)
    operations = recorded(root)
    assert [operation.paths for operation in operations] == [("src/fares.py",), ("new.txt",)]
    origins = [operation.origin for operation in operations]
    assert [(o.agent, o.session, o.prompt, o.words) for o in origins if o] == [(agent, "s1", 1, "Change it.")] * 2
    assert all(len(o.calls) == 1 for o in origins if o)


def test_one_settings_file_that_several_agents_read(root: Path) -> None:
    """Each has its own hooks as well, so that every event comes twice: it is known whose it is, and recorded once."""
    texts = [FARES.replace("12", str(age)) for age in (13, 14, 15)]
    for agent, old, new in zip(("claude", "copilot", "cursor"), [FARES, *texts], texts, strict=False):
        names = ("preToolUse", "postToolUse", "stop") if agent == "cursor" else ("PreToolUse", "PostToolUse", "Stop")
        call = edit(agent, root, old[:10], new[:10])
        call |= {} if agent == "copilot" else {"tool_use_id": f"of-{agent}"}
        for name in names:
            if name == names[1]:
                put(root, "src/fares.py", new)
            for _ in range(2):
                sent(agent, name, root, **(call if name != names[2] else {}))
    operations = recorded(root)
    assert [(op.origin.agent, op.paths) for op in operations if op.origin] == [
        ("claude", ("src/fares.py",)), ("copilot", ("src/fares.py",)), ("cursor", ("src/fares.py",)),
    ]  # fmt: skip
    assert [op.origin.calls[0] for op in operations if op.origin][::2] == ["of-claude", "of-cursor"]


def test_each_agent_gets_the_answer_that_it_takes(root: Path) -> None:
    mended = sent("gemini", "BeforeTool", root, **edit("gemini", root, **WRONG))
    assert mended["hookSpecificOutput"]["tool_input"]["old_string"] == "    if age < 14:"
    refused = sent("gemini", "BeforeTool", root, **edit("gemini", root, **NOWHERE))
    assert refused["decision"] == "deny"
    assert "if age < 14:" in refused["reason"]

    mended = sent("copilot", "PreToolUse", root, **edit("copilot", root, **WRONG))
    assert mended["permissionDecision"] == "allow"
    assert mended["modifiedArgs"]["new_str"] == "    if age < 15:"
    refused = sent("copilot", "PreToolUse", root, **edit("copilot", root, **NOWHERE))
    assert refused["permissionDecision"] == "deny"
    assert "if age < 14:" in refused["permissionDecisionReason"]

    mended = sent("cursor", "preToolUse", root, **edit("cursor", root, **WRONG), tool_use_id="1")
    assert mended["permission"] == "allow"
    assert mended["updated_input"]["new_string"] == "    if age < 15:"
    refused = sent("cursor", "preToolUse", root, **edit("cursor", root, **NOWHERE), tool_use_id="2")
    assert refused["permission"] == "deny"
    assert "if age < 14:" in refused["agent_message"]


def test_pi_lists_its_edits(root: Path) -> None:
    asked = {"path": str(root / "src/fares.py"), "edits": [{"oldText": WRONG["old"], "newText": WRONG["new"]}]}
    answer = sent("pi", "tool_call", root, tool_name="edit", tool_input=asked, tool_use_id="1")
    assert answer["args"]["edits"] == [{"oldText": "    if age < 14:", "newText": "    if age < 15:"}]


def test_qwen_takes_no_other_input_and_is_told_the_lines(root: Path) -> None:
    answer = sent("qwen", "PreToolUse", root, **edit("qwen", root, **WRONG), tool_call_id="1")["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    assert "def fare(age):\n    if age < 14:\n        return CHILD\nSend" in answer["permissionDecisionReason"]
    answer = sent("qwen", "PreToolUse", root, **edit("qwen", root, **NOWHERE), tool_call_id="2")["hookSpecificOutput"]
    assert "if age < 14:" in answer["permissionDecisionReason"]
    assert sent("qwen", "PreToolUse", root, **edit("qwen", root, "ADULT = 12", "x"), tool_call_id="3") == {}


def test_gemini_calls_get_the_ids_of_its_log(root: Path, tmp_path: Path) -> None:
    log = tmp_path / "chat.jsonl"
    first, second = edit("gemini", root, "ADULT = 12", "ADULT = 13"), edit("gemini", root, "CHILD = 6", "CHILD = 7")
    told = [("replace__call_1", first), ("replace-17-ab", second), ("replace__call_3", edit("gemini", root, "x", "y"))]
    calls = [{"id": name, "name": call["tool_name"], "args": call["tool_input"]} for name, call in told]
    log.write_text("".join(json.dumps({"type": "gemini", "toolCalls": calls[: n + 1]}) + "\n" for n in range(3)))
    sent("gemini", "BeforeAgent", root, prompt="Change it.")
    for n, call in enumerate((first, second)):
        at = {"timestamp": f"2026-11-28T10:00:0{n}.000Z", "transcript_path": str(log)}
        sent("gemini", "BeforeTool", root, **call, **at)
        put(root, "src/fares.py", FARES.replace("12", "13") if n == 0 else FARES.replace("12", "13").replace("6", "7"))
        sent("gemini", "AfterTool", root, **call, **at)
    sent("gemini", "AfterAgent", root, transcript_path=str(log))
    assert [operation.origin.calls for operation in recorded(root) if operation.origin] == [
        ("call_1",),
        ("replace-17-ab",),
    ]
