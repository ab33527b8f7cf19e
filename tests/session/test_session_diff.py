"""The difference between two texts: hunks, and pairs of changed lines."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.model.text import IndexedText, Span
from dovetail.session.apply import diff as session_diff
from dovetail.session.apply.diff import changed_characters, counts, diff

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  a", "x y", "x  y", "été"]), max_size=12)
TEXTS = st.builds(
    lambda lines, ends, last: "".join(f"{line}{end}" for line, end in zip(lines, ends, strict=False)) + last,
    LINES,
    st.lists(st.sampled_from(["\n", "\r\n"]), min_size=12, max_size=12),
    st.sampled_from(["", "end"]),
)


@settings(max_examples=150)
@given(TEXTS, TEXTS, st.integers(0, 4))
def test_hunks_hold_all_that_differs_and_nothing_else(before: str, after: str, context: int) -> None:
    old, new = IndexedText(before), IndexedText(after)
    rebuilt: list[str] = []
    at = 0
    for hunk in diff(before, after, context):
        first = hunk.old_start - 1 if hunk.old_count else hunk.old_start
        rebuilt += [old.raw[old.starts[n] : old.starts[n + 1]] for n in range(at, first)]
        kept = [line.text + line.end for line in hunk.lines if line.sign != "+"]
        assert kept == [old.raw[old.starts[n] : old.starts[n + 1]] for n in range(first, first + hunk.old_count)]
        assert len(rebuilt) == (hunk.new_start - 1 if hunk.new_count else hunk.new_start)
        come = [line.text + line.end for line in hunk.lines if line.sign != "-"]
        assert len(come) == hunk.new_count
        rebuilt += come
        at = first + hunk.old_count
    rebuilt += [old.raw[old.starts[n] : old.starts[n + 1]] for n in range(at, len(old))]
    assert "".join(rebuilt) == new.raw


@settings(max_examples=150)
@given(st.text(max_size=30), st.text(max_size=30))
def test_unmarked_characters_are_the_same_on_both_sides(was: str, now: str) -> None:
    gone, come = changed_characters(was, now)

    def rest(text: str, spans: tuple[Span, ...]) -> str:
        return "".join(c for n, c in enumerate(text) if not any(s.start <= n < s.end for s in spans))

    assert rest(was, gone) == rest(now, come)


@pytest.mark.parametrize(("was", "now", "at"), [
    ("# とても長い行です\n", "# とても短い行です\n", Span(5, 6)),
    ("这一行很长\n", "这一行很短\n", Span(4, 5)),
    ("บรรทัดนี้ยาว\n", "บรรทัดนี้สั้น\n", None),
])  # fmt: skip
def test_scripts_without_blanks_are_compared_sign_by_sign(was: str, now: str, at: Span | None) -> None:
    (hunk,) = diff(was, now)
    marks = [line.marks for line in hunk.lines]
    assert all(marks) if at is None else marks == [(at,), (at,)]


@pytest.mark.parametrize(("was", "now", "marked"), [
    ("un cafe\u0301 noir", "un cafe\u0300 noir", ("cafe\u0301", "cafe\u0300")),
    ("un cafe noir", "un cafe\u0301 noir", ("cafe", "cafe\u0301")),
    ("at \U0001f1e9\U0001f1ea, x", "at \U0001f1e9\U0001f1f0, x", ("\U0001f1e9\U0001f1ea", "\U0001f1e9\U0001f1f0")),
    ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1ee",
     ("\U0001f1eb\U0001f1f7", "\U0001f1eb\U0001f1ee")),
    ("ok \U0001f44d\U0001f3fb!", "ok \U0001f44d\U0001f3ff!", ("\U0001f44d\U0001f3fb", "\U0001f44d\U0001f3ff")),
    ("by \U0001f468\u200d\U0001f467", "by \U0001f468\u200d\U0001f466",
     ("\U0001f468\u200d\U0001f467", "\U0001f468\u200d\U0001f466")),
    ("x \u2600\ufe0f y", "x \u2600 y", ("\u2600\ufe0f", "\u2600")),
])  # fmt: skip
def test_what_is_seen_as_one_sign_is_marked_whole(was: str, now: str, marked: tuple[str, str]) -> None:
    gone, come = changed_characters(was, now)
    assert ("".join(was[s.start : s.end] for s in gone), "".join(now[s.start : s.end] for s in come)) == marked


def test_equal_texts_have_no_hunk() -> None:
    assert diff("a\nb\n", "a\nb\n") == ()


def test_counts_added_and_removed_lines() -> None:
    assert counts(diff("a\nb\nc\n", "a\nB\nc\nd\n")) == (2, 1)


def test_marks_the_words_that_changed() -> None:
    (hunk,) = diff("total = a / b\n", "total = a / max(b, 1)\n")
    removed, added = hunk.lines
    assert (removed.marks, [added.text[m.start : m.end] for m in added.marks]) == ((), ["max(", ", 1)"])


def test_lines_that_have_little_in_common_are_not_paired() -> None:
    (hunk,) = diff("import os\n", "class Reader(Protocol):\n")
    assert [line.marks for line in hunk.lines] == [(), ()]


def test_pairs_the_lines_that_are_alike_whatever_stands_between() -> None:
    (hunk,) = diff("value = read(path)\n", "log(path)\nvalue = read(path, mode)\n")
    assert [(line.sign, bool(line.marks)) for line in hunk.lines] == [("-", False), ("+", False), ("+", True)]


def test_a_very_long_line_is_compared_by_its_ends() -> None:
    head, tail = "a" * 5_000, "b" * 5_000
    assert changed_characters(head + "x" + tail, head + "yz" + tail) == ((Span(5_000, 5_001),), (Span(5_000, 5_002),))


def test_rows_of_noughts_and_ones_are_compared_in_part_and_marked_where_they_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every word of such a row is found all over every other row: comparing them all took a minute."""
    compared = 0

    class Counting(SequenceMatcher[str]):
        def __init__(self, junk: None, a: Sequence[str], b: Sequence[str], *, autojunk: bool) -> None:
            nonlocal compared
            there = Counter(b)
            compared += sum(there[word] for word in a)
            super().__init__(junk, a, b, autojunk)

    monkeypatch.setattr(session_diff, "SequenceMatcher", Counting)
    rows = random.Random(7)  # noqa: S311 - no secret
    old = [["0", *rows.choices("01", k=600), "1"] for _ in range(20)]
    new = [["0", *rows.choices("01", k=600), "1"] for _ in range(20)]
    (hunk,) = diff(*("".join(f"[{', '.join(row)}]\n" for row in each) for each in (old, new)))
    assert compared < 2_000_000
    assert len(hunk.lines) == 40
    tapped = [[*row[:300], "9", *row[301:]] for row in old]
    (hunk,) = diff(*("".join(f"[{', '.join(row)}]\n" for row in each) for each in (old, tapped)))
    assert {line.marks for line in hunk.lines} == {(Span(901, 902),)}
