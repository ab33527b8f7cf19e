"""Two processes, or two threads, exclude each other."""

from __future__ import annotations

import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from workspace_acts import commit_texts, contents

from dovetail.model.errors import ChangedError, LockedError
from dovetail.workspace import OperationState, Workspace

HERE = Path(__file__).parent

HOLD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from dovetail.workspace import Workspace
from workspace_acts import commit_texts
def wait(step):
    if step == sys.argv[3]:
        print("holding", flush=True)
        sys.stdin.readline()
with Workspace.open(Path(sys.argv[1]), step=wait) as ws:
    commit_texts(ws, {"held": "x"})
"""

COUNT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from dovetail.model.errors import ChangedError
from dovetail.workspace import Workspace
from workspace_acts import commit_on
with Workspace.open(Path(sys.argv[1]), patience=60) as ws:
    done = 0
    while done < 15:
        seen = ws.snapshot(["count", "twin"], tree=frozenset())
        after = str(int(seen.files["count"].text) + 1)
        try:
            commit_on(ws, seen, {"count": after, "twin": after})
        except ChangedError:
            continue
        done += 1
"""


def holding(root: Path, step: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLD, str(root), str(HERE), step]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "holding\n"
    return child


@pytest.mark.parametrize("step", ["begin", "ready", "replace", "done"])
def test_who_comes_second_is_told_what_to_do(root: Path, step: str) -> None:
    with Workspace.open(root) as ws:
        commit_texts(ws, {"first": "1"})
        child = holding(root, step)
        try:
            impatient = Workspace.open(root, patience=0.05) if step == "begin" else ws
            impatient._patience = 0.05
            with pytest.raises(LockedError) as raised:
                commit_texts(impatient, {"second": "2"})
            assert str(child.pid) in raised.value.message
            assert "run the command again" in f"{raised.value.hint}"
            with pytest.raises(LockedError):
                impatient.undo()
            assert [op.paths for op in ws.log()] == [("first",)]
        finally:
            child.communicate("\n", timeout=180)
        commit_texts(ws, {"second": "2"})
        assert [op.paths for op in ws.log()] == [("first",), ("held",), ("second",)]
        assert ws.recovery is None


def test_opening_beside_a_commit_waits_and_does_not_take_it_for_interrupted(root: Path) -> None:
    child = holding(root, "replace")
    with pytest.raises(LockedError):
        Workspace.open(root, patience=0.05)
    opened: list[Workspace] = []
    waiting = threading.Thread(target=lambda: opened.append(Workspace.open(root, patience=30)))
    waiting.start()
    child.communicate("\n", timeout=180)
    waiting.join(180)
    assert opened[0].recovery is None
    assert [op.paths for op in opened[0].log()] == [("held",)]
    opened[0].close()


def test_a_dead_process_holds_no_lock(root: Path) -> None:
    child = holding(root, "begin")
    child.kill()
    child.communicate()
    with Workspace.open(root, patience=0) as ws:
        commit_texts(ws, {"a": "1"})


def test_two_processes_that_write_the_same_files_lose_no_write(root: Path) -> None:
    (root / "count").write_text("0")
    (root / "twin").write_text("0")
    command = [sys.executable, "-c", COUNT, str(root), str(HERE)]
    children = [subprocess.Popen(command) for _ in range(2)]
    assert [child.wait(120) for child in children] == [0, 0]
    with Workspace.open(root) as ws:
        assert contents(root)["count"] == contents(root)["twin"]
        assert int((root / "count").read_text()) >= 30
        assert len(ws.log()) == int((root / "count").read_text())
        for _ in ws.log():
            ws.undo()
        assert {op.state for op in ws.log() if op.label == "apply"} == {OperationState.UNDONE}
    assert contents(root) == {"count": b"0", "twin": b"0"}


def test_two_threads_of_one_workspace_exclude_each_other(ws: Workspace, root: Path) -> None:
    """Both write the same file: one of each pair is refused or comes after, and no version is lost."""
    failed: list[type] = []

    def write(name: str) -> None:
        for n in range(10):
            try:
                commit_texts(ws, {"shared": f"{name}{n}", name: f"{n}"})
            except ChangedError as error:
                failed.append(type(error))

    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(180)
    assert len(ws.log()) + len(failed) == 20
    chain = [op.files for op in ws.log()]
    versions = [next(r for r in files if r.path == "shared") for files in chain]
    for earlier, later in pairwise(versions):
        assert later.digests[0] == earlier.digests[1]
