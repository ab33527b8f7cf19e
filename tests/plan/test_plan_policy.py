"""What a policy decides: failures, chosen files, tiers."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest
from plan_builders import DONE, OK, TWIN, bad, edit, planned, said

from dovetail.model.blocks import Parts
from dovetail.model.codes import Code, OnFailure, Status, Tier
from dovetail.model.policy import Policy
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan

FILES = {"a": "one\ntwo\nthree\n", "b": "bee\n"}
MISS = edit("a", "never seen before\n", "x\n")
BLOCKS = [edit("a", "one\n", "1\n"), MISS, edit("a", "three\n", "3\n"), edit("b", "bee\n", "B\n")]
LEFT = (Status.LEFT_OUT, Code.OTHER_FAILED)

POLICIES = {
    OnFailure.ALL: ([LEFT, bad(Code.NO_MATCH), LEFT, LEFT], {}),
    OnFailure.FILE: ([OK, bad(Code.NO_MATCH), LEFT, OK], {"a": "1\ntwo\nthree\n", "b": "B\n"}),
    OnFailure.BLOCK: ([OK, bad(Code.NO_MATCH), OK, OK], {"a": "1\ntwo\n3\n", "b": "B\n"}),
}


@pytest.mark.parametrize("policy", OnFailure)
def test_what_a_failure_means_for_the_others(policy: OnFailure) -> None:
    expected, files = POLICIES[policy]
    made = planned(FILES, *BLOCKS, on_failure=policy)
    assert said(made.results) == expected
    assert {change.path: change.after for change in made.changes} == files


def test_an_edit_that_needs_a_skipped_one_is_skipped_too() -> None:
    made = planned(
        FILES, MISS, edit("a", "one\n", "new text\n"), edit("a", "new text\n", "x\n"), on_failure=OnFailure.FILE
    )
    assert said(made.results) == [bad(Code.NO_MATCH), LEFT, LEFT]
    assert not made.changes


def test_what_was_applied_before_stays_so_when_another_fails() -> None:
    before = {"a": "def new_name():\n    return 1\n", "b": "bee\n"}
    done = edit("a", "def old_name():\n    return 1\n", "def new_name():\n    return 1\n")
    made = planned(before, done, edit("b", "wasp and hornet\n", "x\n"))
    assert said(made.results) == [DONE, bad(Code.NO_MATCH)]


def test_a_twin_is_withheld_with_its_block() -> None:
    twice = [edit("a", "one\n", "1\n")] * 2
    assert said(planned(FILES, *twice).results) == [OK, TWIN]
    assert said(planned(FILES, *twice, MISS).results) == [LEFT, LEFT, bad(Code.NO_MATCH)]


@pytest.mark.parametrize(("only", "skipped"), [(("b",), [0, 1, 2]), (("a",), [3]), ((), [0, 1, 2, 3])])
def test_only_keeps_to_paths(only: tuple[str, ...], skipped: list[int]) -> None:
    made = planned(FILES, *BLOCKS, only=only, on_failure=OnFailure.BLOCK)
    assert [i for i, result in enumerate(made.results) if result.code is Code.NOT_SELECTED] == skipped


def test_a_block_without_a_path_is_not_what_was_asked_for() -> None:
    (result,) = planned(FILES, edit(None, "wasp and hornet\n", "x\n"), only=("a",)).results
    assert (result.status, result.code) == (Status.LEFT_OUT, Code.NOT_SELECTED)


def test_only_may_name_a_folder() -> None:
    files = {"src/a": "x\n", "srcs": "x\n"}
    made = planned(files, edit("src/a", "x\n", "y\n"), edit("srcs", "x\n", "y\n"), only=("./src/",))
    assert made.files_modified == ("src/a",)


@pytest.mark.parametrize(("form", "tiers", "code"), [
    ("diff", None, None),
    ("anchored", None, Code.OLD_DIFFERS),
    ("guillemet", None, Code.OLD_DIFFERS),
    ("anchored", (Tier.EXACT, Tier.TRAILING_SPACE), None),
    ("diff", (Tier.EXACT,), Code.OLD_DIFFERS),
])  # fmt: skip
def test_tiers_come_from_the_policy_or_the_format(form: str, tiers: tuple[Tier, ...] | None, code: Code | None) -> None:
    block = edit("f", "old line here\n", "new line\n", form, parts=Parts("", "old line here\n", "new line\n"))
    assert planned({"f": "a\nold line here  \nb\n"}, block, tiers=tiers).results[0].code is code


PARTS = {
    "no leading anchor": (Parts("zero\n", "two\n", "2\n"), Code.ANCHOR_MISSING),
    "other old lines behind it": (Parts("one\n", "three\n", "3\n"), Code.OLD_DIFFERS),
    "another trailing anchor": (Parts("one\n", "two\n", "2\n", "four\n"), Code.TRAILING_DIFFERS),
    "a trailing anchor elsewhere": (Parts("one\n", "", "2\n", "three\n"), Code.TRAILING_DIFFERS),
}


@pytest.mark.parametrize("name", PARTS)
def test_the_part_that_fails_is_named(name: str) -> None:
    parts, code = PARTS[name]
    search = parts.leading + parts.old + parts.trailing
    block = edit("a", search, parts.leading + parts.new + parts.trailing, "anchored", parts=parts)
    made = planned(FILES, block)
    assert said(made.results) == [bad(code)]
    assert made.results[0].hint


def test_where_a_part_is_missing_is_told() -> None:
    behind = Parts("", "one\n", "1\n", "four\n")
    for parts, where in ((Parts("", "four\n", "4\n"), "in the file"), (behind, "behind the old lines, at line 2")):
        block = edit("a", parts.old + parts.trailing, parts.new + parts.trailing, "anchored", parts=parts)
        assert where in (planned(FILES, block).results[0].reason or "")


def test_a_conflict_is_no_failing_part() -> None:
    parts = Parts("", "const retries_a = 1;\n", "const retries_a = 5;\n")
    block = edit("f", parts.old, parts.new, "anchored", parts=parts)
    assert said(planned({"f": "const retries_b = 1;\n"}, block, tiers=tuple(Tier)).results) == [bad(Code.CONFLICT)]


def test_numbers_of_a_part_of_a_reply() -> None:
    made = plan([BLOCKS[0], MISS], Snapshot.of(FILES), Policy(), numbers=(4, 7))
    assert [result.n for result in made.results] == [4, 7]
    assert "Edit 7" in (made.results[0].reason or "")


@pytest.mark.parametrize("again", [copy.deepcopy, lambda plan: pickle.loads(pickle.dumps(plan))])  # noqa: S301
def test_a_plan_that_nobody_read_is_copied_and_sent_to_another_process(again: Callable[[Plan], Plan]) -> None:
    made = again(planned(FILES, BLOCKS[0], BLOCKS[2]))
    first, last = made.results
    assert (first.start, first.end, last.new_start, last.new_end) == (1, 1, 3, 3)
    assert first.effect is not None
    assert last.effect is not None
    assert made == planned(FILES, BLOCKS[0], BLOCKS[2])
