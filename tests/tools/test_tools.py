"""The tools without an SDK: what providers are sent, what their calls come to, what goes back."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import dovetail
from dovetail.llm.tool_definitions import BASIC
from dovetail.model.errors import UsageError
from dovetail.tools import PROVIDERS, TOOLS, Toolbox, answer, definitions
from dovetail.tools.provider_calls import read

APP = "def first():\n    return 1\n\n\ndef second():\n    return 2\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(APP)
    return tmp_path


def mcp(box: Toolbox, name: str, **arguments: object) -> dict[str, Any]:
    answered = box.answer({"name": name, "arguments": arguments})
    assert answered is not None
    return answered


def data_of(box: Toolbox, name: str, **arguments: object) -> dict[str, Any]:
    return box.run(read({"name": name, "arguments": arguments})).data


def text_of(result: Mapping[str, Any]) -> str:
    text: str = result["content"][0]["text"]
    return text


EDIT = {"path": "app.py", "old_string": "    return 1", "new_string": "    return 10"}
AS_TEXT = json.dumps(EDIT)
CALLS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (
        {"id": "c1", "type": "function", "function": {"name": "edit_file", "arguments": AS_TEXT}},
        {"role": "tool", "tool_call_id": "c1", "content": "TEXT"},
    ),
    (
        {"type": "function_call", "call_id": "c2", "name": "edit_file", "arguments": AS_TEXT},
        {"type": "function_call_output", "call_id": "c2", "output": "TEXT"},
    ),
    (
        {"type": "tool_use", "id": "c3", "name": "edit_file", "input": EDIT},
        {"type": "tool_result", "tool_use_id": "c3", "content": "TEXT", "is_error": False},
    ),
    (
        {"functionCall": {"id": "c4", "name": "edit_file", "args": EDIT}},
        {"functionResponse": {"id": "c4", "name": "edit_file", "response": {"output": "TEXT"}}},
    ),
    (
        {"name": "edit_file", "args": EDIT},
        {"functionResponse": {"name": "edit_file", "response": {"output": "TEXT"}}},
    ),
    (
        {"type": "tool", "tool": "edit", "callID": "c5", "state": {"status": "running", "input": EDIT}},
        {
            "type": "tool",
            "tool": "edit",
            "callID": "c5",
            "state": {"status": "completed", "input": EDIT, "output": "TEXT"},
        },
    ),
    (
        {
            "type": "apply_patch_call",
            "call_id": "c6",
            "operation": {"type": "update_file", "path": "app.py", "diff": "@@\n-    return 1\n+    return 10\n"},
        },
        {"type": "apply_patch_call_output", "call_id": "c6", "output": "TEXT", "status": "completed"},
    ),
]


@pytest.mark.parametrize(("call", "wanted"), CALLS)
def test_each_providers_call_gets_its_own_result(root: Path, call: dict[str, Any], wanted: dict[str, Any]) -> None:
    """The edit is written, and what goes back has the call's id and one text."""
    result = answer(call, root)
    assert (root / "app.py").read_text() == APP.replace("1", "10")
    text = json.dumps(wanted).replace('"TEXT"', json.dumps(_only_text(result)))
    assert result == json.loads(text)
    assert "app.py: edit 1 is written, line 2 (exact)" in _only_text(result)


def _only_text(result: Mapping[str, Any]) -> str:
    texts = [value for value in _strings(result) if "\n" in value and "return" not in value]
    assert len(texts) == 1, texts
    return texts[0]


def _strings(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [text for one in value.values() for text in _strings(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_streamed_arguments_are_put_together(root: Path, size: int) -> None:
    """The pieces of one streamed call, OpenAI's deltas and Anthropic's events."""
    parts = [AS_TEXT[at : at + size] for at in range(0, len(AS_TEXT), size)]
    head = {"index": 0, "id": "c1", "type": "function", "function": {"name": "edit_file", "arguments": ""}}
    deltas = [{"index": 0, "function": {"arguments": part}} for part in parts]
    assert answer([head, *deltas], root)["tool_call_id"] == "c1"
    assert "10" in (root / "app.py").read_text()
    (root / "app.py").write_text(APP)
    start = {
        "type": "content_block_start",
        "content_block": {"type": "tool_use", "id": "t", "name": "edit_file", "input": {}},
    }
    events = [
        {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": part}} for part in parts
    ]
    assert answer([start, *events], root)["tool_use_id"] == "t"
    assert "10" in (root / "app.py").read_text()


def test_an_sdks_object_is_taken(root: Path) -> None:
    """What has `model_dump`, as objects of the SDKs do, is taken as it is."""

    class Call:
        def model_dump(self) -> dict[str, Any]:
            return {"type": "tool_use", "id": "t", "name": "edit_file", "input": EDIT, "caller": None}

    assert answer(Call(), root)["is_error"] is False


def test_other_agents_edit_tools_are_understood(root: Path) -> None:
    """A model that calls the tool it was trained on is answered, too."""
    call = {
        "type": "tool_use",
        "id": "t",
        "name": "str_replace_based_edit_tool",
        "input": {"command": "str_replace", "path": str(root / "app.py"), "old_str": "return 2", "new_str": "return 3"},
    }
    assert answer(call, root)["is_error"] is False
    assert "return 3" in (root / "app.py").read_text()


def test_a_failed_edit_answers_with_what_helps(root: Path) -> None:
    """The nearest text is in the answer, and nothing is written."""
    result = mcp(
        Toolbox(root), "edit_file", path="app.py", old_string="def second():\n    return 5\n", new_string="x = 1\n"
    )
    assert result["isError"] is True
    assert "    return 2" in text_of(result)
    assert (root / "app.py").read_text() == APP
    assert result.keys() == {"content", "isError"}  # some clients hand a model nothing else, where there is more


def test_what_was_read_is_remembered(root: Path) -> None:
    """A file that changed after it was read: edits of other lines land, edits of the changed lines do not."""
    box = Toolbox(root)
    assert text_of(mcp(box, "read_file", path="app.py")).startswith("1:9c|def first():\n2:c4|    return 1\n")
    (root / "app.py").write_text(APP.replace("return 2", "return 7"))
    assert mcp(box, "edit_file", path="app.py", old_string="return 1", new_string="return 10")["isError"] is False
    assert mcp(box, "edit_file", path="app.py", old_string="return 2", new_string="return 20")["isError"] is True
    assert (root / "app.py").read_text() == APP.replace("return 2", "return 7").replace("return 1", "return 10")


def test_reading_shows_the_lines_that_are_asked_for(root: Path) -> None:
    """A part of a file says where it stands in it; lines behind the end are none."""
    box = Toolbox(root)
    assert text_of(mcp(box, "read_file", path=str(root / "app.py"), first_line=5, last_line=5)) == (
        "5:65|def second():\nLines 5 to 5 of 6.\n"
    )
    assert text_of(mcp(box, "read_file", path="./app.py", first_line=50)) == "app.py has 6 lines.\n"


def test_lines_are_inserted_where_they_were_read(root: Path) -> None:
    """A number counts in the text that was read; with its hash, in the file as it is."""
    box = Toolbox(root)
    mcp(box, "read_file", path="app.py")
    (root / "app.py").write_text("# By hand.\n" + APP)
    assert mcp(box, "insert_lines", path="app.py", insert_line="2", insert_text="    # two\n")["isError"] is False
    other = Toolbox(root)
    assert mcp(other, "insert_lines", path="app.py", insert_line="1:00", insert_text="no\n")["isError"] is True
    assert mcp(other, "insert_lines", path="app.py", insert_line="2", insert_text="no\n")["isError"] is True
    assert mcp(other, "insert_lines", path="app.py", insert_line="0", insert_text="# First.\n")["isError"] is False
    assert (root / "app.py").read_text() == "# First.\n# By hand.\n" + APP.replace("1\n", "1\n    # two\n", 1)


def test_call_that_lacks_an_argument_is_told_all_of_them(root: Path) -> None:
    answered = mcp(Toolbox(root), "insert_lines", path="app.py", line=1, text="# First.\n")
    assert answered["isError"] is True
    text = answered["content"][0]["text"]
    assert text.endswith("The arguments of `insert_lines` are: path, insert_line, insert_text")
    assert "Nearest to it" not in text


def test_a_preview_writes_nothing(root: Path) -> None:
    """A preview gives the diff; so much, and no more."""
    box = Toolbox(root)
    text = text_of(mcp(box, "preview", tool="write_file", arguments={"path": "new.py", "content": "x = 1\n"}))
    assert "+x = 1" in text
    assert "new.py: edit 1 fits" in text
    assert not (root / "new.py").exists()
    assert mcp(box, "preview", tool="undo", arguments={})["isError"] is True


def test_undo_redo_and_history(root: Path) -> None:
    """Each change is an operation, which can be taken back byte for byte and made again."""
    box = Toolbox(root)
    operation = data_of(box, "edit_file", **EDIT)["operation"]
    assert text_of(mcp(box, "history")).startswith(operation)
    assert "app.py" in text_of(mcp(box, "undo", operation=operation))
    assert (root / "app.py").read_text() == APP
    mcp(box, "redo")
    assert "return 10" in (root / "app.py").read_text()
    assert mcp(box, "redo")["isError"] is True
    assert len(data_of(box, "history", limit=2)["operations"]) == 2


def test_any_format_is_applied(root: Path) -> None:
    """`apply_edits` takes a text with edits in any format, all or none."""
    text = "app.py\n<<<<<<< SEARCH\n    return 2\n=======\n    return 20\n>>>>>>> REPLACE\n"
    assert mcp(Toolbox(root), "apply_edits", text=text)["isError"] is False
    assert "return 20" in (root / "app.py").read_text()
    assert mcp(Toolbox(root), "apply_edits", text="No edit here.")["isError"] is True


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("read_file", {"path": "../secret"}, "`..`"),
        ("read_file", {"path": "/etc/passwd"}, "/etc/passwd"),
        ("read_file", {"path": "none.py"}, "no file"),
        ("read_file", {"path": ".git/config"}, ".git"),
        ("read_file", {"path": "app.py", "first_line": 0}, "first_line"),
        ("read_file", {"path": 3}, "`path`"),
        ("read_file", {"path": "app.py", "lines": 3}, "no argument 'lines'"),
        ("write_file", {"path": "../out.py", "content": "x"}, "out.py"),
        ("undo", {}, "undo"),
    ],
)
def test_what_cannot_be_done_is_an_answer(root: Path, name: str, arguments: dict[str, Any], says: str) -> None:
    """Nothing is raised at the agent, and nothing outside of the root is read or written."""
    result = mcp(Toolbox(root), name, **arguments)
    assert result["isError"] is True
    assert says in text_of(result)
    assert not (root.parent / "out.py").exists()


def test_arguments_that_are_no_json_are_an_answer(root: Path) -> None:
    """A call cut off inside its arguments is answered, not raised."""
    call = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "ap'}}
    assert "no JSON" in answer(call, root)["content"]


@pytest.mark.parametrize("call", ["[]", 3, {}, {"name": ""}, {"type": "text", "text": "hello"}, b"x"])
def test_what_is_no_call_is_refused(root: Path, call: object) -> None:
    """The caller's own mistake is raised."""
    with pytest.raises(UsageError):
        answer(call, root)


def test_tools_that_are_not_offered_are_refused(root: Path) -> None:
    """An agent that only reads cannot write, by whatever name."""
    box = Toolbox(root, tools=["read_file", "preview"])
    for name in ("edit_file", "Edit", "undo"):
        assert mcp(box, name, **EDIT)["isError"] is True
    assert (root / "app.py").read_text() == APP
    with pytest.raises(UsageError, match="no tool 'reed_file'"):
        Toolbox(root, tools=["reed_file"])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_definitions_are_whole(provider: str) -> None:
    """Each tool is there, with a schema that is one."""
    tools = definitions(provider)
    assert len(tools) == len(TOOLS)
    for tool in tools:
        inner = tool.get("function", tool)
        schema = next(
            inner[key] for key in ("parameters", "input_schema", "parametersJsonSchema", "inputSchema") if key in inner
        )
        jsonschema.Draft202012Validator.check_schema(schema)
        assert inner["description"] and set(schema["required"]) <= set(schema["properties"])
    assert [tool["name"] for tool in definitions("anthropic", ["undo", "redo"])] == ["undo", "redo"]


def test_the_definitions_for_mcp_are_short() -> None:
    """A model pays for them in each request."""
    tools = definitions("mcp", BASIC)
    assert len(json.dumps(tools)) < 3_400
    assert not any("outputSchema" in tool or "structuredContent" in tool for tool in tools)
    hints = {tool["name"]: tool["annotations"] for tool in tools}
    assert hints["read_file"] == {"title": "Read a file", "openWorldHint": False, "readOnlyHint": True}


def test_unknown_providers_and_tools_are_named() -> None:
    """The hint lists what there is."""
    with pytest.raises(UsageError, match="no provider 'azure'") as raised:
        definitions("azure")
    assert "openai" in str(raised.value.hint)


WRITTEN = {
    "exact": ("    return 1\n", "    return 10\n", "app.py: edit 1 is written, line 2 (exact).\nOperation ID."),
    "part of a line": ("return 2", "return 20", "app.py: edit 1 is written, line 6 (exact).\nOperation ID."),
    "other indentation": (
        "def second():\n  return 2\n",
        "def second():\n  x = 2\n  return x\n",
        "app.py: edit 1 is written, lines 5 to 7 (indentation).\n6|    x = 2\n7|    return x\nOperation ID.",
    ),
    "a new syntax error": (
        "    return 1\n",
        "    return (1\n",
        "app.py: edit 1 is written, line 2 (exact).\n  Line 2 no longer parses after this edit.\nOperation ID.",
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_was_written_is_told_in_few_words(root: Path, name: str) -> None:
    """The tier, the lines that are others than those sent, new syntax errors; nothing that the model knows."""
    old, new, wanted = WRITTEN[name]
    box = Toolbox(root)
    text = text_of(mcp(box, "edit_file", path="app.py", old_string=old, new_string=new))
    assert text == wanted.replace("ID", data_of(box, "history")["operations"][0]["id"])


def test_importing_loads_no_sdk() -> None:
    """The tools cost nothing but Dovetail itself."""
    code = "import sys, dovetail.tools; print(sorted({'mcp', 'openai', 'anthropic', 'pydantic'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_asynchronous_programs_apply_in_a_thread(root: Path) -> None:
    """The same results; cancelled before it writes, nothing is written."""
    reply = "app.py\n```\n<<<<<<< SEARCH\n    return 2\n=======\n    return 20\n>>>>>>> REPLACE\n```\n"

    async def run() -> None:
        assert (await dovetail.make_plan_async(reply, {"app.py": APP})).files_modified == ("app.py",)
        loop, busy = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(ThreadPoolExecutor(1))
        loop.run_in_executor(None, busy.wait)  # the one thread is taken until the task was cancelled
        task = asyncio.create_task(dovetail.apply_async(reply, root))
        await asyncio.sleep(0)
        task.cancel()
        loop.call_soon(busy.set)
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (root / "app.py").read_text() == APP
        assert (await dovetail.apply_async(reply, root)).ok

    asyncio.run(run())
    assert "return 20" in (root / "app.py").read_text()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_command_prints_the_definitions(provider: str) -> None:
    """For programs in other languages."""
    command = [sys.executable, "-m", "dovetail", "tools", "--for", provider, "undo"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == definitions(provider, ["undo"])


def _nested(levels: int) -> dict[str, object]:
    value: dict[str, object] = {}
    for _ in range(levels):
        value = {"edits": value}
    return value


@pytest.mark.parametrize(
    "arguments",
    ["[" * 100_000, '{"path": ' + "9" * 5_000 + "}", {"path": "app.py", "first_line": 10**5_000}, _nested(5_000)],
    ids=["text that is nested without end", "text with a huge number", "a huge number", "nested without end"],
)
@pytest.mark.parametrize("name", ["read_file", "edit_file"])
def test_arguments_that_no_json_holds_are_answered(root: Path, name: str, arguments: object) -> None:
    call = {"id": "c", "type": "function", "function": {"name": name, "arguments": arguments}}
    answered = dovetail.tools.answer(call, root)
    assert (answered["role"], answered["tool_call_id"]) == ("tool", "c")
    assert answered["content"]
    assert (root / "app.py").read_text() == APP


HELD = [
    ".envrc",
    ".mcp.json",
    ".claude/settings.local.json",
    ".claude/hooks/stop.sh",
    ".vscode/tasks.json",
    ".husky/pre-push",
    "app/.pre-commit-config.yaml",
    "tools/hooks/pre-commit",
]
ORDINARY = [".claude/plans/next.md", ".claude/skills/review/SKILL.md", ".github/workflows/ci.yml", "Makefile", "envrc"]  # fmt: skip


@pytest.mark.parametrize("path", [*HELD, *ORDINARY])
def test_what_other_programs_run_unasked_waits_for_a_person(root: Path, path: str) -> None:
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run(["git", "-C", root, "config", "core.hooksPath", "tools/hooks"], check=True)
    text = text_of(mcp(Toolbox(root), "write_file", path=path, content="x\n"))
    assert (root / path).exists() == (path in ORDINARY)
    assert ("so a person has to allow the edit" in text) == (path in HELD)
    mcp(Toolbox(root, allow_runs=True), "write_file", path=path, content="x\n")
    assert (root / path).read_text() == "x\n"
