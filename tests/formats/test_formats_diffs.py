"""Unified diffs and patches: headers, hunks, hints, and what models get wrong in them."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.blocks import Block, Hints, Kind, Reading
from dovetail.model.codes import Code, Severity


def fenced(diff: str) -> str:
    return f"Here:\n\n```diff\n{diff}```\nDone.\n"


def essence(block: Block) -> tuple[str, str | None, str, str]:
    return block.kind.value, block.path, block.search, block.replace


HUNK = "@@ -3,2 +3,2 @@ def f():\n one\n-two\n+three\n"
QUOTED = r'"a/\303\274 \"1\".py"'
UDIFFS = {
    "plain": (f"--- a.py\n+++ a.py\n{HUNK}", [("edit", "a.py", "one\ntwo\n", "one\nthree\n")]),
    "git prefixes": (f"--- a/x/a.py\n+++ b/x/a.py\n{HUNK}", [("edit", "x/a.py", "one\ntwo\n", "one\nthree\n")]),
    "a folder called a": ("--- a/x.py\n+++ a/x.py\n@@ @@\n-1\n", [("edit", "x.py", "1\n", "")]),
    "time stamps": (f"--- a.py\t2024-01-01 10:00:00\n+++ a.py 2024-01-02 11:00:00\n{HUNK}", [("edit", "a.py", "one\ntwo\n", "one\nthree\n")]),
    "remarks": (f"--- a.py (original)\n+++ a.py (modified)\n{HUNK}", [("edit", "a.py", "one\ntwo\n", "one\nthree\n")]),
    "spaces in the name": ("--- my docs/a.txt\n+++ my docs/a.txt\n@@ ... @@\n-1\n+2\n", [("edit", "my docs/a.txt", "1\n", "2\n")]),
    "two hunks": (f"--- a\n+++ a\n{HUNK}@@ @@\n-x\n", [("edit", "a", "one\ntwo\n", "one\nthree\n"), ("edit", "a", "x\n", "")]),
    "two files": ("--- a\n+++ a\n@@ @@\n-1\n\n--- b\n+++ b\n@@ @@\n+2\n", [("edit", "a", "1\n", ""), ("edit", "b", "", "2\n")]),
    "created": ("--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+1\n+\n", [("create", "n.py", "", "1\n\n")]),
    "created, lines without a mark": (
        "--- /dev/null\n+++ n.py\n@@ -0,0 +1,5 @@\n+def f():\n\n    x()\n+    y()\n+  \n",
        [("create", "n.py", "", "def f():\n\n    x()\n    y()\n  \n")],
    ),
    "created, lines marked as context": (
        "--- /dev/null\n+++ n.py\n@@ -0,0 +1,3 @@\n+def f():\n \n     x()\n",
        [("create", "n.py", "", "def f():\n\n    x()\n")],
    ),
    "created, blank lines without a mark": ("--- /dev/null\n+++ n.py\n@@ -0,0 +1,3 @@\n+x\n  \n+y\n", [("create", "n.py", "", "x\n\ny\n")]),
    "created, though lines are removed": ("--- /dev/null\n+++ n.py\n@@ -1 +1 @@\n-x\n+y\n", [("create", "n.py", "", "y\n")]),
    "created, as only git's line says": (
        "diff --git a/n b/n\nnew file mode 100644\n--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+1\n", [("create", "n", "", "1\n")],
    ),
    "deleted, as only git's line says": (
        "diff --git a/o b/o\ndeleted file mode 100644\n--- a/o\n+++ b/o\n@@ -1 +0,0 @@\n-1\n", [("delete", "o", "1\n", "")],
    ),
    "renamed, names that git's line does not divide": (
        "diff --git x/a b.py y/c d.py\nrename from x/a b.py\nrename to y/c d.py\n", [("rename", "x/a b.py", "", "")],
    ),
    "deleted": ("--- a/o.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n", [("delete", "o.py", "1\n2\n", "")]),
    "deleted, in two hunks": (
        "--- a/o.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n@@ -2,2 +0,0 @@\n-\n 2\n\\ No newline at end of file\n",
        [("delete", "o.py", "1\n\n2\n", "")],
    ),
    "deleted, git": ("diff --git a/o.py b/o.py\ndeleted file mode 100644\n", [("delete", "o.py", "", "")]),
    "made empty, git": ("diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", [("create", "n", "", "")]),
    "renamed": ("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n", [("rename", "o", "", "")]),
    "renamed, git without prefixes": (
        "diff --git my a.py sub/my a.py\nsimilarity index 100%\nrename from my a.py\nrename to sub/my a.py\n",
        [("rename", "my a.py", "", "")],
    ),
    "made empty, git without prefixes": ("diff --git LICENSE LICENSE\nnew file mode 100644\n", [("create", "LICENSE", "", "")]),
    "git without prefixes": (f"diff --git o n\n--- o\n+++ o\n{HUNK}", [("edit", "o", "one\ntwo\n", "one\nthree\n")]),
    "names in quotes": (
        f'diff --git {QUOTED} {QUOTED}\n--- {QUOTED}\n+++ {QUOTED}\n{HUNK}',
        [("edit", 'ü "1".py', "one\ntwo\n", "one\nthree\n")],
    ),
    "names in quotes, git's line left out": (
        f'--- "a/\\303\\274.py"\n+++ "b/\\303\\274.py"\n{HUNK}', [("edit", "ü.py", "one\ntwo\n", "one\nthree\n")],
    ),
    "one name in quotes": (
        'diff --git a/u b.py "b/\\303\\274.py"\nrename from u b.py\nrename to "\\303\\274.py"\n', [("rename", "u b.py", "", "")],
    ),
    "another system's path in quotes": (
        f'--- "src\\tests\\a.py"\n+++ "src\\tests\\a.py"\n{HUNK}', [("edit", "src/tests/a.py", "one\ntwo\n", "one\nthree\n")],
    ),
    "git, mnemonic prefixes": (f"diff --git i/a.py w/a.py\n--- i/a.py\n+++ w/a.py\n{HUNK}", [("edit", "a.py", "one\ntwo\n", "one\nthree\n")]),
    "a mail's signature": (f"--- a\n+++ a\n{HUNK}-- \n2.39.5\n", [("edit", "a", "one\ntwo\n", "one\nthree\n")]),
    "a mail's signature that lost its blank": (f"--- a\n+++ a\n{HUNK}--\n2.39.5\n", [("edit", "a", "one\ntwo\n", "one\nthree\n")]),
    "two files made, a mail's signature between": (
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+1\n-- \n2.39.5\n\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+2\n",
        [("create", "n", "", "1\n"), ("create", "m", "", "2\n")],
    ),
    "two files made, git's line above the first": (
        "diff --git a/n b/n\nnew file mode 100644\n@@ -0,0 +1 @@\n+1\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+2\n",
        [("create", "n", "", "1\n"), ("create", "m", "", "2\n")],
    ),
    "a removed line like a signature": ("--- a\n+++ a\n@@ -1,2 +1 @@\n one\n-- \n", [("edit", "a", "one\n- \n", "one\n")]),
    "counts too small, around a blank line": (
        "--- a\n+++ a\n@@ -1 +1 @@\n x\n-y\n+z\n \n w\n", [("edit", "a", "x\ny\n\nw\n", "x\nz\n\nw\n")],
    ),
    "counts that lie": ("--- a\n+++ a\n@@ -1,99 +1,1 @@\n x\n-y\n+z\n w\n", [("edit", "a", "x\ny\nw\n", "x\nz\nw\n")]),
    "removed line like a header": ("--- a\n+++ a\n@@ @@\n--- old\n+new\n", [("edit", "a", "-- old\n", "new\n")]),
    "removed line like a header, another hunk behind it": (
        "--- a\n+++ a\n@@ @@\n x\n--- old\n@@ @@\n-y\n", [("edit", "a", "x\n-- old\n", "x\n"), ("edit", "a", "y\n", "")],
    ),
    "removed line like a header, the last": ("--- a\n+++ a\n@@ @@\n x\n--- old\n", [("edit", "a", "x\n-- old\n", "x\n")]),
    "lines like both names, a blank line between": (
        "--- a\n+++ a\n@@ @@\n--- old\n\n+++ new\n", [("edit", "a", "-- old\n\n", "\n++ new\n")],
    ),
    "gaps in a head": (
        f"diff --git a/a.py b/a.py\n\n--- a/a.py\n\n+++ b/a.py\n\n{HUNK}", [("edit", "a.py", "one\ntwo\n", "one\nthree\n")],
    ),
    "a picture deleted": (
        "diff --git a/o.png b/o.png\ndeleted file mode 100644\nindex 1..0\nBinary files a/o.png and /dev/null differ\n",
        [("delete", "o.png", "", "")],
    ),
    "blank context": ("--- a\n+++ a\n@@ @@\n x\n\n-y\n", [("edit", "a", "x\n\ny\n", "x\n\n")]),
    "no newline at the end": ("--- a\n+++ a\n@@ @@\n-x\n\\ No newline at end of file\n+y\n", [("edit", "a", "x\n", "y\n")]),
}  # fmt: skip


@pytest.mark.parametrize(("diff", "expected"), UDIFFS.values(), ids=UDIFFS.keys())
def test_unified_diffs(diff: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    assert [essence(b) for b in parse(fenced(diff)).blocks] == expected


@pytest.mark.parametrize(("diff", "expected"), UDIFFS.values(), ids=UDIFFS.keys())
def test_unified_diffs_without_a_fence(diff: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    assert [essence(b) for b in parse(f"Here:\n\n{diff}").blocks] == expected


@pytest.mark.parametrize(("diff", "expected"), UDIFFS.values(), ids=UDIFFS.keys())
def test_unified_diffs_in_a_list(diff: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    lines = "".join(f"   {line}\n" for line in fenced(diff).removeprefix("Here:\n\n").splitlines())
    assert [essence(b) for b in parse(f"1. Here:\n\n{lines}").blocks] == expected


NAMES = {
    "git's prefixes": ("--- a/x.py\n+++ b/x.py\n", ("x.py", "a/x.py", "b/x.py")),
    "other letters": ("--- i/x.py\n+++ w/x.py\n", ("x.py", "i/x.py", "w/x.py")),
    "two names": ("--- x.txt\n+++ y.txt\n", ("x.txt", "y.txt")),
    "a rename": ("diff --git a/x.py b/y.py\nrename from x.py\nrename to y.py\n--- a/x.py\n+++ b/y.py\n", ("x.py",)),
}  # fmt: skip


@pytest.mark.parametrize(("head", "names"), NAMES.values(), ids=NAMES.keys())
def test_the_names_that_a_head_may_mean_likeliest_first(head: str, names: tuple[str, ...]) -> None:
    (block,) = parse(fenced(f"{head}@@ -0,0 +1 @@\n+x\n")).blocks
    assert (block.path, *block.path_candidates) == names
    assert block.hints.line is None


NONE = "\\ No newline at end of file\n"
LAST_ENDS = {
    "given": (f" x\n-y\n{NONE}+y\n", True),
    "taken": (f" x\n-y\n+y\n{NONE}", False),
    "taken from an added line": (f" x\n+y\n{NONE}\n", False),
    "on both sides": (f"-x\n{NONE}+y\n{NONE}", None),
    "of context": (f"-x\n+y\n z\n{NONE}", None),
    "in the middle": (f"-x\n+y\n{NONE} z\n", None),
    "first": (f"{NONE}-x\n+y\n", None),
    "unsaid": ("-x\n+y\n", None),
}


@pytest.mark.parametrize(("lines", "wanted"), LAST_ENDS.values(), ids=LAST_ENDS.keys())
def test_what_a_hunk_says_of_the_last_line_end(lines: str, wanted: bool | None) -> None:
    (block,) = parse(fenced(f"--- a.py\n+++ a.py\n@@ @@\n{lines}")).blocks
    assert block.last_end is wanted


def test_hunk_headers_are_hints() -> None:
    (block,) = parse(fenced(f"--- a.py\n+++ a.py\n{HUNK}")).blocks
    assert block.hints == Hints(line=3, scope=("def f():",))
    assert parse(fenced("--- a\n+++ a\n@@ class A @@ def f\n-x\n")).blocks[0].hints == Hints(scope=("def f",))


SCOPES = {
    "@@ worker: @@": ("worker:",),
    "@@ def f():": ("def f():",),
    "@@ -3,2 +3,2 @@": (),
    "@@ ... @@": (),
    "@@ @@": (),
    "@@": (),
}


@pytest.mark.parametrize(("head", "scope"), SCOPES.items(), ids=SCOPES.keys())
def test_a_scope_may_stand_in_the_place_of_the_numbers(head: str, scope: tuple[str, ...]) -> None:
    (block,) = parse(fenced(f"--- a.py\n+++ a.py\n{head}\n one\n-two\n")).blocks
    assert (block.hints.scope, block.search) == (scope, "one\ntwo\n")


def test_a_rename_with_hunks_carries_its_destination() -> None:
    (block,) = parse(
        fenced(f"diff --git a/o.py b/n.py\nrename from o.py\nrename to n.py\n--- a/o.py\n+++ b/n.py\n{HUNK}")
    ).blocks
    assert (block.kind, block.path, block.destination) == (Kind.EDIT, "o.py", "n.py")


def test_forgotten_blanks_give_a_second_reading() -> None:
    (block,) = parse(fenced("--- a\n+++ a\n@@ @@\ndef f():\n     x\n-    y\n+    z\n")).blocks
    assert block.readings == (
        Reading("def f():\n    x\n    y\n", "def f():\n    x\n    z\n"),
        Reading("def f():\n     x\n    y\n", "def f():\n     x\n    z\n"),
    )


def test_context_that_is_indented_by_twos_only_with_its_blank_has_a_second_reading() -> None:
    (block,) = parse(fenced("--- a\n+++ a\n@@ @@\n    x\n+    z\n    y\n")).blocks
    assert block.readings == (
        Reading("   x\n   y\n", "   x\n    z\n   y\n"),
        Reading("    x\n    y\n", "    x\n    z\n    y\n"),
    )


def test_blank_lines_say_nothing_of_how_the_context_is_indented() -> None:
    (block,) = parse(fenced("--- a\n+++ a\n@@ @@\n    x\n \n+    z\n")).blocks
    assert [r.search for r in block.readings] == ["   x\n\n", "    x\n \n"]


@pytest.mark.parametrize("lines", ["     x\n+    z\n     y\n", "    x\n+   z\n    y\n", " x\n+z\n"])
def test_context_that_is_indented_by_twos_behind_its_blank_has_one_reading(lines: str) -> None:
    (block,) = parse(fenced(f"--- a\n+++ a\n@@ @@\n{lines}")).blocks
    assert len(block.readings) == 1


def test_a_new_file_in_a_fence_keeps_lines_without_any_mark() -> None:
    (block,) = parse(fenced("--- /dev/null\n+++ n.py\n@@ -0,0 +1,3 @@\ndef f():\n    x()\n+    y()\n")).blocks
    assert essence(block) == ("create", "n.py", "", "def f():\n    x()\n    y()\n")


def test_a_diff_fence_without_header_takes_the_path_above() -> None:
    assert parse("src/a.py\n```diff\n@@ -1 +1 @@\n-x\n+y\n```\n").blocks[0].path == "src/a.py"
    nameless = parse("```diff\n@@ -1 +1 @@\n-x\n+y\n```\n").blocks[0]
    assert nameless.malformed is not None and nameless.malformed.code is Code.NO_PATH
    broken = parse("```diff\n@@ -1,3 +1,3 @@\n-x\n+y\n").blocks[0]
    assert broken.malformed is not None and broken.malformed.code is Code.NO_END


def test_what_a_sentence_names_says_nothing_of_a_diff_that_names_its_file() -> None:
    above, hunk = "Change `a.py`, not `b.py`:\n\n", "@@ -1 +1 @@\n-x\n+y\n"
    (bare,) = parse(above + fenced(hunk).removeprefix("Here:\n\n")).blocks
    (named,) = parse(above + fenced(f"--- c.py\n+++ c.py\n{hunk}").removeprefix("Here:\n\n")).blocks
    assert (bare.path, bare.mentioned, named.path, named.mentioned, named.rivals) == ("a.py", True, "c.py", False, ())
    assert (bare.raw, named.raw) == (hunk, hunk)


@pytest.mark.parametrize("text", ["+y\n", "\n+y\n+z\n"])
def test_added_lines_alone_say_of_no_place_where_they_belong(text: str) -> None:
    (one,) = parse(f"a.py\n```diff\n{text}```\n").blocks
    assert one.malformed is not None


def test_changed_lines_alone_are_malformed_where_the_reply_breaks_off() -> None:
    (one,) = parse("a.py\n```diff\n x\n-y\n+z\n").blocks
    assert one.malformed is not None
    assert one.malformed.code is Code.NO_END


OTHER_DIFFS = [
    "*** a.py\n--- a.py\n***************\n*** 1,2 ****\n  one\n! two\n--- 1,2 ----\n  one\n! three\n",
    "2c2\n< two\n---\n> three\n",
    "4,5d3\n< two\n< three\n",
]


def test_text_behind_a_bare_diff_is_text() -> None:
    parsed = parse("--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n\n- a list\n- of things\n")
    assert [essence(b) for b in parsed.blocks] == [("edit", "a", "x\ny\n", "x\nz\n")]


@pytest.mark.parametrize("head", ["@@ -3,2 +3,2 @@", "@@", "@@ def f():", "@@ ... @@"])
def test_a_hunk_without_a_head_and_a_fence_belongs_to_the_path_above_or_is_told_of(head: str) -> None:
    hunk = f"{head}\n\n one\n-two\n+three\n"
    (block,) = parse(f"src/a.py\n{hunk}\nThat is all.\n").blocks
    assert (essence(block), block.line) == (("edit", "src/a.py", "\none\ntwo\n", "\none\nthree\n"), 2)
    parsed = parse(f"*** Update File: a\n@@\n-1\n+2\n\nAnd further down:\n{hunk}")
    assert [(b.path, b.malformed and b.malformed.code) for b in parsed.blocks] == [("a", None), (None, Code.NO_PATH)]
    assert parse(f"a.py\n{head}\n\nis what a hunk begins with.\n").blocks == ()
    assert bool(parse(f"a.py\n{head}\n- is what a hunk begins with\n").blocks) is head.startswith("@@ -")


@pytest.mark.parametrize("between", ["\nAnd further down:\n\n{}", "\nThen:\n```diff\n{}```\n", "```diff\n{}```\n"])
def test_a_hunk_behind_text_goes_on_in_the_file_of_the_diff_before(between: str) -> None:
    parsed = parse(f"--- a\n+++ a\n{HUNK}" + between.format(HUNK.replace("two", "2")))
    assert [essence(b) for b in parsed.blocks] == [
        ("edit", "a", "one\ntwo\n", "one\nthree\n"),
        ("edit", "a", "one\n2\n", "one\nthree\n"),
    ]
    named = parse(f"--- a\n+++ a\n{HUNK}\nNow src/b.py:\n{HUNK}").blocks
    assert [b.path for b in named] == ["a", "src/b.py"]


def test_lines_behind_an_open_diff_that_it_has_not_are_text() -> None:
    blocks = parse(
        f"diff --git a/o.py b/n.py\nrename from o.py\nrename to n.py\nSo much for that.\n--- a\n+++ a\n{HUNK}"
    ).blocks
    assert [(b.kind, b.path) for b in blocks] == [(Kind.RENAME, "o.py"), (Kind.EDIT, "a")]
    blocks = parse("src/a.py\n--- as it was\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n").blocks
    assert [essence(b) for b in blocks] == [("edit", "src/a.py", "x\n", "y\n")]


@pytest.mark.parametrize("rest", ["", "shows what changed.", "(or `git show`) is what you want"])
def test_a_sentence_that_begins_as_gits_line_does_is_text(rest: str) -> None:
    parsed = parse(f"Look:\ndiff --git {rest}\n\na.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n")
    assert [essence(b) for b in parsed.blocks] == [("edit", "a.py", "x\n", "y\n")]
    assert not parsed.diagnostics


def test_a_path_in_a_folder_whose_name_begins_with_d_is_no_diff() -> None:
    assert parse("```\ndocs/a.md\n-y\n```\n").blocks == ()


def test_a_rule_of_dashes_or_pluses_is_no_diff() -> None:
    for text in ("--- below", "+++ below", "--- below\n\n+++ below", "+++ below\n\n--- below"):
        assert parse(f"Above\n{text}\ntext\n").blocks == () or "\n+++" in text
        (block,) = parse(f"a.py\n{text.splitlines()[0]}\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n").blocks
        assert (essence(block), block.line) == (("edit", "a.py", "x\n", "y\n"), 3)


@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize(
    "head", ["+++ b/y.py\n", "--- a/y.py\n", "--- a/y.py\n  +++ b/y.py\n", "  --- a/y.py\n+++ b/y.py\n"]
)
def test_a_diff_without_a_fence_may_lack_a_name_or_have_it_indented(head: str, gap: str) -> None:
    (block,) = parse(f"So:\n\n{head}{gap}@@ -1 +1 @@\n-x\n+y\n").blocks
    assert (essence(block), block.malformed) == (("edit", "y.py", "x\n", "y\n"), None)


def indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def patch(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


PATCHES = {
    "update": ("*** Update File: a.py\n@@ def f():\n x\n-y\n+z\n", [("edit", "a.py", "x\ny\n", "x\nz\n")]),
    "no header before the first chunk": ("*** Update File: a.py\n x\n+y\n", [("edit", "a.py", "x\n", "x\ny\n")]),
    "two chunks": ("*** Update File: a\n@@\n-1\n@@\n-2\n", [("edit", "a", "1\n", ""), ("edit", "a", "2\n", "")]),
    "add": ("*** Add File: n.py\n+a\n+\n+b\n", [("create", "n.py", "", "a\n\nb\n")]),
    "a unified head": (
        "*** Update File: x/a\n--- a/x/a\n+++ b/x/a\n@@ -1 +1 @@\n-1\n+2\n",
        [("edit", "x/a", "1\n", "2\n")],
    ),
    "git's head, and no hunk's": (
        "*** Update File: a\ndiff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n 1\n-2\n",
        [("edit", "a", "1\n2\n", "1\n")],
    ),
    "lines like a unified head": ("*** Update File: a\n--- b\n+++ c\n x\n", [("edit", "a", "-- b\nx\n", "++ c\nx\n")]),
    "add, with a unified head": (
        "*** Add File: n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n",
        [("create", "n", "", "a\nb\n")],
    ),
    "add, with git's head": (
        "*** Add File: n\ndiff --git a/n b/n\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n",
        [("create", "n", "", "a\n")],
    ),
    "add, with a hunk's head": ("*** Add File: n\n@@ -0,0 +1,2 @@\n+a\n+@@\n", [("create", "n", "", "a\n@@\n")]),
    "add, with a bare hunk's head": ("*** Add File: n\n@@\n+a\n", [("create", "n", "", "a\n")]),
    "add, its text like a hunk's head": (
        "*** Add File: n\n@@index([a])\n+b\n",
        [("create", "n", "", "@@index([a])\nb\n")],
    ),
    "delete": ("*** Delete File: o.py\n", [("delete", "o.py", "", "")]),
    "move, indented": ("*** Update File: o\n  *** Move to: n\n@@\n-1\n", [("edit", "o", "1\n", "")]),
    "move, and another file": (
        "*** Update File: o\n*** Move to: n\n@@\n-1\n*** Update File: a\n@@\n-2\n",
        [("edit", "o", "1\n", ""), ("edit", "a", "2\n", "")],
    ),
    "words in small letters": ("*** update file: a\n@@\n-1\n", [("edit", "a", "1\n", "")]),
    "a blank line between scopes": ("*** Update File: a\n@@ class A\n\n@@ def f\n-1\n", [("edit", "a", "1\n", "")]),
    "a section behind an indented one": (
        "*** Add File: n\n+x\n  *** Delete File: o\n*** Update File: a\n@@\n-1\n",
        [("create", "n", "", "x\n"), ("delete", "o", "", ""), ("edit", "a", "1\n", "")],
    ),
    "lines of the file like headers, no header before the first chunk": (
        "*** Update File: a.md\n x\n *** Add File: b\n-y\n",
        [("edit", "a.md", "x\n*** Add File: b\ny\n", "x\n*** Add File: b\n")],
    ),
    "forgotten blanks at the margin": (
        "*** Update File: a\n@@\ndef f():\n-1\n",
        [("edit", "a", "def f():\n1\n", "def f():\n")],
    ),
    "move": ("*** Update File: o\n*** Move to: n\n", [("rename", "o", "", "")]),
    "indented headers": ("  *** Update File: a\n@@\n-1\n", [("edit", "a", "1\n", "")]),
    "lines of the file like headers": (
        "*** Update File: a.md\n@@\n *** Add File: b\n +x\n-y\n *** End Patch\n z\n",
        [("edit", "a.md", "*** Add File: b\n+x\ny\n*** End Patch\nz\n", "*** Add File: b\n+x\n*** End Patch\nz\n")],
    ),
    "blank chunk": ("*** Update File: a\n@@\n\n@@\n-1\n", [("edit", "a", "1\n", "")]),
    "forgotten blanks": ("*** Update File: a\n@@\n\tx\n-\ty\n", [("edit", "a", "\tx\n\ty\n", "\tx\n")]),
}


@pytest.mark.parametrize(("body", "expected"), PATCHES.values(), ids=PATCHES.keys())
def test_patches(body: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    for reply in (
        patch(body),
        f"```\n{patch(body)}```\n",
        f"Run:\n```bash\napply_patch <<'EOF'\n{patch(body)}EOF\n```\n",
        f"- Run:\n  ```\n{indented(patch(body))}  ```\n",
        f"```\n{body}```\n",
    ):
        assert [(*essence(b), b.malformed) for b in parse(reply).blocks] == [(*one, None) for one in expected]


def test_the_patch_markers_are_optional() -> None:
    parsed = parse("*** Update File: a\n@@\n-1\n+2\n\nThat is all.\n")
    assert [essence(b) for b in parsed.blocks] == [("edit", "a", "1\n", "2\n")]
    parsed = parse("*** Add File: n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n")
    assert [essence(b) for b in parsed.blocks] == [("create", "n", "", "x\n")]


@pytest.mark.parametrize("behind", ["", "\n", "\n \n"])
@pytest.mark.parametrize("body", ["*** Update File: a\n@@\n-x\n", "*** Update File: a\n x\n+y\n"])
def test_a_last_line_that_ends_the_patch_ends_it_where_it_is_indented(body: str, behind: str) -> None:
    text = f"*** Begin Patch\n{body}    *** End Patch\n{behind}"
    for reply in (text, text.lower(), f"```\n{text}```\n", f"```\n{text}"):
        (block,) = parse(reply).blocks
        assert (block.search, block.malformed) == ("x\n", None)


@pytest.mark.parametrize(("head", "end"), [("n.py:", ""), ("n.py", "."), ("n.py ***", " ***")])
def test_a_colon_or_a_period_behind_a_header_is_no_part_of_it(head: str, end: str) -> None:
    (block,) = parse(f"*** Begin Patch\n*** Add File: {head}\n+x\n*** End Patch{end}\n").blocks
    assert (essence(block), block.malformed) == (("create", "n.py", "", "x\n"), None)


def test_an_end_of_a_patch_without_one_is_text() -> None:
    assert parse("```\n*** End Patch\n```\n").blocks == ()


@pytest.mark.parametrize(
    "body",
    ["*** Update File: a\n@@ class A\n\n@@   def f\n-x\n", "*** Update File: a\n@@ class A @@\n@@ def f @@\n-x\n"],
)
def test_a_blank_line_and_closing_signs_say_nothing_of_a_scope(body: str) -> None:
    assert parse(patch(body)).blocks[0].hints.scope == ("class A", "def f")


def test_scopes_stack_and_the_end_of_file_is_a_hint() -> None:
    (block,) = parse(patch("*** Update File: a\n@@ class A\n@@   def f\n-x\n*** End of File\n")).blocks
    assert block.hints == Hints(scope=("class A", "def f"), within=True, at_end=True)


def test_a_unified_diffs_numbers_are_hints_in_a_patch_too() -> None:
    one, two = parse(patch("*** Update File: a\n@@ -7,2 +7,2 @@ def f():\n-x\n@@ -9 +8 @@\n-y\n")).blocks
    assert (one.hints, two.hints) == (Hints(7, ("def f():",)), Hints(9))


def test_an_insertion_without_context_goes_to_the_end() -> None:
    assert parse(patch("*** Update File: a\n@@\n+x\n")).blocks[0].hints == Hints(at_end=True)
    assert parse(patch("*** Update File: a\n@@ def f\n+x\n")).blocks[0].hints == Hints(scope=("def f",), within=True)


BAD_PATCHES = {
    "an update that says nothing": (patch("*** Update File: a\n"), Code.MALFORMED),
    "cut off": ("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n", Code.NO_END),
}


@pytest.mark.parametrize(("reply", "code"), BAD_PATCHES.values(), ids=BAD_PATCHES.keys())
def test_patches_that_are_malformed(reply: str, code: Code) -> None:
    (block,) = parse(reply).blocks
    assert block.malformed is not None
    assert block.malformed.code is code


def test_a_section_that_does_not_exist_is_reported() -> None:
    parsed = parse(patch("*** Copy File: a\n"))
    assert [d.code for d in parsed.diagnostics] == [Code.MALFORMED]


GIT = "diff --git a/x.py b/y.py\n"
BARE = {
    "a copy": (f"{GIT}similarity index 100%\ncopy from x.py\ncopy to y.py\n", "copies a file"),
    "a copy that is changed": (f"{GIT}copy from x.py\ncopy to y.py\n--- a/x.py\n+++ b/y.py\n{HUNK}", "copies a file"),
    "a mode": ("diff --git a/y.py b/y.py\nold mode 100644\nnew mode 100755\n", "nothing but the file's mode"),
    "a picture": (
        "diff --git a/y.py b/y.py\nnew file mode 100644\nindex 0000000..1\nBinary files /dev/null and b/y.py differ\n",
        "is of a file that is not text",
    ),
    "half a rename": ("diff --git a/y.py b/z.py\nrename from y.py\n", "says no change"),
    "a head alone": ("--- a/y.py\n+++ b/y.py\n", "says no change"),
    "the second name alone": ("+++ b/y.py\n", "says no change"),
}


@pytest.mark.parametrize(("diff", "why"), BARE.values(), ids=BARE.keys())
def test_a_diff_that_says_no_edit_is_malformed(diff: str, why: str) -> None:
    for reply in (fenced(diff), fenced(diff) + "+1 from me\n", fenced(diff + f"--- a.py\n+++ a.py\n{HUNK}")):
        block, *others = parse(reply).blocks
        assert block.malformed is not None and why in block.malformed.message
        assert block.path == "y.py"
        assert [(b.path, b.malformed) for b in others] == [("a.py", None)] * len(others)


HASTY = {
    "no line of a hunk": "--- a/y.py\n+++ b/y.py\n-x\n+y\n",
    "no first name": "+++ b/y.py\n@@ -1 +1 @@\n-x\n+y\n",
    "no first name below git's line": "diff --git a/y.py b/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-x\n+y\n",
    "a remark below": "--- a/y.py\n+++ b/y.py\nas it says:\n@@ -1 +1 @@\n-x\n+y\n",
    "a second name that is blank": "--- a/y.py\n+++ \n@@ -1 +1 @@\n-x\n+y\n",
    "no second name": "--- a/y.py\n@@ -1 +1 @@\n-x\n+y\n",
    "a gap between the names": "--- a/y.py\n\n+++ b/y.py\n@@ -1 +1 @@\n-x\n+y\n",
    "a remark above": "# y.py is next\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-x\n+y\n",
    "the fence twice": "```diff\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-x\n+y\n",
    "the first name twice": "--- a/y.py\n--- a/y.py\n+++ b/y.py\n@@ -1 +1 @@\n-x\n+y\n",
}


@pytest.mark.parametrize("diff", HASTY.values(), ids=HASTY.keys())
def test_a_diff_whose_head_is_hasty_is_read(diff: str) -> None:
    found = parse(fenced(diff) + "\n" + fenced(f"--- a.py\n+++ a.py\n{HUNK}")).blocks
    assert [(b.path, b.malformed) for b in found] == [("y.py", None), ("a.py", None)]
    assert (found[0].search, found[0].replace) == ("x\n", "y\n")


def test_a_listing_that_holds_a_diff_is_a_listing() -> None:
    text = f'DIFF = """\n--- a/y.py\n+++ b/y.py\n{HUNK}"""\n'
    for listed in (text, text.replace("---", "diff --git a/y.py b/y.py\n---", 1)):
        (one,) = parse(f"test_y.py\n```python\n{listed}```\n").blocks
        assert (one.format, one.replace) == ("whole", listed)


def test_a_mode_beside_a_change_is_told() -> None:
    parsed = parse(
        fenced(f"diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n--- a/a.py\n+++ b/a.py\n{HUNK}")
    )
    assert [essence(b) for b in parsed.blocks] == [("edit", "a.py", "one\ntwo\n", "one\nthree\n")]
    assert [(d.code, d.severity) for d in parsed.diagnostics] == [(Code.MALFORMED, Severity.WARNING)]
    assert parse("<think>\n" + fenced("diff --git a/a.py b/a.py\nold mode 100644\n") + "</think>\n").diagnostics == ()


CUT = {
    "in a fence": "```diff\n--- a\n+++ a\n@@ -1,4 +1,4 @@\n a\n-b\n+b = comp",
    "in a fence without counts": "```diff\n--- a\n+++ a\n@@ @@\n a\n-b\n+b = comp",
    "in a fence, behind a line": "```diff\n--- a\n+++ a\n@@ @@\n a\n-b\n+b = complete\n",
    "in a fence, behind a line before the counts": "```diff\n--- a\n+++ a\n@@ -1,9 +1,9 @@\n a\n-b\n+b = complete\n",
    "in a fence, inside the last line that is counted": "```diff\n--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n-b\n+c = comp",
    "before the counts": "--- a\n+++ a\n@@ -1,4 +1,4 @@\n a\n-b\n+b = comp",
    "before the new lines that are counted": "--- a\n+++ a\n@@ -1,4 +1,4 @@\n a\n-b\n",
    "in a new file": "```diff\n--- /dev/null\n+++ b/a\n@@ -0,0 +1,9 @@\n+a\n+b = comp",
    "in a patch's fence": "```\n*** Begin Patch\n*** Update File: a\n@@\n-b\n+b = comp",
    "in a patch": "*** Begin Patch\n*** Update File: a\n@@\n b\n",
    "in a patch, behind a line of the file like a header": "*** Begin Patch\n*** Update File: a\n@@\n b\n-c\n *** Update File: d\n",
    "in a patch, behind a blank line": "*** Begin Patch\n*** Update File: a\n@@\n-\n",
    "in a patch, in a new file": "*** Begin Patch\n*** Add File: a\n+b\n",
    "in a section's open fence": "```\n*** Update File: a\n@@\n-b\n+c\n",
    "in a new file's open fence": "```\n*** Add File: a\n+b\n",
    "in a section's fence": "```\n*** Update File: a\n@@\n-b\n+b = comp",
}


@pytest.mark.parametrize("reply", CUT.values(), ids=CUT.keys())
def test_a_diff_that_breaks_off_is_cut_off(reply: str) -> None:
    (block,) = parse(reply).blocks
    assert block.malformed is not None and block.malformed.code is Code.NO_END


WHOLE = {
    "the counts are reached": "--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n-b\n+c",
    "no counts and no fence": "--- a\n+++ a\n@@ @@\n a\n-b\n+c",
    "the counts are reached in a fence": "```diff\n--- a\n+++ a\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
    "more is counted than is there": "--- a\n+++ a\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n",
    "the fence is closed": "```diff\n--- a\n+++ a\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n```",
}


@pytest.mark.parametrize("reply", WHOLE.values(), ids=WHOLE.keys())
def test_a_diff_that_is_complete_needs_no_last_line_end(reply: str) -> None:
    (block,) = parse(reply).blocks
    assert (essence(block), block.malformed) == (("edit", "a", "a\nb\n", "a\nc\n"), None)


@pytest.mark.parametrize("count", ["0,0", "1"])
def test_removed_lines_that_nothing_is_counted_for_are_complete(count: str) -> None:
    new = "/dev/null" if count == "0,0" else "a"
    (block,) = parse(f"--- a\n+++ {new}\n@@ -1,9 +{count} @@\n{' b' + chr(10) if count == '1' else ''}-c\n").blocks
    assert block.malformed is None


def test_a_deletion_in_an_open_fence_is_complete() -> None:
    (block,) = parse("```diff\ndiff --git a/o.py b/o.py\ndeleted file mode 100644\n").blocks
    assert (essence(block), block.malformed) == (("delete", "o.py", "", ""), None)


FENCE_IN_CONTEXT = {
    "its own blank": ("@@ @@\n ls\n ```\n more\n-end\n+END\n", "ls\n```\nmore\nend\n"),
}


@pytest.mark.parametrize(("hunk", "searches"), FENCE_IN_CONTEXT.values(), ids=FENCE_IN_CONTEXT.keys())
def test_a_fence_in_the_context_does_not_end_the_hunk(hunk: str, searches: str) -> None:
    reply = fenced(f"--- a.md\n+++ a.md\n{hunk}")
    for told in (reply, "- " + reply.replace("\n", "\n  ")):
        blocks = parse(told).blocks
        assert "".join(b.replace for b in blocks).endswith("END\n")
        assert "".join(b.search for b in blocks) == searches


BEHIND_THE_FENCE = [
    "Done.",
    "- one thing",
    "+ another",
    "---",
    "-> so",
    "",
    "\n- one thing",
    "    code",
    "\n    code",
    "--flag",
]


@pytest.mark.parametrize("text", BEHIND_THE_FENCE)
@pytest.mark.parametrize("head", ["@@ -1,2 +1,2 @@", "@@ @@"])
def test_text_behind_a_fence_is_text(head: str, text: str) -> None:
    (block,) = parse(f"```diff\n--- a\n+++ a\n{head}\n a\n-b\n+c\n```\n{text}\n").blocks
    assert essence(block) == ("edit", "a", "a\nb\n", "a\nc\n")


@pytest.mark.parametrize("text", ["-   one thing", "\n-one thing"])
def test_what_is_no_plain_line_of_a_hunk_is_text_where_nothing_is_counted(text: str) -> None:
    (block,) = parse(f"```diff\n--- a\n+++ a\n@@ @@\n a\n-b\n+c\n```\n{text}\n").blocks
    assert essence(block) == ("edit", "a", "a\nb\n", "a\nc\n")


@pytest.mark.parametrize("text", [text for text in BEHIND_THE_FENCE if not text.startswith(" ")])
def test_text_behind_a_fence_is_text_where_the_counts_lie(text: str) -> None:
    reply = f"```diff\n--- a\n+++ a\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n```\n{text}\n"
    block, behind = parse(f"{reply}\n```diff\n--- d\n+++ d\n{HUNK}```\n").blocks
    assert essence(block) == ("edit", "a", "a\nb\n", "a\nc\n")
    assert (behind.path, behind.line) == ("d", reply.count("\n") + 5)


def test_an_indented_fence_around_lines_that_are_not_ends_where_it_is_closed() -> None:
    (block,) = parse("- So:\n  ```diff\n--- a\n+++ a\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n  ```\n+1 from me\n").blocks
    assert essence(block) == ("edit", "a", "a\nb\n", "a\nc\n")


NO_EDIT = {
    "an insertion under a scope": patch("*** Update File: a\n@@ class A:\n+x\n"),
    "an insertion under a scope, behind a blank line": patch("*** Update File: a\n@@ class A:\n \n+x\n"),
    "an insertion between blank lines": patch("*** Update File: a\n@@\n \n+x\n \t\n"),
    "a blank line replaced": patch("*** Update File: a\n@@\n-\n+x\n"),
    "no section": patch("@@\n-x\n+y\n"),
    "nothing": patch(""),
    "a section that does not exist": patch("*** Copy File: a\n"),
    "nothing, cut off": "*** Begin Patch\n",
    "an update without a path": patch("*** Update File:\n"),
}


@pytest.mark.parametrize("reply", NO_EDIT.values(), ids=NO_EDIT.keys())
def test_a_patch_that_says_no_edit_is_malformed(reply: str) -> None:
    (block,) = parse(reply).blocks
    assert block.malformed is not None


WHERE = {
    "an edit": ("*** Update File: a\n@@\n-x\n", 3),
    "an edit without a chunk's header": ("*** Update File: a\n-x\n", 3),
    "the second chunk": ("*** Update File: a\n@@\n-x\n@@\n-y\n", 5),
    "behind the place where the file goes": ("*** Update File: a\n*** Move to: b\n-x\n", 4),
    "a new file": ("*** Add File: a\n+x\n", 2),
    "nothing": ("", 1),
    "no section": ("@@\n-x\n", 2),
    "no section behind one that does not exist": ("*** Copy File: a\n@@\n-x\n", 3),
}


@pytest.mark.parametrize(("body", "line"), WHERE.values(), ids=WHERE.keys())
def test_the_line_that_a_patchs_block_is_said_to_begin_at(body: str, line: int) -> None:
    block = parse(patch(body)).blocks[-1]
    assert block.line == line
    assert block.malformed is None or block.malformed.line == line


def test_lines_behind_a_patch_keep_their_numbers() -> None:
    (_, block) = parse(
        f"*** Begin Patch\n*** Delete File: a\n*** End Patch\n\n{fenced(f'--- b{chr(10)}+++ b{chr(10)}{HUNK}')}"
    ).blocks
    assert block.line == 10


def test_insertions_with_context_or_at_the_end_are_edits() -> None:
    for body in ("@@ class A:\n x\n+y\n", "@@ class A:\n+y\n*** End of File\n", "@@\n+y\n", "@@\n+y\n\n",
                 "@@\n \n+y\n*** End of File\n"):  # fmt: skip
        (block,) = parse(patch(f"*** Update File: a\n{body}")).blocks
        assert block.malformed is None


SPACED = "+ import os\n+\n+ \n+ def go():\n+     return 1\n"


@pytest.mark.parametrize(
    "reply",
    [
        f"```diff\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,5 @@\n{SPACED}```\n",
        f"diff --git a/a.py b/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,5 @@\n{SPACED}",
        f"*** Begin Patch\n*** Add File: a.py\n{SPACED}*** End Patch\n",
        f"```diff\n--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,5 @@\n{SPACED}```\n",
    ],
)
def test_a_blank_behind_each_sign_is_no_part_of_a_new_text(reply: str) -> None:
    (block,) = parse(reply).blocks
    assert (block.search, block.replace) == ("", "import os\n\n\ndef go():\n    return 1\n")


@pytest.mark.parametrize("text", ["+x\n+ y\n", "+  x\n+  y\n", "+\tx\n", "+ x\n+\ty\n"])
def test_other_blanks_of_a_new_text_stay(text: str) -> None:
    (block,) = parse(f"```diff\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,2 @@\n{text}```\n").blocks
    assert block.replace == text.replace("+", "")
