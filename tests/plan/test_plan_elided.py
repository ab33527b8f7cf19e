"""Whole-file replies that leave lines out: completed where one reading is left, refused everywhere else."""

from __future__ import annotations

import pytest
from plan_builders import bad, codes, edit, planned, said, whole

from dovetail.model.codes import Code, Tier
from dovetail.plan.texts.omitted import marked

MARKS = {
    "// ... existing code ...": True,
    "    # ... rest of the class unchanged ...": True,
    "/* ... */": True,
    "# ...": True,
    "<!-- ... existing markup, rest unchanged ... -->": True,
    "{/* ... other fields ... */}": True,
    "...": True,
    "… (remaining methods) …": True,
    "⋮": True,
    "⋮ lines 5-40": True,
    "# ⋮ line 7": True,
    "a ⋮ b": False,
    "Say the same...": False,
    "⋮ and so on": False,
    "// TODO: handle this ...": False,
    "# loading... please wait": False,
    "// see the other file for details": False,
    "print('...')": False,
    "// the same as above, but faster": False,
    "const rest = args.slice(1)  // rest": False,
    "return ...rest": False,
    "{#each existing.others as {same}}": False,
}


@pytest.mark.parametrize("line", MARKS)
def test_what_is_a_mark(line: str) -> None:
    assert bool(marked(line + "\n", "", "a.js")) is MARKS[line]


def test_a_very_long_remark_is_no_mark() -> None:
    assert not marked(f"# {'rest ' * 200_000}\n", "", "a.js")


def test_a_line_that_the_file_has_is_content() -> None:
    assert not marked("# ...\n", "a\n  # ...\nb\n", "a.md")


def test_a_bare_ellipsis_is_code_in_python() -> None:
    assert not marked("def f():\n    ...\n", "", "a.py")


SHOP = """\
import { till } from './till'

export class Shop {
  constructor(name) {
    this.name = name
  }

  open() {
    till.open()
    this.isOpen = true
  }

  close() {
    till.close()
    this.isOpen = false
  }
}
"""

COMPLETED: dict[str, tuple[str, str, str]] = {
    "a method changed between marks": (
        SHOP,
        ("// ... existing code ...\n\nexport class Shop {\n  // ... existing code ...\n\n  open() {\n    till.unlock()\n"
         "    this.isOpen = true\n  }\n\n  // ... existing code ...\n}\n"),
        SHOP.replace("till.open()", "till.unlock()"),
    ),
    "a method whose parameters changed": (
        SHOP,
        ("// ... existing code ...\n\nexport class Shop {\n  // ... existing code ...\n\n  open(key) {\n    till.open(key)\n"
         "  }\n\n  // ... existing code ...\n}\n"),
        SHOP.replace("open() {\n    till.open()\n    this.isOpen = true\n", "open(key) {\n    till.open(key)\n"),
    ),
    "a method added at the end": (
        SHOP,
        "// ... existing code ...\n\nexport class Shop {\n  // ... existing code ...\n\n  sell() {\n    till.ring()\n  }\n}\n",
        SHOP.replace("    this.isOpen = false\n  }\n", "    this.isOpen = false\n  }\n\n  sell() {\n    till.ring()\n  }\n"),
    ),
    "a method added between two named ones": (
        SHOP,
        ("// ...\nexport class Shop {\n  // ...\n\n  open() {\n    // ... same ...\n  }\n\n  sell() {\n    till.ring()\n  }\n\n"
         "  close() {\n    // ... same ...\n  }\n}\n"),
        SHOP.replace("  close() {", "  sell() {\n    till.ring()\n  }\n\n  close() {"),
    ),
    "a line added inside": (
        SHOP,
        ("// ... existing code ...\nexport class Shop {\n  // ... existing code ...\n  close() {\n    // ... existing code ...\n"
         "    this.log()\n  }\n}\n"),
        SHOP.replace("this.isOpen = false\n", "this.isOpen = false\n    this.log()\n"),
    ),
    "all of it kept": (SHOP, "// ... existing code ...\n", SHOP),
    "an import added above": (
        SHOP, "import { door } from './door'\n// ... existing code ...\n", "import { door } from './door'\n" + SHOP,
    ),
    "in Python": (
        "import os\n\n\nclass A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n",
        "# ... imports unchanged ...\n\n\nclass A:\n    # ... existing code ...\n\n    def g(self):\n        return 3\n",
        "import os\n\n\nclass A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        return 3\n",
    ),
    "markup": (
        "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n<p>\n  c\n</p>\n",
        "<ul>\n  <!-- ... existing items ... -->\n  <li>d</li>\n</ul>\n<!-- ... rest unchanged ... -->\n",
        "<ul>\n  <li>a</li>\n  <li>b</li>\n  <li>d</li>\n</ul>\n<p>\n  c\n</p>\n",
    ),
    "markup whose skeleton is not indented": (
        "<html>\n<head>\n  <title>a</title>\n</head>\n<body>\n  <p>b</p>\n</body>\n</html>\n",
        "<html>\n<head>\n  <title>c</title>\n</head>\n<body>\n  <!-- ... unchanged ... -->\n</body>\n</html>\n",
        "<html>\n<head>\n  <title>c</title>\n</head>\n<body>\n  <p>b</p>\n</body>\n</html>\n",
    ),
    "a guard before what is kept": (
        "def f(x):\n    y = x\n    return y\n", "def f(x):\n    if not x:\n        return 0\n    # ... existing code ...\n",
        "def f(x):\n    if not x:\n        return 0\n    y = x\n    return y\n",
    ),
    "in JSON": (
        '{\n  "name": "x",\n  "scripts": {\n    "a": "b"\n  },\n  "files": []\n}\n',
        '{\n  // ... existing code ...\n  "scripts": {\n    "a": "b",\n    "c": "d"\n  },\n  // ... existing code ...\n}\n',
        '{\n  "name": "x",\n  "scripts": {\n    "a": "b",\n    "c": "d"\n  },\n  "files": []\n}\n',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPLETED)
def test_completed_from_the_file(name: str) -> None:
    before, reply, wanted = COMPLETED[name]
    made = planned({"f.js": before}, whole("f.js", reply))
    assert not made.failed, made.results[0].reason
    assert [change.after for change in made.changes] == ([wanted] if wanted != before else [])
    if made.changes:
        assert made.results[0].tier is Tier.ELISION
        assert codes(made.results[0].warnings) == [Code.MERGED]


def test_a_bracket_that_the_file_leaves_open_in_the_same_line_says_nothing() -> None:
    made = planned(
        {"f.md": "# One (see\n\nbelow)\n\n# Two\n"}, whole("f.md", "# One (see\n\n<!-- ... -->\n\n# 2\n# Two\n")
    )
    assert [change.after for change in made.changes] == ["# One (see\n\nbelow)\n\n# 2\n# Two\n"]


UNCLEAR: dict[str, tuple[str, str]] = {
    "a block passed over in full view": (
        "a();\nfunction b() {\n  c();\n}\nd();\ne();\n", "a();\nd();\n// ... rest of code ...\n",
    ),
    "many lines passed over in full view": (
        "a();\nb1();\nb2();\nb3();\nb4();\nd();\ne();\n", "a();\nd();\n// ... rest of code ...\n",
    ),
    "a head without its body, before what is kept": (
        "function a() {\n  x();\n}\nfunction b() {\n  y();\n}\n", "function a() {\n}\n// ... existing code ...\n",
    ),
    "new between two marks": (SHOP, "// ... existing code ...\n\nfunction f() {}\n\n// ... existing code ...\n"),
    "new between two marks of a class": (
        SHOP, "// ...\nexport class Shop {\n  // ...\n  sell() {\n  }\n  // ...\n}\n",
    ),
    "a named unit without its body": (SHOP, "// ... existing code ...\nexport class Shop {\n"),
    "a part passed over in full view": (
        SHOP,
        ("// ...\nexport class Shop {\n  // ...\n  constructor(name) {\n    this.name = name\n  }\n\n  close() {\n    till.close()\n"
         "  }\n}\n"),
    ),
    "in another order": (
        SHOP,
        "// ...\nexport class Shop {\n  close() {\n    // ...\n  }\n\n  open() {\n    // ...\n  }\n\n  // ...\n}\n",
    ),
    "inside what the file has not got": (SHOP, "// ...\nexport class Kiosk {\n  // ...\n  sell() {\n  }\n}\n"),
    "perhaps a version of what a mark stands for": (
        "x = 1\ny = 2\nx = 3\n", "# ... existing code ...\nx = 4\n",
    ),
    "words beside the mark that may be the old ones": (
        'class A:\n    """Old words."""\n    x = 1\n', 'class A:\n    """New words."""\n    # ... rest unchanged ...\n',
    ),
    "markup that is not indented": (
        "<html>\n<head>\n<title>a</title>\n</head>\n<body>\n<p>one</p>\n</body>\n</html>\n",
        "<html>\n<head>\n<title>B</title>\n</head>\n<!-- ... existing body ... -->\n</html>\n",
    ),
    "a style sheet that is not indented": (
        ".a {\ncolor: red;\n}\n.b {\ncolor: blue;\n}\n", ".a {\ncolor: green;\n}\n/* ... existing styles ... */\n",
    ),
    "a return behind a block that returns": (
        "def f():\n    x = 1\n    y = 2\n    return x\n\n\ndef g():\n    return 1\n",
        "def f():\n    # ... existing code ...\n    return y\n\n\ndef g():\n    return 1\n",
    ),
    "lines behind a block that returns": (
        "def f():\n    x = 1\n    return x\n", "def f():\n    # ... existing code ...\n    log(x)\n",
    ),
    "a return before what is kept": (
        "def f():\n    x = 1\n    return x\n", "def f():\n    return 2\n    # ... existing code ...\n",
    ),
    "behind a bracket that is still open": (
        "a = [\n    1,\n    2,\n]\n\nb = {\n    3,\n}\n", "a = [\n    1,\n# ... rest unchanged ...\n\nb = {\n    4,\n}\n",
    ),
    "behind a bracket of a new unit that is still open": (
        "a = [\n    1,\n]\n\nb = {\n    3,\n}\n", "c = f(\n    1,\n# ... rest unchanged ...\n\nb = {\n    4,\n}\n",
    ),
    "words that the file has too, for lines that are no remarks in its language": (
        "#include <a.h>\n#include <b.h>\nint x;\n/* same as before */\n",
        "/* same as before */\nint x;\n/* same as before */\n",
    ),
    "its first lines passed over": (
        "import os\nNAME = 1\n\n\ndef f():\n    a()\n\n\ndef g():\n    b()\n", "def f():\n    c()\n\n\n# ... rest unchanged ...\n",
    ),
    "its last line passed over": (
        "import os\n\n\ndef f():\n    a()\n\n\nf()\n", "# ... imports unchanged ...\n\n\ndef f():\n    c()\n",
    ),
    "names that stand twice": (
        "def f():\n    a()\n\ndef f():\n    b()\n", "# ... existing code ...\ndef f():\n    # ... existing code ...\n    c()\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNCLEAR)
def test_refused_where_it_is_not_clear(name: str) -> None:
    before, reply = UNCLEAR[name]
    made = planned({"f.js": before}, whole("f.js", reply))
    assert said(made.results) == [bad(Code.ELIDED)], made.changes
    assert made.results[0].hint
    assert not made.changes


def test_a_new_file_cannot_leave_lines_out() -> None:
    made = planned({}, whole("f.js", "start()\n// ... rest of the code unchanged ...\n"))
    assert said(made.results) == [bad(Code.ELIDED)]


def test_line_ends_and_the_last_newline_stay() -> None:
    before = "a = 1\r\nb = 2\r\nc = 3"
    made = planned({"f": before}, whole("f", "a = 9\n# ... existing code ...\n"))
    assert [change.after for change in made.changes] == ["a = 9\r\nb = 2\r\nc = 3"]


def test_a_text_that_nests_without_end_is_refused_in_good_time() -> None:
    deep = "".join(" " * i + f"x{i}:\n" for i in range(1500))
    made = planned({"f": deep}, whole("f", "# ... existing code ...\n" + deep[: len(deep) // 2]))
    assert made.results[0].code is Code.ELIDED


def test_an_edit_that_brings_a_mark_of_its_own_is_warned_about() -> None:
    made = planned({"f.py": "a = 1\nb = 2\n"}, edit("f.py", "a = 1\n", "a = 2\n# ... rest of the code ...\n"))
    assert [warning.code for warning in made.results[0].warnings] == [Code.ELIDED]
    stub = planned({"f.py": "def f():\n    return 1\n"}, edit("f.py", "    return 1\n", "    ...\n"))
    assert not stub.results[0].warnings
