"""How deep new lines go where the reply indents otherwise than the file, and where nobody can say."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Code
from dovetail.model.text import apply_edits

SHELF = """class Shelf:
    def count(self):
        with self.lock:
            total = len(self.books)
        return total

    def sort(self):
        self.books.sort(key=title,
                        reverse=True)
"""
BACK = SHELF[SHELF.index("    def sort") :]

LANDS = {
    "tabs that mean the file's columns, beside an aligned line": (
        "\tdef sort(self):\n\t\tself.books.sort(key=title,\n\t\t                reverse=True)\n",
        (
            "\tdef drop(self):\n\t\tfor book in self.books:\n\t\t\tbook.drop()\n\n"
            "\tdef sort(self):\n\t\tself.books.sort(key=title,\n\t\t                reverse=True)\n"
        ),
        SHELF.replace(BACK, "    def drop(self):\n        for book in self.books:\n            book.drop()\n\n" + BACK),
    ),
    "tabs that mean the file's columns, and a shallower line": (
        "\t\twith self.lock:\n\t\t\ttotal = len(self.books)\n\t\treturn total\n",
        "\t\twith self.lock:\n\t\t\ttotal = len(self.books)\n\t\treturn total\n\n\tdef one(self):\n\t\treturn 1\n",
        SHELF.replace("return total\n", "return total\n\n    def one(self):\n        return 1\n"),
    ),
    "a tab that is the file's step": (
        "\t\treturn total\n",
        "\t\treturn total\n\n\tdef one(self):\n\t\treturn 1\n",
        SHELF.replace("return total\n", "return total\n\n    def one(self):\n        return 1\n"),
    ),
    "the search lost its blanks, and the replacement has the file's": (
        "with self.lock:\n    total = len(self.books)\nreturn total\n",
        "        with self.guard:\n            total = len(self.books)\n        return total\n",
        SHELF.replace("self.lock", "self.guard"),
    ),
    "the search lost its blanks, and the replacement puts its lines in a block": (
        "total = len(self.books)\n",
        "            if self.books:\n                total = len(self.books)\n",
        SHELF.replace("total = len(self.books)\n", "if self.books:\n                total = len(self.books)\n"),
    ),
    "the search is flat, and the replacement has the file's blanks": (
        "with self.lock:\ntotal = len(self.books)\nreturn total\n",
        "        with self.lock:\n            total = len(self.books)\n            log(total)\n        return total\n",
        SHELF.replace("(self.books)\n        ret", "(self.books)\n            log(total)\n        ret"),
    ),
    "one line lost its blanks, and what takes its place has the file's": (
        "return total\n",
        "        log(total)\n        return total + 1\n",
        SHELF.replace("return total\n", "log(total)\n        return total + 1\n"),
    ),
    "two depths that moved alike say where a third goes": (
        "    with self.lock:\n        total = len(self.books)\n    return total\n",
        "    with self.lock:\n        total = len(self.books)\n    return total\n\ndef one(self):\n    return 1\n",
        SHELF.replace("return total\n", "return total\n\n    def one(self):\n        return 1\n"),
    ),
    "the first line lost its blanks, and lines are added far below it": (
        "return total\n\n    def sort(self):\n        self.books.sort(key=title,\n",
        "return total\n\n    def one(self):\n        return 1\n\n    def sort(self):\n        self.books.sort(key=title,\n",
        SHELF.replace("    def sort", "    def one(self):\n        return 1\n\n    def sort"),
    ),
    "one line without its blanks, and a guard before it": (
        "return total\n",
        "if not total:\n    raise Empty\nreturn total\n",
        SHELF.replace("return total\n", "if not total:\n            raise Empty\n        return total\n"),
    ),
    "one line without its blanks, and a block before the one it opens": (
        "def sort(self):\n",
        "def one(self):\n    return 1\n\ndef sort(self):\n",
        SHELF.replace("    def sort", "    def one(self):\n        return 1\n\n    def sort"),
    ),
    "one flattened line for one": (
        "with self.lock:\ntotal = len(self.books)\n",
        "with self.lock.shared:\ntotal = len(self.all_books)\n",
        SHELF.replace("self.lock", "self.lock.shared").replace("len(self.books)", "len(self.all_books)"),
    ),
    "what cannot go further left, where the file has it": (
        "    class Shelf:\n",
        "class Shelf(Sized):\n",
        SHELF.replace("Shelf", "Shelf(Sized)"),
    ),
}

ROUTE = """Route.go = function () {
  function next(error) {
    if (error) {
      stop(error);
    } else {
      start();
    }
  }
};
"""
TYPES = """/**
 * What a shelf is.
 */
interface Shelf {
    /**
     * How many books.
     */
    size: number;
}
"""
LICENSED = (
    "/*\n   Free to use.\n\n   No warranty.\n     None at all.\n*/\npackage a\n\nfunc one() {\n\tgo()\n}\n\nlast := 1\n"
)
FILES = {
    "blanks for tabs, beside two short lines that stand alike": (
        'import (\n\t"fmt"\n\t"os"\n)\n',
        'import (\n  "fmt"\n  "os"\n)\n',
        'import (\n  "fmt"\n  "os"\n  "strings"\n)\n',
        'import (\n\t"fmt"\n\t"os"\n\t"strings"\n)\n',
    ),
    "tab stops wider than the file's step, as spaces behind them show": (
        "class A\n  def one\n    go(1)\n    stop(1)\n  end\nend\n",
        "\tstop(1)\n",
        "\tstop(1) do\n\t  first\n\t  second do\n\t\tthird\n\t  end\n\tend\n",
        "class A\n  def one\n    go(1)\n    stop(1) do\n      first\n      second do\n        third\n      end\n    end\n  end\nend\n",
    ),
    "a file of tabs, whose licence is indented by spaces": (
        LICENSED,
        "\t\tlast := 1\n",
        "\t\tlast := 1\n\t\tif last {\n\t\t\tstop()\n\t\t}\n",
        LICENSED.replace("last := 1\n", "last := 1\nif last {\n\tstop()\n}\n"),
    ),
    "a blank line whose blanks the reply has not moved": (
        "if a\n  first\n    second\n",
        "    first\n      second\n",
        "    first\n      second\n        \n    third\n",
        "if a\n  first\n    second\n        \n  third\n",
    ),
    "a step of the reply is a step of the file's": (
        "def f(a):\n    start(a)\n    if a:\n        stop(a)\n",
        "def f(a):\n  start(a)\n",
        "def f(a):\n  for b in a:\n    log(b)\n  start(a)\n",
        "def f(a):\n    for b in a:\n        log(b)\n    start(a)\n    if a:\n        stop(a)\n",
    ),
    "all lines moved by as much, one of them to the margin": (
        "def f(a):\n    if a:\n        stop(a)\n    last(a)\n",
        "if a:\n    stop(a)\n",
        "if a:\n    stop(a)\nif not a:\n    go(a)\n",
        "def f(a):\n    if a:\n        stop(a)\n    if not a:\n        go(a)\n    last(a)\n",
    ),
    "so is what closes a bracket that the edit opens": (
        "run(cmd) {\n    const args = of(cmd);\n    return name +\n      (args);\n  }\n",
        "run(cmd) {\nconst args = of(cmd);\nreturn name +\n  (args);\n}\n",
        "run(cmd) {\nconst args = of(cmd);\nreturn (\n  name +\n  (args)\n);\n}\n",
        "run(cmd) {\n    const args = of(cmd);\n    return (\n      name +\n      (args)\n    );\n  }\n",
    ),
    "four blanks of the reply are a tab of the file's, and a line at the margin stays there": (
        "use std::sync::{\n\tatomic,\n\tArc,\n};\nuse tokio;\n",
        "use std::sync::{\n    atomic,\n    Arc,\n};\nuse tokio;\n",
        "use std::sync::{\n    atomic,\n    Arc,\n};\nuse std::thread;\nuse tokio;\n",
        "use std::sync::{\n\tatomic,\n\tArc,\n};\nuse std::thread;\nuse tokio;\n",
    ),
    "a comment's line stands a column deeper, however wide the steps are": (
        "class A {\n    start(engine) {\n        engine.run(this);\n    }\n}\n",
        "class A {\n  start(engine) {\n    engine.run(this);\n  }\n}\n",
        "class A {\n  /**\n   * Starts.\n   */\n  start(engine) {\n    engine.run(this);\n  }\n}\n",
        "class A {\n    /**\n     * Starts.\n     */\n    start(engine) {\n        engine.run(this);\n    }\n}\n",
    ),
    "a block with nothing in it": (
        "f {\n    a();\n}\n",
        "a();\n",
        "a();\nif (b) {\n}\n",
        "f {\n    a();\n    if (b) {\n    }\n}\n",
    ),
    "nothing but a blank line": ("if a:\n    go()\n    stop()\n", "go()\n", "\n", "if a:\n\n    stop()\n"),
    "the new lines step by what their depth is of the file's": (
        "def f(a):\n  if a:\n    stop(a)\n  last(a)\n",
        "    last(a)\n",
        "    for b in a:\n        stop(b)\n    last(a)\n",
        "def f(a):\n  if a:\n    stop(a)\n  for b in a:\n    stop(b)\n  last(a)\n",
    ),
    "a tab means the file's step, also where comments go on a column deeper": (
        TYPES,
        "\tsize: number;\n",
        "\tsize: number;\n\tbooks: {\n\t\ttitle: string;\n\t};\n",
        TYPES.replace("number;\n", "number;\n    books: {\n        title: string;\n    };\n"),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_new_lines_stand_as_deep_as_the_file_tells(name: str) -> None:
    file, search, replace, after = FILES[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == after


@pytest.mark.parametrize("name", LANDS)
def test_new_lines_stand_as_deep_as_the_quoted_ones_tell(name: str) -> None:
    search, replace, after = LANDS[name]
    outcome = locate(Document(SHELF), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(SHELF, outcome.edits) == after


STEPS = """jobs:
  test:
    steps:
      - uses: checkout
      - run: |
          make
    env:
      X: 1
"""
PORTS = """spec:
  web:
    ports:
    - name: http
      port: 80
  end: x
"""
FLUSH = "    steps:\n    - uses: checkout\n    - run: |\n        make\n"
DEEP = "  web:\n    ports:\n      - name: http\n        port: 80\n"

ENTRIES = {
    "an entry, and a key behind it": (
        STEPS,
        FLUSH,
        FLUSH + "    - run: check\n    limit: 3\n",
        STEPS.replace("make\n", "make\n      - run: check\n    limit: 3\n"),
    ),
}


@pytest.mark.parametrize("name", ENTRIES)
def test_the_entries_of_a_list_may_be_indented_otherwise_than_the_rest(name: str) -> None:
    file, search, replace, after = ENTRIES[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == after


def test_a_tab_stays_a_tab_in_a_file_of_tabs() -> None:
    file = "func a() {\n\tx()\n}\n\nfunc b() {\n\ty()\n}\n"
    search = "\t\t}\n\n\t\tfunc b() {\n"
    outcome = locate(Document(file), Needle(search, search.replace("func", "\t// of b\n\t\tfunc")))
    assert isinstance(outcome, Match)
    assert apply_edits(file, outcome.edits) == file.replace("func b", "\t// of b\nfunc b")


def test_a_tab_stays_a_tab_in_a_file_that_indents_nothing() -> None:
    file = "/**\n * The first.\n */\nexport const first = [];\nexport const second = 2;\n"
    search = "\texport const second = 2;\n"
    outcome = locate(Document(file), Needle(search, "\texport const second =\n\t\t2;\n"))
    assert isinstance(outcome, Match)
    assert apply_edits(file, outcome.edits) == file.replace("= 2;", "=\n\t2;")


def test_one_indentation_may_be_written_in_two_ways() -> None:
    file = "all:\n\ta \\\n        b \\\n\tc\n"
    outcome = locate(Document(file), Needle("\ta \\\n\tb \\\n\tc\n", "\ta \\\n\tb \\\n\tx \\\n\tc\n"))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == file.replace("\tc", "\tx \\\n\tc")


DOUBTFUL = {
    "the first line lost its blanks, and a new one right below it may have": (
        "TYPES = {\n    move: 1,\n    open: 2,\n}\n\nend = 3\n",
        "open: 2,\n}\n\nend = 3\n",
        "open: 2,\nshut: 3,\n}\n\nend = 3\n",
    ),
    "a line that would hang half a step behind another": (
        "class A:\n    def one(self):\n        go(\n            1)\n\n\nif main:\n    go()\n",
        "          go(\n              1)\n\n\n    if main:\n",
        "          go(\n              1)\n\n      def two(self):\n          pass\n\n\n    if main:\n",
    ),
    "all lines moved to the left that had the room, and a new one between": (
        "class A:\n    def one(self):\n        go(\n            1)\n\n\nclass B:\n",
        "      go(\n          1)\n\n\nclass B:\n",
        "      go(\n          1)\n\n  def two(self):\n      pass\n\n\nclass B:\n",
    ),
    "all lines of one depth moved to the left, and a new one between them and the margin": (
        "class A:\n    def one(self):\n        first(self)\n        second(self, 1)\n\n\nclass B:\n",
        "      first(self)\n      second(self, 1)\n\n\nclass B:\n",
        "      first(self)\n      second(self, 1)\n\n  def two(self):\n      third(self)\n\n\nclass B:\n",
    ),
    "all lines moved to the left that had the room, and a new one at the margin": (
        "class A:\n    def one(self):\n        go(1)\n\n\nclass B:\n",
        "    go(1)\n\n\nclass B:\n",
        "    go(1)\n\ndef two(self):\n    pass\n\n\nclass B:\n",
    ),
    "a line set off on both sides, between two that the reply has alike": (
        "class A {\n  int size();\n  int rest();\n\n private:\n  int last;\n};\n",
        "int size();\nint rest();\n\nprivate:\nint last;\n",
        "int size();\nint rest();\n\nint more();\n\nprivate:\nint last;\n",
    ),
    "a line between what opens and what closes, where that is shallower": (
        "  call(() => {\n    });\n",
        "call(() => {\n});\n",
        "call(() => {\ngo();\n});\n",
    ),
    "a line right between two": (
        "    first();\n  second();\n",
        "first();\nsecond();\n",
        "first();\nnew();\nsecond();\n",
    ),
    "two depths of the reply would be one": (
        SHELF,
        "            total = len(self.books)\n            return total\n\n    def sort(self):\n",
        (
            "            total = len(self.books)\n            return total\n\n    def one(self):\n"
            "        if self.books:\n            return 1\n\n    def sort(self):\n"
        ),
    ),
    "entries at several depths that the reply has at one": (
        "a:\n  - b\n  - c:\n    - d\n",
        "a:\n- b\n- c:\n- d\n",
        "a:\n- b\n- c:\n- d\n- e\n",
    ),
    "flattened lines, and several behind them": (
        SHELF,
        "with self.lock:\ntotal = len(self.books)\n",
        "with self.lock:\ntotal = len(self.books)\nif total > 9:\nraise Full\n",
    ),
    "flattened lines, and one behind them that may be inside or outside": (
        SHELF,
        "with self.lock:\ntotal = len(self.books)\n",
        "with self.lock:\ntotal = len(self.books)\nself.seen = total\n",
    ),
    "flattened lines, and deeper ones behind them": (
        SHELF,
        "with self.lock:\ntotal = len(self.books)\n",
        "with self.lock:\ntotal = len(self.books)\n    if total:\n        raise Full\n",
    ),
    "flattened lines replaced by ones of another shape": (
        SHELF,
        "with self.lock:\ntotal = len(self.books)\n",
        "books = self.open()\ntotal = len(books)\n",
    ),
    "a block without depth among lines of one depth": (
        "def f(self):\n    first = load()\n    second = parse(first)\n    return second\n",
        "first = load()\nsecond = parse(first)\n",
        "first = load()\nsecond = parse(first)\nif not second:\nraise Empty\n",
    ),
    "shallower than the one depth that is quoted": (
        "def f(self):\n    first = load()\n    second = parse(first)\n    return second\n",
        "        first = load()\n        second = parse(first)\n",
        "        first = load()\n    second = read(first)\n",
    ),
    "left of the margin": (
        "if a:\n    first = load()\n",
        "    if a:\n        first = load()\n",
        "    if a:\n        first = load()\nsecond = 2\n",
    ),
    "a line further left than the one that it hangs on": (
        "- name: a\n  check:\n        of: one\n\n- name: b\n  block:\n    - check:\n        of: two\n",
        "check:\n    of: one\n\n- name: b\nblock:\n- check:\n    of: two\n",
        "check:\nof: one\n\n- name: b\nblock:\n- check:\n    of: three\n",
    ),
    "a line deeper than a brace that stands elsewhere, and alone does": (
        "if a {\n\tif b {\n\t\tfirst()\n\t}\n}\n\nfunc second(b) {\n",
        "\t}\n\nfunc second(b) {\n",
        "\t\tadded()\n\t}\n\nfunc second(b) {\n",
    ),
    "a block beside a brace that is deeper than the line below it in the reply, and not in the file": (
        "type Words = {\n    till: {\n        open: string;\n    };\n};\nexport default words;\n",
        "            };\n        export default words;\n",
        "                shop: {\n                    shut: string;\n                };\n            };\n        export default words;\n",
    ),
    "one line without its blanks, and others that have kept theirs": (
        SHELF,
        "def sort(self):\n",
        "def one(self):\n        return 1\n\n    def sort(self):\n",
    ),
    "one line for two of which the file has one deeper": (
        "a:\n    one()\n    if b:\n        two()\n    last()\n",
        "one()\nif b:\ntwo()\nlast()\n",
        "one()\nthree()\nlast()\n",
    ),
    "the first line lost its blanks, and another is at the margin": (
        SHELF,
        "def sort(self):\n        self.books.sort(key=title,\n                        reverse=True)\n",
        "def sort(self):\n        self.books.sort(key=title,\n                        reverse=True)\n\n\ndef g():\n    pass\n",
    ),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_depth_that_nothing_tells_is_a_conflict(name: str) -> None:
    file, search, replace = DOUBTFUL[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, NoMatch), outcome
    assert outcome.code is Code.CONFLICT
    assert "how deep" in outcome.reason


def test_a_deletion_asks_for_no_depth() -> None:
    file = "def f():\n    if a:\n        go()\n    stop()\n    end()\n"
    outcome = locate(Document(file), Needle("if a:\ngo()\nstop()\n", "if a:\ngo()\n"))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == file.replace("    stop()\n", "")


def test_a_reply_whose_old_lines_step_as_the_file_does_counts_no_other_steps() -> None:
    """Moved by eight, twelve columns are three times the file's four, as the new line's six are of the file's two."""
    old = '    </section>\n    <section id="e">\n      <h2>export</h2>\n'
    new = '    </article>\n    <section id="e">\n          <h2>export</h2>\n'
    text = f'    <section id="d">\n      <ul>\n        <li>a</li>\n      </ul>\n{old}      <p>x</p>\n    </section>\n'
    search, replace = ("".join(f"        {line}" for line in part.splitlines(keepends=True)) for part in (old, new))
    outcome = locate(Document(text), Needle(search, replace))
    assert isinstance(outcome, Match)
    assert apply_edits(text, outcome.edits) == text.replace(old, new)
