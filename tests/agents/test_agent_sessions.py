"""What a log lacks is said: commands, other agents, changes in between, outcomes; and what only some logs have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dovetail.agents import AgentLog, CallOutcome, LoggedEdit, RowKind, Timeline, read_log, read_session, take_back
from dovetail.agents.folder import plan_undo_all
from dovetail.agents.followed import with_commands
from dovetail.cli import main
from dovetail.workspace import Workspace

ROOT = "/home/somebody/ferry"


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def claude(n: int, name: str, given: dict[str, Any], result: object = None, **more: object) -> list[dict[str, Any]]:
    """A call of Claude Code and its result; without one, the call alone."""
    who = {"sessionId": "s", "cwd": ROOT, "timestamp": f"2026-01-01T00:00:{n:02}Z"}
    use = {"type": "tool_use", "id": f"t{n}", "name": name, "input": given}
    asked = {**who, "type": "assistant", "message": {"content": [use]}}
    back = {"type": "tool_result", "tool_use_id": f"t{n}", **more}
    done = {**who, "type": "user", "message": {"content": [back]}, "toolUseResult": result}
    return [asked] if result is None and not more else [asked, done]


def write(n: int, path: str, before: str | None, after: str) -> list[dict[str, Any]]:
    """A file written whole."""
    kind = "create" if before is None else "update"
    result = {"type": kind, "filePath": f"{ROOT}/{path}", "content": after, "originalFile": before}
    return claude(n, "Write", {"file_path": f"{ROOT}/{path}", "content": after}, result)


def command(n: int, text: str) -> list[dict[str, Any]]:
    """A command that was run."""
    return claude(n, "Bash", {"command": text}, {"stdout": ""})


def rows(log: AgentLog) -> list[tuple[str, tuple[str, ...]]]:
    return [(str(row.kind), row.paths) for row in log.edits]


def folder(tmp_path: Path, texts: dict[str, str]) -> Path:
    root = tmp_path / "ferry"
    root.mkdir()
    for path, text in texts.items():
        (root / path).write_bytes(text.encode())
    return root


def test_a_command_that_may_change_files_is_a_row() -> None:
    log = read_log(lines(*write(1, "a", None, "1\n"), *command(2, "ls -l && git diff"), *command(3, "rm b")))
    assert rows(log) == [("edit", ("a",)), ("command", ())]
    assert log.untold == (log.edits[1],)


def test_a_command_that_failed_may_have_changed_files() -> None:
    log = read_log(lines(*claude(1, "Bash", {"command": "rm a && cat a"}, "Error: exit code 1", is_error=True)))
    assert [row.outcome for row in log.untold] == [CallOutcome.UNKNOWN]


def test_a_change_between_two_edits_is_a_row() -> None:
    """It is not the agent's, unless a command ran: `undo` of all edits leaves it, and it can be taken back by number."""
    log = read_log(
        lines(*write(1, "a", "1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n"), *write(2, "a", "one\n2\n3\n4\nfive\n", "x\n"))
    )
    assert rows(log) == [("edit", ("a",)), ("gap", ("a",)), ("edit", ("a",))]
    assert not log.edits[1].after_command
    assert [Timeline(log.edits, None, {}).at(n).texts["a"] for n in range(4)] == [
        "1\n2\n3\n4\n5\n",
        "one\n2\n3\n4\n5\n",
        "one\n2\n3\n4\nfive\n",
        "x\n",
    ]
    assert take_back(log.edits, [1, 3], None, {"a": "x\n"}).texts == {"a": "1\n2\n3\n4\nfive\n"}
    assert take_back(log.edits, [2, 3], None, {"a": "x\n"}).texts == {"a": "one\n2\n3\n4\n5\n"}


def test_line_ends_alone_are_no_change_between_edits() -> None:
    log = read_log(lines(*write(1, "a", None, "1\r\n"), *write(2, "a", "1\n", "2\n")))
    assert rows(log) == [("edit", ("a",)), ("edit", ("a",))]


def test_a_state_behind_a_command_is_in_doubt_until_the_log_has_the_text() -> None:
    log = read_log(
        lines(
            *write(1, "a", "1\n", "2\n"), *command(2, "make"), *write(3, "b", None, "b\n"), *write(4, "a", "2\n", "3\n")
        )
    )
    timeline = Timeline(log.edits, None, {"a": "3\n", "b": "b\n"})
    assert timeline.at(3).doubtful == {}  # the next edit found the file as the first left it
    log = read_log(lines(*write(1, "a", "1\n", "2\n"), *command(2, "make"), *write(3, "b", None, "b\n")))
    assert timeline.at(1).doubtful == {}
    changed = Timeline(log.edits, None, {"a": "other\n", "b": "b\n"}).at(2)
    assert (changed.texts["a"], changed.doubtful["a"].command) == ("other\n", "make")


def test_at_says_what_it_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, log = folder(tmp_path, {"a": "2\n"}), tmp_path / "log.jsonl"
    log.write_text(lines(*write(1, "a", "1\n", "2\n"), *command(2, "rm b")))
    here = ["-C", str(root), "transcript", str(log)]
    assert main([*here, "--at", "1", str(tmp_path / "one")]) == 0
    assert main([*here, "--at", "2", str(tmp_path / "two")]) == 1
    assert (tmp_path / "two" / "a").read_text() == "2\n"
    assert "warning not-in-log" in capsys.readouterr().out
    assert main(here) == 0
    assert "1 command may have changed files" in capsys.readouterr().out


def test_undoing_all_says_what_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, log = folder(tmp_path, {"a": "2\n"}), tmp_path / "log.jsonl"
    log.write_text(lines(*write(1, "a", "1\n", "2\n"), *command(2, "rm b")))
    here = ["-C", str(root), "transcript", str(log)]
    assert main([*here, "--undo-all", "--yes"]) == 1
    assert (root / "a").read_text() == "1\n"
    assert "What they changed stays." in capsys.readouterr().out
    assert main([*here, "--undo", "2", "--yes"]) == 2


@pytest.mark.parametrize(
    ("today", "after", "lost"),
    [
        ("x\n2\n3\n4\nby hand\n", "1\n2\n3\n4\nby hand\n", False),
        ("y\n2\n3\n4\n5\n", "1\n2\n3\n4\n5\n", True),
    ],
)
def test_back_to_an_edit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], today: str, after: str, lost: bool
) -> None:
    """What was changed since stays where its lines can be told apart; where not, it goes, and that is said."""
    root, log = folder(tmp_path, {"a": today, "new": "new\n"}), tmp_path / "log.jsonl"
    text = "\n2\n3\n4\n5\n"
    log.write_text(
        lines(
            *write(1, "a", f"0{text}", f"1{text}"),
            *write(2, "a", f"1{text}", f"x{text}"),
            *write(3, "new", None, "new\n"),
        )
    )
    here = ["-C", str(root), "transcript", str(log)]
    assert main([*here, "--back-to", "1"]) == 2
    assert main([*here, "--back-to", "1", "--yes"]) == 0
    assert ((root / "a").read_text(), (root / "new").exists()) == (after, False)
    assert ("goes, too" in capsys.readouterr().out) is lost
    assert main(["-C", str(root), "undo"]) == 0
    assert (root / "a").read_text() == today
    assert main([*here, "--back-to", "9", "--yes"]) == 2


def test_back_to_takes_what_a_command_may_have_changed(tmp_path: Path) -> None:
    root, log = folder(tmp_path, {"a": "4\n"}), tmp_path / "log.jsonl"
    log.write_text(lines(*write(1, "a", "1\n", "2\n"), *command(2, "make a"), *write(3, "a", "3\n", "4\n")))
    assert [row.after_command for row in read_session(log).edits] == [False, False, True, False]
    assert (
        main(["-C", str(root), "transcript", str(log), "--back-to", "1", "--yes"]) == 1
    )  # the command may have done more
    assert (root / "a").read_text() == "2\n"


def test_bytes_are_those_of_todays_file(tmp_path: Path) -> None:
    """The log has neither `\\r\\n` nor a byte-order mark."""
    root, log = folder(tmp_path, {"a": "\ufeff2\r\nx\r\n"}), tmp_path / "log.jsonl"
    log.write_text(lines(*write(1, "a", "1\nx\n", "2\nx\n")))
    here = ["-C", str(root), "transcript", str(log)]
    assert main([*here, "--at", "0", str(tmp_path / "then")]) == 0
    assert (tmp_path / "then" / "a").read_bytes().decode() == "\ufeff1\r\nx\r\n"
    assert main([*here, "--undo-all", "--yes"]) == 0
    assert (root / "a").read_bytes().decode() == "\ufeff1\r\nx\r\n"


def test_a_mark_in_the_log_is_no_text(tmp_path: Path) -> None:
    root, log = folder(tmp_path, {}), tmp_path / "log.jsonl"
    log.write_text(lines(*write(1, "a", "\ufeff1\n", "\ufeff2\n")))
    assert main(["-C", str(root), "transcript", str(log), "--at", "0", str(tmp_path / "then")]) == 0
    assert (tmp_path / "then" / "a").read_bytes().decode() == "\ufeff1\n"


def test_an_outcome_that_the_log_does_not_tell_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = {"file_path": f"{ROOT}/a", "old_string": "1", "new_string": "2"}
    refused = claude(2, "Edit", fields, "Error: not found", is_error=True)
    text = lines(*claude(1, "Edit", fields), *refused)
    assert [row.outcome for row in read_log(text).edits] == [CallOutcome.UNKNOWN, CallOutcome.REFUSED]
    root, log = folder(tmp_path, {}), tmp_path / "log.jsonl"
    log.write_text(text)
    assert main(["-C", str(root), "transcript", str(log)]) == 0
    assert "outcome unknown" in capsys.readouterr().out
    assert main(["-C", str(root), "transcript", str(log), "--json"]) == 0
    assert [edit["ok"] for edit in json.loads(capsys.readouterr().out)["edits"]] == [None, False]


def test_a_notebook_has_both_texts() -> None:
    fields = {"notebook_path": f"{ROOT}/a.ipynb", "cell_id": "1", "new_source": "x"}
    result = {"notebook_path": f"{ROOT}/a.ipynb", "original_file": "{1}", "updated_file": "{2}"}
    log = read_log(lines(*claude(1, "NotebookEdit", fields, result)))
    assert take_back(log.edits, [1], None, {"a.ipynb": "{2}"}).texts == {"a.ipynb": "{1}"}


def codex(*payloads: dict[str, Any], **meta: object) -> str:
    who = {"type": "session_meta", "payload": {"cwd": ROOT, "id": "parent", **meta}}
    records = [
        {"type": "event_msg", "timestamp": f"2026-01-01T00:00:{n:02}Z", "payload": one}
        for n, one in enumerate(payloads)
    ]
    return lines(who, *records)


def patch(n: int, body: str, changes: dict[str, Any], name: str = "apply_patch") -> list[dict[str, Any]]:
    item = {"type": "FileChange", "id": f"c{n}" if name == "apply_patch" else f"exec-{n}", "status": "completed"}
    return [
        {"type": "custom_tool_call", "call_id": f"c{n}", "name": name, "input": body},
        {"type": "item_completed", "item": {**item, "changes": changes}},
    ]


def ran(identity: str, text: str) -> dict[str, Any]:
    item = {"type": "CommandExecution", "id": identity, "command": ["/bin/bash", "-lc", text], "status": "completed"}
    return {"type": "item_completed", "item": item}


def test_a_program_has_its_patches_and_its_commands() -> None:
    """In code mode the call is JavaScript; what it did stands in events of their own ids, two of them of one file."""
    diffs = [f"@@ -{n} +{n} @@\n-{n}\n+{n}{n}\n" for n in (1, 2)]
    changes = [{f"{ROOT}/a": {"type": "update", "unified_diff": diff, "move_path": None}} for diff in diffs]
    program = "await tools.apply_patch(p); await tools.apply_patch(q); await tools.exec_command({cmd: c});"
    first = patch(1, program, changes[0], "exec")
    log = read_log(codex(*first, patch(1, program, changes[1], "exec")[1], ran("exec-9", "rm b"), ran("exec-8", "ls")))
    assert [(row.kind, row.call_id, row.paths, row.command) for row in log.edits] == [
        (RowKind.EDIT, "c1", ("a",), ""),
        (RowKind.COMMAND, "c1", (), "rm b"),
    ]
    assert Timeline(log.edits, {"a": "1\n2\n"}, {}).at(1).texts == {"a": "11\n22\n"}
    assert take_back(log.edits, [1], None, {"a": "11\n22\n"}).texts == {"a": "1\n2\n"}


def test_a_move_names_both_paths_and_is_taken_back() -> None:
    change = {"type": "update", "unified_diff": "@@ -1 +1 @@\n-1\n+2\n", "move_path": f"{ROOT}/b"}
    body = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-1\n+2\n*** End Patch"
    log = read_log(codex(*patch(1, body, {f"{ROOT}/a": change})))
    assert rows(log) == [("edit", ("a", "b"))]
    timeline = Timeline(log.edits, {"a": "1\n"}, {"b": "2\n"})
    assert [timeline.at(n).texts for n in (0, 1)] == [{"a": "1\n", "b": None}, {"a": None, "b": "2\n"}]
    assert take_back(log.edits, [1], None, {"a": None, "b": "2\n"}).texts == {"a": "1\n", "b": None}


def test_an_added_file_may_have_been_there(tmp_path: Path) -> None:
    """Codex says `add` of a file that it writes over, too: the files before the session tell."""
    body = "*** Begin Patch\n*** Add File: a\n+2\n*** End Patch"
    log = read_log(
        codex(*patch(1, body, {f"{ROOT}/a": {"type": "add", "content": "2\n"}}), git={"commit_hash": "c0ffee"})
    )
    assert take_back(log.edits, [1], {"a": "1\n"}, {"a": "2\n"}).texts == {"a": "1\n"}
    assert take_back(log.edits, [1], {"a": None}, {"a": "2\n"}).texts == {"a": None}
    with Workspace.open(folder(tmp_path, {"a": "2\n"})) as workspace:
        (problem,) = plan_undo_all(workspace, log, None).problems
    assert "--base c0ffee" in str(problem.hint)


def test_a_last_newline_is_taken_back() -> None:
    diff = "@@ -1,2 +1,2 @@\n-1\n-x\n\\ No newline at end of file\n+2\n+x\n"
    body = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** End Patch"
    change = {"type": "update", "unified_diff": diff, "move_path": None}
    log = read_log(codex(*patch(1, body, {f"{ROOT}/a": change})))
    assert take_back(log.edits, [1], None, {"a": "2\nx\n"}).texts == {"a": "1\nx"}


def subagent(agent: str, tmp_path: Path) -> Path:
    """A session of which a sub-agent wrote the file b; its log lies where the agent puts it."""
    if agent == "claude":
        log = tmp_path / "s.jsonl"
        started = claude(2, "Agent", {"description": "work"}, {"agentId": "1", "status": "completed"})
        log.write_text(lines(*write(1, "a", None, "a\n"), *started, *write(4, "a", "a\n", "b\n")))
        other = tmp_path / "s" / "subagents" / "agent-1.jsonl"
        done = {"content": "File created successfully at: b", "is_error": False}
        text = lines(*claude(3, "Write", {"file_path": f"{ROOT}/b", "content": "b\n"}, None, **done))
    else:
        day = tmp_path / "sessions" / "2026" / "01"
        log = day / "01" / "rollout-parent.jsonl"
        log.parent.mkdir(parents=True)
        begun = {"type": "SubAgentActivity", "id": "x", "kind": "started", "agent_thread_id": "child"}
        adds = [patch(n, "*** Begin Patch", {f"{ROOT}/a": {"type": "add", "content": f"{n}\n"}}) for n in (1, 4)]
        log.write_text(codex(*adds[0], {"type": "item_completed", "item": begun}, {}, {}, {}, {}, *adds[1]))
        other = day / "02" / "rollout-child.jsonl"
        add = patch(3, "*** Begin Patch", {f"{ROOT}/b": {"type": "add", "content": "b\n"}})
        text = codex({}, {}, {}, *add, id="child", parent_thread_id="parent")
    other.parent.mkdir(parents=True)
    other.write_text(text)
    return log


@pytest.mark.parametrize("agent", ["claude", "codex"])
def test_sub_agents_are_followed_or_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str], agent: str) -> None:
    log = subagent(agent, tmp_path)
    assert rows(read_session(log)) == [("edit", ("a",)), ("edit", ("b",)), ("edit", ("a",))]
    assert [row.agent_id is None for row in read_session(log).edits] == [True, False, True]
    for other in tmp_path.rglob("*.jsonl"):
        if other != log:
            other.unlink()
    assert rows(read_session(log)) == [("edit", ("a",)), ("subagent", ()), ("edit", ("a",))]
    assert main(["-C", str(folder(tmp_path, {})), "transcript", str(log)]) == 1
    assert "1 sub-agent may have changed files" in capsys.readouterr().out


def test_aider_says_which_files_it_made() -> None:
    block = "new.py\n```python\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```\n"
    text = f"# aider chat started at 2026-01-01\n\n#### a file\n\n{block}\n> new.py  \n> Create new file? (Y)es/(N)o [Yes]: y  \n> Applied edit to new.py  \n\n#### again\n\n{block}\n"
    log = read_log(text)
    assert [(row.paths, row.outcome) for row in log.edits] == [
        (("new.py",), CallOutcome.WRITTEN),
        (("new.py",), CallOutcome.UNKNOWN),
    ]
    assert take_back(log.edits, [1], None, {"new.py": "x = 1\n"}).texts == {"new.py": None}


def test_opencodes_times_and_trimmed_patches_are_read() -> None:
    """It counts milliseconds, and takes off its patches the indentation that all their lines share."""
    diff = "--- a\n+++ b\n@@ -2,2 +2,2 @@\n-one\n+two\n \n"
    fields = {"filePath": f"{ROOT}/a", "oldString": "one", "newString": "two"}
    state = {"status": "completed", "input": fields, "time": {"start": 1767225600123}}
    state["metadata"] = {"filediff": {"file": f"{ROOT}/a", "patch": diff}}
    part = {"type": "tool", "tool": "edit", "callID": "o", "state": state}
    log = read_log(json.dumps({"info": {"directory": ROOT}, "messages": [{"info": {}, "parts": [part]}]}))
    (row,) = log.edits
    assert row.time == "2026-01-01T00:00:00.123Z"
    assert Timeline(log.edits, {"a": "def a():\n    one\n\n"}, {}).at(1).texts == {"a": "def a():\n    two\n\n"}


def test_rows_say_what_they_are_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root, log = folder(tmp_path, {}), tmp_path / "log.jsonl"
    log.write_text(lines(*write(1, "a", "1\n", "2\n"), *command(2, "make a"), *write(3, "a", "3\n", "4\n")))
    assert main(["-C", str(root), "transcript", str(log)]) == 0
    shown = capsys.readouterr().out
    assert "   2  Bash  make a" in shown
    assert "   3  changed by a command or somebody else  a" in shown
    assert "2 edits: 2 written." in shown
    assert main(["-C", str(root), "transcript", str(log), "--show", "3"]) == 0
    assert "+3" in capsys.readouterr().out


def test_a_file_keeps_the_line_ends_that_the_log_has() -> None:
    """The call, read as a reply, has plain ones."""
    display = {"filePath": f"{ROOT}/a", "originalContent": "", "newContent": "1\r\n", "isNewFile": True}
    display["fileDiff"] = "@@ -0,0 +1 @@\n+1\r\n"
    done = {"id": "g", "name": "write_file", "args": {"file_path": f"{ROOT}/a", "content": "1\r\n"}}
    message = {"id": "m", "type": "gemini", "toolCalls": [{**done, "status": "success", "resultDisplay": display}]}
    log = read_log(lines({"sessionId": "s", "projectHash": "h", "directories": [ROOT]}, message))
    assert Timeline(log.edits, {"a": None}, None).at(1).texts == {"a": "1\r\n"}


def test_qwens_sub_agents_say_less() -> None:
    """Their results have no status, no file and no patch; the answer to the model tells."""

    def call(n: int, name: str, given: dict[str, Any], answer: dict[str, str]) -> list[dict[str, Any]]:
        who = {"sessionId": "s", "cwd": ROOT, "isSidechain": True}
        asked = {"functionCall": {"id": f"q{n}", "name": name, "args": {"file_path": f"{ROOT}/a", **given}}}
        back = {"functionResponse": {"id": f"q{n}", "name": name, "response": answer}}
        return [
            {**who, "message": {"role": "model", "parts": [asked]}},
            {**who, "message": {"role": "user", "parts": [back]}, "toolCallResult": {"callId": f"q{n}"}},
        ]

    made = call(1, "write_file", {"content": "1\n"}, {"output": "Successfully created and wrote to new file: a"})
    edited = call(2, "edit", {"old_string": "1", "new_string": "2"}, {"output": "The file: a has been updated."})
    failed = call(3, "edit", {"old_string": "9", "new_string": "8"}, {"error": "0 occurrences found"})
    log = read_log(lines(*made, *edited, *failed))
    assert [row.outcome for row in log.edits] == [CallOutcome.WRITTEN, CallOutcome.WRITTEN, CallOutcome.REFUSED]
    assert [Timeline(log.edits, None, None).at(n).texts for n in (0, 1, 2)] == [{"a": None}, {"a": "1\n"}, {"a": "2\n"}]


def test_a_command_that_can_be_followed_says_what_it_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On texts of the log, or of the files before the session; behind one that cannot, nothing is followed on those."""
    first = [*write(1, "a", "1\n", "2\n"), *command(2, "sed -i s/2/3/ a"), *write(3, "a", "3\n", "4\n")]
    more = [*command(4, "mv b c"), *command(5, "make"), *command(6, "rm d")]
    root, log = folder(tmp_path, {"a": "4\n", "c": "b\n", "d": "d\n"}), tmp_path / "log.jsonl"
    log.write_text(lines(*first, *more))
    here = ["-C", str(root), "transcript", str(log)]
    assert main(here) == 0
    shown = capsys.readouterr().out
    assert "sed -i s/2/3/ a  changes a" in shown
    assert "explained by a command above  a" in shown
    assert "3 commands may have changed files" in shown
    before = tmp_path / "before"
    before.mkdir()
    for path, text in {"a": "1\n", "b": "b\n", "d": "d\n"}.items():
        (before / path).write_text(text)
    assert main([*here, "--base", str(before)]) == 0
    assert "2 commands may have changed files" in capsys.readouterr().out  # `make`, and `rm d` behind it
    assert main([*here, "--base", str(before), "--undo-all", "--yes"]) == 1
    assert {path.name: path.read_text() for path in root.glob("?")} == {"a": "1\n", "b": "b\n", "d": "d\n"}


def test_a_command_is_followed_in_its_folder() -> None:
    who = {"sessionId": "s", "cwd": ROOT}
    moved = command(2, "sed -i s/2/3/ a")
    log = read_log(lines(who, *write(1, "sub/a", "1\n", "2\n"), {**moved[0], "cwd": f"{ROOT}/sub"}, moved[1]))
    assert [row.folder for row in log.edits] == ["", "sub"]
    assert with_commands(log, None, ()).edits[1].effects[0].after == "3\n"


def test_every_row_is_a_value() -> None:
    assert LoggedEdit(1, "Edit", "{}").is_told is False
