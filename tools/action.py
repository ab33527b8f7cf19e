"""The GitHub Action's one step: applies the reply of the environment, and writes the receipt as the check's summary.

Reads REPLY or REPLY_FILE, DRY_RUN, ON_FAILURE; writes GITHUB_STEP_SUMMARY and GITHUB_OUTPUT. The exit status is that of
`dovetail apply`.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Apply, report, and return the exit status."""
    reply, dry = os.environ.get("REPLY", ""), os.environ.get("DRY_RUN", "") == "true"
    source = "-" if reply else os.environ.get("REPLY_FILE", "")
    if not source:
        print("::error::Give `reply` or `file`.")
        return 2
    command = [sys.executable, "-m", "dovetail", "apply", source, "--json", "--dry-run" if dry else "--yes"]
    command += ["--on-failure", os.environ.get("ON_FAILURE") or "all"]
    done = subprocess.run(command, input=reply, stdout=subprocess.PIPE, encoding="utf-8", check=False)
    record: dict[str, Any] = json.loads(done.stdout or "{}")
    _append("GITHUB_STEP_SUMMARY", summary(record))
    end = secrets.token_hex(8)  # what no reply can hold
    _append("GITHUB_OUTPUT", f"operation={record.get('operation') or ''}\nresult<<{end}\n{done.stdout}\n{end}\n")
    return done.returncode


def summary(record: dict[str, Any]) -> str:
    """The receipt as Markdown: a row for each edit, and what failed with its reason."""
    if "error" in record or not record:
        return f"**Not applied:** {_cell(record.get('error', {}).get('message', 'no answer'))}\n"
    rows = ["| edit | file | lines | state |", "| --- | --- | --- | --- |"]
    for result in record["results"]:
        state = result["status"].replace("-", " ")
        lines = f"{result['new_start']}–{result['new_end']}" if result["new_start"] else ""
        reason = f": {result['reason']}" if result["status"] in ("failed", "left-out") and result["reason"] else ""
        rows.append(f"| {result['n']} | {_cell(result['path'] or '')} | {lines} | {_cell(state + reason)} |")
    return "\n".join([*rows, ""])


def _cell(text: str) -> str:
    """A text that stays inside a cell of a table and is no markup."""
    return "".join("\\" + sign if sign in "\\`*_{}[]<>#|!" else sign for sign in text).replace("\n", " ")


def _append(variable: str, text: str) -> None:
    if path := os.environ.get(variable):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    raise SystemExit(main())
