"""Many replies at once, in memory: one case a line in, one result a line out, in the same order.

`answer` is a pure function of a case except for the clock; nothing of one case reaches another. A bad line gives
``{"id", "error"}`` and never stops the rest, not even if it takes its process down. Memory is bounded by the chunks
that are on their way, not by the input.
"""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from queue import SimpleQueue
from typing import Any, NoReturn

from dovetail.formats import parse
from dovetail.formats.table import AUTO
from dovetail.model.errors import DovetailError, UsageError
from dovetail.model.policy import READS_CALLS, Policy
from dovetail.session.apply import records
from dovetail.session.apply.library import plan_for
from dovetail.session.batch.files import chunks
from dovetail.session.batch.worker import READY, Worker

CHUNK = 16
"""Cases that travel to a process together, at most."""

_CHOICES = (
    "on_failure",
    "occurrence",
    "tiers",
    "accept",
    "min_confidence",
    "new_errors",
    "partial",
    "commands",
    "format",
)
"""What a case's policy may say."""

_LARGE = 256 * 1024  # bytes of a chunk that takes no further case
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
    policy: Policy = READS_CALLS
    format: str = AUTO
    root: str = ""
    folder: str = ""
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
    folder = case.get("cwd")
    if not isinstance(folder, str | None):
        raise CaseError("`cwd` must be a path.")
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
        choices = {"commands": READS_CALLS.commands, **choices}
        policy = Policy(**{choice: word for choice, word in choices.items() if choice != "format"})
    except UsageError as error:
        raise CaseError(f"{error.message} {error.hint}.") from None
    present = {path: text for path, text in files.items() if text is not None}
    return Case(
        case.get("id"),
        present,
        case["reply"],
        policy,
        name if name is not None else AUTO,
        root or "",
        folder or "",
        seen,
    )


def answer(case: Case) -> records.Record:
    """Parse and plan one case. `seconds` is the engine's own time. Raises `DovetailError` for an unknown format."""
    began = time.perf_counter()
    parsed = parse(case.reply, format=case.format).relative_to(case.root)
    planned = plan_for(parsed, case.files, case.policy, case.seen, root=case.root, folder=case.folder)
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

    One job answers in this process. Otherwise a case may end its process: it is answered with an error.
    """
    # A lone surrogate stays what is not UTF-8; a newline inside a case is white space to JSON.
    encoded = (line.strip().replace("\n", " ").encode(errors="surrogatepass") for line in lines)
    return (answer.decode().removesuffix("\n") for answer in answer_encoded(encoded, jobs))


def answer_encoded(lines: Iterable[bytes], jobs: int | None = None) -> Iterator[bytes]:
    """As `answer_lines`, from UTF-8 to UTF-8; an answer ends with a newline."""
    cases = (stripped + b"\n" for line in lines if (stripped := line.strip()))
    number = jobs if jobs is not None else os.cpu_count() or 1
    if number == 1:
        yield from map(_answer_one, cases)
        return
    workers = [Worker() for _ in range(number)]
    idle = list(workers)  # threads take from it and add to it, each in one step

    def answered(chunk: Sequence[bytes]) -> list[bytes]:
        worker = idle.pop()
        try:
            return list(worker.answers(chunk))
        finally:
            idle.append(worker)

    remaining = chunks(cases, CHUNK, _LARGE)
    waiting: deque[Future[list[bytes]]] = deque()
    with ThreadPoolExecutor(number) as threads:
        try:
            while True:
                waiting.extend(threads.submit(answered, c) for c in islice(remaining, number * _AHEAD - len(waiting)))
                if not waiting:
                    return
                yield from waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
            for worker in workers:
                worker.close()


def serve() -> None:
    """Answer each line of standard input on standard output, for a `Worker`, until it closes the input or ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything else prints is no answer
    lines: SimpleQueue[bytes] = SimpleQueue()

    def take() -> None:
        for line in sys.stdin.buffer:
            lines.put(line)
        os._exit(0)  # also in the middle of a case: nobody waits for it

    threading.Thread(target=take, daemon=True).start()
    with suppress(BrokenPipeError):
        answer = READY
        while True:
            answers.write(answer)
            answers.flush()
            answer = _answer_one(lines.get())


def _answer_one(line: bytes) -> bytes:
    return answer_line(line.decode(errors="surrogateescape")).encode() + b"\n"
