"""Which files a conversation takes: by name, by folder, by pattern."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.errors import UsageError
from dovetail.session.conversation.chat_files import MAX_AT_ONCE, ChatFiles, with_files
from dovetail.workspace import Workspace


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for path in ("src/kiosk.py", "src/parts/till.py", "src/notes.md", "ferry.txt"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x\n")
    (tmp_path / "src/logo.png").write_bytes(b"\0\1")
    (tmp_path / "src/a[1].py").write_text("x\n")
    return tmp_path


@pytest.mark.parametrize(
    ("named", "taken"),
    [
        ("ferry.txt", ["ferry.txt"]),
        ("src/parts", ["src/parts/till.py"]),
        ("src", ["src/a[1].py", "src/kiosk.py", "src/notes.md", "src/parts/till.py"]),
        ("*.txt", ["ferry.txt"]),
        ("src/k*.py", ["src/kiosk.py"]),
        ("src/a[1].py", ["src/a[1].py"]),
    ],
)
def test_a_folder_and_a_pattern_mean_the_text_files_that_fit(shop: Path, named: str, taken: list[str]) -> None:
    with Workspace.open(shop) as workspace:
        assert list(with_files(workspace, ChatFiles(), [named]).editable) == taken
        assert list(with_files(workspace, ChatFiles(), [], [named]).read_only) == taken


@pytest.mark.parametrize("named", ["*.rs", "none.py"])
def test_what_means_no_file_is_said(shop: Path, named: str) -> None:
    with Workspace.open(shop) as workspace, pytest.raises(UsageError, match="no file"):
        with_files(workspace, ChatFiles(), [named])


def test_a_folder_of_too_many_files_is_refused(shop: Path) -> None:
    for number in range(MAX_AT_ONCE):
        (shop / f"src/{number}.py").write_text("x\n")
    with Workspace.open(shop) as workspace, pytest.raises(UsageError, match="files"):
        with_files(workspace, ChatFiles(), ["src"])
