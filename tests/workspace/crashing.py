"""Run as a program: commits in a child that kills itself at each step in turn, and checks what the next start makes.

    crashing.py ACT FOLDER        ACT is commit, undo, recover or power

`power` also loses what was not flushed by then, as a power cut does: every file falls back to its last flushed bytes.

A process of its own, so that forking costs little and no other thread is copied. Prints one line per step.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from workspace_acts import commit_texts, contents

from dovetail.workspace import Outcome, Recovery, Workspace

TEXTS = {
    "edited": "E\n",
    "gone": None,
    "linked": "short",
    "new/deep/f": "n\n",
    "moved/to": "m!\n",
    "file": None,
    "file/in/it": "i\n",
    "file/too": "t\n",
    "folder": "F\n",
    "folder/in/it": None,
    "leaf/own": "l!\n",
    "nest": "n!\n",
}
RENAMES = {"moved/to": "from", "leaf/own": "leaf", "nest": "nest/own"}
Act = Callable[[Workspace], object]


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def prepare(root: Path) -> None:
    root.mkdir(parents=True)
    (root / "edited").write_text("e\n" * 50)
    (root / "gone").write_text("g\n")
    (root / "from").write_text("m\n")
    (root / "file").write_text("f\n")
    (root / "folder/in").mkdir(parents=True)
    (root / "folder/in/it").write_text("i\n")
    (root / "leaf").write_text("l\n")
    (root / "nest").mkdir()
    (root / "nest/own").write_text("n\n")
    (root / "linked").write_text("l\n" * 5000)
    (root.parent / "twin").hardlink_to(root / "linked")
    with Workspace.open(root) as ws:
        commit_texts(ws, {"earlier": "1"})


def commit(ws: Workspace) -> object:
    return commit_texts(ws, TEXTS, RENAMES)


def undo(ws: Workspace) -> object:
    return ws.undo()


class Flushed:
    """The bytes of each file that a power cut leaves, by inode."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.kept = {path.stat().st_ino: path.read_bytes() for path in self.files()}
        self.fsync = os.fsync
        os.fsync = self.note  # type: ignore[assignment]

    def files(self) -> list[Path]:
        return [path for path in self.root.rglob("*") if path.is_file() and not path.is_symlink()]

    def note(self, fd: int) -> None:
        self.fsync(fd)
        info = os.fstat(fd)
        if stat.S_ISREG(info.st_mode):
            self.kept[info.st_ino] = Path(f"/proc/self/fd/{fd}").read_bytes()

    def cut_power(self) -> None:
        for path in self.files():
            path.write_bytes(self.kept.get(path.stat().st_ino, b""))


def dies_at(root: Path, act: Act, n: int, power: bool = False) -> bool:
    """Whether a child that acts on `root` and kills itself before its n-th step lived that long."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    left = [n]
    flushed = Flushed(root) if power else None

    def kill(_: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            if flushed is not None:
                flushed.cut_power()
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        with Workspace.open(root, step=kill) as ws:
            act(ws)
    finally:
        os._exit(0)


def whole(root: Path) -> Recovery | None:
    with Workspace.open(root) as ws:
        return ws.recovery


def check(seen: dict[str, bytes], before: dict[str, bytes], after: dict[str, bytes]) -> None:
    """Every file before or after, at the very instant of the crash. Only what is written in place may be torn."""
    for path, data in seen.items():
        if not path.rpartition("/")[2].startswith(".dovetail-") and not path.endswith("/") and path != "linked":
            assert data in (before.get(path), after.get(path)), path


def crash_everywhere(folder: Path, act: Act, twice: bool, power: bool) -> None:
    prepare(folder / "whole/root")
    if act is undo:
        with Workspace.open(folder / "whole/root") as ws:
            commit(ws)
    before = contents(folder / "whole/root")
    with Workspace.open(folder / "whole/root") as ws:
        act(ws)
    after = contents(folder / "whole/root")
    n = 0
    while crash_once(folder / f"n{n}", act, n, twice, power, before, after):
        n += 1
    say("steps", n)


def crash_once(
    folder: Path, act: Act, n: int, twice: bool, power: bool, before: dict[str, bytes], after: dict[str, bytes]
) -> bool:
    root = folder / "root"
    prepare(root)
    if act is undo:
        with Workspace.open(root) as ws:
            commit(ws)
    if not dies_at(root, act, n, power):
        assert contents(root) == after
        return False
    check(contents(root), before, after)
    again = 0
    while twice and dies_at(root, lambda _: None, again) and again < 50:
        check(contents(root), before, after)
        again += 1
    recovery = whole(root)
    seen = contents(root)
    assert seen in (before, after), (n, sorted(seen))
    if recovery is None:
        assert seen == before or twice
        say(n, "nothing to recover", again)
    else:
        assert seen == (after if recovery.outcome is Outcome.COMPLETED else before)
        assert recovery.left == ()
        say(n, recovery.outcome, len(recovery.files))
    assert whole(root) is None
    if twice or power:
        return True  # that the journal goes on after a recovery, the other acts show
    with Workspace.open(root) as ws:
        commit_texts(ws, {"later": "2"})
        while any(op.label == "apply" and op.state == "done" for op in ws.log()):
            ws.undo()
    assert "later" not in contents(root)
    assert "earlier" not in contents(root)
    return True


if __name__ == "__main__":
    crash_everywhere(
        Path(sys.argv[2]), undo if sys.argv[1] == "undo" else commit, sys.argv[1] == "recover", sys.argv[1] == "power"
    )
