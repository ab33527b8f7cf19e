# ruff: noqa: T201 - a script that talks to whoever runs it
"""Applies the reply beside this file to a copy of the small project beside it, and shows what happened.

The copy is in a temporary folder, so the clone stays clean; it is yours to look at, to change and to undo.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Copy, apply, say where."""
    copy = Path(tempfile.mkdtemp(prefix="tally-"))
    shutil.copytree(HERE / "project", copy, dirs_exist_ok=True)
    words = ["apply", str(HERE / "reply.md"), "-C", str(copy), "--root", ".", "--yes"]
    print("$ dovetail", *words, "\n", flush=True)
    status = subprocess.run([sys.executable, "-m", "dovetail", *words], check=False).returncode
    print(f"\nThe copy is in {copy}. To take it all back: python -m uv run dovetail undo -C {copy} --root .")
    return status


if __name__ == "__main__":
    sys.exit(main())
