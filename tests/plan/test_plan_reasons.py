"""What a failed edit tells: the real cause, the lines that disagree, and an act that its format allows."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import parse
from dovetail.model.results import BlockResult
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan
from dovetail.syntax import default_language

TILL = "def count(till):\n    total = 0\n    for coin in till:\n        total += coin.value\n    return total\n"
TWO = "def one():\n    go()\n\n\ndef two():\n    go()\n"
PATHS = "Write the file's path in the call's field `path`."


def block(search: str, replace: str, path: str = "a.py") -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"


def call(**fields: object) -> str:
    return json.dumps({"name": "edit", "arguments": fields})


def anchored(leading: str, old: str, trailing: str = "") -> str:
    return f"a.py\n<<<<<<< EDIT\n{leading}-------\n{old}=======\nnew()\n-------\n{trailing}>>>>>>>\n"


def failed(reply: str, text: str) -> BlockResult:
    """The first result, which is a failure."""
    parsed = parse(reply)
    done = plan(parsed, Snapshot.of({"a.py": text}), language=default_language())
    assert done.failed, done.results
    return done.failed[0]


TOLD = {
    "a changed line": (
        block(TILL.replace("value", "worth"), TILL.replace("value", "size")),
        TILL,
        "in the file. The edit quotes `total += coin.worth`, the file has `total += coin.value`.",
    ),
    "a changed line, as the reply quotes it": (
        block("run —fast —quiet now\n", "run —fast —quiet later\n"),
        "run --fast --quiet now\n",
        "The edit quotes `run —fast —quiet now`, the file has `run --fast --quiet now`.",
    ),
    "a line that the file lacks": (
        block(
            TILL.replace("    return", "    log()\n    return"), TILL.replace("    return", "    log(1)\n    return")
        ),
        TILL,
        "Line 5: the file lacks a line of the search here. The edit quotes `log()`, the file has `return total`.",
    ),
    "a line that the search lacks": (
        block(TILL, TILL.replace("= 0", "= 1")),
        TILL.replace("    for", "    seen = set()\n    for"),
        "touches the lines that the edit changes. The file has `seen = set()`.",
    ),
    "a long line": (
        block(f"x = [{'1, ' * 60}2]\ny = 1\n", "x = []\ny = 1\n"),
        f"x = [{'1, ' * 60}3]\ny = 1\n",
        "1, 1, 2]`, the file has `…",
    ),
    "an anchor": (anchored("def count(till):\n    sum = 0\n", "x\n"), TILL, "is not in the file: sum = 0"),
    "old lines": (
        anchored("def count(till):\n", "    total = 0\n    while till:\n"),
        TILL,
        "are not behind the leading anchor, at line 2: while till:",
    ),
    "a trailing anchor": (
        anchored("def count(till):\n", "    total = 0\n", "    for coin in till:\n        pass\n"),
        TILL,
        "is not behind the old lines, at line 3: pass",
    ),
    "a number of places": (
        call(path="a.py", old_string="go()", new_string="stop()", expected_replacements=3),
        TWO,
        "stands in 2 places, and the edit expects 3: lines 2, 6.",
    ),
    "no text": (block("x = 1\n", "x = 2\n"), "\n", "The file has no text."),
    "broken JSON": (
        '{"name": "edit", "arguments": {"path": "a.py", "old_string": "x", "new_string": "say("y")"}}',
        TILL,
        """is no JSON: expecting ',' delimiter behind `"old_string": "x", "new_string": "say("`.""",
    ),
    "a call that is cut off": (
        '{"name": "edit", "arguments": {"path": "a.py", "old_string": "x", "new_string": "sa',
        TILL,
        "is no JSON: unterminated string behind `",
    ),
    "a block that is cut off": (
        "a.py\n<<<<<<< SEARCH\n    total = 0\n",
        TILL,
        "before its divider; it may have been cut off.",
    ),
    "a line that is not there": (
        call(path="a.py", edits=[{"op": "replace", "pos": "9#VK", "lines": ["x"]}]),
        TILL,
        "The edit names line 9, and the last line of `a.py` is 5.",
    ),
    "a hash": (
        call(path="a.py", edits=[{"op": "replace", "pos": "5#VK", "lines": ["x"]}]),
        TILL,
        "is not that of line 5 in `a.py`: `return total`.",
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_the_reason_names_what_disagrees(name: str) -> None:
    reply, text, reason = TOLD[name]
    assert reason in (failed(reply, text).reason or "")


HINTS = {
    "a call without a path": (call(old_string="gone", new_string="come"), PATHS),
    "an action without a path": (
        '<boltArtifact id="a" title="b">\n<boltAction type="file">\nx\n</boltAction>\n</boltArtifact>\n',
        "Write the file's path in the action's attribute `filePath`.",
    ),
    "a patch of no file": (
        "*** Begin Patch\n*** Update File: b.py\n@@\n-one\n+two\n*** End Patch\n",
        "Name a file that exists, or send all of its text as a new file.",
    ),
}


@pytest.mark.parametrize("name", HINTS)
def test_the_hint_is_an_act_that_the_format_allows(name: str) -> None:
    reply, hint = HINTS[name]
    found = failed(reply, TILL)
    assert (found.block.malformed.hint if found.block.malformed else found.hint) == hint


NEAREST = {
    "a short line": (block("y = 2\n", "y = 3\n"), "x = 1\ny = 5\n", (2, "y = 2", "y = 5"), "66% alike"),
    "a part of a line": (block("y = 2\n", "y = 3\n"), "x = 1\ny = 22\n", (None, None, None), "as it is quoted"),
    "a sketch": (
        "a.py\n```\n# ... existing code ...\n    shut(till)\n# ... existing code ...\n    total = 1\n```\n",
        TILL,
        (None, None, None),
        "nothing in the file",
    ),
    "nothing": (block("SELECT name FROM users;\n", "SELECT 1;\n"), TILL, (None, None, None), "nothing in the file"),
}


@pytest.mark.parametrize("name", NEAREST)
def test_what_is_nearest_is_said_as_it_is(name: str) -> None:
    reply, text, line, words = NEAREST[name]
    nearest = failed(reply, text).nearest
    assert nearest is not None
    assert (nearest.line, nearest.expected, nearest.found) == line
    assert words in nearest.summary


def test_lines_that_differ_are_shown_to_a_call_that_quotes_a_part_of_them() -> None:
    """Quoting the whole line is the shortest way to name one of them."""
    result = failed(call(path="a.py", old_string="count", new_string="sum"), "count(till)\ncount(corn)\n")
    assert result.hint == "Quote the whole line: line 1 is `count(till)`; line 2 is `count(corn)`."
