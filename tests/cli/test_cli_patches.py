"""The patches in the JSON: git makes of a folder what Dovetail makes of it, and back again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cli_shell import dovetail

BOM = b"\xef\xbb\xbf"
FILES = {
    "marked.txt": BOM + b"one\r\ntwo\r\n",
    "marked-below.txt": BOM + b"".join(b"%d\n" % n for n in range(20)),
    "moving.txt": BOM + b"old name\n",
    "moving too.txt": BOM + b"".join(b"%d\n" % n for n in range(20)),
    "staying/empty": b"",
    "going-empty": b"",
    "going.txt": BOM + b"going\n",
    "mac.txt": b"a\rb\rc\r",
}
REPLY = """\
*** Begin Patch
*** Update File: marked.txt
@@
-one
+1
*** Update File: marked-below.txt
@@
-15
+fifteen
*** Update File: moving.txt
*** Move to: moved/here.txt
@@
-old name
+new name
*** Update File: moving too.txt
*** Move to: moved too.txt
*** Update File: staying/empty
*** Move to: moved/empty
*** Delete File: going-empty
*** Delete File: going.txt
*** Add File: made/empty
*** Add File: made.txt
+made
*** Update File: mac.txt
@@
-b
+B
*** End Patch
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (tmp_path / "reply.md").write_text(REPLY)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".dovetail" not in path.parts
    }


def changes(folder: Path, *words: str) -> list[str]:
    done = dovetail(folder, *words, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return [change["diff"] for change in json.loads(done.stdout)["changes"]]


def applied(folder: Path, before: dict[str, bytes], patches: list[str]) -> dict[str, bytes]:
    """What git makes of some files by patches, in a folder of its own."""
    folder.mkdir()
    for name, data in before.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    command = ("git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-")
    for made in patches:
        done = subprocess.run(command, cwd=folder, input=made.encode(), capture_output=True, check=False)
        assert done.returncode == 0, made + done.stderr.decode()
    return files(folder)


def test_git_makes_what_dovetail_makes(folder: Path) -> None:
    foretold = changes(folder, "apply", "../reply.md", "--dry-run")
    assert files(folder) == FILES
    assert changes(folder, "apply", "../reply.md", "--yes") == foretold
    after = files(folder)
    assert after["marked.txt"] == BOM + b"1\r\ntwo\r\n"
    assert after["moved/here.txt"] == BOM + b"new name\n"
    assert (after["made/empty"], after["moved/empty"]) == (b"", b"")
    assert applied(folder.parent / "each", FILES, foretold) == after
    assert applied(folder.parent / "together", FILES, ["".join(foretold)]) == after
    assert changes(folder, "show") == foretold

    back = changes(folder, "undo", "--dry-run")
    assert applied(folder.parent / "back", after, back) == FILES
    assert changes(folder, "undo") == back
    assert files(folder) == FILES
    assert sorted(changes(folder, "redo")) == sorted(foretold)


@pytest.mark.parametrize("words", [["undo"], ["undo", "--edit", "1"]])
def test_an_undo_of_a_file_edited_since(folder: Path, words: list[str]) -> None:
    assert dovetail(folder, "apply", "../reply.md", "--yes").returncode == 0
    (folder / "marked.txt").write_bytes(BOM + b"1\r\ntwo\r\nmine\r\n")
    before = files(folder)
    foretold = changes(folder, *words, "--dry-run")
    assert changes(folder, *words) == foretold
    after = files(folder)
    assert after["marked.txt"] == BOM + b"one\r\ntwo\r\nmine\r\n"
    assert applied(folder.parent / "back", before, foretold) == after


def test_people_are_shown_no_mark(folder: Path) -> None:
    shown = dovetail(folder, "apply", "../reply.md", "--dry-run").stdout
    assert "  -one\n  +1\n" in shown
    assert "\ufeff" not in shown
    assert "diff --git" not in shown
