"""How deep new lines go where the reply indents otherwise than the file, and where nobody can say."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Code
from dovetail.model.text import apply_edits

SHELF = """class Shelf:
    def count(self):
        with self.lock:
            total = len(self.books)
        return total

    def sort(self):
        self.books.sort(key=title,
                        reverse=True)
"""
BACK = SHELF[SHELF.index("    def sort") :]

LANDS = {
    "tabs that mean the file's columns, beside an aligned line": (
        "\tdef sort(self):\n\t\tself.books.sort(key=title,\n\t\t                reverse=True)\n",
        (
            "\tdef drop(self):\n\t\tfor book in self.books:\n\t\t\tbook.drop()\n\n"
            "\tdef sort(self):\n\t\tself.books.sort(key=title,\n\t\t                reverse=True)\n"
        ),
        SHELF.replace(BACK, "    def drop(self):\n        for book in self.books:\n            book.drop()\n\n" + BACK),
    ),
    "tabs that mean the file's columns, and a shallower line": (
        "\t\twith self.lock:\n\t\t\ttotal = len(self.books)\n\t\treturn total\n",
        "\t\twith self.lock:\n\t\t\ttotal = len(self.books)\n\t\treturn total\n\n\tdef one(self):\n\t\treturn 1\n",
        SHELF.replace("return total\n", "return total\n\n    def one(self):\n        return 1\n"),
    ),
    "a tab that is the file's step": (
        "\t\treturn total\n",
        "\t\treturn total\n\n\tdef one(self):\n\t\treturn 1\n",
        SHELF.replace("return total\n", "return total\n\n    def one(self):\n        return 1\n"),
    ),
    "two depths that moved alike say where a third goes": (
        "    with self.lock:\n        total = len(self.books)\n    return total\n",
        "    with self.lock:\n        total = len(self.books)\n    return total\n\ndef one(self):\n    return 1\n",
        SHELF.replace("return total\n", "return total\n\n    def one(self):\n        return 1\n"),
    ),
}


@pytest.mark.parametrize("name", LANDS)
def test_new_lines_stand_as_deep_as_the_quoted_ones_tell(name: str) -> None:
    search, replace, after = LANDS[name]
    outcome = locate(Document(SHELF), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(SHELF, outcome.edits) == after


DOUBTFUL = {
    "left of the margin": (
        "if a:\n    first = load()\n",
        "    if a:\n        first = load()\n",
        "    if a:\n        first = load()\nsecond = 2\n",
    ),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_depth_that_nothing_tells_is_a_conflict(name: str) -> None:
    file, search, replace = DOUBTFUL[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, NoMatch), outcome
    assert outcome.code is Code.CONFLICT
    assert "how deep" in outcome.reason
