"""An edit is for the file that the nearest line above names, whatever the name and however the line is decorated."""

from __future__ import annotations

from itertools import product

import pytest

from dovetail.formats import parse
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan

SHARED = "open = 9\n"
FIRST = "size = 1\n"
BEFORE = f"till.py\n```\n<<<<<<< SEARCH\n{FIRST}=======\nsize = 2\n>>>>>>> REPLACE\n```\n\n"
BODY = f"<<<<<<< SEARCH\n{SHARED}=======\nopen = 8\n>>>>>>> REPLACE\n"
FENCED = f"```\n{BODY}```\n"

NAMES = [
    "SConstruct",
    "wscript",
    "deploy",
    "config",
    "go",
    "bin/start",
    "my file.md",
    "docs/two words.txt",
    "Notes on use.txt",
    "C#.md",
    "f++.c",
    "what?.md",
    "a&b.md",
    "100%.md",
    "a;b.py",
    "data/day=1/a.csv",
    "app/[id]/page.tsx",
    "app/(shop)/[...slug]/page.tsx",
    "{{ box.name }}/setup.py",
    "build.sbt",
    ".env.local",
    "@scope/a.ts",
    "_draft_.md",
    "x.tar.gz",
    "CHANGES",
    "Übersicht.md",
    "日本語 メモ.md",
    "données/été.csv",
    "a.b.c.d",
    "v1.2/notes",
]
LINES = {
    "bare": "{0}\n" + FENCED,
    "bare, no fence": "{0}\n" + BODY,
    "blank line between": "{0}\n\n" + FENCED,
    "back-ticks": "`{0}`\n" + FENCED,
    "colon": "`{0}`:\n" + FENCED,
    "bold": "**{0}**\n" + FENCED,
    "bold and back-ticks": "**`{0}`**\n\n" + FENCED,
    "heading": "### {0}\n\n" + FENCED,
    "heading and back-ticks": "### `{0}`\n\n" + FENCED,
    "item": "1. `{0}`\n\n" + FENCED,
    "label": "File: {0}\n" + FENCED,
    "section": "### File: {0}\n" + BODY,
    "inside the fence": "```\n{0}\n" + BODY + "```\n",
    "comment": "```\n# {0}\n" + BODY + "```\n",
    "sentence": "And `{0}`:\n\n" + FENCED,
    "sentence further on": "Now `{0}` gets the same hours.\n" + FENCED,
    "words between": "`{0}`\n\nIt opens an hour earlier:\n\n" + FENCED,
    "behind an introduction": "This is called by `till.py`, too.\n\n`{0}`\n" + FENCED,
}
WITHOUT_FILE = [line for line in LINES if not line.startswith("sentence")]
LANGUAGES = ("go",)


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_names_a_file_that_exists_is_that_file(line: str) -> None:
    for name, holds in product(NAMES, (True, False)):
        files = {"till.py": FIRST + SHARED, "other/hours.py": SHARED, name: SHARED if holds else "shut = 5\n"}
        done = plan(parse(BEFORE + LINES[line].format(name)), Snapshot.of(files))
        after = {change.path: change.after for change in done.changes}
        wanted = {"till.py": "size = 2\n" + SHARED, name: "open = 8\n"} if holds else {}
        assert after == wanted, (name, [(result.path, result.code) for result in done.results])


@pytest.mark.parametrize("line", WITHOUT_FILE)
def test_a_line_that_is_a_name_alone_never_gives_way_to_the_file_before(line: str) -> None:
    files = {"till.py": FIRST + SHARED}
    for name in NAMES:
        if name in LANGUAGES and "File:" not in LINES[line]:
            continue
        done = plan(parse(BEFORE + LINES[line].format(name)), Snapshot.of(files))
        assert done.changes == (), (name, [(result.path, result.code) for result in done.results])
