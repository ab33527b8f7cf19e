"""Tool calls in JSON, the tags of cline and roo, artifacts."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import Stream, parse
from dovetail.formats.events import ActionClosed, ActionOpened, ArtifactClosed, ArtifactOpened, BlockClosed, LinesSoFar
from dovetail.model.blocks import Block, DatabaseAction, Hints, Kind, ShellSuggestion
from dovetail.model.codes import Code


def essence(block: Block) -> tuple[str, str | None, str, str]:
    return block.kind.value, block.path, block.search, block.replace


EDIT = {"path": "a.py", "old_string": "x", "new_string": "y"}
ONE = [("edit", "a.py", "x", "y")]
CALLS = {
    "bare": (EDIT, ONE),
    "other names": ({"filePath": "a.py", "oldText": "x", "newText": "y"}, ONE),
    "list": ([EDIT, EDIT], ONE * 2),
    "name and arguments": ({"name": "edit", "arguments": EDIT}, ONE),
    "arguments as text": ({"name": "edit", "arguments": json.dumps(EDIT)}, ONE),
    "chat completion": ({"choices": [{"message": {"tool_calls": [{"function": {"name": "e", "arguments": json.dumps(EDIT)}}]}}]}, ONE),
    "content parts": ({"content": [{"type": "text", "text": "Hi"}, {"type": "tool_use", "name": "e", "input": EDIT}]}, ONE),
    "several edits": ({"file_path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}, {"old_str": "1", "new_str": ""}]}, [*ONE, ("edit", "a.py", "1", "")]),
    "editor command": ({"command": "str_replace", "path": "a.py", "old_str": "x", "new_str": "y"}, ONE),
    "insert": ({"command": "insert", "path": "a.py", "insert_line": 4, "new_str": "z"}, [("edit", "a.py", "", "z\n")]),
    "create": ({"command": "create", "path": "n.py", "file_text": "z\n"}, [("create", "n.py", "", "z\n")]),
    "write": ({"name": "write_file", "arguments": {"path": "n.py", "content": "z"}}, [("rewrite", "n.py", "", "z")]),
    "delete": ({"name": "delete_file", "arguments": {"path": "o.py"}}, [("delete", "o.py", "", "")]),
    "move": ({"name": "move_file", "arguments": {"source": "o", "destination": "n"}}, [("rename", "o", "", "")]),
    "patch inside": ({"name": "apply_patch", "arguments": {"input": "*** Begin Patch\n*** Update File: a.py\n-x\n+y\n*** End Patch"}}, [("edit", "a.py", "x\n", "y\n")]),
    "diff inside": ({"name": "apply_diff", "arguments": {"path": "a.py", "diff": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"}}, [("edit", "a.py", "x\n", "y\n")]),
    "no edit": ({"name": "view", "arguments": {"path": "a.py"}}, []),
}  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), CALLS.values(), ids=CALLS.keys())
def test_shapes_of_calls(value: object, expected: list[tuple[str, str | None, str, str]]) -> None:
    line, pretty = json.dumps(value), json.dumps(value, indent=2)
    for reply in (
        line,
        pretty,
        f"Now:\n{pretty}\nDone.\n",
        f"```json\n{pretty}\n```\n",
        f"<tool_call>\n{line}\n</tool_call>\n",
    ):
        assert [essence(b) for b in parse(reply).blocks] == expected


def test_searches_may_stand_inside_a_line() -> None:
    (block,) = parse(json.dumps(EDIT | {"replace_all": True})).blocks
    assert (block.inline, block.replace_all) == (True, True)


def test_lines_of_json_are_values_of_their_own() -> None:
    assert len(parse(f"{json.dumps(EDIT)}\n{json.dumps(EDIT)}\n\n{json.dumps(EDIT)}").blocks) == 3


def test_commands_in_calls_are_listed() -> None:
    parsed = parse(json.dumps({"name": "bash", "arguments": {"command": "rm -rf /"}}))
    assert parsed.shell_suggestions == (ShellSuggestion("rm -rf /", 1, "tool-call"),)


def test_broken_json_is_reported() -> None:
    assert [d.code for d in parse('```json\n{"path": "a", "old_string": "x", "new_str\n```\n').diagnostics] == [
        Code.BAD_JSON
    ]
    assert [d.code for d in parse('{"path": "a",\n "old_string": "x",\n').diagnostics] == [Code.BAD_JSON]


def test_nesting_that_is_too_deep_is_never_an_edit() -> None:
    assert parse("[" * 100_000 + "]" * 100_000).blocks == ()
    deep = parse('{"content":' * 5_000 + json.dumps(EDIT) + "}" * 5_000)
    assert all(block.malformed is not None for block in deep.blocks)


S, D, E = "<<<<<<< SEARCH\n", "=======\n", ">>>>>>> REPLACE\n"
DASHED = "------- SEARCH\nx\n=======\ny\n+++++++ REPLACE\n"
WHOLE_LINES = ("edit", "a.ts", "x\n", "y\n")
SEVERAL = (
    f"<apply_diff>\n<args>\n<file>\n<path>a.ts</path>\n<diff>\n<content><![CDATA[\n{S}x\n{D}y\n{E}]]></content>\n"
    f"<start_line>3</start_line>\n</diff>\n</file>\n<file>\n<path>b.ts</path>\n<diff>\n{S}<file>\n{D}</file>\n{E}</diff>\n"
    "</file>\n</args>\n</apply_diff>\n"
)
TAGS = {
    "replace_in_file": (f"<replace_in_file>\n<path>a.ts</path>\n<diff>\n{DASHED}</diff>\n</replace_in_file>\n", "cline", [WHOLE_LINES]),
    "bare dashes": (f"a.ts\n```\n{DASHED}```\n", "cline", [WHOLE_LINES]),
    "older markers": (f"<replace_in_file>\n<path>a.ts</path>\n<diff>\n{S}x\n{D}y\n{E}</diff>\n</replace_in_file>\n", "cline", [WHOLE_LINES]),
    "long runs": ("a.ts\n----------- SEARCH\nx\n==========\ny\n+++++++++ REPLACE\n", "cline", [WHOLE_LINES]),
    "write_to_file": ("<write_to_file>\n<path>a.ts</path>\n<content>\nx\n</content>\n<line_count>1</line_count>\n</write_to_file>\n", "cline", [("rewrite", "a.ts", "", "x\n")]),
    "write_to_file, in a fence": ("<write_to_file>\n<path>a.ts</path>\n<content>\n```ts\nx\n```\n</content>\n</write_to_file>\n", "cline", [("rewrite", "a.ts", "", "x\n")]),
    "write_to_file, in CDATA": ("<write_to_file>\n<path>a.ts</path>\n<content><![CDATA[\nx\n]]></content>\n</write_to_file>\n", "cline", [("rewrite", "a.ts", "", "x\n")]),
    "write_to_file, a document's fence": ("<write_to_file>\n<path>a.md</path>\n<content>\n```ts\nx\n```\n</content>\n</write_to_file>\n", "cline", [("rewrite", "a.md", "", "```ts\nx\n```\n")]),
    "tags on one line": ("<write_to_file><path>a.ts</path><content>x</content></write_to_file>\n", "cline", [("rewrite", "a.ts", "", "x\n")]),
    "apply_diff": (f"<apply_diff>\n<path>a.ts</path>\n<diff>\n{S}:start_line:7\n-------\nx\n{D}y\n{E}</diff>\n</apply_diff>\n", "roo", [WHOLE_LINES]),
    "several files": (
        SEVERAL,
        "roo", [WHOLE_LINES, ("edit", "b.ts", "<file>\n", "</file>\n")],
    ),
    "bare header": (f"a.ts\n{S}:start_line:7\n:end_line:8\n-------\nx\n{D}y\n{E}", "roo", [WHOLE_LINES]),
    "escaped markers": (f"<apply_diff>\n<path>a.ts</path>\n<diff>\n{S}\\<<<<<<< HEAD\n\\=======\n{D}y\n{E}</diff>\n</apply_diff>\n", "roo", [("edit", "a.ts", "<<<<<<< HEAD\n=======\n", "y\n")]),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "name", "expected"), TAGS.values(), ids=TAGS.keys())
def test_cline_and_roo(reply: str, name: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    blocks = parse(reply).blocks
    assert [essence(b) for b in blocks] == expected
    assert {b.format for b in blocks} == {name}


def test_roo_gives_its_line_as_a_hint() -> None:
    for header, line in ((":start_line: 7\n", 7), (":end_line: 14\n", None), (":start_line:\n:end_line: 14\n", None)):
        (edit,) = parse(f"a.ts\n{S}{header}-------\nx\n{D}y\n{E}").blocks
        assert (edit.search, edit.hints) == ("x\n", Hints(line=line))


@pytest.mark.parametrize(
    ("line", "search"), [("-------x", "x\n"), ("-------  x", "  x\n"), ("--------x", "--------x\n")]
)
def test_the_dashes_under_a_line_number_may_lack_their_end(line: str, search: str) -> None:
    (block,) = parse(f"a.ts\n{S}:start_line:7\n{line}\n{D}y\n{E}").blocks
    assert (block.format, block.search, block.hints) == ("roo", search, Hints(line=7))
    assert parse(f"a.ts\n{S}{line}\n{D}y\n{E}").blocks[0].search == f"{line}\n"


def test_a_line_marker_in_a_roo_replacement_is_malformed() -> None:
    (block,) = parse(f"a.ts\n{S}x\n{D}:start_line:5\ny\n{E}", format="roo").blocks
    assert block.malformed is not None
    assert parse(f"a.ts\n{S}x\n{D}\\:start_line:5\n{E}", format="roo").blocks[0].replace == ":start_line:5\n"


def test_entities_are_undone_where_the_markers_are_written_with_them() -> None:
    lt, gt = "&lt;" * 7, "&gt;" * 7
    (block,) = parse(f"a.ts\n{lt} SEARCH\na &lt; b &amp;&amp; c\n=======\nd\n{gt} REPLACE\n").blocks
    assert block.search == "a < b && c\n"


@pytest.mark.parametrize("tag", ["<write_to_file>", "<search_and_replace>"])
def test_a_sentence_about_a_tool_opens_none(tag: str) -> None:
    block = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    tool = f"<apply_diff>\n<path>a.py</path>\n<diff>\n{block}</diff>\n</apply_diff>\n"
    drafted = f"<think>\n{tag} would do as well.\n</think>\n{tool}"
    for reply in (f"{tag} is not what is needed here.\n\n{tool}", drafted):
        (found,) = parse(reply).blocks
        assert (found.path, found.draft, found.malformed) == ("a.py", False, None)


def test_a_tool_without_blocks_or_end_is_malformed() -> None:
    for reply in (
        "<apply_diff>\n<path>a.ts</path>\n<diff>\n</diff>\n</apply_diff>\n",
        "<write_to_file>\n<path>a</path>\n<content>\nx\n",
    ):
        assert [b.malformed is not None for b in parse(reply).blocks] == [True]


ARTIFACT = """Sure.

<boltArtifact id="snake" title="Snake &amp; Co">
<boltAction type="file" filePath="src/main.js">
```js
if (a < b) {}
```
</boltAction>
<boltAction type="edit">
src/app.tsx
<<<<<<< SEARCH
old
=======
new
>>>>>>> REPLACE

<<<<<<< SEARCH
1
=======
2
>>>>>>> REPLACE
</boltAction>
<boltAction type="shell">npm install</boltAction>
<boltAction type="supabase" operation="migration" filePath="/supabase/migrations/1.sql">
create table t ();
</boltAction>
<boltAction type="supabase" operation="query">select 1;</boltAction>
<boltAction type="start">npm run dev</boltAction>
</boltArtifact>
Enjoy.
"""


def test_an_artifact_s_actions() -> None:
    parsed = parse(ARTIFACT)
    assert [(b.format, *essence(b)) for b in parsed.blocks] == [
        ("artifact", "rewrite", "src/main.js", "", "if (a < b) {}\n"),
        ("artifact", "edit", "src/app.tsx", "old\n", "new\n"),
        ("artifact", "edit", "src/app.tsx", "1\n", "2\n"),
        ("artifact", "create", "supabase/migrations/1.sql", "", "create table t ();\n"),
    ]
    assert [(s.command, s.origin) for s in parsed.shell_suggestions] == [
        ("npm install", "shell"),
        ("npm run dev", "start"),
    ]
    assert parsed.database_actions == (
        DatabaseAction("migration", "create table t ();", 24, "supabase/migrations/1.sql"),
        DatabaseAction("query", "select 1;", 27, None),
    )


@pytest.mark.parametrize("info", ["xml", "html", ""])
def test_an_artifact_in_a_fence_is_read(info: str) -> None:
    action = '<boltAction type="file" filePath="a.md">\none\n```\ntwo\n```\n</boltAction>\n'
    parsed = parse(f"Here:\n\n```{info}\n<boltArtifact id='i' title='t'>\n{action}</boltArtifact>\n```\nDone.\n")
    assert [(b.kind, b.path, b.replace) for b in parsed.blocks] == [(Kind.REWRITE, "a.md", "one\n```\ntwo\n```\n")]


def test_an_artifact_s_events_come_in_order() -> None:
    stream = Stream()
    events = [*stream.feed(ARTIFACT), *stream.close()]
    opened = [e for e in events if isinstance(e, ActionOpened)]
    assert [(e.number, e.kind, e.path) for e in opened][:2] == [(1, "file", "src/main.js"), (2, "edit", None)]
    closed = [e for e in events if isinstance(e, ActionClosed)]
    assert [e.number for e in closed] == [1, 2, 3, 4, 5, 6]
    assert closed[1].path == next(b.path for b in stream.parsed.blocks if b.kind is Kind.EDIT)
    assert ArtifactOpened("snake", "Snake & Co", 3) in events
    assert ArtifactClosed("snake", "Snake & Co", 29, 6) in events


def test_file_actions_stream_and_edit_actions_come_at_their_close() -> None:
    stream = Stream()
    early = stream.feed('<boltAction type="file" filePath="a.js">\nlet a\n')
    assert [e.text for e in early if isinstance(e, LinesSoFar)] == ["let a\n"]
    stream.feed("</boltAction>\n")
    edit = "a.js\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"
    assert not [e for e in stream.feed(f'<boltAction type="edit">\n{edit}') if isinstance(e, BlockClosed)]
    assert [e for e in stream.feed("</boltAction>\n") if isinstance(e, BlockClosed)]


ACTIONS = {
    "path in the attribute": (f'<boltAction type="edit" filePath="b.js">\n{S}x\n{D}y\n{E}</boltAction>\n', [("edit", "b.js", "x\n", "y\n")]),
    "on one line": ('Hi <boltAction type="file" filePath="b.js">x</boltAction> bye\n', [("rewrite", "b.js", "", "x\n")]),
    "a last line behind which it closes": ('<boltAction type="file" filePath="b.js">\nx\ny</boltAction>\n', [("rewrite", "b.js", "", "x\ny\n")]),
    "a colon and blanks behind the tag": ('<boltAction type="file" filePath="b.js">: \nx\n</boltAction>\n', [("rewrite", "b.js", "", "x\n")]),
    "an indented closing tag": ('<boltAction type="file" filePath="b.js">\nx\n    </boltAction>\n', [("rewrite", "b.js", "", "x\n")]),
    "closed with its artifact": ('<boltArtifact id="a"><boltAction type="file" filePath="b.js">\nx\n</boltArtifact>\n', [("rewrite", "b.js", "", "x\n")]),
    "entities": ('<boltAction type="file" filePath="b.js">\na &lt; b\n</boltAction>\n', [("rewrite", "b.js", "", "a < b\n")]),
    "entities in Markdown stay": ('<boltAction type="file" filePath="b.md">\na &lt; b\n</boltAction>\n', [("rewrite", "b.md", "", "a &lt; b\n")]),
    "in CDATA": ('<boltAction type="file" filePath="b.js"><![CDATA[\nx\n]]></boltAction>\n', [("rewrite", "b.js", "", "x\n")]),
    "in CDATA on lines of its own": ('<boltAction type="file" filePath="b.js">\n<![CDATA[\nx\n]]>\n</boltAction>\n', [("rewrite", "b.js", "", "x\n")]),
    "work folder": ('<boltAction type="file" filePath="/home/project/src/b.js">\nx\n</boltAction>\n', [("rewrite", "src/b.js", "", "x\n")]),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "expected"), ACTIONS.values(), ids=ACTIONS.keys())
def test_actions(reply: str, expected: list[tuple[str, str | None, str, str]]) -> None:
    assert [essence(b) for b in parse(reply).blocks] == expected


def test_actions_that_are_broken_are_reported() -> None:
    cut = parse('<boltAction type="file" filePath="a.js">\nlet a\n').blocks[0]
    assert cut.malformed is not None and cut.malformed.code is Code.NO_END
    assert parse('<boltAction type="edit">\nno block\n</boltAction>\n').blocks[0].malformed is not None
    assert [d.code for d in parse('<boltAction type="dance">\nx\n</boltAction>\n').diagnostics] == [Code.MALFORMED]
    (deleted,) = parse('<boltAction type="delete" filePath="a.js"></boltAction>\n').blocks
    assert deleted.path == "a.js" and deleted.malformed is not None


NEXT = '<boltAction type="file" filePath="b.js">\ny\n</boltAction>\n'
NOT_CLOSED = {
    "file": (f'<boltAction type="file" filePath="a.js">\nx\n{NEXT}', [True, False]),
    "file, indented": (f'<boltAction type="file" filePath="a.js">\nx\n  {NEXT}', [True, False]),
    "file with a line like a start": (f'<boltAction type="file" filePath="a.js">\n<<<<<<< HEAD\n{NEXT}', [True, False]),
    "in an artifact": (f'<boltArtifact id="a" title="t">\n<boltAction type="file" filePath="a.js">\nx\n{NEXT}</boltArtifact>\n', [True, False]),
    "another artifact": (f'<boltAction type="file" filePath="a.js">\nx\n<boltArtifact id="a" title="t">\n{NEXT}</boltArtifact>\n', [True, False]),
    "migration": (f'<boltAction type="supabase" operation="migration" filePath="/m.sql">\nx\n{NEXT}', [True, False]),
    "edit whose blocks are complete": (f'<boltAction type="edit">\na.js\n{S}x\n{D}y\n{E}{NEXT}', [False, False]),
}  # fmt: skip


@pytest.mark.parametrize(("reply", "malformed"), NOT_CLOSED.values(), ids=NOT_CLOSED.keys())
def test_an_action_that_is_not_closed_does_not_swallow_the_next(reply: str, malformed: list[bool]) -> None:
    blocks = parse(reply).blocks
    assert [b.malformed is not None for b in blocks] == malformed
    assert essence(blocks[-1]) == ("rewrite", "b.js", "", "y\n")
    assert {b.malformed.code for b in blocks if b.malformed is not None} <= {Code.NESTED_START}


def test_a_migration_in_a_draft_is_a_draft_as_any_file_is() -> None:
    action = '<boltAction type="supabase" operation="migration" filePath="/m/1.sql">\nselect 1;\n</boltAction>\n'
    parsed = parse(f"<think>\n{action}</think>\n")
    assert [(b.path, b.draft) for b in parsed.blocks] == [("m/1.sql", True)]
    assert parsed.database_actions == ()


@pytest.mark.parametrize("artifact", [NEXT, f'<boltArtifact id="a" title="t">\n{NEXT}</boltArtifact>\n'])
def test_what_stands_behind_an_action_or_an_artifact_is_read(artifact: str) -> None:
    behind = f"Then:\n\na.py\n{S}x\n{D}y\n{E}"
    for reply in (artifact + behind, artifact.replace("\n", "") + "\n" + behind):
        assert [essence(b) for b in parse(reply).blocks][1:] == [("edit", "a.py", "x\n", "y\n")]


def test_an_end_of_an_action_without_its_beginning_is_told_of_in_an_artifact() -> None:
    stray = "<boltArtifact id='a'>\n</boltAction>\n</boltArtifact>\n"
    assert [b.malformed is not None for b in parse(stray).blocks] == [True]
    assert parse(f"<think>\n{stray}</think>\n").blocks == ()
    assert parse("<boltAction type='shell'>make</boltAction>\n</boltAction>\n").blocks == ()


def test_a_tag_inside_content_is_content() -> None:
    inside = 'say `<boltAction type="file">`'
    (block,) = parse(f'<boltAction type="file" filePath="a.md">\n{inside}\n</boltAction>\n').blocks
    assert (block.replace, block.malformed) == (f"{inside}\n", None)


def test_a_file_whose_closing_tag_is_garbled_is_malformed() -> None:
    artifact = '<boltArtifact id="a">\n<boltAction type="file" filePath="b.js">\nx\n</boltA\n</boltArtifact>\n'
    (block,) = parse(artifact).blocks
    assert block.malformed is not None and block.malformed.code is Code.NO_END


def test_a_migration_that_is_cut_off_is_malformed() -> None:
    (block,) = parse('<boltAction type="supabase" operation="migration" filePath="/m.sql">\ndrop ').blocks
    assert block.malformed is not None and block.malformed.code is Code.NO_END


def test_kinds_are_what_the_tags_say() -> None:
    assert parse(ARTIFACT).blocks[0].kind is Kind.REWRITE
