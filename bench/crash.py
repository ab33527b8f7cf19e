"""Kills processes, fails their system calls and saves files beside them, by the thousand, in real folders.

    crash.py [--rounds 1000] [--seed 1] [--first N]

A life is a folder with a journal and `LIFE` rounds in it. A round is one act (apply, undo, redo, prune) in a process of
its own, which is disturbed at one of its system calls, or several such processes at once. Then the next start makes
whole what was interrupted; that start may be disturbed, too. What must hold, always:

- at the instant of a crash each file is a whole version of it, before or after; what is written in place may be torn;
- after the next start the folder is what the journal says, operation by operation, and nothing lies beside its files;
- an operation that was reported is in the journal, with both versions, and stays there;
- a text that an editor saved is in its file, or an operation that was planned on it has it as the version before;
- where no editor saved, undoing everything gives the first bytes.

Prints the figures. A life in which something did not hold is kept, and the exit status is 1; with its number as --first
and --rounds 25 it runs again as it was, but for processes that run at once. Ctrl-C or SIGTERM ends the campaign.

An editor never saves in the microseconds between the last look at a file and its rename; why that stays open is said in
docs/decisions/0004-workspace.md. So where several processes run at once, it saves while the process that it is beside
holds the lock: nobody else is between a look and a rename then.
"""

from __future__ import annotations

import argparse
import errno
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/workspace"))

from crashing import Flushed
from workspace_acts import commit_texts, contents

from dovetail.model.errors import DovetailError
from dovetail.workspace import Limits, Outcome, Workspace
from dovetail.workspace.lock import LOCK_NAME
from dovetail.workspace.operation import Label, Operation, OperationState, digest_of

LIFE = 25  # rounds in one folder
IN_PLACE = "linked"  # it has a second hard link
PATHS = ("a", "b", "c", "folder/a", "folder/b", "folder/deep/c", "x", "x/y", IN_PLACE)
CALLS = (
    "open", "write", "read", "close", "fsync", "replace", "link", "unlink", "mkdir", "rmdir", "ftruncate", "fchmod",
    "posix_fallocate", "lseek",
)  # fmt: skip
UNSEEN = {"replace", "unlink", "link"}  # calls right behind the last look at a file
DISTURBANCES = ("kill", "kill", "tear", "power", "error", "errors", "interrupt", "none")
ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EMFILE)
PATIENCE = 60  # seconds, for one process

Act = Callable[[Workspace], object]


class BrokenPromiseError(AssertionError):
    """What must hold does not."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one process does, and how it is disturbed: at its `at`-th system call.

    late: calls are counted from where it begins to write. saves: what an editor saves in that instant, and where.
    alone: no other process runs at the same time.
    """

    name: str
    act: Act
    disturbance: str
    at: int
    late: bool = False
    error: int = errno.EIO
    saves: tuple[str, bytes] | None = None
    alone: bool = True

    def __str__(self) -> str:
        beside = f", a save of {self.saves[0]} beside" if self.saves is not None else ""
        return f"{self.name}, {self.disturbance} at {'late ' * self.late}{self.at}{beside}"


class Disturber:
    """Replaces functions of `os` in a process that ends soon, and counts their calls."""

    def __init__(self, root: Path, wanted: Wanted, say: Callable[[str], None]) -> None:
        self.root = root
        self.wanted = wanted
        self.say = say
        self.count = 0
        self.armed = not wanted.late
        self.saved = False
        self.lock: object = None  # its descriptor, while it is open
        self.flushed = Flushed(root) if wanted.disturbance == "power" else None
        self.write = os.write
        for name in CALLS:
            if hasattr(os, name):
                setattr(os, name, self.disturbed(name, getattr(os, name)))

    def disturbed(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        """The same function, disturbed."""

        def acting(*args: object, **options: object) -> object:
            self.count += self.armed
            wanted = self.wanted
            may_save = self.armed and name not in UNSEEN and (wanted.alone or (wanted.late and self.lock is not None))
            if may_save and self.count >= wanted.at and wanted.saves and not self.saved:
                self.saved, self.armed = True, False
                path, data = wanted.saves
                if save(self.root / path, data, in_place=len(data) % 2 == 0):
                    self.say("saved=yes")
                self.armed = True
            if self.armed and (self.count == wanted.at or (self.count > wanted.at and wanted.disturbance == "errors")):
                match wanted.disturbance:
                    case "kill" | "power":
                        self.die()
                    case "tear":
                        if name == "write":
                            self.write(args[0], bytes(args[1])[: len(args[1]) // 2])  # type: ignore[arg-type]
                        self.die()
                    case "error" | "errors":
                        if name == "close":  # it is closed all the same
                            call(*args, **options)
                        raise OSError(wanted.error, os.strerror(wanted.error))
                    case "interrupt":
                        raise KeyboardInterrupt
            done = call(*args, **options)
            if name == "open" and args[0] == LOCK_NAME:
                self.lock = done
            elif name == "close" and args[0] == self.lock:
                self.lock = None
            return done

        return acting

    def step(self, _: str) -> None:
        """Count from here on."""
        self.armed = True

    def die(self) -> None:
        """End the process as a crash does."""
        if self.flushed is not None:
            self.flushed.cut_power()
        os.kill(os.getpid(), signal.SIGKILL)


def save(file: Path, data: bytes, *, in_place: bool) -> bool:
    """Save a file as editors do: written over, or written beside it and renamed. Return whether that worked."""
    beside = file.with_name(f"{file.name}~")
    try:
        if in_place:
            file.write_bytes(data)
        else:
            beside.write_bytes(data)
            beside.rename(file)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        return False
    return True


@dataclass(slots=True)
class Child:
    """A process that acts, and what it reported."""

    wanted: Wanted
    pid: int
    pipe: int
    killed: bool = False
    report: str = ""
    refused: str = ""
    saved: bool = False
    calls: int = 0

    @property
    def hit(self) -> bool:
        """Whether it lived until it was disturbed."""
        return self.killed or (self.calls >= self.wanted.at and self.wanted.disturbance != "none")

    def wait(self) -> None:
        """Wait for its end, and read what it reported."""
        with os.fdopen(self.pipe, "rb") as pipe:
            words = pipe.read().decode().split()
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self.killed = status == -signal.SIGKILL
        if status == -signal.SIGALRM:
            raise BrokenPromiseError(f"{self.wanted.name} did not end")
        if not self.killed and status != 0:
            raise BrokenPromiseError(f"{self.wanted.name} ended with {status}: {' '.join(words)}")
        for word in words:
            kind, _, value = word.partition("=")
            if kind == "done":
                self.report = value
            elif kind == "refused":
                self.refused = value
            elif kind == "saved":
                self.saved = True
            elif kind == "calls":
                self.calls = int(value)


def begin(root: Path, wanted: Wanted) -> Child:
    """Start a process that opens the folder and acts."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return Child(wanted, pid, reading)
    write = os.write

    def say(words: str) -> None:
        write(writing, f"{words} ".encode())

    status = 0
    try:
        os.close(reading)
        signal.alarm(PATIENCE)
        disturber = Disturber(root, wanted, say)
        try:
            with Workspace.open(root, step=disturber.step) as ws:
                done = wanted.act(ws)
            say(f"done={getattr(done, 'id', '')}")
        except DovetailError as error:
            say(f"refused={error.code}")
        except KeyboardInterrupt:
            pass
        except BaseException as error:
            say(f"{type(error).__name__} {error}")
            status = 3
        say(f"calls={disturber.count}")
    finally:
        os._exit(status)


class Life:
    """One folder, from its first bytes on."""

    def __init__(self, folder: Path, seed: int, number: int) -> None:
        self.rng = random.Random(f"{seed}/{number}")  # noqa: S311 - it has to be repeated
        self.root = folder / "root"
        self.kind = ("plain", "editor", "several")[number % 3]
        self.texts = 0
        self.known: set[str] = set()
        self.past: list[str] = []
        self.counts: Counter[str] = Counter()
        self.calls: dict[tuple[str, bool], int] = {}
        self.root.mkdir(parents=True)
        for path in ("a", "b", "folder/a", "x", IN_PLACE):
            (self.root / path).parent.mkdir(exist_ok=True)
            (self.root / path).write_bytes(self.text())
        (folder / "twin").hardlink_to(self.root / IN_PLACE)
        self.first = files_of(self.root)

    def text(self) -> bytes:
        """A text that no file had before, and that shares no line with any."""
        self.texts += 1
        size = self.rng.choice((1, 3, 40, 400))
        data = b"".join(b"%d %d\n" % (self.texts, n) for n in range(size))
        self.known.add(digest_of(data))
        return data

    def run(self, rounds: int) -> None:
        """Live. Raises `BrokenPromiseError`."""
        for _ in range(rounds):
            self.counts["rounds"] += 1
            self.round()
        if self.kind == "plain":
            with Workspace.open(self.root) as ws:
                while any(op.label is Label.APPLY and op.state is OperationState.DONE for op in ws.log()):
                    ws.undo()
            if files_of(self.root) != self.first:
                raise BrokenPromiseError("undoing everything gives other bytes")

    def round(self) -> None:
        """One act or several, the crash, the next start, and what must hold then."""
        before = files_of(self.root)
        with Workspace.open(self.root) as ws:
            operations = ws.log()
        saves: set[str] = set()
        several = self.rng.randrange(2, 5) if self.kind == "several" else 1
        wanted = [self.wanted(self.names(operations), before, saves) for _ in range(several)]
        self.past.append("; ".join(map(str, wanted)))
        children = [begin(self.root, each) for each in wanted]
        for child in children:
            child.wait()
            self.count(child)
        self.check_instant()
        while self.rng.random() < 0.3:
            again = Wanted("a start", lambda _: None, self.rng.choice(DISTURBANCES[:-1]), self.rng.randrange(1, 80))
            child = begin(self.root, again)
            child.wait()
            self.counts["disturbed starts"] += child.hit
            self.check_instant()
        reported, pruned = [child.report for child in children], any(child.wanted.name == "prune" for child in children)
        new = self.next_start({operation.id for operation in operations}, reported, pruned=pruned)
        self.check_replay(before, new, saves)
        self.check_saves(new, [child.wanted.saves for child in children if child.saved])

    def names(self, past: Sequence[Operation]) -> list[str]:
        """The acts to choose from."""
        names = ["apply"] * 5
        standing = [op.id for op in past if op.label is Label.APPLY and op.state is OperationState.DONE]
        names += ["undo"] * 2 if standing else []
        names += ["undo to"] if standing and standing[-1] != past[0].id else []
        if past and past[-1].label is Label.UNDO:
            names += ["redo"]
        if self.kind != "plain":  # after these not everything can be undone
            names += ["prune", "undo one"]
        return names

    def count(self, child: Child) -> None:
        """Add what became of a process to the figures."""
        name, disturbance = child.wanted.name, child.wanted.disturbance
        self.counts[f"{disturbance} in {name}" if child.hit else "undisturbed"] += 1
        self.counts["saves beside"] += child.saved
        if child.refused and not child.hit:
            self.counts[f"refused, undisturbed: {name} {child.refused}"] += 1
        key = name, child.wanted.late
        self.calls[key] = max(self.calls.get(key, 0), child.calls)

    def next_start(self, earlier: Collection[str], reported: Sequence[str], *, pruned: bool) -> list[Operation]:
        """Open the folder undisturbed; the operations that are new, oldest first."""
        with Workspace.open(self.root) as ws:
            if ws.recovery is not None:
                self.counts[f"made whole: {ws.recovery.outcome}"] += 1
                if ws.recovery.outcome is Outcome.REFUSED:
                    raise BrokenPromiseError(f"the next start refused: {ws.recovery.message}")
            operations = sorted(ws.log(), key=lambda operation: operation.id)
            if ws.findings or ws.lost():
                raise BrokenPromiseError(f"the journal is damaged: {ws.findings}, {ws.lost()} lost")
            known = {operation.id for operation in operations}
            if missing := [name for name in reported if name and name not in known]:
                raise BrokenPromiseError(f"{missing[0]} was reported, and is not in the journal")
            if not pruned and (lost := set(earlier) - known):
                raise BrokenPromiseError(f"{min(lost)} is no longer in the journal")
            new = [operation for operation in operations if operation.id not in earlier]
            for operation in new:
                ws.show(operation.id)  # with the bytes of both versions
        return new

    def wanted(self, names: Sequence[str], before: Mapping[str, bytes], saves: set[str]) -> Wanted:
        """An act and its disturbance, by chance."""
        rng = self.rng
        name = rng.choice(names)
        act = {
            "apply": self.applying(before),
            "undo": lambda ws: ws.undo(),
            "undo to": lambda ws: ws.undo_to(ws.log()[0].id),
            "undo one": lambda ws: ws.undo(some_operation),
            "redo": lambda ws: ws.redo(),
            "prune": lambda ws: ws.prune(Limits(operations=6)) and None,
        }[name]
        saved = None
        if self.kind == "editor" or (self.kind == "several" and rng.random() < 0.3):
            path = rng.choice([path for path in before if path != IN_PLACE] or ["a"])
            if path not in saves:
                saves.add(path)
                saved = path, self.text()
        choices = [kind for kind in DISTURBANCES if kind != "power" or self.kind == "plain"]
        late = rng.random() < 0.7
        at = rng.randrange(1, max(20, self.calls.get((name, late), 60) * 11 // 10))
        return Wanted(name, act, rng.choice(choices), at, late, rng.choice(ERRORS), saved, self.kind != "several")

    def applying(self, before: Mapping[str, bytes]) -> Act:
        """An apply of some changes."""
        rng = self.rng
        texts: dict[str, str | None] = {}
        renames: dict[str, str] = {}
        for path in rng.sample(PATHS, rng.randrange(1, 6)):
            there = path in before
            if there and rng.random() < 0.15 and path != IN_PLACE:
                texts[path] = None
            elif not there and rng.random() < 0.2 and path != IN_PLACE:
                sources = [old for old in before if old not in (*texts, *renames.values(), IN_PLACE)]
                if sources:
                    renames[path] = rng.choice(sources)
                texts[path] = self.text().decode()
            else:
                texts[path] = self.text().decode()
        for path, other in (("x", "x/y"), ("x/y", "x")):  # a name turns from a file's into a folder's
            if path in texts and other in before and other not in renames.values():
                texts[other] = None
        texts = {path: text for path, text in texts.items() if path not in renames.values()}
        return lambda ws: commit_texts(ws, texts, renames)

    def check_instant(self) -> None:
        """Each file is a whole version of it."""
        for path, data in files_of(self.root).items():
            if path != IN_PLACE and not is_staged(path) and digest_of(data) not in self.known:
                raise BrokenPromiseError(f"{path} is torn: {data[:60]!r}")

    def check_replay(self, before: Mapping[str, bytes], new: Sequence[Operation], saves: Collection[str]) -> None:
        """The folder is what the journal's new operations make of it, but for what an editor saved."""

        def touched(path: str) -> bool:  # a file that is saved bars the folder of its name, too
            return any(f"{path}/".startswith(f"{saved}/") or saved.startswith(f"{path}/") for saved in saves)

        now = {path: digest_of(data) for path, data in files_of(self.root).items()}
        model: dict[str, str | None] = {path: digest_of(data) for path, data in before.items()}
        for operation in new:
            self.counts["operations"] += 1
            for record in operation.files:
                old, then = record.digests
                if touched(record.path):
                    continue
                if record.path in operation.left:
                    if any(other.source == record.path and touched(other.path) for other in operation.files):
                        continue  # it could not take its new name
                    raise BrokenPromiseError(f"{record.path} was left alone, and nobody edited it")
                if model.get(record.path) != old:
                    raise BrokenPromiseError(f"{operation.id} began with another {record.path}")
                model[record.path] = then
        expected = {path: digest for path, digest in model.items() if digest is not None and not touched(path)}
        found = {path: digest for path, digest in now.items() if not touched(path)}
        if found != expected:
            differing = sorted(p for p in {*found, *expected} if found.get(p) != expected.get(p))
            raise BrokenPromiseError(f"not as the journal says: {', '.join(differing)}")
        self.known.update(now.values())

    def check_saves(self, new: Sequence[Operation], saves: Iterable[tuple[str, bytes] | None]) -> None:
        """What an editor saved is in its file, or is the version before an operation that was planned on it."""
        now = files_of(self.root)
        for path, data in filter(None, saves):
            planned_on = any(digest_of(data) == r.digests[0] for op in new for r in op.files if r.path == path)
            if now.get(path) != data and not planned_on:
                raise BrokenPromiseError(f"what an editor saved to {path} is lost")


def some_operation(operations: Mapping[str, Operation]) -> str:
    """The id of one in the middle."""
    ids = list(operations)
    return ids[len(ids) // 2] if ids else "newest"


def is_staged(path: str) -> bool:
    """Whether it is a file of Dovetail's beside the user's."""
    return path.rpartition("/")[2].startswith(".dovetail-")


def files_of(root: Path) -> dict[str, bytes]:
    """Every file of the user's, and what Dovetail left beside them."""
    return {path: data for path, data in contents(root).items() if not path.endswith("/")}


def main() -> int:
    """Run the campaign and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first life")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    counts: Counter[str] = Counter()
    broken = []
    begun = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="dovetail-crash-"))
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    lives = -(-args.rounds // LIFE)
    for number in range(args.first, args.first + lives):
        place = folder / f"life-{number}"
        life = Life(place, args.seed, number)
        try:
            life.run(min(LIFE, args.rounds - LIFE * (number - args.first)))
        except KeyboardInterrupt:
            counts += life.counts
            break
        except (BrokenPromiseError, DovetailError) as error:
            broken.append(number)
            print(f"BROKEN in life {number} of seed {args.seed}, round {len(life.past)}: {error}")
            print(f"  {life.past[-1]}\n  kept: {place}", flush=True)
        else:
            shutil.rmtree(place)
        counts += life.counts
    for name, count in sorted(counts.items()):
        print(f"{count:8,}  {name}")
    disturbed = sum(count for name, count in counts.items() if " in " in name or name == "disturbed starts")
    print(
        f"{counts['rounds']:,} rounds, {disturbed:,} kills and errors, {counts['saves beside']:,} saves beside, "
        f"{counts['operations']:,} operations, {len(broken)} lives broken; {time.monotonic() - begun:.0f} s"
    )
    if not broken:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
