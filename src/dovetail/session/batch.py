"""Many replies at once, in memory: one case a line in, one result a line out, in the same order.

`answer` is a pure function of a case except for the clock; nothing of one case reaches another. A bad line gives
``{"id", "error"}`` and never stops the rest, not even where it takes its process down. Memory is bounded by the
chunks that are on their way, not by the input.
"""

from __future__ import annotations

import json
import math
import os
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Any, NoReturn

from dovetail.formats import parse
from dovetail.formats.table import AUTO
from dovetail.model.errors import DovetailError, UsageError
from dovetail.model.policy import DEFAULT_POLICY, Policy
from dovetail.session import records
from dovetail.session.in_memory import plan_for

CHUNK = 8
"""Cases that travel to a process together."""

_AHEAD = 4
"""Chunks on their way for each process."""

_SHOWN = 40
"""Characters of a number that are told."""


class CaseError(ValueError):
    """A line that is no case; its text says why."""


@dataclass(frozen=True, slots=True)
class Case:
    """One line, read."""

    id: Any
    files: Mapping[str, str]
    reply: str
    policy: Policy = DEFAULT_POLICY
    format: str = AUTO
    root: str = ""


def read_case(stated: object) -> Case:
    """Check a case's shape. Keys beyond the documented ones are left alone. Raises `CaseError`."""
    if not isinstance(stated, dict):
        raise CaseError("A case is a JSON object.")
    files = stated.get("files")
    if not isinstance(files, dict) or not all(isinstance(text, str | None) for text in files.values()):
        raise CaseError("`files` must map paths to texts.")
    if not isinstance(stated.get("reply"), str):
        raise CaseError("`reply` must be a text.")
    root = stated.get("root")
    if not isinstance(root, str | None):
        raise CaseError("`root` must be a path.")
    policy, name = _read_policy(stated.get("policy"))
    present = {path: text for path, text in files.items() if text is not None}
    return Case(stated.get("id"), present, stated["reply"], policy, name, root or "")


def _read_policy(stated: object) -> tuple[Policy, str]:
    if stated is None:
        return DEFAULT_POLICY, AUTO
    if not isinstance(stated, dict):
        raise CaseError("`policy` must be an object.")
    unknown = sorted(set(stated) - {"on_failure", "occurrence", "tiers", "format"})
    if unknown:
        raise CaseError(f"`policy` has no {', '.join(unknown)}; it has on_failure, occurrence, tiers and format.")
    tiers, name = stated.get("tiers"), stated.get("format")
    if not (tiers is None or isinstance(tiers, list)) or not (name is None or isinstance(name, str)):
        raise CaseError("`policy.tiers` must be a list, and `policy.format` a name.")
    try:
        policy = Policy(**{choice: word for choice, word in stated.items() if choice != "format"})
    except UsageError as error:
        raise CaseError(f"{error.message} {error.hint}.") from None
    return policy, name if name is not None else AUTO


def answer(case: Case) -> records.Record:
    """Parse and plan one case. `seconds` is the engine's own time. Raises `DovetailError` for an unknown format."""
    began = time.perf_counter()
    parsed = parse(case.reply, format=case.format).relative_to(case.root)
    made = plan_for(parsed, case.files, case.policy)
    seconds = time.perf_counter() - began
    return {
        "id": case.id,
        "files": {change.path: change.after for change in made.changes},
        "results": [records.of_result(result) for result in made.results],
        "files_modified": list(made.files_modified),
        "shell_suggestions": [records.of_shell(suggestion) for suggestion in made.shell_suggestions],
        "diagnostics": [records.of_diagnostic(diagnostic) for diagnostic in made.diagnostics],
        "seconds": seconds,
    }


def answer_line(line: str) -> str:
    """Answer one line of JSON with one line of JSON."""
    name = None
    try:
        line.encode()  # bytes that were not UTF-8 came in as lone surrogates
        stated = json.loads(line, parse_float=_finite, parse_constant=_no_number)
        name = stated.get("id") if isinstance(stated, dict) else None
        answered = answer(read_case(stated))
    except (CaseError, DovetailError) as error:
        answered = {"id": name, "error": str(error)}
    except UnicodeEncodeError:
        answered = {"id": name, "error": "The line is not UTF-8."}
    except ValueError as error:
        answered = {"id": name, "error": f"The line is not JSON: {error}."}
    except RecursionError:
        answered = {"id": name, "error": "The line is nested too deeply."}
    return _as_line(answered)


def _as_line(answered: records.Record) -> str:
    return json.dumps(answered, ensure_ascii=True, allow_nan=False)


def _finite(said: str) -> float:
    """A number with a point or an exponent; one that would be read as infinite could not be answered as JSON."""
    number = float(said)
    if math.isinf(number):
        raise CaseError(f"The line holds a number that is too large: {said[:_SHOWN]}")
    return number


def _no_number(said: str) -> NoReturn:
    """What Python reads as a number, and JSON does not know: NaN, Infinity."""
    raise CaseError(f"The line is not JSON: {said} is no number.")


def answer_lines(lines: Iterable[str], jobs: int | None = None) -> Iterator[str]:
    """Answer every line that is not blank, in order, on `jobs` processes (by default one for each processor).

    Where the system gives processes nothing to share, as some containers do, this one answers alone.
    """
    stated = (line for line in lines if line.strip())
    processes = jobs if jobs is not None else os.cpu_count() or 1
    try:
        pool = _Pool(processes) if processes > 1 else None
    except OSError:
        pool = None
    if pool is None:
        yield from map(answer_line, stated)
        return
    try:
        yield from pool.answers(stated)
    finally:
        pool.close()


def _answer_chunk(lines: Sequence[str]) -> list[str]:
    return [answer_line(line) for line in lines]


def _processes(number: int) -> ProcessPoolExecutor:
    """Processes that leave Ctrl-C to the one that started them."""
    return ProcessPoolExecutor(number, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))


class _Pool:
    """Processes with a bounded number of chunks on their way."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._pool = _processes(processes)

    def close(self) -> None:
        """End the processes; what they have not begun is dropped."""
        self._pool.shutdown(cancel_futures=True)

    def answers(self, lines: Iterator[str]) -> Iterator[str]:
        """Answers in the order of the lines."""
        waiting: deque[tuple[list[str], Future[list[str]] | None]] = deque()
        while True:
            while len(waiting) < self._processes * _AHEAD and (chunk := list(islice(lines, CHUNK))):
                waiting.append((chunk, self._submit(chunk)))
            if not waiting:
                return
            chunk, future = waiting.popleft()
            try:
                yield from future.result() if future is not None else self._one_by_one(chunk)
            except BrokenProcessPool:
                self.close()
                self._pool = _processes(self._processes)
                yield from self._one_by_one(chunk)

    def _submit(self, chunk: list[str]) -> Future[list[str]] | None:
        try:
            return self._pool.submit(_answer_chunk, chunk)
        except BrokenProcessPool:
            return None

    def _one_by_one(self, chunk: list[str]) -> Iterator[str]:
        """A chunk in which some case ended its process: each case in a process of its own."""
        for line in chunk:
            with _processes(1) as single:
                try:
                    yield single.submit(answer_line, line).result()
                except BrokenProcessPool:
                    # It was read in that process, so it is JSON.
                    yield _as_line({"id": json.loads(line).get("id"), "error": "The process that answered it ended."})
