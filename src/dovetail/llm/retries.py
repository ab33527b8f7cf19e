"""When the same request is sent again, and after how long.

Owns the arithmetic: exponential back-off with full jitter (a wait anywhere between none and the step), no shorter than
the provider asks. Sleeps and rolls no dice itself: clock, sleep and randomness are one value, `Timing`.
Source: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from dovetail.llm.cancellation import Cancellation
from dovetail.llm.errors import ModelError


@dataclass(frozen=True, slots=True)
class Retries:
    """limit: how often a request is sent again. base, cap: first and largest step of the back-off, in seconds.

    longest_wait: a provider that asks for more is not waited for. within: no attempt begins later than this many
    seconds after the first.
    """

    limit: int = 4
    base: float = 0.5
    cap: float = 30.0
    longest_wait: float = 60.0
    within: float = 300.0


@dataclass(frozen=True, slots=True)
class Timing:
    """now: a clock that never goes back, in seconds. date: seconds since 1970.

    wait: sleeps, or returns True early when cancelled. random: a number from 0 to 1, 1 excluded.
    """

    now: Callable[[], float] = time.monotonic
    date: Callable[[], float] = time.time
    wait: Callable[[Cancellation, float], bool] = Cancellation.wait
    random: Callable[[], float] = random.random


@dataclass(frozen=True, slots=True)
class Retry:
    """What a face may show while it waits: attempt `n` of `limit` begins in `seconds`, because of `error`."""

    n: int
    limit: int
    seconds: float
    error: ModelError


def next_retry(rules: Retries, timing: Timing, done: int, elapsed: float, error: ModelError) -> Retry | None:
    """The retry that follows the failure of a request that was sent again `done` times so far, or None."""
    if not error.transient or done >= rules.limit:
        return None
    asked = error.retry_after or 0.0
    if asked > rules.longest_wait:
        return None
    seconds = max(asked, timing.random() * min(rules.cap, rules.base * 2**done))
    if elapsed + seconds > rules.within:
        return None
    return Retry(done + 1, rules.limit, seconds, error)
