"""New files in a folder: all of them, or nothing is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.errors import UsageError
from dovetail.workspace.files import ProjectFile, write_new


def test_where_a_file_cannot_be_written_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "lamp").symlink_to(tmp_path.parent)
    files = {path: ProjectFile(b"x\n") for path in ("bell/tone.py", "quay.py", "lamp/lit.py")}
    with pytest.raises(UsageError, match="is a link"):
        write_new(tmp_path, files)
    assert [path.name for path in tmp_path.iterdir()] == ["lamp"]
