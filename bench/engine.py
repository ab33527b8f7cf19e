"""Answers cases in this project's own processes, for benchmarks: as `dovetail batch` does, and never stopped.

Owns the pool and what happens where the engine raises: the case answers ``{"id", "error"}`` with the traceback, so
that one bad case never hides the others.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from dovetail.session.batch import cases as batch

CHUNK = 8


def answer(case: Mapping[str, Any]) -> dict[str, Any]:
    """Answer one case."""
    try:
        return batch.answer(batch.read_case(case))
    except Exception:  # whatever the engine raises is a finding about this case, not the end of the run
        return {"id": case["id"], "error": traceback.format_exc()}


def answers(cases: Iterable[Mapping[str, Any]], jobs: int | None = None) -> Iterator[dict[str, Any]]:
    """Answer cases in their order; one job answers them in this process."""
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1:
        yield from map(answer, cases)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(answer, cases, chunksize=CHUNK)
