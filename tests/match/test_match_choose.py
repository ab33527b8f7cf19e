"""Which of several places the hints single out."""

from __future__ import annotations

import pytest

from dovetail.match import Ambiguous, Document, Match, Needle, locate
from dovetail.model.blocks import Hints

ONE = "    x = 1\n    return x\n"
TEXT = f"def one():\n{ONE}\n\ndef two():\n{ONE}\n\ndef three():\n{ONE}"
LINES = {"one": 2, "two": 7, "three": 12}


def found(hints: Hints) -> int | None:
    """The line where an edit with these hints lands; None where it is ambiguous."""
    document = Document(TEXT)
    match locate(document, Needle(ONE, "    return 1\n", hints=hints)):
        case Match(span=span):
            return document.line_at(span.start) + 1
        case Ambiguous(places=places):
            assert len(places) == len(LINES)
            return None
    raise AssertionError


ALONE = {
    "a line": (Hints(line=7), 7),
    "a line near by": (Hints(line=6), 7),
    "a scope": (Hints(scope=("def two():",)), 7),
    "the end": (Hints(at_end=True), 12),
    "a line and its scope": (Hints(line=8, scope=("def two():",)), 7),
    "a line between two, and a scope": (Hints(line=5, scope=("def two():",)), 7),
    "a line, and a scope that is nowhere": (Hints(line=7, scope=("def four():",)), 7),
    "a line and the end": (Hints(line=12, at_end=True), 12),
}


@pytest.mark.parametrize(("hints", "line"), ALONE.values(), ids=ALONE.keys())
def test_hints_that_agree_decide(hints: Hints, line: int) -> None:
    assert found(hints) == line


APART = {
    "a line and a scope": Hints(line=2, scope=("def two():",)),
    "a line and the end": Hints(line=7, at_end=True),
    "a scope and the end": Hints(scope=("def one():",), at_end=True),
}


@pytest.mark.parametrize("hints", APART.values(), ids=APART.keys())
def test_hints_that_contradict_each_other_decide_nothing(hints: Hints) -> None:
    assert found(hints) is None


def test_no_hint_is_no_decision() -> None:
    assert found(Hints()) is None


def test_a_scope_with_no_place_in_it_means_the_first_behind_it() -> None:
    document = Document("x = 1\n\ndef one():\n    y = 1\n\nx = 1\n\nx = 1\n")
    landed = locate(document, Needle("x = 1\n", "x = 2\n", hints=Hints(scope=("def one():",))))
    assert isinstance(landed, Match)
    assert document.line_at(landed.span.start) == 5


def test_a_scope_without_a_word_is_no_blank_line_of_the_file() -> None:
    places = Document("x = 1\ny = 2\n\nx = 1\n"), Needle("x = 1\n", "x = 2\n", hints=Hints(scope=("",)))
    assert isinstance(locate(*places), Ambiguous)


def test_a_scope_holds_what_its_brace_on_a_line_of_its_own_opens() -> None:
    go = "    Go();\n"
    document = Document(f"void One()\n{{\n{go}    Stop();\n{go}}}\n\nvoid Two()\n{{\n{go}}}\n")
    one, two = (Needle(go, "    Run();\n", hints=Hints(scope=(f"void {name}()",))) for name in ("One", "Two"))
    assert isinstance(locate(document, one), Ambiguous)
    assert isinstance(landed := locate(document, two), Match)
    assert document.line_at(landed.span.start) == 9
