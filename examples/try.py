# ruff: noqa: T201 - a script that talks to whoever runs it
"""Applies the reply beside this file to a copy of the small project beside it, and shows what happened.

The copy is in a temporary folder, so the clone stays clean; look at it, change it, undo the edits.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Copy the project, apply the reply, and print where the copy is."""
    copy = Path(tempfile.mkdtemp(prefix="tally-"))
    shutil.copytree(HERE / "project", copy, dirs_exist_ok=True)
    words = ["apply", str(HERE / "reply.md"), "-C", str(copy), "--root", ".", "--yes"]
    print("$ dovetail", *words, "\n", flush=True)
    status = subprocess.run([sys.executable, "-m", "dovetail", *words], check=False).returncode
    undo = shlex.join([sys.executable, "-m", "dovetail", "undo", "-C", str(copy), "--root", "."])
    print(f"\nThe copy is in {copy}. To take it all back: {undo}")
    return status


if __name__ == "__main__":
    sys.exit(main())
