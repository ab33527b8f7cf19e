"""Which lines stand for others that they do not show, and which only look so."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Tier
from dovetail.model.diagnostics import Difference
from dovetail.model.text import apply_edits
from dovetail.text.omission import elides

STANDS_FOR_LINES = [
    "...",
    "// ...",
    "# [...]",
    "// ... existing code ...",
    "// ... [existing checks can stay] ...",
    "// ... [rest of the handlers]",
    "// [... existing code ...]",
    "// [rest of the handlers] ...",
    "# (... the remaining cases ...)",
    "/* [... other rules ...] */",
    "<!-- [... other rows ...] -->",
    "{/* ... [rest of the page] ... */}",
    "[... rest of the text unchanged ...]",
    "... [rest of the component remains the same]",
    "// ...rest of it",
    "...existing code...",
]

SAYS_SOMETHING = [
    "...rest,",
    "...rest",
    "...rest;",
    "...other.props,",
    "...(other as Props),",
    "...existing.map(key),",
    "...rest, previous",
    "[...rest, last]",
    "[...rest]",
    "(...rest: string[])",
    "{ ...rest };",
    "{ ...rest, other },",
    "run(first, ...rest);",
    "# [existing users]",
    "# see the rest",
]


@pytest.mark.parametrize("line", STANDS_FOR_LINES)
def test_words_and_dots_stand_for_lines_in_brackets_too(line: str) -> None:
    assert elides(f"    {line}")


@pytest.mark.parametrize("line", SAYS_SOMETHING)
def test_code_that_spreads_a_name_stands_for_nothing(line: str) -> None:
    assert not elides(f"    {line}")


def test_an_elision_in_brackets_keeps_what_it_stands_for() -> None:
    file = "on(key, () => {\n  const held = key.held;\n  log(held);\n\n  restart();\n\n  speak();\n});\n"
    search = "on(key, () => {\n  // ... [existing logs] ...\n\n  restart();\n\n  // ... [rest of the keys] ...\n});\n"
    outcome = locate(Document(file), Needle(search, search.replace("restart()", "restart(true)")))
    assert isinstance(outcome, Match), outcome
    assert outcome.tier is Tier.ELISION
    assert apply_edits(file, outcome.edits) == file.replace("restart()", "restart(true)")


def test_an_elision_in_brackets_that_the_replacement_lacks_is_told() -> None:
    file = "def run():\n    a()\n    b()\n    c()\n"
    outcome = locate(
        Document(file), Needle("def run():\n    # [... existing calls ...]\n    c()\n", "def run():\n    c()\n")
    )
    assert isinstance(outcome, NoMatch), outcome
    assert outcome.nearest is not None
    assert outcome.nearest.difference is Difference.ELIDED


def test_a_spread_is_no_gap_that_hides_other_lines() -> None:
    file = "const a = {\n  first: 1,\n  second: 2,\n  last: 3,\n};\n"
    search = "const a = {\n  ...rest,\n  last: 3,\n};\n"
    outcome = locate(Document(file), Needle(search, search.replace("last: 3", "last: 4")))
    assert not isinstance(outcome, Match), outcome
