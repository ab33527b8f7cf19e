"""Events of agents become operations: each change once, by the call that made it, and none of the user's."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from fake_agent import FARES, Agent, check_back_and_forth, files, git, put, recorded, told

from dovetail.cli import main
from dovetail.hooks import event
from dovetail.model.results import FileChange
from dovetail.session.apply import operations
from dovetail.session.settings import load
from dovetail.spool import git_program, tree
from dovetail.spool.spool import Spool
from dovetail.workspace import Label, Workspace
from dovetail.workspace.journal.undo import Intent


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_edits_and_commands_are_told_apart_by_their_calls(root: Path, name: str) -> None:
    first = files(root)
    agent = Agent(root, name)
    agent.prompt("p1")
    agent.edit("t1", "src/fares.py", FARES.replace("12", "13"))
    agent.shell("t2", lambda: put(root, "src/fares.py", FARES.replace("12", "13").replace("6", "7")))
    agent.edit("t3", "new/b.py", "b = 1\n")
    agent.shell("t4", lambda: git(root, "mv", "docs/a.md", "docs/b.md"))
    agent.shell("t5", lambda: put(root, "data.bin", bytes(range(255))))
    agent.stop()
    agent.prompt("p2", "Go on.")
    agent.shell("t6", lambda: put(root, "data.bin", None), failed=True)
    agent.stop()
    assert told(root) == [
        ("t1", "1", ("src/fares.py",)),
        ("t2", "1", ("src/fares.py",)),
        ("t3", "1", ("new/b.py",)),
        ("t4", "1", ("docs/a.md", "docs/b.md")),
        ("t5", "1", ("data.bin",)),
        ("t6", "2", ("data.bin",)),
    ]
    assert {op.origin.words for op in recorded(root) if op.origin} == {"Change it.", "Go on."}
    check_back_and_forth(root, first)
    operations.undo_by_intent(root, Intent(prompt=2))
    assert files(root)["data.bin"] == bytes(range(255))


def test_what_the_user_does_between_calls_is_not_recorded_and_stays(root: Path) -> None:
    first = files(root)
    agent = Agent(root)
    agent.prompt("p1")
    agent.edit("t1", "src/fares.py", FARES.replace("12", "13"))
    put(root, "src/fares.py", FARES.replace("12", "13").replace("return CHILD", "return CHILD  # mine"))
    put(root, "notes.txt", "mine\n")
    agent.shell("t2", lambda: put(root, "docs/a.md", "# B\n"))
    put(root, "docs/mine.md", "mine\n")
    agent.stop()
    assert told(root) == [("t1", "1", ("src/fares.py",)), ("t2", "1", ("docs/a.md",))]
    mine = {"src/fares.py": FARES.replace("return CHILD", "return CHILD  # mine").encode()}
    check_back_and_forth(root, {**first, **mine, "notes.txt": b"mine\n", "docs/mine.md": b"mine\n"})


def test_a_commit_a_stash_and_an_amend_inside_a_call_lose_nothing(root: Path) -> None:
    first = files(root)
    agent = Agent(root)
    agent.prompt("p1")

    def commit() -> None:
        put(root, "src/fares.py", FARES.replace("12", "13"))
        put(root, "more.py", "more = 1\n")
        git(root, "add", "-A")
        git(root, "commit", "-qm", "second", "--amend")

    agent.shell("t1", commit)
    put(root, "docs/a.md", "# mine\n")
    agent.shell("t2", lambda: git(root, "stash", "-q"))
    agent.stop()
    assert told(root) == [("t1", "1", ("more.py", "src/fares.py")), ("t2", "1", ("docs/a.md",))]
    check_back_and_forth(root, {**first, "docs/a.md": b"# mine\n"})


@pytest.mark.parametrize("how", ["gc", "rm"])
def test_objects_that_a_command_takes_out_of_git_are_there_still(root: Path, how: str) -> None:
    first = files(root)
    agent = Agent(root)
    agent.prompt("p1")
    agent.before("Bash", "t1", command="git gc --prune=now; rm -rf .git")
    put(root, "src/fares.py", FARES.replace("12", "13"))
    put(root, "docs/a.md", None)
    if how == "gc":
        git(root, "add", "-A")
        git(root, "commit", "-qm", "second", "--amend")
        git(root, "reflog", "expire", "--expire=now", "--all")
        git(root, "gc", "-q", "--prune=now")
    else:
        shutil.rmtree(root / ".git")
    agent.after("Bash", "t1", command="x")
    agent.stop()
    assert told(root) == [("t1", "1", ("docs/a.md", "src/fares.py"))]
    check_back_and_forth(root, first)
    spool = Spool.find(str(root))
    assert spool is not None
    assert not (Path(spool.path) / "store").exists()


def test_a_background_command_has_what_comes_late(root: Path) -> None:
    agent = Agent(root)
    agent.prompt("p1")
    agent.shell("t1", lambda: None, response={"backgroundTaskId": "b1"})
    put(root, "late.txt", "late\n")
    agent.edit("t2", "src/fares.py", FARES.replace("12", "13"))
    agent.shell("t3", lambda: put(root, "both.txt", "one of the two\n"))
    agent.prompt("p1", "<task-notification><task-id>b1</task-id></task-notification>")
    put(root, "mine.txt", "mine\n")
    agent.stop()
    assert told(root) == [("t2", "1", ("src/fares.py",)), ("t1", "1", ("late.txt",)), ("t1+t3", "1", ("both.txt",))]


def test_a_command_of_codex_that_runs_on_has_no_end_until_the_turn_has(root: Path) -> None:
    agent = Agent(root, "codex")
    agent.prompt("p1")
    agent.before("Bash", "t1", command="work")
    put(root, "src/fares.py", FARES.replace("6", "7"))
    agent.edit("t2", "src/fares.py", FARES.replace("6", "7").replace("12", "13"))
    put(root, "late.txt", "late\n")
    agent.stop()
    put(root, "mine.txt", "mine\n")
    agent.prompt("p2")
    agent.stop()
    assert told(root) == [("t1", "1", ("late.txt", "src/fares.py")), ("t2", "1", ("src/fares.py",))]


def test_a_sub_agent_inside_a_command_of_its_parent(root: Path) -> None:
    agent = Agent(root, "codex")
    agent.prompt("p1")
    agent.before("Bash", "t1", command="work")
    put(root, "main.txt", "m\n")
    agent.thread, agent.request = "a1", "p7"
    agent.event("UserPromptSubmit", prompt="Do a part of it.")
    agent.edit("t2", "sub.py", "s = 1\n")
    agent.before("Bash", "t3", command="work")
    put(root, "sub.txt", "s\n")
    agent.after("Bash", "t3", command="work")
    agent.event("SubagentStop")
    agent.thread, agent.request = "", "p1"
    put(root, "main.txt", "mm\n")
    agent.after("Bash", "t1", command="work")
    agent.stop()
    assert told(root) == [
        ("t1", "1", ("main.txt",)),
        ("t2", "1", ("sub.py",)),
        ("t1+t3", "1", ("sub.txt",)),
        ("t1", "1", ("main.txt",)),
    ]
    check_back_and_forth(root, {k: v for k, v in files(root).items() if k not in ("main.txt", "sub.py", "sub.txt")})


def test_two_installs_count_nothing_twice(root: Path) -> None:
    first = files(root)
    agent = Agent(root, times=2)
    agent.prompt("p1")
    agent.edit("t1", "src/fares.py", FARES.replace("12", "13"))
    agent.shell("t2", lambda: put(root, "src/fares.py", FARES.replace("12", "13").replace("6", "7")))
    agent.stop()
    assert told(root) == [("t1", "1", ("src/fares.py",)), ("t2", "1", ("src/fares.py",))]
    check_back_and_forth(root, first)


def test_a_formatter_behind_an_edit_is_part_of_it_until_the_answer_ends(root: Path) -> None:
    agent = Agent(root)
    agent.prompt("p1")
    asked = {"file_path": str(root / "src/fares.py")}
    agent.before("Edit", "t1", **asked)
    put(root, "src/fares.py", FARES.replace("12", " 13"))
    agent.after("Edit", "t1", **asked)
    put(root, "src/fares.py", FARES.replace("12", "13"))
    agent.batch("t1")
    put(root, "src/fares.py", FARES.replace("12", "13") + "# mine\n")
    agent.stop()
    (operation,) = recorded(root)
    with Workspace.open(root) as ws:
        assert ws.show(operation.id).versions["src/fares.py"].after_text == FARES.replace("12", "13")


def test_a_refused_call_has_nothing(root: Path) -> None:
    agent = Agent(root, "codex")
    agent.prompt("p1")
    agent.before("apply_patch", "t1", command="*** Begin Patch\n*** Update File: src/fares.py\n*** End Patch")
    agent.before("apply_patch", "t2", command="*** Begin Patch\n*** Update File: docs/a.md\n*** End Patch")
    put(root, "src/fares.py", FARES + "# mine\n")
    put(root, "docs/a.md", "# B\n")
    agent.after("apply_patch", "t2", command="*** Begin Patch\n*** Update File: docs/a.md\n*** End Patch")
    agent.stop()
    assert told(root) == [("t2", "1", ("docs/a.md",))]


def test_a_killed_agent_is_settled_by_the_next_process(root: Path) -> None:
    first = files(root)
    agent = Agent(root)
    agent.prompt("p1")
    agent.before("Bash", "t1", command="work")
    put(root, "docs/a.md", "# B\n")
    assert told(root) == [("t1", "1", ("docs/a.md",))]
    assert told(root) == [("t1", "1", ("docs/a.md",))]
    check_back_and_forth(root, first)


def test_a_call_of_an_agent_that_died_ends_with_the_next_look(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event, "agent_process", lambda: "4194304 1")  # no system gives that number
    agent = Agent(root)
    agent.prompt("p1")
    agent.before("Bash", "t1", command="work")
    put(root, "docs/a.md", "# B\n")
    assert told(root) == [("t1", "1", ("docs/a.md",))]
    put(root, "docs/mine.md", "mine\n")
    other = Agent(root, session="s2")
    other.prompt("p9")
    other.shell("t9", lambda: put(root, "c.txt", "c\n"))
    other.stop()
    assert told(root) == [("t1", "1", ("docs/a.md",)), ("t9", "1", ("c.txt",))]


def test_without_git_the_tree_is_kept_by_content(bare: Path) -> None:
    first = files(bare)
    agent = Agent(bare)
    agent.prompt("p1")
    agent.shell(
        "t1", lambda: (put(bare, "docs/a.md", None), put(bare, "docs/b.md", "# A\n"), put(bare, "data.bin", b"\0"))
    )
    put(bare, "mine.txt", "mine\n")
    agent.shell("t2", lambda: put(bare, "node_modules/x.js", "x\n"))
    agent.shell("t3", lambda: put(bare, "src/fares.py", FARES.replace("6", "7")))
    agent.stop()
    assert told(bare) == [("t1", "1", ("data.bin", "docs/a.md", "docs/b.md")), ("t3", "1", ("src/fares.py",))]
    check_back_and_forth(bare, {**first, "mine.txt": b"mine\n", "node_modules/x.js": b"x\n"})


def test_ignored_files_are_kept_if_a_tool_names_them_and_else_told(root: Path) -> None:
    put(root, ".gitignore", "*.log\n")
    put(root, "build.log", "one\n")
    agent = Agent(root)
    agent.prompt("p1")
    agent.shell("t1", lambda: put(root, "build.log", "one\ntwo\n"))
    agent.edit("t2", "build.log", "three\n")
    agent.stop()
    first, second = recorded(root)
    assert (first.paths, first.not_covered) == ((), ("build.log",))
    assert (second.paths, second.not_covered) == (("build.log",), ())


def test_of_secrets_only_a_digest_is_kept(root: Path) -> None:
    put(root, ".env", "KEY=secret-of-mine\n")
    agent = Agent(root)
    agent.prompt("p1")
    agent.edit("t1", ".env", "KEY=another-secret\n")
    agent.shell("t2", lambda: put(root, "server.pem", "PRIVATE\n"))
    agent.stop()
    assert [op.not_covered for op in recorded(root)] == [(".env",), ("server.pem",)]
    spool = Spool.find(str(root))
    assert spool is not None
    kept = [spool.bytes_of(name) for name in spool.names("objects")]
    assert not any(b"secret" in (data or b"") or b"PRIVATE" in (data or b"") for data in kept)


def test_settings_say_what_is_excluded(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    put(tmp_path, "config/dovetail/config.toml", '[record]\nexclude = ["*.mine"]\n')
    put(root, "dovetail.toml", '[record]\nexclude = ["*.theirs"]\n')
    agent = Agent(root)
    agent.prompt("p1")
    for n, name in enumerate((".env", "a.mine", "a.theirs")):
        agent.edit(f"t{n}", name, "x\n")
    agent.stop()
    assert [(op.paths, op.not_covered) for op in recorded(root)] == [
        ((".env",), ()),
        ((), ("a.mine",)),
        ((), ("a.theirs",)),
    ]
    assert load(root).chosen == {"record"}


@pytest.mark.parametrize("silent", [None, "cat-file"])
def test_what_git_converts_comes_back_to_the_byte(
    root: Path, monkeypatch: pytest.MonkeyPatch, silent: str | None
) -> None:
    """Also where git does not say in time what it converts."""

    def looking(folder: str, command: str, *args: str, **more: Any) -> bytes | None:  # noqa: ANN401 - as `look` has it
        late = command == silent and "--batch" not in args
        return None if late else git_program.look(folder, command, *args, **more)

    monkeypatch.setattr(tree, "look", looking)
    put(root, ".gitattributes", "*.txt text=auto\n")
    put(root, "crlf.txt", "one\r\ntwo\r\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "with line ends")
    first = files(root)
    assert b"\r" in first["crlf.txt"]
    agent = Agent(root)
    agent.prompt("p1")
    agent.shell("t1", lambda: put(root, "crlf.txt", "one\r\nzwei\r\n"))
    agent.shell("t2", lambda: put(root, "crlf.txt", None))
    agent.stop()
    assert len(recorded(root)) == 2
    check_back_and_forth(root, first)


def test_what_dovetail_itself_wrote_in_a_call_is_its_own_operation(root: Path) -> None:
    agent = Agent(root)
    agent.prompt("p1")

    def apply() -> None:
        put(root, "docs/a.md", "# B\n")
        with Workspace.open(root) as ws:
            snapshot = ws.snapshot(["src/fares.py"])
            ws.commit([FileChange("src/fares.py", FARES, FARES.replace("12", "13"))], snapshot)
        put(root, "docs/c.md", "# C\n")

    agent.shell("t1", apply)
    agent.stop()
    with Workspace.open(root) as ws:
        operations = ws.log()
    assert [(op.label, op.paths) for op in operations] == [
        (Label.RECORDED, ("docs/a.md",)),
        (Label.APPLY, ("src/fares.py",)),
        (Label.RECORDED, ("docs/c.md",)),
    ]
    assert {op.origin.call for op in operations if op.origin} == {"t1"}


def test_git_and_files_are_left_as_they_are(root: Path) -> None:
    os.utime(root / "docs/a.md")  # git would refresh its index
    index = (root / ".git/index").read_bytes(), (root / ".git/index").stat().st_mtime_ns
    agent = Agent(root)
    agent.prompt("p1")
    agent.shell("t1", lambda: put(root, "src/fares.py", FARES.replace("6", "7")))
    agent.stop()
    assert ((root / ".git/index").read_bytes(), (root / ".git/index").stat().st_mtime_ns) == index


def test_an_interrupted_settling_counts_nothing_twice(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Agent(root)
    agent.prompt("p1")
    agent.edit("t1", "docs/a.md", "# B\n")
    agent.edit("t2", "docs/a.md", "# C\n")
    write_json = Spool.write_json

    def killed(self: Spool, name: str, value: object) -> None:
        if name == "trail":
            raise KeyboardInterrupt
        write_json(self, name, value)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Spool, "write_json", killed)
        recorded(root)
    agent.edit("t3", "docs/a.md", "# D\n")
    agent.stop()
    assert [calls for calls, _, _ in told(root)] == ["t1", "t2", "t3"]


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"hook_event_name": "PreToolUse"}', b"\xff"])
def test_no_event_fails_or_prints(
    broken: bytes, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(broken)))
    assert main(["hook"]) == 0
    assert capsys.readouterr() == ("", "")


def test_home_and_the_whole_disk_are_no_roots(root: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    for folder in (home, home.parent, Path("/")):
        agent = Agent(root)
        agent.folder = folder
        with pytest.raises(ValueError, match="too much"):
            agent.prompt("p1")


def test_a_state_folder_inside_the_project_is_none(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(root / "state"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "other"))
    (tmp_path / "other").mkdir()
    agent = Agent(root)
    agent.prompt("p1")
    agent.edit("t1", "docs/a.md", "# B\n")
    assert not (root / "state").exists()
    assert told(root) == [("t1", "1", ("docs/a.md",))]


def test_files_outside_of_the_root_are_not_looked_at(root: Path) -> None:
    agent = Agent(root)
    agent.prompt("p1")
    agent.edit("t1", "../secret.txt", "mine\n")
    (root / "out").symlink_to(root.parent)
    agent.edit("t2", "out/secret.txt", "mine too\n")
    agent.stop()
    assert recorded(root) == []


def test_the_agent_is_known_by_its_payload() -> None:
    agents = event.table()
    common = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/x", "transcript_path": "/t"}
    assert event.agent_of({**common, "prompt_id": "p"}, agents) == "claude"
    assert event.agent_of({**common, "turn_id": "p", "model": "m"}, agents) == "codex"
    assert event.agent_of({**common, "timestamp": "now"}, agents) is None
    opencode = {**common, "agent": "opencode", "hook_event_name": "tool.execute.before"}
    assert event.agent_of(opencode, agents) == "opencode"


def test_an_event_loads_nothing_of_the_engine(root: Path) -> None:
    import subprocess

    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "cwd": str(root),
        "transcript_path": "/t",
        "prompt_id": "p",
    }
    payload |= {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "x"}}
    code = "import sys; from dovetail.cli import main; main(['hook']); print(sorted(m for m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(payload), capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(done.stdout.replace("'", '"')))
    assert not loaded & {
        "pathlib",
        "subprocess",
        "argparse",
        "dataclasses",
        "typing",
        "dovetail.workspace",
        "dovetail.model",
    }
    assert Spool.find(str(root)) is not None


def test_a_call_in_another_repository_inside_the_project(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edits belong to the root of their file, calls to where they began, wherever the agent has changed to since."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    inner = root / "inner"
    put(inner, "src/a.py", "a = 1\n")
    git(inner, "init", "-q")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "first")
    agent = Agent(root)
    agent.prompt("p1")
    agent.before("Bash", "t1", command="cd inner/src")
    put(root, "docs/a.md", "# One\n")
    agent.folder = inner / "src"
    agent.after("Bash", "t1", command="cd inner/src")
    agent.edit("t2", "docs/a.md", "# Two\n")
    agent.shell("t3", lambda: put(inner, "src/a.py", "a = 2\n"))
    agent.stop()
    assert told(root) == [("t1", "1", ("docs/a.md",)), ("t2", "1", ("docs/a.md",))]
    assert [call for call, _, paths in told(inner) if paths == ("src/a.py",)] == ["t3"]


def test_a_worktree_inside_the_project_is_a_root_of_its_own(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    tree = root / ".claude/worktrees/w"
    git(root, "worktree", "add", "-q", str(tree))
    agent = Agent(tree)
    agent.prompt("p1")
    agent.shell("t1", lambda: put(tree, "docs/a.md", "# One\n"))
    agent.edit("t2", "docs/a.md", "# Two\n")
    agent.stop()
    assert [call for call, _, _ in told(tree)] == ["t1", "t2"]
    assert told(root) == []


def test_links_are_written_through_and_never_come_back_as_files(root: Path) -> None:
    (root / "link.md").symlink_to("docs/a.md")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "link")
    agent = Agent(root)
    agent.prompt("p1")
    agent.edit("t1", "link.md", "# One\n")
    agent.shell("t2", (root / "link.md").unlink)
    agent.stop()
    assert [(op.paths, op.not_covered) for op in recorded(root)] == [(("docs/a.md",), ()), ((), ("link.md",))]
    operations.undo_by_intent(root, Intent(session="s1"))
    assert (root / "docs/a.md").read_text() == "# A\n"
    assert not (root / "link.md").exists()
