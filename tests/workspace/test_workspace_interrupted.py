"""Every moment is safe: errors, Ctrl-C and full disks take everything back at once."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from workspace_acts import commit_texts, contents, modes

from dovetail.model.errors import WorkspaceError
from dovetail.workspace import Limits, Outcome, Workspace
from dovetail.workspace.journal.writer import JournalWriter

TEXTS = {
    "edited": "E\n",
    "gone": None,
    "linked": "short",
    "new/deep/f": "n\n",
    "file": None,
    "file/in/it": "i\n",
    "file/too": "t\n",
    "folder": "F\n",
    "folder/in/it": None,
}


def prepare(root: Path) -> dict[str, bytes]:
    (root / "edited").write_text("e\n" * 50)
    (root / "gone").write_text("g\n")
    (root / "file").write_text("f\n")
    (root / "folder/in").mkdir(parents=True)
    (root / "folder/in/it").write_text("i\n")
    (root / "linked").write_text("l\n" * 5000)
    (root.parent / "twin").hardlink_to(root / "linked")
    return contents(root)


def count_steps(root: Path) -> int:
    steps: list[str] = []
    with Workspace.open(root, step=steps.append) as ws:
        commit_texts(ws, TEXTS)
    return len(steps)


def open_descriptors() -> int:
    """How many there are, where the system tells."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


class Stop(BaseException):
    """What no part of the room expects."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, Stop, OSError(5, "Input/output error"), MemoryError])
def test_an_error_at_any_step_leaves_every_file_before_or_after(tmp_path: Path, error: object) -> None:
    (tmp_path / "count/root").mkdir(parents=True)
    prepare(tmp_path / "count/root")
    total = count_steps(tmp_path / "count/root")
    after = contents(tmp_path / "count/root")
    assert total >= 10
    descriptors = open_descriptors()
    for n in range(total):
        root = tmp_path / str(n) / "root"
        root.mkdir(parents=True)
        before = prepare(root)
        left = [n]

        def stop(_: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] == -1:
                raise error  # type: ignore[misc]

        with Workspace.open(root, step=stop) as ws:
            with pytest.raises((KeyboardInterrupt, Stop, WorkspaceError, OSError, MemoryError)):
                commit_texts(ws, TEXTS)
            assert ws.log() == [] or n == total - 1
        with Workspace.open(root) as ws:
            # Only a stop behind the last file leaves something to say.
            assert (ws.recovery is not None) == (n == total - 1)
        assert contents(root) == (after if n == total - 1 else before)
    assert open_descriptors() == descriptors


def test_an_error_takes_back_a_file_that_took_the_name_of_its_equal(root: Path) -> None:
    for name, mode in (("a", 0o755), ("b", 0o640)):
        (root / name).write_text("same\n")
        (root / name).chmod(mode)

    def stop(step: str) -> None:
        if step == "flush":
            raise Stop

    with Workspace.open(root, step=stop) as ws, pytest.raises(Stop):
        commit_texts(ws, {"a": "same\n", "b": "same\n"}, {"a": "b", "b": "a"})
    assert modes(root) == {"a": 0o755, "b": 0o640}


def test_a_second_ctrl_c_while_taking_back_is_made_whole_at_the_next_start(tmp_path: Path) -> None:
    total = None
    for n in range(100):
        root = tmp_path / str(n) / "root"
        root.mkdir(parents=True)
        before = prepare(root)
        calls: list[str] = []

        def stop(step: str, calls: list[str] = calls, n: int = n) -> None:
            calls.append(step)
            first = calls.count("flush") == 1 and step == "flush"
            since = len(calls) - calls.index("flush") - 1 if "flush" in calls else 0
            if first or (since and since == n + 1):
                raise KeyboardInterrupt

        with Workspace.open(root, step=stop) as ws, pytest.raises(KeyboardInterrupt):
            commit_texts(ws, TEXTS)
        with Workspace.open(root) as ws:
            if ws.recovery is not None:
                assert ws.recovery.outcome is Outcome.ROLLED_BACK
            assert ws.log() == []
        assert contents(root) == before
        if len(calls) - calls.index("flush") - 1 <= n:
            total = n
            break
    assert total is not None
    assert total >= 3


def test_what_cannot_be_taken_back_at_once_is_said_and_made_whole_later(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails from here on takes no change of the journal either, which would say that all goes back."""
    before = prepare(root)

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    def fail(step: str) -> None:
        if step == "flush":
            monkeypatch.setattr(os, "ftruncate", refuse)
            refuse()

    with Workspace.open(root, step=fail) as ws:
        with pytest.raises(WorkspaceError, match="so did taking it back") as refused:
            commit_texts(ws, TEXTS)
        assert "next start" in (refused.value.hint or "")
        monkeypatch.undo()
    assert contents(root) != before
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert ws.recovery.outcome is Outcome.COMPLETED
        assert [op.paths for op in ws.log()] == [tuple(sorted(TEXTS))]
        ws.undo()
    assert contents(root) == before


def test_a_file_that_is_out_of_reach_for_a_moment_is_taken_back_at_the_next_start(root: Path) -> None:
    (root / "sub").mkdir()
    (root / "sub/f").write_text("f")
    before = prepare(root)

    def move(step: str) -> None:
        if step == "flush":
            (root / "sub").rename(root / "away")
            (root / "sub").write_text("")
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    with Workspace.open(root, step=move) as ws, pytest.raises(WorkspaceError, match="but for sub/f"):
        commit_texts(ws, {"edited": "E\n", "sub/f": "F"})
    (root / "sub").unlink()
    (root / "away").rename(root / "sub")
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert (ws.recovery.outcome, ws.recovery.files) == (Outcome.ROLLED_BACK, ("sub/f",))
    assert contents(root) == before


def test_an_interrupted_operation_is_finished_by_the_same_process_too(root: Path) -> None:
    prepare(root)
    armed = [True]

    def stop(step: str) -> None:
        if step == "done" and armed:
            armed.clear()
            raise KeyboardInterrupt

    with Workspace.open(root, step=stop) as ws:
        with pytest.raises(KeyboardInterrupt) as stopped:
            commit_texts(ws, TEXTS)
        assert stopped.value.__notes__[0].startswith("The files are written, as operation ")
        commit_texts(ws, {"other": "o"})
        assert ws.recovery is not None
        assert ws.recovery.outcome is Outcome.COMPLETED
        assert ws.recovery.files == ()
        assert [op.paths for op in ws.log()] == [tuple(sorted(TEXTS)), ("other",)]


def test_an_operation_without_its_last_line_is_shown_all_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are in place, and a full disk keeps the journal from saying so."""

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "a\n"})
        monkeypatch.setattr(JournalWriter, "done", refuse)
        undone = ws.undo()
        assert not (root / "a").exists()
        assert ws.show(undone.id).operation.paths == ("a",)
        monkeypatch.undo()
    with Workspace.open(root) as ws:
        assert ws.recovery is not None
        assert [op.id for op in ws.log()][-1] == undone.id


def test_a_removal_without_its_last_line_stays_where_the_file_is_saved_anew(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    (root / "a").write_text("a\n")
    with Workspace.open(root) as ws:
        monkeypatch.setattr(JournalWriter, "done", refuse)
        removed = commit_texts(ws, {"a": None})
        monkeypatch.undo()
    (root / "a").write_text("saved\n")
    with Workspace.open(root) as ws:
        assert [op.id for op in ws.log()] == [removed.id]
        assert ws.show(removed.id).versions["a"].before == b"a\n"
        assert ws.show(removed.id).operation.left == ("a",)
    assert contents(root) == {"a": b"saved\n"}


def test_an_operation_without_its_last_line_is_not_pruned(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with Workspace.open(root, limits=Limits(operations=2)) as ws:
        for text in "12345":
            commit_texts(ws, {"a": text})
        with monkeypatch.context() as patched:
            patched.setattr(JournalWriter, "done", refuse)
            commit_texts(ws, {"a": "6"})
        ws.undo()
    assert contents(root) == {"a": b"5"}


@pytest.mark.parametrize("act", ["apply", "undo"])
def test_what_is_written_is_written_though_closing_fails(root: Path, monkeypatch: pytest.MonkeyPatch, act: str) -> None:
    """Everything was flushed before; some disks tell only then of an error that they had."""
    close = os.close

    def fail(fd: int) -> None:
        close(fd)
        if done:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    done: list[str] = []
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "one\n"})
    with Workspace.open(root, step=lambda step: done.append(step) if step == "done" else None) as ws:
        monkeypatch.setattr(os, "close", fail)
        operation = commit_texts(ws, {"a": "two\n"}) if act == "apply" else ws.undo()
    monkeypatch.undo()
    assert done
    with Workspace.open(root) as ws:
        assert ws.recovery is None
        assert ws.log()[-1].id == operation.id
    assert contents(root) == ({"a": b"two\n"} if act == "apply" else {})


def test_an_undo_is_done_though_a_folder_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with Workspace.open(root) as ws:
        commit_texts(ws, {"new/a": "one\n"})
        monkeypatch.setattr(os, "rmdir", refuse)
        ws.undo()
        monkeypatch.undo()
        assert contents(root) == {"new/": b""}
        ws.redo()
        assert contents(root) == {"new/": b"", "new/a": b"one\n"}


@pytest.mark.parametrize("at", ["begin", "stage", "ready"])
@pytest.mark.parametrize("what", [".dovetail", ".dovetail/log"])
def test_nothing_is_written_where_the_journal_is_removed_meanwhile(root: Path, at: str, what: str) -> None:
    """What stands in a file without a name is found by no later start."""
    before = prepare(root)

    def remove(step: str) -> None:
        if step == at and what == ".dovetail":
            shutil.rmtree(root / what, ignore_errors=True)
        elif step == at:
            (root / what).unlink(missing_ok=True)

    with Workspace.open(root, step=remove) as ws, pytest.raises(WorkspaceError, match="journal was removed"):
        commit_texts(ws, {"edited": "E\n", "new/f": "n\n", "linked": "short"})
    assert contents(root) == before
    with Workspace.open(root) as ws:
        assert ws.recovery is None
        commit_texts(ws, {"edited": "E\n"})


LIMITED = """
import resource, sys
from pathlib import Path
from dovetail.model.errors import WorkspaceError
from dovetail.workspace import Workspace
sys.path.insert(0, sys.argv[3])
from workspace_acts import commit_texts
with Workspace.open(Path(sys.argv[1])) as ws:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
    try:
        commit_texts(ws, {"a": "A" * 3000, "b": "b" * 40_000, "c/d": "d", "edited": "E"})
    except WorkspaceError as error:
        print(error.code, error.message)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits on Windows")
@pytest.mark.parametrize("limit", [0, 10, 100, 600, 1000, 2000, 3500, 39_999])
def test_a_limit_on_file_sizes_is_a_full_disk(root: Path, limit: int) -> None:
    (root / "edited").write_text("e")
    (root / "a").write_text("a")
    with Workspace.open(root) as ws:
        commit_texts(ws, {"first": "1"})
    before = contents(root)
    here = str(Path(__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(root), str(limit), here], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("disk-full ")
    assert ("`b`" in done.stdout) == (limit > 3000)
    assert contents(root) == before
    with Workspace.open(root) as ws:
        assert ws.recovery is None
        assert [op.paths for op in ws.log()] == [("first",)]
        commit_texts(ws, {"a": "A"})


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    """A disk of 256 KB; skipped where it cannot be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(folder)]
    if not sys.platform.startswith("linux") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk takes Linux and its root user")
    return folder


def test_a_full_disk_leaves_every_file_before(small_disk: Path) -> None:
    try:
        (small_disk / "a").write_text("a" * 1000)
        (small_disk / "h").write_text("h" * 1000)
        (small_disk / "h2").hardlink_to(small_disk / "h")
        filler = small_disk / "filler"
        outcomes = set()
        for room in range(0, 120, 4):  # KB that are free when the set is written
            filler.write_bytes(b"")
            with Workspace.open(small_disk) as ws:
                ws.prune(Limits(operations=1))
            free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
            filler.write_bytes(b"x" * max(0, free - room * 1024))
            before = contents(small_disk)
            with Workspace.open(small_disk) as ws:
                try:
                    commit_texts(ws, {"a": os.urandom(10_000).hex(), "b/c": os.urandom(4_000).hex(), "h": "H" * 9000})
                except WorkspaceError as error:
                    outcomes.add(error.code)
                    assert contents(small_disk) == before
                else:
                    outcomes.add("written")
                    filler.write_bytes(b"")
                    ws.undo()
            with Workspace.open(small_disk) as ws:
                assert ws.recovery is None
        assert "disk-full" in outcomes
        assert "written" in outcomes
    finally:
        subprocess.run(["umount", str(small_disk)], check=True)


def immutable(path: Path, on: bool) -> bool:
    flag = "+i" if on else "-i"
    try:
        return subprocess.run(["chattr", flag, str(path)], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.parametrize(("what", "said"), [("z", "z"), ("sub", "sub/f"), ("sub/f", "sub/f")])
def test_a_file_or_folder_that_cannot_be_written_takes_the_set_back(root: Path, what: str, said: str) -> None:
    """Permissions do not stop root, so the file system is told to refuse."""
    (root / "a").write_text("a")
    (root / "z").write_text("z")
    (root / "sub").mkdir()
    (root / "sub/f").write_text("f")
    if not immutable(root / what, True):
        pytest.skip("takes chattr, root, and a file system with immutable files")
    before = contents(root)
    try:
        with Workspace.open(root) as ws:
            with pytest.raises(WorkspaceError, match=r"nothing was written|system refuses") as refused:
                commit_texts(ws, {"a": "A", "new/n": "n", "sub/f": None, "z": "Z"})
            assert f"`{said}`" in refused.value.message
            assert contents(root) == before
            assert ws.log() == []
    finally:
        immutable(root / what, False)


@pytest.mark.parametrize("name", ["log", "lock", "versions-1"])
def test_a_file_of_the_journal_that_cannot_be_written_is_named(root: Path, name: str) -> None:
    (root / "a").write_text("a")
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "A"})
        before = contents(root)
        if not immutable(root / ".dovetail" / name, True):
            pytest.skip("takes chattr, root, and a file system with immutable files")
        try:
            with pytest.raises(WorkspaceError) as refused:
                ws.undo()
        finally:
            immutable(root / ".dovetail" / name, False)
        assert f"`.dovetail/{name}`" in refused.value.message
        assert contents(root) == before
