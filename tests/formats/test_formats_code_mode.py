"""Code mode: JavaScript that hands a patch or an edit to a tool is read, never run."""

from __future__ import annotations

import json

import pytest

from dovetail.formats import parse

PATCH = "*** Begin Patch\n*** Update File: a.js\n@@\n-let x = `1`;\n+let x = `2`;\n*** End Patch\n"
QUOTED = json.dumps(PATCH)
LINES = ", ".join(json.dumps(line) for line in PATCH.split("\n"))
READ = {
    "a name": f"const patch = {QUOTED};\ntext(await tools.apply_patch(patch));\n",
    "its argument": f"text(await tools.apply_patch({QUOTED}));",
    "without a semicolon": f"const patch = {QUOTED}\nconst result = await tools.apply_patch(patch)\ntext(result)\n",
    "raw": "const patch = String.raw`" + PATCH.replace("`", "'") + "`;\nawait tools.apply_patch(patch);\n",
    "a template": "await apply_patch(`" + PATCH.replace("`", "\\`") + "`);\n",
    "joined": f'const patch = [{LINES}].join("\\n");\nawait tools.apply_patch(patch);\n',
    "added": f"const head = {json.dumps(PATCH[:20])};\nawait tools.apply_patch(head + {json.dumps(PATCH[20:])});\n",
    "an object": f"const input = {QUOTED};\nawait tools.apply_patch({{input}});\n",
    "beside comments": f"// const patch = {QUOTED};\n/* tools.apply_patch( */ await tools.apply_patch({QUOTED});\n",
}


def called(code: str) -> str:
    return json.dumps({"type": "custom_tool_call", "name": "exec", "input": code})


@pytest.mark.parametrize("code", READ.values(), ids=READ)
def test_a_patch_in_code_is_read(code: str) -> None:
    (block,) = parse(called(code)).blocks
    sign = "'" if "String.raw" in code else "`"
    assert (block.path, block.malformed) == ("a.js", None)
    assert (block.search, block.replace) == (f"let x = {sign}1{sign};\n", f"let x = {sign}2{sign};\n")
    (other,) = parse(json.dumps({"name": "run", "arguments": {"code": code}})).blocks
    assert (other.path, other.search, other.replace) == (block.path, block.search, block.replace)


def test_several_patches_and_edits_in_code_are_read_in_order() -> None:
    edit = 'tools.edit({path: "b.js", "old_string": "\\u0061\\x62", new_string: \'c\'})'
    blocks = parse(called(f"await tools.apply_patch({QUOTED});\nawait {edit};\ntools.read_file('c.js');\n")).blocks
    assert [(b.path, b.search, b.replace) for b in blocks] == [
        ("a.js", "let x = `1`;\n", "let x = `2`;\n"),
        ("b.js", "ab", "c"),
    ]


UNKNOWN = {
    "computed": "await tools.apply_patch(make());\n",
    "changed": f"const patch = {QUOTED};\nawait tools.apply_patch(patch.replace('1', '3'));\n",
    "interpolated": "const n = 1;\nawait tools.apply_patch(`*** Begin Patch ${n}`);\n",
    "assigned twice": f"let patch = {QUOTED};\npatch += 'more';\nawait tools.apply_patch(patch);\n",
    "in a condition": f"if (ready) {{ await tools.apply_patch({QUOTED}); }}\n",
    "chosen": f"const patch = ready ? {QUOTED} : '';\nawait tools.apply_patch(patch);\n",
}


@pytest.mark.parametrize("code", UNKNOWN.values(), ids=UNKNOWN)
def test_what_only_running_the_code_would_tell_is_malformed(code: str) -> None:
    (block,) = parse(called(code)).blocks
    assert block.malformed is not None
    assert "only known when it runs" in block.malformed.message


def test_code_that_edits_nothing_is_no_edit() -> None:
    for code in ("text(await tools.exec_command({cmd: 'ls'}));\n", "// tools.apply_patch(x)\ntext(1);\n"):
        assert parse(called(code)).blocks == ()
