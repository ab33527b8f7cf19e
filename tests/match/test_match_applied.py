"""An edit that landed at a loose tier was made already; one that was made in part, or elsewhere, was not."""

from __future__ import annotations

import pytest

from dovetail.match import AlreadyApplied, Document, Match, Needle, locate
from dovetail.model.codes import Tier
from dovetail.model.text import apply_edits
from dovetail.syntax import default_language

FILE = """\
def load(path, limit=20):
    rows = []
    handle = open(path)
    for line in handle:
        rows.append(line.strip())
    if len(rows) > limit:
        raise ValueError("too many rows")
    return rows


def save(path, rows):
    with open(path, "w") as handle:
        handle.write("\\n".join(rows))
    return path
"""
SEARCH = FILE[FILE.index("    rows") : FILE.index("\n\ndef save")]
REPLACE = SEARCH.replace("handle = open(path)\n", 'handle = open(path, encoding="utf-8")\n').replace(
    "    return rows", "    handle.close()\n    return rows"
)
AFTER = FILE.replace(SEARCH, REPLACE)

TOLD = {
    "one wrong letter": (Tier.FUZZY, lambda text: text.replace("append", "apqend")),
    "a line forgotten": (Tier.FUZZY, lambda text: text.replace("        rows.append(line.strip())\n", "")),
    "a line wrapped": (Tier.SYNTAX, lambda text: text.replace("raise ValueError(", "raise ValueError(\n            ")),
    "a run elided": (
        Tier.ELISION,
        lambda text: text.replace("    for line in handle:\n        rows.append(line.strip())\n", "    # ...\n"),
    ),
    "numbered": (
        Tier.FORM,
        lambda text: "".join(f"{number:3} | {line}\n" for number, line in enumerate(text.splitlines(), 2)),
    ),
    "at the margin": (
        Tier.INDENTATION,
        lambda text: "".join(line.removeprefix("    ") for line in text.splitlines(keepends=True)),
    ),
}


def ask(file: str, search: str, replace: str) -> object:
    return locate(Document(file), Needle(search, replace), language=default_language(), path="rows.py")


@pytest.mark.parametrize("name", TOLD)
def test_what_landed_is_not_landed_again(name: str) -> None:
    tier, told = TOLD[name]
    first = ask(FILE, told(SEARCH), told(REPLACE))
    assert isinstance(first, Match) and first.tier is tier, first
    after = apply_edits(FILE, first.edits)
    assert after == AFTER
    again = ask(after, told(SEARCH), told(REPLACE))
    assert isinstance(again, AlreadyApplied), again
    assert 'encoding="utf-8"' in after[again.span.start : again.span.end]


NOT_MADE = {
    "nothing": FILE,
    "one change of two": FILE.replace("open(path)", 'open(path, encoding="utf-8")'),
    "the other one": FILE.replace("    return rows", "    handle.close()\n    return rows"),
    "another word": AFTER.replace("utf-8", "latin-1"),
    "the old line still beside the new one": AFTER.replace(
        "    handle = open(path, ", "    handle = open(path)\n    handle = open(path, "
    ),
}


@pytest.mark.parametrize("file", NOT_MADE.values(), ids=NOT_MADE)
@pytest.mark.parametrize("name", TOLD)
def test_what_was_not_made_is_never_called_so(name: str, file: str) -> None:
    _, told = TOLD[name]
    assert not isinstance(ask(file, told(SEARCH), told(REPLACE)), AlreadyApplied)


def test_a_line_was_not_rewritten_where_it_stands_above_what_it_became_though_the_next_one_is_gone() -> None:
    search = "  <h2>the first shelf</h2>\n  <p>it holds four books</p>\n  <ul>\n    <li>all of them</li>\n"
    replace = "  <h2>the last shelf</h2>\n  <ul>\n    <li>all of them</li>\n"
    file = f"<section>\n  <h2>the first shelf</h2>\n{replace}  </ul>\n"
    assert not isinstance(locate(Document(file), Needle(search, replace)), AlreadyApplied)
