"""Lines that may be content or stand for others: the lines that vanish around them decide."""

from __future__ import annotations

import pytest
from plan_builders import OK, bad, codes, edit, planned, said, whole

from dovetail.model.codes import Code, Tier

TWO = "def a():\n    return 1\n\n\ndef b():\n    return 2\n"

STANDS_FOR_LINES = [
    "# same as before",
    "# existing imports and helper functions",
    "# same methods",
    "# b() unchanged",
    "(rest of file unchanged)",
    "...",
    "# [...]",
    "# ( … )",
    "[...]",
    "# omitted for brevity",
    "[... rest of document unchanged ...]",
    "/* unchanged below */",
    "# ... b stays as it is",
    "# keep existing code",
    "# existing code",
    "// all other functions",
    "<!-- the rest stays the same -->",
    "*(remaining sections unchanged)*",
    "# rest of the file is untouched",
    "# No changes below",
    "pass  # existing code",
]


@pytest.mark.parametrize("line", STANDS_FOR_LINES)
def test_what_vanishes_is_put_back(line: str) -> None:
    made = planned({"f.py": TWO}, whole("f.py", f"def a():\n    return 10\n\n{line}\n"))
    assert said(made.results) == [OK], made.results[0].reason
    assert [change.after for change in made.changes] == [TWO.replace("return 1\n", "return 10\n")]
    assert made.results[0].tier is Tier.ELISION
    assert codes(made.results[0].warnings) == [Code.MERGED]


SHOP = """\
class Shop:
    def open(self):
        self.till.open()
        self.is_open = True

    def close(self):
        self.till.close()
        self.is_open = False

    def sell(self, item):
        self.stock.remove(item)
        self.till.add(item.price)
"""

REFUSED = {
    "a stub on the header's line": (
        "function a() {\n  one();\n  two();\n}\n\nfunction b() {\n  three();\n  four();\n}\n",
        "function a() {\n  one();\n  two(2);\n}\n\nfunction b() { /* unchanged */ }\n",
    ),
    "dots in braces": (
        "function a() {\n  one();\n  two();\n}\n\nfunction b() {\n  three();\n  four();\n}\n",
        "function a() {\n  one();\n  two(2);\n}\n\nfunction b() { ... }\n",
    ),
    "among functions rewritten at greater length": (
        TWO, "def a():\n    x = 1\n    y = 2\n    z = 3\n    # b is omitted\n    w = 4\n    return x + y + z + w\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_never_written(name: str) -> None:
    before, reply = REFUSED[name]
    made = planned({"f.js": before}, whole("f.js", reply))
    assert said(made.results) == [bad(Code.ELIDED)], made.changes
    assert not made.changes


@pytest.mark.parametrize("stub", ["# same as before", "pass  # existing code", "# unchanged"])
def test_a_body_is_put_back(stub: str) -> None:
    short = SHOP.replace("self.till.close()\n        self.is_open = False", stub).replace("item.price", "item.cost")
    made = planned({"f.py": SHOP}, whole("f.py", short))
    assert [change.after for change in made.changes] == [SHOP.replace("item.price", "item.cost")]


def test_a_body_of_one_line_is_put_back() -> None:
    made = planned({"f.py": TWO}, whole("f.py", "def a():\n    return 10\n\n\ndef b():\n    # same as before\n"))
    assert [change.after for change in made.changes] == [TWO.replace("return 1\n", "return 10\n")]


CONTENT = {
    "nothing vanishes": (TWO, TWO.replace("    return 1", "    # unchanged since v2\n    return 10")),
    "a comment becomes another": ("# old\nx = 1\ny = 2\n", "# same as before\nx = 1\ny = 3\n"),
    "a definition deleted, with a comment near that says nothing of it": (TWO, "# counts to ten\ndef a():\n    return 10\n"),
    "a definition deleted, far from the comment": (
        TWO + "\n\nLIMIT_OF_ALL = 5\n", "def a():\n    return 1\n\n\nLIMIT_OF_ALL = 5\n# the limit is unchanged since v2\n",
    ),
    "a definition with another name": (TWO, TWO.replace("def b():", "def c():  # same as before")),
    "a tuple": ("x = 1\ny = 2\nz = 3\nw = 4\n", "x = 1\n(existing, other)\n"),
    "a table of a settings file": ("[a]\nx = 1\ny = 2\nz = 3\n", "[remaining]\nx = 1\n"),
    "a list of words": ("a\nb\nc\nd\n", '["the rest unchanged"]\n'),
    "words about something else": (TWO, "def a():\n    return 10\n\n# keep the same order for all callers\n# uses the existing session\n"),
    "words for what the code does": (TWO, "def a():\n    # the text is truncated at its first blank\n    return 10\n"),
    "brackets in comments": (TWO, "def a():\n    # is read as\n    # [\n    #     1,\n    # ]\n    return 10\n"),
    "a comment that ends in dots": (TWO, "def a():\n    return 10\n\n# TODO: b, and so much more ...\n"),
    "it is in the file": ("# unchanged\n" + TWO, "# unchanged\ndef a():\n    return 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENT)
def test_content_is_written_as_it_is(name: str) -> None:
    before, reply = CONTENT[name]
    made = planned({"f.py": before}, whole("f.py", reply))
    assert said(made.results) == [OK], made.results[0].reason
    assert [change.after for change in made.changes] == [reply]


def test_a_new_file_has_nothing_to_leave_out() -> None:
    made = planned({}, whole("f.py", "def a():\n    return 1\n\n# unchanged\n"))
    assert said(made.results) == [OK]


OPEN = "    def open(self):\n        self.till.open()\n        self.is_open = True\n"

LEAVES_OUT = {
    "words": OPEN.replace(
        "        self.till.open()\n        self.is_open = True\n", "        # rest of the function unchanged\n"
    ),
    "words, behind a change": "    def open(self, key):\n        # rest of the function unchanged\n",
    "dots and words": "    def open(self, key):\n        # ... rest of the function ...\n",
    "a stub": "    def open(self, key):\n        pass  # same as before\n",
}


@pytest.mark.parametrize("name", LEAVES_OUT)
@pytest.mark.parametrize("inline", [False, True])
def test_an_edit_does_not_delete_what_it_leaves_out(name: str, inline: bool) -> None:
    made = planned({"f.py": SHOP}, edit("f.py", OPEN, LEAVES_OUT[name], inline=inline))
    assert said(made.results) == [bad(Code.ELIDED)], made.changes


WRITES = {
    "nothing is deleted": (OPEN, OPEN + "        # rest of the function unchanged\n"),
    "a line for a line": (OPEN, OPEN.replace("self.is_open = True", "self.is_open = 1  # same as before")),
    "the search has the words too": ("    def open(self):\n", "    # same as before\n    def open(self):\n"),
    "a shorter body, and words that say nothing of it": (OPEN, "    def open(self):\n        # the till is open\n        self.is_open = True\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITES)
def test_an_edit_writes_words_that_are_content(name: str) -> None:
    search, new = WRITES[name]
    made = planned({"f.py": SHOP}, edit("f.py", search, new))
    assert [change.after for change in made.changes] == [SHOP.replace(search, new)]


def test_a_diff_names_what_it_deletes() -> None:
    made = planned({"f.py": SHOP}, edit("f.py", OPEN, "    def open(self):\n        # same as before\n", form="udiff"))
    assert said(made.results) == [OK]


def test_an_ellipsis_for_a_body_is_code_in_python_alone() -> None:
    new = "    def open(self):\n        ...\n"
    assert said(planned({"f.py": SHOP}, edit("f.py", OPEN, new)).results) == [OK]
    assert said(planned({"f.rb": SHOP}, edit("f.rb", OPEN, new)).results) == [bad(Code.ELIDED)]


THEME = "const theme = {\n  colour: rest.colour,\n  size: rest.size,\n  depth: rest.depth,\n  own: 1,\n};\n"
GONE = "  colour: rest.colour,\n  size: rest.size,\n  depth: rest.depth,\n"


@pytest.mark.parametrize("spread", ["...rest,", "...rest", "...(rest as Theme),", "...other.theme,", "{...rest}"])
def test_a_name_that_is_spread_says_all_that_vanishes(spread: str) -> None:
    after = THEME.replace(GONE, f"  {spread}\n")
    for block in (whole("theme.ts", after), edit("theme.ts", THEME, after), edit("theme.ts", GONE, f"  {spread}\n")):
        made = planned({"theme.ts": THEME}, block)
        assert said(made.results) == [OK], made.results[0].reason
        assert [change.after for change in made.changes] == [after]
        assert codes(made.results[0].warnings) == []
