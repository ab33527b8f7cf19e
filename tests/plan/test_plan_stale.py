"""Files that changed since the model saw them."""

from __future__ import annotations

import pytest
from plan_builders import OK, after, bad, codes, delete, edit, planned, rename, said, seen_as, whole

from dovetail.model.blocks import Block
from dovetail.model.codes import Code, Conflicts, OnFailure, Status
from dovetail.model.diagnostics import Difference

SEEN = "one\ntwo\nthree\nfour\nfive\n"

MERGES: dict[str, tuple[str, list[tuple[str, str]], str]] = {
    "changed elsewhere": ("zero\n" + SEEN, [("three\n", "3\n")], "zero\none\ntwo\n3\nfour\nfive\n"),
    "changed in the next line": ("one\ntwo\nthree!\nfour\nfive\n", [("two\n", "2\n")], "one\n2\nthree!\nfour\nfive\n"),
    "changed inside what is quoted": (
        "one\ntwo\nthree\nfour!\nfive\n", [("two\nthree\nfour\n", "2\nthree\nfour\n")], "one\n2\nthree\nfour!\nfive\n",
    ),
    "a line added inside what is quoted": (
        "one\ntwo\nthree\n3.5\nfour\nfive\n", [("two\nthree\nfour\n", "2\nthree\nfour\n")], "one\n2\nthree\n3.5\nfour\nfive\n",
    ),
    "a dependent edit": ("zero\n" + SEEN, [("three\n", "3\n"), ("3\n", "iii\n")], "zero\none\ntwo\niii\nfour\nfive\n"),
    "found only in the file as it is": ("one\ntwo\nquite new\nfour\nfive\n", [("quite new\n", "newer\n")], "one\ntwo\nnewer\nfour\nfive\n"),
    "both, one in each": (
        "one\ntwo\nquite new\nfour\nfive\n", [("five\n", "5\n"), ("quite new\n", "newer\n")], "one\ntwo\nnewer\nfour\n5\n",
    ),
    "insertions in two places": (
        "zero\n" + SEEN + "six\n", [("one\n", "one\n1.5\n"), ("five\n", "five\n5.5\n")],
        "zero\none\n1.5\ntwo\nthree\nfour\nfive\n5.5\nsix\n",
    ),
    "line ends of the file": (
        "zero\r\n" + SEEN.replace("\n", "\r\n"), [("three\n", "3\niii\n")], "zero\r\none\r\ntwo\r\n3\r\niii\r\nfour\r\nfive\r\n",
    ),
    "behind the end": (SEEN + "six\n", [("", "seven\n")], SEEN + "six\nseven\n"),
    "behind the end, less than the user put there": (SEEN + "six\n", [("", "7\n")], SEEN + "six\n7\n"),
    "behind the end, where a line was taken out": ("one\nthree\nfour\nfive\n", [("", "six\n")], "one\nthree\nfour\nfive\nsix\n"),
    "behind the end, which is open now": (SEEN[:-1], [("", "six\n")], SEEN + "six"),
    "behind the end, and what went there is edited": (
        "zero\n" + SEEN, [("two\n", "2\n"), ("", "six\n"), ("six\n", "6\n")], "zero\none\n2\nthree\nfour\nfive\n6\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MERGES)
def test_edits_are_carried_over(name: str) -> None:
    text, pairs, wanted = MERGES[name]
    snapshot = seen_as("f", SEEN, text)
    made = planned(snapshot, *(edit("f", *pair) for pair in pairs))
    assert after(snapshot, made) == {"f": wanted}, said(made.results)
    assert {result.status for result in made.results} == {Status.FITS}
    drawn = [
        (result.effect.before.raw, result.effect.after.raw) for result in made.results if result.effect is not None
    ]
    assert drawn == [(text, wanted)] * len(pairs)


def test_an_edit_that_fails_is_nothing_to_how_the_others_are_carried_over() -> None:
    snapshot = seen_as("f", SEEN, "one\ntwo\n2.5\nthree\nfour\nfive\n")
    blocks = [edit("f", "two\n", "two\n2.4\n"), edit("f", "nowhere\n", "x\n"), edit("f", "five\n", "5\n")]
    made = planned(snapshot, *blocks, on_failure=OnFailure.BLOCK)
    assert said(made.results) == [OK, bad(Code.NO_MATCH), OK]
    assert after(snapshot, made) == {"f": "one\ntwo\n2.4\n2.5\nthree\nfour\n5\n"}


@pytest.mark.parametrize(
    ("seen", "text", "wanted"),
    [
        ("a\nb", "a\nb\n", "a\n"),
        ("a\nb\n", "a\nb", "a\n"),
        ("x\na\nb", "y\na\nb\n", "y\na\n"),
        ("x\na\nb\n", "y\na\nb", "y\na\n"),
    ],
)
def test_the_end_of_the_last_line_is_the_file_s_own(seen: str, text: str, wanted: str) -> None:
    snapshot = seen_as("f", seen, text)
    assert after(snapshot, planned(snapshot, edit("f", "b\n", ""))) == {"f": wanted}


TORN = seen_as("f", SEEN, "one\ntwo\nTHREE\nfour\nfive\n")
TAKES_PART = edit("f", "two\nthree\n", "two\n3\n")
ASIDE = edit("f", "five\n", "5\n")


def test_a_true_conflict_is_refused_with_both_sides() -> None:
    made = planned(TORN, TAKES_PART, ASIDE, on_failure=OnFailure.BLOCK)
    assert said(made.results) == [bad(Code.STALE), OK]
    assert "THREE" in (made.results[0].reason or "")
    assert "3" in (made.results[0].reason or "")
    assert after(TORN, made) == {"f": "one\ntwo\nTHREE\nfour\n5\n"}


def test_only_what_meets_a_conflict_takes_part_in_it() -> None:
    snapshot = seen_as("f", SEEN, "one\ntwo!\nthree\nfour\nFIVE\n")
    made = planned(
        snapshot, edit("f", "one\ntwo\n", "1\ntwo\n"), edit("f", "five\n", "5\n"), on_failure=OnFailure.BLOCK
    )
    assert said(made.results) == [OK, bad(Code.STALE)]
    assert after(snapshot, made) == {"f": "1\ntwo!\nthree\nfour\nFIVE\n"}
    settled = planned(snapshot, *(result.block for result in made.results), conflicts=Conflicts.THEIRS)
    assert ["conflict" in warning.message for result in settled.results for warning in result.warnings] == [False, True]


def test_of_lines_that_the_user_deleted_the_markers_have_none() -> None:
    snapshot = seen_as("f", SEEN, "one\nthree\nfour\nfive\n")
    made = planned(snapshot, edit("f", "two\n", "2\n"), conflicts=Conflicts.MARKERS)
    assert after(snapshot, made) == {"f": "one\n<<<<<<< file\n=======\n2\n>>>>>>> reply\nthree\nfour\nfive\n"}


SETTLED = {
    Conflicts.OURS: "one\ntwo\nTHREE\nfour\n5\n",
    Conflicts.THEIRS: "one\ntwo\n3\nfour\n5\n",
    Conflicts.MARKERS: "one\ntwo\n<<<<<<< file\nTHREE\n=======\n3\n>>>>>>> reply\nfour\n5\n",
}


@pytest.mark.parametrize("conflicts", SETTLED)
def test_a_true_conflict_is_settled_as_asked(conflicts: Conflicts) -> None:
    made = planned(TORN, TAKES_PART, ASIDE, conflicts=conflicts)
    assert after(TORN, made) == {"f": SETTLED[conflicts]}
    assert not made.failed


def test_what_is_dropped_for_the_users_side_is_no_edit_that_was_applied() -> None:
    wanted, whole_too = edit("f", "three\n", "3\n"), whole("f", SEEN.replace("three", "3"))
    for blocks in ([wanted], [wanted, ASIDE], [edit("f", "two\n", "two\n"), wanted], [whole_too]):
        made = planned(TORN, *blocks, conflicts=Conflicts.OURS)
        (dropped,) = (result for result in made.results if result.block in (wanted, whole_too))
        assert (dropped.status, dropped.code, dropped.confidence) == (Status.LEFT_OUT, Code.STALE, None)
        assert "THREE" in dropped.reason
        assert "kept, as asked" in dropped.reason
        assert dropped.hint
    (made,) = planned(TORN, TAKES_PART, conflicts=Conflicts.OURS).results
    assert made.status is Status.LEFT_OUT


def test_what_the_file_has_already_is_told_so_beside_what_is_dropped() -> None:
    torn = seen_as("f", SEEN, "one\n2\nthree\nFOUR\nfive\n")
    made = planned(torn, edit("f", "two\n", "2\n"), edit("f", "four\n", "4\n"), conflicts=Conflicts.OURS)
    assert [result.status for result in made.results] == [Status.STANDS_ALREADY, Status.LEFT_OUT]
    torn = seen_as("f", SEEN, "one\nTWO\nthree\n4\nfive\n")
    made = planned(torn, edit("f", "two\n", "2\n"), edit("f", "four\n", "4\n"), conflicts=Conflicts.OURS)
    assert [result.status for result in made.results] == [Status.LEFT_OUT, Status.STANDS_ALREADY]


def test_a_merge_is_said() -> None:
    snapshot = seen_as("f", SEEN, "one\ntwo\nthree!\nfour\nfive\n")
    made = planned(snapshot, edit("f", "two\nthree\n", "2\nthree\n"))
    assert codes(made.results[0].warnings) == [Code.MERGED]
    assert not planned(snapshot, edit("f", "five\n", "5\n")).results[0].warnings


def test_lines_are_those_of_the_file_and_not_of_what_was_seen() -> None:
    made = planned(seen_as("f", SEEN, "zero\n" + SEEN), edit("f", "three\n", "3\niii\n"))
    result = made.results[0]
    assert (result.start, result.end, result.new_start, result.new_end) == (4, 4, 4, 5)


def test_lines_are_told_before_and_after_wherever_the_edits_were_found() -> None:
    snapshot = seen_as("f", SEEN, "one\ntwo\nquite new\nfour\nfive\n")
    pairs = [("one\n", "one\n1.5\n1.6\n"), ("quite new\n", "newer\nnewest\n"), ("five\n", "5\n"), ("", "six\n")]
    made = planned(snapshot, *(edit("f", *pair) for pair in pairs), edit("f", "four\n", "four\n"))
    assert after(snapshot, made) == {"f": "one\n1.5\n1.6\ntwo\nnewer\nnewest\nfour\n5\nsix\n"}
    places = [(result.start, result.end, result.new_start, result.new_end) for result in made.results]
    assert places == [(1, 1, 1, 3), (3, 3, 5, 6), (5, 5, 8, 8), (6, 5, 9, 9), (4, 4, 7, 7)]


def test_applied_to_a_stale_file_twice_changes_nothing_more() -> None:
    block = edit("f", "two\nthree\n", "two\n3\n")
    once = planned(seen_as("f", SEEN, "zero\n" + SEEN), block).changes[0].after or ""
    again = planned(seen_as("f", SEEN, once), block)
    assert [result.status for result in again.results] == [Status.STANDS_ALREADY]
    assert not again.changes


def test_a_lookalike_that_came_up_since_is_not_taken() -> None:
    snapshot = seen_as("f", "def f():\n    return 1\n", "def f():\n    return 3\n\n\ndef g():\n    return 1\n")
    made = planned(snapshot, edit("f", "    return 1\n", "    return 2\n"))
    assert said(made.results) == [bad(Code.STALE)]


CRANE = "def lift(load):\n    check(load)\n    return up(load)\n"
HOIST = "def lower(load):\n    check(load, True)\n    wait()\n    return down(load)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    check(load)\n    return up(load)\n", "    check(load)\n    return up(load, 2)\n"),
        ("    wait()\n    return down(load)\n", "    wait(3)\n    return down(load)\n"),
    ],
)
def test_lines_that_moved_are_edited_where_they_stand_now(old: str, new: str) -> None:
    now = f"{HOIST}\n\n{CRANE}"
    made = planned(seen_as("f", f"{CRANE}\n\n{HOIST}", now), edit("f", old, new))
    assert [change.after for change in made.changes] == [now.replace(old, new)]


def test_a_line_beside_the_one_that_it_had_is_itself_whatever_came_up_behind_it() -> None:
    snapshot = seen_as("f", "def f():\n    return 1\n\n", "def f():\n    return 1\n    return 3\n\n\ndef g():\n")
    made = planned(snapshot, edit("f", "    return 1\n", "    return 2\n"))
    assert after(snapshot, made) == {"f": "def f():\n    return 2\n    return 3\n\n\ndef g():\n"}


def test_only_what_came_up_beside_a_line_makes_it_doubtful() -> None:
    snapshot = seen_as("f", "one\nvalue = 1\ntwo\nthree\nfour\n", "1\nvalue = 1\n2\nthree\nvalue = 3\nfour\n")
    made = planned(snapshot, edit("f", "value = 1\n", "value = 2\n"))
    assert after(snapshot, made) == {"f": "1\nvalue = 2\n2\nthree\nvalue = 3\nfour\n"}


@pytest.mark.parametrize(("before", "now"), [("\n", "\r\n"), ("\r\n", "\n")])
def test_other_line_ends_are_no_change_since_the_model_saw_the_file(before: str, now: str) -> None:
    snapshot = seen_as("f", SEEN.replace("\n", before), ("zero\n" + SEEN).replace("\n", now))
    made = planned(snapshot, edit("f", "two\n", "2\n"))
    assert after(snapshot, made) == {"f": ("zero\n" + SEEN).replace("two", "2").replace("\n", now)}
    assert not made.results[0].warnings


def test_a_whole_text_is_merged_with_what_the_user_changed() -> None:
    snapshot = seen_as("f", SEEN, "zero\n" + SEEN)
    made = planned(snapshot, whole("f", SEEN.replace("four", "4")))
    assert after(snapshot, made) == {"f": "zero\n" + SEEN.replace("four", "4")}
    assert codes(made.results[0].warnings) == [Code.MERGED]
    assert said(planned(TORN, whole("f", SEEN.replace("three", "3"))).results) == [bad(Code.STALE)]
    assert not planned(snapshot, whole("f", SEEN)).changes


def test_a_changed_file_is_deleted_only_when_asked() -> None:
    assert said(planned(TORN, delete("f")).results) == [bad(Code.STALE)]
    assert after(TORN, planned(TORN, delete("f"), conflicts=Conflicts.THEIRS)) == {}
    for unchanged in (seen_as("f", SEEN, SEEN), seen_as("f", SEEN, SEEN.replace("\n", "\r\n"))):
        assert after(unchanged, planned(unchanged, delete("f"))) == {}


@pytest.mark.parametrize(
    ("conflicts", "wanted"), [(Conflicts.OURS, "x\nB\nA\nd\n"), (Conflicts.THEIRS, "x\nb\nx\nd\n")]
)
def test_a_conflict_at_one_of_several_places_is_settled_there(conflicts: Conflicts, wanted: str) -> None:
    snapshot = seen_as("f", "a\nb\na\nd\n", "a\nB\nA\nd\n")
    everywhere = edit("f", "a\n", "x\n", replace_all=True)
    assert said(planned(snapshot, everywhere).results) == [bad(Code.STALE)]
    made = planned(snapshot, everywhere, conflicts=conflicts)
    assert said(made.results) == [OK]
    assert after(snapshot, made) == {"f": wanted}


def test_a_tail_that_goes_takes_the_last_newline_along() -> None:
    made = planned({"f": "a\r\nb\r\nc\r\n"}, whole("f", "a\nd"))
    assert [change.after for change in made.changes] == ["a\r\nd"]


NEAR = {
    "the file never changed": (None, "one\ntwo\nfour\n", Difference.MISREMEMBERED),
    "it changed elsewhere": ("zero\n" + SEEN, "one\ntwo\nfour\n", Difference.MISREMEMBERED),
    "the line that the search lacks is new": ("one\ntwo\n2.5\nthree\nfour\nfive\n", "one\ntwo\nthree\nfour and more\nfive\n", Difference.STALE),
    "the line that the file lacks is gone": ("one\ntwo\nthree\nfour\n", "two\nthree\nfour\nfive\nnothing\n", Difference.STALE),
    "the line that differs is new": ("one\ntwo\nquite new\nfour\nfive\n", "one\ntwo\nthrice\nfour\n", Difference.STALE),
}  # fmt: skip


@pytest.mark.parametrize("name", NEAR)
def test_only_a_line_that_changed_since_is_stale(name: str) -> None:
    text, search, difference = NEAR[name]
    files = {"f": SEEN} if text is None else seen_as("f", SEEN, text)
    made = planned(files, edit("f", search, "one\n"))
    assert [result.status for result in made.results] == [Status.FAILED]
    assert made.results[0].nearest is not None
    assert made.results[0].nearest.difference is difference


SINCE = "changed since the model saw the file, and the edit changes"
SAID = {
    "one line": (
        "one\ntwo\n3\nfour\nfive\n", ("three\n", "iii\n"),
        f"Line 3 {SINCE} it differently: the file has `3`, the edit wants `iii`.",
    ),
    "several, and one side is empty": (
        "one\ntwo\n3\n4\nfive\n", ("three\nfour\n", ""),
        f"Lines 3 to 4 {SINCE} them differently: the file has `3 / 4`, the edit wants nothing.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_a_conflict_says_both_sides(name: str) -> None:
    text, pair, wanted = SAID[name]
    made = planned(seen_as("f", SEEN, text), edit("f", *pair))
    assert [result.reason for result in made.results] == [wanted]


BEHIND_OTHERS: dict[str, list[Block]] = {
    "a whole text behind an edit": [edit("f", "two\n", "2\n"), whole("f", SEEN.replace("two", "2").replace("five", "5"))],
    "an edit behind a whole text": [whole("f", SEEN.replace("two", "2")), edit("f", "five\n", "5\n")],
    "an edit behind a rename": [rename("f", "g"), edit("g", "five\n", "5\n")],
    "a deletion behind an edit": [edit("f", "two\n", "2\n"), delete("f")],
    "a deletion behind a rename": [rename("f", "g"), delete("g")],
}  # fmt: skip


@pytest.mark.parametrize("name", BEHIND_OTHERS)
def test_what_the_user_changed_is_known_behind_other_blocks_too(name: str) -> None:
    snapshot = seen_as("f", SEEN, SEEN.replace("five", "FIVE"))
    made = planned(snapshot, *BEHIND_OTHERS[name], on_failure=OnFailure.BLOCK)
    assert said(made.results) == [OK, bad(Code.STALE)]
    assert "FIVE" in "".join(after(snapshot, made).values())
