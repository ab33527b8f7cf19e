"""A process killed at any instant leaves files before or after, and a journal that the next start makes whole."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from workspace_acts import commit_texts, contents, modes

from dovetail.model.errors import WorkspaceError
from dovetail.workspace import OperationState, Outcome, Workspace
from dovetail.workspace.directory import Directory

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
            assert {op.state for op in ws.log()} == {OperationState.DONE}
        files = contents(root)
        assert sorted(files) == [f"f{i}" for i in range(8)]
        assert len(set(files.values())) == 1


def interrupted(
    root: Path,
    at: str,
    count: int = 1,
    texts: Mapping[str, str | None] | None = None,
    renames: Mapping[str, str] | None = None,
) -> dict[str, bytes]:
    """A root whose child died before the `count`-th act of a kind; returns the files as they were before."""
    for name in "ab":
        if not (root / name).exists():
            (root / name).write_text(f"{name}\n")
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
            commit_texts(ws, texts or {"a": "A\n", "b": "B\n", "n": "N\n"}, renames)
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


def test_a_file_whose_new_name_was_taken_after_the_crash_keeps_its_old_one(root: Path) -> None:
    interrupted(root, "replace", 2, {"a": "A\n", "n": "b\n"}, {"n": "b"})
    (root / "n").write_text("mine\n")
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.left) == (Outcome.COMPLETED, ("b", "n"))
    assert contents(root) == {"a": b"A\n", "b": b"b\n", "n": b"mine\n"}


@pytest.mark.parametrize("at", ["replace", "flush"])
def test_a_file_that_takes_the_name_of_its_equal_is_made_whole_with_its_mode(root: Path, at: str) -> None:
    for name, mode in (("a", 0o755), ("b", 0o640)):
        (root / name).write_text("same\n")
        (root / name).chmod(mode)
    interrupted(root, at, 2 if at == "replace" else 1, {"a": "same\n", "b": "same\n"}, {"a": "b", "b": "a"})
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert ws.recovery.outcome is Outcome.COMPLETED
        assert modes(root) == {"a": 0o640, "b": 0o755}
        ws.undo()
    assert modes(root) == {"a": 0o755, "b": 0o640}


def test_nothing_is_completed_where_nothing_was_begun_and_a_file_was_edited(root: Path) -> None:
    interrupted(root, "replace")
    (root / "b").write_text("mine\n")
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.files, ws.recovery.left) == (Outcome.ROLLED_BACK, (), ("b",))
        assert ws.log() == []
    assert contents(root) == {"a": b"a\n", "b": b"mine\n"}


def test_an_operation_whose_files_were_all_replaced_and_then_edited_stands(root: Path) -> None:
    """Its renames are done and its last line is not: what was edited since is no sign that nothing was replaced."""
    interrupted(root, "flush", texts={"a": "A\n" + "-\n" * 9})
    (root / "a").write_text("A\n" + "-\n" * 9 + "mine\n")
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.files, ws.recovery.left) == (Outcome.COMPLETED, (), ("a",))
        assert [op.state for op in ws.log()] == [OperationState.DONE]
    assert (root / "a").read_text() == "A\n" + "-\n" * 9 + "mine\n"


@pytest.mark.parametrize("how", ["replaced", "removed", "written in place", "made"])
@pytest.mark.parametrize("forward", [True, False], ids=["forwards", "backwards"])
def test_a_file_that_is_edited_while_it_is_made_whole_is_left_alone(root: Path, how: str, forward: bool) -> None:
    """Between the look at a file and the act on it lies a flush."""
    name, after = ("n", "N\n") if how == "made" else ("b", None if how == "removed" else "B\n")
    if how == "written in place":
        (root / "b").write_text("b\n")
        (root.parent / "twin").hardlink_to(root / "b")
    count = 2 if forward and how != "written in place" else 1  # what is overwritten comes first
    interrupted(root, "replace" if forward else "ready", count, {"a": "A\n", name: after})
    if not forward:  # nothing was replaced yet: there has to be something to take back
        if after is None:
            (root / name).unlink()
        else:
            (root / name).write_text(after)

    def edit(step: str) -> None:
        if step == "switch":
            (root / name).write_text("mine\n")

    with Workspace.open(root, step=edit) as ws:
        assert ws.recovery is not None
        assert ws.recovery.left == (name,)
    assert (root / name).read_text() == "mine\n"


@pytest.mark.parametrize("how", ["file", "link", "gone"])
def test_a_folder_that_is_no_longer_there_does_not_keep_the_rest_from_being_made_whole(root: Path, how: str) -> None:
    (root / "sub").mkdir()
    (root / "sub/f").write_text("f\n")
    interrupted(root, "replace", 2, {"a": "A\n", "b": "B\n", "sub/f": "F\n"})
    (root / "sub").rename(root.parent / "sub")
    if how == "file":
        (root / "sub").write_text("mine\n")
    if how == "link":
        (root / "sub").symlink_to(root.parent / "sub")
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.files, ws.recovery.left) == (Outcome.COMPLETED, ("b",), ("sub/f",))
    assert (root.parent / "sub/f").read_text() == "f\n"


@pytest.mark.parametrize("other", [True, False], ids=["begun", "not begun"])
def test_what_was_to_stand_in_a_folder_is_left_where_a_file_was_put(root: Path, other: bool) -> None:
    """The file has made way for the folder, the process is dead, and somebody writes the file anew."""
    if other:
        (root / "c").write_text("c\n")
        (root / "twin").hardlink_to(root / "c")
    texts = {"a": None, "a/x": "x\n"} | ({"c": "C\n"} if other else {})
    interrupted(root, "replace", 3 if other else 2, texts)
    assert not (root / "a").exists()
    (root / "a").write_text("mine\n")
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        expected = (Outcome.COMPLETED, ("a", "a/x")) if other else (Outcome.ROLLED_BACK, ("a",))
        assert (ws.recovery.outcome, ws.recovery.left) == expected
    texts_now = {"a": b"mine\n", "b": b"b\n"} | ({"c": b"C\n", "twin": b"C\n"} if other else {})
    assert contents(root) == texts_now


def test_a_file_that_cannot_be_looked_at_is_not_taken_for_edited(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted(root, "replace", 2)
    opened = Directory.open_file

    def refuse(folder: Directory, name: str, flags: int, mode: int = 0o600) -> int:
        if name == "b":
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE), name)
        return opened(folder, name, flags, mode)

    monkeypatch.setattr(Directory, "open_file", refuse)
    for _ in range(2):
        with pytest.raises(WorkspaceError, match=r"An interrupted apply .* is not whole yet\. `b` cannot be read"):
            Workspace.open(root)
    monkeypatch.undo()
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.left) == (Outcome.COMPLETED, ())
    assert contents(root) == {"a": b"A\n", "b": b"B\n", "n": b"N\n"}


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes on this system")
def test_a_renamed_file_is_made_whole_with_its_attributes_and_its_owner(root: Path) -> None:
    (root / "a").write_text("a\n")
    if os.geteuid() == 0:
        os.chown(root / "a", 12345, 54321)
    owner = (root / "a").stat().st_uid
    try:
        os.setxattr(root / "a", "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    interrupted(root, "replace", 2, {"b": "B\n", "n": "a\n"}, {"n": "a"})
    assert not (root / "n").exists()
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert ws.recovery.outcome is Outcome.COMPLETED
    assert contents(root) == {"b": b"B\n", "n": b"a\n"}
    assert os.getxattr(root / "n", "user.note") == b"kept"
    assert (root / "n").stat().st_uid == owner


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


def test_a_torn_file_that_grows_shorter_is_made_whole(root: Path) -> None:
    """The new bytes are written, and what stood behind them is not cut off yet; or only some blocks are written."""
    old, new = b"old line\n" * 300, b"new\n" * 333
    for torn in (new + old[len(new) :], new[:512] + old[512:1024] + new[1024:] + old[len(new) :]):
        (root / "a").write_bytes(old)
        (root.parent / "twin").unlink(missing_ok=True)
        (root.parent / "twin").hardlink_to(root / "a")
        interrupted(root, "replace", texts={"a": new.decode()})
        (root / "a").write_bytes(torn)
        with Workspace.open(root) as ws:
            assert ws.recovery is not None
            assert (ws.recovery.outcome, ws.recovery.files) == (Outcome.COMPLETED, ("a",))
            assert (root / "a").read_bytes() == new
            ws.undo()
        assert (root / "a").read_bytes() == old


@pytest.mark.parametrize("written", [1, 7, 700, 1999])
def test_a_file_of_which_a_write_in_place_ended_early_is_made_whole(root: Path, written: int) -> None:
    old, new = b"old line\n" * 222, b"new!\n" * 400
    (root / "a").write_bytes(old)
    (root.parent / "twin").hardlink_to(root / "a")
    interrupted(root, "replace", texts={"a": new.decode()})
    (root / "a").write_bytes(new[:written] + old[written:].ljust(len(new) - written, b"\0"))
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.files) == (Outcome.COMPLETED, ("a",))
    assert (root / "a").read_bytes() == new


def test_a_recovery_that_the_disk_refuses_is_tried_again(root: Path) -> None:
    interrupted(root, "replace", 2)
    refuse = [True]

    def fail(step: str) -> None:
        if step == "switch" and refuse:
            raise OSError(5, "Input/output error")

    with pytest.raises(Exception, match="Input/output error"):
        Workspace.open(root, step=fail)
    refuse.clear()
    with Workspace.open(root, step=fail) as ws:
        assert ws.recovery is not None
        assert ws.recovery.outcome is Outcome.COMPLETED
    assert contents(root) == {"a": b"A\n", "b": b"B\n", "n": b"N\n"}


def test_what_was_staged_is_put_in_place_though_the_journal_lost_it(root: Path) -> None:
    interrupted(root, "replace", 2)
    (root / ".dovetail/versions-1").unlink()
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.files, ws.recovery.left) == (("b", "n"), ())
    assert contents(root) == {"a": b"A\n", "b": b"B\n", "n": b"N\n"}


@pytest.mark.parametrize("damaged", [b"", b"junk"])
def test_a_file_edited_since_whose_versions_are_lost_bars_no_start(root: Path, damaged: bytes) -> None:
    """Whether one that is written in place is torn, only both of its versions tell."""
    (root / "a").write_text("a\n" * 1000)
    (root.parent / "twin").hardlink_to(root / "a")
    interrupted(root, "ready", texts={"a": "A\n" * 1000, "b": "B\n"})
    (root / "a").write_text("mine\n" * 400)
    (root / ".dovetail/versions-1").write_bytes(damaged)
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.left) == (Outcome.ROLLED_BACK, ("a",))
    assert contents(root) == {"a": b"mine\n" * 400, "b": b"b\n"}
