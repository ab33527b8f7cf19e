"""Which file a block means, and which files have to be read to know."""

from __future__ import annotations

import pytest
from plan_builders import bad, codes, edit, new_file, planned, rename, said

from dovetail.formats import parse
from dovetail.model.blocks import Block
from dovetail.model.codes import Code
from dovetail.model.snapshot import Snapshot
from dovetail.place.tree import Tree, by_name, guesses, tidy
from dovetail.plan import plan, wanted_paths

TIDY = {
    "./a.py": "a.py",
    "src//a.py": "src/a.py",
    "src\\lib\\a.py": "src/lib/a.py",
    ".\\a.py": "a.py",
    "src/./a.py": "src/a.py",
    "src/": "src",
    "/abs//x": "/abs/x",
    "C:\\x\\a.py": "C:/x/a.py",
    " a.py ": "a.py",
}


@pytest.mark.parametrize("path", TIDY)
def test_a_path_is_tidied(path: str) -> None:
    assert tidy(path) == TIDY[path]


def test_a_backslash_stays_where_a_file_has_one() -> None:
    assert tidy("a\\b", {"a\\b"}) == "a\\b"
    assert planned({"a\\b": "x\n", "a/b": "x\n"}, edit("a\\b", "x\n", "y\n")).changes[0].path == "a\\b"


TEXT = {"src/app/menu.py": "soup = 7\n", "src/app/shop.py": "till = 0\n", "lib/till.py": "cash = 1\n"}

MEANS: dict[str, tuple[dict[str, str], str | None, str, str, list[Code]]] = {
    "itself": (TEXT, "lib/till.py", "cash = 1\n", "lib/till.py", []),
    "itself, untidy": (TEXT, ".\\lib\\\\till.py", "cash = 1\n", "lib/till.py", []),
    "the one with that basename": (TEXT, "menu.py", "soup = 7\n", "src/app/menu.py", [Code.PATH_GUESSED]),
    "the one with that suffix": (TEXT, "app/menu.py", "soup = 7\n", "src/app/menu.py", [Code.PATH_GUESSED]),
    "an absolute path's suffix": (TEXT, "/home/me/work/lib/till.py", "cash = 1\n", "lib/till.py", [Code.PATH_GUESSED]),
    "a suffix in an address": (TEXT, "file:///kiosk/lib/till.py", "cash = 1\n", "lib/till.py", [Code.PATH_GUESSED]),
    "a suffix behind a variable": (TEXT, "${ROOT}/kiosk/lib/till.py", "cash = 1\n", "lib/till.py", [Code.PATH_GUESSED]),
    "a drive's": (TEXT, "C:\\work\\lib\\till.py", "cash = 1\n", "lib/till.py", [Code.PATH_GUESSED]),
    "a home folder's": (TEXT, "~/code/lib/till.py", "cash = 1\n", "lib/till.py", [Code.PATH_GUESSED]),
    "folders in front": (TEXT, "project/lib/till.py", "cash = 1\n", "lib/till.py", [Code.PATH_GUESSED]),
    "other folders, the search proves it": (TEXT, "src/menu.py", "soup = 7\n", "src/app/menu.py", [Code.PATH_GUESSED]),
    "a near spelling, the search proves it": (TEXT, "src/app/menus.py", "soup = 7\n", "src/app/menu.py", [Code.PATH_GUESSED]),
    "upper and lower case": (TEXT, "Lib/Till.py", "cash = 1\n", "lib/till.py", [Code.PATH_GUESSED]),
    "letters apart from their marks, as macOS writes them": (
        {"e\u0301te\u0301.md": "old\n"}, "\u00e9t\u00e9.md", "old\n", "e\u0301te\u0301.md", [Code.PATH_GUESSED],
    ),
    "of two basenames, the one with the search": (
        {"a/x.py": "one = 1\n", "b/x.py": "two = 2\n"}, "x.py", "two = 2\n", "b/x.py", [Code.PATH_GUESSED],
    ),
    "no name at all": (TEXT, None, "till = 0\n", "src/app/shop.py", [Code.PATH_GUESSED]),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANS)
def test_a_name_means(name: str) -> None:
    files, path, search, wanted, warned = MEANS[name]
    made = planned(files, edit(path, search, "new = 1\n"))
    assert [change.path for change in made.changes] == [wanted], said(made.results)
    assert codes(made.results[0].warnings) == warned


MEANS_NONE: dict[str, tuple[dict[str, str], str | None, str, Code]] = {
    "other folders, the search is not there": (TEXT, "src/menu.py", "soup = 9\n", Code.FILE_MISSING),
    "a near spelling, the search is not there": (TEXT, "src/app/menus.py", "soup = 9\n", Code.FILE_MISSING),
    "a near spelling, the search is elsewhere too": (
        {"a/menu.py": "x = 1\n", "b.py": "x = 1\n"}, "a/menus.py", "x = 1\n", Code.FILE_MISSING,
    ),
    "an absolute path spelled like one that has the search": (TEXT, "/lib/tills.py", "cash = 1\n", Code.FILE_MISSING),
    "two basenames that both have it": (
        {"a/x.py": "one = 1\n", "b/x.py": "one = 1\n"}, "x.py", "one = 1\n", Code.FILE_MISSING,
    ),
    "no name, two files that have it": ({"a": "x\n", "b": "x\n"}, None, "x\n", Code.NO_PATH),
    "no name, no file that has it": (TEXT, None, "nothing = 1\n", Code.NO_PATH),
    "no name and no search": (TEXT, None, "", Code.NO_PATH),
    "no name like any": (TEXT, "quite/else.rb", "till = 0\n", Code.FILE_MISSING),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANS_NONE)
def test_a_name_that_means_no_file(name: str) -> None:
    files, path, search, code = MEANS_NONE[name]
    made = planned(files, edit(path, search, "new = 1\n"))
    assert said(made.results) == [bad(code)]
    assert made.results[0].hint


def test_an_absent_file_whose_search_stands_elsewhere_is_told_where() -> None:
    made = planned(TEXT, edit("quite/else.rb", "till = 0\n", "x\n"))
    assert "`src/app/shop.py`" in (made.results[0].hint or "")


def test_a_search_in_another_file_is_told_and_not_followed() -> None:
    made = planned(TEXT, edit("lib/till.py", "soup = 7\n", "soup = 8\n"))
    assert said(made.results) == [bad(Code.NO_MATCH)]
    assert codes(made.results[0].warnings) == [Code.FOUND_ELSEWHERE]
    assert "`src/app/menu.py`" in (made.results[0].hint or "")


def test_guessed_again_when_the_change_is_already_there() -> None:
    block = edit(None, "soup = seven + 1\n", "soup = eight + 1\n")
    made = planned({"a.py": "soup = eight + 1\n", "b.py": "x\n"}, block)
    assert not made.failed
    assert not made.changes


def test_further_candidates_are_names_too() -> None:
    block = edit("Here", "cash = 1\n", "cash = 2\n", path_candidates=("lib/till.py",))
    made = planned(TEXT, block)
    assert made.files_modified == ("lib/till.py",)
    assert codes(made.results[0].warnings) == [Code.PATH_GUESSED]


def test_of_several_names_the_one_whose_file_has_the_search() -> None:
    block = edit("src/app/menu.py", "cash = 1\n", "cash = 2\n", path_candidates=("lib/till.py",))
    assert planned(TEXT, block).files_modified == ("lib/till.py",)
    stays = edit("src/app/menu.py", "soup = 7\n", "soup = 8\n", path_candidates=("lib/till.py",))
    assert planned(TEXT, stays).files_modified == ("src/app/menu.py",)


def test_an_absent_name_is_guessed_before_another_one_is_taken() -> None:
    block = edit("src/menu.py", "soup = 7\n", "soup = 8\n", path_candidates=("lib/till.py",))
    assert planned(TEXT, block).files_modified == ("src/app/menu.py",)


def test_a_name_that_climbs_decides_nothing() -> None:
    assert by_name("/srv/till.py", Tree(["till.py"])) == "till.py"
    assert by_name("/srv/../till.py", Tree(["till.py"])) is None


def test_a_guess_by_spelling_is_bounded() -> None:
    tree = Tree([f"src/module_{i:04}.py" for i in range(5000)])
    assert len(guesses("src/module_0o12.py", tree)) <= 16


def test_of_a_path_with_very_many_folders_only_the_end_is_looked_for() -> None:
    deep = "a/" * 30_000
    found = guesses(f"{deep}till.py", Tree(["lib/till.py"])), guesses(f"{deep}cash.py", Tree(["lib/till.py"]))
    assert found == (("lib/till.py",), ())


WANTED: dict[str, tuple[list[Block], list[str], set[str]]] = {
    "the named ones, there or not": ([edit("a.py", "x\n", ""), new_file("b.py", "")], ["a.py", "c.py"], {"a.py", "b.py"}),
    "a move's destination": ([rename("a.py", "b.py")], ["a.py"], {"a.py", "b.py"}),
    "a basename's": ([edit("x.py", "x\n", "")], ["a/x.py", "b/x.py", "c/y.py"], {"x.py", "a/x.py", "b/x.py", "c/y.py"}),
    "nothing that climbs": ([edit("../a.py", "", "x\n")], ["a.py"], set()),
    "an absolute path, to ask whether it is there": ([edit("/etc/x.py", "", "x\n")], ["a.py"], {"/etc/x.py"}),
    "nothing for drafts": ([edit("a.py", "x\n", "", draft=True)], ["a.py"], set()),
}  # fmt: skip


@pytest.mark.parametrize("name", WANTED)
def test_wanted_paths(name: str) -> None:
    blocks, tree, wanted = WANTED[name]
    assert set(wanted_paths(blocks, tree)) == wanted


def test_a_large_tree_is_not_wanted_whole() -> None:
    tree = [f"src/{i}/file_{i}.py" for i in range(3000)]
    assert len(wanted_paths([edit(None, "x\n", "y\n"), edit("file_12.py", "x\n", "y\n")], tree)) <= 17


def spoken(sentence: str, search: str = "") -> dict[str, str | None]:
    """The file after a block under a sentence."""
    files = {"till.py": "cash = 1\n"}
    reply = f"{sentence}\n```\n<<<<<<< SEARCH\n{search}=======\nnew = 1\n>>>>>>> REPLACE\n```\n"
    made = plan(parse(reply), Snapshot.of(files))
    return {change.path: change.after for change in made.changes}


@pytest.mark.parametrize("end", [":", ", as you asked."])
def test_a_file_that_is_only_mentioned_takes_edits_that_quote_it(end: str) -> None:
    assert spoken(f"I change the helpers of `till.py`{end}", "cash = 1\n") == {"till.py": "new = 1\n"}


@pytest.mark.parametrize("end", [":", ", as you asked."])
def test_nothing_is_appended_to_a_file_that_is_only_mentioned(end: str) -> None:
    assert spoken(f"Here are tests for `till.py`{end}") == {}


def test_a_file_that_a_sentence_names_is_created() -> None:
    assert spoken("Now I create `tests/till.py`:") == {"tests/till.py": "new = 1\n"}


def test_what_quotes_nothing_goes_to_the_path_on_a_line_of_its_own() -> None:
    assert spoken("**`till.py`**:") == {"till.py": "cash = 1\nnew = 1\n"}


def test_a_file_stays_only_mentioned_for_the_blocks_that_follow() -> None:
    quoting = "<<<<<<< SEARCH\ncash = 1\n=======\ncash = 2\n>>>>>>> REPLACE\n"
    adding = "<<<<<<< SEARCH\n=======\nnew = 1\n>>>>>>> REPLACE\n"
    made = plan(parse(f"In `till.py`, as agreed:\n```\n{quoting}{adding}```\n"), Snapshot.of({"till.py": "cash = 1\n"}))
    assert [result.code for result in made.results] == [Code.OTHER_FAILED, Code.NO_PATH]


def test_a_listing_replaces_a_file_that_a_sentence_names_where_listings_were_asked_for() -> None:
    made = plan(
        parse("Here is all of `till.py` now:\n```python\nnew = 1\n```\n", format="whole"),
        Snapshot.of({"till.py": "cash = 1\n"}),
    )
    assert [change.after for change in made.changes] == ["new = 1\n"]
