"""The three-way merge of whole texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.match import merge
from dovetail.model.text import apply_edits

BASE = "a\nb\nc\nd\ne\n"

CLEAN = {
    "theirs alone": (BASE, BASE, "a\nB\nc\nd\ne\n", "a\nB\nc\nd\ne\n"),
    "ours alone": (BASE, "a\nB\nc\nd\ne\n", BASE, "a\nB\nc\nd\ne\n"),
    "far apart": (BASE, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"),
    "next to each other": (BASE, "a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "a\nB\nC\nd\ne\n"),
    "alike": (BASE, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n"),
    "an insertion before a changed line": (BASE, "a\nB\nc\nd\ne\n", "a\nnew\nb\nc\nd\ne\n", "a\nnew\nB\nc\nd\ne\n"),
    "a changed line behind our insertion": (BASE, "a\nnew\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "a\nnew\nB\nc\nd\ne\n"),
    "an insertion behind a changed line": (BASE, "a\nB\nc\nd\ne\n", "a\nb\nnew\nc\nd\ne\n", "a\nB\nnew\nc\nd\ne\n"),
    "our line ends stay": (BASE, "a\r\nb\r\nc\r\nd\r\ne\r\n", "a\nB\nb\nc\nd\ne\n", "a\r\nB\r\nb\r\nc\r\nd\r\ne\r\n"),
    "a deletion": (BASE, "a\nb\nc\nd\nE\n", "a\nd\ne\n", "a\nd\nE\n"),
    "theirs adds the last newline": ("a\nb", "A\nb", "a\nb\n", "A\nb\n"),
    "theirs drops the last newline": ("a\nb\n", "A\nb\n", "a\nb", "A\nb"),
    "everything deleted": (BASE, BASE, "", ""),
    "from nothing": ("", "", "x\n", "x\n"),
}


@pytest.mark.parametrize("name", CLEAN)
def test_merges(name: str) -> None:
    base, ours, theirs, wanted = CLEAN[name]
    merged = merge(base, ours, theirs)
    assert merged.clashes == ()
    assert apply_edits(ours, merged.edits) == wanted


def test_the_same_line_changed_twice_clashes() -> None:
    merged = merge(BASE, "a\nours\nc\nd\ne\n", "a\ntheirs\nc\nd\nE\n")
    assert [(clash.base, clash.theirs) for clash in merged.clashes] == [("b\n", "theirs\n")]
    assert apply_edits("a\nours\nc\nd\ne\n", merged.edits) == "a\nours\nc\nd\nE\n"


def test_two_insertions_at_one_point_clash() -> None:
    assert len(merge("a\nb\n", "a\nx\nb\n", "a\ny\nb\n").clashes) == 1


ON_ONE_LINE = {
    "two words of a line": ("a = one(two)\n", "a = uno(two)\n", "a = one(dos)\n", "a = uno(dos)\n"),
    "a comment behind a changed value": ("a = 1\n", "a = 1  # why\n", "a = 2\n", "a = 2  # why\n"),
    "an argument behind a changed one": ("f(a, b=1)\n", "f(a, b=2)\n", "f(a, b=1, c=3)\n", "f(a, b=2, c=3)\n"),
    "arguments at both ends": ("f(a)\n", "f(z, a)\n", "f(a, b)\n", "f(z, a, b)\n"),
    "an argument gone, the next changed": ("f(a, b, c)\n", "f(a, b, d)\n", "f(a, c)\n", "f(a, d)\n"),
    "blanks against words": ("a=f(b,c)\n", "a = f(b, c)\n", "a=f(b,d)\n", "a = f(b, d)\n"),
    "wrapped against an edit": ("f(a, b)\n", "f(\n    a,\n    b,\n)\n", "f(a, c)\n", "f(\n    a,\n    c,\n)\n"),
    "joined against a line put in": ("f(\n  a,\n  b,\n)\n", "f(a, b,)\n", "f(\n  a,\n  x,\n  b,\n)\n", "f(a, x, b,)\n"),
    "set deeper against an edit": (
        "a()\nb(1)\n",
        "if x:\n    a()\n    b(1)\n",
        "a()\nb(2)\n",
        "if x:\n    a()\n    b(2)\n",
    ),
    "set deeper against a line put in": (
        "a()\nb()\n",
        "if x:\n\ta()\n\tb()\n",
        "a()\nc()\nb()\n",
        "if x:\n\ta()\n\tc()\n\tb()\n",
    ),
    "the same put in, and more": ("a b\n", "a new b\n", "a new b(1)\n", "a new b(1)\n"),
    "the same lines put in, and more": ("a\n", "a\nimport x\n", "a\nimport x\nimport y\n", "a\nimport x\nimport y\n"),
    "the same word changed, and another": ("f(a, 1)\n", "g(a, 1)\n", "g(b, 1)\n", "g(b, 1)\n"),
}


@pytest.mark.parametrize("name", ON_ONE_LINE)
def test_merges_by_tokens(name: str) -> None:
    base, ours, theirs, wanted = ON_ONE_LINE[name]
    for one, other in ((ours, theirs), (theirs, ours)):
        merged = merge(base, one, other, layout=True)
        assert merged.clashes == ()
        assert apply_edits(one, merged.edits) == wanted


CLASHES = {
    "the same number": ("x = 10\n", "x = 30\n", "x = 20\n"),
    "parts of one version": ('"1.20.3"\n', '"1.20.4"\n', '"1.21.3"\n'),
    "parts of one date": ("on 2026-01-02\n", "on 2026-01-03\n", "on 2027-01-02\n"),
    "number and unit": ("width: 10px;\n", "width: 10em;\n", "width: 20px;\n"),
    "parts of one colour": ("c: #aabbcc;\n", "c: #aabbdd;\n", "c: #ffbbcc;\n"),
    "one operator": ("a == b\n", "a != b\n", "a >= b\n"),
    "words that touch": ("a b c\n", "a x c\n", "a b y\n"),
    "two arguments put in at one point": ("f(a)\n", "f(a, b)\n", "f(a, c)\n"),
    "deleted against edited": ("a\nb = 1\nc\n", "a\nc\n", "a\nb = 2\nc\n"),
    "a line put in where a block begins to stand deeper": ("a()\nb()\n", "if x:\n    a()\nb()\n", "c()\na()\nb()\n"),
    "one line moved into a block": ("if x:\n    a()\nb(1)\n", "if x:\n    a()\n    b(1)\n", "if x:\n    a()\nb(2)\n"),
    "the same entry put in at two places": ("x = [a, b, c]\n", "x = [new, a, b, c]\n", "x = [a, b, c, new]\n"),
}


@pytest.mark.parametrize("name", CLASHES)
def test_only_a_clash_is_right(name: str) -> None:
    base, ours, theirs = CLASHES[name]
    assert merge(base, ours, theirs, layout=True).clashes
    assert merge(base, theirs, ours, layout=True).clashes


def test_lines_that_touch_clash_if_asked() -> None:
    sides = (BASE, "a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n")
    assert merge(*sides).clashes == ()
    assert len(merge(*sides, adjacent=False).clashes) == 1


def test_line_ends_follow_the_side_that_changed_them() -> None:
    crlf, edited = BASE.replace("\n", "\r\n"), BASE.replace("c", "see")
    for ours, theirs in ((edited, crlf), (crlf, edited)):
        merged = merge(BASE, ours, theirs, line_ends=True)
        assert apply_edits(ours, merged.edits) == edited.replace("\n", "\r\n")


WORDS = ("load", "save", "item", "count", "self", "x", "12", "3.5", '"on"')
lines_of_code = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(
    lambda words: f"{words[0]}({', '.join(words)})"
)


@settings(max_examples=300, deadline=None)
@given(st.lists(lines_of_code, min_size=1, max_size=4), st.data())
def test_the_same_token_changed_by_both_is_never_merged(code: list[str], data: st.DataObject) -> None:
    n = data.draw(st.integers(0, len(code) - 1))
    words = code[n].split("(", 1)[1].rstrip(")").split(", ")
    k = data.draw(st.integers(0, len(words) - 1))

    def changed(word: str, also: str) -> str:
        line = f"{words[0]}({', '.join([*words[:k], word, *words[k + 1 :]])}){also}"
        return "\n".join([*code[:n], line, *code[n + 1 :]]) + "\n"

    extra = data.draw(st.sampled_from(["", "  # a remark", ";"]))
    base = "\n".join(code) + "\n"
    assert merge(base, changed("mine", ""), changed("theirs", extra)).clashes


@pytest.mark.parametrize(("base", "theirs"), [("x\ny", "x\n"), ("x\ny\n", "x"), ("x\ny", ""), ("x\ny", "x\ny\n")])
def test_the_last_line_end_goes_with_the_last_line(base: str, theirs: str) -> None:
    for above in ("", "q\n"):
        assert apply_edits(above + base, merge(base, above + base, theirs).edits) == above + theirs


texts = st.lists(st.sampled_from(["a", "b", "c", "", "  d"]), max_size=12).map(lambda ls: "".join(f"{x}\n" for x in ls))


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_a_side_that_did_not_change_takes_the_other(base: str, other: str) -> None:
    forward = merge(base, base, other)
    assert forward.clashes == ()
    assert apply_edits(base, forward.edits) == other
    assert merge(base, other, base).edits == ()


@settings(max_examples=200, deadline=None)
@given(texts, texts)
def test_a_merge_with_oneself_changes_nothing(base: str, both: str) -> None:
    merged = merge(base, both, both)
    assert (merged.edits, merged.clashes) == ((), ())


@settings(max_examples=200, deadline=None)
@given(texts, texts, texts)
def test_a_merge_is_the_same_from_either_side(base: str, ours: str, theirs: str) -> None:
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert bool(one.clashes) == bool(other.clashes)
    if not one.clashes:
        assert apply_edits(ours, one.edits) == apply_edits(theirs, other.edits)
