"""A root to work in, opened with descriptors and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from workspace_acts import Apply, commit_texts

from dovetail.workspace import Workspace


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture(params=[True, False], ids=["descriptors", "paths"])
def ws(request: pytest.FixtureRequest, root: Path) -> Iterator[Workspace]:
    """A workspace, held by descriptors and, as on systems without them, by paths."""
    options = {} if request.param else {"descriptors": False}
    with Workspace.open(root, **options) as workspace:
        yield workspace


@pytest.fixture
def apply(ws: Workspace) -> Apply:
    return lambda texts, renames=None: commit_texts(ws, texts, renames)
