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
from hashlib import sha256
from itertools import islice
from queue import SimpleQueue
from typing import Any, NoReturn

from dovetail.context import estimate
from dovetail.formats import parse
from dovetail.formats.table import AUTO
from dovetail.model.errors import DovetailError, UsageError
from dovetail.model.policy import READS_CALLS, Policy
from dovetail.session.apply import records
from dovetail.session.apply.diff import patch
from dovetail.session.apply.library import plan_for
from dovetail.session.batch.completions import reply_of
from dovetail.session.batch.files import chunks
from dovetail.session.batch.scores import Texts, score_steps, truths_of
from dovetail.session.batch.worker import READY, Worker

CHUNK = 16
"""The most cases that are sent to a process together."""

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
"""The keys that a case's policy may have."""

_LARGE = 256 * 1024  # bytes of a chunk that takes no further case
_AHEAD = 4  # chunks on their way for each process
GIVES = ("files", "results", "score", "diff", "digests")
"""Parts that an answer may have beside the paths that change."""

GIVEN: Sequence[str] = ("files", "results")
"""The parts that it has by default."""

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
    truths: Sequence[Texts] | None = None
    give: Sequence[str] = GIVEN


def read_case(case: object, give: Sequence[str] = GIVEN) -> Case:
    """Return a JSON value as a case; `give` names the parts of its answer, of `GIVES`.

    Keys beyond the documented ones are ignored. Raises `CaseError`."""
    if not isinstance(case, dict):
        raise CaseError("A case is a JSON object.")
    files = case.get("files")
    if not isinstance(files, dict) or not all(isinstance(text, str | None) for text in files.values()):
        raise CaseError("`files` must map paths to texts.")
    reply = _reply_in(case)
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
        reply,
        policy,
        name if name is not None else AUTO,
        root or "",
        folder or "",
        seen,
        _truths_in(case, present) if "score" in give else None,
        give,
    )


def _reply_in(case: Mapping[str, Any]) -> str:
    """Return the reply of a case, from `reply`, or from a completion or messages as datasets have them."""
    if isinstance(reply := case.get("reply"), str):
        return reply
    for key in ("completion", "messages") if reply is None else ():
        value = case.get(key)
        if isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, dict) for one in value)):
            return reply_of(value)
        if value is not None:
            raise CaseError(f"`{key}` must be a text or a list of messages.")
    raise CaseError("`reply` must be a text.")


def _truths_in(case: Mapping[str, Any], files: Mapping[str, str]) -> Sequence[Texts] | None:
    if case.get("truth") is None:
        return None
    try:
        return truths_of(case["truth"], files)
    except UsageError as error:
        raise CaseError(error.message) from None


def answer(case: Case) -> records.Record:
    """Parse and plan one case, and return the parts of the answer that it asks for.

    `seconds` is the time for parsing and planning alone. Raises `DovetailError` for an unknown format."""
    began = time.perf_counter()
    parsed = parse(case.reply, format=case.format).relative_to(case.root)
    planned = plan_for(parsed, case.files, case.policy, case.seen, root=case.root, folder=case.folder)
    seconds = time.perf_counter() - began
    record: records.Record = {"id": case.id}
    if "files" in case.give:
        record["files"] = {change.path: change.after for change in planned.changes}
    if "results" in case.give:
        record["results"] = [records.of_explained(result) for result in planned.results]
    record["files_modified"] = list(planned.files_modified)
    if "results" in case.give:
        record["shell_suggestions"] = [records.of_shell(suggestion) for suggestion in planned.shell_suggestions]
        record["diagnostics"] = [records.of_diagnostic(diagnostic) for diagnostic in planned.diagnostics]
    if "diff" in case.give:
        record["diff"] = "".join(patch(change) for change in planned.changes)
    if "digests" in case.give:
        record["digests"] = {change.path: _digest(change.after) for change in planned.changes}
    if "score" in case.give:
        scored = score_steps([planned], case.files, case.truths, policy=case.policy, tokens=estimate(case.reply))
        record["score"] = {"value": scored.value, "verdict": scored.verdict, "parts": scored.parts}
    return {**record, "seconds": seconds}


def _digest(text: str | None) -> str | None:
    return None if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def answer_line(line: str, give: Sequence[str] = GIVEN) -> str:
    """Answer one line of JSON with one line of JSON, which has the parts that `give` names of `GIVES`."""
    name = None
    try:
        line.encode()  # bytes that were not UTF-8 came in as lone surrogates
        case = json.loads(line, parse_float=_finite, parse_constant=_no_number)
        name = case.get("id") if isinstance(case, dict) else None
        record = answer(read_case(case, give))
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
    """Read a number with a point or an exponent. Raises `CaseError` for an infinite one, which JSON cannot hold."""
    number = float(text)
    if math.isinf(number):
        raise CaseError(f"The line holds a number that is too large: {text[:_MAX_SHOWN]}")
    return number


def _no_number(text: str) -> NoReturn:
    """Raise `CaseError` for NaN and Infinity, which Python reads as numbers and JSON does not have."""
    raise CaseError(f"The line is not JSON: {text} is no number.")


def answer_lines(lines: Iterable[str], jobs: int | None = None, give: Sequence[str] = GIVEN) -> Iterator[str]:
    """Answer every line that is not blank, in order, on `jobs` processes (by default one for each processor).

    With one job this process answers. With more, a case that ends its process gets an error as its answer.
    """
    # A lone surrogate stays what is not UTF-8; a newline inside a case is white space to JSON.
    encoded = (line.strip().replace("\n", " ").encode(errors="surrogatepass") for line in lines)
    return (answer.decode().removesuffix("\n") for answer in answer_encoded(encoded, jobs, give))


def answer_encoded(lines: Iterable[bytes], jobs: int | None = None, give: Sequence[str] = GIVEN) -> Iterator[bytes]:
    """Do what `answer_lines` does, for lines in UTF-8; answers are UTF-8 and end with a newline."""
    cases = (stripped + b"\n" for line in lines if (stripped := line.strip()))
    number = jobs if jobs is not None else os.cpu_count() or 1
    if number == 1:
        yield from (_answer_one(case, give) for case in cases)
        return
    workers = [Worker(give) for _ in range(number)]
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


def serve(give: Sequence[str]) -> None:
    """Answer each line of standard input on standard output, for a `Worker`, until it closes the input or ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else prints goes to standard error
    lines: SimpleQueue[bytes] = SimpleQueue()

    def take() -> None:
        for line in sys.stdin.buffer:
            lines.put(line)
        os._exit(0)  # even in the middle of a case, as nobody waits for the answer

    threading.Thread(target=take, daemon=True).start()
    with suppress(BrokenPipeError):
        answer = READY
        while True:
            answers.write(answer)
            answers.flush()
            answer = _answer_one(lines.get(), give)


def _answer_one(line: bytes, give: Sequence[str]) -> bytes:
    return answer_line(line.decode(errors="surrogateescape"), give).encode() + b"\n"
