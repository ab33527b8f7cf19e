"""An old listing and a new one, told apart by the words above them."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.codes import Code, Severity

OLD, NEW = "```python\nx = 1\n```\n", "```python\nx = 2\n```\n"
EDIT = "a.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 3\n>>>>>>> REPLACE\n```\n"
PAIRS = {
    "a sentence": ("In `a.py`, replace:\n\n", "\nwith:\n\n"),
    "a sentence that goes on": ("In **a.py**, change this\n\n", "\nto this\n\n"),
    "words about the lines": ("Find this line in a.py:\n\n", "\nand replace it with the following:\n\n"),
    "labels": ("**File: `a.py`**\n\n**Old:**\n", "\n**New:**\n"),
    "titles": ("### a.py\n\n#### Before\n\n", "\n#### After\n\n"),
    "words for tools": ("File: a.py\nSearch:\n", "Replace:\n"),
    "what it was": ("`a.py`\n\nCurrent code:\n", "Updated code:\n"),
}


@pytest.mark.parametrize(("before", "between"), PAIRS.values(), ids=PAIRS.keys())
def test_a_pair_is_an_edit_where_the_format_is_asked_for(before: str, between: str) -> None:
    reply = f"{before}{OLD}{between}{NEW}\nDone.\n"
    (block,) = parse(reply, format="diff").blocks
    assert (block.path, block.search, block.replace, block.malformed) == ("a.py", "x = 1\n", "x = 2\n", None)
    assert reply.split("\n")[block.line - 1] == "x = 1"


@pytest.mark.parametrize(("before", "between"), PAIRS.values(), ids=PAIRS.keys())
def test_else_a_note_tells_of_it(before: str, between: str) -> None:
    parsed = parse(f"{before}{OLD}{between}{NEW}")
    assert parsed.blocks == ()
    (note,) = parsed.diagnostics
    assert (note.code, note.severity) == (Code.NO_BLOCKS, Severity.NOTE)
    assert "`a.py`" in note.message
    assert "--format diff" in (note.hint or "")


def test_the_next_pair_is_of_the_same_file_where_it_names_none() -> None:
    reply = f"In `a.py`, replace:\n{OLD}with:\n{NEW}\nThen change:\n```\ny\n```\nto:\n```\nz\n```\n"
    assert [(b.path, b.search) for b in parse(reply, format="diff").blocks] == [("a.py", "x = 1\n"), ("a.py", "y\n")]


@pytest.mark.parametrize(
    "reply",
    [
        f"In `a.py`, replace:\n\n{OLD}\nIt is wrong.\n\nwith:\n\n{NEW}",
        f"In `a.py`, replace:\n\n{OLD}\nTo run it, do this:\n\n{NEW}",
        f"`a.py` has this.\n\n{OLD}\nwith:\n\n{NEW}",
        f"Replace:\n\n{OLD}\nwith:\n\n{NEW}",
        f"In `a.py`, replace:\n\n{OLD}\nwith:\n\n{OLD}",
        f"In `a.py`, replace:\n\n{OLD}\nwith:\n\n```python\nx = 2\n",
        "In `a.py`, replace:\n\n```sh\nls\n```\nwith:\n\n```sh\nls -l\n```\n",
        f"<think>\nIn `a.py`, replace:\n\n{OLD}\nwith:\n\n{NEW}</think>\n",
    ],
)
def test_what_is_no_pair(reply: str) -> None:
    assert parse(reply, format="diff").blocks == ()


@pytest.mark.parametrize("format", ["auto", "diff"])
def test_beside_an_edit_a_pair_explains_it(format: str) -> None:  # noqa: A002
    for reply in (f"In `a.py`, replace:\n{OLD}with:\n{NEW}\n{EDIT}", f"{EDIT}\nIn `a.py`, replace:\n{OLD}with:\n{NEW}"):
        parsed = parse(reply, format=format)
        assert [block.replace for block in parsed.blocks] == ["x = 3\n"]
        assert parsed.diagnostics == ()
