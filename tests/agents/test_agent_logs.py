"""Logs of agents, written small in each agent's own shape: the edits listed, the files at each, edits taken back."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dovetail import schema
from dovetail.agents import Timeline, read_log, take_back
from dovetail.agents.hunks import hunks_of_patch, patched
from dovetail.cli import main
from dovetail.model.errors import UsageError

ROOT = "/home/somebody/ferry"
FIRST = {"ferry.py": "def fare():\n    return 5\n\n\ndef tide():\n    return 1\n", "old.txt": "old\n", "new.txt": None}
MIDDLE = FIRST["ferry.py"].replace("return 5", "return 6")  # type: ignore[union-attr]
LAST = {"ferry.py": MIDDLE.replace("return 1", "return 2"), "old.txt": "old\n", "new.txt": "new\n"}
PATCH = "@@ -1,3 +1,3 @@\n def fare():\n-    return 5\n+    return 6\n \n"
SECOND = "@@ -5,2 +5,2 @@\n def tide():\n-    return 1\n+    return 2\n"
EDITS = [("    return 5", "    return 6"), ("    return 1", "    return 2")]
REFUSED = ("    return 9", "    return 8")


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def claude() -> str:
    def call(n: int, name: str, given: dict[str, Any], result: dict[str, Any] | None) -> list[dict[str, Any]]:
        who = {"sessionId": "s", "cwd": ROOT, "timestamp": f"2026-01-01T00:00:0{n}Z"}
        use = {"type": "tool_use", "id": f"t{n}", "name": name, "input": given}
        back = {"type": "tool_result", "tool_use_id": f"t{n}", "content": "done", "is_error": result is None}
        return [
            {**who, "type": "assistant", "message": {"role": "assistant", "model": "claude", "content": [use]}},
            {
                **who,
                "type": "user",
                "message": {"role": "user", "content": [back]},
                "toolUseResult": {"filePath": given.get("file_path"), **result} if result is not None else "Error",
            },
        ]

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"file_path": f"{ROOT}/ferry.py", "old_string": old, "new_string": new}

    def hunk(patch: str) -> dict[str, Any]:
        start = int(patch.split("-")[1].split(",")[0])
        return {"oldStart": start, "newStart": start, "lines": patch.split("\n")[1:-1]}

    reading = {"file_path": f"{ROOT}/ferry.py"}
    created = {"type": "create", "content": "new\n", "originalFile": None, "structuredPatch": []}
    return lines(
        *call(0, "Read", reading, {"type": "text"}),
        *call(1, "Edit", edit(*EDITS[0]), {"originalFile": FIRST["ferry.py"], "structuredPatch": [hunk(PATCH)]}),
        *call(2, "Edit", edit(*REFUSED), None),
        *call(3, "Edit", edit(*EDITS[1]), {"structuredPatch": [hunk(SECOND)]}),
        *call(4, "Write", {"file_path": f"{ROOT}/new.txt", "content": "new\n"}, created),
    )


def codex() -> str:
    def patch(*parts: str) -> str:
        return "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"

    def update(old: str, new: str) -> str:
        return f"*** Update File: {ROOT}/ferry.py\n@@\n-{old}\n+{new}\n"

    def call(n: int, text: str, changes: dict[str, Any] | None, program: bool = False) -> list[dict[str, Any]]:
        given = f"const p = {json.dumps(text)};\ntext(await tools.apply_patch(p));\n" if program else text
        name = "exec" if program else "apply_patch"
        item = {"type": "custom_tool_call", "call_id": f"c{n}", "name": name, "input": given}
        end = {"type": "patch_apply_end", "call_id": f"exec-{n}" if program else f"c{n}"}
        return [
            {"type": "response_item", "timestamp": "2026-01-01T00:00:00Z", "payload": item},
            {"type": "event_msg", "payload": {**end, "success": changes is not None, "changes": changes or {}}},
        ]

    def updated(text: str) -> dict[str, Any]:
        return {f"{ROOT}/ferry.py": {"type": "update", "unified_diff": text, "move_path": None}}

    add = patch(f"*** Add File: {ROOT}/new.txt\n+new\n")
    return lines(
        {"type": "session_meta", "payload": {"cwd": ROOT}},
        {"type": "turn_context", "payload": {"model": "gpt"}},
        *call(1, patch(update(*EDITS[0])), updated(PATCH)),
        *call(2, patch(update(*REFUSED)), None),
        *call(3, patch(update(*EDITS[1])), updated(SECOND), program=True),
        *call(4, add, {f"{ROOT}/new.txt": {"type": "add", "content": "new\n"}}),
    )


def opencode() -> str:
    def part(n: int, tool: str, given: dict[str, Any], status: str, metadata: dict[str, Any]) -> dict[str, Any]:
        state = {"status": status, "input": given, "metadata": metadata}
        return {"type": "tool", "tool": tool, "callID": f"o{n}", "state": state}

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"filePath": f"{ROOT}/ferry.py", "oldString": old, "newString": new}

    def file(patch: str) -> dict[str, Any]:
        return {"filediff": {"file": f"{ROOT}/ferry.py", "patch": f"--- a\n+++ b\n{patch}"}}

    new = {"filePath": f"{ROOT}/new.txt", "content": "new\n"}
    parts = [
        part(1, "edit", edit(*EDITS[0]), "completed", file(PATCH)),
        part(2, "edit", edit(*REFUSED), "error", {}),
        part(3, "edit", edit(*EDITS[1]), "completed", file(SECOND)),
        part(4, "write", new, "completed", {"filepath": f"{ROOT}/new.txt", "exists": False}),
    ]
    return json.dumps({"info": {"directory": ROOT}, "messages": [{"info": {"modelID": "m"}, "parts": parts}]}, indent=1)


def pi() -> str:
    def call(n: int, name: str, given: dict[str, Any], details: dict[str, Any] | None) -> list[dict[str, Any]]:
        use = {"type": "toolCall", "id": f"p{n}", "name": name, "arguments": given}
        back = {"role": "toolResult", "toolCallId": f"p{n}", "toolName": name, "details": details or {}}
        return [
            {"type": "message", "timestamp": "t", "message": {"role": "assistant", "model": "m", "content": [use]}},
            {"type": "message", "message": {**back, "isError": details is None}},
        ]

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"path": f"{ROOT}/ferry.py", "edits": [{"oldText": old, "newText": new}]}

    return lines(
        {"type": "session", "cwd": ROOT},
        *call(1, "edit", edit(*EDITS[0]), {"patch": PATCH}),
        *call(2, "edit", edit(*REFUSED), None),
        *call(3, "edit", edit(*EDITS[1]), {"patch": SECOND}),
        *call(4, "write", {"path": "new.txt", "content": "new\n"}, {}),
    )


def copilot() -> str:
    def call(n: int, name: str, given: dict[str, Any], detail: str | None) -> list[dict[str, Any]]:
        begin = {"toolCallId": f"g{n}", "toolName": name, "arguments": given, "model": "m"}
        end = {"toolCallId": f"g{n}", "success": detail is not None, "result": {"detailedContent": detail or ""}}
        return [
            {"type": "tool.execution_start", "data": begin, "timestamp": "t"},
            {"type": "tool.execution_complete", "data": end},
        ]

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"path": f"{ROOT}/ferry.py", "old_str": old, "new_str": new}

    def git(path: str, patch: str) -> str:
        return f"\ndiff --git a{path} b{path}\nindex 0..0 100644\n--- a{path}\n+++ b{path}\n{patch}"

    new = git(f"{ROOT}/new.txt", "@@ -0,0 +1,1 @@\n+new\n")
    return lines(
        {"type": "session.start", "data": {"context": {"cwd": ROOT}}},
        *call(1, "edit", edit(*EDITS[0]), git(f"{ROOT}/ferry.py", PATCH)),
        *call(2, "edit", edit(*REFUSED), None),
        *call(3, "edit", edit(*EDITS[1]), git(f"{ROOT}/ferry.py", SECOND)),
        *call(4, "create", {"path": f"{ROOT}/new.txt", "file_text": "new\n"}, new),
    )


def gemini() -> str:
    def call(n: int, name: str, given: dict[str, Any], display: dict[str, Any] | None) -> list[dict[str, Any]]:
        message = {"id": f"m{n}", "timestamp": "2026-01-01T00:00:00Z", "type": "gemini", "model": "gemini"}
        done = {"id": f"g{n}", "name": name, "args": given, "status": "success" if display else "error"}
        return [message, {**message, "toolCalls": [{**done, "resultDisplay": display or "not found"}]}]

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"file_path": f"{ROOT}/ferry.py", "old_string": old, "new_string": new}

    def file(name: str, before: str | None, after: str | None) -> dict[str, Any]:
        texts = {"originalContent": before or "", "newContent": after, "isNewFile": before is None}
        return {"filePath": f"{ROOT}/{name}", "fileDiff": "", **texts}

    context = f"Hello.\n- **Workspace Directories:**\n  - {ROOT}\n- **Directory Structure:**"
    start = {"id": "m0", "type": "user", "content": [{"text": context}]}
    return lines(
        {"sessionId": "s", "projectHash": "h", "kind": "main"},
        {"$set": {"messages": [start]}},
        *call(1, "replace", edit(*EDITS[0]), file("ferry.py", FIRST["ferry.py"], MIDDLE)),
        *call(2, "replace", edit(*REFUSED), None),
        *call(3, "replace", edit(*EDITS[1]), file("ferry.py", MIDDLE, LAST["ferry.py"])),
        *call(4, "write_file", {"file_path": f"{ROOT}/new.txt", "content": "new\n"}, file("new.txt", None, "new\n")),
    )


def qwen() -> str:
    def call(n: int, name: str, given: dict[str, Any], display: dict[str, Any] | None) -> list[dict[str, Any]]:
        who = {"sessionId": "s", "cwd": ROOT, "timestamp": "2026-01-01T00:00:00Z"}
        asked = {"functionCall": {"id": f"q{n}", "name": name, "args": given}}
        back = {"callId": f"q{n}", "status": "success" if display else "error", "resultDisplay": display or "no"}
        return [
            {**who, "type": "assistant", "model": "m", "message": {"role": "model", "parts": [asked]}},
            {**who, "type": "tool_result", "message": {"role": "user", "parts": []}, "toolCallResult": back},
        ]

    def edit(old: str, new: str) -> dict[str, Any]:
        return {"file_path": f"{ROOT}/ferry.py", "old_string": old, "new_string": new}

    def file(patch: str) -> dict[str, Any]:
        return {"filePath": f"{ROOT}/ferry.py", "fileDiff": f"--- a\n+++ b\n{patch}", "isNewFile": False}

    new = {"filePath": f"{ROOT}/new.txt", "originalContent": "", "newContent": "new\n", "isNewFile": True}
    return lines(
        *call(1, "edit", edit(*EDITS[0]), file(PATCH)),
        *call(2, "edit", edit(*REFUSED), None),
        *call(3, "edit", edit(*EDITS[1]), file(SECOND)),
        *call(4, "write_file", {"file_path": f"{ROOT}/new.txt", "content": "new\n"}, new),
    )


def codex_items() -> str:
    """As newer versions write it: what became of a patch is an item, of an id of its own where a program made it."""

    def call(n: int, body: str, changes: dict[str, Any] | None, program: bool = False) -> list[dict[str, Any]]:
        patch = f"*** Begin Patch\n{body}*** End Patch"
        given = f"const r = await tools.apply_patch({json.dumps(patch)}); text(r);\n" if program else patch
        item = {"type": "custom_tool_call", "call_id": f"c{n}", "name": "exec" if program else "apply_patch"}
        change = {"type": "FileChange", "id": f"exec-{n}" if program else f"c{n}", "status": "completed"}
        done = "Script completed" if program else "Exit code: 0" if changes is not None else "verification failed"
        back = {"type": "custom_tool_call_output", "call_id": f"c{n}", "output": done}
        events = [{"type": "item_completed", "item": {**change, "changes": changes}}] if changes is not None else []
        payloads = [{**item, "input": given}, *events, back]
        return [{"type": "event_msg", "timestamp": "2026-01-01T00:00:00Z", "payload": one} for one in payloads]

    def update(old: str, new: str) -> str:
        return f"*** Update File: ferry.py\n@@\n-{old}\n+{new}\n"

    def updated(text: str) -> dict[str, Any]:
        return {f"{ROOT}/ferry.py": {"type": "update", "unified_diff": text, "move_path": None}}

    return lines(
        {"type": "session_meta", "payload": {"cwd": ROOT, "git": {"commit_hash": "c0ffee0123456789"}}},
        *call(1, update(*EDITS[0]), updated(PATCH)),
        *call(2, update(*REFUSED), None),
        *call(3, update(*EDITS[1]), updated(SECOND), program=True),
        *call(4, "*** Add File: new.txt\n+new\n", {f"{ROOT}/new.txt": {"type": "add", "content": "new\n"}}),
    )


LOGS: dict[str, Callable[[], str]] = {
    "claude-code": claude,
    "codex": codex,
    "codex with items": codex_items,
    "gemini-cli": gemini,
    "qwen-code": qwen,
    "opencode": opencode,
    "pi": pi,
    "copilot-cli": copilot,
}
every_agent = pytest.mark.parametrize("agent", LOGS)


@every_agent
def test_the_edits_are_listed(agent: str) -> None:
    log = read_log(LOGS[agent]())
    assert (log.agent, log.root) == (agent.split(" ")[0], ROOT)
    assert [(edit.n, edit.paths, edit.done) for edit in log.edits] == [
        (1, ("ferry.py",), True),
        (2, ("ferry.py",), False),
        (3, ("ferry.py",), True),
        (4, ("new.txt",), True),
    ]


@every_agent
@pytest.mark.parametrize("base", [FIRST, None])
def test_the_files_after_each_edit(agent: str, base: dict[str, str | None] | None) -> None:
    """From the files before the session, or from today's alone."""
    edits = read_log(LOGS[agent]()).edits
    for n, fare in ((0, FIRST["ferry.py"]), (1, MIDDLE), (2, MIDDLE), (3, LAST["ferry.py"]), (4, LAST["ferry.py"])):
        after = Timeline(edits, base, LAST).at(n)
        assert after.texts["ferry.py"] == fare, n
        if base is not None:
            assert after.texts["new.txt"] == ("new\n" if n == 4 else None)


@every_agent
def test_all_edits_are_taken_back(agent: str) -> None:
    edits = read_log(LOGS[agent]()).edits
    taken = take_back(edits, range(1, 5), FIRST, LAST)
    assert not taken.problems
    assert {**LAST, **taken.texts} == FIRST


@every_agent
def test_one_edit_is_taken_back_beside_later_work(agent: str) -> None:
    """What somebody changed since stays, and moves the lines."""
    edits = read_log(LOGS[agent]()).edits
    today = {**LAST, "ferry.py": "# By hand.\n" + str(LAST["ferry.py"])}
    taken = take_back(edits, [1], None, today)
    assert taken.texts == {"ferry.py": today["ferry.py"].replace("return 6", "return 5")}


@every_agent
def test_an_edit_whose_lines_changed_is_refused(agent: str) -> None:
    edits = read_log(LOGS[agent]()).edits
    today = {**LAST, "ferry.py": str(LAST["ferry.py"]).replace("return 6", "return 7")}
    taken = take_back(edits, [1, 3], None, today)
    assert taken.texts == {}
    assert [problem.path for problem in taken.problems] == ["ferry.py"]


def cursor(root: str) -> str:
    parts = [
        {
            "type": "tool_use",
            "name": "StrReplace",
            "input": {"path": f"{root}/ferry.py", "old_string": old, "new_string": new},
        }
        for old, new in EDITS
    ]
    return lines({"role": "user", "message": {"content": []}}, {"role": "assistant", "message": {"content": parts}})


def aider() -> str:
    old, new = EDITS[0]
    block = f"ferry.py\n```python\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n"
    return f"\n# aider chat started at 2026-01-01\n\n#### dearer\n\nDearer.\n\n{block}\n> Applied edit to ferry.py\n"


def test_aiders_history_is_read() -> None:
    log = read_log(aider())
    assert [(edit.paths, edit.done) for edit in log.edits] == [(("ferry.py",), True)]
    assert take_back(log.edits, [1], None, {"ferry.py": MIDDLE}).texts == {"ferry.py": FIRST["ferry.py"]}


@pytest.mark.parametrize("text", ["", "hello", "{}", '{"a": 1}\n{"b": 2}\n', "[1, 2]"])
def test_what_is_no_log_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no log of an agent"):
        read_log(text)


def test_hunks_keep_the_texts_own_line_ends() -> None:
    """Logs write `\\n` where the file has `\\r\\n`; a last line without an end stays so."""
    patch = "@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+c\n+d\n\\ No newline at end of file\n"
    hunks = hunks_of_patch(patch)
    assert patched("a\r\nb", hunks) == "a\r\nc\r\nd"
    assert patched("a\nb", hunks) == "a\nc\nd"
    assert patched("a\nx", hunks) is None
    assert patched("a\nc\nd", [hunk.reverse for hunk in hunks]) == "a\nb"


@pytest.mark.parametrize("apart", ["\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_a_hunks_lines_end_at_line_feeds_only(apart: str) -> None:
    hunks = hunks_of_patch("@@ -2,1 +2,1 @@\n-c\n+d\n")
    assert patched(f"a{apart}b\nc\n", hunks) == f"a{apart}b\nd\n"


def folder(tmp_path: Path, texts: dict[str, str | None]) -> Path:
    root = tmp_path / "ferry"
    root.mkdir()
    for path, text in texts.items():
        if text is not None:
            (root / path).write_text(text)
    return root


def texts_in(root: Path) -> dict[str, str | None]:
    return {path: (root / path).read_text() if (root / path).exists() else None for path in FIRST}


def test_the_command_takes_back_and_is_taken_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of it is one operation in the journal."""
    root, log = folder(tmp_path, LAST), tmp_path / "log.jsonl"
    log.write_text(claude())
    here = ["-C", str(root), "transcript", str(log)]
    assert main([*here, "--undo-all", "--dry-run"]) == 0
    assert texts_in(root) == LAST
    assert main([*here, "--undo-all", "--yes"]) == 0
    assert texts_in(root) == FIRST
    assert main(["-C", str(root), "undo"]) == 0
    assert texts_in(root) == LAST
    (root / "ferry.py").write_text("gone\n")
    assert main([*here, "--undo", "1", "4", "--yes"]) == 1
    assert texts_in(root) == {**LAST, "ferry.py": "gone\n"}
    assert "Nothing was written." in capsys.readouterr().out


def test_what_a_log_says_of_before_passes_the_guards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log may say that anything stood there before; `--accept` overrules, as it does in `apply`."""
    root, log = folder(tmp_path, {"a": "one\ntwo\nthree\n"}), tmp_path / "log.jsonl"
    before = "one\n# ... rest of the file unchanged ...\n"
    after = {"filePath": "a", "type": "update", "content": "one\ntwo\nthree\n"}
    log.write_text(_claude_with({**after, "originalFile": before}))
    here = ["-C", str(root), "transcript", str(log), "--undo", "1", "--yes"]
    assert main(here) == 1
    assert (root / "a").read_text() == "one\ntwo\nthree\n"
    assert "--accept elided" in capsys.readouterr().out
    assert main([*here, "--accept", "elided"]) == 0
    assert (root / "a").read_text() == before


def test_the_command_lists_shows_and_rebuilds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, log = folder(tmp_path, LAST), tmp_path / "log.jsonl"
    log.write_text(codex())
    here = ["-C", str(root), "transcript", str(log)]
    assert main(here) == 0
    assert "refused by the agent's tool" in capsys.readouterr().out
    assert main([*here, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    jsonschema.validate(listed, schema.load("transcript"))
    assert [edit["ok"] for edit in listed["edits"]] == [True, False, True, True]
    assert main([*here, "--undo", "3", "--dry-run", "--json"]) == 0
    jsonschema.validate(json.loads(capsys.readouterr().out), schema.load("transcript"))
    assert main([*here, "--show", "3"]) == 0
    assert "+    return 2" in capsys.readouterr().out
    before = tmp_path / "before"
    before.mkdir()
    for path in ("ferry.py", "old.txt"):
        (before / path).write_text(str(FIRST[path]))
    assert main([*here, "--at", "1", str(tmp_path / "then")]) == 1  # whether new.txt was there is not in the log
    assert not (tmp_path / "then").exists()
    assert "--base" in capsys.readouterr().out
    assert main([*here, "--at", "1", str(tmp_path / "then"), "--base", str(before)]) == 0
    assert (tmp_path / "then" / "ferry.py").read_text() == MIDDLE
    assert main([*here, "--at", "1", str(tmp_path / "then"), "--base", str(before)]) == 2
    assert main([*here, "--at", "9", str(tmp_path / "other")]) == 2
    assert main([*here, "--show", "9"]) == 2


def test_the_files_before_come_from_a_commit(tmp_path: Path) -> None:
    """pi does not say whether a file that it writes was there; the commit does."""
    root, log = folder(tmp_path, FIRST), tmp_path / "log.jsonl"
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@example.com", *words], cwd=root, check=True)
    for path, text in LAST.items():
        (root / path).write_text(str(text))
    log.write_text(pi())
    here = ["-C", str(root), "transcript", str(log)]
    assert main([*here, "--undo-all", "--yes"]) == 1
    assert texts_in(root) == LAST
    assert main([*here, "--undo-all", "--base", "HEAD", "--yes"]) == 0
    assert texts_in(root) == FIRST
    assert main([*here, "--undo-all", "--base", "nowhere", "--yes"]) == 2


def test_an_agent_that_names_no_folder_is_found_in_todays(tmp_path: Path) -> None:
    root, log = folder(tmp_path, LAST), tmp_path / "log.jsonl"
    log.write_text(cursor("/Users/another/work/ferry"))
    assert main(["-C", str(root), "transcript", str(log), "--undo", "2", "--yes"]) == 0
    assert (root / "ferry.py").read_text() == MIDDLE


def test_cases_for_batch_have_their_truth(tmp_path: Path) -> None:
    """What `batch` makes of the cases is their truth."""
    root, log, out = folder(tmp_path, LAST), tmp_path / "log.jsonl", tmp_path / "cases.jsonl"
    log.write_text(claude())
    assert main(["-C", str(root), "transcript", str(log), "--cases", str(out)]) == 0
    cases = [json.loads(line) for line in out.read_text().splitlines()]
    assert [case["id"] for case in cases] == ["claude-code-1", "claude-code-3", "claude-code-4"]
    assert main(["batch", "--in", str(out), "--out", str(tmp_path / "answers.jsonl"), "--jobs", "1"]) == 0
    answers = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert [answer["files"] for answer in answers] == [case["truth"] for case in cases]


def test_files_outside_of_the_folder_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, log, outside = folder(tmp_path, LAST), tmp_path / "log.jsonl", tmp_path / "outside.txt"
    outside.write_text("new\n")
    log.write_text(claude().replace(f"{ROOT}/new.txt", str(outside)))
    assert main(["-C", str(root), "transcript", str(log), "--undo-all", "--yes"]) == 0
    assert outside.read_text() == "new\n"
    assert str(outside) in capsys.readouterr().out
    assert texts_in(root)["ferry.py"] == FIRST["ferry.py"]


@pytest.mark.parametrize("name", [".git/hooks/pre-commit", "a/../../out.txt", ".dovetail/log.jsonl"])
def test_a_log_writes_nothing_that_no_reply_may_write(tmp_path: Path, name: str) -> None:
    """A log may come from anybody: its names are as little trusted as a reply's."""
    root, log, then = folder(tmp_path, LAST), tmp_path / "log.jsonl", tmp_path / "then"
    log.write_text(claude().replace(f"{ROOT}/new.txt", f"{ROOT}/{name}"))
    assert main(["-C", str(root), "transcript", str(log), "--at", "4", str(then)]) == 1
    assert not then.exists()
    assert not (tmp_path / "out.txt").exists()


def _claude_with(detail: object) -> str:
    use = {
        "type": "tool_use",
        "id": "t",
        "name": "Edit",
        "input": {"file_path": "a", "old_string": "a", "new_string": "b"},
    }
    back = {"type": "tool_result", "tool_use_id": "t"}
    return lines(
        {"type": "assistant", "sessionId": "s", "cwd": ROOT, "message": {"content": [use]}},
        {"type": "user", "sessionId": "s", "cwd": ROOT, "message": {"content": [back]}, "toolUseResult": detail},
    )


def _codex_with(changes: object) -> str:
    call = {"type": "custom_tool_call", "call_id": "1", "name": "apply_patch", "input": "*** Begin Patch"}
    done = {"type": "patch_apply_end", "call_id": "1", "success": True, "changes": changes}
    meta = {"type": "session_meta", "payload": {"cwd": ROOT, "originator": "codex"}}
    return lines(meta, *({"type": "response_item", "payload": payload} for payload in (call, done)))


BROKEN = {
    "nested without end": "[" * 100_000,
    "a line nested without end": claude() + '{"a":' * 100_000,
    "a huge number": '{"type": "user", "n": ' + "9" * 5_000 + "}",
    "a message that is a number": lines({"type": "assistant", "sessionId": "s", "cwd": ROOT, "message": 5}),
    "a patch that is a number": _claude_with({"filePath": "a", "structuredPatch": 5}),
    "a hunk without numbers": _claude_with({"filePath": "a", "structuredPatch": [{"lines": ["-a"]}]}),
    "a file that is a number": _claude_with({"filePath": "a", "type": "update", "content": 5}),
    "changes that are a number": _codex_with(5),
    "a new file that is a number": _codex_with({"a": {"type": "add", "content": 5}}),
    "a diff with a huge number": _codex_with({"a": {"type": "update", "unified_diff": f"@@ -{'9' * 5_000} +1 @@"}}),
    "a new name that is a number": _codex_with({"a": {"type": "update", "move_path": 5}}),
    "a document of other shapes": json.dumps({"info": {"directory": 5}, "messages": 5}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_log_is_read_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(BROKEN[name])
    status = main(["-C", str(folder(tmp_path, LAST)), "transcript", str(log)])
    said = capsys.readouterr()
    assert status == (0 if name == "a line nested without end" else 2), said
    assert "Traceback" not in said.err
