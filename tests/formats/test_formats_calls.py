"""Which calls are edits, which only seem to be, and which are prose: names count as a whole, and nothing is guessed."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import parse
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, Severity

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\n"
EDIT = {"path": "a.py", "old_string": "x", "new_string": "y"}
ONE = [("edit", "a.py", "x", "y")]
PATCHED = [("edit", "a.py", "x\n", "y\n")]


def essence(block: Block) -> tuple[str, str | None, str, str]:
    return block.kind.value, block.path, block.search, block.replace


def called(name: str, /, **arguments: object) -> str:
    return json.dumps({"name": name, "arguments": arguments})


EDITS = {
    "camel case": (called("writeFile", path="n.py", content="z"), [("rewrite", "n.py", "", "z")]),
    "kebab case": (called("delete-file", path="o.py"), [("delete", "o.py", "", "")]),
    "a known server": (called("mcp__filesystem__write_file", path="n.py", content="z"), [("rewrite", "n.py", "", "z")]),
    "a known space and a number": (called("functions.edit:0", **EDIT), ONE),
    "fields that change nothing": (called("delete_file", target_file="o.py", explanation="Old."), [("delete", "o.py", "", "")]),
    "a list of chunks": (
        called("replace_file_content", TargetFile="a.py", ReplacementChunks=[{"TargetContent": "x", "ReplacementContent": "y"}]),
        [("edit", "a.py", "x", "y")],
    ),
    "a count of lines": (called("write_to_file", path="n.py", content="z", line_count=1), [("rewrite", "n.py", "", "z")]),
    "a switch that is off": (called("write_file", path="n.py", content="z", append=False), [("rewrite", "n.py", "", "z")]),
    "move by its paths": (called("move_file", source_path="o.py", target_path="n.py"), [("rename", "o.py", "", "")]),
    "rename in the top folder": (called("rename_file", path="o.py", new_name="n.py"), [("rename", "o.py", "", "")]),
    "rename with its folder": (called("rename_file", path="src/o.py", new_name="lib/n.py"), [("rename", "src/o.py", "", "")]),
    "a switch that is off in words": (called("write_file", path="n.py", content="z", append="false"), [("rewrite", "n.py", "", "z")]),
    "hunks": (called("apply_diff", path="a.py", diff="@@ -1 +1 @@\n-x\n+y\n"), PATCHED),
    "a sketch with another mark": (called("edit_file", path="a.py", code_edit="# … existing code …\nz\n"), [("rewrite", "a.py", "", "# … existing code …\nz\n")]),
    "a sketch with no mark but a word": (called("edit_file", path="a.py", code_edit="# ... existingly\nz\n"), [("create", "a.py", "", "# ... existingly\nz\n")]),
    "a bare listing": (json.dumps({"path": "n.py", "content": "z"}), [("rewrite", "n.py", "", "z")]),
    "a sketch with its mark": (called("edit_file", target_file="a.py", code_edit="# ... existing code ...\nz\n"), [("rewrite", "a.py", "", "# ... existing code ...\nz\n")]),
    "a sketch without": (called("edit_file", target_file="a.py", code_edit="z\n"), [("create", "a.py", "", "z\n")]),
    "nothing in its place": (called("str_replace_editor", command="str_replace", path="a.py", old_str="x"), [("edit", "a.py", "x", "")]),
    "Gemini": (json.dumps({"functionCall": {"name": "replace", "args": EDIT}}), ONE),
    "Gemini, whole answer": (json.dumps({"candidates": [{"content": {"parts": [{"functionCall": {"name": "replace", "args": EDIT}}]}}]}), ONE),
    "tool beside its fields": (json.dumps({"tool": "edit", **EDIT}), ONE),
    "action": (json.dumps({"action": "edit", "action_input": EDIT}), ONE),
    "edits as text": (called("edit", path="a.py", edits=json.dumps([{"old_string": "x", "new_string": "y"}])), ONE),
    "a closing tag on the line": (json.dumps(EDIT) + "</tool_call>", ONE),
    "a command list": (json.dumps({"command": ["apply_patch", PATCH]}), PATCHED),
    "a shell's command": (json.dumps({"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\n"]}), PATCHED),
    "a command in a call": (called("exec_command", cmd=f"apply_patch <<'EOF'\n{PATCH}EOF\n"), PATCHED),
    "a bare input": (json.dumps({"input": PATCH}), PATCHED),
    "files by their paths": (json.dumps({"files": {"n.py": "z", "m.py": {"content": "w"}}, "summary": "Two."}), [("rewrite", "n.py", "", "z"), ("rewrite", "m.py", "", "w")]),
    "files in a list": (json.dumps({"files": [{"name": "n.py", "language": "python", "content": "z"}]}), [("rewrite", "n.py", "", "z")]),
    "operations by their type": (
        json.dumps({"operations": [{"type": "create", "path": "n.py", "content": "z"}, {"action": "delete", "path": "o.py"}, {"action": "modify", "path": "a.py", "search": "x", "replace": "y"}]}),
        [("create", "n.py", "", "z"), ("delete", "o.py", "", ""), *ONE],
    ),
    "an operation with its hunks": (
        json.dumps({"type": "apply_patch_call", "operation": {"type": "update_file", "path": "a.py", "diff": "@@ f\n-x\n+y\n"}}),
        PATCHED,
    ),
    "numbered fields": (called("str-replace-editor", command="str_replace", path="a.py", old_str_1="x", new_str_1="y", old_str_2="v", new_str_2="w"), [*ONE, ("edit", "a.py", "v", "w")]),
    "a needle": (called("replace_content", relative_path="a.py", needle="x", repl="y", mode="literal"), ONE),
    "a call that is a field": (json.dumps({"tool_call": {"writeToolCall": {"args": {"path": "n.py", "fileText": "z"}}}}), [("rewrite", "n.py", "", "z")]),
    "the stream of an edit": (json.dumps({"tool_call": {"editToolCall": {"args": {"path": "n.py", "streamContent": "z"}}}}), [("rewrite", "n.py", "", "z")]),
    "values quoted twice": (called("replace_file_content", TargetFile='"a.py"', StartLine="5", TargetContent='"x"', ReplacementContent='"y"'), ONE),
    "a method between editor and agent": (json.dumps({"jsonrpc": "2.0", "method": "fs/write_text_file", "params": {"path": "n.py", "content": "z"}}), [("rewrite", "n.py", "", "z")]),
    "files with their diffs": (called("edit_files", files=[{"file_path": "a.py", "diffs": [{"search": "x", "replace": "y"}]}]), ONE),
    "a diff for arguments": (json.dumps({"name": "apply_diff", "arguments": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"}), PATCHED),
    "an editor that runs elsewhere": (json.dumps({"name": "text_editor_code_execution", "input": {"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}}), ONE),
    "an operation that creates": (json.dumps({"operation": {"type": "create_file", "path": "n.py", "diff": "+z\n+w\n"}}), [("create", "n.py", "", "z\nw\n")]),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), EDITS.values(), ids=EDITS.keys())
def test_calls_that_are_edits(reply: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    for text in (reply, f"```json\n{reply.removesuffix('</tool_call>')}\n```\n"):
        parsed = parse(text)
        assert [essence(b) for b in parsed.blocks] == expected
        assert [b.malformed for b in parsed.blocks] == [None] * len(expected)


REFUSED = {
    "remove_import": {"path": "a.py", "name": "os"},
    "remove": {"path": "a.py"},
    "insert_content": {"path": "a.py", "line": 2, "content": "z\n"},
    "append_to_file": {"path": "a.py"},
    "replace_regex": {"relative_path": "a.py", "regex": "x.*", "repl": "y"},
    "rename_symbol": {"relative_path": "a.py", "name_path": "f", "new_name": "g"},
    "rename_variable": {"path": "a.py", "old": "f", "new": "g"},
    "move_lines": {"path": "a.py", "from": "3", "to": "9"},
    "add_comment": {"path": "a.py", "line": 3, "body": "z"},
    "update_file": {"path": "a.py", "content": "z"},
    "createOrUpdateFile": {"path": "a.py", "content": "z"},
    "other__write_file": {"path": "a.py", "content": "z"},
    "write_file": {"path": "a.py", "content": "z", "start_line": 2},
    "create_file": {"path": "a.py", "content": "z", "start_line": 2},
    "edit_file": {"path": "a.py", "code_edit": "z", "start_line": 2},
    "writeFile": {"path": "a.py", "content": "eg==", "encoding": "BASE64"},
    "write-file": {"path": "a.py", "content": "z", "mode": "Append"},
    "CreateFile": {"content": "z"},
    "sketch_file": {"path": "a.py", "code_edit": "z"},
    "move_file": {"source": "a.py", "destination": "b.py", "lines": "3"},
    "renameFile": {"new_name": "b.py"},
    "moveFile": {"source": "a.py"},
    "str_replace": {"path": "a.py", "old_string": "x", "new_string": 5},
    "apply_diff": {"path": "a.py", "diff": "++x\n"},
    "WriteFile": {"path": "a.py", "content": "z", "mode": "append"},
    "write": {"path": "a.py", "content": "eg==", "encoding": "base64"},
    "delete_file": {"path": "a.py", "symbol": "f"},
    "delete": {"path": "a.py", "old_string": "x", "new_string": ""},
    "rename_file": {"path": "src/a.py", "new_name": "b.py"},
    "edit": {"path": "a.py", "old_string": "x"},
    "search_and_replace": {"path": "a.py", "search": "x.*", "replace": "y", "use_regex": True},
    "apply_patch": {"input": "Change x to y."},
}


@pytest.mark.parametrize(("name", "arguments"), REFUSED.items(), ids=REFUSED.keys())
def test_calls_that_seem_to_edit_are_malformed_and_named(name: str, arguments: dict[str, object]) -> None:
    (block,) = parse(called(name, **arguments)).blocks
    assert block.malformed is not None
    assert name in block.malformed.message or "pattern" in block.malformed.message
    assert block.malformed.hint


HALVES = {
    "no new text": json.dumps({"path": "a.py", "old_string": "x"}),
    "no text": json.dumps({"path": "a.py", "old_string": "x", "new_string": None}),
    "one of a list": json.dumps({"path": "a.py", "edits": [{"start_line": 3, "content": "z"}, EDIT]}),
    "arguments that are no JSON": json.dumps({"name": "str_replace", "arguments": '{"path": "a.py", "old'}),
    "a patch without an edit": json.dumps({"name": "apply_patch", "input": "*** Begin Patch\n*** Sorry\n"}),
}


@pytest.mark.parametrize("reply", HALVES.values(), ids=HALVES.keys())
def test_half_an_edit_is_malformed(reply: str) -> None:
    block, *others = parse(reply).blocks
    assert block.malformed is not None
    assert [essence(b) for b in others] == ONE * len(others)


PROSE = {
    "a class variable of Ruby": json.dumps({"path": "a.rb", "input": "@@count = 1\n"}),
    "a search": called("search_files", path="a.py", text="x"),
    "a reading": called("read_file", path="a.py", start_line=1, end_line=9),
    "a check of a text": called("lint_file", path="a.py", content="x"),
    "a folder": called("create_directory", path="src/new"),
    "a list of complaints": json.dumps([{"file": "a.py", "line": 3, "text": "unused variable c"}]),
    "matches": json.dumps([{"path": "a.py", "line_number": 3, "content": "x"}]),
    "an API's answer": json.dumps({"name": "a.py", "path": "a.py", "sha": "1", "content": "eA==", "encoding": "base64"}),
    "an API's question": json.dumps({"file": "a.py", "body": "text"}),
    "a snippet with its lines": json.dumps({"path": "a.py", "start": 1, "end": 2, "content": "x"}),
    "content without a path": json.dumps({"content": "x"}),
    "a call's schema": json.dumps({"name": "delete_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}),
    "schemas of calls": json.dumps({"tools": [{"name": "write_file", "parameters": {"path": {"type": "string"}, "content": {}}}]}),
    "a schema's fields": json.dumps({"path": {"type": "string"}, "old_string": {"type": "string"}}),
    "a package's files": json.dumps({"name": "x", "files": ["a.py", "b.py"]}),
    "files and more": json.dumps({"id": "1", "public": True, "files": {"a.py": {"content": "x"}}}),
    "paths and what they stand for": json.dumps({"./a.js": "./dist/a.js", "b.js": "c"}),
    "a path among other fields": json.dumps({"a.py": "x\ny\n", "note": "z\n"}),
    "empty files": json.dumps({"a.py": "", "b.py": ""}),
    "versions of packages": json.dumps({"lodash.js": "^1.2\n", "chart": "^2"}),
    "files that are none": json.dumps({"files": {"first": "x", "second": "y"}}),
    "files of which one is none": json.dumps({"files": {"first": "x", "m.py": {"content": "w"}}}),
    "files of which one has no text": json.dumps({"files": {"n.py": "z", "m.py": {"size": 3}}}),
    "files with a size": json.dumps({"files": [{"name": "n.py", "size": 3, "content": "z"}]}),
    "texts by paths of which one has blanks": json.dumps({"src/my n.py": "z\ny\n", "src/m.py": "w\n"}),
    "texts by paths of which one has an end that nobody knows": json.dumps({"src/n.py": "z\ny\n", "src/m.qqq": "w\n"}),
    "lists in lists": "[" * 300 + "]" * 300,
    "a note of what was done": json.dumps({"action": "delete", "path": "a.py"}),
    "a command beside a file's text": json.dumps({"command": "x", "path": "a.py", "content": "z"}),
    "a write of nobody's, without a file": called("other__write_file", content="z"),
    "a question with a command": called("lookup", command="x"),
    "tasks": json.dumps({"name": "Delete the old file", "path": "a.py"}),
}  # fmt: skip


@pytest.mark.parametrize("reply", PROSE.values(), ids=PROSE.keys())
def test_objects_that_are_no_edits_are_prose(reply: str) -> None:
    for text in (reply, f"```json\n{reply}\n```\n", f"a.py:\n\n```json\n{reply}\n```\n"):
        parsed = parse(text)
        assert parsed.diagnostics == ()
        assert [b for b in parsed.blocks if b.format == "tool-call"] == []


def test_blocks_in_a_call_that_is_named_for_them_are_read() -> None:
    content = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"
    (block,) = parse(called("search_replace", file_path="a.py", content=content)).blocks
    assert (essence(block), block.malformed) == (("edit", "a.py", "x\n", "y\n"), None)
    (block,) = parse(called("write_file", path="a.md", content=content)).blocks
    assert block.kind is Kind.REWRITE


GOOD = json.dumps(EDIT)
BROKEN = {
    "a comma too few": '{"path": "b.py", "old_string": "x" "new_string": "y"}',
    "two commas": '{"path": "b.py", "old_string": "x", "new_string": "y",,}',
    "a bad escape": r'{"path": "b.py", "old_string": "\d", "new_string": "y"}',
    "a bare quote": '{"path": "b.py", "old_string": "say("hi")", "new_string": "y"}',
    "single quotes": "{'path': 'b.py', 'old_string': 'x', 'new_string': 'y'}",
    "no closing brace": '{"path": "b.py", "old_string": "x", "new_string": "y"',
    "a known call": '{"name": "write_file", "arguments": {"path": "b.py", "content": "z"}',
    "a bare listing": r'{"path": "b.py", "content": "\z"}',
    "a patch": '{"input": "*** Begin Patch\\n"; }',
}


@pytest.mark.parametrize("reply", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_call_fails_beside_a_good_one(reply: str) -> None:
    for text in (f"{GOOD}\n\n{reply}\n", f"{GOOD}\n```json\n{reply}\n```\n", f"```json\n{GOOD}\n{reply}\n```\n"):
        good, broken = parse(text).blocks
        assert good.malformed is None
        assert broken.malformed is not None and broken.malformed.code is Code.BAD_JSON
        assert broken.path in ("b.py", None)


LAST_COMMAS = (
    '{"path": "a.py", "old_string": "x", "new_string": "y",}',
    '[\n  {\n    "path": "a.py",\n    "old_string": "x",\n    "new_string": "y",\n  },\n]',
    '{"name": "edit", "arguments": {"path": "a.py", "old_string": "x", "new_string": "y",},}',
)


@pytest.mark.parametrize("reply", LAST_COMMAS)
def test_a_comma_behind_the_last_entry_is_forgiven(reply: str) -> None:
    for text in (reply + "\n", f"```json\n{reply}\n```\n"):
        assert [essence(b) for b in parse(text).blocks] == ONE


def test_a_comma_inside_a_string_is_text() -> None:
    (block,) = parse('{"path": "a.py", "old_string": "f(x,]", "new_string": "f(x, }",}\n').blocks
    assert (block.search, block.replace) == ("f(x,]", "f(x, }")


def test_a_call_that_is_cut_off_fails() -> None:
    for text in ('{"path": "b.py",\n "old_string": "x', '```json\n{"path": "b.py", "old_string": "x'):
        (block,) = parse(text).blocks
        assert block.malformed is not None and block.malformed.code is Code.BAD_JSON


BROKEN_PROSE = {
    "a comma too many": '{"theme": "dark", "files": ["a.py",],}',
    "comments": '{\n  // where\n  "path": "a.py"\n}',
    "types": "{\n  path: string,\n  old_string: string,\n}",
    "a fragment": '[1, 2\n"path": "a.py"',
}


@pytest.mark.parametrize("reply", BROKEN_PROSE.values(), ids=BROKEN_PROSE.keys())
def test_broken_json_without_an_edit_is_prose(reply: str) -> None:
    for text in (f"{reply}\n", f"```json\n{reply}\n```\n"):
        parsed = parse(text)
        assert parsed.blocks == ()
        assert {said.severity for said in parsed.diagnostics} <= {Severity.NOTE}


def test_a_listing_of_a_json_file_is_no_call() -> None:
    for text in (GOOD, json.dumps({"path": "b.py", "content": "z"}), BROKEN["two commas"]):
        (block,) = parse(f"calls.json\n```json\n{text}\n```\n").blocks
        assert (block.format, block.path) == ("whole", "calls.json")
    (edit,) = parse('data.json\n```json\n{"old_string": "1", "new_string": "2"}\n```\n').blocks
    assert essence(edit) == ("edit", "data.json", "1", "2")


def invoked(name: str, *fields: tuple[str, str]) -> str:
    inner = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in fields)
    return f'<function_calls>\n<invoke name="{name}">\n{inner}</invoke>\n</function_calls>\n'


IN_TAGS = {
    "invoke": (invoked("str_replace_editor", ("command", "str_replace"), ("path", "a.py"), ("old_str", "x"), ("new_str", "y")), ONE),
    "fields in tags of their own names": ('<invoke name="str_replace">\n<path>a.py</path>\n<old_str>x</old_str>\n<new_str>y</new_str>\n</invoke>\n', ONE),
    "fields on lines of their own": (invoked("edit", ("path", "a.py"), ("old_string", "\n  x\n"), ("new_string", "\n\n")), [("edit", "a.py", "  x", "")]),
    "fields whose closing tags are indented": ("<edit_file>\n  <path>a.py</path>\n  <old_string>\n  x\n  </old_string>\n  <new_string>\n  y\n\t</new_string>\n</edit_file>\n", [("edit", "a.py", "  x", "  y")]),
    "a colon behind a field's tag": ("<edit_file>\n<path>a.py</path>\n<old_string>:\nx\n</old_string>\n<new_string>\ny\n</new_string>\n</edit_file>\n", ONE),
    "every place": (invoked("edit", ("path", "a.py"), ("old_string", "x"), ("new_string", "y"), ("replace_all", "false")), ONE),
    "function=": ("<tool_call>\n<function=write_file>\n<parameter=path>\nn.py\n</parameter>\n<parameter=content>\nz\n\n</parameter>\n</function>\n</tool_call>\n", [("rewrite", "n.py", "", "z\n")]),
    "a whole text without a last line end of its own": (invoked("write_file", ("path", "n.py"), ("content", "\n  z\n")), [("rewrite", "n.py", "", "  z\n")]),
    "a whole text in CDATA": (invoked("write_file", ("path", "n.py"), ("content", "\n<![CDATA[\nz\n]]>\n")), [("rewrite", "n.py", "", "z\n")]),
    "JSON on the tag's line": (f"<tool_call>{json.dumps(EDIT)}</tool_call>\n", ONE),
    "search_and_replace": ("<search_and_replace>\n<path>a.py</path>\n<search>x</search>\n<replace>y</replace>\n</search_and_replace>\n", ONE),
    "a known name as the tag": ("<str_replace>\n<path>a.py</path>\n<old_str>x</old_str>\n<new_str>y</new_str>\n</str_replace>\n", ONE),
    "a known name as the tag, a whole file": ("<write_file>\n<path>n.py</path>\n<content>\nz\n</content>\n</write_file>\n", [("rewrite", "n.py", "", "z\n")]),
    "a whole file in a fence": ("<create_file>\n<path>n.py</path>\n<content>\n```python\nz\n```\n</content>\n</create_file>\n", [("create", "n.py", "", "z\n")]),
    "two known names": ("<delete_file>\n<path>b.py</path>\n</delete_file>\n<edit_file>\n<path>a.py</path>\n<old_string>x</old_string>\n<new_string>y</new_string>\n</edit_file>\n", [("delete", "b.py", "", ""), *ONE]),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), IN_TAGS.values(), ids=IN_TAGS.keys())
def test_calls_in_tags(reply: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    parsed = parse(f"Now:\n\n{reply}\n{GOOD}\n")
    assert [essence(b) for b in parsed.blocks] == [*expected, *ONE]
    assert parsed.diagnostics == ()


BROKEN_IN_TAGS = {
    "insert_content": "<insert_content>\n<path>b.py</path>\n<line>3</line>\n<content>\nz\n</content>\n</insert_content>\n",
    "a pattern": "<search_and_replace>\n<path>b.py</path>\n<search>x.*</search>\n<replace>y</replace>\n<use_regex>true</use_regex>\n</search_and_replace>\n",
    "a field that holds its own end": invoked("write_file", ("path", "b.py"), ("content", "a</parameter>b")),
    "a field twice": "<search_and_replace>\n<path>b.py</path>\n<search>a</search>\n<search>b</search>\n<replace>y</replace>\n</search_and_replace>\n",
    "a field's tag twice": "<edit_file>\n<path>b.py</path>\n<old_string>x</old_string>\n<new_string>\n<new_string>\ny\n</new_string>\n</edit_file>\n",
    "a line between two fields": "<edit_file>\n<path>b.py</path>\n<old_string>x</old_string>\nand\n<new_string>y</new_string>\n</edit_file>\n",
    "a field that is not closed": "<edit_file>\n<path>b.py</path>\n<old_string>x\n<new_string>y</new_string>\n</edit_file>\n",
    "a known name as the tag, not closed": "<edit_file>\n<path>b.py</path>\n<old_string>x</old_string>\n",
    "not closed": '<invoke name="edit">\n<parameter name="path">b.py</parameter>\n<parameter name="old_string">x</parameter>\n',
    "an editor's command, not closed": '<invoke name="editor">\n<parameter name="command">create</parameter>\n<parameter name="path">b.py</parameter>\n',
}  # fmt: skip


@pytest.mark.parametrize("reply", BROKEN_IN_TAGS.values(), ids=BROKEN_IN_TAGS.keys())
def test_calls_in_tags_that_say_no_edit_are_malformed(reply: str) -> None:
    broken, good = parse(f"{reply}\n{GOOD}\n").blocks
    assert broken.malformed is not None
    assert (broken.path, essence(good)) == ("b.py", ONE[0])


def test_calls_in_tags_that_only_look_are_prose() -> None:
    for reply in (invoked("read_file", ("path", "a.py")), "<function=read_file>\n<parameter=path>\na.py\n"):
        assert [essence(b) for b in parse(f"{reply}\n{GOOD}\n").blocks] == ONE
    for name, commands in (("bash", ["make"]), ("RunShell", ["make"]), ("lookup", [])):
        shell = parse(invoked(name, ("command", "make")))
        assert [s.command for s in shell.shell_suggestions] == commands


def edit_call(path: str) -> str:
    fields = {"path": path, "old_string": "x", "new_string": "y"}
    parameters = "".join(f'<parameter name="{name}">{text}</parameter>' for name, text in fields.items())
    return f'<invoke name="edit_file">{parameters}</invoke>'


BOTH = edit_call("a.py"), edit_call("b.py")
SEVERAL = {
    "on lines of their own": "\n".join(BOTH),
    "on one line": "".join(BOTH),
    "in their list": "<function_calls>\n" + "\n".join(BOTH) + "\n</function_calls>",
    "in their list, on one line": "<function_calls>" + "".join(BOTH) + "</function_calls>",
}


@pytest.mark.parametrize("fence", ["", "```\n", "```xml\n"], ids=["no fence", "a fence", "a fence of xml"])
@pytest.mark.parametrize("calls", SEVERAL.values(), ids=SEVERAL)
def test_of_several_calls_in_tags_none_is_lost(calls: str, fence: str) -> None:
    parsed = parse(f"{fence}{calls}\n{fence[:3]}\n")
    assert [block.path for block in parsed.blocks] == ["a.py", "b.py"]


@pytest.mark.parametrize("above", ["So it goes:\n", "x = 1\n\n", "]\n"])
def test_a_call_below_other_text_in_a_fence_is_an_example(above: str) -> None:
    for left, right in (("```xml", "```"), ("<source>", "</source>")):
        assert parse(f"{left}\n{above}{edit_call('a.py')}\n{right}\n").blocks == ()


def test_a_call_in_the_middle_of_a_file_is_its_text() -> None:
    text = f"How to call it:\n{edit_call('a.py')}\n"
    (block,) = parse(f"notes/calls.txt\n```\n{text}```\n").blocks
    assert (block.format, block.path, block.replace) == ("whole", "notes/calls.txt", text)


def answered(reason: str, text: str) -> str:
    """A provider's answer, in the shape of chat completions."""
    return json.dumps({"choices": [{"finish_reason": reason, "message": {"role": "assistant", "content": text}}]})


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n", False),
        ("x\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\nAnd now", True),
        ("x\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", True),
        ("x.py\n```\nb\n```\n", True),
    ],
)
def test_an_answer_that_its_provider_ended_early_is_told_and_its_last_edit_not_taken(text: str, whole: bool) -> None:
    parsed = parse(answered("length", text))
    assert [block.malformed is None for block in parsed.blocks] == [whole]
    assert parsed.diagnostics[0].code is Code.NO_END
    assert all(block.malformed is None for block in parse(answered("stop", text)).blocks)


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "stop_reason": "max_tokens", "content": [{"type": "tool_use", "name": "edit", "input": EDIT}]},
        {"candidates": [{"finishReason": "MAX_TOKENS", "content": {"parts": [{"functionCall": {"name": "edit", "args": EDIT}}]}}]},
        {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
         "output": [{"type": "function_call", "name": "edit", "arguments": json.dumps(EDIT)}]},
    ],
)  # fmt: skip
def test_a_call_that_its_provider_cut_off_is_not_taken(answer: dict[str, object]) -> None:
    (block,) = parse(json.dumps(answer)).blocks
    assert block.malformed is not None and block.malformed.code is Code.NO_END


def test_an_empty_listing_is_told_of() -> None:
    parsed = parse("### `a.py`\n\n```python\n\n```\n")
    assert not parsed.blocks
    assert [diagnostic.message for diagnostic in parsed.diagnostics] == [
        "The listing of `a.py` is empty; it was taken for no text of the file."
    ]


def test_a_call_inside_a_sentence_is_told_by_the_line_of_the_sentence() -> None:
    reply = f"One.\n\nTwo: <tool_call>{called('edit', **EDIT)}</tool_call>\n"
    assert [block.line for block in parse(reply).blocks] == [3]
