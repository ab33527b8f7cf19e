"""Calls that name their place: every spelling gives the same target, and what is no such call gives none."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import parse
from dovetail.model.blocks import CellTarget, LineTarget, SymbolTarget, Target

NEW = "x = 2\n"
LINES: dict[str, tuple[object, Target, str]] = {
    "insert": ({"command": "insert", "path": "a.py", "insert_line": 4, "insert_text": "x = 2"}, LineTarget(5, 4), NEW),
    "insert, older": ({"command": "insert", "path": "a.py", "insert_line": 0, "new_str": NEW}, LineTarget(1, 0), NEW),
    "replace": ({"name": "replace_lines", "arguments": {"path": "a.py", "start_line": 2, "end_line": 3, "content": NEW}}, LineTarget(2, 3), NEW),
    "replace, in camels": ({"name": "edit_file", "arguments": {"filePath": "a.py", "startLine": 2, "endLine": 3, "newText": NEW}}, LineTarget(2, 3), NEW),
    "set": ({"name": "set_line", "arguments": {"path": "a.py", "line": "7", "text": "x = 2"}}, LineTarget(7, 7), NEW),
    "delete": ({"name": "delete_lines", "arguments": {"path": "a.py", "line_start": 2, "line_end": 3}}, LineTarget(2, 3), ""),
    "before": ({"name": "insert_before_line", "arguments": {"path": "a.py", "line": 4, "content": NEW}}, LineTarget(4, 3), NEW),
    "hash in letters": ({"path": "a.py", "edits": [{"op": "replace", "pos": "5#VK", "lines": ["x = 2"]}]}, LineTarget(5, 5, ((5, "VK"),)), NEW),
    "hash in digits": ({"path": "a.py", "edits": [{"set_line": {"anchor": "5:9f", "new_text": "x = 2"}}]}, LineTarget(5, 5, ((5, "9f"),)), NEW),
    "range of hashes": ({"path": "a.py", "edits": [{"replace_lines": {"start_anchor": "5:9f", "end_anchor": "7:0a", "new_text": "x = 2"}}]}, LineTarget(5, 7, ((5, "9f"), (7, "0a"))), NEW),
    "append": ({"path": "a.py", "edits": [{"loc": {"append": "5#VK"}, "lines": ["x = 2"]}]}, LineTarget(6, 5, ((5, "VK"),)), NEW),
    "prepend": ({"path": "a.py", "edits": [{"op": "prepend", "pos": "5#VK", "lines": ["x = 2"]}]}, LineTarget(5, 4, ((5, "VK"),)), NEW),
    "range": ({"path": "a.py", "edits": [{"loc": {"range": {"pos": "5#VK", "end": "6#XJ"}}, "content": ["x = 2"]}]}, LineTarget(5, 6, ((5, "VK"), (6, "XJ"))), NEW),
    "hash, nothing new": ({"path": "a.py", "edits": [{"op": "delete", "pos": "5#VK"}]}, LineTarget(5, 5, ((5, "VK"),)), ""),
    "at the end": ({"path": "a.py", "edits": [{"loc": "append", "lines": ["x = 2"]}]}, LineTarget(None, 0), NEW),
    "line quoted": ({"path": "a.py", "edits": [{"op": "replace", "pos": "5#VK|  return 1;", "lines": ["x = 2"]}]}, LineTarget(5, 5, ((5, "VK"),)), NEW),
}  # fmt: skip
CELLS: dict[str, tuple[dict[str, object], Target, str]] = {
    "replace": ({"cell_id": "c1", "new_source": "x = 2"}, CellTarget("c1", "replace"), NEW),
    "insert": ({"cell_id": "c1", "new_source": "x = 2", "edit_mode": "insert", "cell_type": "code"}, CellTarget("c1", "after", "code"), NEW),
    "insert first": ({"new_source": "x = 2", "edit_mode": "insert", "cell_type": "markdown"}, CellTarget(0, "before", "markdown"), NEW),
    "by number": ({"cell_number": 3, "new_source": "x = 2"}, CellTarget(3, "replace"), NEW),
    "delete": ({"cell_id": "c1", "new_source": "", "edit_mode": "delete"}, CellTarget("c1", "delete"), ""),
    "top": ({"cellId": "TOP", "editType": "insert", "newCode": ["x = 2"]}, CellTarget(0, "before"), NEW),
    "bottom": ({"cellId": "BOTTOM", "editType": "insert", "newCode": "x = 2"}, CellTarget(-1, "after"), NEW),
}  # fmt: skip


@pytest.mark.parametrize(("value", "target", "new"), LINES.values(), ids=LINES.keys())
def test_edits_by_line(value: object, target: Target, new: str) -> None:
    (block,) = parse(json.dumps(value)).blocks
    assert (block.format, block.path, block.target, block.replace) == ("line-call", "a.py", target, new)
    assert block.malformed is None


@pytest.mark.parametrize(("fields", "target", "new"), CELLS.values(), ids=CELLS.keys())
@pytest.mark.parametrize("tool", ["NotebookEdit", "edit_notebook_file"])
def test_edits_of_cells(tool: str, fields: dict[str, object], target: Target, new: str) -> None:
    (block,) = parse(json.dumps({"name": tool, "arguments": {"notebook_path": "n.ipynb", **fields}})).blocks
    assert (block.format, block.path, block.target, block.replace) == ("notebook-call", "n.ipynb", target, new)


@pytest.mark.parametrize(
    "tool", ["replace_symbol_body", "mcp__serena__replace_symbol_body", "serena.replace_symbol_body"]
)
def test_edits_of_definitions(tool: str) -> None:
    call = {"name": tool, "arguments": {"relative_path": "a.py", "name_path": "A/f", "body": "x = 2"}}
    (block,) = parse(json.dumps(call)).blocks
    assert (block.format, block.target) == ("symbol-call", SymbolTarget("A/f", "replace"))


def test_a_call_in_tags_has_its_numbers_as_text() -> None:
    fields = "".join(f'<parameter name="{name}">{text}</parameter>\n' for name, text in
                     (("command", "insert"), ("path", "a.py"), ("insert_line", "4"), ("insert_text", "x = 2")))  # fmt: skip
    (block,) = parse(f'<invoke name="str_replace_based_edit_tool">\n{fields}</invoke>\n').blocks
    assert (block.target, block.replace) == (LineTarget(5, 4), NEW)


def test_the_edits_of_one_call_are_counted_so_that_they_stand_together() -> None:
    edits = [{"op": "replace_lines", "start_line": n, "end_line": n, "new_text": "x"} for n in (3, 5)]
    blocks = parse(json.dumps({"path": "a.py", "edits": edits})).blocks
    assert [block.target.index for block in blocks if isinstance(block.target, LineTarget)] == [0, 1]


PATCH = "[src/a.py#A1B2]\nSWAP 3.=4:\n+x = 2\nDEL 7\nINS.PRE 9:\n+\n+y\n[b.py#0F0F]\nINS.HEAD:\n+z\nINS.TAIL:\n+end\n"


def test_a_patch_by_line() -> None:
    blocks = parse(json.dumps({"name": "edit", "arguments": {"input": PATCH}})).blocks
    assert [(block.path, block.target, block.replace) for block in blocks] == [
        ("src/a.py", LineTarget(3, 4), NEW),
        ("src/a.py", LineTarget(7, 7, index=1), ""),
        ("src/a.py", LineTarget(9, 8, index=2), "\ny\n"),
        ("b.py", LineTarget(1, 0), "z\n"),
        ("b.py", LineTarget(None, 0, index=1), "end\n"),
    ]


@pytest.mark.parametrize(
    "patch", [PATCH.replace("+x", "-x"), PATCH.replace("[src/a.py#A1B2]\n", "[src/a.py#A1B2]\nMV b.py\n")]
)
def test_a_patch_by_line_with_something_else_in_it_is_malformed(patch: str) -> None:
    blocks = parse(json.dumps({"name": "edit", "arguments": {"input": patch}})).blocks
    assert [block.malformed is not None for block in blocks].count(True) == 1


OTHERS = {
    "a review": {"path": "a.py", "start_line": 3, "end_line": 4, "body": "Use sum."},
    "a finding": {"path": "a.py", "line": 3, "end_line": 4, "text": "unused", "severity": "warning"},
    "a view": {"name": "view", "arguments": {"path": "a.py", "start_line": 3, "end_line": 9}},
    "a place in other data": {"data": {"rows": [{"path": "a.py", "line": 3, "new": "z", "op": "insert_after"}]}},
}


@pytest.mark.parametrize("value", OTHERS.values(), ids=OTHERS.keys())
def test_what_only_speaks_of_lines_is_no_edit(value: object) -> None:
    assert parse(json.dumps(value)).blocks == ()
