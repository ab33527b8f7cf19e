"""Prints ten typical failures as a person and a model see them: `python tools/failures.py [NAME…]`.

Each is a reply and the files that it is applied to, in a folder of its own, with the real command.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import dovetail
from dovetail.cli.plan_view import draw_plan
from dovetail.cli.screen import Screen

FARES = """\
def fare(age):
    if age < 6:
        return 0
    return 4


def label(age):
    if age < 6:
        return 'free'
    return 'full'
"""


FARE = FARES.partition("\n\n")[0] + "\n"


def block(path: str, search: str, replace: str) -> str:
    """One edit in the format `diff`."""
    return f"{path}\n```python\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"


@dataclass(frozen=True)
class Case:
    """A reply, the files under it, and further options of `dovetail apply`."""

    reply: str
    files: Mapping[str, bytes] = field(default_factory=lambda: {"fares.py": FARES.encode()})
    options: tuple[str, ...] = ()
    seen: Mapping[str, str] | None = None


GOOD = block("fares.py", "    return 4\n", "    return 5\n")
MISNAMED = block("fares.py", "def fare(years):\n    if years < 6:\n", "def fare(years):\n    if years < 7:\n")
MISCOUNTED = block("fares.py", FARE.replace("6", "8"), FARE.replace("6", "9"))
LISTING = "In fares.py, add this as well:\n\n```python\nCHILD = fare(6)\n```\n"
UMLAUT = block("fares.py", "# f\u00fcr alle\n", "# f\u00fcr uns\n")

CASES = {
    "no match": Case(GOOD + MISNAMED),
    "conflict": Case(MISCOUNTED),
    "ambiguous": Case(block("fares.py", "    if age < 6:\n", "    if age < 7:\n")),
    "unread": Case(LISTING),
    "stale": Case(
        block("fares.py", "    return 3\n", "    return 5\n"), seen={"fares.py": FARES.replace("return 4", "return 3")}
    ),
    "outside root": Case(block("../fares.py", "    return 4\n", "    return 5\n")),
    "binary": Case(block("logo.png", "red\n", "blue\n"), {"logo.png": b"\x89PNG\r\n\x1a\n\0\0red\n"}),
    "encoding": Case(UMLAUT, {"fares.py": b"# f\xfcr alle\nFARE = 4\n"}),
    "syntax error": Case(block("fares.py", "def fare(age):\n", "def fare(age:\n"), options=("--refuse-new-errors",)),
    "cut off": Case(GOOD + "fares.py\n```python\n<<<<<<< SEARCH\n    return 'full'\n=======\n    return 'fu"),
}


def shown(case: Case) -> str:
    """What the terminal shows, and behind it the message to the model."""
    if case.seen is not None:
        return shown_from_library(case, case.seen)
    with tempfile.TemporaryDirectory(prefix="dovetail-failure-") as folder:
        for path, data in case.files.items():
            (Path(folder) / path).write_bytes(data)
        command = [sys.executable, "-m", "dovetail", "apply", "-", "--root", ".", *case.options]
        environment = {**os.environ, "NO_COLOR": "1", "XDG_STATE_HOME": folder}

        def run(*options: str) -> str:
            data = case.reply.encode()
            done = subprocess.run(
                [*command, *options], cwd=folder, env=environment, input=data, capture_output=True, check=False
            )
            return (done.stdout if "--retry" in options else done.stdout + done.stderr).decode()

        message = run("--dry-run", "--retry", "-")
        return f"{run('--yes')}--- to the model\n{message}"


def shown_from_library(case: Case, seen: Mapping[str, str]) -> str:
    """The same for a reply whose model saw other texts, which only a conversation or a program knows."""
    files = {path: data.decode() for path, data in case.files.items()}
    planned = dovetail.make_plan(case.reply, files, seen=seen)
    out = io.StringIO()
    draw_plan(Screen(out, colour=False), planned)
    message = dovetail.retry_message(planned.results, written=False, files=files)
    return f"{out.getvalue()}--- to the model\n{message}"


def main() -> int:
    """Print the cases that were named, or all."""
    for name in sys.argv[1:] or CASES:
        print(f"{'=' * 20} {name}\n{shown(CASES[name])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
