"""New texts that are none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plan_builders import after, bad, edit, new_file, planned, said, whole

from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, OnFailure, Status

NUMBERED = "1 | import os\n2 | \n3 | def go():\n4 |     return 2\n"
FILE = "import os\n\n\ndef go():\n    return 1\n"


@pytest.mark.parametrize(
    "text",
    ["(deleted)", "[DELETE THIS FILE]", "DELETED", "# This file has been removed.", "<!-- file deleted -->", "(empty)",
     "**(empty file)**", "[full file content here]", "# your code here", "<full content of a.py>", "[binary content]",
     "The file should be deleted."],
)  # fmt: skip
def test_a_remark_is_no_text_of_a_file(text: str) -> None:
    made = planned({"a.py": FILE}, whole("a.py", f"{text}\n"))
    assert said(made.results) == [bad(Code.ELIDED)]
    assert text in (made.results[0].reason or "")
    assert ("delete" in (made.results[0].hint or "")) == ("delete" in text.lower() or "remove" in text)
    assert not planned({"a.py": f"{text}\n"}, whole("a.py", f"{text}\n")).failed


@pytest.mark.parametrize(
    "text",
    ["(unchanged)", "[no changes]", "No changes needed.", "# unchanged", "<unchanged>", "(the file is untouched)"],
)
def test_a_remark_that_nothing_changes_changes_nothing(text: str) -> None:
    made = planned({"a.py": FILE}, whole("a.py", text))
    assert ([result.status for result in made.results], made.changes) == ([Status.ALREADY_APPLIED], ())
    assert said(planned({}, whole("a.py", text)).results) == [bad(Code.ELIDED)]


def test_a_new_file_may_be_said_to_be_empty() -> None:
    for block in (whole("a/__init__.py", "(empty)\n"), new_file("a/__init__.py", "[empty file]\n")):
        assert after({}, planned({}, block)) == {"a/__init__.py": ""}


@pytest.mark.parametrize(
    "text", ["# empty", "empty", "deleted", "None", "(0)", "[1]", "no", "x = 1  # deleted", "<br>", "(a, b)"]
)
def test_a_text_may_be_short(text: str) -> None:
    for files in ({}, {"a.py": FILE}):
        assert after(files, planned(files, whole("a.py", text))) == {"a.py": text}


OLD, NEW = "def go():\n    return 1\n", "def go():\n    return 2\n"
WRAPPED = {
    "a fence": f"```python\n{NEW}```\n",
    "tildes": f"~~~\n{NEW}~~~\n",
    "a diff": "--- a/a.py\n+++ b/a.py\n@@ -4,2 +4,2 @@\n def go():\n-    return 1\n+    return 2\n",
    "an edit of its own": "<<<<<<< SEARCH\nreturn 1\n=======\nreturn 2\n>>>>>>> REPLACE\n",
    "line ends written out": "def go():\\n    y = 2\\n    return y\\n",
    "the signs of a diff": " def go():\n-    return 1\n+    return 2\n",
    "the signs of a diff before changed lines": "def go():\n-    return 1\n+    return 2\n",
    "signs of new lines": "def go():\n+    return 2\n",
    "a sign before each line": "+def go():\n+  return 2\n",
    "line numbers": "4: def go():\n5:     return 2\n",
    "line numbers as in a list": "4. def go():\n5.     y = 2\n6.     return y\n",
    "a remark": "(deleted)\n",
    "a remark that nothing changes": "[unchanged]\n",
}


@pytest.mark.parametrize("new", WRAPPED.values(), ids=WRAPPED.keys())
def test_new_lines_in_a_wrapping_that_the_search_has_not_are_refused(new: str) -> None:
    made = planned({"a.py": FILE}, edit("a.py", OLD, new))
    assert said(made.results) == [bad(Code.MALFORMED)]
    for files in ({"a.md": FILE}, {"a.py": f"{FILE}'''\n{new}'''\n"}):
        (path,) = files
        assert not planned(files, edit(path, OLD, new)).failed
    diff = Block("udiff", Kind.EDIT, "a.py", OLD, new)
    assert not planned({"a.py": FILE}, diff).failed


MISQUOTED = {
    "line ends written out in both": (
        "a.ts", "f({\n  b: 1,\n});\n", "  b: 1,\\n});\n", "  b: 1,\\n  c: 2,\\n  d: 3,\\n});\n",
        "f({\n  b: 1,\n  c: 2,\n  d: 3,\n});\n",
    ),
    "entities in both": (
        "a.ts", "go('a');\nend('b');\n", "go(&#x27;a&#x27;);\n", "if (x &lt; 3) {\n  go(&#x27;a&#x27;);\n}\n",
        "if (x < 3) {\n  go('a');\n}\nend('b');\n",
    ),
    "a title underlined by tildes": (
        "a.py", '"""\nKettle\n======\n"""\n', "Kettle\n======\n", "Kettles\n~~~~~~~\n", '"""\nKettles\n~~~~~~~\n"""\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISQUOTED)
def test_new_lines_may_be_wrapped_as_the_search_is(name: str) -> None:
    path, before, search, new, after = MISQUOTED[name]
    plan = planned({path: before}, edit(path, search, new))
    assert [change.after for change in plan.changes] == [after], plan.results


DIFF = "--- a/a.py\n+++ b/a.py\n@@ -4,2 +4,2 @@\n def go():\n-    return 1\n+    return 2\n"
NO_TEXTS = {
    "a diff": DIFF,
    "a diff of git's": f"diff --git a/a.py b/a.py\n{DIFF}",
    "hunks alone": DIFF.partition("b/a.py\n")[2],
    "an edit": "<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n",
    "line ends written out": "def go():\\n    return 1\\n\\ndef stop():\\n    pass\\n",
    "a fence": f"```python\n{NEW}```\n",
    "changed lines": "-    return 1\n+    return 2\n",
    "changed lines between others": " def go():\n-    return 1\n+    return 2\n",
    "new lines": "+def go():\n+    return 1\n",
}


@pytest.mark.parametrize("text", NO_TEXTS.values(), ids=NO_TEXTS.keys())
def test_what_is_no_text_is_not_written_by_a_tool_either(text: str) -> None:
    written = Block("tool-call", Kind.REWRITE, "a.py", "", text)
    assert said(planned({"a.py": FILE}, written).results) == [bad(Code.MALFORMED)]
    assert said(planned({}, new_file("a.py", text)).results) == [bad(Code.MALFORMED)]
    assert after({}, planned({}, new_file("a.md", text))) == {"a.md": text}
    assert not planned({"a.py": text}, Block("tool-call", Kind.REWRITE, "a.py", "", f"{text}\n")).failed


@pytest.mark.parametrize(
    "text",
    [
        f"HELP = '''{DIFF}'''\n",
        "--- x\n",
        'print("a\\n  b\\n")\n',
        "s.split(/\\n/g).map(/\\n/g)\n",
        "x = 1\n<<<<<<< SEARCH\n>>>>>>> REPLACE\n",
        "```\nx = 1\n```\ny = 2\n",
        "x = (1\n+ 2\n- 3)\n",
        "- a\n- b\n",
    ],
)
def test_a_text_may_hold_such_things(text: str) -> None:
    assert after({}, planned({}, new_file("a.py", text))) == {"a.py": text}


def test_changed_lines_between_others_without_their_blank_are_known_by_their_file() -> None:
    text = "def go():\n-    return 1\n+    return 2\n\nx = 1\n"
    written = Block("tool-call", Kind.REWRITE, "a.py", "", text)
    assert said(planned({"a.py": FILE}, written).results) == [bad(Code.MALFORMED)]
    assert not planned({"a.py": "x = 1\n"}, written).failed


@pytest.mark.parametrize("new", ["x = (1\n+ 2)\n", "+x\n", "# (removed)\n", "[a, b]\n", "1\n", "``` \n", ""])
def test_new_lines_may_begin_so(new: str) -> None:
    assert not planned({"a.py": FILE}, edit("a.py", OLD, new)).failed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(active)", "(deleted)"),
        ("active", "(deleted)"),
        ("go", "a\\n  b\\n"),
        ("(a)\n", "(deleted)\n"),
        ("go", "+  go"),
    ],
)
def test_a_run_inside_a_line_may_become_anything(old: str, new: str) -> None:
    file = f"x = 1\n'{old}'\n" if "\n" not in old else f"x = 1\n{old}"
    block = edit("a.py", old, new, "tool-call", inline=True)
    assert after({"a.py": file}, planned({"a.py": file}, block)) == {"a.py": file.replace(old, new)}


@pytest.mark.parametrize("path", ["logo.png", "docs/Manual.PDF"])
def test_a_file_that_holds_no_text_is_not_written(path: str) -> None:
    for block in (whole(path, "[image]\n"), new_file(path, "iVBORw0KGgo=\n")):
        assert said(planned({}, block).results) == [bad(Code.BINARY)]


@pytest.mark.parametrize(
    "text",
    [
        "    return 2\n",
        "# Add this function at the end:\ndef stop():\n    pass\n",
        "# in go():\nreturn 2\n",
        "# Old:\nreturn 1\n# New:\nreturn 2\n",
    ],
)
def test_a_listing_that_says_it_is_a_piece_does_not_replace_the_file(text: str) -> None:
    files = {"a.py": FILE + "\n\ndef halt():\n    return 0\n" * 3}
    assert said(planned(files, whole("a.py", text)).results) == [bad(Code.ELIDED)]
    assert after({}, planned({}, whole("a.py", text))) == {"a.py": text}


SMALL = "import os\n\n\ndef go():\n    return os.getcwd()\n\n\ndef halt():\n    return 0\n"


@pytest.mark.parametrize(
    "text",
    [
        "# Add this import at the top\nimport sys\n\n# Add this after go()\ndef wait():\n    return sys.argv\n",
        "# Change this:\ndef stop():\n    return 1\n\n# and keep the rest\nx = 1\ny = 2\n",
        "# Before\ndef halt():\n    return 0\n\n# After\ndef halt():\n    return 1\n",
        "# a.py\n\n# OLD CODE:\nimport os\ndef go():\n    return os.getcwd()\n\n# NEW CODE:\ndef go():\n    return 1\n",
        "# \u274c Before:\nimport os\ndef go():\n    return os.getcwd()\n# \u2705 After:\nimport os\ndef go():\n    return 1\n",
        "# Replace this\nimport os\n# with this:\nimport sys\nimport os\ndef go():\n    return os.getcwd()\n",
    ],
)
def test_a_listing_of_a_small_file_that_says_it_is_a_piece_does_not_replace_it(text: str) -> None:
    assert said(planned({"a.py": SMALL}, whole("a.py", text)).results) == [bad(Code.ELIDED)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "# Add this import at the top\nimport sys\n" + SMALL),
        ("a.py", "# Find files in a folder\nfor name in []:\n    print(name)\nx = 1\ny = 2\n"),
        ("a.py", "# Replace the whole file with this:\ndef stop():\n    return 1\nx = 1\ny = 2\n"),
        ("a.py", "# Updated code\ndef stop():\n    return 1\nx = 1\ny = 2\n"),
        ("a.py", "# Before the first run\ndef stop():\n    return 1\n# After\nx = 1\ny = 2\n"),
        ("a.md", "# Before\nOne is slow.\n\n# After\nIt is not.\n\nx\ny\n"),
    ],
)
def test_a_whole_text_may_begin_with_such_a_comment(path: str, text: str) -> None:
    assert after({path: SMALL}, planned({path: SMALL}, whole(path, text))) == {path: text}


def test_a_file_that_has_such_comments_may_have_them_again() -> None:
    text = "# Before\nx = 1\n# After\nx = 2\n"
    assert not planned({"a.py": text}, whole("a.py", text.replace("2", "3"))).failed


ENV = "DB=a\nexport KEY=b\nPORT=3\n"
PACKAGE = '{"name": "a", "version": "1", "scripts": {"dev": "x"}, "dependencies": {}}\n'
TOOLS = "[project]\nname = 'a'\n\n[build-system]\nrequires = []\n\n[tool.ruff]\n"
COMPOSE = "version: '3'\n\nservices:\n  app:\n    image: a\n\nvolumes:\n  data:\n"
STYLE = "body {\n  margin: 0;\n}\n\n.a,\n.b {\n  color: red;\n}\n"
PAGE = "<!DOCTYPE html>\n<html>\n<body>\n<p>a</p>\n</body>\n</html>\n"


@pytest.mark.parametrize(
    ("path", "before", "text"),
    [
        (".env", ENV, "API=your_key\n"),
        ("deploy/.env.local", ENV, "# add\nDB=a\nAPI=c\n"),
        ("package.json", PACKAGE, '{\n  "scripts": {\n    "dev": "x",\n    "test": "y"\n  }\n}\n'),
        ("de.json", PACKAGE, '{"title": "b", "text": "c", "more": "d", "end": "e", "last": "f"}\n'),
        ("pyproject.toml", TOOLS, "[tool.mypy]\nstrict = true\nfiles = []\na = 1\nb = 2\nc = 3\n"),
        ("compose.yaml", COMPOSE, "services:\n  db:\n    image: b\n    ports: []\n    env: {}\n    more: 1\n"),
        ("a.css", STYLE, ".menu {\n  top: 0;\n}\n\n.menu.open {\n  left: 0;\n  right: 0;\n}\n"),
        ("a.css", "body { margin: 0; }\n.a, .b { top: 0; }\n", ".c { left: 0; }\n"),
        ("a.css", STYLE, "color: blue;\nmargin: 1px;\n"),
        ("a.scss", ".a {\n  top: 0;\n}\n", "left: 0;\n"),
        ("requirements.txt", "flask==3\nnumpy>=1\nscipy\n", "pytest\nhttpx\n"),
        (".gitignore", "dist/\n*.log\n.env\n", "*.pyc\ncache/\n"),
        ("index.html", PAGE, "<nav>\n<a>b</a>\n<a>c</a>\n<a>d</a>\n<a>e</a>\n<a>f</a>\n<a>g</a>\n</nav>\n"),
        ("a.php", "<?php\nfunction a() {}\n", "function b() {\n  return 1;\n}\nfunction c() {}\n"),
        ("Makefile", "CC = cc\n\nall: a.o\n\t$(CC) a.o\n\nclean:\n\trm a.o\n", "test: all\n\t./a\n"),
        ("nginx.conf", "events {}\nhttp {\n  server {\n    listen 80;\n  }\n}\n", "location /b {\n  root /c;\n}\n"),
        ("main.tf", 'resource "a" "b" {\n}\n\nresource "a" "c" {\n}\n', 'resource "a" "d" {\n  size = 1\n}\n'),
        ("A.jsx", "export default () => (\n  <p>\n    <b>1</b>\n  </p>\n);\n", "<b>2</b>\n"),
        ("a.sh", "#!/bin/sh\nset -e\nmake a\nmake b\n", "make clean\n"),
    ],
)
def test_a_listing_of_a_few_members_does_not_replace_its_file(path: str, before: str, text: str) -> None:
    assert said(planned({path: before}, whole(path, text)).results) == [bad(Code.ELIDED)]
    assert after({}, planned({}, whole(path, text))) == {path: text}
    written = Block("tool-call", Kind.REWRITE, path, "", text)
    assert after({path: before}, planned({path: before}, written)) == {path: text}


@pytest.mark.parametrize(
    ("path", "before", "text"),
    [
        (".env", ENV, "DB=b\nKEY=c\n"),
        (".env", "DB=a\n", "API=b\n"),
        ("package.json", PACKAGE, '{"name": "b", "scripts": {}}\n'),
        ("package.json", PACKAGE, '{"name": broken\n'),
        ("compose.yaml", COMPOSE, "services:\n  app:\n    image: b\nvolumes:\n  data:\n"),
        ("a.css", STYLE, "body {\n  margin: 1;\n}\n\n.c {\n  color: blue;\n}\n"),
        ("a.css", "body { margin: 0; }\n.a { top: 0; }\n", ".a { top: 1; }\n"),
        ("a.css", STYLE, "@tailwind base;\n@tailwind utilities;\n"),
        ("a.scss", STYLE, "$wide: 10px;\nbody { margin: $wide; }\n"),
        ("a.css", STYLE, "a:hover { top: 0; }\nbody { margin: 1; }\n"),
        ("requirements.txt", "flask==3\nnumpy>=1\n", "Flask==4\nnumpy\n"),
        ("index.html", PAGE, "{% extends 'base.html' %}\n<p>a</p>\n"),
        ("index.html", PAGE, PAGE.replace("a", "b")),
        ("a.php", "<?php\nfunction a() {}\n", "<?php\nfunction b() {}\n"),
        ("notes.txt", "one\ntwo\n", "three\nfour\n"),
    ],
)
def test_a_whole_text_may_lack_some_members(path: str, before: str, text: str) -> None:
    assert after({path: before}, planned({path: before}, whole(path, text))) == {path: text}


HALVES = ("def wait():\n    x = 1\n    return x\n", "def stop():\n    y = 2\n    return y\n")


@pytest.mark.parametrize("files", [{}, {"a.py": SMALL}])
def test_of_two_listings_of_one_file_with_no_line_in_common_neither_is_written(files: dict[str, str]) -> None:
    made = planned(files, whole("a.py", HALVES[0]), whole("a.py", HALVES[1]), on_failure=OnFailure.BLOCK)
    assert said(made.results) == [bad(Code.ELIDED), bad(Code.ELIDED)]
    assert after(files, made) == files


@pytest.mark.parametrize(
    "texts",
    [
        (HALVES[0], HALVES[0] + HALVES[1]),
        (HALVES[0] + HALVES[1], HALVES[1]),
        ("x = 1\n", "y = 2\n"),
        ("x = 1\ny = 2\n", "x = 1\ny = 3\n"),
    ],
)
def test_a_later_listing_that_says_much_of_an_earlier_one_again_is_the_one_that_counts(texts: tuple[str, str]) -> None:
    assert after({}, planned({}, *(whole("a.py", text) for text in texts))) == {"a.py": texts[1]}


def test_listings_that_leave_lines_out_are_no_two_texts() -> None:
    one = "import os\n\n\ndef go():\n    return 1\n\n\n# ... rest unchanged ...\n"
    two = "# ... existing code ...\n\n\ndef halt():\n    return 2\n"
    made = planned({"a.py": SMALL}, whole("a.py", one), whole("a.py", two))
    assert after({"a.py": SMALL}, made) == {"a.py": SMALL.replace("os.getcwd()", "1").replace("return 0", "return 2")}


USERS = "import { Row } from './row';\nimport api from './api';\n\nconst URL = '/users';\n\nexport default 1;\n"


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("import json\n\n\ndef load(f):\n    return json.load(f)\n", "def save(x, f):\n    json.dump(x, f)\n"),
        (
            "import json\n\n\ndef load(f):\n    return json.load(f)\n",
            "def a():\n    x = 1\n    y = 2\n    json.dump(x, y)\n",
        ),
        ("from app import app\n\n\ndef a():\n    return app\n", "def b():\n    client = app.client()\n"),
        ("def one():\n    return 1\n\n\ndef two():\n    return 2\n", "def three():\n    return one() + 2\n"),
        (USERS, "export const get = () => fetch(`${URL}/all`);\n"),
        (USERS, "export const List = () => <Row />;\n"),
        (USERS, "@Row\nclass X {}\n"),
    ],
)
def test_a_listing_that_uses_what_it_lacks_of_the_files_beginning_does_not_replace_it(before: str, text: str) -> None:
    path = "a.py" if before.startswith(("def", "from", "import json")) else "a.tsx"
    assert said(planned({path: before}, whole(path, text)).results) == [bad(Code.ELIDED)]
    written = Block("tool-call", Kind.REWRITE, path, "", text)
    assert after({path: before}, planned({path: before}, written)) == {path: text}


@pytest.mark.parametrize(
    "text",
    [
        "def save(x, json):\n    json.dump(x)\n",
        "import ujson as json\n\njson.load(f)\n",
        "from api import *\n\njson.load(f)\n",
        "import json\n\njson.load(f)\n",
        "def json(f):\n    return json(f)\n",
        "json (f)\nself.json(f)\n",
        "return 1  # json.load\njson = 2\n",
    ],
)
def test_a_listing_may_bring_in_again_what_it_uses(text: str) -> None:
    files = {"a.py": "import json\n\n\ndef load(f):\n    return json.load(f)\n\n\nx = 1\n"}
    assert after(files, planned(files, whole("a.py", text))) == {"a.py": text}


def test_a_listing_that_ends_in_the_middle_of_its_file_does_not_replace_it() -> None:
    files = {"a.py": f"import os\nimport sys\nimport re\n{FILE}" + "def halt():\n    return 0\n" * 3}
    text = "import os\nimport time\nimport sys\nimport re\n"
    assert said(planned(files, whole("a.py", text)).results) == [bad(Code.ELIDED)]
    assert not planned(files, whole("a.py", f"{text}x = 1\n")).failed


def test_a_listing_that_begins_inside_an_object_is_no_text_of_its_file() -> None:
    files = {"a.json": '{\n  "a": 1,\n  "b": 2\n}\n'}
    assert said(planned(files, whole("a.json", '"b": 3\n')).results) == [bad(Code.ELIDED)]
    assert not planned(files, whole("a.json", '"b"\n')).failed
    assert not planned({}, whole("a.json", '"b": 3\n')).failed


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (None, NUMBERED),
        (None, NUMBERED.replace("1 ", "8 ").replace("2 ", "9 ").replace("3 ", "10 ").replace("4 ", "11 ")),
        ("import sys\n", NUMBERED),
        ("import os\n\ndef go():\n    return 1\n", "3: def go():\n4:     return 2\n"),
        ("import os\n\ndef go():\n    return 1\n", "L3: def go():\nL4:     return 2\n"),
        (None, "[1] a\n[2] b\n\n[4] c\n"),
    ],
)
def test_a_new_text_whose_lines_are_counted_is_not_written(before: str | None, text: str) -> None:
    files = {} if before is None else {"a.py": before}
    made = planned(files, whole("a.py", text))
    assert said(made.results) == [bad(Code.MALFORMED)]
    assert after(files, made) == files


@pytest.mark.parametrize(
    "text", ["1 + 1\n3 + 3\n4 + 4\n", "1. a\n2. b\n", "1: int\n", "[1]\n[1]\n[1]\n", "[1, 2]\n[2, 3]\n[3, 4]\n"]
)
def test_a_new_text_may_begin_its_lines_with_numbers(text: str) -> None:
    assert after({}, planned({}, whole("a.py", text))) == {"a.py": text}


@pytest.mark.parametrize(
    "line",
    ["// ... to be continued", "# (continued in the next message)", "[truncated]", "<truncated>", "/* continues in part 2 */",
     "// continued in the following part", "... output truncated ...", "<!-- the rest is in the next reply -->", "# Continued below:",
     "// Fortsetzung folgt …", "# (continuará)", "// 未完待续", "<!-- Продолжение следует -->"],
)  # fmt: skip
@pytest.mark.parametrize("before", [None, FILE])
def test_a_text_that_says_it_goes_on_elsewhere_is_refused(before: str | None, line: str) -> None:
    made = planned({} if before is None else {"f.js": before}, whole("f.js", f"{FILE}\n{line}\n\n"))
    assert said(made.results) == [bad(Code.ELIDED)]
    if before is not None:
        made = planned({"f.js": f"{before}\n{line}\n"}, whole("f.js", f"'use strict'\n{FILE}\n{line}\n"))
        assert not made.failed


@pytest.mark.parametrize(
    "line", ["continue", "// truncated at NUL", "[continued]()", "# continue", "truncated", "[part]"]
)
def test_a_text_may_end_with_such_a_word(line: str) -> None:
    assert not planned({}, whole("f.js", f"a()\n{line}\n")).failed


LETTERS = "say('Größe');\nsay('Grüße');\nrun();\n"


@pytest.mark.parametrize("text", [
    "say('Gr\ufffd\ufffde');\nsay('Gr\ufffd\ufffde');\nrun(1);\n",
    "say('Größe');\nsay('Gr\ufffd\ufffde', 1);\nrun(1);\n",
])  # fmt: skip
@pytest.mark.parametrize(
    "block",
    [
        lambda text: whole("a.js", text),
        lambda text: edit("a.js", LETTERS, text),
        lambda text: edit("a.js", LETTERS, text, "udiff"),
    ],
)
def test_a_text_that_lost_letters_is_not_written(text: str, block: Callable[[str], Block]) -> None:
    """Two lines of the file may be meant by one, so nothing says which letters they were."""
    assert said(planned({"a.js": LETTERS}, block(text)).results) == [bad(Code.MALFORMED)]


@pytest.mark.parametrize(("before", "text"), [
    (None, "s.replace('\ufffd', '')\n"),
    ("s = read()\n", "s = read().replace('\ufffd', '')\n"),
    (LETTERS, LETTERS + "drop('\ufffd');\n"),
    (LETTERS + "drop('\ufffd');\n", "drop('\ufffd');\nsay('Größe');\nrun();\n"),
])  # fmt: skip
def test_a_text_may_hold_the_sign_of_a_letter_that_was_lost(before: str | None, text: str) -> None:
    files = {} if before is None else {"a.js": before}
    assert after(files, planned(files, whole("a.js", text))) == {"a.js": text}


PARTS = "".join(f"def part_{i}():\n    return {i}\n\n\n" for i in range(6))
PIECE = "def part_3():\n    return 30\n"


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (PARTS, PIECE),
        (PARTS, f"{PIECE}\n\ndef part_4():\n    return 4\n"),
        (f"import os\n{PARTS}", PIECE.replace("3", "0")),
    ],
)
def test_a_listing_of_a_piece_of_the_file_with_changes_does_not_replace_it(before: str, text: str) -> None:
    made = planned({"a.py": before}, whole("a.py", text))
    assert said(made.results) == [bad(Code.ELIDED)]
    written = Block("tool-call", Kind.REWRITE, "a.py", "", text)
    assert after({"a.py": before}, planned({"a.py": before}, written)) == {"a.py": text}


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (PARTS, PIECE.replace("3", "0")),  # its first lines
        (PARTS, "from parts import *\n\nprint(part_3)\n"),  # other lines
        (PARTS, PARTS.replace("part_0", "part_9")),  # most of its lines
        (PARTS, "def part_1():\n    return 2\n\n\ndef part_5():\n    return 6\n"),  # lines from all over
        (PARTS[:100], PIECE.replace("3", "1")),  # a short file
    ],
)
def test_a_listing_may_cut_a_file_down(before: str, text: str) -> None:
    assert after({"a.py": before}, planned({"a.py": before}, whole("a.py", text))) == {"a.py": text}


@pytest.mark.parametrize("notice", ["[2 more lines]", "... (output limit reached)", "<file shortened for display>"])
def test_a_notice_behind_the_files_own_beginning_is_no_text(notice: str) -> None:
    begun = "import os\nimport sys\n\n\ndef go():\n"
    assert said(planned({"a.py": FILE}, whole("a.py", f"{begun}{notice}\n")).results) == [bad(Code.ELIDED)]


def test_a_listing_that_was_padded_on_its_way_is_not_written_with_its_blanks() -> None:
    text = "def go():\n    return 3\n\n\ndef end():\n    return 4\n"
    padded = "".join(f"{line:<40}\n" for line in text.splitlines())
    files = {"a.py": text.replace("3", "2")}
    assert after(files, planned(files, whole("a.py", padded))) == {"a.py": text}
    for kept in ({"a.py": padded.replace("3", "2")}, {"a.py": "a  \nb\n"}):
        assert after(kept, planned(kept, whole("a.py", padded))) == {"a.py": padded}


@pytest.mark.parametrize(
    ("path", "before", "new"),
    [("a.tsv", "a\tb\n1\t2\n", "a\tb\t\n1\t2\t\n"), ("a.md", "Shop\nStreet\n", "Shop  \nStreet  \n")],
)
def test_blanks_that_mean_something_are_no_padding(path: str, before: str, new: str) -> None:
    assert after({path: before}, planned({path: before}, whole(path, new))) == {path: new}
