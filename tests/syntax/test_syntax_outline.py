"""Scopes as `first-header-last`, lines from 0, and the names that a text uses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.syntax import default_language
from dovetail.syntax.outline import outline
from dovetail.syntax.parsing import GRAMMARS, parse

OUTLINES = {
    "a.py": (
        (
            "class A:\n    @d\n    def f(\n        self,\n    ):\n        if x:\n            a = [\n                1,\n"
            "            ]\n        else:\n            b\n"
        ),
        "0-0-10 1-1-10 2-4-10 2-2-4 5-5-10 6-6-8 9-9-10",
    ),
    "a.ts": (
        "if (a) {\n x\n} else {\n y\n}\nfunction f(\n a,\n b,\n) {\n return {\n  a: 1,\n };\n}\n",
        "0-0-4 0-0-2 2-2-4 5-8-12 5-5-8 8-8-12 9-9-11",
    ),
    "a.c": ("int f(int a)\n{\n  if (a)\n  {\n    b;\n  }\n}\n", "0-1-6 1-1-6 2-3-5 3-3-5"),
    "a.java": (
        "@A\n@B\nclass C\n  extends D {\n  @O\n  int f(\n    int a) {\n    return a;\n  }\n}\n",
        "0-3-9 0-0-1 3-3-9 4-6-8 5-5-6 6-6-8",
    ),
    "a.rs": ("impl<I> A for B\nwhere\n  I: C,\n{\n  fn f() {\n    1\n  }\n}\n", "0-3-7 1-1-2 3-3-7 4-4-6"),
    "a.yaml": ("a:\n  b:\n    c: 1\n    d: 2\n  e:\n    - x\n    - y\n", "0-0-6 1-1-3 4-4-6"),
    "a.md": ("# A\n\ntext\n\n## B\n\n- x\n- y\n", "0-0-7 4-4-7 6-6-7"),
    "a.html": ("<div\n  a='b'>\n<p>\nx\n</p>\n</div>\n", "0-1-5 0-0-1 2-2-4"),
    "a.json": ('{\n "a": [\n  1\n ]\n}\n', "0-0-4 1-1-3"),
    "flat.py": ("x = 1\ny = 2\n", ""),
    "empty.py": ("", ""),
}


@pytest.mark.parametrize("path", OUTLINES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_scopes(path: str, end: str) -> None:
    text, expected = OUTLINES[path]
    found = default_language().outline(path, text.replace("\n", end))
    assert found is not None
    assert " ".join(f"{s.first}-{s.header}-{s.last}" for s in found.scopes) == expected


def test_scopes_around_a_line_come_innermost_first() -> None:
    found = default_language().outline("a.py", OUTLINES["a.py"][0])
    assert found is not None
    assert [(s.first, s.last) for s in found.around(7)] == [(6, 8), (5, 10), (2, 10), (1, 10), (0, 10)]
    assert [(s.first, s.last) for s in found.around(9)] == [(9, 10), (5, 10), (2, 10), (1, 10), (0, 10)]
    assert list(found.around(-1)) == list(found.around(11)) == []
    assert found.starting(2) == found.scopes[2]
    assert found.starting(7) is None
    assert [(s.first, s.last) for s in found.inside(found.scopes[4])] == [(6, 8), (9, 10)]


PIECES = st.sampled_from(
    ["a", "(", ")", "{", "}", "\n", "\n", "\r\n", "def f():\n  ", "<a>", "</a>", "- ", ": ", "'", "\f", "é"]
)


@settings(max_examples=150, deadline=None)
@given(language=st.sampled_from(sorted(GRAMMARS.keys() - {"php_only"})), pieces=st.lists(PIECES, max_size=40))
def test_every_scope_around_a_line_holds_it_and_the_one_before(language: str, pieces: list[str]) -> None:
    source = parse(language, "".join(pieces))
    assert source is not None
    found = outline(source)
    for line in range(12):
        first, last = line, line
        for scope in found.around(line):
            assert scope.first <= first
            assert scope.last >= last
            assert scope.first <= scope.header <= scope.last
            first, last = scope.first, scope.last


NAMES = [
    ("a.py", "import os\ndef f(items, n=1):\n    for x in items:\n        os.walk(x, key=n)\n", {"os": 2, "f": 1, "walk": 1}),
    ("a.ts", "const a = (b: Row) => { use(b.size); };\n", {"Row": 1, "use": 1, "size": 1}),
    ("a.go", "package p\nfunc F(a int) {\n\tx := G(a)\n\tx.Run()\n}\n", {"p": 1, "F": 1, "int": 1, "G": 1, "Run": 1}),
    ("a.rs", "fn f(a: Row) { let b = g(a); b.run(); }\n", {"f": 1, "Row": 1, "g": 1, "run": 1}),
    ("a.java", "class A { int f(Row r) { Cell c = r.get(); return c.size; } }\n", {"A": 1, "f": 1, "Row": 1, "Cell": 1, "get": 1, "size": 1}),
    ("a.c", "int f(int *a) { int b = g(a); return b; }\n", {"f": 1, "g": 1}),
    ("a.rb", "def f(a)\n  G.new(a)\nend\n", {"f": 1, "G": 1, "new": 1}),
    ("a.php", "<?php function f($a) { return g($a); }\n", {"f": 1, "g": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("path", "text", "names"), NAMES)
def test_names_that_a_text_uses_and_does_not_bind(path: str, text: str, names: dict[str, int]) -> None:
    survey = default_language().survey(path, text)
    assert survey is not None
    assert dict(survey.names) == names


def test_the_last_few_texts_are_remembered() -> None:
    from dovetail.syntax.parsing import recent

    first = recent("python", "a = 1\n")
    assert recent("python", "a = 1\n") is first
    assert recent("python", "a = 2\n") is not first
    assert recent("ruby", "a = 1\n") is not first
    for number in range(9):
        recent("python", f"b = {number}\n")
    assert recent("python", "a = 1\n") is not first
    assert recent("python", "\0") is None
