"""What a reply is worth: the parts, their sum, and the forms in which trainers hand in replies."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import dovetail
from dovetail.rewards import (
    FilesVerdict,
    Weights,
    compare_files,
    reply_of,
    score,
    score_trajectory,
    trl_reward,
    verifiers_metrics,
    verifiers_reward,
)

FILES = {"app.py": "x = 1\ny = 1\n", "b.txt": "one\n"}
TRUTH = {"app.py": "x = 2\ny = 1\n", "b.txt": "two\n"}


def edit(path: str, old: str, new: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n```\n"


APP, TEXT = edit("app.py", "x = 1", "x = 2"), edit("b.txt", "one", "two")
MISS = edit("b.txt", "nothing like it", "two")


@pytest.mark.parametrize(
    ("reply", "value", "verdict", "found", "landed"),
    [
        pytest.param(APP + TEXT, 1.0, "right", 2, 2, id="right"),
        pytest.param(APP, 0.5 + 0.5 * 0.3, "part", 1, 1, id="one of two files"),
        pytest.param(APP + MISS, 0.1 + 0.2 / 2, "refused", 2, 1, id="one edit fits and is held back"),
        pytest.param(MISS, 0.1, "refused", 1, 0, id="nothing fits"),
        pytest.param("I would rather not.", 0.0, "refused", 0, 0, id="no edit"),
        pytest.param(APP + edit("b.txt", "one", "three"), -1.0, "WRONG", 2, 2, id="one wrong file"),
        pytest.param(edit("new.txt", "", "new"), -1.0, "WRONG", 1, 1, id="a file that nobody wanted"),
        pytest.param(edit("app.py", "x = 1", "x = (2"), -1.1, "WRONG", 1, 1, id="wrong, and it no longer parses"),
    ],
)
def test_a_reply_is_scored(reply: str, value: float, verdict: str, found: int, landed: int) -> None:
    scored = score(reply, FILES, TRUTH)
    assert (scored.verdict, scored.found, scored.landed) == (verdict, found, landed)
    assert scored.value == pytest.approx(value)
    assert (scored.right, scored.wrong) == (verdict == "right", verdict == "WRONG")


def test_a_wrong_write_costs_more_than_any_refusal() -> None:
    wrong = score(edit("app.py", "x = 1", "x = 3") + TEXT, FILES, TRUTH).value
    assert wrong < score("", FILES, TRUTH).value < score(MISS, FILES, TRUTH).value < score(APP, FILES, TRUTH).value


def test_without_a_truth_only_the_edits_are_judged() -> None:
    scored = score(APP, FILES)
    assert (scored.verdict, scored.right, scored.wrong, scored.share) == (None, None, None, None)
    assert scored.value == pytest.approx(0.3)
    assert "right" not in scored.parts
    assert scored.tier is dovetail.Tier.EXACT


def test_weights_count_doubtful_places_and_tokens() -> None:
    far = score(
        edit("app.py", "x = 1\nz = 5\ny = 1", "x = 2\nz = 5\ny = 1"), FILES, weights=Weights(tokens=-1.0), tokens=500
    )
    assert far.tokens == 500
    assert far.value == pytest.approx(0.1 + 0.2 * far.landed - 0.05 * (far.landed > 0) - 0.5)
    long, short = score(APP + "word " * 200, FILES), score(APP, FILES)
    assert long.tokens > short.tokens > 0
    assert long.value == short.value


def test_a_syntax_error_that_was_wanted_is_none() -> None:
    broken = {**FILES, "app.py": "x = (2\ny = 1\n"}
    reply = edit("app.py", "x = 1", "x = (2")
    assert score(reply, FILES, broken).new_errors == 0
    assert score(reply, FILES, broken).value == 1.0
    assert score(reply, FILES).new_errors == 1


def test_truths_are_one_or_several_or_none_and_also_json() -> None:
    other = {**FILES, "app.py": "x = 3\ny = 1\n"}
    assert score(edit("app.py", "x = 1", "x = 3"), FILES, [TRUTH, other]).right
    assert score(APP + TEXT, json.dumps(FILES), json.dumps(TRUTH)).right
    assert score(APP + TEXT, json.dumps(FILES), json.dumps([other, TRUTH])).right
    assert score("No.", FILES, []).right
    assert score(APP, FILES, []).wrong
    assert score(APP + TEXT, {**FILES, "c.txt": None}, {**TRUTH, "c.txt": None}).right
    assert score(APP, FILES, {"app.py": TRUTH["app.py"]}).verdict is FilesVerdict.PART  # b.txt was to be gone


def test_what_counts_in_a_comparison() -> None:
    def verdict(after: str, truth: str, compare: Any) -> str:
        return compare_files({"a": "1\n"}, {"a": after}, [{"a": truth}], compare)[0]

    assert verdict("2\n\n", "2\n", "exact") == "WRONG"
    assert verdict("2\n\n", "2\n", "loose-end") == "right"
    assert verdict("2 +3\n", "2+ 3\n", "loose-end") == "WRONG"
    assert verdict("2 +3\n", "2+ 3\n", "no-blanks") == "right"


@pytest.mark.parametrize(
    ("files", "truth", "what"),
    [
        (["app.py"], None, "`files` is of the type list"),
        ({"app.py": 1}, None, "`files` has for 'app.py'"),
        ("{", None, "`files` is a text and no JSON"),
        (FILES, "[{", "`truth` is a text and no JSON"),
        (FILES, 3, "`truth` is of the type int"),
    ],
)
def test_bad_arguments_are_named(files: Any, truth: Any, what: str) -> None:
    with pytest.raises(dovetail.errors.UsageError) as raised:
        score("", files, truth)
    assert what in raised.value.message
    assert raised.value.hint


CALL = {"name": "edit_file", "arguments": json.dumps({"path": "app.py", "old_string": "x = 1", "new_string": "x = 2"})}


@pytest.mark.parametrize(
    "completion",
    [
        APP + TEXT,
        {"role": "assistant", "content": APP + TEXT},
        [
            {"role": "assistant", "content": MISS},
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": APP + TEXT},
        ],
        [{"role": "assistant", "content": [{"type": "text", "text": APP}, {"type": "text", "text": TEXT}]}],
        [
            {"role": "assistant", "content": TEXT, "tool_calls": [{"type": "function", "function": CALL}]},
            {"role": "tool"},
        ],
        [{"content": TEXT, "tool_calls": [CALL]}],
    ],
)
def test_a_completion_is_read_in_each_form(completion: Any) -> None:
    assert score(reply_of(completion), FILES, TRUTH).right


def test_trl_hands_in_columns() -> None:
    logged: dict[str, float] = {}
    values = trl_reward(
        prompts=["", ""],
        completions=[APP + TEXT, [{"role": "assistant", "content": "No."}]],
        files=[FILES, FILES],
        truth=[TRUTH, TRUTH],
        completion_ids=[[1, 2, 3], [1]],
        log_metric=logged.__setitem__,
        trainer_state=None,
    )
    assert values == [1.0, 0.0]
    assert (logged["edits/right"], logged["edits/tokens"]) == (0.5, 2.0)
    dear = partial(trl_reward, weights=Weights(right=5.0))
    assert dear(prompts=[""], completions=[APP + TEXT], files=[FILES], truth=[TRUTH]) == [5.0]
    assert trl_reward(prompts=[""], completions=[APP], files=[FILES]) == [pytest.approx(0.3)]
    with pytest.raises(dovetail.errors.UsageError, match="no `files`"):
        trl_reward(prompts=[""], completions=[APP])


def shell(command: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}


def test_a_trajectory_is_carried_out_call_by_call() -> None:
    """Each call finds the files as the one before it leaves them; what fails or changes nothing stops none."""
    again = {**CALL, "arguments": CALL["arguments"].replace("x = 2", "x = 3").replace("x = 1", "x = 2")}
    miss = {**CALL, "arguments": CALL["arguments"].replace("x = 1", "nowhere")}
    calls = [CALL, miss, shell("ls"), again, shell("sed -i s/one/two/ b.txt")]
    messages = [
        {"role": "user", "content": "Change both."},
        {"role": "assistant", "content": "x = 1 goes first.", "tool_calls": calls[:2]},
        {"role": "tool", "content": "done"},
        {"role": "assistant", "content": None, "tool_calls": calls[2:]},
    ]
    truth = {"app.py": "x = 3\ny = 1\n", "b.txt": "two\n"}
    for trajectory in (calls, messages, [json.dumps(call) for call in calls]):
        scored = score_trajectory(trajectory, FILES, truth)
        assert (scored.verdict, scored.value, scored.landed, len(scored.steps)) == ("right", 1.0, 3, 5)
    assert score_trajectory(calls[:4], FILES, truth).verdict == "part"
    assert score_trajectory(calls, FILES, TRUTH).wrong
    assert score_trajectory([{"role": "assistant", "content": APP + TEXT}], FILES, TRUTH).right
    assert score_trajectory([], FILES, TRUTH).value == 0.0
    gone = score_trajectory([shell("rm b.txt"), shell("echo one > b.txt")], FILES, FILES)
    assert gone.right and gone.new_errors == 0


def test_the_event_loop_goes_on_while_a_reward_is_worked_out() -> None:
    """Nothing of a score runs in the loop's thread."""
    files = {"big.txt": "".join(f"line {n}\n" for n in range(20_000))}
    truth = {"big.txt": files["big.txt"].replace("line 7\n", "seven\n")}
    trace = SimpleNamespace(assistant_messages=[], last_reply=edit("big.txt", "line 7", "seven"))

    async def both() -> tuple[list[float], dict[str, float]]:
        tasks = [verifiers_reward(SimpleNamespace(files=files, truth=truth), trace) for _ in range(3)]
        parts = await verifiers_metrics(SimpleNamespace(files=json.dumps(files), truth=None), trace)
        return list(await asyncio.gather(*tasks)), parts

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("dovetail.session.batch.scores.score_steps", None)
        rewards, parts = asyncio.run(both())
    assert rewards == [1.0] * 3
    assert parts["edits_landed"] == 1.0 and "edits_right" not in parts
    with pytest.raises(dovetail.errors.UsageError, match="`files` is of the type list"):
        asyncio.run(verifiers_reward(SimpleNamespace(files=[], truth=None), trace))


def test_a_trace_without_a_reply_is_worth_nothing() -> None:
    task, trace = SimpleNamespace(files=FILES, truth=TRUTH), SimpleNamespace(assistant_messages=[], last_reply="")
    assert asyncio.run(verifiers_reward(task, trace)) == 0.0
