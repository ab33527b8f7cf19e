"""Search/replace blocks: where they begin and end, what names their file, what they can be read as (rules 3 to 8)."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.blocks import Block, Kind, Reading
from dovetail.model.codes import Code, Severity
from dovetail.model.markers import Markers

S, D, E = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"


def block(search: str = "old\n", replace: str = "new\n") -> str:
    return S + search + D + replace + E


def numbered(n: int) -> str:
    return block(f"{n}\n", f"{n + 1}\n")


def said(reply: str, **options: str) -> list[tuple[str, str | None, str, str]]:
    """Format, path, search and replacement of every sound block that is no draft."""
    return [
        (b.format, b.path, b.search, b.replace)
        for b in parse(reply, **options).blocks  # type: ignore[arg-type]
        if b.malformed is None and not b.draft
    ]


PLACES = {
    "own line before the fence": (f"src/a.py\n```python\n{block()}```\n", "diff", "src/a.py"),
    "own line, no fence": (f"src/a.py\n{block()}", "diff", "src/a.py"),
    "blank line between": (f"src/a.py\n\n```\n{block()}```\n", "diff", "src/a.py"),
    "first line inside": (f"```python\nsrc/a.py\n{block()}```\n", "diff-fenced", "src/a.py"),
    "comment inside": (f"```python\n# src/a.py\n{block()}```\n", "diff-fenced", "src/a.py"),
    "info string with a word": (f"```edit:src/a.py\n{block()}```\n", "edit-fence", "src/a.py"),
    "info string alone": (f"```src/a.py\n{block()}```\n", "edit-fence", "src/a.py"),
    "info string with a language": (f"```python:src/a.py\n{block()}```\n", "edit-fence", "src/a.py"),
    "heading": (f"### File: src/a.py\n{block()}", "sections", "src/a.py"),
    "source tags": (f"src/a.py\n<source>python\n{block()}</source>\n", "diff", "src/a.py"),
    "tildes": (f"src/a.py\n~~~~\n{block()}~~~~\n", "diff", "src/a.py"),
    "in a fence of its own": (f"```\nsrc/a.py\n```\n\n```python\n{block()}```\n", "diff", "src/a.py"),
    "named in the sentence above": (f"Now change `src/a.py`:\n\n```python\n{block()}```\n", "diff", "src/a.py"),
    "a word with no extension": (f"php\n```\n{block()}```\n", "diff", "php"),
    "unclosed fence": (f"src/a.py\n```python\n{block()}", "diff", "src/a.py"),
    "behind the start": (f"```\n{block().replace('SEARCH', 'SEARCH src/a.py')}```\n", "diff", "src/a.py"),
    "behind a colon": (block().replace("SEARCH", "SEARCH: `src/a.py`"), "diff", "src/a.py"),
    "behind the start, with brackets in its folders": (
        block().replace("SEARCH", "SEARCH app/(shop)/[id]/page.tsx"),
        "diff",
        "app/(shop)/[id]/page.tsx",
    ),
    "behind both markers": (
        "b.py\n```\n<<<<<<< SEARCH (src/a.py)\nold\n=======\nnew\n>>>>>>> REPLACE (src/a.py)\n```\n",
        "diff",
        "src/a.py",
    ),
    "above, and its name behind the start": (
        f"src/a.py\n```\n{block().replace('SEARCH', 'SEARCH a.py')}```\n",
        "diff",
        "src/a.py",
    ),
}


@pytest.mark.parametrize(("reply", "name", "path"), PLACES.values(), ids=PLACES.keys())
def test_where_the_path_stands(reply: str, name: str, path: str) -> None:
    assert said(reply) == [(name, path, "old\n", "new\n")]


MARKERS = {
    "five": "<<<<< SEARCH\nold\n=====\nnew\n>>>>> REPLACE\n",
    "nine, seven and five": "<<<<<<<<< SEARCH\nold\n=======\nnew\n>>>>> REPLACE\n",
    "trailing blanks": "<<<<<<< SEARCH  \nold\n=======\t\nnew\n>>>>>>> REPLACE \n",
    "an arrow behind the word": "<<<<<<< SEARCH>\nold\n=======\nnew\n>>>>>>> REPLACE>\n",
    "older words": "<<<<<<< ORIGINAL\nold\n=======\nnew\n>>>>>>> UPDATED\n",
    "conflict words": "<<<<<<< HEAD\nold\n=======\nnew\n>>>>>>> updated\n",
    "no word at the end": "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>>\n",
}


@pytest.mark.parametrize("text", MARKERS.values(), ids=MARKERS.keys())
def test_markers_vary(text: str) -> None:
    assert said(f"a.py\n```\n{text}```\n") == [("diff", "a.py", "old\n", "new\n")]


def test_real_conflicts_are_text() -> None:
    assert parse("a.py\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n").blocks == ()


def test_markers_can_be_set() -> None:
    for left, right in (("<file>", "</file>"), ("[code]", "[/code]"), ("{{{", "}}}")):
        markers = Markers(search_words=("FIND",), replace_words=("PUT",), fences=((left, right),))
        block = "<<<<<<< FIND\nx\n=======\ny\n>>>>>>> PUT\n"
        parsed = parse(f"a.py\n{left}\n{block}{right}\nb.py\n{left}python\nwhole\n{right}\n", markers=markers)
        assert [(b.format, b.path) for b in parsed.blocks] == [("diff", "a.py"), ("whole", "b.py")]


def test_a_path_stays_in_force_until_another_is_named() -> None:
    reply = f"a.py\n```\n{block()}```\nThen:\n```\n{numbered(1)}```\nb.py\n```\n{numbered(3)}\n{numbered(5)}```\n"
    assert [path for _, path, _, _ in said(reply)] == ["a.py", "a.py", "b.py", "b.py"]


def test_of_many_names_above_a_block_the_nearest_come_along() -> None:
    others = "".join(f"It touches `mod{n}.py`.\n" for n in range(70))
    (only,) = parse(f"First `b.py`.\n{others}So `b.py` is next.\n\nNow `c.py`:\n\n```python\n{block()}```\n").blocks
    assert only.named[:4] == ("c.py", "c.py", "b.py", "mod69.py")


def test_a_section_ends_at_the_next_heading_of_its_level() -> None:
    reply = f"## File: a.py\n{block()}### Why\n{numbered(1)}## Notes\n\nText.\n\n{numbered(3)}"
    assert [b.path for b in parse(reply).blocks] == ["a.py", "a.py", None]


def test_new_file_sections() -> None:
    (created,) = parse("### File: n.ts\n<<<<<<< NEW_FILE\nx\n=======\n>>>>>>> NEW_FILE\n").blocks
    assert (created.kind, created.path, created.replace) == (Kind.CREATE, "n.ts", "x\n=======\n")


def test_a_new_file_may_have_an_empty_search() -> None:
    reply = "### File: n.rst\n<<<<<<< NEW_FILE\n{}>>>>>>> NEW_FILE\n"
    for body, text in (("=======\nx\n", "x\n"), ("=======\nA title\n=======\n", "=======\nA title\n=======\n")):
        (created,) = parse(reply.format(body)).blocks
        assert created.replace == text


@pytest.mark.parametrize(
    ("path", "body", "text"),
    [
        ("n.py", "```python\nx\n```\n", "x\n"),
        ("n.md", "```python\nx\n```\n", "```python\nx\n```\n"),
        ("n.py", "```python\nx\n", "```python\nx\n"),
    ],
)
def test_one_whole_fence_around_a_new_files_text_is_the_replys(path: str, body: str, text: str) -> None:
    (created,) = parse(f"### File: {path}\n<<<<<<< NEW_FILE\n{body}>>>>>>> NEW_FILE\n").blocks
    assert (created.kind, created.replace) == (Kind.CREATE, text)


def test_halves_are_whole_lines_and_may_be_empty() -> None:
    assert said("a.py\n" + block("", "new\n")) == [("diff", "a.py", "", "new\n")]
    assert said("a.py\n" + block("old\n", "")) == [("diff", "a.py", "old\n", "")]
    assert said("a.py\n" + block("\n", "\n\n")) == [("diff", "a.py", "\n", "\n\n")]


def readings(reply: str) -> list[tuple[str, str]]:
    (one,) = parse(reply).blocks
    return [(r.search, r.replace) for r in one.readings]


def test_an_underline_of_another_length_is_content_first() -> None:
    found = readings(f"r.md\n```\n{S}Title\n=====\n\nold\n{D}Title\n=====\n\nnew\n{E}```\n")
    assert found[0] == ("Title\n=====\n\nold\n", "Title\n=====\n\nnew\n")
    assert len(found) == 3


def test_an_underline_of_the_marker_s_length_keeps_all_readings() -> None:
    found = readings(f"r.rst\n{S}Heading\n{D}{D}Overall\n{D}{E}")
    assert ("Heading\n=======\n", "Overall\n=======\n") in found


def test_a_divider_repeated_before_the_end_is_noise() -> None:
    assert readings(f"a.py\n{S}old\n{D}new\n{D}{E}")[0] == ("old\n", "new\n")


INNER = f"{S}p\n{D}q\n{E}r\n"
READINGS = {
    "a divider of the start's length is likelier than a short one above it": (
        f"a.py\n{S}x\n=====\ny\n{D}z\n{E}",
        [("x\n=====\ny\n", "z\n"), ("x\n", f"y\n{D}z\n")],
    ),
    "a divider of the start's length is likelier than a short one below it": (
        f"a.py\n{S}x\n{D}y\n=====\nz\n{E}",
        [("x\n", "y\n=====\nz\n"), (f"x\n{D}y\n", "z\n")],
    ),
    "a divider as deep as the start is likelier than a deeper one": (
        f"a.py\n{S}x\n  {D}y\n{D}z\n{E}",
        [(f"x\n  {D}y\n", "z\n"), ("x\n", f"y\n{D}z\n")],
    ),
    "the last divider before the end is the least likely": (
        f"a.py\n{S}x\n=====\ny\n{D}{E}",
        [("x\n", f"y\n{D}"), ("x\n=====\ny\n", "")],
    ),
    "a short one before the end is content": (
        f"a.py\n{S}x\n{D}y\n=====\n{E}",
        [("x\n", "y\n=====\n"), (f"x\n{D}y\n", "")],
    ),
    "one of full length before the end is noise, blank lines too": (
        f"a.py\n{S}x\n{D}y\n{D}\n{E}",
        [("x\n", "y\n"), (f"x\n{D}y\n", "\n")],
    ),
    "one before the end is content where the search would have its like": (
        f"a.py\n{S}x\n=====\ny\n{D}z\n{D}{E}",
        [("x\n=====\ny\n", "z\n"), ("x\n", f"y\n{D}z\n{D}"), (f"x\n=====\ny\n{D}z\n", "")],
    ),
    "two and nothing else delete the search": (f"a.py\n{S}x\n{D}{D}{E}", [("x\n", ""), (f"x\n{D}", "")]),
    "one between two texts makes two replacements": (
        f"a.py\n{S}x\n{D}y\n{D}z\n{D}{E}",
        [
            ("x\n", "y\n"),
            ("x\n", "z\n"),
            ("x\n", f"y\n{D}z\n"),
            (f"x\n{D}y\n", f"z\n{D}"),
            (f"x\n{D}y\n{D}z\n", ""),
        ],
    ),
    "so does an indented one, in the order of the text": (
        f"a.py\n{S}x\n{D}y\n  {D}z\n{D}w\n{E}",
        [
            ("x\n", "y\n"),
            ("x\n", "z\n"),
            ("x\n", "w\n"),
            ("x\n", f"y\n  {D}z\n{D}w\n"),
            (f"x\n{D}y\n  {D}z\n", "w\n"),
            (f"x\n{D}y\n", f"z\n{D}w\n"),
        ],
    ),
    "none in a document": (f"a.RST\n{S}x\n{D}y\n{D}z\n{E}", [("x\n", f"y\n{D}z\n"), (f"x\n{D}y\n", "z\n")]),
    "none in a merge conflict": (
        f"a.py\n{S}x\n{D}y\n>>>>>>> main\n{D}z\n{E}",
        [("x\n", f"y\n>>>>>>> main\n{D}z\n"), (f"x\n{D}y\n>>>>>>> main\n", "z\n")],
    ),
    "one above a title that has none below is no title's": (
        f"a.py\n{S}x\n{D}{D}Results\nz\n{E}",
        [("x\n", ""), ("x\n", "Results\nz\n"), ("x\n", f"{D}Results\nz\n"), (f"x\n{D}", "Results\nz\n")],
    ),
    "a sentence is no title": (
        f"a.py\n{S}x\n{D}Result.\n{D}z\n{E}",
        [("x\n", "Result.\n"), ("x\n", "z\n"), ("x\n", f"Result.\n{D}z\n"), (f"x\n{D}Result.\n", "z\n")],
    ),
    "one of a block inside is the least likely": (
        f"a.md\n````\n{S}{INNER}{D}s\n{E}````\n",
        [(INNER, "s\n"), (f"{S}p\n", f"q\n{E}r\n{D}s\n")],
    ),
    "one of a block inside makes no second replacement": (
        f"a.md\n````\n{S}x\n{D}{INNER}{D}{E}````\n",
        [("x\n", INNER), (f"x\n{D}{S}p\n", f"q\n{E}r\n{D}"), (f"x\n{D}{INNER}", "")],
    ),
    "an indentation that not every line has stays": (
        f"   a.py\n   ```\n   {S}   x\n   {D}  y\n   {E}   ```\n",
        [("   x\n", "  y\n")],
    ),
    "blank lines need no indentation": (
        f"   a.py\n   ```\n   {S}   x\n\n   {D}   y\n \n   {E}   ```\n",
        [("x\n\n", "y\n\n"), ("   x\n\n", "   y\n \n")],
    ),
}


@pytest.mark.parametrize(("reply", "found"), READINGS.values(), ids=READINGS.keys())
def test_which_divider_divides(reply: str, found: list[tuple[str, str]]) -> None:
    assert readings(reply) == found


def test_an_end_marker_behind_one_that_a_start_in_the_text_opened_is_the_block_s() -> None:
    inner = f"{S}x\n{D}y\n{E}"
    assert readings(f"a.md\n````\n{S}old\n{D}{inner}{E}````\n")[0] == ("old\n", inner)


LISTED = "1. Install:\n   ```\n   pip install kiosk\n   ```\n\n2. Run:\n   ```\n   kiosk\n   ```\n"
FLAT = LISTED.replace("   ", "")
RESTS = ["```\n", "", "```\n\nb.py\n```\n" + block() + "```\n"]


@pytest.mark.parametrize("rest", RESTS)
def test_a_fence_that_stands_deeper_than_the_block_s_ends_no_block(rest: str) -> None:
    first, *others = parse(f"a.md\n```\n{S}old\n{D}{LISTED}{rest}").blocks
    assert (first.malformed is None) == rest.startswith("```")
    assert first.malformed is not None or first.replace == LISTED
    assert [other.path for other in others] == ["b.py"] * rest.count("b.py")
    (cut,) = parse(f"a.md\n```\n{S}old\n{D}1. Install:\n   ```\n   pip install\n").blocks
    assert cut.malformed is not None


@pytest.mark.parametrize("behind", ["", "\nRun it:\n```bash\nkiosk\n```\n", "\nb.py\n```\n" + block() + "```\n"])
def test_the_fence_ends_a_block_without_its_end_marker(behind: str) -> None:
    first = parse(f"a.py\n```\n{S}old\n{D}new\n```\n{behind}").blocks[0]
    assert (first.malformed, first.replace) == (None, "new\n")


def test_two_replacements_in_one_block_are_all_listed_under_one_search() -> None:
    found = readings(f"a.py\n{S}old()\n{D}return one_thing(with, many, words)\n{D}two\n{E}")
    assert {replace for search, replace in found if search == "old()\n"} >= {
        "return one_thing(with, many, words)\n",
        "two\n",
    }


@pytest.mark.parametrize(
    "first", ["b = 3\n", "x = 100\n", "b = 30000000000000\n", "default\n", "b = 3\n" + D + "c = 4\n"]
)
@pytest.mark.parametrize("end", ["", D])
def test_a_line_of_code_is_no_title_of_the_divider_below_it(first: str, end: str) -> None:
    found = readings(f"a.py\n{S}old\n{D}{first}{D}two\n{end}{E}")
    replacements = [replace for search, replace in found if search == "old\n"]
    assert set(replacements) > {"two\n", *first.split(D)}


@pytest.mark.parametrize(
    "text", ["Results\n" + D + "two\n", D + "Results\n" + D + "two\n", "if x:\n    Heading\n    " + D]
)
def test_a_title_of_the_underline_s_length_is_content_of_any_file(text: str) -> None:
    found = readings(f"a.py\n{S}old\n{D}{text}end\n{E}")
    assert [replace for search, replace in found if search == "old\n"] == [f"{text}end\n"]


def test_at_most_sixteen_readings() -> None:
    assert len(readings("a.py\n" + S + ("x\n" + D) * 100 + "y\n" + E)) == 16


def test_an_indented_block_is_read_without_its_indentation_first() -> None:
    reply = f"1. Change:\n\n   a.py\n   ```\n   {S}   x = 1\n   {D}     x = 2\n   {E}   ```\n"
    assert readings(reply) == [("x = 1\n", "  x = 2\n"), ("   x = 1\n", "     x = 2\n")]


def test_a_document_about_blocks_is_one_block() -> None:
    inner = block("x\n", "y\n")
    reply = f"docs/edit.md\n````\n{S}# Old\n{inner}{D}# New\n{inner}end\n{E}````\n"
    (one,) = parse(reply).blocks
    assert (one.search, one.replace) == (f"# Old\n{inner}", f"# New\n{inner}end\n")


@pytest.mark.parametrize("mark", ["```", "```python"])
def test_a_document_about_blocks_in_a_short_fence_is_one_block_too(mark: str) -> None:
    inside = f"# New\n{mark}\na.py\n{block()}```\nend\n"
    assert said(f"docs/edit.md\n```\n{S}# Old\n{D}{inside}{E}```\n") == [("diff", "docs/edit.md", "# Old\n", inside)]


FENCES_INSIDE = (
    f"R.md\n```markdown\n{S}# A\n```sh\nmake\n```\n{D}# B\n```sh\nmake all\n```\n\n```\nplain\n```\n{E}```\nafter\n"
)


def test_fences_inside_a_block_are_content() -> None:
    assert said(FENCES_INSIDE) == [
        ("diff", "R.md", "# A\n```sh\nmake\n```\n", "# B\n```sh\nmake all\n```\n\n```\nplain\n```\n")
    ]


def test_a_fence_may_end_a_block_that_has_no_end_marker() -> None:
    parsed = parse(f"a.py\n```\n{S}old\n{D}new\n{D}```\n\nb.py\n```\n{block()}```\n")
    assert [(b.path, b.search, b.replace) for b in parsed.blocks] == [
        ("a.py", "old\n", "new\n"),
        ("b.py", "old\n", "new\n"),
    ]
    assert [(d.code, d.severity) for d in parsed.diagnostics] == [(Code.NO_END, Severity.WARNING)]


def test_the_next_block_s_own_fence_shows_that_the_last_one_closed() -> None:
    parsed = parse(f"a.py\n```\n{S}old\n{D}new\n```\nb.py\n```\n{block()}```\n")
    assert [(b.path, b.replace) for b in parsed.blocks] == [("a.py", "new\n"), ("b.py", "new\n")]


NEXT = ("b.py", "old\n", "new\n", None)
BARE = ">>>>>>>\n"
ENDS = {
    "a bare end above the divider is content": (f"a.py\n{S}x\n{BARE}{D}y\n{E}", [("a.py", "x\n" + BARE, "y\n", None)]),
    "a bare end above the end is content": (
        f"a.py\n{S}x\n{D}y\n{BARE}z\n{E}",
        [("a.py", "x\n", f"y\n{BARE}z\n", None)],
    ),
    "a bare end ends the block where another begins": (
        f"a.py\n{S}x\n{D}y\n{BARE}\nb.py\n{block()}",
        [("a.py", "x\n", "y\n", None), NEXT],
    ),
    "the first of two bare ends ends the block": (f"a.py\n{S}x\n{D}y\n{BARE}{BARE}", [("a.py", "x\n", "y\n", None)]),
    "a fence that opens and closes in the search ends nothing": (
        f"a.md\n```\n{S}x\n```sh\nmake\n```\n{D}y\n```\nb.py\n```\n{block()}```\n",
        [("a.md", "x\n```sh\nmake\n```\n", "y\n", None), NEXT],
    ),
    "fences that open and close in the replacement end nothing": (
        f"a.md\n```\n{S}x\n{D}```sh\nmake\n```\n```sh\nmore\n```\n```\n\nb.py\n```\n{block()}```\n",
        [("a.md", "x\n", "```sh\nmake\n```\n```sh\nmore\n```\n", None), NEXT],
    ),
    "a shorter fence inside ends nothing": (
        f"a.md\n````\n{S}x\n{D}```sh\ny\n```\n````\n\nb.py\n```\n{block()}```\n",
        [("a.md", "x\n", "```sh\ny\n```\n", None), NEXT],
    ),
    "a bare fence of other signs inside ends nothing": (
        f"a.md\n```\n{S}x\n{D}~~~\ny\n~~~\n```\n\nb.py\n```\n{block()}```\n",
        [("a.md", "x\n", "~~~\ny\n~~~\n", None), NEXT],
    ),
    "the fence ends a search without a divider": (
        f"```\na.py\n{S}x\n```\n\nb.py\n{block()}",
        [("a.py", "x\n", "", Code.NO_DIVIDER), NEXT],
    ),
    "a search without a divider may go on behind a fence line right above a path and a start": (
        f"```\na.py\n{S}x\n```\nb.py\n{block()}",
        [("a.py", "x\n```\nb.py\n", "", Code.NESTED_START), NEXT],
    ),
    "a fence line right above a path and a start may open one of the text": (
        f"```\na.py\n{S}x\n{D}y\n```\nb.py\n{block()}",
        [("a.py", "x\n", "y\n```\nb.py\n", Code.NO_END), NEXT],
    ),
    "a fence line right above a start may open one of the text": (
        f"b.py\n```\n{S}x\n{D}y\n```\n{block()}",
        [("b.py", "x\n", "y\n```\n", Code.NO_END), NEXT],
    ),
    "a fence line with a sentence and a path behind it ends the block": (
        f"a.py\n```\n{S}x\n{D}y\n```\nNow the other:\nb.py\n{block()}",
        [("a.py", "x\n", "y\n", None), NEXT],
    ),
    "a fence line with a blank line behind it ends the block": (
        f"b.py\n```\n{S}x\n{D}y\n```\n\n{block()}",
        [("b.py", "x\n", "y\n", None), NEXT],
    ),
    "a fence line with another fence behind it ends the block": (
        f"```edit:a.py\n{S}x\n{D}y\n```\n```edit:b.py\n{block()}```\n",
        [("a.py", "x\n", "y\n", None), NEXT],
    ),
    "what is wrong with a search comes before what may be": (
        f"a.md\n```\n{S}x\n```\n```\n",
        [("a.md", "x\n", "", Code.NO_DIVIDER)],
    ),
    "starts without an end in a long fence are told of one by one": (
        f"a.md\n`````\n{S}{S}x\n{S}y\n`````\n",
        [("a.md", "", "", Code.NESTED_START), ("a.md", "x\n", "", Code.NO_END), ("a.md", "y\n", "", Code.NO_DIVIDER)],
    ),
    "a start without an end in a long fence hides no other": (
        f"b.py\n````\n{S}x\n{D}{block()}````\nb.py\n{block()}",
        [("b.py", "x\n", "", Code.NO_END), NEXT, NEXT],
    ),
    "a tag that ends reasoning is content where none is open": (
        f"a.py\n{S}x\n{D}y\n</think>\nz\n{E}",
        [("a.py", "x\n", "y\n</think>\nz\n", None)],
    ),
    "a tag that ends reasoning ends no block where none is open": (
        f"a.py\n{S}x\n{D}y\n</think>\nz\n",
        [("a.py", "x\n", "y\n</think>\nz\n", Code.NO_END)],
    ),
    "an end marker behind the end of a source tag is stray": (f"b.py\n<source>\n{block()}</source>\n{E}", [NEXT]),
}


@pytest.mark.parametrize(("reply", "blocks"), ENDS.values(), ids=ENDS.keys())
def test_where_a_block_ends(reply: str, blocks: list[tuple[str, str, str, Code | None]]) -> None:
    found = parse(reply).blocks
    assert [(b.path, b.search, b.replace, b.malformed and b.malformed.code) for b in found] == blocks
    lines = reply.splitlines(keepends=True)
    assert all("".join(lines[b.line - 1 :]).startswith(b.raw) for b in found)


FAULTS = {
    "no divider": (f"a.py\n```\n{S}old\n{E}```\n", [Code.NO_DIVIDER]),
    "no divider, fence closed": (f"a.py\n```\n{S}old\n```\nb.py\n```\n{block()}```\n", [Code.NO_DIVIDER, None]),
    "cut off in the search": (f"a.py\n{S}old\n", [Code.NO_DIVIDER]),
    "cut off in the replacement": (f"a.py\n```\n{S}old\n{D}new\n", [Code.NO_END]),
    "nested start": (f"a.py\n```\n{S}old\nb.py\n{block()}```\n", [Code.NESTED_START, None]),
    "no end, then another": (f"a.py\n{S}old\n{D}new\nb.py\n{block()}", [Code.NO_END, None]),
    "no end in the fence, then another": (f"a.py\n```\n{S}old\n{D}new\n\n{block()}```\n", [Code.NESTED_START, None]),
    "guillemet without end, then another": (
        "a.py\n```\n««« EDIT\nx\n═══════ REPL\ny\n\n««« EDIT\nx\n═══════ REPL\ny\n»»» EDIT END\n```\n",
        [Code.NESTED_START, None],
    ),
    "no path": (block(""), [Code.NO_PATH]),
    "no path under a heading": (f"## Summary\n{block('')}", [Code.NO_PATH]),
    "new file without end": ("a.py\n<<<<<<< NEW_FILE\nx\n", [Code.NO_END]),
}


DECORATED_ENDS = [
    ">>>>>>> REPLACE in a.py",
    ">>>>>>> REPLACE.",
    "REPLACE.",
    ">>>>>>> END",
    "**>>>>>>> REPLACE**",
    "> >>>>>>> REPLACE",
    "`>>>>>>> REPLACE`",
    ">>>>>>>>>> REPLACE",
    ">>> REPLACE",
    "&gt;&gt;&gt;&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE",
    "new >>>>>>> REPLACE",
    "new >>>>>>>",
    ">>>>>>> replaced",
    "»»» EDIT END",
    "+++ REPLACE",
    "<<<<<<< SEARCH (2)",
    "<<<<<<< HEAD",
]


CONTENT = {
    "doctest": ">>> area(2)\n4\n>>> replace('a')\n>>> NEW = 1\n>>>\n",
    "templates": "vector<vector<vector<int>>>\n  >>> shift;\n",
    "heredoc": "<<<SQL\nselect 1\nSQL\n",
    "rules": "======\n-----\n+++++++\n═══════\n",
    "squares": "🟩🟩🟩🟨⬛\n🟩🟩🟩\n",
    "a mention": "The marker is `<<<<<<< SEARCH`, not <<<< SEARCH, he said.\n",
}


@pytest.mark.parametrize("text", CONTENT.values(), ids=CONTENT.keys())
def test_what_looks_like_no_marker_is_content(text: str) -> None:
    assert said(f"a.txt\n```\n{S}old\n{D}{text}```\n") == [("diff", "a.txt", "old\n", text)]
    assert said(f"a.txt\n```\n{block('old' + chr(10), text)}```\n")[0][3] == text


@pytest.mark.parametrize("branch", ["main", "new-deps", "update/deps", "theirs", "NEW.2"])
def test_the_ends_of_merge_conflicts_are_content_of_sound_blocks(branch: str) -> None:
    conflict = f"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> {branch}\n"
    for search, replace in ((conflict, "b\n"), (conflict[15:], "b\n"), ("b\n", conflict)):
        (one,) = parse(f"a.py\n```\n{block(search, replace)}```\n").blocks
        assert one.malformed is None
        assert Reading(search, replace) in one.readings


@pytest.mark.parametrize(("reply", "codes"), FAULTS.values(), ids=FAULTS.keys())
def test_malformed_blocks_are_kept_and_never_stop_the_rest(reply: str, codes: list[Code | None]) -> None:
    parsed = parse(reply)
    assert [b.malformed.code if b.malformed else None for b in parsed.blocks] == codes
    assert [d.code for d in parsed.diagnostics if d.severity is Severity.ERROR] == [c for c in codes if c]
    assert all(b.malformed.line and b.malformed.hint for b in parsed.blocks if b.malformed)


def test_a_block_behind_a_broken_one_still_finds_its_path() -> None:
    parsed = parse(f"a.py\n```\n{S}old\n\nb.py\n```python\n{block()}```\n")
    assert [b.path for b in parsed.blocks] == ["a.py", "b.py"]


DRAFTS = {
    "think": ("<think>\n", "</think>\n"),
    "thinking": ("<thinking>\n", "so.</thinking>\n"),
    "reasoning": ("<reasoning>\n", "</reasoning>\n"),
    "with a suffix": ("<thinking-content-1a2b>\n", "</thinking-content-1a2b>\n"),
    "closed by another": ("<thinking-content-1a2b>\n", "</think>\n"),
    "thought": ("<thought>\n", "</thought>\n"),
    "scratchpad": ("<scratchpad>\n", "</scratchpad>\n"),
    "reflection": ("<reflection>\n", "</reflection>\n"),
    "antThinking": ("<antThinking>\n", "</antThinking>\n"),
    "reasoning_content": ("<reasoning_content>\n", "</reasoning_content>\n"),
    "with a name space": ("<seed:think>\n", "</seed:think>\n"),
    "brackets": ("[THINK]", "[/THINK]"),
    "triangles": ("◁think▷", "◁/think▷"),
    "tokens": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "a channel": ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    "a channel of a turn": ("<|start|>assistant<|channel|>analysis<|message|>", "<|end|>"),
}


@pytest.mark.parametrize(("opening", "closing"), DRAFTS.values(), ids=DRAFTS.keys())
def test_blocks_in_a_reasoning_section_are_drafts(opening: str, closing: str) -> None:
    parsed = parse(f"{opening}Try.\n\na.py\n{block()}\n{closing}a.py\n{numbered(1)}")
    assert [(b.path, b.search, b.draft) for b in parsed.blocks] == [("a.py", "old\n", True), ("a.py", "1\n", False)]


@pytest.mark.parametrize(("opening", "closing"), DRAFTS.values(), ids=DRAFTS.keys())
def test_a_section_that_ends_in_an_open_block_or_fence_ends_it(opening: str, closing: str) -> None:
    for cut in (f"a.py\n{S}x\n{D}", f"a.py\n```python\n{S}x\n", "a.py\n```python\nx = 1\n"):
        for behind in ("\n", ""):
            parsed = parse(f"{opening}Try.\n{cut}{closing.removeprefix('so.').rstrip()}{behind}a.py\n{block()}")
            assert [b.path for b in parsed.blocks if not b.draft] == ["a.py"]


@pytest.mark.parametrize("closing", ["</think>", "</thinking>", "[/THINK]", "◁/think▷", "<|END_THINKING|>"])
def test_the_end_of_a_section_in_a_listing_is_its_text_where_none_has_begun(closing: str) -> None:
    text = f"# h\n{closing}\nmore\n"
    (one,) = parse(f"a.md\n```\n{text}```\n").blocks
    assert (one.format, one.replace, one.malformed) == ("whole", text, None)


@pytest.mark.parametrize(("opening", "closing"), DRAFTS.values(), ids=DRAFTS.keys())
def test_a_fence_may_stand_right_behind_the_end_of_a_section(opening: str, closing: str) -> None:
    reply = f"{opening}Try.{closing.rstrip()}```python\na.py\n{block()}```\n"
    assert said(reply) == [("diff-fenced", "a.py", "old\n", "new\n")]


def test_blocks_above_the_end_of_a_section_that_never_began_are_drafts_where_others_follow() -> None:
    answer = f"a.py\n{numbered(1)}"
    drafts = f"Try.\n\na.py\n{block()}\n"
    assert [b.draft for b in parse(f"{drafts}</think>\n{answer}").blocks] == [True, False]
    assert [b.draft for b in parse(f"{drafts}</think>\nDone.\n").blocks] == [False]
    assert [b.draft for b in parse(f"{drafts}Cut it at </think>, too.\n\n{answer}").blocks] == [False, False]
    assert [b.draft for b in parse(f"{drafts}Cut it at </think>\n\n{answer}").blocks] == [False, False]
    assert [b.draft for b in parse(f"{drafts}Cut it at `[/THINK]`.\n\n{answer}").blocks] == [False, False]
    assert [b.draft for b in parse(f"{drafts}So be it.[/THINK]{answer}").blocks] == [True, False]


def test_one_section_may_stand_right_behind_another() -> None:
    first, second = (
        "<|channel|>analysis<|message|>Try.<|end|>",
        "<|start|>assistant<|channel|>analysis<|message|>More.\n",
    )
    assert [b.draft for b in parse(f"{first}{second}a.py\n{block()}").blocks] == [True]


def test_the_end_of_a_section_is_content_in_a_block_that_ends() -> None:
    (draft,) = parse(f"<think>\na.py\n{S}x\n{D}</think>y\n{E}</think>\n").blocks
    assert (draft.replace, draft.draft) == ("</think>y\n", True)


def test_the_end_of_a_turns_part_says_nothing_of_what_stands_above() -> None:
    parsed = parse(f"a.py\n{block()}<|end|><|start|>assistant<|channel|>final<|message|>a.py\n{numbered(1)}")
    assert [(b.path, b.draft) for b in parsed.blocks] == [("a.py", False), ("a.py", False)]
    assert parsed.diagnostics == ()


def test_a_broken_draft_does_not_hide_the_answer() -> None:
    parsed = parse(f"<think>\na.py\n{S}x\n</think>\na.py\n{block()}")
    assert [b.draft for b in parsed.blocks] == [True, False]
    assert parsed.diagnostics == ()


def test_an_unclosed_section_lasts_to_the_end_and_a_mention_opens_none() -> None:
    assert [b.draft for b in parse(f"<think>\na.py\n{block()}").blocks] == [True]
    assert [b.draft for b in parse(f"Use the <think> tag.\na.py\n{block()}").blocks] == [False]


def test_tags_inside_blocks_are_content() -> None:
    assert said("a.xml\n" + block("<think>\n", "</think>\n")) == [("diff", "a.xml", "<think>\n", "</think>\n")]


def test_stray_end_markers_are_reported() -> None:
    assert [d.code for d in parse(f"Text.\n{E}").diagnostics] == [Code.STRAY_MARKER]


def test_line_and_raw_point_into_the_reply() -> None:
    reply = f"One.\n\na.py\n```\n{block()}```\n"
    (one,) = parse(reply).blocks
    assert one.line == 5
    assert one.raw == block()
    assert "".join(reply.splitlines(keepends=True)[one.line - 1 :]).startswith(one.raw)


def test_editor_formats_are_named_only_when_asked_for() -> None:
    reply = f"a.py\n```\n{block()}```\n```\nb.py\n{block()}```\n"
    assert [name for name, *_ in said(reply)] == ["diff", "diff-fenced"]
    assert [name for name, *_ in said(reply, format="editor-diff")] == ["editor-diff", "editor-diff-fenced"]


def test_asking_for_a_format_leaves_the_others_as_text() -> None:
    mixed = f"a.py\n{block()}\nb.py\n```python\nx = 1\n```\n"
    assert [b.format for b in parse(mixed).blocks] == ["diff", "whole"]
    assert [b.format for b in parse(mixed, format="diff").blocks] == ["diff"]


def test_a_mixed_reply_keeps_its_order() -> None:
    reply = (
        f"a.py\n{block()}\nb.py\n««« EDIT\nx\n═══════ REPL\ny\n»»» EDIT END\n\n*** Update File: c.py\n-x\n+y\n*** End Patch\n"
        '{"path": "d.py", "old_string": "x", "new_string": "y"}\n\ne.py\n```\nall\n```\n'
    )
    found: list[Block] = list(parse(reply).blocks)
    assert [b.format for b in found] == ["diff", "guillemet", "apply-patch", "tool-call", "whole"]
    assert parse(reply).paths == ("a.py", "b.py", "c.py", "d.py", "e.py")


def test_replies_are_data() -> None:
    odd = "$& $1 \\1 \\g<0> {0} %s ${x} `rm`\n"
    assert said("a.js\n" + block(odd, odd + odd)) == [("diff", "a.js", odd, odd + odd)]


@pytest.mark.parametrize("lines", ["7", "line 7", "(line 7)", "(lines 7-9)", "lines 7 – 9"])
def test_the_lines_on_a_start_marker_are_a_hint(lines: str) -> None:
    (one,) = parse(f"a.py\n{block().replace('SEARCH', f'SEARCH {lines}')}").blocks
    assert (one.hints.line, one.malformed) == (7, None)


OWN_FENCES = {
    "a fence without a language around the block": f"a.py\n```\n{S}x\n{D}```\n````python\ny\n{E}```\n",
    "text before the fence": f"a.py\n```python\n{S}x\n{D}y\n```python\n{E}```\n",
    "a fence in the search": f'a.py\n```python\n{S}"""\n```python\nx\n{D}```\n"""\n```python\ny\n{E}```\n',
    "a fence of another language": f"a.py\n```python\n{S}x\n{D}```\nIn a shell:\n```sh\ny\n{E}```\n",
}


@pytest.mark.parametrize("reply", OWN_FENCES.values(), ids=OWN_FENCES.keys())
def test_fences_in_a_replacement_may_be_its_own(reply: str) -> None:
    (one,) = parse(reply).blocks
    assert one.malformed is None
