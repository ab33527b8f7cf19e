"""A search that is a part of a line: what stands beside it stays with its line, or nothing is written."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Code, Tier
from dovetail.model.text import apply_edits

KEPT = "def f():\n    a = 1  # keep: the start\n    b = 2\n"

LANDS = {
    "nothing in its place": ("run(first, 2)\n", "first, 2\n", "", "run()\n"),
    "as many lines": (KEPT, "a = 1\n", "a = 2\n", KEPT.replace("a = 1", "a = 2")),
    "a rule of a style sheet that was made small": ("a{b:c}.d{e:f;g:h}.i{j:k}\n", ".d{e:f;g:h}\n", ".d{e:f}\n", "a{b:c}.d{e:f}.i{j:k}\n"),
    "fewer lines": ("x = f(\n    a,\n    b,\n);\n", "f(\n    a,\n    b,\n)\n", "f(a, b)\n", "x = f(a, b);\n"),
    "a line between whole ones, behind a part": (
        "function f() {\n  a();\n  b();\n}\n", "f() {\n  a();\n", "f() {\n  log();\n  a();\n", "function f() {\n  log();\n  a();\n  b();\n}\n",
    ),
    "as it stands, also where whole lines are the same but for blanks": (
        "last = call(\n  one)\n    call(\n      one)\n", "call(\n  one)\n", "call(\n  two)\n",
        "last = call(\n  two)\n    call(\n      one)\n",
    ),
}  # fmt: skip

REFUSED = {
    "a line above, where text stands before": ("  if (a) return 1;\n", "return 1;\n", "log();\nreturn 1;\n"),
    "a line behind, where text stands before": ("  if (a) go();\n", "go();\n", "go();\nlog();\n"),
    "more lines for one, where text stands before": ("run(first, 2)\n", "first, 2\n", "first,\n2\n"),
    "a line behind, where a block is closed on the line": ("if (a) { go(); }\n", "if (a) {\n", "if (a) {\n  log();\n"),
    "a line behind, where the statement goes on": ("  if (a) return 1;\n", "if (a)\n", "if (a)\n  log();\n"),
    "a line behind, where a comment is not closed": ("a = 1; /* what\nfollows */\n", "a = 1;\n", "a = 1;\nb = 2;\n"),
    "more lines for one with a comment": (KEPT, "a = 1\n", "a = 2\nc = 3\n"),
    "the line of a comment is deleted": ("a = 1\nb = 2  # why\nc = 3\n", "a = 1\nb = 2\n", "a = 1\n"),
}


def test_an_indented_search_means_whole_lines_where_there_are_some() -> None:
    file = "each(() => {\n    call(\n        one\n    );\n  }\n  last();\n}, '');\n}\n"
    outcome = locate(Document(file), Needle("  );\n}\n", "  );\n}\nreset();\n"))
    assert isinstance(outcome, Match), outcome
    assert outcome.tier is Tier.INDENTATION
    assert apply_edits(file, outcome.edits) == file.replace("  }\n", "  }\n  reset();\n")


def test_an_indented_search_means_whole_lines_though_a_part_of_others_is_the_same() -> None:
    file = "a = 1\n    b = 2  # keep\n\n  a = 1\n  b = 2\n"
    outcome = locate(Document(file), Needle("    a = 1\n    b = 2\n", "    a = 1\n    b = 3\n"))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == "a = 1\n    b = 2  # keep\n\n  a = 1\n  b = 3\n"


NO_PART = {
    "what stands before comes along": ("return total + 1\n", "total + 1\n", "return total + 2\n"),
    "what stands behind comes along": ("go(); return\n", "go();\n", "run(); return\n"),
    "a member's owner": ("x = a.b\n", "x = a\n", "y = a\n"),
    "a type's end, and a word right behind it": ("a(b<c>d)\n", "b<c>\n", "e<c>\n"),
}


@pytest.mark.parametrize("name", NO_PART)
def test_a_part_ends_between_words_and_is_not_meant_for_the_whole_line(name: str) -> None:
    file, search, replace = NO_PART[name]
    assert isinstance(locate(Document(file), Needle(search, replace)), NoMatch)


@pytest.mark.parametrize("name", LANDS)
def test_lands(name: str) -> None:
    file, search, replace, after = LANDS[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert (apply_edits(file, outcome.edits), outcome.tier) == (after, Tier.PART_LINE)
    assert all(outcome.span.start <= edit.span.start <= edit.span.end <= outcome.span.end for edit in outcome.edits)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    file, search, replace = REFUSED[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, NoMatch), outcome
    assert outcome.code is Code.CONFLICT


def test_one_doubtful_place_of_several_stops_all() -> None:
    needle = Needle("go();\n", "log();\ngo();\n", replace_all=True)
    assert isinstance(locate(Document("go(); // a\nif (a) go(); // b\n"), needle), NoMatch)


def test_a_run_of_characters_is_replaced_to_the_letter() -> None:
    outcome = locate(Document("  if (a) return 1;\n"), Needle("return 1;", "log();\nreturn 1;", inline=True))
    assert isinstance(outcome, Match)
    assert apply_edits("  if (a) return 1;\n", outcome.edits) == "  if (a) log();\nreturn 1;\n"


def test_a_run_of_characters_has_the_line_ends_that_it_names() -> None:
    assert isinstance(locate(Document("a = 1  # b\n"), Needle("a = 1\n", "a = 2\n", inline=True)), NoMatch)
    (edit,) = locate(Document("a = 1\r\nb = 2\r\n"), Needle("a = 1", "a = 1\nc = 3", inline=True)).edits  # type: ignore[union-attr]
    assert edit.text == "\r\nc = 3"


@pytest.mark.parametrize("search", ["\n    a = 1\n", "    a = 1\n\n", "\n    a = 1\n    b = 1\n"])
def test_a_blank_line_at_an_end_is_no_part_of_the_line_beside(search: str) -> None:
    file = "def f():\n    a = 1\n    b = 1\n    c = 1\n"
    outcome = locate(Document(file), Needle(search, "    a = 2\n    d = 2\n"))
    if isinstance(outcome, Match):
        assert apply_edits(file, outcome.edits).startswith("def f():\n    a = 2\n    d = 2\n")
    assert not isinstance(outcome, Match) or outcome.tier is not Tier.PART_LINE


def test_what_begins_behind_a_bracket_and_ends_with_a_blank_line_is_not_found() -> None:
    assert isinstance(locate(Document("f(a,\n\nb)\n"), Needle("a,\n\n", "c,\n")), NoMatch)


@pytest.mark.parametrize(
    ("search", "replace", "line"),
    [
        ("rate = ol", "rate = new", 2),  # in a word
        ("rate = old", "rate = new", 2),  # of a longer expression
        ("rate = old", "", 2),  # was not deleted already
        ("e = old.rate\n    go", "e = 1\n    stop", 2),
    ],
)
def test_a_search_that_stands_inside_a_line_is_not_said_to_be_missing(search: str, replace: str, line: int) -> None:
    missed = locate(Document("def f():\n    rate = old.rate\n    go()\n"), Needle(f"{search}\n", f"{replace}\n"))
    assert isinstance(missed, NoMatch)
    assert missed.code == Code.NO_MATCH
    assert missed.reason.startswith(f"The search text stands at line {line}, but not as whole lines")
    assert missed.hint == "Quote whole lines of the file."


def test_whole_lines_are_no_part_of_a_line() -> None:
    missed = locate(Document("def f():\n        go()\n"), Needle("    go()\n", "    stop()\n"), tiers=(Tier.EXACT,))
    assert isinstance(missed, NoMatch)
    assert missed.reason == "The search text is not in the file."


def test_an_indented_line_that_stands_once_inside_a_line_is_that_part() -> None:
    file = "if ready: start(first)\nstop(second)\n"
    outcome = locate(Document(file), Needle("    start(first)\n", "    start(third)\n"))
    assert isinstance(outcome, Match)
    assert outcome.tier is Tier.PART_LINE
    assert apply_edits(file, outcome.edits) == "if ready: start(third)\nstop(second)\n"


def test_an_indented_line_is_not_the_name_of_a_definition() -> None:
    file = "def start(first): return first\n"
    assert isinstance(locate(Document(file), Needle("    start(first)\n", "    stop(first)\n")), NoMatch)
