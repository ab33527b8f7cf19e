"""The MCP server, asked by the command line of the protocol's own inspector, which is a client in another language.

`MCP_INSPECTOR` names its program, for example after
``npm install --prefix DIR @modelcontextprotocol/inspector-cli@0.15.0``: DIR/node_modules/.bin/mcp-inspector-cli.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dovetail.llm.tool_definitions import BASIC
from dovetail.tools import definitions

INSPECTOR = os.environ.get("MCP_INSPECTOR", "")
pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    pytest.mark.skipif(not Path(INSPECTOR).is_file(), reason="MCP_INSPECTOR names no inspector"),
]


def inspect(root: Path, *words: str) -> dict[str, Any]:
    """What the inspector prints of one request over standard input and output."""
    server = [sys.executable, "-m", "dovetail", "mcp"]
    done = subprocess.run(
        ["node", INSPECTOR, "--cli", *server, "--method", *words],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def call(root: Path, tool: str, **arguments: str) -> dict[str, Any]:
    words = [word for name, value in arguments.items() for word in ("--tool-arg", f"{name}={value}")]
    return inspect(root, "tools/call", "--tool-name", tool, *words)


def test_the_inspector_lists_every_tool_as_it_is_defined(tmp_path: Path) -> None:
    listed = {tool["name"]: tool for tool in inspect(tmp_path, "tools/list")["tools"]}
    assert list(listed) == list(BASIC)
    for defined in definitions("mcp", BASIC):
        shown = listed[defined["name"]]
        assert shown["inputSchema"]["properties"] == defined["inputSchema"]["properties"]
        assert shown["annotations"] == defined["annotations"]


def test_the_inspector_edits_reads_and_undoes(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("def first():\n    return 1\n")
    done = call(tmp_path, "edit_file", path="app.py", old_string="return 1", new_string="return 2")
    assert done["isError"] is False
    assert file.read_text() == "def first():\n    return 2\n"
    assert "|    return 2\n" in call(tmp_path, "read_file", path="app.py", first_line="2")["content"][0]["text"]
    failed = call(tmp_path, "edit_file", path="app.py", old_string="return 7", new_string="return 8")
    assert failed["isError"] is True
    assert failed["content"][0]["text"].startswith("Your edit could not be applied.")
    assert call(tmp_path, "undo")["isError"] is False
    assert file.read_text() == "def first():\n    return 1\n"
