"""Excerpts: which lines are shown, for whole tables of options, and laws that hold for every text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.context import TreeContext
from dovetail.model.text import IndexedText

CODE = '''\
"""Shelves."""

import os


class Shelf(Base):
    """Holds rows."""

    size = 1

    def put(
        self,
        row,
    ):
        if row:
            self.rows.append(
                row,
            )
        else:
            raise ValueError
        return self

    def take(self):
        a = 1
        b = 2
        c = 3
        d = 4
        e = 5
        f = 6
        return a

    def last(self):
        pass


def free():
    return None
'''
ONLY = {"margin": 0, "loi_pad": 0, "last_line": False, "child_context": False}


def numbers(code: str, lines: list[int], path: str = "a.py", **options: bool | int) -> list[int]:
    context = TreeContext(path, code, **options)  # type: ignore[arg-type]
    context.add_lines_of_interest(line - 1 for line in lines)
    context.add_context()
    return [line + 1 for line in sorted(context.show_lines)]


OPTIONS = {
    "headers of what encloses": (dict(ONLY), [17], [6, 11, 12, 13, 14, 15, 16, 17]),
    "no parents": (dict(ONLY, parent_context=False), [17], [17]),
    "long headers are cut": (dict(ONLY, header_max=2), [17], [6, 11, 12, 15, 16, 17]),
    "padding": (dict(ONLY, parent_context=False, loi_pad=2), [27], [25, 26, 27, 28, 29]),
    "margin": (dict(ONLY, parent_context=False, margin=3), [27], [24, 25, 26, 27, 28, 29, 30, 31]),
    "margin stays inside the definition": (dict(ONLY, parent_context=False, margin=3), [24], [23, 24, 25, 26, 27]),
    "padding leaves it": (dict(ONLY, parent_context=False, loi_pad=3), [23], [20, 21, 22, 23, 24, 25, 26]),
    "end of file": (dict(ONLY, parent_context=False, last_line=True), [24], [24, 36, 37]),
    "small definitions whole": (dict(ONLY, parent_context=False, child_context=True), [32], [32, 33, 34]),
    "large definitions by what is inside": (
        dict(ONLY, parent_context=False, child_context=True),
        [6],
        [6, 11, 12, 13, 14, 23],
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str) -> None:
    options, interest, expected = OPTIONS[name]
    assert numbers(CODE, interest, **options) == expected


DEFAULT = """\
⋮
│class Shelf(Base):
⋮
│    def put(
│        self,
│        row,
│    ):
│        if row:
⋮
│        else:
█            raise ValueError
│        return self
│
⋮
│def free():
│    return None
"""


def test_defaults() -> None:
    context = TreeContext("a.py", CODE)
    assert context.grep("ValueError") == {19}
    context.add_context()
    assert context.format() == DEFAULT


BRACES = """\
int f(int a)
{
  if (a)
  {
    call(
      1,
      2);
    deep();
  }
  return 0;
}
"""


def test_closing_lines_come_with_what_they_close() -> None:
    options = dict(ONLY, last_line=True)
    assert numbers(BRACES, [8], "a.c", **options) == [1, 2, 3, 4, 8, 9, 10, 11]
    assert numbers(BRACES, [6], "a.c", **ONLY) == [1, 2, 3, 4, 5, 6]


def test_marks_numbers_colours_and_reasons() -> None:
    context = TreeContext("a.py", "def f():\n    x = 1\n    y = 2\n", True, True, True, margin=0, loi_pad=0)
    context.grep("x")
    context.add_context()
    text = context.format()
    assert "\033[31m█\033[0m    \033[1;31mx\033[0m = 1" in text
    assert "    encloses    1│def f():" in text
    assert "    interest    2" in text


def test_without_marks_every_line_has_a_bar() -> None:
    context = TreeContext("a.py", "x\n", mark_lois=False)
    context.add_lines_of_interest([0, 5, -1])
    context.add_context()
    assert context.format() == "│x\n"


def test_nothing_of_interest_shows_nothing() -> None:
    context = TreeContext("a.py", CODE)
    assert context.grep("nowhere") == set()
    context.add_context()
    assert context.format() == ""


def test_an_unknown_language_is_shown_with_padding_alone() -> None:
    text = "".join(f"line {n}\n" for n in range(1, 41))
    assert numbers(text, [20], "notes.txt", margin=1, last_line=False) == [19, 20, 21]


HOSTILE = {
    "deep.py": "(" * 5_000,
    "deep.yaml": "- " * 400 + "\nfound\n",
    "chain.py": "x = (\n" + "".join(f"  a{n} +\n" for n in range(5_000)) + "  1)\n",
    "nested.js": "".join(f"if (a{n}) {{\n" for n in range(180)) + "found();\n" + "}\n" * 180,
    "broken.java": "class A {\n" * 50 + "found\n" + "))\n" * 50,
    "junk.sh": '$( ` " ${ <<E\nfound\n' * 40,
    "nul.c": "int a;\0\nfound\n",
    "empty.py": "",
}


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_texts_are_shown_all_the_same(path: str) -> None:
    context = TreeContext(path, HOSTILE[path])
    context.grep("found|a77")
    context.add_context()
    assert context.format().count("█") == len(context.lines_of_interest)


LANGUAGES = ["py", "js", "tsx", "html", "css", "json", "yaml", "md", "rs", "go", "java", "c", "cpp", "rb", "php", "sh"]
LINES = st.sampled_from(
    [
        "x = 1",
        "def f(a):",
        "    y",
        "{",
        "}",
        "",
        "\tz\f",
        "é\u2028😀",
        "class A {",
        "# t",
        "- a:",
        "<p>",
        "</p>",
        "(",
        ")",
        "'",
    ]
)


@settings(max_examples=120, deadline=None)
@given(
    extension=st.sampled_from([*LANGUAGES, "txt"]),
    lines=st.lists(LINES, max_size=25),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    data=st.data(),
)
def test_shown_lines_are_the_files_own_under_their_own_numbers(
    extension: str, lines: list[str], end: str, data: st.DataObject
) -> None:
    code = end.join(lines)
    context = TreeContext(f"a.{extension}", code, line_number=True)
    interest = data.draw(st.sets(st.integers(0, 30)))
    context.add_lines_of_interest(interest)
    context.add_context()
    real = IndexedText(code).lines
    seen = []
    for row in context.format().split("\n")[:-1]:
        if row == "⋮":
            continue
        number, line = int(row[:4]), row[5:]
        assert line == real[number - 1]
        assert (row[4] == "█") == (number - 1 in interest)
        seen.append(number)
    assert seen == sorted(set(seen))
    assert {line for line in interest if line < len(real)} <= {number - 1 for number in seen}
