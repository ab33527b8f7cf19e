"""Answers cases: the engine in memory, on as many processes as asked for, in the shape of `dovetail batch`.

Owns how a benchmark calls the engine, and the clock around it. Cases and answers are plain JSON values; an engine
that raises answers ``{"id", "error"}``, so one bad case never hides the others.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dovetail.model.policy import Policy
    from dovetail.model.results import BlockResult

CHUNK = 8


def policy_of(stated: Mapping[str, Any]) -> tuple[Policy, str | None]:
    """Read a case's `policy` object: the engine's own policy, and the format it narrows to."""
    from dovetail.model.codes import Occurrence, OnFailure, Tier
    from dovetail.model.policy import Policy

    tiers = stated.get("tiers")
    policy = Policy(
        on_failure=OnFailure(stated.get("on_failure", "all")),
        occurrence=Occurrence(stated.get("occurrence", "unique")),
        tiers=None if tiers is None else tuple(Tier(tier) for tier in tiers),
    )
    return policy, stated.get("format")


def result_record(result: BlockResult) -> dict[str, Any]:
    """One block's result as JSON."""
    return {
        "n": result.n,
        "path": result.path,
        "format": result.block.format,
        "line": result.block.line,
        "status": result.status,
        "code": result.code,
        "reason": result.reason,
        "tier": result.tier,
        "score": result.score,
        "start": result.start,
        "end": result.end,
    }


def answer(case: Mapping[str, Any]) -> dict[str, Any]:
    """Answer one case. `seconds` is parsing and planning, nothing else."""
    from dovetail import formats
    from dovetail.model.snapshot import Snapshot
    from dovetail.plan import plan
    from dovetail.syntax import language

    policy, narrowed = policy_of(case.get("policy", {}))
    began = time.perf_counter()
    try:
        parsed = formats.parse(case["reply"], format=narrowed)
        planned = plan(parsed, Snapshot.of(case["files"]), policy, language())
    except Exception:  # whatever the engine raises is a finding about this case, not the end of the run
        return {"id": case["id"], "error": traceback.format_exc()}
    seconds = time.perf_counter() - began
    return {
        "id": case["id"],
        "files": {change.path: change.after for change in planned.changes},
        "results": [result_record(result) for result in planned.results],
        "diagnostics": [{"code": d.code, "message": d.message, "line": d.line} for d in planned.diagnostics],
        "seconds": seconds,
    }


def answers(cases: Iterable[Mapping[str, Any]], jobs: int | None = None) -> Iterator[dict[str, Any]]:
    """Answer cases in their order; one job answers them in this process."""
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1:
        yield from map(answer, cases)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(answer, cases, chunksize=CHUNK)
