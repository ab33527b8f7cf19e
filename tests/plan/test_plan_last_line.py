"""What a diff says of its file's last line end."""

from __future__ import annotations

import pytest
from plan_builders import after, planned

from dovetail.formats import parse, render

NONE = "\\ No newline at end of file\n"
GIVEN = {
    "to a line that stays": (f" x\n-y\n{NONE}+y\n", "x\ny", "x\ny\n"),
    "to a line that changes": (f" x\n-y\n{NONE}+z\n", "x\ny", "x\nz\n"),
    "to a line that is added": (f" x\n-y\n{NONE}+y\n+z\n", "x\ny", "x\ny\nz\n"),
    "to the line above": (f" x\n-y\n{NONE}", "x\ny", "x\n"),
    "to a blank line that is kept": (f" x\n \n-y\n{NONE}", "x\n\ny", "x\n\n"),
    "to a blank line that is added": (f"-x\n{NONE}+y\n+\n", "x", "y\n\n"),
    "to the only line": (f"-y\n{NONE}+y\n", "y", "y\n"),
}
TAKEN = {
    "from a line that stays": (f" x\n-y\n+y\n{NONE}", "x\ny\n", "x\ny"),
    "from a line that changes": (f" x\n-y\n+z\n{NONE}", "x\ny\n", "x\nz"),
    "from a line that is added": (f" y\n+z\n{NONE}", "x\ny\n", "x\ny\nz"),
    "from the line above": (f"-x\n-y\n+x\n{NONE}", "x\ny\n", "x"),
}
LEFT = {
    "neither has one": (f" x\n-y\n{NONE}+z\n{NONE}", "x\ny\n", "x\nz\n"),
    "of a line that stays": (f"-x\n+q\n y\n{NONE}", "x\ny\n", "q\ny\n"),
    "of a line further up, to be given": (f" x\n-y\n{NONE}+z\n", "x\ny\nw", "x\nz\nw"),
    "of a line further up, to be taken": (f"-y\n+z\n{NONE}", "x\ny\nw\n", "x\nz\nw\n"),
    "no word of it": ("-y\n+z\n", "x\ny", "x\nz"),
}
SPOKEN = {**GIVEN, **TAKEN}


def result(lines: str, text: str) -> str:
    reply = f"```diff\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n{lines}```\n"
    return after({"f": text}, planned({"f": text}, *parse(reply).blocks))["f"]


@pytest.mark.parametrize(("lines", "before", "wanted"), {**SPOKEN, **LEFT}.values(), ids={**SPOKEN, **LEFT}.keys())
def test_the_end_is_given_or_taken_only_where_the_file_ends(lines: str, before: str, wanted: str) -> None:
    assert result(lines, before) == wanted
    crlf = before.replace("\n", "\r\n")
    if "\r" in crlf:
        assert result(lines, crlf) == wanted.replace("\n", "\r\n")


@pytest.mark.parametrize(("lines", "before", "wanted"), SPOKEN.values(), ids=SPOKEN.keys())
def test_the_second_time_nothing_is_left_to_do(lines: str, before: str, wanted: str) -> None:
    del before
    assert result(lines, wanted) == wanted


@pytest.mark.parametrize(("lines", "before", "wanted"), TAKEN.values(), ids=TAKEN.keys())
def test_an_end_that_is_missing_already_stays_missing(lines: str, before: str, wanted: str) -> None:
    assert result(lines, before.removesuffix("\n")) == wanted


@pytest.mark.parametrize(("lines", "before", "wanted"), SPOKEN.values(), ids=SPOKEN.keys())
def test_a_rendered_diff_says_the_same(lines: str, before: str, wanted: str) -> None:
    blocks = parse(f"```diff\n--- f\n+++ f\n@@ @@\n{lines}```\n").blocks
    again = parse(render(blocks, "udiff")).blocks
    assert [b.last_end for b in again] == [b.last_end for b in blocks]
    assert after({"f": before}, planned({"f": before}, *again)) == {"f": wanted}


@pytest.mark.parametrize("old", ["/dev/null", "a/n"])
def test_a_new_file_is_written_without_its_last_line_end(old: str) -> None:
    for lines, text in ((f"+a\n+b\n{NONE}", "a\nb"), ("+a\n+b\n", "a\nb\n")):
        reply = f"```diff\n--- {old}\n+++ b/n\n@@ -0,0 +1,2 @@\n{lines}```\n"
        assert after({}, planned({}, *parse(reply).blocks)) == {"n": text}


def test_of_equal_hunks_none_ends_a_line_further_up() -> None:
    lines = f"-y\n+z\n{NONE}"
    reply = f"```diff\n--- f\n+++ f\n@@ @@\n{lines}@@ @@\n{lines}```\n"
    for before, wanted in {"y\ny\nw\n": "z\nz\nw\n", "y\nx\ny\n": "z\nx\nz"}.items():
        assert after({"f": before}, planned({"f": before}, *parse(reply).blocks)) == {"f": wanted}
