"""Git's merges through the driver, in real repositories, and the conflicts that git left."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest
from cli_shell import dovetail

from dovetail.cli.git_merge import merge_driver_command
from dovetail.cli.output import Exit
from dovetail.session.apply import git_merge
from dovetail.session.apply.git_merge import conflicts_of, install, merge_for_git, remove

BASE = "def f(a, b):\n    return a + b\n\n\ndef g():\n    return 1\n"
DRIVER = f"{sys.executable} -m dovetail"


def git(root: Path, *words: str, fails: bool = False) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e@example.com", *words],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert fails or done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def diverged(root: Path, base: str, ours: str, theirs: str, path: str = "a.py") -> None:
    git(root, "init", "-q", "-b", "main")
    for text, branch in ((base, None), (theirs, "other"), (ours, "main")):
        if branch is not None:
            git(root, "checkout", "-q", *(["-b"] if branch == "other" else []), branch)
        (root / path).write_text(text)
        git(root, "add", ".")
        git(root, "commit", "-q", "-m", branch or "base")


def test_git_merges_words_of_one_line_once_installed(tmp_path: Path) -> None:
    diverged(tmp_path, BASE, BASE.replace("f(a, b)", "h(a, b)"), BASE.replace("b):", "b=2):"))
    git(tmp_path, "merge", "-q", "other", "-m", "m", fails=True)
    assert "<<<<<<<" in (tmp_path / "a.py").read_text()
    git(tmp_path, "merge", "--abort")
    install(tmp_path, DRIVER)
    git(tmp_path, "merge", "-q", "other", "-m", "m")
    assert (tmp_path / "a.py").read_text() == BASE.replace("f(a, b)", "h(a, b=2)")


def test_what_was_installed_is_taken_back(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    attributes = tmp_path / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_text("*.bin binary\n")
    install(tmp_path, DRIVER)
    install(tmp_path, DRIVER)
    assert attributes.read_text() == "* merge=dovetail\n*.bin binary\n"
    assert remove(tmp_path)
    assert attributes.read_text() == "*.bin binary\n"
    assert not remove(tmp_path)


def test_lines_that_touch_conflict_unless_asked() -> None:
    sides = ("a = 1\nb = 2\n", "a = 3\nb = 2\n", "a = 1\nb = 4\n")
    assert merge_for_git("x.py", *sides).conflicts == 1
    assert merge_for_git("x.py", *sides, adjacent=True) == ("a = 3\nb = 4\n", 0, None)


def test_the_same_word_stands_between_markers() -> None:
    answer = merge_for_git("x.txt", "one two\r\n", "one 2\r\n", "one zwei\r\n")
    assert answer.text == "<<<<<<< ours\r\none 2\r\n=======\r\none zwei\r\n>>>>>>> theirs\r\n"
    assert answer.conflicts == 1


def test_a_merge_that_defines_a_name_twice_is_a_conflict() -> None:
    new = "\n\ndef new():\n    return 2\n"
    answer = merge_for_git("x.py", BASE, BASE.replace("\n\n\ndef g", new + "\n\ndef g"), BASE + new)
    assert answer.conflicts == 1
    assert answer.why == "`new` would be defined twice"
    assert "=======" in answer.text


@pytest.mark.parametrize("path", ["package-lock.json", "a/uv.lock", "go.sum", "app.min.js", "x_pb2.py"])
def test_files_that_programs_make_are_left_to_git(path: str) -> None:
    assert git_merge.is_left_to_git(path)


def test_files_that_people_write_are_merged() -> None:
    assert not any(map(git_merge.is_left_to_git, ("block.py", "lock.json", "clock.yaml", "README.md")))


def test_binary_files_are_left_to_git(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    install(tmp_path, DRIVER)
    for data, branch in ((b"\0one", None), (b"\0two", "other"), (b"\0three", "main")):
        if branch is not None:
            git(tmp_path, "checkout", "-q", *(["-b"] if branch == "other" else []), branch)
        (tmp_path / "x.bin").write_bytes(data)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", "x")
    git(tmp_path, "merge", "-q", "other", "-m", "m", fails=True)
    assert (tmp_path / "x.bin").read_bytes() == b"\0three"
    assert git(tmp_path, "diff", "--name-only", "--diff-filter=U").split() == ["x.bin"]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "status", "kept"),
    [
        (b"\0one", b"\0one", b"\0two", Exit.OK, b"\0two"),
        (b"\0one", b"\0two", b"\0one", Exit.OK, b"\0two"),
        (b"\0one", b"\0two", b"\0two", Exit.OK, b"\0two"),
        (b"\0one", b"\0two", b"\0three", Exit.REFUSED, b"\0two"),
        (b"\0one", b"two", b"three", Exit.REFUSED, b"two"),
        (b"\xe9", b"\xe9", b"\xe8", Exit.OK, b"\xe8"),
    ],
)
def test_the_only_side_that_changed_a_binary_file_is_taken(
    tmp_path: Path, base: bytes, ours: bytes, theirs: bytes, status: Exit, kept: bytes
) -> None:
    sides = {"base": base, "ours": ours, "theirs": theirs}
    for name, data in sides.items():
        (tmp_path / name).write_bytes(data)
    named = {name: str(tmp_path / name) for name in sides}
    asked = argparse.Namespace(act=None, path="x.bin", adjacent=False, marker_size=7, **named)
    assert merge_driver_command(asked) is status
    assert (tmp_path / "ours").read_bytes() == kept


def test_conflicts_that_git_left_are_merged_by_tokens(tmp_path: Path) -> None:
    diverged(tmp_path, BASE, BASE.replace("f(a, b)", "h(a, b)"), BASE.replace("b):", "b=2):"))
    git(tmp_path, "merge", "-q", "other", "-m", "m", fails=True)
    (conflict,) = conflicts_of(tmp_path, "a.py", (tmp_path / "a.py").read_text())
    assert (conflict.base, conflict.merged) == ("def f(a, b):\n", "def h(a, b=2):\n")
    asked = dovetail(tmp_path, "resolve")
    assert asked.returncode == 2
    assert "<<<<<<<" in (tmp_path / "a.py").read_text()
    done = dovetail(tmp_path, "resolve", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "a.py").read_text() == BASE.replace("f(a, b)", "h(a, b=2)")
    assert dovetail(tmp_path, "undo", "--yes").returncode == 0
    assert "<<<<<<<" in (tmp_path / "a.py").read_text()


HEADING = "Before\n=======\nold\nend\n"


@pytest.mark.parametrize("base", [None, "Before\n=======\nold\n"])
def test_an_underlined_heading_divides_no_sides(tmp_path: Path, base: str | None) -> None:
    ours, theirs = "Ours\n=======\ntwo\n", "Theirs\n=======\nthree\n"
    diverged(tmp_path, HEADING, f"{ours}end\n", f"{theirs}end\n", "a.md")
    git(tmp_path, "merge", "-q", "other", "-m", "m", fails=True)
    middle = "" if base is None else f"||||||| base\n{base}"
    left = f"<<<<<<< HEAD\n{ours}{middle}=======\n{theirs}>>>>>>> other\nend\n"
    (conflict,) = conflicts_of(tmp_path, "a.md", left)
    assert (conflict.ours, conflict.base, conflict.theirs) == (ours, base, theirs)


def test_a_conflict_whose_sides_are_not_known_is_left(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    left = "<<<<<<< HEAD\nOurs\n=======\ntwo\n=======\nTheirs\n=======\nthree\n>>>>>>> other\n"
    (tmp_path / "a.md").write_text(left)
    done = dovetail(tmp_path, "resolve", "a.md", "--yes")
    assert done.returncode == 1
    assert "several lines could be the one between its sides" in done.stdout
    assert (tmp_path / "a.md").read_text() == left


def test_a_conflict_of_one_word_is_left(tmp_path: Path) -> None:
    diverged(tmp_path, BASE, BASE.replace("+", "-"), BASE.replace("+", "*"))
    git(tmp_path, "merge", "-q", "other", "-m", "m", fails=True)
    before = (tmp_path / "a.py").read_text()
    done = dovetail(tmp_path, "resolve", "--yes")
    assert done.returncode == 1
    assert (tmp_path / "a.py").read_text() == before
