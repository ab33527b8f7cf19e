"""Absolute paths that a reply names: the disk is asked whether something is there, and nothing is opened."""

from __future__ import annotations

import subprocess
from pathlib import Path

from dovetail.model.codes import Code
from dovetail.model.results import BlockResult
from dovetail.session.apply import applying
from dovetail.workspace import Workspace

TEXT = "port = 80\n"
EDIT = "```\n<<<<<<< SEARCH\nport = 80\n=======\nport = 81\n>>>>>>> REPLACE\n```\n"


def git(folder: Path, *args: str) -> None:
    """Run git, which is to succeed."""
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *args], cwd=folder, check=True)


def answer(root: Path, named: Path) -> BlockResult:
    """What becomes of an edit under an absolute path."""
    (result,) = applying.prepare(root, f"{named}\n{EDIT}").plan.results
    return result


def test_what_exists_outside_is_refused_and_what_does_not_is_said_by_the_plan(ws: Workspace, root: Path) -> None:
    other = root.parent / "other.py"
    assert other.as_posix() not in ws.snapshot([other.as_posix()]).refused
    other.write_text(TEXT)
    assert ws.snapshot([other.as_posix()]).refused == {
        other.as_posix(): f"`{other.as_posix()}` exists, outside of the root."
    }
    assert ws.snapshot([(root / "other.py").as_posix()]).refused == {}


def test_another_worktree_of_the_repository_is_said_to_be_one(tmp_path: Path) -> None:
    shop, tree = tmp_path / "shop", tmp_path / "trees" / "fix"
    shop.mkdir()
    (shop / "app.py").write_text(TEXT)
    for args in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"], ["worktree", "add", "-q", str(tree)]):
        git(shop, *args)
    for root, other in ((shop, tree), (tree, shop)):
        result = answer(root, other / "app.py")
        assert result.code is Code.OUTSIDE_ROOT
        assert f"lies in another worktree of this repository, `{other}`" in (result.reason or "")
    assert answer(tree, tree / "app.py").path == "app.py"
    assert (shop / "app.py").read_text() == (tree / "app.py").read_text() == TEXT
