"""Warnings about files that parsed before and no longer do."""

from __future__ import annotations

from plan_builders import OK, bad, codes, edit, new_file, said, whole

from dovetail.model.blocks import Block
from dovetail.model.codes import Code
from dovetail.model.results import Plan
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan
from dovetail.syntax import default_language

GOOD = "def f(a):\n    return a\n\n\ndef g(b):\n    return b\n"
BREAKS = edit("f.py", "    return b\n", "    return (b\n")
HARMLESS = edit("f.py", "    return a\n", "    return a + 1\n")


def planned_with_syntax(files: dict[str, str], *blocks: Block) -> Plan:
    return plan(blocks, Snapshot.of(files), language=default_language())


def test_the_edit_that_breaks_it_is_warned_about_and_applied() -> None:
    made = planned_with_syntax({"f.py": GOOD}, HARMLESS, BREAKS)
    assert [codes(result.warnings) for result in made.results] == [[], [Code.NEW_SYNTAX_ERROR]]
    assert made.results[1].warnings[0].line is not None
    assert len(made.changes) == 1


def test_an_edit_of_another_file_is_not_warned_about() -> None:
    other = edit("g.py", "    return b\n", "    return b + 1\n")
    made = planned_with_syntax({"f.py": GOOD, "g.py": GOOD}, BREAKS, other)
    assert [codes(result.warnings) for result in made.results] == [[Code.NEW_SYNTAX_ERROR], []]


def test_a_file_that_did_not_parse_before_is_nobodys_fault() -> None:
    made = planned_with_syntax({"f.py": GOOD + "def h(\n"}, HARMLESS)
    assert not made.results[0].warnings


def test_new_files_and_unknown_languages_are_not_looked_at() -> None:
    made = planned_with_syntax({"f.unknown": "x\n"}, new_file("g.py", "def (\n"), edit("f.unknown", "x\n", "(\n"))
    assert not [warning for result in made.results for warning in result.warnings]


def test_a_listing_that_was_completed_to_what_does_not_parse_is_refused() -> None:
    listing = whole("f.py", "# ... existing code ...\n\n\ndef g(b):\n    return b +\n")
    made = planned_with_syntax({"f.py": GOOD}, listing)
    assert said(made.results) == [bad(Code.ELIDED)]
    assert "line 6" in (made.results[0].reason or "")
    assert not made.changes
    broken = whole("f.py", listing.replace + "\n\ndef h(\n")
    assert said(planned_with_syntax({"f.py": GOOD + "\n\ndef h(\n"}, broken).results) == [OK]
