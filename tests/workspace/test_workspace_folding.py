"""A file system that takes names of different case as one, as macOS and Windows have.

No such file system can be mounted everywhere, so its look-up stands in front of a real folder: a name finds the entry
that folds to it, and keeps that entry's spelling.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from workspace_acts import commit_texts, contents

from dovetail.model.errors import WorkspaceError
from dovetail.workspace import Label, Limits, Workspace
from dovetail.workspace.directory import Directory, no_step
from dovetail.workspace.names import fold


class FoldingDirectory(Directory):
    __slots__ = ()

    def entry(self, name: str) -> str:
        names = self.names()
        return name if name in names else next((other for other in names if fold(other) == fold(name)), name)

    def child(self, name: str) -> Directory:
        return super().child(self.entry(name))

    def lstat(self, name: str) -> os.stat_result | None:
        return super().lstat(self.entry(name))

    def open_file(self, name: str, flags: int, mode: int = 0o600) -> int:
        return super().open_file(self.entry(name), flags, mode)

    def writable(self, name: str = ".") -> bool:
        return super().writable(self.entry(name) if name != "." else name)

    def unlink(self, name: str) -> None:
        super().unlink(self.entry(name))

    def replace(self, name: str, new: str, target: Directory | None = None) -> None:
        assert target is None or isinstance(target, FoldingDirectory)
        old, taken = self.entry(name), (target or self).entry(new)
        super().replace(old, new if old == taken else taken, target)

    def rename_to_new(self, name: str, new: str, target: Directory | None = None) -> None:
        assert isinstance(target, FoldingDirectory)
        if target.entry(new) in target.names():
            raise FileExistsError(17, "File exists", new)
        super().rename_to_new(name, new, target)


def open_folding(root: Path, step: Callable[[str], None] = no_step) -> Workspace:
    ws = Workspace(FoldingDirectory.open(str(root)), 1.0, Limits(), step)
    ws.recovery = ws.recover()
    return ws


@pytest.fixture
def readme(root: Path) -> Path:
    (root / "readme.md").write_text("a\n")
    (root / "Docs").mkdir()
    (root / "Docs/x").write_text("x\n")
    return root


RENAME = {"README.md": "A\n", "Docs/x": "X\n"}
BEFORE = {"Docs/": b"", "Docs/x": b"x\n", "readme.md": b"a\n"}
AFTER = {"Docs/": b"", "Docs/x": b"X\n", "README.md": b"A\n"}


@pytest.mark.parametrize("text", ["a\n", "A\n"], ids=["name only", "name and text"])
def test_a_rename_of_case_only_and_back(readme: Path, text: str) -> None:
    with open_folding(readme) as ws:
        commit_texts(ws, {"README.md": text}, {"README.md": "readme.md"})
        assert "readme.md" not in contents(readme)
        assert contents(readme)["README.md"] == text.encode()
        ws.undo()
        assert contents(readme) == BEFORE
        ws.redo()
        assert contents(readme)["README.md"] == text.encode()
        assert [op.label for op in ws.log()] == [Label.APPLY, Label.UNDO, Label.REDO]


def test_a_rename_of_case_only_is_all_or_nothing(tmp_path: Path) -> None:
    class Crash(BaseException):
        pass

    for n in range(30):
        root = tmp_path / str(n)
        (root / "Docs").mkdir(parents=True)
        (root / "Docs/x").write_text("x\n")
        (root / "readme.md").write_text("a\n")
        left = [n]

        def stop(_: str, left: list[int] = left) -> None:
            left[0] -= 1
            if left[0] < 0:  # again while it is taken back, so that only the next start can
                raise Crash

        with open_folding(root, stop) as ws:
            try:
                commit_texts(ws, RENAME, {"README.md": "readme.md"})
            except Crash:
                pass
            else:
                assert contents(root) == AFTER
                return
        with open_folding(root):
            assert contents(root) in (BEFORE, AFTER)
    raise AssertionError("the commit has more steps than expected")


@pytest.mark.parametrize("path", ["README.MD", "readME.md", "docs/x", "Docs/X"])
def test_an_edit_under_another_case_is_refused_and_says_so(readme: Path, path: str) -> None:
    with open_folding(readme) as ws:
        assert "in another case" in ws.snapshot([path]).refused[path]
        with pytest.raises(WorkspaceError):
            commit_texts(ws, {path: "new"})
    assert contents(readme) == BEFORE


def test_a_name_is_found_however_its_letters_are_composed(root: Path) -> None:
    apart = "e\N{COMBINING ACUTE ACCENT}"
    (root / apart).mkdir()
    (root / apart / f"{apart}.txt").write_text("a\n")
    before = contents(root)
    with open_folding(root) as ws:
        commit_texts(ws, {"\xe9/\xe9.txt": "b\n", "\xe9/new": "n\n"})
        assert set(contents(root).values()) == {b"", b"b\n", b"n\n"}
        ws.undo()
    assert contents(root) == before


def test_two_files_of_one_set_cannot_share_a_name(readme: Path) -> None:
    with open_folding(readme) as ws, pytest.raises(WorkspaceError, match="differ in case only"):
        commit_texts(ws, {"n/New": "1", "n/new": "2"})
    assert contents(readme) == BEFORE
