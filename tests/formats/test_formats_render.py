"""Laws of rendering: what is rendered parses back; what a format cannot say is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.formats import FORMATS, parse, render
from dovetail.model.blocks import Block, CellTarget, Hints, Kind, LineTarget, Parts, SymbolTarget, Target
from dovetail.model.errors import RenderError, UsageError
from dovetail.model.markers import Markers

PLACES = {"line-call", "symbol-call", "notebook-call"}
EDITS = frozenset(FORMATS) - {"whole"} - PLACES
CREATES = {"sections", "udiff", "apply-patch", "code-mode"}
REWRITES = {"whole", "artifact", "cline", "roo", "tool-call"}
DELETES = {"udiff", "apply-patch", "code-mode", "tool-call"}


def essence(block: Block) -> tuple[Kind, str | None, str, str]:
    return block.kind, block.path, block.search, block.replace


def edit(search: str, replace: str, path: str = "src/app.py", **more: object) -> Block:
    return Block("diff", Kind.EDIT, path, search, replace, **more)  # type: ignore[arg-type]


PLAIN = {
    "change": edit("old\n", "new\n"),
    "insert": edit("a\nb\n", "a\nx\nb\n"),
    "delete lines": edit("a\nb\n", "a\n"),
    "create": edit("", "one\n\ntwo\n"),
    "blank lines": edit("\na\n\n", "\nb\n\n"),
    "indented": edit("    if x:\n\ty()\n", "    if z:\n\ty()\n"),
    "dollars and escapes": edit("a = '$& \\1'\n", "a = '$$ \\2'\n"),
    "a fence inside": edit("```sh\nmake\n```\n", "```sh\nmake all\n```\n", "README.md"),
    "letters": edit("naïve “x”\n", "naïve ‘y’\u2028z\x0c\n"),
    "folder with spaces": edit("a\n", "b\n", "my docs/old notes.txt"),
    "no extension": edit("a:\n", "b:\n", "Makefile"),
    "dot file": edit("a\n", "b\n", ".github/workflows/ci.yml"),
}


@pytest.mark.parametrize("name", sorted(EDITS))
@pytest.mark.parametrize("block", PLAIN.values(), ids=PLAIN.keys())
def test_plain_edits_are_sayable_in_every_edit_format(name: str, block: Block) -> None:
    assert [essence(b) for b in parse(render([block], name)).blocks] == [essence(block)]


@pytest.mark.parametrize("name", sorted(EDITS))
@pytest.mark.parametrize("block", PLAIN.values(), ids=PLAIN.keys())
def test_a_rendering_uses_the_markers_that_it_will_be_read_with(name: str, block: Block) -> None:
    others = Markers(shortest=4, longest=6, search_words=("VORHER",), replace_words=("NACHHER",))
    text = render([block], name, markers=others)
    assert [essence(b) for b in parse(text, markers=others).blocks] == [essence(block)]
    assert name == "cline" or "SEARCH" not in text


LENGTHS = [(4, 6), (10, 12), (2, 3), (7, 7)]


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
@pytest.mark.parametrize(
    ("name", "block"),
    [
        ("anchored", edit("top\nold\nend\n", "top\nnew\nend\n", parts=Parts("top\n", "old\n", "new\n", "end\n"))),
        ("sections", Block("sections", Kind.CREATE, "new.py", "", "x\n")),
        ("roo", edit("a\n", "b\n", hints=Hints(line=12))),
        ("roo", edit("<<\n" + "<" * 12 + " SEARCH\n=====\n", "-------\n>>>>>>> REPLACE\n")),
        ("cline", edit("a\n", "b\n")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_markers_of_any_length_that_is_set_are_written_and_read(
    name: str, block: Block, lengths: tuple[int, int]
) -> None:
    markers = Markers(*lengths)
    text = render([block], name, markers=markers)
    (back,) = parse(text, markers=markers).blocks
    assert (essence(back), back.parts, back.hints.line) == (essence(block), block.parts, block.hints.line)


@pytest.mark.parametrize("name", ["anchored", "sections", "diff"])
def test_markers_of_another_length_are_content(name: str) -> None:
    long = Markers(shortest=10, longest=12)
    written = {"anchored": "<<<<<<< EDIT\n-------\n=======\n-------\n>>>>>>>\n",
               "sections": "<<<<<<< NEW_FILE\nx\n>>>>>>> NEW_FILE\n",
               "diff": "<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n"}[name]  # fmt: skip
    kind = Kind.CREATE if name == "sections" else Kind.EDIT
    block = Block(name, kind, "notes.txt", "" if kind is Kind.CREATE else "x\n", written)
    (back,) = parse(render([block], name, markers=long), markers=long).blocks
    assert back.replace == written


@pytest.mark.parametrize("name", sorted(EDITS))
def test_several_blocks_keep_their_order_and_files(name: str) -> None:
    blocks = [edit("a\n", "b\n", "x.py"), edit("c\n", "d\n", "x.py"), edit("", "e\n", "y.py"), edit("f\n", "", "x.py")]
    assert [essence(b) for b in parse(render(blocks, name)).blocks] == [essence(b) for b in blocks]


def kind_cases() -> list[tuple[str, Block, bool]]:
    create = Block("diff", Kind.CREATE, "new.py", "", "x\n")
    rewrite = Block("diff", Kind.REWRITE, "all.py", "", "x\ny\n")
    delete = Block("diff", Kind.DELETE, "gone.py", "", "")
    rename = Block("diff", Kind.RENAME, "a.py", "", "", destination="b/c.py")
    table = [(create, CREATES), (rewrite, REWRITES), (delete, DELETES), (rename, DELETES)]
    return [(name, block, name in able) for name in FORMATS for block, able in table]


@pytest.mark.parametrize(
    ("name", "block", "sayable"), kind_cases(), ids=lambda value: str(getattr(value, "kind", value))
)
def test_other_kinds_are_said_or_refused(name: str, block: Block, sayable: bool) -> None:
    if not sayable:
        with pytest.raises(RenderError):
            render([block], name)
        return
    (back,) = parse(render([block], name)).blocks
    assert (essence(back), back.destination) == (essence(block), block.destination)


HINTED = [
    edit("a\nb\nz\n", "a\nc\nz\n", "x.py", hints=Hints(line=12, scope=("class A:", "def f():"))),
    edit("d\n", "", "x.py"),
    Block("diff", Kind.CREATE, "n.py", "", "e\n"),
    Block("diff", Kind.CREATE, "m.py", "", "f\n"),
    edit("", "g\n", "n.py"),
    edit("h\n", "i\n", "n.py", hints=Hints(at_end=True)),
]
UDIFF = """```diff
--- a/x.py
+++ b/x.py
@@ -12,3 +12,3 @@ def f():
 a
-b
+c
 z
@@ @@
-d
--- /dev/null
+++ b/n.py
@@ @@
+e
--- /dev/null
+++ b/m.py
@@ @@
+f
--- a/n.py
+++ b/n.py
@@ @@
+g
@@ @@
-h
+i
```
"""
PATCH = """*** Begin Patch
*** Update File: x.py
@@ class A:
@@ def f():
 a
-b
+c
 z
@@
-d
*** Add File: n.py
+e
*** Add File: m.py
+f
*** Update File: n.py
@@
+g
@@
-h
+i
*** End of File
*** End Patch
"""


@pytest.mark.parametrize(("name", "text"), [("udiff", UDIFF), ("apply-patch", PATCH)])
def test_a_head_stands_above_each_run_of_edits_of_one_file(name: str, text: str) -> None:
    assert render(HINTED, name) == text


@pytest.mark.parametrize(
    "block",
    [
        edit("", "x\n", hints=Hints(scope=("class A:",))),
        edit(" \n", "x\n"),
    ],
    ids=["under a scope", "beside a blank line"],
)
def test_a_patch_says_no_insertion_without_a_line_beside_it(block: Block) -> None:
    with pytest.raises(RenderError, match="insertion"):
        render([block], "apply-patch")
    (back,) = parse(render([edit(block.search, block.replace, hints=Hints(at_end=True))], "apply-patch")).blocks
    assert (essence(back), back.hints.at_end) == (essence(block), True)


def test_a_patch_moves_a_file_that_it_edits() -> None:
    blocks = [edit("a\n", "b\n", "o.py", destination="n.py"), edit("c\n", "d\n", "o.py", destination="n.py")]
    text = render(blocks, "apply-patch")
    assert text.count("*** Move to: n.py\n") == 1
    assert [b.destination for b in parse(text).blocks] == ["n.py", "n.py"]
    with pytest.raises(RenderError):
        render(blocks, "udiff")


def test_parts_and_hints_survive_where_the_format_has_them() -> None:
    anchored = edit("top\nold\nend\n", "top\nnew\nend\n", parts=Parts("top\n", "old\n", "new\n", "end\n"))
    assert parse(render([anchored], "anchored")).blocks[0].parts == anchored.parts
    hinted = edit("a\n", "b\n", hints=Hints(line=12, scope=("def f():",)))
    assert parse(render([hinted], "udiff")).blocks[0].hints == hinted.hints
    assert parse(render([hinted], "apply-patch")).blocks[0].hints == Hints(scope=("def f():",), within=True)
    assert parse(render([hinted], "roo")).blocks[0].hints == Hints(line=12)


@pytest.mark.parametrize(
    "block",
    [
        Block("diff", Kind.EDIT, None, "a\n", "b\n"),
        edit("no line end", "x\n"),
        edit("a\n", "b\n", inline=True),
    ],
    ids=["no path", "part of a line", "inline"],
)
def test_what_lines_cannot_say_is_refused(block: Block) -> None:
    for name in sorted(EDITS - {"tool-call"}):
        with pytest.raises(RenderError):
            render([block], name)


def test_a_format_that_does_not_exist_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no format 'dif'"):
        render([], "dif")
    with pytest.raises(UsageError):
        render([], "auto")


LINE = st.sampled_from(
    ["a", "  b", "\tc", "", "=======", "=====", "<<<<<<< SEARCH", ">>>>>>> REPLACE", ">>>>>>>", "-------", "```", "````", "@@ x",
     "+x", "-y", " z", "--- a", "+++ b", "*** End Patch", "</content>", "</boltAction>", "«««", "x\u2028y", "\x0c", "# h", "{", "\\=======",
     ":start_line:3", "&lt;", "</diff>", "a.py", "...", "\r", "</think>", "<think>"]
)  # fmt: skip
TEXT = st.lists(LINE, max_size=6).map(lambda lines: "".join(line + "\n" for line in lines))
PATH = st.sampled_from(["a.py", "src/b.ts", "Makefile", "dir with space/c.md", ".env", "d-e_f/g.test.tsx"])


_NUMBER = st.integers(1, 99)
TARGETS: dict[str, st.SearchStrategy[Target]] = {
    "line-call": st.builds(lambda first, more: LineTarget(first, first + more), _NUMBER, st.integers(-1, 9)),
    "symbol-call": st.builds(SymbolTarget, st.sampled_from(["f", "A/f"]), st.sampled_from(["replace", "after"])),
    "notebook-call": st.builds(CellTarget, st.sampled_from(["a", 3]), st.just("replace")),
}
"""What the edits of a format name where they quote nothing."""


def blocks_for(name: str) -> st.SearchStrategy[list[Block]]:
    """Blocks of the kinds that a format has."""
    kinds = [kind for kind, able in KINDS.items() if name in able]
    if name in PLACES:
        return st.lists(
            st.builds(Block, st.just(name), st.just(Kind.EDIT), PATH, st.just(""), TEXT, target=TARGETS[name]),
            min_size=1,
            max_size=3,
        )

    def build(kind: Kind, path: str, search: str, replace: str) -> Block:
        return Block(name, kind, path, search if kind is Kind.EDIT else "", replace)

    return st.lists(st.builds(build, st.sampled_from(kinds), PATH, TEXT, TEXT), min_size=1, max_size=3)


KINDS = {Kind.EDIT: EDITS, Kind.CREATE: CREATES, Kind.REWRITE: REWRITES}


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_parse_after_render_is_identity_or_refused(name: str, data: st.DataObject) -> None:
    blocks = data.draw(blocks_for(name))
    try:
        text = render(blocks, name)
    except RenderError:
        return  # the format cannot say these blocks, and says so
    assert [essence(b) for b in parse(text).blocks] == [essence(b) for b in blocks]


@pytest.mark.parametrize("name", sorted(set(FORMATS) - PLACES))
@settings(max_examples=8, deadline=None)
@given(search=st.text("ab \n", min_size=1).filter(str.strip), replace=st.text("ab \n"))
def test_ordinary_lines_are_never_refused(name: str, search: str, replace: str) -> None:
    block = (
        edit(search + "\n", replace + "\n") if name in EDITS else Block("diff", Kind.REWRITE, "a.py", "", search + "\n")
    )
    assert [essence(b) for b in parse(render([block], name)).blocks] == [essence(block)]


PLACED = {
    "a range": Block("line-call", Kind.EDIT, "a.py", "", "x\n", target=LineTarget(2, 3)),
    "a range with hashes": Block("line-call", Kind.EDIT, "a.py", "", "x\n", target=LineTarget(2, 3, ((2, "VK"), (3, "XJ")))),
    "lines that go": Block("line-call", Kind.EDIT, "a.py", "", "", target=LineTarget(2, 3)),
    "behind a line with its hash": Block("line-call", Kind.EDIT, "a.py", "", "x\n", target=LineTarget(3, 2, ((2, "9f"),))),
    "above a line with its hash": Block("line-call", Kind.EDIT, "a.py", "", "x\n", target=LineTarget(3, 2, ((3, "9f"),))),
    "at the start": Block("line-call", Kind.EDIT, "a.py", "", "x\n", target=LineTarget(1, 0)),
    "at the end": Block("line-call", Kind.EDIT, "a.py", "", "x\n", target=LineTarget(None, 0)),
    "before a definition": Block("symbol-call", Kind.EDIT, "a.py", "", "x\n", target=SymbolTarget("A/f", "before")),
    "a cell that goes": Block("notebook-call", Kind.EDIT, "n.ipynb", "", "", target=CellTarget("a", "delete")),
    "a first cell": Block("notebook-call", Kind.EDIT, "n.ipynb", "", "x\n", target=CellTarget(0, "before", "markdown")),
    "a last cell": Block("notebook-call", Kind.EDIT, "n.ipynb", "", "x\n", target=CellTarget(-1, "after", "code")),
}  # fmt: skip


@pytest.mark.parametrize("block", PLACED.values(), ids=PLACED.keys())
def test_places_are_said_by_their_own_format_and_no_other(block: Block) -> None:
    (back,) = parse(render([block], block.format)).blocks
    assert (essence(back), back.target) == (essence(block), block.target)
    for name in set(FORMATS) - {block.format}:
        with pytest.raises(RenderError):
            render([block], name)


def test_a_cell_in_front_of_another_is_refused() -> None:
    with pytest.raises(RenderError, match="where the new cell belongs"):
        render(
            [Block("notebook-call", Kind.EDIT, "n.ipynb", "", "x\n", target=CellTarget("a", "before"))], "notebook-call"
        )


def test_edits_by_line_stay_in_the_calls_that_they_came_in() -> None:
    blocks = [Block("line-call", Kind.EDIT, "a.py", "", "x\n", target=LineTarget(n, n, index=n % 2)) for n in (2, 3, 4)]
    assert [block.target for block in parse(render(blocks, "line-call")).blocks] == [block.target for block in blocks]
