"""Warnings about files that parsed before and no longer do, and listings that only their definitions tell apart."""

from __future__ import annotations

import pytest
from plan_builders import after, codes, edit, new_file, whole

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


def test_new_files_are_looked_at_and_unknown_languages_are_not() -> None:
    made = planned_with_syntax({"f.unknown": "x\n"}, new_file("g.py", "def (\n"), edit("f.unknown", "x\n", "(\n"))
    assert [warning.path for result in made.results for warning in result.warnings] == ["g.py"]


SERVER = 'import web from "web";\n\nconst app = web();\n\napp.get("/a", one);\napp.get("/b", two);\napp.listen(80);\n'
CACHE = """import json
import time
from collections import Counter


def load(path):
    return json.load(path), time.time()


def best(words):
    return Counter(words).most_common(3)


def shout(word):
    return word.upper()
"""


MAPS = "int one() { return 1; }\n\nint two() {\n  int n = one();\n  return n + 1;\n}\n\nint three() { return 3; }\n"
JAVA = "class C extends B {\n  int c = 1;\n}\n\nclass D extends B {\n  int d = 2;\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "text"),
    [
        ("a.js", SERVER, 'import web from "web";\n\nconst app = web();\napp.post("/c", three);\n'),
        ("a.js", SERVER, 'import web from "web";\n\nexport default (app) => app.post("/c", web);\n'),
        ("a.py", CACHE, "import json\n\n\ndef store(path, it):\n    json.dump(it, path)\n"),
        ("a.py", CACHE, "from cache.words import best, load, shout\n"),
        ("a.py", CACHE, "from cache.words import Words\n"),
        ("a.md", f"# Web\n\n```js\n{SERVER}```\n", '# Web\n\n```js\napp.get("/c", three);\n```\n'),
        ("a.cpp", f"#include <map>\n\n{MAPS}", "#include <map>\n\nusing namespace std;\n\nint none() { return 0; }\n"),
        ("A.java", f"import a.B;\n\n{JAVA}", "import c.*;\n\nclass E extends F {}\n"),
    ],
)
def test_a_listing_that_uses_what_it_brings_in_or_passes_it_on_replaces_its_file(
    path: str, before: str, text: str
) -> None:
    assert after({path: before}, planned_with_syntax({path: before}, whole(path, text))) == {path: text}
