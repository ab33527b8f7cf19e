"""Hostile replies: work grows with their size and not faster, and nothing crashes."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from dovetail.formats import Stream, parse
from dovetail.text.pattern import pattern

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


class Work:
    """Counts what reading costs: functions called, compiled ones too, and characters that patterns look through."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.characters = 0
        uncompiled = type(pattern("a"))
        for known in gc.get_objects():
            if isinstance(known, uncompiled):
                for method in ("search", "match", "fullmatch", "finditer", "findall", "sub", "split"):
                    known.__dict__.pop(method, None)
        monkeypatch.setattr(uncompiled, "__getattr__", lambda known, name: self._counting(known, name))

    def _counting(self, known: Any, name: str) -> Callable[..., Any]:  # noqa: ANN401 - a private class
        if name.startswith("__"):
            raise AttributeError(name)
        if known._compiled is None:
            known._compiled = re.compile(known.pattern, known.flags)
        method = getattr(known._compiled, name)

        def counted(*arguments: Any) -> Any:  # noqa: ANN401
            text, first = arguments[name in {"sub", "subn"}], 0
            if name in {"search", "match", "fullmatch", "finditer"} and len(arguments) > 1:
                first = arguments[1]
            found = method(*arguments)
            if name == "finditer":
                return self._each(found, text, first)
            if name == "search":
                self.characters += (len(text) if found is None else found.end()) - first
            elif name in {"match", "fullmatch"}:  # how far one that fails has looked is not known
                self.characters += 1 if found is None else found.end() - first
            else:
                self.characters += len(text)
            return found

        return counted

    def _each(self, found: Iterator[re.Match[str]], text: str, first: int) -> Iterator[re.Match[str]]:
        for match in found:
            self.characters += match.end() - first
            first = match.end()
            yield match
        self.characters += len(text) - first

    def of(self, read: Callable[[], object]) -> int:
        calls, self.characters = 0, 0

        def note(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal calls
            calls += event in {"call", "c_call"}

        sys.setprofile(note)
        try:
            read()
        finally:
            sys.setprofile(None)
        return calls + self.characters

    def grows_with(self, reply: Callable[[int], str], size: int) -> None:
        """Four times the reply is at most six times the work.

        Lines may each look through so many around them, and the work grows faster until there are so many. Then a reply
        of 24 times the size is compared with one twice as long, where the square would be four times the work.
        """
        parse(reply(size))  # what is kept from reply to reply is there before
        few, many = self.of(lambda: parse(reply(size))), self.of(lambda: parse(reply(4 * size)))
        if many >= 6 * few:
            few, many = self.of(lambda: parse(reply(24 * size))), self.of(lambda: parse(reply(48 * size)))
            assert many < 2.4 * few, (few, many)


@pytest.fixture(scope="module")
def work() -> Iterator[Work]:
    with pytest.MonkeyPatch.context() as patch:
        yield Work(patch)


@pytest.mark.parametrize(("opening", "piece"), CASES.values(), ids=CASES.keys())
def test_work_grows_with_the_reply(work: Work, opening: str, piece: str) -> None:
    work.grows_with(lambda size: opening + piece * size, 25)


@pytest.mark.parametrize(("opening", "piece", "end"), LINES.values(), ids=LINES.keys())
def test_work_grows_with_a_line(work: Work, opening: str, piece: str, end: str) -> None:
    work.grows_with(lambda size: opening + piece * size + end, 400)


def test_work_grows_with_the_objects_of_a_value(work: Work) -> None:
    work.grows_with(lambda size: "[" + "{}, " * size + "{}]\n", 50)


def test_single_characters_cost_no_more_in_long_lines(work: Work) -> None:
    def feed(size: int) -> None:
        stream = Stream()
        for _ in range(size):
            stream.feed("x")
        stream.close()

    feed(10)
    assert work.of(lambda: feed(8_000)) < 6 * work.of(lambda: feed(2_000))


def test_ten_megabytes_of_one_line_pass() -> None:
    assert parse("x" * 10_000_000).blocks == ()
    assert len(parse(f"a.py\n{S}{'y' * 10_000_000}\n{D}{E}").blocks) == 1


@pytest.mark.parametrize("unit", [E, E + "text\n", S + D, "```\n"])
def test_an_end_marker_does_not_read_the_lines_above_it_anew(work: Work, unit: str) -> None:
    parse(unit * 10)
    few, many = work.of(lambda: parse(unit * 300)), work.of(lambda: parse(unit * 600))
    assert many <= 2.2 * few
    assert few <= 300 * 600
