"""The MCP server in agents as people install them: what the documentation says to type makes it known to each.

`DOVETAIL_AGENTS` names a folder that has each agent below its name, as ``npm install --prefix FOLDER/claude …`` leaves
it. No model is asked.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

AGENTS = Path(os.environ.get("DOVETAIL_AGENTS", "/nowhere"))
DOCUMENT = (Path(__file__).parents[2] / "docs/agents.md").read_text()


def documented(agent: str) -> str:
    """What the documentation tells the users of an agent to type or to write."""
    row = next(line for line in DOCUMENT.splitlines() if line.startswith(f"| {agent} |"))
    return re.findall("`([^`]*)`", row)[-1]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of its own, with `dovetail` in the path and a project."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "project").mkdir()
    starter = tmp_path / "bin/dovetail"
    starter.write_text(f'#!/bin/sh\nexec {sys.executable} -m dovetail "$@"\n')
    starter.chmod(0o755)
    return tmp_path


def run(home: Path, agent: str, *words: str) -> str:
    program = AGENTS / agent / "node_modules/.bin" / agent
    if not program.exists():
        pytest.skip(f"DOVETAIL_AGENTS has no {agent}")
    path = f"{home / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        [program, *words],
        cwd=home / "project",
        env={**os.environ, "HOME": str(home), "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("agent", "name", "wanted"),
    [
        ("claude", "Claude Code", "Connected"),
        ("codex", "Codex", "enabled"),  # it lists without starting the server
        ("gemini", "Gemini CLI", "dovetail"),
        ("qwen", "Qwen Code", "dovetail"),
    ],
)
def test_the_documented_command_makes_the_server_known(home: Path, agent: str, name: str, wanted: str) -> None:
    program, *words = shlex.split(documented(name))
    assert program == agent
    run(home, agent, *words)
    listed = run(home, agent, "mcp", "list")
    assert wanted in next(line for line in listed.splitlines() if "dovetail" in line)


def test_the_documented_settings_make_the_server_known_to_opencode(home: Path) -> None:
    settings = documented("opencode")
    assert json.loads(settings)
    (home / "project/opencode.json").write_text(settings)
    assert "connected" in next(line for line in run(home, "opencode", "mcp", "list").splitlines() if "dovetail" in line)
