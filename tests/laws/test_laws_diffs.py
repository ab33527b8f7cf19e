"""A diff that another program wrote leaves what it compared, however it was asked for it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import pytest

from dovetail.formats import parse
from dovetail.model.codes import Status
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan

NAMES = ("a.py", "src/b c.ts", "ü/ñ.md", 'd"q.css', "deep/er/x.json", "Makefile", "noext")
MAIL = "From 0a1b Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nSubject: [PATCH] x\n\n---\n a.py | 2 +-\n\n"

Files = dict[str, str]


def made_up(rng: Random) -> tuple[Files, Files]:
    """Some files before and after; no line that says something stands twice, so that each hunk has one place."""
    before: Files = {}
    after: Files = {}
    numbers = iter(range(10_000))
    for name in rng.sample(NAMES, rng.randint(1, 4)):
        lines = [_line(rng, f"{'    ' * rng.randint(0, 3)}line({next(numbers)})") for _ in range(rng.randint(1, 60))]
        fate = rng.choice(["changed"] * 6 + ["new", "deleted", "moved", "moved and changed"])
        changed = list(lines)
        for _ in range(rng.randint(1, 4) if fate.endswith("changed") else 0):
            at = rng.randint(0, len(changed))
            changed[at : at + rng.choice((0, 0, 1, 3))] = [
                _line(rng, f"new({next(numbers)})") for _ in range(rng.randint(0, 3))
            ]
        was, now = _ended(rng, lines), _ended(rng, changed)
        if fate != "new":
            before[name] = was
        if fate == "deleted":
            continue
        after[f"moved/{name}" if "moved" in fate else name] = was if fate in ("new", "moved") else now
    return before, after


def _line(rng: Random, text: str) -> str:
    return f"{text}\n\n" if rng.random() < 0.2 else f"{text}\n"


def _ended(rng: Random, lines: list[str]) -> str:
    text = "".join(lines)
    return text.removesuffix("\n") if rng.random() < 0.2 else text


def laid_out(folder: Path, before: Mapping[str, str], after: Mapping[str, str]) -> None:
    for side, files in (("was", before), ("now", after)):
        (folder / side).mkdir()
        for name, text in files.items():
            path = folder / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())


def by_git(rng: Random, folder: Path) -> str:

    def git(*words: str) -> str:
        said = ("-c", f"core.quotePath={rng.choice(('on', 'off'))}", "-c", "core.autocrlf=false")
        done = subprocess.run(("git", *said, *words), cwd=folder, check=True, capture_output=True)
        return done.stdout.decode()

    git("init", "--quiet")
    trees: list[str] = []
    for side in ("was", "now"):
        git(f"--work-tree={side}", "add", "--all", ".")
        trees.append(git("write-tree").strip())
    asked = [f"-U{rng.choice((2, 3, 3, 8))}", *rng.sample(("-M", "--no-prefix", "--patience"), rng.randint(0, 3))]
    return git("diff", *asked, *trees)


def by_diff(rng: Random, folder: Path) -> str:
    asked = ("diff", f"-U{rng.choice((2, 3, 8))}", "-rN", "was", "now")
    done = subprocess.run(asked, cwd=folder, check=False, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout.decode()


@pytest.mark.parametrize("seed", range(100))
@pytest.mark.parametrize("program", [by_git, by_diff])
def test_a_diff_gives_what_was_compared(tmp_path: Path, program: Callable[[Random, Path], str], seed: int) -> None:
    rng = Random(seed)  # noqa: S311  (only has to vary)
    before, after = made_up(rng)
    laid_out(tmp_path, before, after)
    diff = program(rng, tmp_path)
    reply = rng.choice((diff, f"Here:\n\n````diff\n{diff}````\nDone.\n", f"{MAIL}{diff}-- \n2.39.5\n\n"))
    made = plan(parse(reply).blocks, Snapshot.of(before))
    assert [(result.path, result.code) for result in made.results if result.status is not Status.FITS] == []
    texts = before | {change.path: change.after for change in made.changes}
    assert {path: text for path, text in texts.items() if text is not None} == after
