"""Where a guard begins to speak: at each bound it does, and one line or sign before it says nothing of the kind."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import parse
from dovetail.model.codes import Code
from dovetail.model.policy import DEFAULT_POLICY
from dovetail.model.results import Plan
from dovetail.session.apply.library import plan_for


def planned(reply: str, path: str, before: str) -> Plan:
    return plan_for(parse(reply), {path: before}, DEFAULT_POLICY)


def codes(reply: str, path: str, before: str) -> set[Code | str]:
    """The codes of the one edit, and of its warnings."""
    (result,) = planned(reply, path, before).results
    return {warning.code for warning in result.warnings} | ({result.code} if result.code is not None else set())


def lines(first: int, last: int) -> str:
    return "".join(f"line {n} of the log\n" for n in range(first, last + 1))


def begun(last: int) -> str:
    """The first lines, of which the first has changed: a text of nothing but old lines is a quote."""
    return f"first of the log\n{lines(2, last)}"


def listing(text: str, path: str = "a.conf") -> str:
    return f"{path}\n```\n{text}```\n"


def written(text: str, path: str = "a.conf") -> str:
    return json.dumps({"name": "write_file", "arguments": {"path": path, "content": text}})


def edited(old: str, new: str, path: str = "a.conf") -> str:
    return json.dumps({"name": "edit", "arguments": {"path": path, "old_string": old, "new_string": new}})


def framed(size: int) -> str:
    """A block whose lines with words are `size`."""
    return f"log {{\n{lines(2, size)}}}\n"


FRAME = "log {\n}\n"
LOST = {
    "a file of ten lines": (listing(begun(5)), lines(1, 10), True),
    "a file of nine lines": (listing(begun(4)), lines(1, 9), False),
    "five lines at its end": (listing(begun(7)), lines(1, 12), True),
    "four lines at its end": (listing(begun(8)), lines(1, 12), False),
    "more than a fifth of its lines": (listing(begun(19)), lines(1, 24), True),
    "a fifth of its lines": (listing(begun(20)), lines(1, 25), False),
    "two lines in their place": (listing(f"{begun(5)}end one\nend two\n"), lines(1, 10), True),
    "three lines in their place": (listing(f"{begun(5)}end one\nend two\nend three\n"), lines(1, 10), False),
    "its frame, by a call, of 25 lines": (written(FRAME), framed(25), True),
    "its frame, by a call, of 24 lines": (written(FRAME), framed(24), False),
    "more than 7 of 10 lines in a frame": (listing(f"log {{\n{lines(2, 3)}}}\n"), framed(11), True),
    "7 of 10 lines in a frame": (listing(f"log {{\n{lines(2, 3)}}}\n"), framed(10), False),
}


@pytest.mark.parametrize("name", LOST)
def test_the_end_of_a_file_is_lost_from_some_lines_on(name: str) -> None:
    reply, before, lost = LOST[name]
    assert (Code.LOST_TEXT in codes(reply, "a.conf", before)) is lost


@pytest.mark.parametrize("size", [9, 10])
def test_a_file_of_ten_lines_may_be_shorter_than_it_was(size: int) -> None:
    assert (Code.SHRUNK in codes(written("other one\nother two\n"), "a.conf", lines(1, size))) is (size == 10)


@pytest.mark.parametrize(
    ("gone", "told"),
    [(1, "It lacks `f1`."), (5, "It lacks `f1`, `f2`, `f3`, `f4`, `f5`."), (6, "`f4`, `f5` and more.")],
)
def test_what_a_shorter_text_lacks_is_named(gone: int, told: str) -> None:
    kept, before = ("".join(f"def f{n}():\n    go({n})\n" for n in range(most)) for most in (1, gone + 1))
    plan = planned(written(kept, "a.py"), "a.py", before)
    assert [told in warning.message for warning in plan.results[0].warnings] == [True]


@pytest.mark.parametrize("several", [True, False])
def test_a_new_definition_alone_is_a_text_where_its_file_has_one(several: bool) -> None:
    before = "def ring():\n    go()\n" + "\n\ndef shut():\n    stop()\n" * several
    reply = listing("def open_all():\n    begin()\n", "a.py")
    assert (Code.LOST_TEXT in codes(reply, "a.py", before)) is several


def argument(value: str, size: int = 0) -> str:
    """A line with a value in quotes, of `size` characters at least."""
    head = f'send("{value}", "'
    return f'{head}{"x" * (size - len(head) - 3)}")\n'


MASKS = {
    "a value of six signs": ("token: ab12cd, off\n", "token: ab...cd, on\n", True),
    "a value of five signs": ("token: ab1cd, off\n", "token: ab...cd, on\n", False),
    "a word of 32 signs": (f"{'a1' * 16}\n", "****\n", True),
    "a word of 31 signs": (f"{'a1' * 15}b\n", "****\n", False),
    "text of 32 signs": (f"key {'a1' * 14}\n", "<redacted>\n", True),
    "text of 31 signs": (f"key {'a1' * 13}b\n", "<redacted>\n", False),
    "a line of 2000 signs": (argument("tk9f83hd", 2_001), argument("********", 2_001), True),
    "a line of 2001 signs": (argument("tk9f83hd", 2_002), argument("********", 2_002), False),
    "the eighth line of its name": (
        "".join(f"set({n})\n" for n in range(7)) + argument("tk9f83hd"), argument("********"), True,
    ),
    "the ninth line of its name": (
        "".join(f"set({n})\n" for n in range(8)) + argument("tk9f83hd"), argument("********"), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MASKS)
def test_a_mask_stands_for_a_value_that_is_long_enough(name: str) -> None:
    old, new, masked = MASKS[name]
    assert (Code.MASKED_VALUE in codes(edited(old, new), "a.conf", f"{old}port: 1\n")) is masked


@pytest.mark.parametrize("digits", [7, 8])
def test_numbers_of_eight_digits_are_no_line_numbers(digits: int) -> None:
    new = "".join(f"{10 ** (digits - 1) + n}: calm\n" for n in range(3))
    assert (Code.FOREIGN_TEXT in codes(edited("calm\n", new), "a.conf", "sea\ncalm\n")) is (digits == 7)


REPEATED = {
    "one line": (
        "stop(mast, sail)",
        "this line would stand twice in a row, once from the edit: stop(mast, sail)",
        "Quote the line in the search, or leave it out of the new lines.",
    ),
    "two lines": (
        "stop(mast, sail)\nlower(mast, sail)",
        "2 lines would stand twice in a row, once from the edit: `stop(mast, sail)` to `lower(mast, sail)`",
        "Quote the lines in the search, or leave them out of the new lines.",
    ),
}


@pytest.mark.parametrize("name", REPEATED)
def test_lines_that_would_stand_twice_are_told_by_their_number(name: str) -> None:
    echo, reason, hint = REPEATED[name]
    (result,) = planned(edited("go()", echo, "a.py"), "a.py", f"go()\n{echo}\n").results
    assert (reason in (result.reason or ""), result.hint) == (True, hint)
