"""Which spellings of a path are refused, on every platform."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.model.errors import JailError
from dovetail.workspace.names import DEEPEST, check_path, fold, is_allowed

REFUSED = [
    "",
    "/etc/passwd",
    "//server/share",
    "~",
    "~/notes",
    "C:/x",
    "c:x",
    "\\\\server\\share",
    "a\\b",
    "..",
    "../x",
    "a/../b",
    "a/..",
    ".",
    "./a",
    "a/./b",
    "a//b",
    "a/",
    ".git",
    ".git/config",
    ".GIT/hooks/pre-commit",
    "sub/.Git/config",
    "sub/.git",
    ".g\u200cit/config",
    "GIT~1/config",
    ".dovetail/log",
    ".DoveTail/log",
    "DOVETA~1/log",
    "a/.dovetail-20260101-000000-0",
    "nul",
    "NUL.txt",
    "con",
    "a/com1.log",
    "LPT9",
    "com¹",
    "aux .c",
    "conin$",
    "a.",
    "a./b",
    "a ",
    "a /b",
    "a:b",
    "file.txt:stream",
    "a\0b",
    "a\nb",
    "a\x7fb",
    "a\udcffb",
    "x" * 256,
    "a/" * 101 + "x",
    "é" * 128,
    "/".join(["d" * 200] * 21),
]

ALLOWED = [
    "a",
    "a/b/c.txt",
    ".gitignore",
    ".github/workflows/ci.yml",
    ".gitmodules",
    "git",
    "a.git/config",
    ".dovetailrc",
    "console.py",
    "nullable.ts",
    "com10.txt",
    "src/[slug]/page (1).tsx",
    " leading",
    "..a/...b",
    "~x",
    "日本語/é.md",
    "x" * 255,
]


@pytest.mark.parametrize("path", REFUSED, ids=ascii)
def test_is_refused(path: str) -> None:
    with pytest.raises(JailError) as raised:
        check_path(path)
    assert not is_allowed(path)
    assert raised.value.code == "outside-root"
    assert raised.value.message.endswith(".")


@pytest.mark.parametrize("path", ALLOWED, ids=ascii)
def test_is_allowed(path: str) -> None:
    assert "/".join(check_path(path)) == path
    assert is_allowed(path)


_PIECES = [
    "a",
    "con",
    "COM1",
    "lpt9",
    "nul",
    ".",
    "..",
    "/",
    "-",
    "+",
    "~1",
    "git",
    "GIT~1",
    ".git",
    "\u017f",
    " ",
    "\n",
    "$",
]


@settings(max_examples=500)
@given(st.lists(st.sampled_from(_PIECES), max_size=6).map("".join))
def test_the_short_way_and_the_long_one_agree(path: str) -> None:
    try:
        check_path(path)
    except JailError:
        assert not is_allowed(path)
    else:
        assert is_allowed(path)


@settings(max_examples=300)
@given(st.text(st.sampled_from(list("./\\:~aG it\0")), max_size=12))
def test_what_is_allowed_has_only_plain_steps(path: str) -> None:
    try:
        parts = check_path(path)
    except JailError:
        return
    assert all(part not in ("", ".", "..") and fold(part) != ".git" and ":" not in part for part in parts)


@pytest.mark.parametrize("last", ["a", "ä"])  # the short way, and the long one
def test_a_path_may_be_so_deep_and_no_deeper(last: str) -> None:
    deepest = "a/" * DEEPEST + last
    assert len(check_path(deepest)) == DEEPEST + 1
    with pytest.raises(JailError, match=f"more than {DEEPEST} folders deep"):
        check_path(f"a/{deepest}")
