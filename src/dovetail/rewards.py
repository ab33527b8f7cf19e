"""Scores replies: as a record for evaluation, and as one number for training.

`score` plans a reply in memory and compares the files that it would write with those that are wanted;
`score_trajectory` does so for an agent's calls, one after another. The other functions have the shapes in which TRL and
verifiers call rewards; `dovetail.adapters.inspect_scorer` has inspect_ai's. None of these packages is needed here.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from queue import SimpleQueue
from typing import Any

from dovetail.context import estimate
from dovetail.formats import parse
from dovetail.model.errors import DovetailError, UsageError
from dovetail.model.policy import READS_CALLS, Policy
from dovetail.model.results import Plan
from dovetail.session.apply.library import make_plan
from dovetail.session.batch.completions import calls_of, reply_of
from dovetail.session.batch.scores import (
    DEFAULT_WEIGHTS,
    Compare,
    FilesVerdict,
    Score,
    Texts,
    Weights,
    comparable,
    compare_files,
    present_files,
    score,
    score_steps,
    truths_of,
)
from dovetail.session.batch.worker import Worker

__all__ = [
    "DEFAULT_WEIGHTS",
    "Compare",
    "FilesVerdict",
    "Score",
    "Weights",
    "comparable",
    "compare_files",
    "reply_of",
    "score",
    "score_trajectory",
    "trl_reward",
    "verifiers_metrics",
    "verifiers_reward",
]


def score_trajectory(
    trajectory: Sequence[str | Mapping[str, Any]],
    files: Texts | str,
    truth: Texts | Sequence[Texts] | str | None = None,
    *,
    weights: Weights = DEFAULT_WEIGHTS,
    policy: Policy = READS_CALLS,
    compare: Compare = "exact",
    tokens: int | None = None,
    root: str = "",
) -> Score:
    """Carry out an agent's calls in memory, one after another, and score the files that they leave.

    trajectory: the calls, or the messages of the conversation, of which the assistant's calls are used. A call edits
    files by a tool, or is a shell command that is followed and never run; one that changes nothing is no edit.
    files, truth: as `score` takes them: the files before the first call, and those that should exist after the last.

    A call that fails writes nothing, and later calls go on. Raises `UsageError` as `score` does.
    """
    before = present_files(files, "files")
    wanted = None if truth is None else truths_of(truth, before)
    now, steps, length = dict(before), list[Plan](), 0
    for reply in calls_of(trajectory):
        length += estimate(reply)
        plan = make_plan(parse(reply).relative_to(root), now, policy, root=root)
        steps.append(plan)
        for change in plan.changes:
            if change.after is None:
                now.pop(change.path, None)
            else:
                now[change.path] = change.after
    steps = steps or [make_plan("", before, policy)]
    length = length if tokens is None else tokens
    return score_steps(steps, before, wanted, weights=weights, policy=policy, compare=compare, tokens=length)


def trl_reward(
    prompts: Sequence[Any],  # noqa: ARG001 - the trainer hands it in
    completions: Sequence[Any],
    files: Sequence[Any] | None = None,
    truth: Sequence[Any] | None = None,
    *,
    completion_ids: Sequence[Sequence[int]] | None = None,
    log_metric: Callable[[str, float], None] | None = None,
    weights: Weights = DEFAULT_WEIGHTS,
    policy: Policy = READS_CALLS,
    compare: Compare = "exact",
    **columns: Any,  # noqa: ARG001, ANN401 - the trainer hands in all columns of the dataset
) -> list[float]:
    """Score completions, as TRL's trainers call a reward function: one float for each.

    completions: texts, or conversations.
    files, truth: the dataset's columns of these names, one entry for each completion; see `score`.
    completion_ids, log_metric: passed by the trainer. The parts of the scores are logged as `edits/…`.
    weights, policy, compare: as `score` takes them; set them with `functools.partial`.
    """
    if files is None:
        hint = "Give the dataset a column `files`, and `truth` if the right result is known."
        raise UsageError("The reward has no `files`.", hint=hint)
    scores = [
        score(
            reply_of(completion),
            files[i],
            truth[i] if truth is not None else None,
            weights=weights,
            policy=policy,
            compare=compare,
            tokens=len(completion_ids[i]) if completion_ids is not None else None,
        )
        for i, completion in enumerate(completions)
    ]
    if log_metric is not None and scores:
        parts = [one.parts for one in scores]
        for name in parts[0]:
            log_metric(f"edits/{name}", sum(part.get(name, 0.0) for part in parts) / len(parts))
    return [one.value for one in scores]


async def verifiers_reward(task: Any, trace: Any) -> float:  # noqa: ANN401 - of a package that is not needed here
    """Score the last reply of a trace, as a task of verifiers calls a reward.

    task: the task's data, with the fields `files` and perhaps `truth`; see `score`. Another process computes the score,
    so that the event loop is free meanwhile.
    """
    return float((await _of_trace(task, trace))["value"])


async def verifiers_metrics(task: Any, trace: Any) -> dict[str, float]:  # noqa: ANN401 - as above
    """Return the parts of the same score, as a task of verifiers calls a metric that answers several."""
    parts = (await _of_trace(task, trace))["parts"]
    return {f"edits_{name}": number for name, number in parts.items()}


async def _of_trace(task: Any, trace: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    messages = trace.assistant_messages
    calls = messages[-1].tool_calls or () if messages else ()
    reply = reply_of({"content": trace.last_reply, "tool_calls": [call.model_dump() for call in calls]})
    case = (reply, task.files, getattr(task, "truth", None))
    # The JSON of a large case is written in the thread, too, as that would block the event loop longest.
    return await asyncio.get_running_loop().run_in_executor(_pool().threads, _pool().scored, *case)


class _Pool:
    """Processes that score, and a thread for each that hands it cases. All end with this process."""

    def __init__(self) -> None:
        number = os.cpu_count() or 1
        self.threads = ThreadPoolExecutor(number, "dovetail-rewards")
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        for _ in range(number):
            self._idle.put(Worker(("score",)))

    def scored(self, reply: str, files: object, truth: object) -> dict[str, Any]:
        before = present_files(files, "files")
        case = {"reply": reply, "files": before, "truth": None if truth is None else truths_of(truth, before)}
        line = json.dumps(case).encode() + b"\n"
        worker = self._idle.get()
        try:
            answer = json.loads(next(iter(worker.answers([line]))))
        finally:
            self._idle.put(worker)
        if "error" in answer:
            raise DovetailError(answer["error"], code="no-worker")
        scored: dict[str, Any] = answer["score"]
        return scored


@cache
def _pool() -> _Pool:
    return _Pool()
