import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.context import enclosing
from dovetail.model.text import IndexedText

PYTHON = """\
import os

@cached
class Shelf:
    size = 1

    @route
    def put(self):
        def each():
            return 1
        return each

def free():
    pass
"""
TYPESCRIPT = """\
export class Page {
  done = () => {
    return 1;
  };
}
const view = () => 1;
"""

GO = "package harbour\n\ntype Crane struct{}\n\nfunc (c *Crane) Lift() {\n\trun()\n}\n"
VUE = '<template>\n  <p>tide</p>\n</template>\n<script setup lang="ts">\nfunction rise(): void {\n  run();\n}\n</script>\n'
HTML = '<script src="a.js"></script><script>\nclass Buoy {\n  ring() {\n    go();\n  }\n}\n</script>\n<p>tide</p>\n'

CASES = [
    ("crane.go", GO, 6, ("Crane", "Lift", 5, 7)),
    ("Tide.vue", VUE, 6, (None, "rise", 5, 7)),
    ("Tide.vue", VUE, 2, None),
    ("buoy.html", HTML, 4, ("Buoy", "ring", 3, 5)),
    ("buoy.html", HTML, 8, None),
    ("a.py", PYTHON, 1, None),
    ("a.py", PYTHON, 3, ("Shelf", None, 3, 11)),
    ("a.py", PYTHON, 5, ("Shelf", None, 3, 11)),
    ("a.py", PYTHON, 7, ("Shelf", "put", 7, 11)),
    ("a.py", PYTHON, 10, ("Shelf", "each", 9, 10)),
    ("a.py", PYTHON, 11, ("Shelf", "put", 7, 11)),
    ("a.py", PYTHON, 12, None),
    ("a.py", PYTHON, 14, (None, "free", 13, 14)),
    ("a.py", PYTHON, 99, None),
    ("a.py", PYTHON, 0, None),
    ("a.ts", TYPESCRIPT, 3, ("Page", "done", 2, 4)),
    ("a.ts", TYPESCRIPT, 6, (None, "view", 6, 6)),
    ("a.md", "# One\ntext\n## Two\nmore\n", 4, (None, None, 3, 4)),
    ("a.txt", "def f(): pass\n", 1, None),
    ("a.py", "", 1, None),
]


@pytest.mark.parametrize(("path", "text", "line", "expected"), CASES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_enclosing(
    path: str, text: str, line: int, expected: tuple[str | None, str | None, int, int] | None, end: str
) -> None:
    text = text.replace("\n", end)
    found = enclosing(path, text, line)
    if expected is None:
        assert found is None
        return
    assert found is not None
    assert (found.class_name, found.function_name, found.first_line, found.last_line) == expected
    assert found.path == path
    assert found.code == "".join(text.splitlines(keepends=True)[expected[2] - 1 : expected[3]])


@settings(max_examples=60, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(["def f():", "    x", "class A:", "\f", "\u2028é", "", "(", "'''"]), max_size=15),
    line=st.integers(-1, 17),
)
def test_what_encloses_a_line_holds_it(pieces: list[str], line: int) -> None:
    text = "\n".join(pieces)
    found = enclosing("a.py", text, line)
    if found is not None:
        assert found.first_line <= line <= found.last_line
        span = IndexedText(text).span(found.first_line - 1, found.last_line)
        assert found.code == text[span.start : span.end]
