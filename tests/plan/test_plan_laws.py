"""Laws of planning, on random files and edits."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from plan_builders import after, delete, edit, new_file, planned, rename, seen_as, whole

from dovetail.model.blocks import Block
from dovetail.model.codes import OnFailure, Status
from dovetail.model.text import Edit, IndexedText, Span, apply_edits
from dovetail.plan.offsets import OffsetMap

WORDS = ["alpha", "bravo", "carol", "delta", "eagle", "fancy", "gamma", "hotel", "india", "joker"]


@dataclass(frozen=True)
class Job:
    """A file whose lines are all different, disjoint edits of it, and what comes out."""

    before: str
    edits: tuple[tuple[str, str], ...]
    after: str


def _line(draw: st.DrawFn, n: int) -> str:
    return f"{draw(st.sampled_from(WORDS))}_{n} = {draw(st.sampled_from(WORDS))}({n * 7})"


@st.composite
def jobs(draw: st.DrawFn, end: str = "\n") -> Job:
    """Each edit quotes one to three lines and replaces, deletes or adds to them; no two quote the same line."""
    count = draw(st.integers(3, 14))
    lines = [_line(draw, n) for n in range(count)]
    edits: list[tuple[str, str]] = []
    made: list[str] = []
    at = 0
    while at < count:
        size = min(draw(st.integers(1, 3)), count - at)
        quoted = lines[at : at + size]
        what = draw(st.sampled_from(["leave", "replace", "delete", "add below", "add above"]))
        fresh = [f"{draw(st.sampled_from(WORDS))}_new_{at} = {at}"]
        new = {
            "leave": quoted,
            "replace": [*quoted[:-1], *fresh],
            "delete": quoted[1:],
            "add below": quoted + fresh,
            "add above": fresh + quoted,
        }[what]
        if what != "leave":
            edits.append(("".join(x + "\n" for x in quoted), "".join(x + "\n" for x in new)))
        made += new
        at += size
    last = draw(st.booleans())
    before, wanted = end.join(lines), end.join(made)
    return Job(before + end * last, tuple(edits), wanted + end * (last and bool(made)))


def blocks_of(job: Job) -> list[Block]:
    return [edit("f", search, replace) for search, replace in job.edits]


@settings(max_examples=25, deadline=None)
@given(jobs(), st.randoms(use_true_random=False))
def test_the_order_of_independent_blocks_does_not_change_the_result(job: Job, rng: object) -> None:
    blocks = blocks_of(job)
    straight = planned({"f": job.before}, *blocks)
    rng.shuffle(blocks)  # type: ignore[attr-defined]
    shuffled = planned({"f": job.before}, *blocks)
    assert after({"f": job.before}, straight) == after({"f": job.before}, shuffled)
    assert not straight.failed


@settings(max_examples=25, deadline=None)
@given(jobs(), st.sampled_from(["\n", "\r\n"]))
def test_disjoint_edits_come_out_as_written(job: Job, end: str) -> None:
    assume(not job.before or job.before.endswith("\n"))
    before = job.before.replace("\n", end)
    made = planned({"f": before}, *blocks_of(job))
    assert after({"f": before}, made)["f"] == job.after.replace("\n", end)


@settings(max_examples=25, deadline=None)
@given(jobs())
def test_no_byte_outside_the_told_lines_changes(job: Job) -> None:
    made = planned({"f": job.before}, *blocks_of(job))
    told = {
        line for r in made.results if r.start is not None and r.end is not None for line in range(r.start, r.end + 1)
    }
    kept = [line for n, line in enumerate(IndexedText(job.before).lines, 1) if n not in told]
    now = IndexedText(after({"f": job.before}, made)["f"]).lines
    places = iter(now)
    assert all(line in places for line in kept)


@settings(max_examples=25, deadline=None)
@given(jobs())
def test_told_lines_hold_the_replacement(job: Job) -> None:
    made = planned({"f": job.before}, *blocks_of(job))
    now = IndexedText(after({"f": job.before}, made)["f"]).lines
    for result in made.results:
        assert result.new_start is not None
        assert result.new_end is not None
        assert now[result.new_start - 1 : result.new_end] == IndexedText(result.block.replace).lines


@settings(max_examples=25, deadline=None)
@given(jobs())
def test_planned_again_nothing_changes(job: Job) -> None:
    blocks = blocks_of(job)
    files = after({"f": job.before}, planned({"f": job.before}, *blocks))
    again = planned(files, *blocks, on_failure=OnFailure.BLOCK)
    assert not again.changes
    for result in again.results:
        if result.block.search in result.block.replace:
            assert result.status is Status.STANDS_ALREADY


@settings(max_examples=25, deadline=None)
@given(jobs(), st.integers(0, 14), st.sampled_from(OnFailure))
def test_a_failure_is_never_written(job: Job, at: int, policy: OnFailure) -> None:
    blocks = blocks_of(job)
    blocks.insert(min(at, len(blocks)), edit("f", "a line that no such file has\n", "x\n"))
    made = planned({"f": job.before}, *blocks, on_failure=policy)
    assert len(made.failed) == 1
    if policy is OnFailure.ALL:
        assert not made.changes
        assert all(r.status is not Status.FITS for r in made.results)
    elif policy is OnFailure.BLOCK:
        assert after({"f": job.before}, made) == after({"f": job.before}, planned({"f": job.before}, *blocks_of(job)))
    else:
        assert [r.status for r in made.results[made.failed[0].n :]] == [Status.LEFT_OUT] * (
            len(blocks) - made.failed[0].n
        )


@settings(max_examples=25, deadline=None)
@given(jobs(), st.data())
def test_a_chain_of_edits_is_the_last_link(job: Job, data: st.DataObject) -> None:
    assume(job.edits)
    search, replace = data.draw(st.sampled_from(job.edits))
    assume(replace.strip() and replace not in search)
    links = [edit("f", search, replace), edit("f", replace, "link one\n"), edit("f", "link one\n", "link two\n")]
    made = planned({"f": job.before}, *links)
    direct = planned({"f": job.before}, edit("f", search, "link two\n"))
    assert not made.failed
    assert after({"f": job.before}, made) == after({"f": job.before}, direct)


@settings(max_examples=25, deadline=None)
@given(jobs(), st.integers(0, 5), st.integers(0, 5))
def test_what_the_user_added_elsewhere_stays_and_the_edits_land(job: Job, above: int, below: int) -> None:
    assume(job.before.endswith("\n"))
    head = "".join(f"user wrote this {n}\n" for n in range(above))
    tail = "".join(f"and that {n}\n" for n in range(below))
    snapshot = seen_as("f", job.before, head + job.before + tail)
    made = planned(snapshot, *blocks_of(job))
    assert not made.failed, [r.reason for r in made.failed]
    assert after(snapshot, made)["f"] == head + job.after + tail


@st.composite
def replies(draw: st.DrawFn) -> list[Block]:
    """Blocks of every kind on a handful of paths, most of which do not fit."""
    path = st.sampled_from(["a", "b", "c/d", "./a", "C/d", "../a", "/a", "e.py", None])
    named = st.sampled_from(["a", "b", "c/d", "e", "A"])
    text = st.sampled_from(["", "x\n", "y\n", "x\ny\n", "\n", "z\n", "y\nx\n", "# ...\n"])
    block = st.one_of(
        st.builds(edit, path, text, text),
        st.builds(whole, named, text),
        st.builds(new_file, named, text),
        st.builds(delete, named),
        st.builds(rename, named, named),
    )
    return draw(st.lists(block, max_size=8))


@settings(max_examples=100, deadline=None)
@given(
    replies(),
    st.sampled_from(OnFailure),
    st.dictionaries(st.sampled_from(["a", "b", "c/d"]), st.sampled_from(["", "x\n", "x\ny\n", "x\nx\n"])),
)
def test_any_reply_gives_one_result_a_block_and_changes_that_follow(
    blocks: list[Block], policy: OnFailure, files: dict[str, str]
) -> None:
    made = planned(files, *blocks, on_failure=policy)
    assert [r.n for r in made.results] == list(range(1, len(blocks) + 1))
    assert all(r.reason and r.code for r in made.results if r.status in (Status.FAILED, Status.LEFT_OUT))
    assert all(c.before == files.get(c.path) and (c.before != c.after or c.source) for c in made.changes)
    assert [c.path for c in made.changes] == sorted({c.path for c in made.changes})
    if not any(r.status is Status.FITS for r in made.results):
        assert not made.changes


@st.composite
def edits_of(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text("abc", min_size=1, max_size=20))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    made = [Edit(Span(a, b), draw(st.text("XY", max_size=3))) for a, b in pairs]
    return text, [e for i, e in enumerate(made) if i == 0 or made[i - 1].span != e.span]


@settings(max_examples=150, deadline=None)
@given(edits_of())
def test_drift_finds_every_character_that_stayed(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    drift, done = OffsetMap.of(edits), apply_edits(text, edits)
    for at, letter in enumerate(text):
        span = Span(at, at + 1)
        if not drift.touches(span):
            there = drift.forward(at, right=True)
            assert done[there] == letter
            assert drift.back.forward(there, right=True) == at


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_to_plan(count: int) -> None:
    made = planned({"f": "x\n"}, *([edit("f", "x\n", "x\n")] * count))
    assert len(made.results) == count
    assert not made.changes
