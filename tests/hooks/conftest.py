"""A project under git, and a home of its own, so that what hooks keep is nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_agent import FARES, git, put


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project without git."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home/state"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    root = tmp_path / "project"
    for path, text in {"src/fares.py": FARES, "docs/a.md": "# A\n", "data.bin": bytes(range(256))}.items():
        put(root, path, text)
    return root


@pytest.fixture
def root(bare: Path) -> Path:
    git(bare, "init", "-q")
    git(bare, "add", "-A")
    git(bare, "commit", "-qm", "first")
    return bare
