"""A process killed at any instant leaves files before or after, and a journal that the next start makes whole."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from workspace_acts import commit_texts, contents

from dovetail.workspace import Outcome, State, Workspace

HERE = Path(__file__).parent

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is killed with a signal")


@pytest.mark.parametrize(("act", "outcomes"), [
    ("commit", {"nothing to recover", "rolled back", "completed"}),
    ("undo", {"nothing to recover", "rolled back", "completed"}),
    ("recover", {"nothing to recover"}),
    ("power", {"nothing to recover", "rolled back", "completed"}),
])  # fmt: skip
def test_killed_at_every_step(tmp_path: Path, act: str, outcomes: set[str]) -> None:
    command = [sys.executable, str(HERE / "crashing.py"), act, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert int(lines[-1].removeprefix("steps ")) >= 12
    assert {line.split(" ", 1)[1].rstrip("0123456789 ") for line in lines[:-1]} == outcomes


LOOP = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from dovetail.workspace import Workspace
from workspace_acts import commit_texts
with Workspace.open(Path(sys.argv[1])) as ws:
    for n in range(10_000):
        commit_texts(ws, {f"f{i}": f"{n}\\n" * 100 for i in range(8)})
        print(n, flush=True)
"""


def test_killed_at_any_time(root: Path) -> None:
    """Eight files always hold one number; after a kill and a start they do again."""
    chance = random.Random(7)  # noqa: S311  (only has to spread the kills)
    for _ in range(8):
        command = [sys.executable, "-c", LOOP, str(root), str(HERE)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(chance.random() / 20)
            child.send_signal(signal.SIGKILL)
        with Workspace.open(root) as ws:
            assert {op.state for op in ws.log()} == {State.DONE}
        files = contents(root)
        assert sorted(files) == [f"f{i}" for i in range(8)]
        assert len(set(files.values())) == 1


def interrupted(root: Path, at: str, count: int = 1) -> dict[str, bytes]:
    """A root whose child died before the `count`-th act of a kind; returns the files as they were before."""
    (root / "a").write_text("a\n")
    (root / "b").write_text("b\n")
    before = contents(root)
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return before
    left = [count]

    def kill(step: str) -> None:
        left[0] -= step == at
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        with Workspace.open(root, step=kill) as ws:
            commit_texts(ws, {"a": "A\n", "b": "B\n", "n": "N\n"})
    finally:
        os._exit(1)


def test_a_file_edited_after_the_crash_is_left_alone_and_named(root: Path) -> None:
    interrupted(root, "replace", 2)
    (root / "b").write_text("mine\n")
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.files, ws.recovery.left) == (Outcome.COMPLETED, ("n",), ("b",))
        assert "left alone: b" in ws.recovery.message
        assert ws.log()[0].left == ("b",)
    assert contents(root) == {"a": b"A\n", "b": b"mine\n", "n": b"N\n"}


def test_nothing_is_completed_where_nothing_was_begun_and_a_file_was_edited(root: Path) -> None:
    interrupted(root, "replace")
    (root / "b").write_text("mine\n")
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.files, ws.recovery.left) == (Outcome.ROLLED_BACK, (), ("b",))
        assert ws.log() == []
    assert contents(root) == {"a": b"a\n", "b": b"mine\n"}


def test_staged_leftovers_go_with_their_operation(root: Path) -> None:
    before = interrupted(root, "ready")
    assert any(path.name.startswith(".dovetail-") for path in root.iterdir())
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert ws.recovery.outcome is Outcome.ROLLED_BACK
    assert contents(root) == before


DAMAGE: dict[str, Callable[[bytes, int], bytes]] = {
    "cut": lambda data, at: data[:at],
    "cut and zeros": lambda data, at: data[:at] + bytes(len(data) - at),
    "cut and junk": lambda data, at: data[:at] + b"\xff\n" * 20,
    "one bit": lambda data, at: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :],
}


@pytest.mark.parametrize("how", DAMAGE)
@pytest.mark.parametrize("name", ["log", "versions-1"])
def test_a_damaged_journal_never_makes_a_file_anything_but_before_or_after(tmp_path: Path, name: str, how: str) -> None:
    """What a power loss may do to the last bytes, and what a bad disk may do to any."""
    root = tmp_path / "root"
    root.mkdir()
    before = interrupted(root, "replace", 2)
    during = contents(root)
    journal = root / ".dovetail" / name
    whole = journal.read_bytes()
    others = {path: path.read_bytes() for path in (root / ".dovetail").iterdir() if path != journal}
    after = {"a": b"A\n", "b": b"B\n", "n": b"N\n"}
    for at in range(0, len(whole), max(1, len(whole) // 25)):
        for path, data in during.items():
            (root / path).write_bytes(data)
        for path, data in others.items():
            path.write_bytes(data)
        journal.write_bytes(DAMAGE[how](whole, at))
        with Workspace.open(root) as ws:
            seen = {path: data for path, data in contents(root).items() if not path.startswith(".dovetail-")}
            for path, data in seen.items():
                assert data in (before.get(path), after.get(path))
            commit_texts(ws, {"later": "1"})
            ws.undo()
            assert not (root / "later").exists()
        for path in ("n", "later"):
            (root / path).unlink(missing_ok=True)


def test_a_torn_file_written_in_place_is_made_whole(root: Path) -> None:
    """Power is lost in the middle of an overwrite: blocks of both versions stand in the file."""
    old, new = "old\n" * 1000, "new!\n" * 2000
    (root / "a").write_text(old)
    (root.parent / "twin").hardlink_to(root / "a")
    child = os.fork()
    if not child:
        try:
            step = lambda step: os.kill(os.getpid(), signal.SIGKILL) if step == "replace" else None  # noqa: E731
            with Workspace.open(root, step=step) as ws:
                commit_texts(ws, {"a": new})
        finally:
            os._exit(1)
    os.waitpid(child, 0)
    padded = old.encode().ljust(len(new), b"\0")
    torn = new.encode()[:1024] + padded[1024:2048] + bytes(512) + new.encode()[2560:5120] + padded[5120:]
    (root / "a").write_bytes(torn)
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.files) == (Outcome.COMPLETED, ("a",))
    assert (root.parent / "twin").read_text() == new
    assert (root / "a").stat().st_nlink == 2


def test_a_recovery_that_the_disk_refuses_is_tried_again(root: Path) -> None:
    interrupted(root, "replace", 2)
    refuse = [True]

    def fail(step: str) -> None:
        if step == "settle" and refuse:
            raise OSError(5, "Input/output error")

    with pytest.raises(Exception, match="Input/output error"):
        Workspace.open(root, step=fail)
    refuse.clear()
    with Workspace.open(root, step=fail) as ws:
        assert ws.recovery is not None
        assert ws.recovery.outcome is Outcome.COMPLETED
    assert contents(root) == {"a": b"A\n", "b": b"B\n", "n": b"N\n"}
