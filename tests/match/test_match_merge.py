"""The three-way merge of whole texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.match import merge
from dovetail.model.text import apply_edits

BASE = "a\nb\nc\nd\ne\n"

CLEAN = {
    "theirs alone": (BASE, BASE, "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n"),
    "ours alone": (BASE, "a\nB\nc\nd\ne\n", BASE, "a\nB\nc\nd\ne\n"),
    "far apart": (BASE, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"),
    "next to each other": (BASE, "a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "a\nB\nC\nd\ne\n"),
    "alike": (BASE, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n"),
    "an insertion before a changed line": (BASE, "a\nB\nc\nd\ne\n", "a\nnew\nb\nc\nd\ne\n", "a\nnew\nB\nc\nd\ne\n"),
    "a changed line behind our insertion": (BASE, "a\nnew\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "a\nnew\nB\nc\nd\ne\n"),
    "an insertion behind a changed line": (BASE, "a\nB\nc\nd\ne\n", "a\nb\nnew\nc\nd\ne\n", "a\nB\nnew\nc\nd\ne\n"),
    "our line ends stay": (BASE, "a\r\nb\r\nc\r\nd\r\ne\r\n", "a\nB\nb\nc\nd\ne\n", "a\r\nB\r\nb\r\nc\r\nd\r\ne\r\n"),
    "a deletion": (BASE, "a\nb\nc\nd\nE\n", "a\nd\ne\n", "a\nd\nE\n"),
    "theirs adds the last newline": ("a\nb", "A\nb", "a\nb\n", "A\nb\n"),
    "theirs drops the last newline": ("a\nb\n", "A\nb\n", "a\nb", "A\nb"),
    "everything deleted": (BASE, BASE, "", ""),
    "from nothing": ("", "", "x\n", "x\n"),
}


@pytest.mark.parametrize("name", CLEAN)
def test_merges(name: str) -> None:
    base, ours, theirs, wanted = CLEAN[name]
    merged = merge(base, ours, theirs)
    assert merged.clashes == ()
    assert apply_edits(ours, merged.edits) == wanted


def test_the_same_line_changed_twice_clashes() -> None:
    merged = merge(BASE, "a\nours\nc\nd\ne\n", "a\ntheirs\nc\nd\nE\n")
    assert [(clash.base, clash.theirs) for clash in merged.clashes] == [("b\n", "theirs\n")]
    assert apply_edits("a\nours\nc\nd\ne\n", merged.edits) == "a\nours\nc\nd\nE\n"


def test_two_insertions_at_one_point_clash() -> None:
    assert len(merge("a\nb\n", "a\nx\nb\n", "a\ny\nb\n").clashes) == 1


@pytest.mark.parametrize(("base", "theirs"), [("x\ny", "x\n"), ("x\ny\n", "x"), ("x\ny", ""), ("x\ny", "x\ny\n")])
def test_the_last_line_end_goes_with_the_last_line(base: str, theirs: str) -> None:
    for above in ("", "q\n"):
        assert apply_edits(above + base, merge(base, above + base, theirs).edits) == above + theirs


texts = st.lists(st.sampled_from(["a", "b", "c", "", "  d"]), max_size=12).map(lambda ls: "".join(f"{x}\n" for x in ls))


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_a_side_that_did_not_change_takes_the_other(base: str, other: str) -> None:
    forward = merge(base, base, other)
    assert forward.clashes == ()
    assert apply_edits(base, forward.edits) == other
    assert merge(base, other, base).edits == ()


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_a_merge_with_oneself_changes_nothing(base: str, both: str) -> None:
    merged = merge(base, both, both)
    assert (merged.edits, merged.clashes) == ((), ())


@settings(max_examples=200, deadline=None)
@given(texts, texts, texts)
def test_a_merge_is_the_same_from_either_side(base: str, ours: str, theirs: str) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert bool(one.clashes) == bool(other.clashes)
    if not one.clashes:
        assert apply_edits(ours, one.edits) == apply_edits(theirs, other.edits)
