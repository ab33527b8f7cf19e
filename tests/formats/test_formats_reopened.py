"""A bare fence line where a fence is open: the end of that one, or the beginning of the next."""

from __future__ import annotations

import pytest

from dovetail.formats import parse

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
ANCHORED = "<<<<<<< EDIT\na\n-------\nold\n=======\nnew\n-------\nb\n>>>>>>>\n"
ADD = "<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n"


def paths(reply: str) -> list[tuple[str | None, bool]]:
    """The path of each block, and whether it is sound."""
    return [(block.path, block.malformed is None) for block in parse(reply).blocks]


@pytest.mark.parametrize("line", ["### File: y.py", "**y.py**", "y.py", "y.py\n", "Now change `y.py`:"])
@pytest.mark.parametrize("body", [BLOCK, ANCHORED, ADD])
def test_the_next_block_has_its_own_path_where_the_fence_before_was_not_closed(line: str, body: str) -> None:
    reply = f"x.py\n```\n{body}\n{line}\n```\n{body}```\n\nz.py\n```\n{body}```\n"
    assert paths(reply) == [("x.py", True), ("y.py", True), ("z.py", True)]


@pytest.mark.parametrize("mark", ["```", "```python", "```ts title", "````py"])
@pytest.mark.parametrize("behind", ["", "```\n", "\nz.py\n```python\nr = 1\n```\n"])
def test_the_next_listing_has_its_own_path_too(behind: str, mark: str) -> None:
    end = mark.rstrip("abcdefghijklmnopqrstuvwxyz ")
    found = paths(f"x.py\n```\n{BLOCK}\ny.py\n{mark}\nq = 1\n{end}\n{behind}")
    assert found == [("x.py", True), ("y.py", True), ("z.py", True)][: 2 + ("z.py" in behind)]


def test_a_stray_fence_leaves_the_path_behind_it_in_place() -> None:
    assert paths(f"Run this:\n```\nmake\nmake test\n\ny.py\n```\n{BLOCK}```\n") == [("y.py", True)]


def test_a_listing_that_the_next_fence_cuts_off_is_malformed() -> None:
    assert paths(f"x.py\n```\na = 1\nb = 2\n\ny.py\n```\n{BLOCK}```\n") == [("x.py", False), ("y.py", True)]


CLOSES = {
    "nothing above": f"x.py\n```\n{BLOCK}```\ny.py\n```\n{BLOCK}```\n",
    "text below": f"x.py\n```\n{BLOCK}\nThat is all.\n```\nNow the other one.\n\ny.py\n```\n{BLOCK}```\n",
    "a blank line below": f"x.py\n```\n{BLOCK}\nsee x.py\n```\n\ny.py\n```\n{BLOCK}```\n",
}


@pytest.mark.parametrize("reply", CLOSES.values(), ids=CLOSES.keys())
def test_a_fence_that_ends_still_ends(reply: str) -> None:
    assert paths(reply) == [("x.py", True), ("y.py", True)]


@pytest.mark.parametrize("below", ["\nThese change.\n", "These change.\n", ""])
def test_a_list_of_files_is_no_path(below: str) -> None:
    assert paths(f"Files:\n```\nsrc/a.py\nsrc/b.py\n```\n{below}") == []


def test_a_list_of_files_names_none_of_them_for_the_block_below() -> None:
    assert paths(f"Files:\n```\nsrc/a.py\nsrc/b.py\nsrc/c.py\n```\n{BLOCK}") == [(None, False)]


@pytest.mark.parametrize("mark", ["```", "```python", "```ts title"])
@pytest.mark.parametrize("line", ["y.py", "**y.py**\n", "Now the other:\n\ny.py"])
def test_a_listing_that_the_next_one_cuts_off_takes_nothing_of_it(line: str, mark: str) -> None:
    reply = f"x.py\n```python\na = 1\n\n{line}\n{mark}\nb = 1\n```\nDone.\n"
    assert paths(reply) == [("x.py", False), ("y.py", True)]


@pytest.mark.parametrize(
    ("left", "right"),
    [("````", "````"), ("~~~", "~~~"), ("<source>", "</source>"), ("```md", "```"), ("````python", "````")],
)
def test_a_fence_around_others_is_not_cut_off_by_one_of_them(left: str, right: str) -> None:
    text = "a = 1\n\ny.py\n```python\nb = 1\n```\n"
    (one,) = parse(f"x.py\n{left}\n{text}{right}\n").blocks
    assert (one.path, one.replace, one.malformed) == ("x.py", text, None)


LISTED = {
    "a docstring": '"""Use it so:\n\n```python\nrun()\n```\n"""\n',
    "a path in a docstring": '"""Put it in\ny.py\n```python\nrun()\n```\n"""\n',
    "a list of paths at its end": "include a.py\n\ny.py\n",
}


@pytest.mark.parametrize("text", LISTED.values(), ids=LISTED.keys())
@pytest.mark.parametrize("behind", ["\nDone.\n", ""])
def test_a_listing_may_hold_fences_and_paths(text: str, behind: str) -> None:
    mark = "````" if "```" in text else "```"
    (one,) = parse(f"x.py\n{mark}python\n{text}{mark}\n{behind}").blocks
    assert (one.malformed, one.replace) == (None, text)
