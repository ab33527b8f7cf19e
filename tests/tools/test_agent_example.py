"""The example agent, against a scripted server on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from provider_server import JSON, Answer, serving

ROOT = Path(__file__).parents[2]


def says(message: dict[str, Any]) -> Answer:
    return Answer([json.dumps({"choices": [{"message": message}]}).encode()], headers=dict(JSON))


def calls(number: int, name: str, arguments: dict[str, Any]) -> Answer:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    return says({"role": "assistant", "content": None, "tool_calls": [call]})


def test_the_agent_reads_edits_and_corrects_itself(tmp_path: Path) -> None:
    """A failed edit goes back with the file's text, and the next one lands."""
    (tmp_path / "hello.py").write_text('print("Hello")\n')
    script = [
        calls(1, "read_file", {"path": "hello.py"}),
        calls(2, "edit_file", {"path": "hello.py", "old_string": 'print("Good day to you")', "new_string": "pass"}),
        calls(3, "edit_file", {"path": "hello.py", "old_string": "Hello", "new_string": "Hallo"}),
        says({"role": "assistant", "content": "It greets in Dutch."}),
    ]
    with serving(*script) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "none"}
        command = [sys.executable, str(ROOT / "examples" / "agent.py"), "Greet in Dutch.", str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert (tmp_path / "hello.py").read_text() == 'print("Hallo")\n'
    assert done.stdout.splitlines()[-1] == "It greets in Dutch."
    last = server.seen[-1].body["messages"]
    assert isinstance(last, list)
    results = {message["tool_call_id"]: message["content"] for message in last if message["role"] == "tool"}
    assert results["call_1"].startswith('1:2f|print("Hello")')
    assert "could not be applied" in results["call_2"] and 'print("Hello")' in results["call_2"]
    assert "is written" in results["call_3"]
    offered = server.seen[0].body["tools"]
    assert isinstance(offered, list) and "edit_file" in {tool["function"]["name"] for tool in offered}
