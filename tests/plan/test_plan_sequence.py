"""Edits of one text: independent, dependent, equal, overlapping, at one point; and the lines they are told at."""

from __future__ import annotations

import tracemalloc

import pytest
from plan_builders import DONE, OK, TWIN, bad, codes, edit, new_file, planned, read_in, rename, said

from dovetail.model.blocks import Block, Hints
from dovetail.model.codes import Code, Occurrence, OnFailure, Status
from dovetail.model.text import Span

FILE = "a\nb\nc\nd\n"

LANDS: dict[str, tuple[str, list[tuple[str, str]], str]] = {
    "one edit": (FILE, [("b\n", "B\n")], "a\nB\nc\nd\n"),
    "two, in the file's order": (FILE, [("a\n", "A\n"), ("d\n", "D\n")], "A\nb\nc\nD\n"),
    "two, in the other order": (FILE, [("d\n", "D\n"), ("a\n", "A\n")], "A\nb\nc\nD\n"),
    "the second needs the first": (FILE, [("b\n", "x\ny\n"), ("y\n", "z\n")], "a\nx\nz\nc\nd\n"),
    "three in a chain": (FILE, [("b\n", "x\n"), ("x\n", "y\n"), ("y\n", "z\n")], "a\nz\nc\nd\n"),
    "across what the first made": (FILE, [("b\n", "x\n"), ("x\nc\n", "x\nC\n")], "a\nx\nC\nd\n"),
    "across what the first took away": (FILE, [("b\n", ""), ("a\nc\n", "a\nn\nc\n")], "a\nn\nc\nd\n"),
    "independent behind a dependent one": (
        FILE,
        [("b\n", "x\ny\n"), ("y\n", "z\n"), ("d\n", "D\n")],
        "a\nx\nz\nc\nD\n",
    ),
    "regions share a kept line": (FILE, [("a\nb\n", "A\nb\n"), ("b\nc\n", "b\nC\n")], "A\nb\nC\nd\n"),
    "one deletes what the other only quotes": (FILE, [("b\n", ""), ("b\nc\n", "b\nC\n")], "a\nC\nd\n"),
    "the same change, quoted with more": (FILE, [("b\n", "B\n"), ("b\nc\nd\n", "B\nc\nD\n")], "a\nB\nc\nD\n"),
    "a change, and the same with another beside it": (FILE, [("b\n", "B\n"), ("b\nc\n", "B\nC\n")], "a\nB\nC\nd\n"),
    "a change, and a part of it": (FILE, [("b\nc\n", "B\nC\n"), ("c\n", "C\n")], "a\nB\nC\nd\n"),
    "a change, and the same with a line behind it": (FILE, [("b\n", "B\n"), ("b\n", "B\n1\n")], "a\nB\n1\nc\nd\n"),
    "an insertion, and the same with a change behind it": (
        FILE,
        [("b\n", "b\n1\n"), ("b\nc\n", "b\n1\nC\n")],
        "a\nb\n1\nC\nd\n",
    ),
    "a change with an insertion before it, and that alone": (
        FILE,
        [("b\nc\n", "b\n1\nC\n"), ("b\n", "b\n1\n")],
        "a\nb\n1\nC\nd\n",
    ),
    "an insertion, and a longer one": (FILE, [("b\n", "b\n1\n"), ("b\n", "b\n1\n2\n")], "a\nb\n1\n2\nc\nd\n"),
    "an insertion, and one that ends with it": (
        FILE,
        [("c\n", "2\nc\n"), ("b\n", "b\n1\n2\n")],
        "a\nb\n1\n2\nc\nd\n",
    ),
    "an insertion, and a shorter one": (FILE, [("b\n", "b\n1\n2\n"), ("b\n", "b\n1\n")], "a\nb\n1\n2\nc\nd\n"),
    "blank lines at one point are no common change": (
        FILE,
        [("b\n", "b\n\n"), ("b\n", "b\n\n1\n")],
        "a\nb\n\n\n1\nc\nd\n",
    ),
    "insertions at one point, in the reply's order": (
        FILE,
        [("b\n", "b\n1\n"), ("b\n", "b\n2\n")],
        "a\nb\n1\n2\nc\nd\n",
    ),
    "below the line above goes before above the line below": (
        FILE,
        [("c\n", "2\nc\n"), ("b\n", "b\n1\n")],
        "a\nb\n1\n2\nc\nd\n",
    ),
    "insertion beside a replaced line": (FILE, [("b\n", "B\n"), ("b\n", "b\n1\n")], "a\nB\n1\nc\nd\n"),
    "found where the model saw it, though an earlier edit makes a copy": (
        FILE,
        [("a\n", "d\na\n"), ("d\n", "D\n")],
        "d\na\nb\nc\nD\n",
    ),
    "not the line that an earlier edit brings in": (
        FILE,
        [("a\n", "c\na\n"), ("c\n", "C\n")],
        "c\na\nb\nC\nd\n",
    ),
    "a move, down": (FILE, [("b\n", ""), ("c\n", "c\nb\n")], "a\nc\nb\nd\n"),
    "behind a file's end, twice": ("a", [("", "b\n"), ("", "c\n")], "a\nb\nc"),
    "behind the end and at the last line": (FILE, [("", "e\n"), ("d\n", "d\nD\n")], "a\nb\nc\nd\nD\ne\n"),
    "what went behind the end is edited": (FILE, [("", "e\n"), ("e\n", "E\n")], "a\nb\nc\nd\nE\n"),
    "quoting the blank line that the first leaves above": (
        "{\n}\n\nb\nc\nd\n",
        [("}\n\nb\n", "}\n\n"), ("\nc\nd\n", "d\n")],
        "{\n}\nd\n",
    ),
    "to the letter where the first brings it in, and not where it stands with a blank line more": (
        "a\nb\n\nx = 1\n\ny = 2\n",
        [("b\n", "x = 1\ny = 2\n"), ("x = 1\ny = 2\n", "x = 1\ny = 3\n")],
        "a\nx = 1\ny = 3\n\nx = 1\n\ny = 2\n",
    ),
    "put back what the first took away": ("a\nx\nb\n", [("x\n", ""), ("a\n", "a\nx\n"), ("b\n", "B\n")], "a\nx\nB\n"),
    "CRLF stays": ("a\r\nb\r\nc\r\n", [("b\n", "x\ny\n"), ("y\n", "z\n")], "a\r\nx\r\nz\r\nc\r\n"),
}


@pytest.mark.parametrize("name", LANDS)
def test_edits_land_together(name: str) -> None:
    before, pairs, wanted = LANDS[name]
    made = planned({"f": before}, *(edit("f", *pair) for pair in pairs))
    assert [change.after for change in made.changes] == [wanted], said(made.results)
    assert not made.failed


SHOP = "def shop(till):\n    open(till)\n    count(till)\n    return till\n"
IN_TURN = (
    ("    count(till)\n    return till\n", "    count(till)\n    check(till)\n    close(till)\n    return till\n"),
    ("    count(till)\n    check(till)\n    close(till)\n", "    count(till)\n    close(till)\n"),
    ("    open(till)\n    count(till)\n    close(till)\n", "    open(till)\n    close(till, early=True)\n"),
)
SHUT = "def shop(till):\n    open(till)\n    close(till, early=True)\n    return till\n"


@pytest.mark.parametrize(
    "file",
    [
        SHUT.replace("early=True", "early=False"),
        SHUT.replace("    return till\n", ""),
        SHUT.replace("    close", "    count(till)\n    close"),
    ],
)
def test_edits_that_were_made_in_part_do_not_stand(file: str) -> None:
    done = planned({"f": file}, *(edit("f", *pair) for pair in IN_TURN))
    assert done.failed or done.changes


BROUGHT = "show(till)\nstore(till)\nsend(till)\n"
CHANGED = "open(till)\nrun(till)\nbank(till)\n"
MOVED = edit("f", "close(till)\n", f"{BROUGHT}close(till)\n"), edit("f", f"run(till)\n{BROUGHT}", CHANGED)


@pytest.mark.parametrize("above", [f"run(till)\n{BROUGHT}", CHANGED, f"run(till)\n{BROUGHT}{BROUGHT}"])
def test_lines_that_are_asked_for_where_another_edit_takes_them_away(above: str) -> None:
    made = planned({"f": f"{above}close(till)\n"}, *MOVED)
    assert [change.after for change in made.changes] == [f"{CHANGED}{BROUGHT}close(till)\n"]


def test_lines_that_an_edit_brought_before_are_not_asked_for_anew() -> None:
    made = planned({"f": f"run(till)\n{BROUGHT}close(till)\n"}, MOVED[0], edit("f", BROUGHT, "burn(till)\n"))
    assert (made.failed[0].code, made.changes) == (Code.CONFLICT, ())


NEW = "one = 1\ntwo = 2\nthree = 3\n"


def test_lines_that_stand_elsewhere_show_no_deletion() -> None:
    edits = edit("f", "b\n", f"b\n{NEW}"), edit("f", NEW, "two = 2\nthree = 3\n")
    made = planned({"f": f"two = 2\nthree = 3\n{FILE}"}, *edits)
    assert [change.after for change in made.changes] == ["two = 2\nthree = 3\na\nb\ntwo = 2\nthree = 3\nc\nd\n"]


def test_an_equal_block_is_already_applied_by_its_twin() -> None:
    made = planned({"f": FILE}, edit("f", "b\n", "b\nx\n"), edit("f", "b\n", "b\nx\n"))
    assert said(made.results) == [OK, TWIN]
    assert made.changes[0].after == "a\nb\nx\nc\nd\n"


def test_a_twin_stands_where_its_block_landed() -> None:
    made = planned({"f": FILE}, edit("f", "d\n", "D\n"), edit("f", "b\n", "B\n"), edit("f", "b\n", "B\n"))
    assert said(made.results) == [OK, OK, TWIN]
    assert [(result.start, result.new_start) for result in made.results] == [(4, 4), (2, 2), (2, 2)]


@pytest.mark.parametrize(
    ("count", "expected", "wanted"),
    [
        (1, [bad(Code.AMBIGUOUS)], None),
        (2, [OK, OK], "A\nb\nA\n"),
        (3, [OK, OK, TWIN], "A\nb\nA\n"),
    ],
)
def test_equal_blocks_share_the_places(count: int, expected: list[object], wanted: str | None) -> None:
    made = planned({"f": "a\nb\na\n"}, *([edit("f", "a\n", "A\n")] * count))
    assert said(made.results) == expected
    assert [change.after for change in made.changes] == ([wanted] if wanted else [])


def test_of_equal_blocks_the_one_at_the_files_end_says_how_that_ends() -> None:
    block = edit("f", "a\n", "A\n", "udiff", last_end=True)
    assert [change.after for change in planned({"f": "a\nb\na"}, block, block).changes] == ["A\nb\nA\n"]


def test_equal_blocks_fewer_than_places_stay_ambiguous() -> None:
    made = planned({"f": "a\nb\na\nc\na\n"}, edit("f", "a\n", "A\n"), edit("f", "a\n", "A\n"))
    assert said(made.results) == [bad(Code.AMBIGUOUS)] * 2
    assert made.results[0].places == (1, 3, 5)


def test_the_first_of_several_is_taken_only_when_asked_and_then_in_order() -> None:
    made = planned(
        {"f": "a\nb\na\nc\na\n"}, edit("f", "a\n", "A\n"), edit("f", "a\n", "A\n"), occurrence=Occurrence.FIRST
    )
    assert made.changes[0].after == "A\nb\nA\nc\na\n"
    one = planned({"f": "a\nb\na\n"}, edit("f", "a\n", "A\n"), occurrence=Occurrence.FIRST)
    assert codes(one.results[0].warnings) == [Code.FIRST_OF_SEVERAL]
    assert one.results[0].places == (1, 3)


def test_the_first_of_several_goes_on_to_the_next_where_another_block_took_it() -> None:
    before = "def f():\n    now = old()\n\n\ndef g():\n    now = old()\n"
    larger = edit("f", "def f():\n    now = old()\n", "def f():\n    now = new()\n")
    smaller = edit("f", "    now = old()\n", "    now = new()\n")
    made = planned({"f": before}, larger, smaller, occurrence=Occurrence.FIRST)
    assert made.changes[0].after == before.replace("old", "new")
    assert planned({"f": before}, larger, smaller).changes[0].after == before.replace("old", "new")


CLASHES: dict[str, list[tuple[str, str]]] = {
    "the same line, twice": [("b\n", "x\n"), ("b\n", "y\n")],
    "changed, then deleted": [("b\nc\n", "x\nc\n"), ("a\nb\n", "a\n")],
    "deleted, then changed": [("b\n", ""), ("b\n", "B\n")],
}


@pytest.mark.parametrize("name", CLASHES)
def test_different_changes_of_the_same_lines_are_refused(name: str) -> None:
    made = planned({"f": FILE}, *(edit("f", *pair) for pair in CLASHES[name]))
    assert made.results[1].code is Code.CONFLICT
    assert "Edit 1" in (made.results[1].reason or "")
    assert not made.changes


def test_an_edit_whose_place_was_changed_does_not_move_to_a_lookalike() -> None:
    before = "def f():\n    go(1)\n    return 1\n\n\ndef g():\n    go( 1 )\n    return 2\n"
    made = planned({"f": before}, edit("f", "    go(1)\n", "    go(2)\n"), edit("f", "    go(1)\n", "    go(3)\n"))
    assert made.results[1].code is Code.CONFLICT


def test_what_only_a_later_block_brings_in_is_not_found() -> None:
    made = planned({"f": FILE}, edit("f", "x1 = 1\n", "x1 = 2\n"), edit("f", "b\n", "x1 = 1\n"))
    assert said(made.results)[0] == bad(Code.NO_MATCH)


def test_an_ambiguous_edit_stands_between_its_neighbours() -> None:
    before = "one\nx\ntwo\nx\nthree\nx\n"
    blocks = [
        edit("f", "one\n", "ONE\n"),
        edit("f", "two\n", "TWO\n"),
        edit("f", "x\n", "X\n"),
        edit("f", "three\n", "3\n"),
    ]
    assert planned({"f": before}, *blocks).changes[0].after == "ONE\nx\nTWO\nX\n3\nx\n"


def test_neighbours_say_nothing_where_the_reply_has_another_order() -> None:
    before = "one\nx\ntwo\nx\nthree\nx\n"
    blocks = [
        edit("f", "two\n", "TWO\n"),
        edit("f", "one\n", "ONE\n"),
        edit("f", "x\n", "X\n"),
        edit("f", "three\n", "3\n"),
    ]
    assert planned({"f": before}, *blocks).results[2].code is Code.AMBIGUOUS


def at(line: int, search: str, replacement: str) -> Block:
    return edit("f", search, replacement, "udiff", hints=Hints(line=line))


SPREAD = "".join(["x\n", *(f"{n}\n" for n in range(2, 21)), "x\n", *(f"{n}\n" for n in range(22, 40))])


def test_a_number_is_off_as_the_one_beside_it_is() -> None:
    made = planned({"f": SPREAD}, at(3, "22\n", "two\n"), at(2, "x\n", "y\n"))
    assert [result.start for result in made.results] == [22, 21]


APART = "".join("x\n" if n in (5, 9, 30) else f"{n}\n" for n in range(1, 41))


def test_a_deletion_out_of_order_is_made_beside_edits_that_stand() -> None:
    behind = [edit("f", f"{line}\n", f"{line}\nand more of it\n") for line in ("two", "three")]
    made = planned({"f": "x\ntwo\nand more of it\nthree\nand more of it\n"}, *behind, edit("f", "x\n", ""))
    assert said(made.results) == [DONE, DONE, OK]


def test_what_an_earlier_edit_takes_away_leaves_one_place() -> None:
    before = "def f():\n    return None\n\n\ndef g():\n    return None\n"
    first = edit("f", "def f():\n    return None\n", "def f():\n    return 1\n")
    made = planned({"f": before}, first, edit("f", "    return None\n", "    return 2\n"))
    assert made.changes[0].after == "def f():\n    return 1\n\n\ndef g():\n    return 2\n"


def test_a_line_hint_settles_which_place() -> None:
    block = edit("f", "a\n", "A\n", hints=Hints(line=3))
    assert planned({"f": "a\nb\na\n"}, block).changes[0].after == "a\nb\nA\n"


READINGS: dict[str, tuple[str, Block, str | Code]] = {
    "the one whose search exists": (
        "T\n=====\nx\n",
        read_in("f", ("T\n", "x\n"), ("T\n=====\nx\n", "T\n=====\ny\n")),
        "T\n=====\ny\n",
    ),
    "the longer of two": ("T\n=====\nx\n", read_in("f", ("T\n", "Q\n"), ("T\n=====\n", "Z\n")), "Z\nx\n"),
    "the stricter tier": ("a  b\nc\n", read_in("f", ("a b\n", "X\n"), ("c\n", "C\n")), "a  b\nC\n"),
    "two that both stand, one longer": ("a\nb b\n", read_in("f", ("a\n", "X\n"), ("b b\n", "Y\n")), Code.AMBIGUOUS),
    "two that both stand": ("a\nb\n", read_in("f", ("a\n", "X\n"), ("b\n", "Y\n")), Code.AMBIGUOUS),
    "none": ("a\nb\n", read_in("f", ("q\n", "X\n"), ("r\n", "Y\n")), Code.NO_MATCH),
    "an empty search, where the other stands": ("a\nb\n", read_in("f", ("", "X\n"), ("a\n", "Y\n")), "Y\nb\n"),
}


@pytest.mark.parametrize("name", READINGS)
def test_the_file_decides_between_readings(name: str) -> None:
    before, block, wanted = READINGS[name]
    made = planned({"f": before}, block)
    if isinstance(wanted, Code):
        assert made.results[0].code is wanted
    else:
        assert [change.after for change in made.changes] == [wanted]


def test_lines_are_told_before_and_after() -> None:
    made = planned(
        {"f": FILE},
        edit("f", "d\n", "D\n"),
        edit("f", "a\n", "a\n1\n2\n"),
        edit("f", "2\n", "two\n"),
        edit("f", "c\n", ""),
    )
    places = [(r.start, r.end, r.new_start, r.new_end) for r in made.results]
    assert made.changes[0].after == "a\n1\ntwo\nb\nD\n"
    assert places[0] == (4, 4, 5, 5)
    assert places[1] == (1, 1, 1, 3)
    assert places[2][2:] == (3, 3)
    assert places[3] == (3, 3, 5, 4)
    stands = planned({"f": FILE}, edit("f", "a\n", "a\n1\n2\n"), edit("f", "d\n", "d\n"), edit("f", "a\n", "a\n1\n2\n"))
    assert [(r.start, r.end, r.new_start, r.new_end) for r in stands.results[1:]] == [(4, 4, 6, 6), (1, 1, 1, 1)]


def test_changes_of_the_same_characters_are_told_as_one() -> None:
    chain = [edit("f", "b\n", "B\n"), edit("f", "B\nc\n", "BB\nC\n"), edit("f", "C\nd\n", "CC\nD\n")]
    made = planned({"f": f"{FILE}e\n"}, *chain)
    assert made.changes[0].after == "a\nBB\nCC\nD\ne\n"
    (told,) = {result.effect.spans for result in made.results if result.effect is not None}
    assert told == ((Span(2, 8), Span(2, 10)),)


def test_what_comes_in_at_one_point_is_told_apart() -> None:
    made = planned({"f": FILE}, edit("f", "b\n", "b\n1\n"), edit("f", "c\n", "2\nc\n"), edit("f", "2\n", "22\n"))
    assert made.changes[0].after == "a\nb\n1\n22\nc\nd\n"
    assert [(result.new_start, result.new_end) for result in made.results] == [(2, 3), (4, 5), (4, 4)]


NOTHING: dict[str, tuple[str, str, tuple[object, object]]] = {
    "the text is there": ("a\nb\n", "a\n", (DONE[0], Code.NOTHING_TO_CHANGE)),
    "it is there twice": ("a\nb\na\n", "a\n", (DONE[0], Code.NOTHING_TO_CHANGE)),
    "it is not there": ("a\nb\n", "quite other text\n", bad(Code.NO_MATCH)),
}


@pytest.mark.parametrize("name", NOTHING)
def test_search_and_replacement_that_are_equal(name: str) -> None:
    before, search, expected = NOTHING[name]
    made = planned({"f": before}, edit("f", search, search))
    assert said(made.results) == [expected]
    assert not made.changes
    assert "same text" in (made.results[0].reason or "")


def test_a_deletion_whose_search_is_gone_is_a_miss_that_asks() -> None:
    made = planned({"f": "a\n"}, edit("f", "gone = 1\n", ""))
    assert said(made.results) == [bad(Code.NO_MATCH)]
    assert "already" in (made.results[0].hint or "")


def test_a_blank_file_takes_the_replacement_of_its_only_edit() -> None:
    block = edit("f", "import os\n\ndef f():\n    return os\n", "import sys\n\ndef f():\n    return sys\n")
    made = planned({"f": "\n"}, block)
    assert made.changes[0].after == block.replace
    assert codes(made.results[0].warnings) == [Code.APPENDED]
    assert planned({"f": "\n"}, block, edit("f", "q\n", "r\n")).results[0].code is Code.NO_MATCH
    assert planned({"f": "\n"}, edit("f", "x\n", "y\n")).results[0].code is Code.NO_MATCH
    run = edit("f", block.search, block.replace, "tool-call", inline=True)
    assert planned({"f": "\n"}, run).results[0].code is Code.NO_MATCH


def test_a_shorter_reading_does_not_land_where_the_longer_one_already_has() -> None:
    readings = (
        ("Kiosk\n", "=======\nold\n=======\nKiosk\n=======\nnew\n"),
        ("Kiosk\n=======\nold\n", "Kiosk\n=======\nnew\n"),
    )
    first = planned({"f": "Kiosk\n=======\nold\n"}, read_in("f", *readings))
    assert [change.after for change in first.changes] == ["Kiosk\n=======\nnew\n"]
    second = planned({"f": "Kiosk\n=======\nnew\n"}, read_in("f", *readings))
    assert not second.changes


def test_a_reading_that_stops_at_a_line_of_the_file_is_none() -> None:
    readings = (
        ("Kiosk\n", "\nold words\n=======\nKiosk\n=======\n\nnew words\n"),
        ("Kiosk\n=======\n\nold words\n", "Kiosk\n=======\n\nnew words\n"),
    )
    misquoted = planned({"f": "Kiosk\n=======\n\naged words, and more\n"}, read_in("f", *readings))
    assert not misquoted.changes
    heading = planned({"f": "Kiosk\n-----\n"}, read_in("f", *readings))
    assert heading.changes


def test_edits_of_one_long_line_hold_no_copies_of_it() -> None:
    text = "".join(f"function f{n}(a){{}};{'x' * 500};" for n in range(60))
    edits = [edit("f", f"function f{n}(a)", f"function f{n}(a, b)", "tool-call", inline=True) for n in range(60)]
    tracemalloc.start()
    made = planned({"f": text}, *edits)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made.changes[0].after == text.replace("(a)", "(a, b)")
    assert peak < 30 * len(text)


def test_a_call_for_all_places_leaves_one_alone_that_an_earlier_call_made() -> None:
    files = {"f": "a = foo(1)\nb = foo(2)\nc = foo(3)\n"}
    calls = [
        edit("f", "b = foo(2)", "b = foobar(2, 5)", "tool-call", inline=True),
        edit("f", "foo", "foobar", "tool-call", inline=True, replace_all=True),
    ]
    for blocks in (calls, calls[::-1]):
        made = planned(files, *blocks)
        assert [change.after for change in made.changes] == ["a = foobar(1)\nb = foobar(2, 5)\nc = foobar(3)\n"]


@pytest.mark.parametrize("failing", [new_file("f", "other\n"), rename("f", "g")])
def test_what_fails_parts_no_edits(failing: Block) -> None:
    """The edits behind a block that does nothing are told of the same text as those before it."""
    files = {"f": FILE, "g": "g\n"}
    made = planned(
        files, edit("f", "a\nb\n", "A\nb\n"), failing, edit("f", "a\nb\n", "a\nB\n"), on_failure=OnFailure.BLOCK
    )
    assert [result.status for result in made.results] == [Status.FITS, Status.FAILED, Status.FITS]
    assert [change.after for change in made.changes] == ["A\nB\nc\nd\n"]
