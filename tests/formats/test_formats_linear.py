"""Hostile replies: work grows with their size and not faster, and nothing crashes."""

from __future__ import annotations

import sys
import time
from types import FrameType

import pytest

from dovetail.formats import Stream, parse

S, D, E = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"
HOSTILE = {
    "starts": S,
    "starts and dividers": S + D,
    "ends": E,
    "fences": "```\n",
    "fences with info": "```py\n",
    "broken blocks in fences": f"a.py\n```\n{S}{D}```\n",
    "blocks cut in the search": f"a.py\n```\n{S}```\n",
    "conflicts": "<<<<<<< HEAD\n=======\n>>>>>>> x\n",
    "reasoning tags": "a <think> b </think>\n",
    "reasoning tags with text behind": "[THINK]a[/THINK]b\n",
    "reasoning tags on one line": "[/THINK]a",
    "tokens of a call": "<|tool_call_begin|>",
    "tokens of a call on lines": "<|tool_call_begin|>\n",
    "calls cut off": '[TOOL_CALLS]edit[ARGS]{"a": "\n',
    "tokens and words on one line": "[TOOL_CALLS]a b c d ",
    "calls on one line": '[TOOL_CALLS]edit[ARGS]{"path":"a","old_string":"b","new_string":"c"}',
    "calls on one line that are none": "[TOOL_CALLS]a{} ",
    "channels on one line": "<|channel|>analysis<|message|>a<|end|>b",
    "calls that never end": "[TOOL_CALLS]edit[ARGS][\n",
    "labels that never end": "Action Input: [\n",
    "calls that are none": "[TOOL_CALLS]edit[ARGS]{}\n",
    "labels": "Action: a\n",
    "labels of calls that are none": 'Action: edit\nAction Input: {"a": 1}\n',
    "names of calls in tags": "<tool_call>edit\n",
    "names of calls in tags behind a word": "x<tool_call>edit\n",
    "calls in tags on one line": "x<function=edit>{",
    "calls in a tag that never end": "<tool_call>[\n",
    "calls between labels": "```tool\nTOOL_NAME: edit\nBEGIN_ARG: a\nx\n```\n",
    "tags of blocks of files": '<CodeBlock path="a.py">\nx\n',
    "open JSON": '{"a":\n',
    "brackets": "[\n",
    "block quotes": "> a\nb\n",
    "block quotes in each other": "> " * 9,
    "strings": '"a\\nb"\n',
    "strings that are none": '"a\\nb\n',
    "values in a list": '- {"a": 1}\n',
    "signs of calls": "old_text old_\n",
    "pieces of an answer": 'data: {"delta\n',
    "artifacts on one line": "x<boltArtifact>",
    "actions of an artifact": '<boltArtifact id="a" title="b">\n<boltAction type="edit" filePath="a.py">\n',
    "anchored": "<<<<<<< EDIT\n=======\n",
    "guillemets": "««« EDIT\n",
    "diff headers": "--- a\n+++ b\n",
    "old names": "--- a\n",
    "git's lines": "diff --git a b/c\n",
    "sentences like git's line": "diff --git shows\n",
    "hunks": "@@ -1 +1 @@\n",
    "patches": "*** Update File: a\n",
    "tools": "<apply_diff>\n<path>a</path>\n",
    "calls in tags": '<invoke name="edit">\n',
    "old texts in tags": "<search>\n",
    "old texts in tags that end": "<old_text>x</old_text>\n",
    "ends of old texts": "<search>x</search>\n</search>\n",
    "edits in tags that are none": "<edit>\n</edit>\n",
    "edits in tags that never end": '<edit path="a.py">\n<change>\n',
    "files in tags": '<file path="a.py">\n<search>x</search>\n</file>\n',
    "headings": "# a.py\n",
    "inline commands": "`git rm a` ",
    "nul": "\x00",
    "new files": "<<<<<<< NEW_FILE\n",
    "misspelt starts": "<<<< SEARCH\n",
    "misspelt starts and dividers": "> <<<<<<< SEARCH\n> =======\n",
    "misspelt blocks in fences": "```\n**<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE.\n```\n",
    "two dialects": f"{S}{D}««« EDIT\n═══════ REPL\n",
    "blocks that end at the fence": f"a.py\n```\n{S}{D}>>>>>>> END\n```\n",
    "dashes": "-" * 60 + "\n",
    "dividers and ends": D + E,
    "ends of guillemets": "»»» EDIT END\n",
    "ends of actions": "</boltAction>\n",
    "new texts without old ones": "</old>\n<new>\n",
    "ends of calls": "</invoke>\n",
    "ends of files": "</file>\n",
    "texts of files": "<path>a</path>\n<content>\n",
    "tags of files": '<file path="a.py">\nx\n',
    "tags of files and of calls": '<file path="a.py">\n<x-write path="b.py">\n',
    "git's own lines": "diff --git a\ndiff --git x y x y\n",
    "tokens of a template": "x<|im_end|>\n",
    "words without blanks": "修改" * 20 + "a.py：\n",
}
OPENINGS = {
    "dividers in a block": (f"a.py\n{S}", D),
    "misspelt ends in a block": (f"a.py\n```\n{S}{D}", ">>>>>>> REPLACE.\n"),
    "misspelt starts in a fence": (f"```\n{S}{D}{E}", "<<<<<<< FIND\n"),
    "examples in a document": ("a.md\n````\n# A\n", f"```\n{S}{D}"),
    "examples in no document": ("a.py\n````\n", f"```\n{S}{D}"),
    "marks in a listing": ("a.py\n````\n", ">>> x\n<<<<<<< y\n"),
    "changes in a listing": ("a.py\n```\n", "-x\n+y\n"),
    "starts in a long fence": ("````\n", S + D),
    "ends behind a block": (f"```\n{S}{D}{E}", E),
    "paths in a tool": ("<apply_diff>\n", "<path>a</path>\n"),
    "contents in a tool": ("<write_to_file>\n", "<content>"),
    "signatures in a diff": ("--- a\n+++ a\n@@ @@\n", "-- \n"),
    "fields of a call": ("<function=edit>\n", "<parameter=a>\n"),
    "fences in Markdown": ("a.md\n```markdown\n", "\n```\nx\n"),
    "blank lines in a bare hunk": ("--- a\n+++ a\n@@ -1,9999999 +1,9999999 @@\n", "\n"),
    "a string that never ends": ('{"a": "', '\\"\n'),
    "hunks in a diff": ("```diff\n--- a\n+++ b\n", "@@ -1 +1 @@\n-x\n"),
    "fences and starts in a block": (f"a.md\n```\n{S}{D}", f"```\n{S}"),
    "old names in a diff's fence": ("```diff\nx\n", "--- a\n"),
    "tags in a fence": ("```\n", "<tool_call>\n"),
    "a listing that ends again and again": ("a.py\n```\nx\n", "\nb.py\n```py\nx\n"),
    "a fence behind a token": ("<|python_tag|>```json\n{}\n", "\n"),
    "keys of a call": ("<tool_call>edit\n", "<arg_key>a</arg_key><arg_value>\n"),
    "calls as Python": ("```tool_code\n", "edit(a=1)\n"),
    "a fence in a draft": ("<think>\n```\n", "x\n"),
}
LINES = {
    "digits in JSON": ("[\n", "1", "x\n]\n"),
    "blanks in JSON": ('{"', " ", "x\n"),
    "blanks behind a path in a fence": ("```py\na.py", " ", "x\n```\n"),
    "rules in a fence": ("```py\n", "- ", "x\n```\n"),
    "emphasis in an old name": ("--- ", "*", "x\n+++ b\n"),
    "blanks in a tool": ("<apply_diff>\n<path>", " ", "x\n</apply_diff>\n"),
    "blanks in a command": ("`git rm", "\t", "\n"),
}
"""What stands before one long line, what it is made of, and what ends it."""
CASES = {name: ("", piece) for name, piece in HOSTILE.items()} | OPENINGS


def _seconds(reply: str) -> float:
    best = 9.0
    for _ in range(2):
        began = time.process_time()
        parse(reply)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize(("opening", "piece"), CASES.values(), ids=CASES.keys())
def test_time_grows_with_the_reply(opening: str, piece: str) -> None:
    small = _seconds(opening + piece * 1_000)
    large = _seconds(opening + piece * 8_000)
    assert large < 30 * max(small, 0.02), (small, large)


@pytest.mark.parametrize(("opening", "piece", "end"), LINES.values(), ids=LINES.keys())
def test_time_grows_with_a_line(opening: str, piece: str, end: str) -> None:
    small = _seconds(opening + piece * 10_000 + end)
    large = _seconds(opening + piece * 80_000 + end)
    assert large < 30 * max(small, 0.02), (small, large)


def test_time_grows_with_the_objects_of_a_value() -> None:
    def reply(size: int) -> str:
        return "[" + "{}, " * size + "{}]\n"

    small, large = _seconds(reply(4_000)), _seconds(reply(32_000))
    assert large < 30 * max(small, 0.02), (small, large)


def test_single_characters_cost_no_more_in_long_lines() -> None:
    def feed(size: int) -> float:
        stream = Stream()
        began = time.process_time()
        for _ in range(size):
            stream.feed("x")
        stream.close()
        return time.process_time() - began

    assert feed(200_000) < 30 * max(feed(25_000), 0.02)


def test_ten_megabytes_of_one_line_pass() -> None:
    assert parse("x" * 10_000_000).blocks == ()
    assert len(parse(f"a.py\n{S}{'y' * 10_000_000}\n{D}{E}").blocks) == 1


def calls_of(reply: str) -> int:
    """How many functions are called to read a reply, compiled ones too."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(note)
    try:
        parse(reply)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", [E, E + "text\n", S + D, "```\n"])
def test_an_end_marker_does_not_read_the_lines_above_it_anew(unit: str) -> None:
    parse(unit * 10)
    few, many = calls_of(unit * 400), calls_of(unit * 800)
    assert many <= 2.2 * few
    assert few <= 400 * 400
