"""Times calls: the median of several, within a limit.

In-process calls are timed in processor seconds, which other processes on the machine do not change; whole processes
by the clock on the wall.
"""

from __future__ import annotations

import gc
import signal
import statistics
import time
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

Result = TypeVar("Result")

LEAST_RUNS, MOST_RUNS, ENOUGH = 3, 25, 0.6


class TooSlowError(Exception):
    """A call took longer than it was given."""


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Raise `TooSlowError` in the body when it takes more processor time; main thread only."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def once(call: Callable[[], Result], clock: Callable[[], float] = time.process_time) -> tuple[float, Result]:
    """Seconds of one call, and its result."""
    gc.collect()
    began = clock()
    result = call()
    return clock() - began, result


def median(call: Callable[[], object]) -> float:
    """Median seconds of at least three calls, of more while they are short."""
    runs: list[float] = []
    while len(runs) < LEAST_RUNS or (sum(runs) < ENOUGH and len(runs) < MOST_RUNS):
        runs.append(once(call)[0])
    return statistics.median(runs)
