"""Which paths are listed, with git and without."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from workspace_acts import commit_texts, git

from dovetail.model.errors import WorkspaceError
from dovetail.workspace import Workspace, find_root
from dovetail.workspace.snapshot import list_tree

FILES = [
    "a.py",
    "sub/b.py",
    "sub/debug.log",
    "sub/keep.log",
    "build/out.o",
    "sub/build/out.o",
    "node_modules/x/index.js",
    "deep/er/only.tmp",
    "deep/er/x.txt",
    "with space/é.md",
]
RULES = {
    ".gitignore": "# rules\n*.log\n/build/\nnode_modules/\n",
    "sub/.gitignore": "!keep.log\n",
    "deep/.gitignore": "er/*\n!er/x.txt\n",
}
LISTED = {
    ".gitignore",
    "a.py",
    "deep/.gitignore",
    "deep/er/x.txt",
    "sub/.gitignore",
    "sub/b.py",
    "sub/build/out.o",
    "sub/keep.log",
    "with space/é.md",
}


def fill(root: Path) -> None:
    for path in FILES:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")
    for path, rules in RULES.items():
        (root / path).write_text(rules)


@pytest.mark.parametrize("with_git", [True, False], ids=["git", "walk"])
def test_ignored_files_are_left_out(root: Path, with_git: bool) -> None:
    fill(root)
    if with_git:
        git(root, "init", "-q")
    assert list_tree(root) == LISTED
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a.py": "y"})
        assert ws.tree() == LISTED


def test_folders_that_programs_fill_are_passed_over_where_git_does_not_say(root: Path) -> None:
    for path in (
        "a.py",
        "node_modules/x/a.js",
        "env/pyvenv.cfg",
        "env/lib/a.py",
        "target/CACHEDIR.TAG",
        "target/a.rs",
        "b/__pycache__/a.pyc",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")
    assert list_tree(root) == {"a.py"}
    assert list_tree(root / "env") == {"pyvenv.cfg", "lib/a.py"}


def test_git_lists_what_is_tracked_and_there(root: Path) -> None:
    fill(root)
    git(root, "init", "-q")
    git(root, "add", "-f", "sub/debug.log", "a.py", "sub/b.py")
    git(root, "commit", "-qm", "x")
    (root / "a.py").unlink()
    (root / "new.py").write_text("n")
    assert list_tree(root) == LISTED - {"a.py"} | {"sub/debug.log", "new.py"}


def test_what_a_sparse_checkout_leaves_out_is_not_there(root: Path) -> None:
    git(root, "init", "-q")
    for path in ("in/a", "out/b", "out/c"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("x\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "x")
    git(root, "sparse-checkout", "set", "--no-cone", "/in/")
    (root / "out").mkdir(exist_ok=True)
    (root / "out/c").write_text("mine\n")
    assert list_tree(root) == {"in/a", "out/c"}


def test_a_root_below_the_top_of_a_work_tree(root: Path) -> None:
    fill(root)
    git(root, "init", "-q")
    assert list_tree(root / "sub") == {".gitignore", "b.py", "build/out.o", "keep.log"}


def test_links_are_listed_and_not_entered(root: Path) -> None:
    (root / "real").mkdir()
    (root / "real/f").write_text("x")
    (root / "folder").symlink_to("real")
    (root / "loop").symlink_to(".")
    assert list_tree(root) == {"folder", "loop", "real/f"}


def test_names_that_are_never_written_are_left_out(root: Path) -> None:
    for name in ("fine", "nul", "a:b", "x\ny", "back\\slash"):
        (root / name).write_text("x")
    (root / "sub/.git").mkdir(parents=True)
    (root / "sub/.git/config").write_text("x")
    Path(os.fsdecode(os.fsencode(root) + b"/latin-\xe9")).write_text("x")
    assert list_tree(root) == {"fine"}
    git(root, "init", "-q")
    assert list_tree(root) == {"fine"}


def test_the_list_is_bounded(root: Path) -> None:
    for n in range(50):
        (root / f"f{n}").write_text("")
    assert len(list_tree(root, most=10)) == 10


def test_a_tree_is_entered_to_a_bounded_depth(root: Path) -> None:
    here = Path.cwd()
    os.chdir(root)
    try:
        for _ in range(130):
            Path("d").mkdir()
            os.chdir("d")
        Path("f").write_text("x")
    finally:
        os.chdir(here)
    (root / "top").write_text("x")
    assert list_tree(root) == {"top"}


def test_rules_that_cannot_be_read_bar_nothing(root: Path) -> None:
    (root / ".gitignore").write_bytes(b"\xff\xfe\n[z-a]\n**/**/***x\n!\n*.log\n")
    (root / "f").write_text("x")
    (root / "f.log").write_text("x")
    assert list_tree(root) == {".gitignore", "f"}


@pytest.mark.parametrize("rule", ["*a" * 12 + "b", "[a-z]*" * 12 + "0", "**/a/" * 12 + "b", "*" * 60 + "b"])
def test_a_rule_that_takes_for_ever_is_passed_over(root: Path, rule: str) -> None:
    (root / ".gitignore").write_text(f"{rule}\n**/*.l*g\n")
    deep = root / "/".join(["a"] * 40)
    deep.mkdir(parents=True)
    (deep / ("a" * 200)).write_text("x")
    (deep / "f.log").write_text("x")
    assert list_tree(root) == {".gitignore", f"{'a/' * 40}{'a' * 200}"}


@pytest.mark.parametrize("how", ["pipe", "device", "sparse"])
def test_rules_that_are_no_file_of_usual_size_bar_nothing(root: Path, how: str) -> None:
    (root / "f").write_text("x")
    if how == "pipe":
        os.mkfifo(root / ".gitignore")
    elif how == "device":
        (root / ".gitignore").symlink_to("/dev/zero")
    else:
        (root / ".gitignore").touch()
        os.truncate(root / ".gitignore", 20 << 30)
    assert "f" in list_tree(root)


ROOTS = [
    ("", ".git/HEAD", ""),
    ("a/b", ".git/HEAD", ""),
    ("a/b", "a/.git/HEAD", "a"),
    ("a/b", "a/.git", "a"),
    ("a/b", "a/b/x", "a/b"),
    ("a/b", "a/.git/config", "a/b"),  # a folder of that name is no repository yet
]


@pytest.mark.parametrize(("start", "marker", "expected"), ROOTS)
def test_the_root_is_the_enclosing_work_tree_else_the_folder(
    root: Path, start: str, marker: str, expected: str
) -> None:
    (root / start).mkdir(parents=True, exist_ok=True)
    (root / marker).parent.mkdir(parents=True, exist_ok=True)
    (root / marker).write_text("x")
    assert find_root(root / start) == root / expected


def test_what_is_no_root(root: Path) -> None:
    (root / "f").write_text("x")
    (root / "r/.git/hooks").mkdir(parents=True)
    for path in ("f", "none", "r/.git", "r/.git/hooks"):
        with pytest.raises(WorkspaceError):
            find_root(root / path)
        with pytest.raises(WorkspaceError):
            Workspace.open(root / path)
