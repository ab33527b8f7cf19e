"""Fences in a listing's text: a file is never cut off at one of its own."""

from __future__ import annotations

import pytest

from dovetail import parse
from dovetail.model.codes import Code

DOC = '"""Doc.\n\n{}\nf()\n{}\n"""\n\nx = 1\n'
SCRIPT = "cat > README.md <<'{0}'\n# Shop\n{1}\nrun\n```\n{0}\necho done\n"

WHOLE = {
    "bare ones in a docstring": ("a.py", DOC.format("```", "```")),
    "one with an info string": ("a.py", DOC.format("```js", "```")),
    "one that is never closed in the string": ("a.py", 'START = """\n```\n"""\nEND = "\\n```"\n'),
    "indented ones": ("a.py", "def f():\n    '''Doc.\n\n    ```py\n    f()\n    ```\n    '''\n    return 2\n"),
    "behind strings of one line that hold quotes": (
        "a.py",
        "A = '\"\"\"'  # it's \"\"\" and '''\nB = \"'''\\\"\"\nC = '''\\''''''\n\"\"\"\n```\n\\\"\"\"\n```\n\"\"\"\n",
    ),
    "in a here document": ("a.sh", SCRIPT.format("EOF", "```")),
    "in an indented one": ("a.rb", "x = <<~END\n  # Shop\n  ```\n  run\n  ```\n  END\n"),
    "in a value of YAML": ("a.yaml", "prompt: |\n  Say:\n  ```\n  yes\n  ```\nmodel: m\n"),
    "with a path above": ("a.py", 'PROMPT = """Write\n\n`b.py`\n\n```python\ny\n```\n"""\n'),
    "in a comment": ("a.css", "/*\n```\n<a>\n```\n*/\na { b: url('//c/*.d'); }\n"),
    "in a text of Kotlin": ("a.kt", 'val a = """\n```\nx\n```\n""".trim()\nval b = "/*" // it\'s /* and """\n'),
    "in a raw string": ("a.rs", 'const A: &\'static str = r#"\n```\n"\n```\n"#;\n'),
    "in long brackets": ("a.lua", "-- [[ it's\n--[==[\n```\n]]\n```\n]==]\nlocal a = b[c[1]]\n"),
    "in a comment of Haskell": ("a.hs", '{-\n```\nf\n```\n-}\nf = "{-" -- {-\n'),
    "and marks that begin no comment": ("a.ts", 'const a = [` /*`, `"""`];\nconst b = /"""/; // /*\n'),
    "and a string that begins with a quote": ("a.cs", 'var a = @"""b"" c";\nvar d = @"e\\" + "/*";\n'),
    "and shifts in Ruby": ("a.rb", "a << B\nclass << C\n"),
    "and a shift in PHP": ("a.php", "<?php\n$a = 1 << B;\n"),
    "and a shift in a shell": ("a.sh", "a=$((1 << B)) # <<EOF\nread b <<<C\n"),
    "in a text of TOML": ("a.toml", "a = '''\n```\n'''\nb = \"\"\"\n```\n\"\"\"\n"),
    "far behind the margin": ("a.js", "/*\n    ```\n    f();\n    ```\n*/\nf();\n"),
    "behind the margin with an info string": ("a.js", "/*\n```js\nf();\n```\n*/\nf();\n"),
}


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("mark", ["```", "````"])
def test_a_file_s_own_fences_are_its_text(name: str, mark: str) -> None:
    path, text = WHOLE[name]
    (block,) = parse(f"{path}\n{mark}\n{text}{mark}\n\nThat is all:\n```\nrun\n```\n").blocks
    assert (block.path, block.replace, block.malformed) == (path, text, None)


CUT_OFF = {
    "a string without its end": 'a.py\n```python\nx = """\n```\n\nThen run it.\n',
    "a fence without its end": "a.js\n```js\nf();\n\nThe tests:\n```js\ng();\n```\n",
    "an end far behind the margin": "a.js\n```js\nf();\n     ```\n\nThen run it.\n",
}


@pytest.mark.parametrize("reply", CUT_OFF.values(), ids=CUT_OFF)
def test_a_listing_whose_end_is_uncertain_is_cut_off(reply: str) -> None:
    (block,) = parse(reply).blocks
    assert block.malformed is not None and block.malformed.code is Code.NO_END


def test_a_listing_with_a_broken_comment_takes_no_other_for_its_text() -> None:
    reply = "a.js\n```js\nf();\n/* g\n```\n\nb.js\n```\n/* h */\nh();\n```\n"
    (block,) = parse(reply).blocks
    assert block.malformed is not None and block.path == "a.js"


def _listings(reply: str) -> list[tuple[str | None, str, bool]]:
    return [(block.path, block.replace, block.malformed is None) for block in parse(reply).blocks]


def test_a_closing_tag_above_an_end_is_no_path() -> None:
    text = "<ul>\n  <li>one</li>\n</ul>\n"
    assert _listings(f"a.html\n```html\n{text}```\nThat is all.\n") == [("a.html", text, True)]


def test_a_path_right_behind_an_end_may_be_the_next_listings() -> None:
    text = "# Shop\n\nRun:\n\n```\nrun\n```\n\nThen wait.\n\n"
    reply = f"README.md\n```\n{text}```\nsrc/a.js:\n```\nf();\n```\n"
    assert _listings(reply) == [("README.md", text, True), ("src/a.js", "f();\n", True)]


def test_a_longer_run_behind_an_end_is_another_listings() -> None:
    text = "# Shop\n\nRun:\n\n```\nrun\n```\n\nOr\n\n```\nwalk\n```\n\n"
    reply = f"a.rst\n```rst\nold\n```\nREADME.md\n````\n{text}````\n"
    assert _listings(reply) == [("a.rst", "old\n", True), ("README.md", text, True)]


@pytest.mark.parametrize("text", ['"""\n├── one\n"""\nx = 1\n', "name\n│ one │\n"])
def test_a_text_that_draws_lines_is_no_tree_of_a_folder(text: str) -> None:
    assert _listings(f"a.py\n```\n{text}```\n") == [("a.py", text, True)]


def test_an_edit_of_another_file_in_a_listing_s_text_is_an_example() -> None:
    edit = "b.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    (block,) = parse(f'a.py\n```python\n"""Doc.\n\n{edit}"""\nx = 1\n```\n').blocks
    assert block.path == "a.py" and edit in block.replace
    assert [block.path for block in parse(f"a.py\n```python\n{edit}```\n").blocks] == ["b.py"]


def test_an_edit_in_a_string_of_a_listing_is_an_example() -> None:
    edit = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    for text in (f'"""Doc.\n\n{edit}"""\nx = 1\n', f'"""Doc.\n\n```\n{edit}```\n"""\nx = 1\n'):
        (block,) = parse(f"a.py\n```python\n{text}```\n").blocks
        assert block.replace == text
