"""What Windows has differently: no POSIX calls, files that somebody holds for a moment, paths with drives."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import dovetail
from dovetail.workspace.directory import Directory

EDIT = "note.md\n```\n<<<<<<< SEARCH\none\n=======\nuno\n>>>>>>> REPLACE\n```\n"
NEW = "sub\\new.txt\n```\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n```\n"
NOBODY = 65534


def test_the_commands_need_no_posix_calls(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    note = root / "note.md"
    note.write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "reply.md").write_text(EDIT + NEW)

    def run(*words: str) -> str:
        command = [sys.executable, str(Path(__file__).parent / "like_windows.py"), *words]
        done = subprocess.run([*command, "-C", str(root), "--root", "."], capture_output=True, text=True, timeout=180)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "2 edits: 2 written." in run("apply", str(tmp_path / "reply.md"), "--yes")
    assert (note.read_bytes(), (root / "sub" / "new.txt").read_text()) == (b"uno\r\ntwo\r\n", "new\n")
    assert "2 files" in run("log")
    run("undo")
    assert (note.read_bytes(), (root / "sub").exists()) == (b"one\r\ntwo\r\n", False)
    run("redo")
    run("undo", "--edit", "1")
    assert (note.read_bytes(), (root / "sub" / "new.txt").read_text()) == (b"one\r\ntwo\r\n", "new\n")
    assert sorted(path.name for path in root.iterdir()) == [".dovetail", "note.md", "sub"]


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Path]:
    """A folder in which the system refuses to replace and to remove names, for a user who is not root."""
    if os.name == "nt":
        pytest.skip("folders have no such rights there")
    folder = tmp_path / "held"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / name).write_text(name)
    for above in tmp_path.parents[:3]:  # pytest's own, else closed to anybody else
        above.chmod(above.stat().st_mode | 0o011)
    tmp_path.chmod(0o755)
    user = os.geteuid()
    if user == 0:
        for path in (folder, *folder.iterdir()):
            os.chown(path, NOBODY, -1)
    folder.chmod(0o500)
    if user == 0:
        os.seteuid(NOBODY)
    yield folder
    os.seteuid(user)


def test_a_file_that_is_held_for_a_moment_is_replaced_when_it_is_free(held: Path) -> None:
    with Directory.open(str(held), descriptors=False) as folder:
        threading.Timer(0.1, held.chmod, [0o700]).start()
        folder.replace("a", "b")
        assert [(path.name, path.read_text()) for path in held.iterdir()] == [("b", "a")]
        folder.unlink("b")


def test_a_file_that_stays_held_is_an_error(held: Path) -> None:
    with Directory.open(str(held), descriptors=False) as folder, pytest.raises(PermissionError):
        folder.unlink("a")
    assert (held / "a").exists()


@pytest.mark.parametrize(
    ("named", "root", "path"),
    [
        (r"C:\code\shop\src\new.py", r"C:\code\shop", "src/new.py"),
        ("c:/Code/shop/src/new.py", r"C:\code\shop", "src/new.py"),
        (r"C:\code\shopping\new.py", r"C:\code\shop", "C:/code/shopping/new.py"),
        (r"D:\code\shop\new.py", r"C:\code\shop", "D:/code/shop/new.py"),
        ("/Code/shop/new.py", "/code/shop", "/Code/shop/new.py"),
    ],
)
def test_a_drive_and_what_is_below_it_are_the_same_in_any_case(named: str, root: str, path: str) -> None:
    reply = f"{named}\n```python\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```\n"
    (block,) = dovetail.parse(reply).relative_to(root).blocks
    assert block.path == path
