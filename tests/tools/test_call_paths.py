"""A path has one meaning for every tool: from the folder in which the agent runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.model.errors import UsageError
from dovetail.tools import Toolbox
from dovetail.tools.provider_calls import read

TEXT = "one\ntwo\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "quay"
    (root / "crane/arm").mkdir(parents=True)
    for path in ("a.txt", "crane/a.txt", "crane/b.txt", "c.txt"):
        (root / path).write_text(f"{path}\n{TEXT}")
    return root


def called(box: Toolbox, name: str, **arguments: object) -> tuple[bool, str]:
    result = box.run(read({"name": name, "arguments": arguments}))
    return result.ok, result.text


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("a.txt", "crane/a.txt"),
        ("./b.txt", "crane/b.txt"),
        ("../a.txt", "a.txt"),
        ("arm/../b.txt", "crane/b.txt"),
        ("ROOT/a.txt", "a.txt"),
    ],
)
def test_every_tool_takes_a_path_for_the_same_file(root: Path, path: str, meant: str) -> None:
    box = Toolbox(root, runs_in=root / "crane")
    path = path.replace("ROOT", str(root))
    assert f"|{meant}\n" in called(box, "read_file", path=path)[1]
    assert called(box, "edit_file", path=path, old_string="two", new_string="three")[0]
    assert (root / meant).read_text() == f"{meant}\none\nthree\n"
    assert called(box, "write_file", path=path, content="new\n")[0]
    assert (root / meant).read_text() == "new\n"


def test_answers_name_files_as_the_agent_does(root: Path) -> None:
    box = Toolbox(root, runs_in=root / "crane")
    assert "b.txt: edit 1 is written" in called(box, "edit_file", path="b.txt", old_string="two", new_string="2")[1]
    assert called(box, "undo")[1].startswith("Undone: b.txt.")
    assert "### Edit 1, ../a.txt" in called(box, "edit_file", path="../a.txt", old_string="six", new_string="6")[1]


def test_a_new_file_is_not_one_of_that_name_at_the_root(root: Path) -> None:
    box = Toolbox(root, runs_in=root / "crane")
    assert called(box, "write_file", path="c.txt", content="new\n")[0]
    assert (root / "crane/c.txt").read_text() == "new\n"
    assert (root / "c.txt").read_text() == f"c.txt\n{TEXT}"


def test_a_new_file_goes_below_the_agents_folder(root: Path) -> None:
    box = Toolbox(root, runs_in=root / "crane")
    assert called(box, "write_file", path="arm/new.txt", content="x\n")[0]
    assert (root / "crane/arm/new.txt").read_text() == "x\n"


@pytest.mark.parametrize("path", ["../../out.txt", "/etc/passwd"])
def test_a_path_outside_is_refused_with_the_root(root: Path, path: str) -> None:
    box = Toolbox(root, runs_in=root / "crane")
    calls = {
        "read_file": {"path": path},
        "edit_file": {"path": path, "old_string": "one", "new_string": "1"},
        "write_file": {"path": path, "content": "x\n"},
    }
    for name, arguments in calls.items():
        ok, text = called(box, name, **arguments)
        assert not ok
        assert f"Paths count from {root / 'crane'}; nothing outside of {root} is read or written." in text
    assert not (root.parent / "out.txt").exists()


def test_a_sandboxs_path_is_read_as_it_is_edited(root: Path) -> None:
    box, path = Toolbox(root), "/workspace/crane/b.txt"
    ok, text = called(box, "read_file", path=path)
    assert ok
    assert text.startswith("`/workspace/crane/b.txt` is an absolute path; taken to be `crane/b.txt`, the file")
    assert called(box, "edit_file", path=path, old_string="two", new_string="2")[0]
    assert "2" in (root / "crane/b.txt").read_text()


def test_the_agents_folder_lies_in_the_root(root: Path) -> None:
    with pytest.raises(UsageError, match="is not below"):
        Toolbox(root / "crane", runs_in=root)
