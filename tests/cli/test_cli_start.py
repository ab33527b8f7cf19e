"""What a small reply costs beyond its work: modules that a run has no use for stay on the disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cli_shell import environment

REPLY = "a.txt\n```\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n```\n"
# Each costs milliseconds, and comes back unseen with one import at the top of some module.
UNUSED = frozenset(
    [
        "asyncio",
        "datetime",
        "filelock",
        "http",
        "shutil",
        "socket",
        "ssl",
        "subprocess",
        "tarfile",
        "tempfile",
        "zipfile",
        "dovetail.cli.questions",
        "dovetail.context",
        "dovetail.formats.rendering",
        "dovetail.llm",
        "dovetail.session.apply.correction",
        "dovetail.shell.run",
        "dovetail.web",
    ]
)


def loaded(folder: Path, *words: str) -> set[str]:
    """The modules that a command has imported when it ends."""
    code = "import sys; from dovetail.cli import main; main(sys.argv[1:]); print('loaded', *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return set(done.stdout.splitlines()[-1].split())


def brought_by_argparse() -> set[str]:
    """What the parser of the standard library imports to colour its help, since Python 3.14 even where it shows none."""
    code = "import sys, argparse; argparse.ArgumentParser(); print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_the_version_imports_no_room(tmp_path: Path) -> None:
    assert {name for name in loaded(tmp_path, "--version") if name.startswith("dovetail.")} == {"dovetail.cli"}


def test_a_small_reply_imports_what_it_needs(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "reply.md").write_text(REPLY)
    assert UNUSED & loaded(tmp_path, "apply", "reply.md", "--yes") <= brought_by_argparse()
    assert (tmp_path / "a.txt").read_text() == "two\n"
