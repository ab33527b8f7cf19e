"""Listings and diffs in list items: the fence's indentation is the list's, and not the file's."""

from __future__ import annotations

import textwrap

import pytest

from dovetail.formats import parse

CODE = "def f():\n    return 1\n\n\n\tx\n"


def in_list(text: str, blank: str) -> str:
    return "".join(blank + line if line.strip() else line for line in text.splitlines(keepends=True))


@pytest.mark.parametrize("blank", [" ", "   ", "    ", "\t", "\t\t", "  \t"])
@pytest.mark.parametrize("mark", ["```", "~~~~"])
def test_the_fence_s_indentation_is_taken_from_each_line(blank: str, mark: str) -> None:
    content = in_list(CODE, blank)
    (one,) = parse(f"1. `n.py`\n{blank}{mark}python\n{content}{blank}{mark}\n").blocks
    assert (one.path, one.replace, one.raw) == ("n.py", CODE, content)


def test_a_pair_of_tags_may_be_indented_too() -> None:
    (one,) = parse(f"- n.py\n  <source>\n{in_list(CODE, '  ')}  </source>\n").blocks
    assert one.replace == CODE


@pytest.mark.parametrize("blank", ["  ", "    "])
def test_a_blank_line_of_an_edit_keeps_the_blanks_that_are_its_own(blank: str) -> None:
    text = "<<<<<<< SEARCH\nif a:\n    \n    b()\n=======\nif a:\n    \n\n    c()\n>>>>>>> REPLACE\n"
    (one,) = parse(
        f"1. n.py\n{blank}```\n{textwrap.indent(text, blank, lambda line: line != chr(10))}{blank}```\n"
    ).blocks
    assert (one.search, one.replace) == ("if a:\n    \n    b()\n", "if a:\n    \n\n    c()\n")


AS_IT_IS = {
    "fence not indented": ("", "    x\n  y\n"),
    "only the fence is indented": ("   ", CODE),
    "tabs where the fence has blanks": ("   ", "\tx\n\ty\n"),
}


@pytest.mark.parametrize(("blank", "text"), AS_IT_IS.values(), ids=AS_IT_IS.keys())
def test_what_has_no_indentation_to_lose_stays(blank: str, text: str) -> None:
    (one,) = parse(f"n.py\n{blank}```\n{text}{blank}```\n").blocks
    assert one.replace == text


def test_a_line_with_less_loses_what_it_has() -> None:
    (one,) = parse("1. n.py\n   ```\n   a\n  b\n     c\nd\n   ```\n").blocks
    assert one.replace == "a\nb\n  c\nd\n"


def test_a_listing_indented_less_than_its_fence_loses_that_much() -> None:
    (one,) = parse("1. n.py\n   ```\n  a\n    b\n   ```\n").blocks
    assert one.replace == "a\n  b\n"


DIFF = "--- a/n.py\n+++ b/n.py\n@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return 2\n\n"
PATCH = "*** Begin Patch\n*** Update File: n.py\n@@\n def f():\n-    return 1\n+    return 2\n*** End Patch\n"
DIFFS = {
    "udiff": DIFF,
    "git": f"diff --git a/n.py b/n.py\nindex 1..2 100644\n{DIFF}",
    "apply-patch": PATCH,
}


@pytest.mark.parametrize("text", DIFFS.values(), ids=DIFFS.keys())
@pytest.mark.parametrize("blank", ["", "  ", "   ", "\t"])
@pytest.mark.parametrize("language", ["diff", ""])
def test_diffs_lose_it_too(text: str, blank: str, language: str) -> None:
    (one,) = parse(f"1. Do this:\n\n{blank}```{language}\n{in_list(text, blank)}{blank}```\n").blocks
    assert one.malformed is None
    assert (one.path, one.search, one.replace) == (
        "n.py",
        "def f():\n    return 1\n",
        "def f():\n    return 2\n",
    )


def test_what_only_begins_like_a_diff_keeps_its_lines() -> None:
    text = "--- a comment\nlocal x = {\n  1,\n}\n"
    (one,) = parse(f"1. n.lua\n   ```lua\n{in_list(text, '   ')}   ```\n").blocks
    assert (one.format, one.replace) == ("whole", text)


@pytest.mark.parametrize("text", [DIFF, PATCH, PATCH.removesuffix("*** End Patch\n")], ids=["udiff", "patch", "no end"])
def test_a_diff_whose_fence_alone_is_indented(text: str) -> None:
    (one,) = parse(f"1. Do this:\n\n   ```diff\n{text}   ```\n\nDone.\n").blocks
    assert (one.malformed, one.search, one.replace) == (None, "def f():\n    return 1\n", "def f():\n    return 2\n")
