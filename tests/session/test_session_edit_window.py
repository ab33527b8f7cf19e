"""What is drawn of one edit: its own lines in the file, before and after, by the file's own numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_parts import block

import dovetail
from dovetail.formats import parse
from dovetail.model.policy import DEFAULT_POLICY
from dovetail.model.snapshot import FileText, Snapshot
from dovetail.plan import plan
from dovetail.session.apply.diff import diff, edit_window, hunks_of_edit

LINES = [f"line {n}\n" for n in range(1, 31)]
FILE = "".join(LINES)


def drawn(reply: str, text: str, *, seen: str | None = None) -> list[list[str]]:
    """For each edit, its rows: old number, new number, sign and text."""
    snapshot = Snapshot({"a.txt": FileText("a.txt", text, seen=seen)}, frozenset({"a.txt"}))
    made = plan(parse(reply), snapshot, DEFAULT_POLICY)
    return [_rows(result) for result in made.results]


def _rows(result: dovetail.BlockResult) -> list[str]:
    seen = edit_window(result.effect) if result.effect is not None else None
    rows = []
    for hunk in hunks_of_edit(seen) if seen is not None else ():
        old, new = hunk.old_start + (hunk.old_count == 0), hunk.new_start + (hunk.new_count == 0)
        for line in hunk.lines:
            numbers = ("" if line.sign == "+" else str(old), "" if line.sign == "-" else str(new))
            rows.append(" ".join((*numbers, line.sign + line.text)))
            old, new = old + (line.sign != "+"), new + (line.sign != "-")
    return rows


def test_an_inexact_edit_is_drawn_as_the_file_has_it() -> None:
    (rows,) = drawn(block("a.txt", "a( x )\nb( x )\n", "a( x )\nc( x )\n"), "top\na(x)\nb(x)\n")
    assert rows == ["2 2  a(x)", "3  -b(x)", " 3 +c(x)"]


def test_edits_that_quote_the_same_lines_are_drawn_apart() -> None:
    reply = block("a.txt", "".join(LINES[1:4]), LINES[1] + "new\n" + LINES[2] + LINES[3])
    reply += block("a.txt", "".join(LINES[3:6]), LINES[3] + LINES[5])
    first, second = drawn(reply, FILE)
    assert [row for row in first if "+" in row or "-" in row] == [" 3 +new"]
    assert [row for row in second if "+" in row or "-" in row] == ["5  -line 5"]
    assert "6 6  line 6" in second


def test_an_edit_on_top_of_another_is_drawn_with_it() -> None:
    reply = block("a.txt", LINES[4], "one\ntwo\n") + block("a.txt", "two\n", "three\n")
    first, second = drawn(reply, FILE)
    assert first == second
    assert [row for row in second if "+" in row or "-" in row] == ["5  -line 5", " 5 +one", " 6 +three"]


def test_where_the_file_changed_meanwhile_its_own_text_is_drawn() -> None:
    (rows,) = drawn(block("a.txt", LINES[9], "ten\n"), "top\n" + FILE, seen=FILE)
    assert [row for row in rows if "+" in row or "-" in row] == ["11  -line 10", " 11 +ten"]


def test_a_whole_new_text_is_drawn_as_its_difference() -> None:
    plan_ = dovetail.make_plan(f"a.txt\n```\n{FILE.replace(LINES[9], 'ten' + chr(10))}```\n", {"a.txt": FILE})
    assert [row for row in _rows(plan_.results[0]) if "+" in row or "-" in row] == ["10  -line 10", " 10 +ten"]


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_nothing_is_invented_at_the_ends_of_a_file(end: str) -> None:
    text = "a\nb" + end
    (gone,) = drawn(block("a.txt", "b\n", ""), text)
    (more,) = drawn(block("a.txt", "b\n", "b\nc\n"), text)
    assert gone[-1] == "2  -b"
    assert more[-1] == " 3 +c"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 29), min_size=1, max_size=5, unique=True),
    st.sampled_from(["", "x\n", "x\ny\n", "@x\n", "x\n@"]),
)
def test_what_is_drawn_stands_in_the_file_before_and_after(chosen: list[int], new: str) -> None:
    reply = "".join(block("a.txt", LINES[n], new.replace("@", LINES[n])) for n in chosen)
    made = plan(parse(reply), Snapshot.of({"a.txt": FILE}), DEFAULT_POLICY)
    (change,) = made.changes
    before, after = FILE.splitlines(), (change.after or "").splitlines()
    for result in made.results:
        for row in _rows(result):
            old, number, line = row.split(" ", 2)
            if line[0] != "+":
                assert before[int(old) - 1] == line[1:]
            if line[0] != "-":
                assert after[int(number) - 1] == line[1:]


@given(st.integers(0, 29), st.text("ab\n", max_size=6))
def test_a_lone_edit_is_drawn_as_the_file_is(n: int, new: str) -> None:
    above, below = "".join(LINES[max(0, n - 4) : n]), "".join(LINES[n + 1 : n + 5])
    reply = block("a.txt", above + LINES[n] + below, f"{above}{new}\n{below}")
    made = plan(parse(reply), Snapshot.of({"a.txt": FILE}), DEFAULT_POLICY)
    (change,) = made.changes
    seen = edit_window(made.results[0].effect) if made.results[0].effect is not None else None
    assert seen is not None
    assert hunks_of_edit(seen) == diff(FILE, change.after or "")
