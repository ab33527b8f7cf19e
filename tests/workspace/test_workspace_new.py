"""New files in a folder: all of them, or nothing is left; and the repository that begins with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspace_acts import git

from dovetail.errors import UsageError
from dovetail.workspace.files import ProjectFile, write_new
from dovetail.workspace.git import begin_repository


def test_where_a_file_cannot_be_written_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "lamp").symlink_to(tmp_path.parent)
    files = {path: ProjectFile(b"x\n") for path in ("bell/tone.py", "quay.py", "lamp/lit.py")}
    with pytest.raises(UsageError, match="is a link"):
        write_new(tmp_path, files)
    assert [path.name for path in tmp_path.iterdir()] == ["lamp"]


def test_a_new_repository_begins_with_a_commit_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "quay.py").write_text("x\n")
    commit = begin_repository(tmp_path, ["quay.py"], "Begin.")
    assert git(tmp_path, "log", "--format=%H %s", "--name-only").split() == [commit, "Begin.", "quay.py"]
