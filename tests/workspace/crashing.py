"""Run as a program: commits in a child that kills itself at each step in turn, and checks what the next start makes.

    crashing.py ACT FOLDER        ACT is commit, undo or recover

A process of its own, so that forking costs little and no other thread is copied. Prints one line per step.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from workspace_acts import commit_texts, contents

from dovetail.workspace import Outcome, Recovery, Workspace

TEXTS = {"edited": "E\n", "gone": None, "linked": "short", "new/deep/f": "n\n", "moved/to": "m!\n"}
RENAMES = {"moved/to": "from"}
Act = Callable[[Workspace], object]


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def prepare(root: Path) -> None:
    root.mkdir(parents=True)
    (root / "edited").write_text("e\n" * 50)
    (root / "gone").write_text("g\n")
    (root / "from").write_text("m\n")
    (root / "linked").write_text("l\n" * 5000)
    (root.parent / "twin").hardlink_to(root / "linked")
    with Workspace.open(root) as ws:
        commit_texts(ws, {"earlier": "1"})


def commit(ws: Workspace) -> object:
    return commit_texts(ws, TEXTS, RENAMES)


def undo(ws: Workspace) -> object:
    return ws.undo()


def dies_at(root: Path, act: Act, n: int) -> bool:
    """Whether a child that acts on `root` and kills itself before its n-th step lived that long."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    left = [n]

    def kill(_: str) -> None:
        left[0] -= 1
        if left[0] < 0:
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


def crash_everywhere(folder: Path, act: Act, twice: bool) -> None:
    prepare(folder / "whole/root")
    if act is undo:
        with Workspace.open(folder / "whole/root") as ws:
            commit(ws)
    before = contents(folder / "whole/root")
    with Workspace.open(folder / "whole/root") as ws:
        act(ws)
    after = contents(folder / "whole/root")
    n = 0
    while crash_once(folder / f"n{n}", act, n, twice, before, after):
        n += 1
    say("steps", n)


def crash_once(folder: Path, act: Act, n: int, twice: bool, before: dict[str, bytes], after: dict[str, bytes]) -> bool:
    root = folder / "root"
    prepare(root)
    if act is undo:
        with Workspace.open(root) as ws:
            commit(ws)
    if not dies_at(root, act, n):
        assert contents(root) == after
        return False
    check(contents(root), before, after)
    again = 0
    while twice and dies_at(root, lambda _: None, again) and again < 50:
        check(contents(root), before, after)
        again += 1
    recovery = whole(root)
    seen = contents(root)
    assert seen in (before, after), (n, seen)
    if recovery is None:
        assert seen == before or twice
        say(n, "nothing to recover", again)
    else:
        assert seen == (after if recovery.outcome is Outcome.COMPLETED else before)
        assert recovery.left == ()
        say(n, recovery.outcome, len(recovery.files))
    assert whole(root) is None
    with Workspace.open(root) as ws:
        commit_texts(ws, {"later": "2"})
        while any(op.label == "apply" and op.state == "done" for op in ws.log()):
            ws.undo()
    assert "later" not in contents(root)
    assert "earlier" not in contents(root)
    return True


if __name__ == "__main__":
    crash_everywhere(Path(sys.argv[2]), undo if sys.argv[1] == "undo" else commit, sys.argv[1] == "recover")
