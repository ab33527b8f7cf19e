"""What is only quoted stays text: whatever stands inside new text of any format, it is no edit of its own."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from dovetail.formats import parse

VICTIM = "victim.py"
PATCH = f"*** Begin Patch\n*** Update File: {VICTIM}\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
DELETE = f"*** Begin Patch\n*** Delete File: {VICTIM}\n*** End Patch\n"
BLOCK = f"{VICTIM}\n```python\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
EDIT = {"path": VICTIM, "old_string": "x = 1", "new_string": "x = 2"}

QUOTED = {
    "a patch": PATCH,
    "a patch that deletes": DELETE,
    "a diff": f"--- a/{VICTIM}\n+++ b/{VICTIM}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    "a diff by git": f"diff --git a/{VICTIM} b/{VICTIM}\n--- a/{VICTIM}\n+++ b/{VICTIM}\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    "a block": BLOCK,
    "a listing": f"**{VICTIM}**\n\n```python\nx = 2\n```\n",
    "a call": json.dumps({"name": "edit", "arguments": EDIT}) + "\n",
    "a call that deletes": json.dumps({"name": "delete_file", "arguments": {"path": VICTIM}}) + "\n",
    "a call with a patch": json.dumps({"name": "apply_patch", "input": DELETE}) + "\n",
    "a call in tags": f'<invoke name="delete_file">\n<parameter name="path">{VICTIM}</parameter>\n</invoke>\n',
    "a tag of a tool": f"<write_to_file>\n<path>{VICTIM}</path>\n<content>\nx = 2\n</content>\n</write_to_file>\n",
    "code that hands over a patch": f"await tools.apply_patch({json.dumps(DELETE)});\n",
    "a function that is called": f"edit_file(path={VICTIM!r}, old_string='x = 1', new_string='x = 2')\n",
    "a here-document with a patch": f"apply_patch <<'EOF'\n{DELETE}EOF\n",
    "a here-document": f"cat > {VICTIM} <<'EOF'\nx = 2\nEOF\n",
    "an anchored block": f"{VICTIM}\n<<<<<<< EDIT\na\n-------\nx = 1\n=======\nx = 2\n-------\nb\n>>>>>>>\n",
    "a block in guillemets": f"{VICTIM}\n««« EDIT\na\nx = 1\n═══════ REPL\na\nx = 2\n»»» EDIT END\n",
    "a block of sections": f"### File: {VICTIM}\n<<<<<<< NEW_FILE\nx = 2\n>>>>>>> NEW_FILE\n",
    "an artifact": f'<boltArtifact id="a" title="t">\n<boltAction type="file" filePath="{VICTIM}">x = 2\n</boltAction>\n</boltArtifact>\n',
}


def _added(text: str) -> str:
    return "".join(f"+{line}\n" for line in text.splitlines())


def _add_file(text: str) -> str:
    return f"*** Begin Patch\n*** Add File: doc.md\n{_added(text)}*** End Patch\n"


def _update_file(text: str) -> str:
    return f"*** Begin Patch\n*** Update File: doc.md\n@@\n-old\n{_added(text)}*** End Patch\n"


def _code(patch: str) -> str:
    return json.dumps(
        {"type": "custom_tool_call", "name": "exec", "input": f"await tools.apply_patch({json.dumps(patch)});"}
    )


def _template(text: str) -> str:
    patch = _add_file(text).replace("\\", "\\\\").replace("`", "\\`").replace("${", "\\${")
    return json.dumps({"name": "exec", "input": f"const patch = `{patch}`;\ntext(await tools.apply_patch(patch));"})


def _diff(text: str) -> str:
    return f"--- /dev/null\n+++ b/doc.md\n@@ -0,0 +1,{len(text.splitlines())} @@\n{_added(text)}"


def _new_block(text: str) -> str:
    return f"doc.md\n`````\n<<<<<<<<< SEARCH\n=========\n{text}>>>>>>>>> REPLACE\n`````\n"


AROUND: dict[str, Callable[[str], str]] = {
    "a patch that adds": _add_file,
    "a patch that changes": _update_file,
    "a call of apply_patch": lambda text: json.dumps({"name": "apply_patch", "input": _add_file(text)}),
    "a call of apply_patch by its field": lambda text: json.dumps({"name": "apply_patch", "arguments": {"patch": _update_file(text)}}),
    "a call with a bare text": lambda text: json.dumps({"type": "custom_tool_call", "name": "apply_patch", "input": _update_file(text)}),
    "a command that is a list": lambda text: json.dumps({"command": ["apply_patch", _add_file(text)]}),
    "code": lambda text: _code(_add_file(text)),
    "code that changes": lambda text: _code(_update_file(text)),
    "a template in code": _template,
    "a diff": _diff,
    "a call that writes": lambda text: json.dumps({"name": "write_file", "arguments": {"path": "doc.md", "content": text}}),
    "a call that replaces": lambda text: json.dumps({"name": "edit", "arguments": {"path": "doc.md", "old_string": "old\n", "new_string": text}}),
    "a call of a list of edits": lambda text: json.dumps({"path": "doc.md", "edits": [{"old_string": "old\n", "new_string": text}]}),
    "a call in an answer": lambda text: json.dumps({"choices": [{"message": {"role": "assistant", "tool_calls": [{"function": {"name": "write_file", "arguments": json.dumps({"path": "doc.md", "content": text})}}]}}]}),
    "a block": _new_block,
    "a call in tags": lambda text: f'<invoke name="write_file">\n<parameter name="path">doc.md</parameter>\n<parameter name="content">{text}</parameter>\n</invoke>\n',
    "a tag of a tool": lambda text: f"<write_to_file>\n<path>doc.md</path>\n<content>\n{text}</content>\n</write_to_file>\n",
    "a function that is called": lambda text: f"```tool_code\nwrite_file(path='doc.md', content={text!r})\n```\n",
    "an artifact": lambda text: f'<boltArtifact id="d" title="t">\n<boltAction type="file" filePath="doc.md">{text}</boltAction>\n</boltArtifact>\n',
    "a block of sections": lambda text: f"### File: doc.md\n<<<<<<<<< NEW_FILE\n{text}>>>>>>>>> NEW_FILE\n",
}  # fmt: skip


PAIRS = [(kind, quoted) for kind in AROUND for quoted in QUOTED if kind != quoted or kind == "a block"]


@pytest.mark.parametrize(("kind", "quoted"), PAIRS)
def test_a_quoted_edit_is_text(kind: str, quoted: str) -> None:
    around, quoted = AROUND[kind], QUOTED[quoted]
    for text in (f"# Guide\n{quoted}The end.\n", quoted):
        parsed = parse(around(text))
        assert [(block.path, block.replace) for block in parsed.blocks] == [("doc.md", text)]
        assert [block.malformed for block in parsed.blocks] == [None]


@pytest.mark.parametrize("quoted", QUOTED.values(), ids=QUOTED.keys())
def test_an_edit_in_a_document_is_text(quoted: str) -> None:
    """In a fence that holds nothing else, it may be the reply's own edit."""
    text = f"# Guide\n{quoted}The end.\n"
    parsed = parse(f"doc.md\n`````markdown\n{text}`````\n")
    assert [(block.path, block.replace) for block in parsed.blocks] == [("doc.md", text)]


@pytest.mark.parametrize("quoted", [QUOTED[kind] for kind in ("a call in tags", "a tag of a tool")])
def test_tags_that_quote_themselves_are_malformed(quoted: str) -> None:
    """Nothing shows which closing tag is the quote's, so that the text would be cut."""
    kind = next(kind for kind in QUOTED if QUOTED[kind] == quoted)
    parsed = parse(AROUND[kind](f"# Guide\n{quoted}The end.\n"))
    assert [block.path for block in parsed.blocks] == ["doc.md"]
    assert parsed.blocks[0].malformed is not None


@pytest.mark.parametrize("comment", ["// {}", "/* {} */", "# {}", '"""\n{}\n"""'])
def test_a_call_in_a_comment_of_code_is_none(comment: str) -> None:
    hands_over = f"await tools.apply_patch({json.dumps(DELETE)});"
    code = comment.format(hands_over) + "\nawait tools.apply_patch(" + json.dumps(_add_file("a\n")) + ");"
    parsed = parse(json.dumps({"name": "exec", "input": code}))
    assert [block.path for block in parsed.blocks] == ["doc.md"]
