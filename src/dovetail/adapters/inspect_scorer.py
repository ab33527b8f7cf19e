"""A scorer for inspect_ai: a model's edits, measured against the files that were wanted.

::

    from dovetail.adapters.inspect_scorer import edits

    Task(dataset=[Sample(input=request, metadata={"files": files, "truth": truth})], scorer=edits())

`inspect score LOG --scorer dovetail/edits` scores a log that has such samples.
"""

from __future__ import annotations

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from dovetail.rewards import DEFAULT_WEIGHTS, Compare, Weights, reply_of, score
from dovetail.session.apply.correction import retry_message


@scorer(metrics={"*": [mean(), stderr()]})
def edits(weights: Weights = DEFAULT_WEIGHTS, compare: Compare = "exact") -> Scorer:
    """Score the last reply of a sample: `value` and each part of `dovetail.rewards.Score`.

    A sample's metadata has `files` and perhaps `truth`, as `dovetail.rewards.score` takes them. Without `truth` in it,
    the sample's target is used, as JSON, if it is not empty.
    """

    async def measure(state: TaskState, target: Target) -> Score:
        message = state.output.message if state.output.choices else None
        calls = (message.tool_calls or []) if message is not None else []
        asked = [{"name": call.function, "arguments": call.arguments} for call in calls]
        reply = reply_of({"content": state.output.completion, "tool_calls": asked})
        files, truth = state.metadata.get("files") or {}, state.metadata.get("truth") or target.text or None
        scored = score(reply, files, truth, weights=weights, compare=compare, tokens=_tokens(state))
        why = retry_message(scored.plan.results, written=bool(scored.plan.changes))
        return Score(
            value={"value": scored.value, **scored.parts},
            answer=reply,
            explanation=why or f"{scored.verdict or 'no truth'}: {scored.landed} of {scored.found} edits fit.",
        )

    return measure


def _tokens(state: TaskState) -> int | None:
    return state.output.usage.output_tokens if state.output.usage is not None else None
