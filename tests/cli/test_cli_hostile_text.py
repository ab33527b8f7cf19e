"""Names and texts that are made to mislead: no command obeys them, and none ends in a traceback."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from cli_shell import at_terminal, dovetail

UNSEEN = "\u202e\u200b\u2066\U000e0041"
STEERS = f"\x1b]0;title\x07\x1b[2J{UNSEEN}\x9b31m\r"
RAW = re.compile("[\u202e\u200b\u2066\U000e0041\x9b\x07]|\x1b(?!\\[[0-9;?]*[mKhl])")


def block(path: str, search: str, replacement: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}\n=======\n{replacement}\n>>>>>>> REPLACE\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text("a = 1\n")
    text = f"Here{STEERS}it is.\n\n" + block("a.py", "a = 1", f"a = '{UNSEEN}2'") + block(f"no{STEERS}.py", "x", "y")
    (root / "reply.md").write_bytes(text.encode())
    return root


def test_a_terminal_obeys_nothing_of_a_reply(folder: Path) -> None:
    """The diff, names, messages, the question, the log, and a reply that is shown as it came."""
    with at_terminal(folder, "apply", "reply.md", "--on-failure", "block") as person:
        person.wait_for("(Enter: none)")
        person.type("a")
        person.leave()
        seen = person.seen
    assert "a = 1" not in (folder / "a.py").read_text()
    for words in (["log"], ["show"], ["show", "--reply"], ["context", "a.py"], ["check", "reply.md"], ["undo"]):
        with at_terminal(folder, *words) as person:
            person.leave()
            seen += person.seen
    assert seen.count("<U+202E><U+200B><U+2066><U+E0041>") >= 6
    assert RAW.search(seen) is None


def test_a_pipe_gets_a_reply_byte_for_byte(folder: Path) -> None:
    dovetail(folder, "apply", "reply.md", "--on-failure", "block", "--yes")
    assert dovetail(folder, "show", "--reply").stdout.startswith(f"Here{STEERS}it is.\n")


NAMES = [
    "two\nlines.py", "nul\0.py", "\x1b[2J.py", "half\ud800.py", "a" * 5000 + ".py", "a/" * 3000 + "b.py", "..", "../up.py",
    "/etc/passwd", ".git/hooks/pre-commit", ".GIT/config", ".dovetail/log", "CON", "a.py:stream", "a.py.", "~/x.py", "-rf",
    "\u202etxt.py", "", " ", "C:\\x.py", "\\\\host\\share\\x", "a//b.py", "./a/../../b.py", "\ufeffa.py", "ﬁle.py",
]  # fmt: skip


def changes(path: str) -> dict[str, str]:
    """The same change as a model may ask for it."""
    call = {"name": "write_file", "input": {"path": path, "content": "x = 1\n"}}
    return {
        "call": json.dumps(call),
        "patch": f"*** Begin Patch\n*** Add File: {path}\n+x = 1\n*** End Patch\n",
        "search": block(path, "a = 1", "a = 2"),
        "diff": f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x = 1\n",
    }


@pytest.mark.parametrize("kind", ["call", "patch", "search", "diff"])
def test_no_name_leaves_the_root_or_ends_in_a_traceback(tmp_path: Path, kind: str) -> None:
    for n, name in enumerate(NAMES):
        outer = tmp_path / str(n)
        root = outer / "root"
        (root / ".git").mkdir(parents=True)
        (root / "a.py").write_text("a = 1\n")
        (outer / "reply.md").write_bytes(changes(name)[kind].encode("utf-8", "surrogatepass"))
        for words in (["check", "../reply.md"], ["apply", "../reply.md", "--yes", "--json"]):
            done = dovetail(root, "--root", ".", *words)
            assert done.returncode in (0, 1, 2, 3), (name, done.stderr)
            assert "Traceback" not in done.stderr, (name, done.stderr)
        assert sorted(path.name for path in outer.iterdir()) == ["reply.md", "root"], name
        assert list((root / ".git").iterdir()) == [], name


ARGUMENTS = [b"a\xff.py", b"two\nlines", b"\x1b[2J", b"a" * 300, b"a/" * 2100, b"", b"--", b"~"]


@pytest.mark.skipif(os.name == "nt", reason="arguments are bytes")
@pytest.mark.parametrize(
    "words",
    [["apply"], ["context"], ["show"], ["new", "--from"], ["apply", "reply.md", "--only"], ["-C"]],
    ids=" ".join,
)
def test_no_argument_ends_in_a_traceback(folder: Path, words: list[str]) -> None:
    for name in ARGUMENTS:
        done = dovetail(folder, *words, os.fsdecode(name), stdin="")
        assert done.returncode in (0, 1, 2, 3), (name, done.stderr)
        assert "Traceback" not in done.stderr, (name, done.stderr)
        assert "\x1b[2J" not in done.stdout + done.stderr, name
