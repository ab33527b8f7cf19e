"""Runs one tool on cases: a case a line on standard input, an answer a line on standard output.

    python worker.py APPLIER

An answer has `id`; `files`, all files afterwards, or null if the tool refused; `reason`, of a refusal; and `seconds`,
the tool's own. This is the whole protocol: a program in any language that keeps to it can be judged (`--applier`). The
first case is answered twice and timed the second time, so that loading is not counted. Nothing here needs Dovetail.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

PATIENCE = 1.0
"""Seconds of the processor after which a case counts as refused."""


class TooSlowError(Exception):
    """The tool took longer than `PATIENCE`."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TooSlowError` in the block after `seconds`."""

    def stop(*_: object) -> None:
        raise TooSlowError(f"It took longer than {seconds:g} seconds.")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def in_memory(tool: ModuleType, case: Mapping[str, Any]) -> tuple[dict[str, str] | None, float]:
    """The files after, and the seconds, of a tool that takes texts."""
    began = time.perf_counter()
    if hasattr(tool, "answer"):
        after = tool.answer(case)
    else:
        after = dict(case["files"])
        for edit in case["edits"]:
            text = tool.land(after[edit["path"]], edit["search"], edit["replace"])
            if text is None:
                after = None
                break
            after[edit["path"]] = text
    return after, time.perf_counter() - began


def on_disk(tool: ModuleType, case: Mapping[str, Any]) -> tuple[dict[str, str] | None, float]:
    """The same of a tool that only works on files. Laying them out and reading them back is not timed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for path, text in case["files"].items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text.encode())
        began = time.perf_counter()
        done = tool.write(case, folder)
        seconds = time.perf_counter() - began
        found = [path for path in folder.rglob("*") if path.is_file()]
        texts = {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in found}
        return (texts if done else None), seconds


def answer(tool: ModuleType, case: Mapping[str, Any]) -> dict[str, Any]:
    """What the tool does with a case. Whatever it raises is a refusal: its caller would show the error and stop."""
    began = time.perf_counter()
    try:
        with limited(PATIENCE):
            files, seconds = (on_disk if hasattr(tool, "write") else in_memory)(tool, case)
    except Exception as error:  # a tool's own errors have no common base
        reason = f"{type(error).__name__}: {error}"[:300]
        return {"id": case["id"], "files": None, "reason": reason, "seconds": time.perf_counter() - began}
    return {"id": case["id"], "files": files, "seconds": seconds}


def main() -> None:
    """Answer every line."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a tool prints is no answer
    tool = importlib.import_module(f"appliers.{sys.argv[1]}")
    for number, line in enumerate(sys.stdin):
        case = json.loads(line)
        if number == 0:
            answer(tool, case)
        print(json.dumps(answer(tool, case)), file=answers, flush=True)


if __name__ == "__main__":
    main()
