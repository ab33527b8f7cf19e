"""What an interrupted command left is made whole by the next one, whichever it is, and said; so is what stands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_shell import COMMAND, PATIENCE, at_terminal, dovetail, environment

INTERRUPT = """
import os, signal, sys
from pathlib import Path
from dovetail.model.results import FileChange
from dovetail.workspace import Workspace
def kill(step):
    if step == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)
with Workspace.open(Path(), step=kill) as ws:
    ws.commit([FileChange("a.txt", "a\\n", "A\\n")], ws.snapshot(["a.txt"]), reply="reply", results=[])
"""
REPLY = "b.txt\n```\n<<<<<<< SEARCH\nb\n=======\nB\n>>>>>>> REPLACE\n```\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for name in "ab":
        (root / f"{name}.txt").write_text(f"{name}\n")
    (tmp_path / "reply.md").write_text(REPLY)
    (tmp_path / "prose.md").write_text("No edit.\n")
    (tmp_path / "miss.md").write_text(REPLY.replace("\nb\n", "\nnowhere\n"))
    return root


def interrupt(folder: Path, step: str) -> None:
    command = [sys.executable, "-c", INTERRUPT, step]
    done = subprocess.run(command, cwd=folder, env=environment(folder), check=False)
    assert done.returncode == -signal.SIGKILL


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environment(folder), capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize("step", ["ready", "done"])
@pytest.mark.parametrize("words", [
    "log", "log --json", "show", "show --reply", "show --json", "show nowhere",
    "undo", "undo --dry-run", "undo --json", "undo nowhere", "undo --edit 7", "redo", "context b.txt",
    "apply ../reply.md", "apply ../reply.md --dry-run", "apply ../reply.md --yes --json",
    "apply ../prose.md --yes", "apply ../miss.md --yes", "apply ../reply.md --yes --git-add", "apply ../reply.md --only a.txt",
])  # fmt: skip
def test_what_was_made_whole_is_said(folder: Path, step: str, words: str) -> None:
    interrupt(folder, step)
    done = dovetail(folder, *words.split())
    outcome = "rolled back" if step == "ready" else "completed"
    assert (done.stdout + done.stderr).count(f") was {outcome}.") == 1
    assert "interrupted" not in dovetail(folder, "log").stdout


def test_it_is_said_to_who_says_no(folder: Path) -> None:
    interrupt(folder, "done")
    with at_terminal(folder, "apply", "../reply.md") as person:
        person.wait_for("(Enter: none) ")
        person.type("n")
        assert person.leave() == 1
    assert ") was completed." in person.seen


def test_it_is_said_to_who_presses_ctrl_c(folder: Path) -> None:
    interrupt(folder, "done")
    with at_terminal(folder, "apply", "../reply.md") as person:
        person.wait_for("(Enter: none) ")
        person.interrupt()
        assert person.leave() == 130
    assert ") was completed." in person.seen


@pytest.mark.parametrize(("name", "status"), [("pre-commit", " M b.txt\n"), ("post-commit", "")])
def test_ctrl_c_while_git_commits_leaves_said_what_is_written(folder: Path, name: str, status: str) -> None:
    """Behind the commit the index follows all the same: else the next commit would take this one back."""
    git(folder, "init", "-q")
    git(folder, "config", "user.name", "U")
    git(folder, "config", "user.email", "u@example.org")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "start")
    hook = folder / ".git/hooks" / name
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ../begun\nexec sleep 30\n")
    hook.chmod(0o755)
    child = subprocess.Popen(
        [*COMMAND, "apply", "../reply.md", "--yes", "--commit"],
        cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + PATIENCE
    while not (folder.parent / "begun").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert (folder.parent / "begun").exists()
    os.killpg(child.pid, signal.SIGINT)
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130
    assert (folder / "b.txt").read_text() == "B\n"
    assert git(folder, "status", "--porcelain") == status
    operation = dovetail(folder, "log").stdout.split()[0]
    assert f"The files are written, as operation {operation}" in said


def test_a_log_that_cannot_be_read_is_told_by_every_command(folder: Path) -> None:
    (folder / ".dovetail").mkdir()
    (folder / ".dovetail/log").write_text("x")
    for words in ("log", "show", "undo", "redo", "log --prune", "undo --edit 1", "undo --dry-run"):
        done = dovetail(folder, *words.split())
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error journal-unreadable  The journal's log, `.dovetail/log`, cannot be read")
        assert "\nnext  " in done.stderr
    done = dovetail(folder, "apply", "../reply.md", "--yes")
    assert done.returncode == 0
    assert "warning journal-unreadable .dovetail/unreadable-1  The journal's log" in done.stdout
    assert (folder / ".dovetail/unreadable-1/log").read_text() == "x"
    assert dovetail(folder, "undo").returncode == 0
    (folder / ".dovetail/log").write_text("x")
    told = json.loads(dovetail(folder, "apply", "../reply.md", "--yes", "--json").stdout)
    assert [(d["code"], d["path"]) for d in told["diagnostics"]] == [("journal-unreadable", ".dovetail/unreadable-2")]


def test_an_operation_that_cannot_be_read_is_told(folder: Path) -> None:
    assert dovetail(folder, "apply", "../reply.md", "--yes").returncode == 0
    (folder.parent / "other.md").write_text(REPLY.replace("b", "a").replace("B", "A"))
    assert dovetail(folder, "apply", "../other.md", "--yes").returncode == 0
    log = folder / ".dovetail/log"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([*lines[:4], *(line[1:] for line in lines[4:])]))
    told = dovetail(folder, "log").stdout.splitlines()
    assert told[0] == "warning journal-damaged  1 operation cannot be read in the journal."
    assert told[2] == "(1 operation that cannot be read)"
    assert told[3].endswith("b.txt")
    assert json.loads(dovetail(folder, "log", "--json").stdout)["lost"] == 1
    for words in ("undo", "undo --dry-run", "redo", "show", "undo --edit 1"):
        done = dovetail(folder, *words.split())
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error journal-damaged  What was done after ")
    named = told[3].split()[0]
    assert dovetail(folder, "undo", named).returncode == 0
    assert (folder / "b.txt").read_text() == "b\n"
