"""The adapters inside the programs that they are for, each with that program's own package."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

APP = "def first():\n    return 1\n\n\ndef second():\n    return 1\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(APP)
    return tmp_path


def test_the_openai_agents_sdk_edits_by_patches(root: Path) -> None:
    """A model of the test's own asks for patches, and the SDK's runner has them carried out by Dovetail."""
    pytest.importorskip("agents.items")  # `agents` alone would be a folder of tests
    from agents.items import ModelResponse
    from agents.models.interface import Model
    from agents.usage import Usage
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    import agents
    from dovetail.adapters.openai_agents import DovetailEditor

    def asks(n: int, **operation: str) -> dict[str, Any]:
        return {
            "type": "apply_patch_call",
            "id": f"a{n}",
            "call_id": f"c{n}",
            "status": "completed",
            "operation": operation,
        }

    said = ResponseOutputText(type="output_text", text="Done.", annotations=[])
    done = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[said])
    script: list[Any] = [
        [asks(1, type="update_file", path="app.py", diff="@@ def second():\n-    return 1\n+    return 2\n")],
        [asks(2, type="update_file", path="app.py", diff="@@\n-    return 9\n+    return 3\n")],
        [asks(3, type="create_file", path="new.txt", diff="+new\n")],
        [done],
    ]
    heard: list[str] = []

    class Scripted(Model):
        async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
            heard.append(json.dumps(input, default=str))
            return ModelResponse(output=script.pop(0), usage=Usage(), response_id=None)

        def stream_response(self, *_: Any, **__: Any) -> Any:
            raise NotImplementedError

    tool = agents.ApplyPatchTool(editor=DovetailEditor(root))
    agent = agents.Agent(name="Editor", model=Scripted(), tools=[tool])
    agents.set_tracing_disabled(True)
    result = asyncio.run(agents.Runner.run(agent, "Return 2 from second."))
    assert result.final_output == "Done."
    assert (root / "app.py").read_text() == APP[:-2] + "2\n"
    assert (root / "new.txt").read_text() == "new\n"
    assert "failed" in heard[2] and "could not be applied" in heard[2]


def test_deepagents_edits_and_writes(root: Path) -> None:
    pytest.importorskip("deepagents")
    from dovetail.adapters.deep_agents import DovetailBackend

    backend = DovetailBackend(root)
    assert backend.edit("/app.py", "def first", "def one").occurrences == 1
    failed = backend.edit("/app.py", "return 1", "return 2")
    assert failed.error is not None
    assert "line 2" in failed.error and "line 6" in failed.error
    assert backend.edit("/app.py", "return 1", "return 2", replace_all=True).occurrences == 2
    assert backend.write("/pages/new.md", "new\n").error is None
    assert backend.write("/../out.md", "out\n").error is not None
    assert (root / "app.py").read_text() == APP.replace("first", "one").replace("return 1", "return 2")
    assert (root / "pages" / "new.md").read_text() == "new\n"
    assert not (root.parent / "out.md").exists()


def test_llm_lists_the_tools_and_applies_the_last_response(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("llm.migrations")
    environment = {**os.environ, "LLM_USER_PATH": str(tmp_path / "llm")}

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "llm", *words]
        return subprocess.run(
            command, cwd=root, env=environment, input=stdin, capture_output=True, text=True, check=False
        )

    tools = json.loads(run("tools", "list", "--json").stdout)
    names = [tool["name"] for box in tools["toolboxes"] if box["name"] == "Dovetail" for tool in box["tools"]]
    assert sorted(names) == [
        f"Dovetail_{name}" for name in ("apply_edits", "edit_file", "read_file", "undo", "write_file")
    ]

    import sqlite_utils
    from llm.migrations import migrate

    import llm
    from dovetail.adapters.llm_plugin import Dovetail

    box = Dovetail(str(root))
    assert "is written" in box.edit_file("app.py", "def first", "def one")
    assert box.read_file("app.py", 1, 1).startswith("1:")
    assert "app.py" in box.undo()

    class Scripted(llm.Model):
        model_id = "scripted"

        def execute(self, *_: Any, **__: Any) -> Any:
            yield "app.py\n```\n<<<<<<< SEARCH\ndef second():\n=======\ndef two():\n>>>>>>> REPLACE\n```\n"

    (tmp_path / "llm").mkdir(exist_ok=True)
    database = sqlite_utils.Database(tmp_path / "llm" / "logs.db")
    migrate(database)
    response = Scripted().prompt("Rename it.")
    response.text()
    response.log_to_db(database)
    applied = run("apply", "--yes")
    assert applied.returncode == 0, applied.stderr
    assert "def two" in (root / "app.py").read_text()
