"""Unified diffs and patches: headers, hunks, hints, and what models get wrong in them."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.blocks import Block, Hints, Kind, Reading
from dovetail.model.codes import Code


def fenced(diff: str) -> str:
    return f"Here:\n\n```diff\n{diff}```\nDone.\n"


def essence(block: Block) -> tuple[str, str | None, str, str]:
    return block.kind.value, block.path, block.search, block.replace


HUNK = "@@ -3,2 +3,2 @@ def f():\n one\n-two\n+three\n"
UDIFFS = {
    "plain": (f"--- a.py\n+++ a.py\n{HUNK}", [("edit", "a.py", "one\ntwo\n", "one\nthree\n")]),
    "git prefixes": (f"--- a/x/a.py\n+++ b/x/a.py\n{HUNK}", [("edit", "x/a.py", "one\ntwo\n", "one\nthree\n")]),
    "a folder called a": ("--- a/x.py\n+++ a/x.py\n@@ @@\n-1\n", [("edit", "x.py", "1\n", "")]),
    "time stamps": (f"--- a.py\t2024-01-01 10:00:00\n+++ a.py 2024-01-02 11:00:00\n{HUNK}", [("edit", "a.py", "one\ntwo\n", "one\nthree\n")]),
    "spaces in the name": ("--- my docs/a.txt\n+++ my docs/a.txt\n@@ ... @@\n-1\n+2\n", [("edit", "my docs/a.txt", "1\n", "2\n")]),
    "two hunks": (f"--- a\n+++ a\n{HUNK}@@ @@\n-x\n", [("edit", "a", "one\ntwo\n", "one\nthree\n"), ("edit", "a", "x\n", "")]),
    "two files": ("--- a\n+++ a\n@@ @@\n-1\n\n--- b\n+++ b\n@@ @@\n+2\n", [("edit", "a", "1\n", ""), ("edit", "b", "", "2\n")]),
    "created": ("--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,2 @@\n+1\n+\n", [("create", "n.py", "", "1\n\n")]),
    "deleted": ("--- a/o.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-1\n-2\n", [("delete", "o.py", "1\n2\n", "")]),
    "deleted, git": ("diff --git a/o.py b/o.py\ndeleted file mode 100644\n", [("delete", "o.py", "", "")]),
    "made empty, git": ("diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", [("create", "n", "", "")]),
    "renamed": ("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n", [("rename", "o", "", "")]),
    "counts that lie": ("--- a\n+++ a\n@@ -1,99 +1,1 @@\n x\n-y\n+z\n w\n", [("edit", "a", "x\ny\nw\n", "x\nz\nw\n")]),
    "removed line like a header": ("--- a\n+++ a\n@@ @@\n--- old\n+new\n", [("edit", "a", "-- old\n", "new\n")]),
    "blank context": ("--- a\n+++ a\n@@ @@\n x\n\n-y\n", [("edit", "a", "x\n\ny\n", "x\n\n")]),
    "no newline at the end": ("--- a\n+++ a\n@@ @@\n-x\n\\ No newline at end of file\n+y\n", [("edit", "a", "x\n", "y\n")]),
}  # fmt: skip


@pytest.mark.parametrize(("diff", "expected"), UDIFFS.values(), ids=UDIFFS.keys())
def test_unified_diffs(diff: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    assert [essence(b) for b in parse(fenced(diff)).blocks] == expected


@pytest.mark.parametrize(("diff", "expected"), UDIFFS.values(), ids=UDIFFS.keys())
def test_unified_diffs_without_a_fence(diff: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    assert [essence(b) for b in parse(f"Here:\n\n{diff}").blocks] == expected


def test_hunk_headers_are_hints() -> None:
    (block,) = parse(fenced(f"--- a.py\n+++ a.py\n{HUNK}")).blocks
    assert block.hints == Hints(line=3, scope=("def f():",))
    assert parse(fenced("--- a\n+++ a\n@@ class A @@ def f\n-x\n")).blocks[0].hints == Hints(scope=("def f",))


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


def test_a_diff_fence_without_header_takes_the_path_above() -> None:
    assert parse("src/a.py\n```diff\n@@ -1 +1 @@\n-x\n+y\n```\n").blocks[0].path == "src/a.py"
    nameless = parse("```diff\n@@ -1 +1 @@\n-x\n+y\n```\n").blocks[0]
    assert nameless.malformed is not None and nameless.malformed.code is Code.NO_PATH


def test_changed_lines_alone_are_an_illustration_unless_asked_for() -> None:
    reply = "a.py\n```diff\n-x\n+y\n```\n"
    assert parse(reply).blocks == ()
    assert [essence(b) for b in parse(reply, format="udiff").blocks] == [("edit", "a.py", "x\n", "y\n")]


def test_text_behind_a_bare_diff_is_text() -> None:
    parsed = parse("--- a\n+++ a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n\n- a list\n- of things\n")
    assert [essence(b) for b in parsed.blocks] == [("edit", "a", "x\ny\n", "x\nz\n")]


def test_a_rule_of_dashes_is_no_diff() -> None:
    assert parse("Above\n--- below\ntext\n").blocks == ()


def patch(body: str) -> str:
    return f"*** Begin Patch\n{body}*** End Patch\n"


PATCHES = {
    "update": ("*** Update File: a.py\n@@ def f():\n x\n-y\n+z\n", [("edit", "a.py", "x\ny\n", "x\nz\n")]),
    "no header before the first chunk": ("*** Update File: a.py\n x\n+y\n", [("edit", "a.py", "x\n", "x\ny\n")]),
    "two chunks": ("*** Update File: a\n@@\n-1\n@@\n-2\n", [("edit", "a", "1\n", ""), ("edit", "a", "2\n", "")]),
    "add": ("*** Add File: n.py\n+a\n+\n+b\n", [("create", "n.py", "", "a\n\nb\n")]),
    "delete": ("*** Delete File: o.py\n", [("delete", "o.py", "", "")]),
    "move": ("*** Update File: o\n*** Move to: n\n", [("rename", "o", "", "")]),
    "indented headers": ("  *** Update File: a\n@@\n-1\n", [("edit", "a", "1\n", "")]),
    "blank chunk": ("*** Update File: a\n@@\n\n@@\n-1\n", [("edit", "a", "1\n", "")]),
    "forgotten blanks": ("*** Update File: a\n@@\n\tx\n-\ty\n", [("edit", "a", "\tx\n\ty\n", "\tx\n")]),
}


@pytest.mark.parametrize(("body", "expected"), PATCHES.values(), ids=PATCHES.keys())
def test_patches(body: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    for reply in (
        patch(body),
        f"```\n{patch(body)}```\n",
        f"Run:\n```bash\napply_patch <<'EOF'\n{patch(body)}EOF\n```\n",
    ):
        assert [essence(b) for b in parse(reply).blocks] == expected


def test_the_patch_markers_are_optional() -> None:
    parsed = parse("*** Update File: a\n@@\n-1\n+2\n\nThat is all.\n")
    assert [essence(b) for b in parsed.blocks] == [("edit", "a", "1\n", "2\n")]


def test_scopes_stack_and_the_end_of_file_is_a_hint() -> None:
    (block,) = parse(patch("*** Update File: a\n@@ class A\n@@   def f\n-x\n*** End of File\n")).blocks
    assert block.hints == Hints(scope=("class A", "def f"), at_end=True)


def test_an_insertion_without_context_goes_to_the_end() -> None:
    assert parse(patch("*** Update File: a\n@@\n+x\n")).blocks[0].hints == Hints(at_end=True)
    assert parse(patch("*** Update File: a\n@@ def f\n+x\n")).blocks[0].hints == Hints(scope=("def f",))


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
