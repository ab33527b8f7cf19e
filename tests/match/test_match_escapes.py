"""What backslashes of a quoted text say, and where they do not tell."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Code
from dovetail.model.text import apply_edits

SAID = 'say("hi", 1)\nsay("ho", 2)\n'
PATTERN = 'digits = re.compile(r"(\\d+)")\nlast = 1\n'

LANDS = {
    "other backslashes stay, where the search has some alone": (
        PATTERN,
        'digits = re.compile(r\\"(\\d+)\\")\n',
        'digits = re.compile(r\\"(\\d+)(\\\\\\\\)\\")\n',
        'digits = re.compile(r"(\\d+)(\\\\\\\\)")\nlast = 1\n',
    ),
    "every backslash doubled, as the search shows": (
        PATTERN,
        'digits = re.compile(r\\"(\\\\d+)\\")\n',
        'digits = re.compile(r\\"(\\\\w+)\\")\n',
        'digits = re.compile(r"(\\w+)")\nlast = 1\n',
    ),
    "a sign that the search has without a backslash is the code's own": (
        "call(['-c', 'print(\"%s\")'])\n",
        "call(['-c', 'print(\\\"%s\\\")'])\n",
        "call(['-c', 'print(\\\"%d\\\", \\'x\\')'])\n",
        "call(['-c', 'print(\"%d\", \\'x\\')'])\n",
    ),
    "a line end in a string, beside line ends that are none": (
        SAID,
        'say(\\"hi\\", 1)\nsay(\\"ho\\", 2)\n',
        'say(\\"hi\\n\\", 1)\nsay(\\"ho\\", 2)\n',
        'say("hi\\n", 1)\nsay("ho", 2)\n',
    ),
    "line ends as letters, as the search shows": (
        SAID,
        'say(\\"hi\\", 1)\\nsay(\\"ho\\", 2)\n',
        'say(\\"hi\\", 1)\\nsay(\\"oh\\")\\nsay(\\"ho\\", 3)\n',
        'say("hi", 1)\nsay("oh")\nsay("ho", 3)\n',
    ),
    "one kind of quotes, beside another that the code has so": (
        "pair = '\"', '\\'', '\\/'\nlast = 1\n",
        "pair = '\\\"', '\\'', '\\/'\n",
        "pair = '\\\"', '\\'', '\\/'\nname = \\\"it\\\"\n",
        "pair = '\"', '\\'', '\\/'\nname = \"it\"\nlast = 1\n",
    ),
    "a new line that has the sign bare was not wrapped": (
        SAID,
        'say(\\"hi\\", 1)\n',
        'say(\\"hi\\", 1)\nsay("an \\"oh\\"", 1)\n',
        'say("hi", 1)\nsay("an \\"oh\\"", 1)\nsay("ho", 2)\n',
    ),
    "new lines that are lines were not wrapped": (
        SAID,
        'say("hi", 1)\\nsay("ho", 2)\n',
        'say("hi", 1)\nsay("h\\no", 2)\n',
        'say("hi", 1)\nsay("h\\no", 2)\n',
    ),
}  # fmt: skip

DOUBTFUL = {
    "whether backslashes are doubled": (SAID, 'say(\\"hi\\", 1)\n', 'say(\\"a\\\\b\\", 1)\n'),
    "whose apostrophe it is": (SAID, 'say(\\"hi\\", 1)\n', 'say(\\"it\\\'s\\", 1)\n'),
    "whether a string is torn": (
        SAID,
        'say(\\"hi\\", 1)\\nsay(\\"ho\\", 2)\n',
        'say(\\"hi\\n\\", 1)\\nsay(\\"ho\\", 2)\n',
    ),
    "whether a new line begins": (SAID, 'say(\\"hi\\", 1)\n', 'say(\\"hi\\", 1)\\nsay(\\"oh\\")\n'),
}


@pytest.mark.parametrize("name", LANDS)
def test_the_search_shows_what_stands_behind_a_backslash(name: str) -> None:
    file, search, replace, after = LANDS[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == after


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_the_search_does_not_show_is_a_conflict(name: str) -> None:
    file, search, replace = DOUBTFUL[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, NoMatch), outcome
    assert outcome.code is Code.CONFLICT
    assert "backslashes" in outcome.reason
