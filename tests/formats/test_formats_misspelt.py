"""What looks like an edit and is none: never written as a file's text, never lost without a word."""

from __future__ import annotations

import pytest

import dovetail
from dovetail.formats import parse
from dovetail.model.blocks import Block
from dovetail.model.codes import Code, Status
from dovetail.model.markers import Markers

FILE = "a = 1\nb = 2\nc = 3\n"
STARTS = [
    "<<<<<<< SEARCH (second line)",
    "<<<<<<< SEARCH:",
    "<<<<<<< SEARCH in x.py",
    "<<<<<<< SEARCH // old",
    "<<<<<<< Search block",
    "<<<<<<< OLD",
    "<<<<<<< BEFORE",
    "<<<<<<< CURRENT",
    "<<<<<<< FIND",
    "<<<<<<< REPLACE",
    "<<<<<<<SEARCH it",
    "<<< SEARCH",
    "<<<< SEARCH",
    "<<<<<<<<<< SEARCH",
    "<<<<<<<<<<<< SEARCH",
    "**<<<<<<< SEARCH**",
    "`<<<<<<< SEARCH`",
    "\\<<<<<<< SEARCH",
    "> <<<<<<< SEARCH",
    "- <<<<<<< SEARCH",
    "1. <<<<<<< SEARCH",
    "&lt;&lt;&lt; SEARCH",
    "# <<<<<<< SEARCH",
    "// <<<<<<< SEARCH",
    "<!-- <<<<<<< SEARCH -->",
]


def edit(start: str, divider: str = "=======", end: str = ">>>>>>> REPLACE") -> str:
    return f"{start}\nb = 2\n{divider}\nb = 3\n{end}\n"


GOOD = edit("<<<<<<< SEARCH").replace("b = ", "c = ").replace("2", "3", 1)


def blocks(reply: str) -> tuple[Block, ...]:
    """What a reply holds, once it is sure that nothing of it goes into the file but sound blocks."""
    applied = dovetail.apply(reply, {"x.py": FILE})
    for result in applied.plan.results:
        assert result.status is not Status.APPLIED
    assert applied.files == {}
    return parse(reply).blocks


def is_misspelt(block: Block, start: str) -> bool:
    fault = block.malformed
    return (
        fault is not None
        and start[:20] in fault.message.replace("\\\\", "\\")
        and "<<<<<<< SEARCH" in (fault.hint or "")
    )


PLACES = {
    "under a path": "x.py\n```python\n{}```\n",
    "path inside": "```python\nx.py\n{}```\n",
    "path in the info": "```edit:x.py\n{}```\n",
    "no path": "Here:\n\n```\n{}```\n",
    "no fence": "x.py\n{}",
    "no fence and no path": "{}",
    "in a tool": "<apply_diff>\n<path>x.py</path>\n<diff>\n{}</diff>\n</apply_diff>\n",
}


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_a_misspelt_start_is_malformed_wherever_it_stands(place: str, start: str) -> None:
    (one,) = blocks(place.format(edit(start)))
    assert is_misspelt(one, start)
    assert one.path == ("x.py" if "x.py" in place else None)


@pytest.mark.parametrize("start", STARTS)
def test_a_misspelt_block_stops_no_sound_one_in_its_fence(start: str) -> None:
    before, after = parse(f"x.py\n```\n{edit(start)}\n{GOOD}```\n").blocks
    assert is_misspelt(before, start)
    assert (after.path, after.search, after.malformed) == ("x.py", "c = 3\n", None)
    assert (before.line, after.line) == (3, 9)
    first, second = parse(f"x.py\n```\n{GOOD}\n{edit(start)}```\n").blocks
    assert (first.search, first.replace, first.malformed) == ("c = 3\n", "c = 3\n", None)
    assert is_misspelt(second, start)
    assert (first.line, second.line) == (3, 9)


@pytest.mark.parametrize(
    "text",
    [
        "# >>> conda initialize >>>\neval it\n# <<< conda initialize <<<\n",
        "# >>>>>>>>>> settings\nb = 2\n# ==========\nc = 3\n# <<<<<<<<<<\n",
        "-- <<<<<<< tables\nselect 1;\n-- >>>>>>> tables\n",
    ],
)
def test_a_banner_in_a_comment_is_no_marker(text: str) -> None:
    assert dovetail.apply(f"x.py\n```\n{text}```\n", {"x.py": FILE}).files == {"x.py": text}


@pytest.mark.parametrize("size", [3, 4, 5, 7, 10, 12])
def test_three_markers_without_a_word_are_malformed(size: int) -> None:
    three = edit("<" * size, "=" * size, ">" * size)
    for reply in (f"x.py\n```\n{three}```\n", f"Here:\n```\n{three}```\n", f"x.py\n```\n\n{three}\n```\n"):
        (one,) = blocks(reply)
        assert one.malformed is not None


@pytest.mark.parametrize(
    "text",
    [
        edit(">>>>>>> REPLACE", "=======", "<<<<<<< FIND"),
        "«« EDIT\nb = 2\n═══════ REPL\nb = 3\n»» EDIT END\n",
        "🟧🟧🟧🟧 EDIT\nb = 2\n🟨🟨🟨 REPL\nb = 3\n🟩🟩🟩 END\n",
        "<<<<<<< OLD\nb = 2\n>>>>>>> NEW\n",
        "# Change:\n<<<<<<< OLD\nb = 2\n=======\nb = 3\n>>>>>>> NEW\n# Done.\n",
    ],
)
def test_other_shapes(text: str) -> None:
    (one,) = blocks(f"x.py\n```\n{text}```\n")
    assert one.malformed is not None or one.doubt is not None
    (one,) = blocks(f"Here:\n```\n{text}```\n")
    assert one.malformed is not None


def test_the_words_of_the_formats_look_like_markers_where_others_are_set() -> None:
    markers = Markers(search_words=("FIND",), replace_words=("PUT",))
    for text in (edit("<<<<<<< SEARCH"), edit("<<<<<<< ORIGINAL", end=">>>>>>> UPDATED")):
        (one,) = parse(f"x.py\n```\n{text}```\n", markers=markers).blocks
        assert one.malformed is not None
        assert "<<<<<<< FIND, =======, >>>>>>> PUT" in (one.malformed.hint or "")


CONFLICT = "a = 1\n<<<<<<< HEAD\nb = 2\n=======\nb = 3\n>>>>>>> main\nc = 3\n<<<<<<< HEAD\n=======\nd\n>>>>>>> main\n"
ABOUT = "# Blocks\n\n    <<<<<<< OLD\n    x\n    =======\n    y\n    >>>>>>> NEW\n\nEnd.\n"


def codes(reply: str, files: dict[str, str]) -> list[Code | None]:
    return [result.code for result in dovetail.apply(reply, files).plan.results]


@pytest.mark.parametrize("text", [CONFLICT, ABOUT])
def test_a_file_that_has_such_lines_may_keep_them(text: str) -> None:
    new = text.replace("End.", "The end.").replace("c = 3\n", "")
    reply = f"x.txt\n```\n{new}```\n"
    assert dovetail.apply(reply, {"x.txt": text}).files == {"x.txt": new}
    assert codes(reply, {"x.txt": "b = 2\n"}) == [Code.MALFORMED]
    assert codes(reply, {}) == [Code.MALFORMED]


def test_a_resolved_conflict_is_a_listing_like_any_other() -> None:
    resolved = "a = 1\nb = 3\nc = 3\nd\n"
    assert dovetail.apply(f"x.py\n```\n{resolved}```\n", {"x.py": CONFLICT}).files == {"x.py": resolved}


PLAIN = {
    "doctest": "'Areas.\n>>> area(2)\n4\n>>> replace('a')\n>>> NEW = 1\n>>>\n",
    "heredoc": "f(\n<<<SQL\nselect 1\nSQL\n);\n",
    "rules": "Title\n=======\n\n-------\n+++++++\n═══════\n",
    "shifts": "x\n  >>> 3\n  <<< 4\n",
    "squares": "🟩🟩🟩🟨⬛\n🟧🟧🟧\n🟩🟩🟩\n",
    "strings": 's = "<<<<<<< SEARCH\\n"\nprint(">>>>>>> REPLACE")\n# see <<<<<<< SEARCH\n',
    "a mention": "`<<<<<<< SEARCH` opens a block, `>>>>>>> REPLACE` ends it.\n",
    "a list": "- one\n  more\n- two\n",
    "comments": "-- a\n-- b\nselect 1\n",
    "options": "-Xms1g\n-Xmx1g\n",
    "a diff in a document": "# How\n\n```diff\n-a\n+b\n```\n",
    "continued lines": "x = (a\n  - b\n  + c)\n",
}


@pytest.mark.parametrize(
    ("text", "name"), [(text, "n.yaml" if key == "a list" else "n.py") for key, text in PLAIN.items()]
)
def test_what_looks_like_no_marker_is_a_file_s_text(text: str, name: str) -> None:
    (one,) = parse(f"n.md\n````\n{text}````\n").blocks
    assert (one.format, one.replace, one.malformed, one.doubt) == ("whole", text, None, None)
    assert dovetail.apply(f"{name}\n````\n{text}````\n", {}).files[name] == text


@pytest.mark.parametrize(
    "text",
    [
        "Conflicts look so:\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n```\n",
        "Conflicts look so:\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
        "Begin with:\n```\n<<<<<<< SEARCH (line)\n```\n",
        "```\n<<<<<<<\n=======\n>>>>>>>\n```\n",
        "```\n>>> f()\n1\n>>> g()\n```\n",
        "> a quotation\n>>> deeper\n",
    ],
)
def test_illustrations_are_text(text: str) -> None:
    assert parse(text).blocks == ()


def test_a_document_with_an_example_in_a_shorter_fence_is_one_block() -> None:
    document = "# How to edit\n\nx.py\n```\n" + edit("<<<<<<< SEARCH") + "```\n\nDone.\n"
    for head in ("R.md\n````markdown", "R.md\n````", "````markdown R.md", "R.md\n~~~~~"):
        mark = head[-5:] if head[-1] == "~" else "````"
        reply = f"{head}\n{document}{mark}\n"
        assert dovetail.apply(reply, {"x.py": FILE}).files == {"R.md": document}
        assert dovetail.apply(reply, {"R.md": edit("<<<<<<< SEARCH")}).files == {"R.md": document}
        assert codes(reply, {"x.py": FILE, "R.md": "b = 2\n"}) == [Code.MALFORMED]
    code = 'D = """\n```\n' + edit("<<<<<<< SEARCH") + '```\n"""\n'
    assert dovetail.apply(f"t.py\n````python\n{code}````\n", {"x.py": FILE}).files["t.py"] == code


def test_a_reply_or_an_edit_in_a_longer_fence_is_no_document() -> None:
    inner = "```python\n" + edit("<<<<<<< SEARCH") + "```\n"
    for reply in (
        f"x.py\n````\n{inner}````\n",
        f"x.py\n````markdown\nChange b:\n{inner}````\n",
        f"Here you are:\n\n````markdown\nI change b:\n\nx.py\n{inner}Done.\n````\n",
        f"x.py\n````\n{edit('<<<<<<< SEARCH')}````\n",
    ):
        assert dovetail.apply(reply, {"x.py": FILE}).files == {"x.py": FILE.replace("2", "3")}


DIFFS = {
    "hunk": " a = 1\n-b = 2\n+b = 3\n c = 3\n",
    "blanks forgotten": "a = 1\n-b = 2\n+b = 3\nc = 3\n",
    "removed": " a = 1\n-b = 2\n c = 3\n",
    "added": " a = 1\n+b = 3\n c = 3\n",
    "all added": "+a = 1\n+b = 3\n",
}


@pytest.mark.parametrize("text", DIFFS.values(), ids=DIFFS.keys())
def test_a_diff_without_a_head_is_no_listing(text: str) -> None:
    reply = f"x.py\n```python\n{text}```\n"
    blocks(reply)
    assert codes(reply, {"x.py": FILE}) == [Code.MALFORMED]
    assert parse(f"x.patch\n```\n{text}```\n").blocks[0].doubt is None


HEADLESS = {
    "in a fence": "```\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n",
    "diff-fenced": "```\nx.py\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n",
    "no fence": "x.py\nold\n=======\nnew\n>>>>>>> REPLACE\n",
    "cline": "```\nold\n=======\nnew\n+++++++ REPLACE\n```\n",
    "anchored": "x.py\na\n-------\nold\n=======\nnew\n-------\nb\n>>>>>>>\n",
    "guillemet": "x.py\nold\n═══════ REPL\nnew\n»»» EDIT END\n",
}


@pytest.mark.parametrize("reply", HEADLESS.values(), ids=HEADLESS.keys())
def test_a_block_without_its_start_is_malformed(reply: str) -> None:
    (last,) = parse(reply).blocks
    assert last.malformed is not None
    assert "no start marker" in last.malformed.message
    at = (last.malformed.line or 0) - 1
    assert reply.splitlines()[at].startswith((">>>>>>>", "+++++++", "»»»"))


@pytest.mark.parametrize("around", ["a.py\n{}\n", "a.py\n```\n{}\n```\n", "a.py\n- {}\n"])
def test_a_block_on_one_line_is_malformed(around: str) -> None:
    line = "<<<<<<< SEARCH x = 1 ======= x = 2 >>>>>>> REPLACE"
    (one,) = parse(around.format(line) + "\nb.py\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n").blocks[:-1]
    assert (one.path, one.malformed is not None) == ("a.py", True)
    assert parse("<<<<<<< SEARCH … ======= … >>>>>>> REPLACE\n").blocks == ()


@pytest.mark.parametrize("end", [">>>>>>> REPLACE", "+++++++ REPLACE", ">>>>>>> UPDATED"])
def test_under_a_path_it_is_no_file(end: str) -> None:
    (one,) = parse(f"x.py\n```\nold\n=======\nnew\n{end}\n```\n").blocks
    assert one.malformed is not None or one.doubt is not None


def test_a_conflict_and_an_end_alone_are_no_edits() -> None:
    assert parse("Solve this:\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n").blocks == ()
    assert parse("The marker is\n\n>>>>>>>\n\nand no more.\n").blocks == ()


def test_a_hunk_under_no_path_is_malformed() -> None:
    for head in ("  --- x.py\n+++ x.py\n", "--- x.py\n  +++ x.py\n"):
        (one,) = parse(f"```diff\n{head}@@ -1 +1 @@\n-a\n+b\n```\n").blocks
        assert one.malformed is not None


@pytest.mark.parametrize(
    "reply", ["</boltAction>", "text\n</boltAction>", '<boltAction type="edit"\nx.py\n</boltAction>']
)
def test_an_action_that_nothing_opens_is_malformed(reply: str) -> None:
    (one,) = parse(f'<boltArtifact id="a" title="A">\n{reply}\n</boltArtifact>\n').blocks
    assert one.malformed is not None


def test_lines_of_a_patch_under_no_section_are_malformed() -> None:
    first, second = parse("*** Begin Patch\n@@\n-a\n+b\n*** Update File: y.py\n@@\n-c\n+d\n*** End Patch\n").blocks
    assert (first.malformed is not None, second.malformed, second.path) == (True, None, "y.py")


@pytest.mark.parametrize("repeated", ["=======", "-------"])
def test_a_marker_of_an_anchored_block_that_is_repeated_counts_once(repeated: str) -> None:
    text = "x.py\n<<<<<<< EDIT\na\n-------\nold\n=======\nnew\n-------\nb\n>>>>>>>\n"
    (one,) = parse(text.replace(f"{repeated}\n", f"{repeated}\n{repeated}\n")).blocks
    assert (one.search, one.replace) == ("a\nold\nb\n", "a\nnew\nb\n")
    assert not any(repeated in r.replace for r in one.readings)


def test_an_action_s_closing_tag_in_a_sentence_is_text() -> None:
    assert parse("Close each action with </boltAction> and go on.\n").blocks == ()


@pytest.mark.parametrize(
    "markers",
    [
        ("＜＜＜＜＜＜＜ SEARCH", "＝＝＝＝＝＝＝", "＞＞＞＞＞＞＞ REPLACE"),
        ("< < < < < < < SEARCH", "= = = = = = =", "> > > > > > > REPLACE"),
        ("SEARCH", "", "REPLACE"),
        ("**SEARCH:**", "", "**REPLACE WITH:**"),
    ],
)
def test_markers_in_other_signs_or_none_are_not_written_over_the_file(markers: tuple[str, str, str]) -> None:
    start, divider, end = markers
    assert codes(f"x.py\n```\n{start}\nb = 2\n{divider}\nb = 3\n{end}\nb = 3\n```\n", {"x.py": FILE}) == [
        Code.MALFORMED
    ]


CHANGES = {
    "added lines": ("a.py", "+x\n\n+y \n", ("+x", "+y")),
    "context and added lines": ("a.py", " x\n+y\n", ("+y",)),
    "context and removed lines": ("a.py", " x\n-y\n", ("-y",)),
    "a removed line above an added one, and others": ("a.py", "x\n-y\n+z\nw\n", ("-y", "+z")),
    "lines of which one has no mark": ("a.py", "+1\nx = 1\n    return x\n", None),
    "context": ("a.py", " x\n y\n", None),
    "comments": ("a.sql", "-- x\n+ 1\n", None),
    "both kinds of lists under an indented line": ("a.md", " x\n+ y\n- z\n", ("+ y", "- z")),
    "a list and its text": ("a.md", "- x\n  y\n", None),
    "two kinds of lists": ("a.md", "- x\n\n+ y\n", None),
    "a patch": ("a.PATCH", " x\n-y\n+z\n", None),
    "an example in a document": ("a.md", "```diff\n-x\n+y\n```\ntext\n", None),
    "lines behind an example in a document": ("a.md", "```diff\n-x\n```\n-y\n+z\n", ("-y", "+z")),
    "a diff without context": ("a.py", "2,3c2 \n< x\n---\n> y\n", ("2,3c2",)),
    "a context diff": (
        "a.py",
        "*** a.py\n--- a.py\n***************\n*** 1 ****\n! x\n--- 1 ----\n! y\n",
        ("*** 1 ****",),
    ),
}


@pytest.mark.parametrize(("path", "text", "lines"), CHANGES.values(), ids=CHANGES.keys())
def test_which_lines_put_a_listing_in_doubt(path: str, text: str, lines: tuple[str, ...] | None) -> None:
    (one,) = parse(f"{path}\n````\n{text}````\n").blocks
    assert (one.format, one.replace, one.malformed) == ("whole", text, None)
    assert (one.doubt and one.doubt.lines) == lines


def test_a_listing_is_an_edit_where_it_begins_and_ends_like_one_and_in_doubt_elsewhere() -> None:
    start, end = "<<<<<<< SEARCH it\n", " >>>>>>> REPLACE it\n"
    for text, malformed in ((f"{start}x\n{end}", True), (f"{start}x\n", False), (f"x\n{start}", False)):
        (one,) = parse(f"a.py\n```\n{text}```\n").blocks
        assert (one.malformed is not None, one.doubt is not None) == (malformed, not malformed)
    for path, fence, text, creates in (
        ("a.py", "```", f"x\n{start}", False),
        ("a.md", "````", f"x\n{start}", False),
        ("a.md", "````", f"```\n{start}```\n", True),
    ):
        (one,) = parse(f"{path}\n{fence}\n{text}{fence}\n").blocks
        assert one.doubt is not None and "<<<<<<< SEARCH, =======, >>>>>>> REPLACE" in one.doubt.hint
        assert one.doubt.creates is creates


WHAT_COMES_NEXT = {
    "a sound start": ("<<<<<<< SEARCH it\n=======\na.py\n" + GOOD, [("c = 3\n", None)]),
    "a fence": ("<<<<<<< SEARCH it\n```\n>>>>>>> REPLACE\n```\n", []),
    "a tag of reasoning": (edit("<<<<<<< SEARCH it").replace("b = 2", "</think>"), [("", Code.MALFORMED)]),
    "a number of signs without words": ("<<< EDIT\nx\n>>>\n", [("", Code.MALFORMED)]),
}


@pytest.mark.parametrize(("reply", "found"), WHAT_COMES_NEXT.values(), ids=WHAT_COMES_NEXT.keys())
def test_what_stands_next_says_whether_an_edit_was_meant(reply: str, found: list[tuple[str, Code | None]]) -> None:
    parsed = parse(reply)
    assert [(b.search, b.malformed and b.malformed.code) for b in parsed.blocks] == found
    assert all(b.raw == reply for b in parsed.blocks if b.malformed)


@pytest.mark.parametrize("format", ["udiff", "apply-patch", "tool-call"])
def test_where_no_markers_are_wanted_none_is_misspelt(format: str) -> None:  # noqa: A002 - the option's own word
    for text in (edit("<<<<<<< SEARCH it"), "x\n=======\ny\n+++++++ REPLACE\n"):
        for reply in (f"x.py\n{text}", f"Here:\n```\n{text}```\n"):
            assert parse(reply, format=format).blocks == ()


def test_one_misspelt_block_is_told_of_once() -> None:
    parsed = parse("x.py\n" + edit("<<<<<<< SEARCH it", end=">>>>>>> REPLACE"))
    assert [d.code for d in parsed.diagnostics] == [Code.MALFORMED]
