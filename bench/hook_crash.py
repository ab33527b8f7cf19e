"""Kills the processes that hooks start, by the thousand, while an agent works in a real folder.

    hook_crash.py [--kills 5000] [--seed 1]

A life is a folder in which a made-up agent edits files by its tools and by commands, and its user edits them in
between. Each event, and each process that opens the journal, runs in a process of its own, many of which are killed at
one of their system calls; so is the agent, whose calls then never end. What must hold, always:

- every file is as the agent and the user left it;
- the journal is whole, and is read by the next process;
- no change is counted twice: of one file, the recorded changes are stretches of its history that do not overlap.

Prints the figures. A life in which something did not hold is kept, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/hooks"))

from fake_agent import Agent, files, git, put

from dovetail.model.errors import DovetailError
from dovetail.workspace import Label, Workspace
from dovetail.workspace.operation import digest_of

LIFE = 30  # acts in one folder
PATHS = ("a.txt", "b.txt", "c/d.txt")
CALLS = (
    "open",
    "write",
    "replace",
    "unlink",
    "utime",
    "mkdir",
    "fsync",
    "listdir",
    "lstat",
    "posix_spawnp",
    "ftruncate",
)


class BrokenPromiseError(AssertionError):
    """What must hold does not."""


def run(act: Callable[[], object], at: int) -> bool:
    """Run an act in a process of its own, killed at its `at`-th system call; False if it was."""
    pid = os.fork()
    if pid == 0:
        left = at

        def counted(call: Callable[..., object]) -> Callable[..., object]:
            def kill_or_call(*args: object, **more: object) -> object:
                nonlocal left
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return call(*args, **more)

            return kill_or_call

        try:
            for name in CALLS:
                setattr(os, name, counted(getattr(os, name)))
            act()
        except (DovetailError, OSError):
            pass
        finally:
            os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


class Life:
    """One folder, its agent and its user."""

    def __init__(self, folder: Path, chance: random.Random, figures: Counter[str]) -> None:
        self.root, self.chance, self.figures = folder / "project", chance, figures
        self.history: dict[str, list[bytes | None]] = {path: [None] for path in PATHS}
        self.agent = Agent(self.root, chance.choice(("claude", "codex")))
        self.number = 0
        self.root.mkdir(parents=True)
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        if chance.random() < 0.7:
            git(self.root, "init", "-q")
        for path in PATHS[:2]:
            self._write(path)

    def _write(self, path: str) -> None:
        self.number += 1
        there = self.history[path][-1] is not None
        data = None if there and self.chance.random() < 0.15 else f"{path} {self.number}\n".encode()
        put(self.root, path, data)
        self.history[path].append(data)

    def disturbed(self, act: Callable[[], object]) -> None:
        """Run a process, killed perhaps, after which every file is as it was."""
        before = files(self.root)
        at = self.chance.randint(1, 70) if self.chance.random() < 0.6 else 0
        self.figures["processes"] += 1
        if not run(act, at):
            self.figures["kills"] += 1
        if files(self.root) != before:
            raise BrokenPromiseError("A file was changed.")

    def live(self) -> None:
        agent, chance = self.agent, self.chance
        self.disturbed(lambda: agent.prompt("p1"))
        agent.request = "p1"
        for n in range(LIFE):
            call, path = f"t{n}", chance.choice(PATHS)
            match chance.choice(("edit", "edit", "shell", "shell", "user", "open", "turn")):
                case "edit":
                    tool, asked = ("Write", {"file_path": str(self.root / path)}) if agent.name == "claude" else (
                        "apply_patch", {"command": f"*** Update File: {path}"})  # fmt: skip
                    self.disturbed(lambda tool=tool, asked=asked, call=call: agent.before(tool, call, **asked))
                    self._write(path)
                    self.disturbed(lambda tool=tool, asked=asked, call=call: agent.after(tool, call, **asked))
                    self.disturbed(lambda call=call: agent.batch(call))
                case "shell":
                    self.disturbed(lambda call=call: agent.before("Bash", call, command="x"))
                    for changed in chance.sample(PATHS, 2):
                        self._write(changed)
                    if chance.random() < 0.2:
                        continue  # the agent was killed, or the command runs on
                    self.disturbed(lambda call=call: agent.after("Bash", call, command="x"))
                case "user":
                    self._write(path)
                case "open":
                    self.disturbed(self._open)
                case "turn":
                    self.disturbed(agent.stop)
        self._open()
        self.check()

    def _open(self) -> None:
        with Workspace.open(self.root):
            pass

    def check(self) -> None:
        """The journal is whole, and no change is in it twice."""
        with Workspace.open(self.root) as ws:
            if ws.lost() or ws.refusal() is not None or ws.findings:
                raise BrokenPromiseError(f"The journal is damaged: {ws.lost()} lost, {ws.findings}")
            operations = [op for op in ws.log() if op.label is Label.RECORDED]
        self.figures["operations"] += len(operations)
        digests = {
            path: [None if data is None else digest_of(data) for data in known] for path, known in self.history.items()
        }
        reached = dict.fromkeys(PATHS, 0)
        for operation in operations:
            for record in operation.files:
                old, new = record.digests
                known, at = digests[record.path], reached[record.path]
                start = next((i for i in range(at, len(known)) if known[i] == old), None)
                later = range(len(known) if start is None else start + 1, len(known))
                end = next((i for i in later if known[i] == new), None)
                if end is None:
                    raise BrokenPromiseError(f"{record.path} of {operation.id} is counted twice, or never was so.")
                reached[record.path] = end
                self.figures["changes"] += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    figures: Counter[str] = Counter()
    begun, n = time.monotonic(), 0
    while figures["kills"] < args.kills:
        folder = Path(tempfile.mkdtemp(prefix="hook-crash-"))
        try:
            Life(folder, random.Random(args.seed * 1_000_003 + n), figures).live()  # noqa: S311 - not for secrets
        except (BrokenPromiseError, DovetailError) as error:
            print(f"life {n} (kept in {folder}): {error}")
            return 1
        shutil.rmtree(folder)
        n += 1
    print(f"{n} lives, {dict(figures)}, {time.monotonic() - begun:.0f} s: all held")
    return 0


if __name__ == "__main__":
    sys.exit(main())
