"""The difference between two lists of lines: of all shortest ones the one that a person would tell."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from dovetail.text.diff import Hunk, apart, common, diff, pairing

MANY, FEW = ["}", "a", "a", "b", "u"], ["a", "b"]
lines = st.lists(st.sampled_from(("", "}", "a", "b", "first", "second")), max_size=12)


@given(lines, lines)
def test_the_hunks_turn_one_into_the_other(a: list[str], b: list[str]) -> None:
    made: list[str] = []
    done = 0
    for hunk in diff(a, b):
        made += [*a[done : hunk.a1], *b[hunk.b1 : hunk.b2]]
        done = hunk.a2
    assert [*made, *a[done:]] == b


@given(lines, lines)
def test_hunks_are_in_order_apart_and_not_empty(a: list[str], b: list[str]) -> None:
    hunks = diff(a, b)
    assert all(h.a1 < h.a2 or h.b1 < h.b2 for h in hunks)
    assert all(one.a2 < other.a1 and one.b2 < other.b1 for one, other in pairwise(hunks))


@given(lines, lines)
def test_every_line_is_equal_to_one_or_apart(a: list[str], b: list[str]) -> None:
    pairs = list(common(a, b))
    stretches = list(apart(pairs, Hunk(0, len(a), 0, len(b))))
    assert all(a[i] == b[k] for i, k in pairs)
    assert sorted([*(i for i, _ in pairs), *(i for hunk in stretches for i in hunk.old)]) == list(range(len(a)))
    assert len(pairs) + sum(hunk.b2 - hunk.b1 for hunk in stretches) == len(b)


@given(lines, lines)
def test_where_equal_lines_alone_gain_the_pairing_is_a_longest_subsequence(a: list[str], b: list[str]) -> None:
    pairs = list(pairing([[float(one == other) for other in b] for one in a]))
    assert all(a[i] == b[k] for i, k in pairs)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(pairs))
    assert len(pairs) == LCSseq.similarity(a, b)


def test_insertions_that_may_be_one_are_one() -> None:
    assert diff(FEW, MANY) == [Hunk(0, 0, 0, 2), Hunk(2, 2, 4, 5)]


def test_deletions_that_may_be_one_are_one() -> None:
    assert diff(MANY, FEW) == [Hunk(0, 2, 0, 0), Hunk(4, 5, 2, 2)]


def test_what_is_added_beside_a_deletion_across_blank_lines_replaces_it() -> None:
    assert diff(["old", "", "kept", "x"], ["", "new", "", "kept", "y"]) == [Hunk(0, 1, 0, 2), Hunk(3, 4, 4, 5)]


def test_a_brace_between_a_deletion_and_what_is_added_stays_where_it_is() -> None:
    hunks = diff(["old", "}", "kept", "x"], ["}", "new", "}", "kept", "y"])
    assert hunks == [Hunk(0, 1, 0, 0), Hunk(2, 2, 1, 3), Hunk(3, 4, 4, 5)]


def test_lines_with_much_text_stay_where_short_ones_move() -> None:
    a = ["FIRST_VERSIONS = (", "7,", "8,", ")", "SECOND_VERSIONS = (", "9,", "10,", "11,", ")"]
    b = ["FIRST_VERSIONS = (", "8,", "9,", "10,", ")", "SECOND_VERSIONS = (", "11,", "12,", ")"]
    kept = set(range(len(a))) - {i for hunk in diff(a, b) for i in hunk.old}
    assert 4 in kept
