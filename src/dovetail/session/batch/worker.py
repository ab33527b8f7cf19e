"""Answers cases in a separate process, and goes on after a case that ends it.

Cases and answers are lines of JSON on the process's standard streams. So it starts the same way from a thread, a worker
of a cluster and an interactive session, shares no memory, and ends when the process that started it does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from threading import Lock

from dovetail.model.errors import DovetailError
from dovetail.session.batch.files import id_of

READY = b"ready\n"
"""The first line that the process prints."""

_AHEAD = 256 * 1024  # bytes of cases that are sent before they can be answered, so that the process never waits
_TRIES = 2  # a process may also be ended by something else: a full memory, an operator
_CODE = (
    "import sys; _, give, *sys.path[:] = sys.argv; "
    "from dovetail.session.batch.cases import serve; serve(give.split(','))"
)


class Worker:
    """Answers cases in a process that is started for the first of them, and again after a case that ended it.

    give: the parts of its answers; see `cases.GIVES`. One thread at a time may take answers; any may close.
    """

    def __init__(self, give: Sequence[str] = ("files", "results")) -> None:
        self._give = give
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        self._changing = Lock()

    def answers(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Answer lines of JSON, each ended by its only newline, in order.

        A case that ends the process is tried again in a new one. If that ends too, the answer is an error. Stops early
        after `close`. Raises `DovetailError` if no process starts.
        """
        cases = iter(lines)
        sent: deque[bytes] = deque()
        size = tries = 0
        lost = False
        try:
            while True:
                more = list(sent) if lost else []
                while size < _AHEAD and (line := next(cases, None)) is not None:
                    more.append(line)
                    sent.append(line)
                    size += len(line)
                if not sent or (process := self._running()) is None:
                    return
                answer = _exchanged(process, more)
                lost = not answer.endswith(b"\n")
                if lost:
                    self._end()
                    tries += 1
                    if tries < _TRIES:
                        continue
                    # Cases are answered in order, so the oldest without an answer is the one that ended the process.
                    answer = _no_answer(sent[0])
                tries = 0
                size -= len(sent.popleft())
                yield answer
        finally:
            if sent:  # else the next caller would take the answers to these cases for its own
                self._end()

    def close(self) -> None:
        """End the process, and with it any `answers` that waits for it."""
        self._closed = True
        self._end()

    def _running(self) -> subprocess.Popen[bytes] | None:
        """Return the process, started if there is none; None after `close`."""
        with self._changing:
            if self._process is None and not self._closed:
                self._process = _start(self._give)
            return self._process

    def _end(self) -> None:
        with self._changing:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError):  # cases that were not sent yet
                process.communicate()


def _start(give: Sequence[str]) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _CODE, ",".join(give), *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        process_group=0 if os.name == "posix" else None,  # Ctrl-C is for the process that started it
    )
    if process.stdout is None or process.stdout.readline() != READY:
        process.kill()
        process.communicate()
        raise DovetailError(
            f"The process that answers cases ended with {process.returncode} before the first.",
            hint=f"See whether this works: {sys.executable} -c 'import dovetail.session.batch'",
            code="no-worker",
        )
    return process


def _exchanged(process: subprocess.Popen[bytes], lines: Iterable[bytes]) -> bytes:
    """Send lines, and wait for the oldest answer; it lacks its newline if the process has ended."""
    if process.stdin is None or process.stdout is None:
        return b""
    with suppress(OSError):  # it has ended
        process.stdin.writelines(lines)
        process.stdin.flush()
    return process.stdout.readline()


def _no_answer(line: bytes) -> bytes:
    return json.dumps({"id": id_of(line), "error": "The process that answered it ended."}).encode() + b"\n"
