"""Times calls: the median of several, within a limit.

All are timed in processor seconds, which other processes on the machine change least. Short calls are timed in rounds,
as `timeit` and pyperf do it: a single call would measure what ran before it and emptied the processor's caches.
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

LEAST_ROUNDS, MOST_ROUNDS, ENOUGH = 3, 25, 0.2
TURNS = 41
MOST_PREPARED = 40
ROUND = 0.02  # seconds that a round of calls takes at least


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
    """Median seconds of a call, over at least three rounds; of more, and of many calls each, while they are short."""
    first, _ = once(call)
    calls = max(1, int(ROUND / max(first, 1e-6)))
    rounds: list[float] = []
    while len(rounds) < LEAST_ROUNDS or (sum(rounds) < ENOUGH and len(rounds) < MOST_ROUNDS):
        rounds.append(_round(call, calls))
    return statistics.median(rounds) / calls


def median_of_new(prepare: Callable[[], Callable[[], object]]) -> float:
    """Median seconds of calls that are each made ready, which is not timed, and made once; over so many rounds, too."""
    first, _ = once(prepare())
    calls = max(1, min(MOST_PREPARED, int(ROUND / max(first, 1e-6))))
    rounds: list[float] = []
    while len(rounds) < LEAST_ROUNDS or (sum(rounds) < ENOUGH and len(rounds) < MOST_ROUNDS):
        ready = [prepare() for _ in range(calls)]
        gc.collect()
        began = time.process_time()
        for call in ready:
            call()
        rounds.append(time.process_time() - began)
    return statistics.median(rounds) / calls


def side_by_side(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of two calls that take turns, so that each finds the memory as the other leaves it.

    What a large text costs hangs on whether the system has to hand out its pages anew.
    """
    once(one)
    once(other)
    turns = [(once(one)[0], once(other)[0]) for _ in range(TURNS)]
    return statistics.median(first for first, _ in turns), statistics.median(second for _, second in turns)


def _round(call: Callable[[], object], calls: int) -> float:
    """Seconds of so many calls, with nothing collected from before."""
    gc.collect()
    began = time.process_time()
    for _ in range(calls):
        call()
    return time.process_time() - began
