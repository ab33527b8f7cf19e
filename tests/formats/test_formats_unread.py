"""Edits in a form that nothing reads are told of, and so are those in a block quote; what stands around a reply is not."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import Stream, parse
from dovetail.model.codes import Code, Severity

LISTING = "src/a.py\n```python\nx = 1\n```\n"
BLOCK = "src/a.py\n```\n<<<<<<< SEARCH\nx = 0\n=======\nx = 1\n>>>>>>> REPLACE\n```\n"
DIFF = "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-x = 0\n+x = 1\n```\n"
CALL = 'edit_file(\n    path="a.py",\n    old_string="""x""",\n    new_string="""y""",\n)\n'
DELTA = json.dumps({"choices": [{"delta": {"content": "a.py"}}]})
UNREAD = {
    "python": CALL,
    "python in a fence": f"```python\n{CALL}```\n",
    "yaml": "- path: a.py\n  old_string: |\n    x\n  new_string: |\n    y\n",
    "json behind text": f"Call: {json.dumps({'path': 'a.py', 'old_string': 'x', 'new_string': 'y'})}\n",
    "json in a log": '[10:01] tool=edit {"path": "a.py", "old_string": "x", "new_string": "y"} ok\n',
    "json in a code span": '`{"path": "a.py", "old_string": "x", "new_string": "y"}`\n',
    "fields without their call": '<parameter name="old_str">x</parameter>\n<parameter name="new_str">y</parameter>\n',
    "json in curly quotes": "{“path”: “a.py”, “old_string”: “x”, “new_string”: “y”}\n",
    "toml in a fence": '```toml\n[[edits]]\npath = "a.py"\nold_text = "x"\nnew_text = "y"\n```\n',
    "words of a command": "str_replace_editor str_replace a.py --old_str 'x' --new_str 'y'\n",
    "escapes": "call:edit_file{path:<escape>a.py<escape>,old_string:<escape>x<escape>}\n",
    "events": f"data: {DELTA}\n\ndata: [DONE]\n",
    "pieces": f"{DELTA}\n",
    "pieces with their end": json.dumps({"model": "m", "response": BLOCK, "done": False}) + "\n",
    "artifact": '<antArtifact type="application/vnd.ant.code" title="A parser">\nx = 1\n</antArtifact>\n',
    "lines by number": '@@start\n{"file": "a.py", "start-line": 2}\n@@code\nx\n@@end\n',
    "lines of an editor": "edit 3:5\nx = 1\nend_of_edit\n",
    "brackets": "src/a.py\n[SEARCH]\nx = 0\n[REPLACE]\nx = 1\n[/REPLACE]\n",
    "brackets in a fence": "```\n[SEARCH]\nx = 0\n[/SEARCH]\n[REPLACE]\nx = 1\n[/REPLACE]\n```\n",
    "bare words": "src/a.py\nSEARCH\nx = 0\n=======\nx = 1\nREPLACE\n",
    "old and new": "--- OLD\nx = 0\n--- NEW\nx = 1\n",
    "keys of yaml": "file: src/a.py\nsearch: |\n  x = 0\nreplace: |\n  x = 1\n",
    "a marker in German": BLOCK.replace("SEARCH", "SUCHEN").replace("REPLACE", "ERSETZEN").replace("```\n", ""),
    "files under rules": "=== src/a.py ===\nx = 1\n=== src/b.py ===\ny = 1\n",
    "a file between rules": "--- BEGIN FILE: src/a.py ---\nx = 1\n--- END FILE: src/a.py ---\n",
    "a file between angles": "<<<FILE src/a.py>>>\nx = 1\n<<<END>>>\n",
    "a tag around a file": '<document path="src/a.py">\nx = 1\n</document>\n',
    "another tag around a file": '<code path="src/a.py">\nx = 1\n</code>\n',
    "a file in its tag": '<write path="src/a.py">\nx = 1\n</write>\n',
    "old and new text in tags": "src/a.py\n<search>\nx = 0\n</search>\n<replace>\nx = 1\n</replace>\n",
    "tags in entities": '&lt;boltAction type="file" filePath="src/a.py"&gt;\nx = 1\n&lt;/boltAction&gt;\n',
    "fields of nobody's": json.dumps([{"op": "replace", "file": "src/a.py", "oldLines": ["x"], "newLines": ["y"]}]),
    "such fields in a fence": f"```json\n{json.dumps({'files': [{'path': 'a.py', 'search_for': 'x', 'replacement_lines': 'y'}]})}\n```\n",
    "line ends written out": BLOCK.replace("\n", "\\n"),
}


def quoted(reply: str) -> str:
    return "".join("> " + line if line.strip() else ">\n" for line in reply.splitlines(keepends=True))


@pytest.mark.parametrize("reply", UNREAD.values(), ids=UNREAD)
def test_what_nothing_reads_is_told_of(reply: str) -> None:
    parsed = parse(f"Here it is.\n\n{reply}\nDone.\n")
    (said,) = parsed.diagnostics
    assert (parsed.blocks, said.code, said.severity) == ((), Code.NO_BLOCKS, Severity.NOTE)


def test_beside_edits_that_are_read_it_is_told_of_too() -> None:
    parsed = parse(BLOCK + CALL)
    assert [block.path for block in parsed.blocks] == ["src/a.py"]
    assert [said.line for said in parsed.diagnostics] == [11]


def test_a_call_that_is_told_of_as_broken_is_not_told_of_again() -> None:
    broken = '{\n"path": "a.py",\n"old_string": "x",\n"new_string": oops}\n'
    parsed = parse(broken)
    assert [said.code for said in parsed.diagnostics] == [Code.BAD_JSON]
    parsed = parse(broken + UNREAD["json behind text"])
    assert [(said.code, said.line) for said in parsed.diagnostics] == [(Code.BAD_JSON, 1), (Code.NO_BLOCKS, 5)]


def test_the_first_sign_is_told_of_however_the_reply_is_cut() -> None:
    reply = UNREAD["lines of an editor"] + UNREAD["yaml"]
    stream = Stream()
    for letter in reply:
        stream.feed(letter)
    stream.close()
    assert stream.parsed == parse(reply)


@pytest.mark.parametrize(
    "text",
    [
        "Give the call `old_string=` and a path.\n",
        "The field old_string: it holds the text to find.\n",
        "    if old_text == new_text:\n",
        "def edit(path, old_text: str, new_text: str) -> None: ...\n",
        "print(old_text=old_text, new_text=new_text)\n",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
        "data: {a}\n",
        "# SEARCH\nFinds a word.\n\n# Replace\nPuts another there.\n",
        "REPLACE\nthe file. Then\nSEARCH\n",
        "=== Results ===\n\n--- a.py\n",
        '{"file": "a.py", "before": 81, "after": 85}\n',
        'Put <file_content path="a.py"> around it.\n',
        'Use &lt;b&gt; and &lt;a href="#"&gt; there.\n',
    ],
)
def test_what_only_speaks_of_such_things_is_not(text: str) -> None:
    assert parse(text).diagnostics == ()


@pytest.mark.parametrize(
    "reply", [BLOCK, LISTING, DIFF, json.dumps({"path": "a", "old_string": "x", "new_string": "y"})]
)
@pytest.mark.parametrize("before", ["", "\n", "<think>\nSo be it.\n</think>\n"])
def test_a_quote_around_the_whole_reply_is_no_part_of_it(reply: str, before: str) -> None:
    assert parse(f"{before}{reply}").blocks == parse(f"{before}{quoted(reply)}").blocks
    assert parse(f"{before}{quoted(reply)}").diagnostics == ()


def test_a_quoted_reply_that_is_cut_off_is_refused_as_any_other() -> None:
    reply = "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,3 @@\n x\n-old"
    (plain,), (one,) = parse(reply).blocks, parse(quoted(reply)).blocks
    assert plain.malformed is not None
    assert one == plain


@pytest.mark.parametrize("reply", [LISTING, DIFF])
@pytest.mark.parametrize(("before", "behind"), [("You said:\n\n", ""), ("", "\nNo.\n")])
def test_with_text_beside_it_it_is_an_example_and_said_to_be_one(reply: str, before: str, behind: str) -> None:
    parsed = parse(f"{before}{quoted(reply)}{behind}")
    (said,) = parsed.diagnostics
    assert (parsed.blocks, said.severity, said.line) == ((), Severity.WARNING, before.count("\n") + 1)
    assert "src/a.py" in said.message


def test_a_marker_in_such_a_quote_is_refused() -> None:
    (one,) = parse(f"{quoted(BLOCK)}\nNo.\n").blocks
    assert one.malformed is not None


def test_strings_that_hold_replies_are_read_where_nothing_stands_before_them() -> None:
    reply = json.dumps(BLOCK) + "\n" + json.dumps(DIFF) + "\n"
    assert [block.format for block in parse(reply).blocks] == ["diff", "udiff"]
    assert parse(f"So:\n{reply}").blocks == ()


def test_a_string_of_one_line_is_text() -> None:
    assert parse('"rm -rf build" is wrong.\n"a.py"\n').blocks == ()


@pytest.mark.parametrize("indent", [None, 2])
def test_a_call_behind_the_mark_of_an_item_is_one(indent: int | None) -> None:
    call = json.dumps({"path": "a.py", "old_string": "x", "new_string": "y"}, indent=indent)
    (one,) = parse(f"1. {call}\n").blocks
    assert (one.path, one.search, one.replace) == ("a.py", "x", "y")


def test_a_value_behind_it_that_is_no_call_is_text_with_its_mark() -> None:
    stream = Stream()
    events = [*stream.feed('- {"a": 1}\n'), *stream.close()]
    assert [event.text for event in events] == ['- {"a": 1}\n']  # type: ignore[union-attr]
