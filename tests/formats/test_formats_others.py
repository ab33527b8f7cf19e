"""Whole files, anchored blocks, guillemets, shell suggestions."""

from __future__ import annotations

import pytest

from dovetail.formats import parse
from dovetail.model.blocks import Hints, Kind, Parts, ShellSuggestion
from dovetail.model.codes import Code

LISTINGS = {
    "path above": ("src/a.py\n```python\nx\n```\n", "src/a.py", "x\n"),
    "bold": ("**src/a.py**\n```python\nx\n```\n", "src/a.py", "x\n"),
    "heading and a blank line": ("### `src/a.py`\n\n```python\nx\n```\n", "src/a.py", "x\n"),
    "colon": ("src/a.py:\n```\nx\n```\n", "src/a.py", "x\n"),
    "info with a language": ("```python src/a.py\nx\n```\n", "src/a.py", "x\n"),
    "info with a colon": ("```python:src/a.py\nx\n```\n", "src/a.py", "x\n"),
    "info alone": ("```src/a.py\nx\n```\n", "src/a.py", "x\n"),
    "title": ('```js title="src/a.js"\nx\n```\n', "src/a.js", "x\n"),
    "an unknown ending": ("main.qqq\n```\nx\n```\n", "main.qqq", "x\n"),
    "an unknown ending, labelled": ("**File: `main.qqq`**\n```\nx\n```\n", "main.qqq", "x\n"),
    "an unknown ending in a folder": ("### src/main.qqq\n```\nx\n```\n", "src/main.qqq", "x\n"),
    "a library's name in a folder": ("### src/Node.js\n```\nx\n```\n", "src/Node.js", "x\n"),
    "a library's name alone": ("Node.js\n```\nx\n```\n", "Node.js", "x\n"),
    "a message as a key": ("de.yml\n```\nTypeError: Falsch\n```\n", "de.yml", "TypeError: Falsch\n"),
    "an item": ("- Change it:\n- `src/a.py`\n```\nx\n```\n", "src/a.py", "x\n"),
    "an item that leads to it": ("- `b.py`\n- `src/a.py`:\n```\nx\n```\n", "src/a.py", "x\n"),
    "an item under another's text": ("1. Of b.py nothing.\n\n2. src/a.py\n```\nx\n```\n", "src/a.py", "x\n"),
    "source tags": ("src/a.py\n<source>\nx\n</source>\n", "src/a.py", "x\n"),
    "a script": ("run.sh\n```bash\n#!/bin/sh\nmake\n```\n", "run.sh", "#!/bin/sh\nmake\n"),
    "fences inside": (
        "R.md\n```markdown\n# A\n\n```sh\nmake\n```\n\nb\n```\n",
        "R.md",
        "# A\n\n```sh\nmake\n```\n\nb\n",
    ),
    "a longer fence": ("R.md\n````\n```\nx\n```\n````\n", "R.md", "```\nx\n```\n"),
}


@pytest.mark.parametrize(("reply", "path", "text"), LISTINGS.values(), ids=LISTINGS.keys())
def test_listings(reply: str, path: str, text: str) -> None:
    (block,) = parse(f"Intro.\n\n{reply}\nOutro.\n").blocks
    assert (block.format, block.kind, block.path, block.replace) == ("whole", Kind.REWRITE, path, text)


LABELLED = {
    "of Python": "# filepath: src/a.py",
    "of JavaScript": "// filepath: src/a.py",
    "of a page": "<!-- filepath: src/a.py -->",
    "of a style": "/* filepath: src/a.py */",
    "of SQL, in capitals": "-- FILEPATH: ./src/a.py",
    "of a notebook": "%%writefile src/a.py",
}


EXAMPLES = {
    "a notebook's label that appends": "```python\n%%writefile -a src/a.py\nx\n```\n",
    "a label that is no path": "```python\n# filepath: see below\nx\n```\n",
    "no path": "Use it so:\n\n```python\nx\n```\n",
    "path in a sentence": "In `src/a.py` you would write:\n\n```python\nx\n```\n",
    "a sentence about what could be created": "You could create `src/a.py`:\n\n```python\nx\n```\n",
    "a sentence about what is created in a file": "Create a function in `src/a.py`:\n\n```python\nx\n```\n",
    "a sentence about what is new": "Use the new `src/a.py`:\n\n```python\nx\n```\n",
    "path in the first line inside": "```python\n# src/a.py\nx\n```\n",
    "shell": "src/a.py\n```bash\npython src/a.py\n```\n",
    "output": "src/a.py\n```output\nx\n```\n",
    "an empty fence": "src/a.py\n```\n```\n",
    "a fence with blank lines": "src/a.py\n```\n\n  \n```\n",
    "a path two blank lines above": "src/a.py\n\n\n```python\nx\n```\n",
    "code in backticks on one line": "src/a.py\n```x = 1```\n\nSo it is.\n",
    "a method in a title": "### Array.map\n\n```js\nx\n```\n",
    "a method in code": "`os.path.join`:\n```python\nx\n```\n",
    "a library in a title": "**Node.js**\n```js\nx\n```\n",
    "a page's address in a title": "1. **example.com**:\n```\nx\n```\n",
    "a path far above": "src/a.py\n\nThis file is fine. An example:\n\n```python\nx\n```\n",
}


@pytest.mark.parametrize("reply", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_examples_are_no_listings(reply: str) -> None:
    assert parse(reply).blocks == ()


def test_asking_for_whole_files_takes_weaker_names_too() -> None:
    assert [b.path for b in parse(EXAMPLES["path in a sentence"], format="whole").blocks] == ["src/a.py"]


@pytest.mark.parametrize(
    "info", ["ts:src/a.ts:3-9", "3:9:src/a.ts", "ts src/a.ts#L3", 'ts title="src/a.ts:3"', "ts src/a.ts (lines 3-9)"]
)
def test_a_fence_that_names_lines_of_a_file_quotes_them_and_may_hold_an_edit(info: str) -> None:
    assert parse(f"src/a.ts\n```{info}\nx\n```\n").blocks == ()
    (block,) = parse(f"```{info}\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n").blocks
    assert (block.path, block.malformed) == ("src/a.ts", None)


def test_a_listing_that_is_cut_off_is_malformed() -> None:
    (block,) = parse("src/a.py\n```python\nx\n").blocks
    assert block.malformed is not None and block.malformed.code is Code.NO_END


ANCHORED = "a.py\n<<<<<<< EDIT\n{}-------\n{}=======\n{}-------\n{}>>>>>>>\n"
CUTS = {
    "change": (("top\n", "old\n", "new\n", "end\n"), Hints()),
    "insert": (("top\n", "", "new\n", "end\n"), Hints()),
    "at the start": (("", "", "new\n", "end\n"), Hints(at_start=True)),
    "at the end": (("top\n", "", "new\n", ""), Hints(at_end=True)),
    "new file": (("", "", "new\n", ""), Hints()),
}


@pytest.mark.parametrize(("parts", "hints"), CUTS.values(), ids=CUTS.keys())
def test_anchored_blocks(parts: tuple[str, str, str, str], hints: Hints) -> None:
    (block,) = parse(ANCHORED.format(*parts)).blocks
    leading, old, new, trailing = parts
    assert (block.format, block.parts, block.hints) == ("anchored", Parts(leading, old, new, trailing), hints)
    assert (block.search, block.replace) == (leading + old + trailing, leading + new + trailing)


def test_rules_of_dashes_in_anchored_content_give_readings() -> None:
    (block,) = parse(ANCHORED.format("Title\n-----\n", "old\n", "new\n", "end\n")).blocks
    assert ("Title\n-----\nold\nend\n", "Title\n-----\nnew\nend\n") in [(r.search, r.replace) for r in block.readings]


def test_anchored_blocks_that_lack_a_part_are_malformed() -> None:
    for reply in (
        "a.py\n<<<<<<< EDIT\nold\n=======\nnew\n>>>>>>>\n",
        "a.py\n<<<<<<< EDIT\nold\n>>>>>>>\n",
        "a.py\n<<<<<<< EDIT\n-------\n=======\n",
    ):
        assert [b.malformed is not None for b in parse(reply).blocks] == [True]


DIALECTS = ["a.py\n««« EDIT\n{}═══════ REPL\n{}»»» EDIT END\n", "a.py\n\n🟧🟧🟧 EDIT\n{}🟨🟨🟨 REPL\n{}🟩🟩🟩 END\n"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_guillemets_compute_their_anchor(dialect: str) -> None:
    (block,) = parse(dialect.format("a\nb\nc\n", "a\nb\nd\n")).blocks
    assert (block.format, block.path, block.parts) == ("guillemet", "a.py", Parts("a\nb\n", "c\n", "d\n"))
    assert (block.search, block.replace) == ("a\nb\nc\n", "a\nb\nd\n")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_guillemets_that_lack_a_part_are_malformed(dialect: str) -> None:
    whole = dialect.format("a\n", "b\n")
    for cut in (whole.rpartition("b\n")[0], whole[: whole.index("a\n")]):
        assert all(b.malformed is not None for b in parse(cut).blocks)
        assert len(parse(cut).blocks) == 1


SHELL = {
    "a fence": ("```bash\npip install x\nmake\n```\n", [ShellSuggestion("pip install x\nmake", 2)]),
    "inline": ("Run `git rm a.py`, then\n`mkdir -p x/y` and `rm -rf z`.\n", [ShellSuggestion("git rm a.py", 1, "inline"), ShellSuggestion("mkdir -p x/y", 2, "inline"), ShellSuggestion("rm -rf z", 2, "inline")]),
    "moves": ("`git mv a b` or `mv a b`\n", [ShellSuggestion("git mv a b", 1, "inline"), ShellSuggestion("mv a b", 1, "inline")]),
    "mentions": ("The `rm` command, `git commit` and `mkdir`.\n", []),
    "other fences": ("```python\nrm = 1\n```\n", []),
    "drafts": ("<think>\n`git rm a`\n```sh\nls\n```\n</think>\n", []),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), SHELL.values(), ids=SHELL.keys())
def test_shell_suggestions(reply: str, expected: list[ShellSuggestion]) -> None:
    parsed = parse(reply)
    assert list(parsed.shell_suggestions) == expected
    assert parsed.blocks == ()


def test_a_new_file_s_text_may_stand_in_a_fence() -> None:
    reply = "### File: {}\n<<<<<<< NEW_FILE\n```python\nx = 1\n```\n>>>>>>> NEW_FILE\n"
    assert [block.replace for block in parse(reply.format("a.py")).blocks] == ["x = 1\n"]
    assert [block.replace for block in parse(reply.format("a.md")).blocks] == ["```python\nx = 1\n```\n"]


BLOCK = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
NOTES = {
    "a sentence above": ("In `a.py`:\n```python\nx\ny\n```\n", ["A sentence names `a.py` above a listing"]),
    "two of them": (
        "In `a.py`:\n```python\nx\ny\n```\nIn `b.py`:\n```python\nx\ny\n```\n",
        ["A sentence names `a.py` above a listing"],
    ),
    "a sentence above one line": ("In `a.py`:\n```python\nx\n```\n", ["A sentence names `a.py` above a listing"]),
    "a comment on the first line": ("```python\n# e.py\nx\n```\n", ["A listing names `e.py` on its first line"]),
    "a path on the first line": ("```python\ne.py\nx\n```\n", []),
    "a comment that ends as no file does": ("```python\n# e.qqq\nx\n```\n", []),
    "changed lines": ("So in a.py:\n```diff\n-x\n+y\n```\n", ["A sentence names `a.py` above changed lines"]),
    "changed lines of nothing": ("```diff\n-x\n+y\n```\n", ["Nothing names the file of changed lines"]),
    "context lines": ("So in a.py:\n```diff\n x\n y\n```\n", []),
    "changed lines of a file that is edited": (f"So in a.py:\n```diff\n-x\n+y\n```\n\na.py\n{BLOCK}", []),
    "changed lines of nothing beside an edit": (f"```diff\n-x\n+y\n```\n\na.py\n{BLOCK}", ["Nothing names the file"]),
    "a sentence above a file that is edited": (f"In `a.py`:\n```python\nx\ny\n```\n\na.py\n{BLOCK}", []),
    "in reasoning": ("<think>\nIn `a.py`:\n```python\nx\ny\n```\n</think>\n", []),
    "in a fence inside a fence": ("So:\n\n````\n```python\n# e.py\nx\n```\n````\n", []),
}


@pytest.mark.parametrize(("reply", "notes"), NOTES.values(), ids=NOTES.keys())
def test_what_is_told_of_listings_and_changes_that_are_not_taken(reply: str, notes: list[str]) -> None:
    told = [said.message for said in parse(reply).diagnostics]
    assert len(told) == len(notes) and all(note in message for note, message in zip(notes, told, strict=True))
    assert parse(reply, format="diff").diagnostics == ()


def test_fences_of_a_format_that_is_not_wanted_are_text() -> None:
    call = '```json\n{"path": "a.py", "old_string": "x", "new_string": "y"}\n```\n'
    python = "```tool_code\nedit(path='a.py', old_string='x', new_string='y')\n```\n"
    for reply, other in (("src/b.py\n```diff\n-x\n+y\n```\n", "tool-call"), (call, "diff"), (python, "diff")):
        assert len(parse(reply).blocks) == 1
        assert parse(reply, format=other).blocks == ()


@pytest.mark.parametrize(
    "head", ["```md docs/guide.md", "```docs/guide.md", "docs/guide.md\n```markdown", "docs/guide.rst\n```"]
)
def test_a_listing_of_a_document_holds_fences(head: str) -> None:
    text = "# A\n\n```sh\nls\n```\n\nmore\n"
    (block,) = parse(f"{head}\n{text}```\n").blocks
    assert (block.path or "").startswith("docs/guide.")
    assert (block.replace, block.malformed) == (text, None)


def test_a_listings_path_is_in_force_for_a_block_behind_it() -> None:
    blocks = parse(f"a.py\n```\nx\n```\n\nThen:\n\n```\n{BLOCK}```\n").blocks
    assert [(b.format, b.path) for b in blocks] == [("whole", "a.py"), ("diff", "a.py")]


def test_of_two_paths_of_a_listing_that_of_its_fence_counts() -> None:
    for head, others in (
        ("src/a.py\n```python b.py", ("src/a.py",)),
        ("b.py\n```python b.py", ()),
        ("`a.py` is next:\n```b.py", ("a.py",)),
    ):
        (block,) = parse(f"{head}\nx = 1\n```\n").blocks
        assert (block.path, block.path_candidates) == ("b.py", others)
    first, second = parse("a.py\n```\nx = 1\n```\n\n```python b.py\ny = 1\n```\n").blocks
    assert (first.path, second.path, second.path_candidates) == ("a.py", "b.py", ())


def test_a_path_alone_in_a_fence_names_the_next_and_a_command_does_not() -> None:
    for fence, path in (("```", "run.sh"), ("```text", "run.sh"), ("```bash", None)):
        assert [b.path for b in parse(f"{fence}\nrun.sh\n```\n\n```\n{BLOCK}```\n").blocks] == [path]
