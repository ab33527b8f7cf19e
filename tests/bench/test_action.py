"""The step of the GitHub Action, run as GitHub runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPLY = "app.py\n```\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n```\n"


def step(folder: Path, **given: str) -> tuple[int, str, str]:
    summary, output = folder.parent / "summary.md", folder.parent / "output.txt"
    for file in (summary, output):
        file.unlink(missing_ok=True)
    environment = {**os.environ, **given, "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}
    command = [sys.executable, str(ROOT / "tools" / "action.py")]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return (
        done.returncode,
        summary.read_text() if summary.exists() else "",
        output.read_text() if output.exists() else "",
    )


def test_a_reply_is_applied_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "app.py").write_text("a = 1\n")
    status, summary, output = step(folder, REPLY=REPLY, DRY_RUN="true")
    assert (status, (folder / "app.py").read_text()) == (0, "a = 1\n")
    assert "| 1 | app.py | 1–1 | fits |" in summary and output.startswith("operation=\n")
    status, summary, output = step(folder, REPLY=REPLY)
    assert (status, (folder / "app.py").read_text()) == (0, "a = 2\n")
    assert "written" in summary and "result<<" in output
    (tmp_path / "reply.md").write_text(REPLY.replace("a = 1", "a = 7 | <b>"))
    status, summary, _ = step(folder, REPLY_FILE=str(tmp_path / "reply.md"))
    assert status == 1 and "failed" in summary
    assert step(folder)[0] == 2
