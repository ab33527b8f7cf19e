"""The GitHub Action's steps, as action.yml has them, run as GitHub runs them: by bash, in a scratch repository.

Run with: python -m uv run --group package python -m pytest tests/packaging
"""

from __future__ import annotations

import os
import re
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="the group `package` is not installed")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the environments here are laid out as on POSIX")

ROOT = Path(__file__).parents[2]
HOSTILE = "a = '$(touch broken)`touch broken`' # \"; touch broken; ${{ inputs.file }}"
REPLY = f"app.py\n```\n<<<<<<< SEARCH\na = 1\n=======\n{HOSTILE}\n>>>>>>> REPLACE\n```\n"
EXPRESSION = re.compile(r"\$\{\{ (\w+)\.(?:(\w+)\.outputs\.)?([\w-]+) \}\}")


class Runner:
    """What a job has: a checked-out repository, a Python of its own, and the files that steps write to."""

    def __init__(self, folder: Path) -> None:
        self.action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
        self.steps = [step for step in self.action["runs"]["steps"] if "run" in step]
        self.repository, self.output, self.summary = folder / "repo", folder / "output.txt", folder / "summary.md"
        self.repository.mkdir()
        (self.repository / "app.py").write_text("a = 1\n")
        subprocess.run(["git", "init", "--quiet"], cwd=self.repository, check=True)
        venv.create(folder / "python", with_pip=True)
        self.path = f"{folder / 'python' / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(self, step: dict[str, Any], **inputs: str) -> int:
        """Run a step; returns its exit status."""
        known = {name: str(one.get("default", "")) for name, one in self.action["inputs"].items()} | inputs
        environment = {**os.environ, "PATH": self.path, "GITHUB_ACTION_PATH": str(ROOT)}
        environment |= {"GITHUB_OUTPUT": str(self.output), "GITHUB_STEP_SUMMARY": str(self.summary)}
        for name, value in step.get("env", {}).items():
            found = EXPRESSION.fullmatch(value)
            environment[name] = value if found is None else known[found[3]]
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(command, cwd=self.repository, env=environment, timeout=300, check=False).returncode


def test_the_steps_install_and_apply_a_reply_whatever_it_holds(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    install, apply = runner.steps
    assert all(step["shell"] == "bash" and "${{" not in step["run"] for step in runner.steps)
    assert runner.run(install) == 0
    assert runner.run(apply, **{"reply": REPLY, "dry-run": "true"}) == 0
    assert (runner.repository / "app.py").read_text() == "a = 1\n"
    assert runner.run(apply, reply=REPLY) == 0
    assert (runner.repository / "app.py").read_text() == f"{HOSTILE}\n"
    assert not (runner.repository / "broken").exists()
    assert "| 1 | app.py | 1–1 | written |" in runner.summary.read_text()
    for name, output in runner.action["outputs"].items():
        found = EXPRESSION.fullmatch(output["value"])
        assert found is not None and (found[1], found[2], found[3]) == ("steps", apply["id"], name)
        assert re.search(rf"^{name}(=|<<)", runner.output.read_text(), re.MULTILINE)
    assert runner.run(apply) == 2  # neither a reply nor a file
