"""What tests of batches share: cases of every kind, and processes that end or wait at a case of a certain name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")  # read when Ray is imported, here and in what is started

# Runs in every Python that starts with it on its path: so a real process really ends, wherever it runs.
_AT_A_CASE = """
import os, time
from pathlib import Path
from dovetail.session.batch import cases as batch

here = Path({folder!r})
answer = batch.answer

def watched(case):
    if case.id == "deadly":
        os._exit(9)
    if case.id == "niceness":
        (here / "niceness").write_text(str(os.nice(0)))
    if case.id == "waits":
        (here / f"waits-{{os.getpid()}}").touch()
        while not (here / "go").exists():
            time.sleep(0.02)
    return answer(case)

batch.answer = watched
"""


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for `PYTHONPATH`: a case named `deadly` ends its process, one named `waits` goes on when `go` is there."""
    folder = tmp_path_factory.mktemp("watched")
    (folder / "sitecustomize.py").write_text(_AT_A_CASE.format(folder=str(folder)))
    return folder


def case(name: object, **more: object) -> dict[str, Any]:
    """A case of about 20 kB."""
    text = "".join(f"line {n} of {name}\n" for n in range(1000))
    reply = f"a.txt\n```\n<<<<<<< SEARCH\nline 7 of {name}\n=======\nchanged\n>>>>>>> REPLACE\n```\n"
    return {"id": name, "files": {"a.txt": text, "none.txt": None}, "reply": reply, **more}


def lines(cases: Iterable[object]) -> str:
    """Lines of JSON."""
    return "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in cases)


def batch(watched: Path, *words: str | Path) -> subprocess.Popen[str]:
    """Start `dovetail batch`."""
    environment = {**os.environ, "PYTHONPATH": str(watched)}
    command = [sys.executable, "-m", "dovetail", "batch", *map(str, words)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def done(process: subprocess.Popen[str]) -> str:
    """Wait for success; what it said on standard error."""
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return said


def answers(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """The answers of files of JSON Lines, but for the clock."""
    read = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [{key: value for key, value in answer.items() if key != "seconds"} for answer in read]
