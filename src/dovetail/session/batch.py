"""Many replies at once, in memory: one case a line in, one result a line out, in the same order.

`answer` is a pure function of a case except for the clock; nothing of one case reaches another. A bad line gives
``{"id", "error"}`` and never stops the rest, not even if it takes its process down. Memory is bounded by the chunks
that are on their way, not by the input.
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
from dovetail.session.library import plan_for

CHUNK = 8
"""Cases that travel to a process together."""

_CHOICES = ("on_failure", "occurrence", "tiers", "accept", "min_confidence", "new_errors", "partial", "format")
"""What a case's policy may say."""

_AHEAD = 4  # chunks on their way for each process
_MAX_SHOWN = 40  # characters of a number in a message


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
    seen: Mapping[str, str] | None = None


def read_case(case: object) -> Case:
    """Check a case's shape. Keys beyond the documented ones are ignored. Raises `CaseError`."""
    if not isinstance(case, dict):
        raise CaseError("A case is a JSON object.")
    files = case.get("files")
    if not isinstance(files, dict) or not all(isinstance(text, str | None) for text in files.values()):
        raise CaseError("`files` must map paths to texts.")
    if not isinstance(case.get("reply"), str):
        raise CaseError("`reply` must be a text.")
    root = case.get("root")
    if not isinstance(root, str | None):
        raise CaseError("`root` must be a path.")
    seen = case.get("seen")
    if seen is not None and not (isinstance(seen, dict) and all(isinstance(text, str) for text in seen.values())):
        raise CaseError("`seen` must map paths to texts.")
    choices = case.get("policy")
    choices = {} if choices is None else choices
    if not isinstance(choices, dict):
        raise CaseError("`policy` must be an object.")
    unknown = sorted(set(choices) - set(_CHOICES))
    if unknown:
        raise CaseError(f"`policy` has no {', '.join(unknown)}; it has {', '.join(_CHOICES)}.")
    name = choices.get("format")
    if not all(choices.get(several) is None or isinstance(choices[several], list) for several in ("tiers", "accept")):
        raise CaseError("`policy.tiers` and `policy.accept` must be lists.")
    if not (name is None or isinstance(name, str)):
        raise CaseError("`policy.format` must be a name.")
    if not isinstance(choices.get("partial", False), bool):
        raise CaseError("`policy.partial` must be true or false.")
    try:
        policy = Policy(**{choice: word for choice, word in choices.items() if choice != "format"})
    except UsageError as error:
        raise CaseError(f"{error.message} {error.hint}.") from None
    present = {path: text for path, text in files.items() if text is not None}
    return Case(case.get("id"), present, case["reply"], policy, name if name is not None else AUTO, root or "", seen)


def answer(case: Case) -> records.Record:
    """Parse and plan one case. `seconds` is the engine's own time. Raises `DovetailError` for an unknown format."""
    began = time.perf_counter()
    parsed = parse(case.reply, format=case.format).relative_to(case.root)
    planned = plan_for(parsed, case.files, case.policy, case.seen)
    seconds = time.perf_counter() - began
    return {
        "id": case.id,
        "files": {change.path: change.after for change in planned.changes},
        "results": [records.of_explained(result) for result in planned.results],
        "files_modified": list(planned.files_modified),
        "shell_suggestions": [records.of_shell(suggestion) for suggestion in planned.shell_suggestions],
        "diagnostics": [records.of_diagnostic(diagnostic) for diagnostic in planned.diagnostics],
        "seconds": seconds,
    }


def answer_line(line: str) -> str:
    """Answer one line of JSON with one line of JSON."""
    name = None
    try:
        line.encode()  # bytes that were not UTF-8 came in as lone surrogates
        case = json.loads(line, parse_float=_finite, parse_constant=_no_number)
        name = case.get("id") if isinstance(case, dict) else None
        record = answer(read_case(case))
    except (CaseError, DovetailError) as error:
        record = {"id": name, "error": str(error)}
    except UnicodeEncodeError:
        record = {"id": name, "error": "The line is not UTF-8."}
    except ValueError as error:
        record = {"id": name, "error": f"The line is not JSON: {error}."}
    except RecursionError:
        record = {"id": name, "error": "The line is nested too deeply."}
    return json.dumps(record, ensure_ascii=True, allow_nan=False)


def _finite(text: str) -> float:
    """A number with a point or an exponent; one that is read as infinite could not be answered as JSON."""
    number = float(text)
    if math.isinf(number):
        raise CaseError(f"The line holds a number that is too large: {text[:_MAX_SHOWN]}")
    return number


def _no_number(text: str) -> NoReturn:
    """What Python reads as a number, and JSON does not know: NaN, Infinity."""
    raise CaseError(f"The line is not JSON: {text} is no number.")


def answer_lines(lines: Iterable[str], jobs: int | None = None) -> Iterator[str]:
    """Answer every line that is not blank, in order, on `jobs` processes (by default one for each processor).

    If the system gives processes nothing to share, as some containers do, this one answers alone.
    """
    cases = (line for line in lines if line.strip())
    processes = jobs if jobs is not None else os.cpu_count() or 1
    try:
        pool = _processes(processes) if processes > 1 else None
    except OSError:
        pool = None
    if pool is None:
        yield from map(answer_line, cases)
        return
    waiting: deque[tuple[list[str], Future[list[str]] | None]] = deque()
    try:
        while True:
            while len(waiting) < processes * _AHEAD and (chunk := list(islice(cases, CHUNK))):
                try:
                    waiting.append((chunk, pool.submit(_answer_chunk, chunk)))
                except BrokenProcessPool:
                    waiting.append((chunk, None))
            if not waiting:
                return
            chunk, future = waiting.popleft()
            try:
                yield from future.result() if future is not None else _one_by_one(chunk)
            except BrokenProcessPool:
                pool.shutdown(cancel_futures=True)
                pool = _processes(processes)
                yield from _one_by_one(chunk)
    finally:
        pool.shutdown(cancel_futures=True)


def _processes(number: int) -> ProcessPoolExecutor:
    """Processes that leave Ctrl-C to the one that started them."""
    return ProcessPoolExecutor(number, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))


def _answer_chunk(lines: Sequence[str]) -> list[str]:
    return [answer_line(line) for line in lines]


def _one_by_one(chunk: list[str]) -> Iterator[str]:
    """Answer a chunk in which some case ended its process: each case in a process of its own."""
    for line in chunk:
        with _processes(1) as single:
            try:
                yield single.submit(answer_line, line).result()
            except BrokenProcessPool:
                name = json.loads(line).get("id")  # it was read in that process, so it is JSON
                yield json.dumps({"id": name, "error": "The process that answered it ended."})
