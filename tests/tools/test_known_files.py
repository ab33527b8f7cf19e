"""What a model knows of a file: what it was shown and wrote itself, and nothing that others wrote meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dovetail.model.results import FileChange
from dovetail.tools import Toolbox
from dovetail.tools.known import KnownFiles
from dovetail.tools.provider_calls import read

PIER = "".join(f"berth {n}\n" for n in range(1, 13))
BOAT = "import sails\n\n\ndef hoist():\n    return sails.up()\n\n\ndef reef():\n    return sails.half()\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pier.txt").write_text(PIER)
    (tmp_path / "boat.py").write_text(BOAT)
    return tmp_path


def called(box: Toolbox, name: str, **arguments: object) -> tuple[bool, str]:
    result = box.run(read({"name": name, "arguments": arguments}))
    return result.ok, result.text


def edit(box: Toolbox, path: str, old: str, new: str) -> tuple[bool, str]:
    return called(box, "edit_file", path=path, old_string=old, new_string=new)


def test_what_the_user_wrote_before_an_edit_survives_the_next_whole_write(root: Path) -> None:
    box, file = Toolbox(root), root / "pier.txt"
    called(box, "read_file", path="pier.txt")
    file.write_text(PIER.replace("berth 9\n", "berth 9, for the ferry\n"))
    assert edit(box, "pier.txt", "berth 2\n", "berth two\n")[0]
    ok, _ = called(box, "write_file", path="pier.txt", content=PIER.replace("berth 2\n", "berth two\nberth 2b\n"))
    assert ok
    wanted = PIER.replace("berth 2\n", "berth two\nberth 2b\n").replace("berth 9\n", "berth 9, for the ferry\n")
    assert file.read_text() == wanted


def test_a_whole_write_over_a_part_that_was_shown_waits_for_the_rest(root: Path) -> None:
    box, file, new = Toolbox(root), root / "pier.txt", "berth 1\nberth 2\n"
    called(box, "read_file", path="pier.txt", last_line=4)
    ok, text = called(box, "write_file", path="pier.txt", content=new)
    assert (ok, file.read_text()) == (False, PIER)
    assert "not shown: 5 to 12." in text
    assert "Read these lines" in text
    called(box, "read_file", path="pier.txt", first_line=5, last_line=9)
    assert "not shown: 10 to 12." in called(box, "write_file", path="pier.txt", content=new)[1]
    called(box, "read_file", path="pier.txt", first_line=8)
    assert called(box, "write_file", path="pier.txt", content=new)[0]
    assert file.read_text() == new


def test_a_whole_write_that_keeps_what_was_not_shown_does_not_wait(root: Path) -> None:
    box = Toolbox(root)
    called(box, "read_file", path="pier.txt", last_line=2)
    assert called(box, "write_file", path="pier.txt", content="berth 0\n" + PIER)[0]
    assert (root / "pier.txt").read_text() == "berth 0\n" + PIER


@pytest.mark.parametrize(
    ("path", "new", "gone"),
    [
        ("boat.py", BOAT.partition("\n\n\ndef reef")[0] + "\n", "`reef`"),
        ("pier.txt", "berth 1\nberth 2\n", "10 lines, the first `berth 3`"),
    ],
)
def test_a_file_that_was_never_shown_is_written_and_what_went_is_named(
    root: Path, path: str, new: str, gone: str
) -> None:
    ok, text = called(Toolbox(root), "write_file", path=path, content=new)
    assert ok
    assert f"`{path}` was not read here before. Gone: {gone}." in text
    assert (root / path).read_text() == new


def test_a_write_that_takes_nothing_away_bears_no_warning(root: Path) -> None:
    box = Toolbox(root)
    assert "Gone" not in called(box, "write_file", path="boat.py", content=BOAT.replace("half", "low"))[1]
    assert "Gone" not in called(box, "write_file", path="boat.py", content="import sails\n")[1]  # its own text by now
    assert "Gone" not in called(box, "write_file", path="new.py", content="import sails\n")[1]


def test_what_the_file_has_to_the_letter_now_wins_over_what_was_shown(root: Path) -> None:
    box, file = Toolbox(root), root / "boat.py"
    called(box, "read_file", path="boat.py")
    file.write_text(BOAT.replace("    return sails.up()", "    return sails.up(True)"))
    assert edit(box, "boat.py", "    return sails.up(True)\n", "    return sails.up(False)\n")[0]
    assert "up(False)" in file.read_text()


def test_an_edit_of_a_line_that_others_changed_asks_to_read_the_file_again(root: Path) -> None:
    box, file = Toolbox(root), root / "boat.py"
    called(box, "read_file", path="boat.py")
    file.write_text(BOAT.replace("sails.up()", "sails.down()"))
    ok, text = edit(box, "boat.py", "    return sails.up()\n", "    return sails.out()\n")
    assert not ok
    assert "Read the file again" in text
    assert "conflicts" not in text  # a setting that a model cannot set
    assert "down" in file.read_text()


def test_undo_takes_back_the_newest_change_of_this_conversation(root: Path) -> None:
    box, other = Toolbox(root), Toolbox(root)
    assert edit(box, "boat.py", "up()", "out()")[0]
    assert edit(other, "pier.txt", "berth 3\n", "berth three\n")[0]
    assert "boat.py" in called(box, "undo")[1]
    assert (root / "boat.py").read_text() == BOAT
    assert "three" in (root / "pier.txt").read_text()


def changed(before: str | None, after: str | None, source: str | None = None) -> FileChange:
    return FileChange("f", before, after, source)


STEPS: dict[str, tuple[list[Any], str | None]] = {
    "shown again in part": ([("a\nb\nc\nd\n", 1, 4), ("a\nB\nc\nD\n", 1, 2)], "a\nB\nc\nd\n"),
    "a line that went is seen where its neighbours were shown": ([("a\nb\nc\n", 1, 3), ("a\nc\n", 1, 2)], "a\nc\n"),
    "a line that went is not seen from below": ([("a\nb\nc\n", 1, 3), ("a\nc\n", 2, 2)], "a\nb\nc\n"),
    "its own edit": ([("a\nb\nc\n", 1, 3), changed("x\na\nb\nc\n", "x\na\nB\nc\n")], "a\nB\nc\n"),
    "its own edit of a line that others wrote": ([("a\nb\nc\n", 1, 3), changed("a\nq\nc\n", "a\nQ\nc\n")], "a\nQ\nc\n"),
    "deleted": ([("a\n", 1, 1), changed("a\n", None)], None),
    "changed before it was shown": ([changed("a\n", "b\n")], None),
}


@pytest.mark.parametrize("name", STEPS)
def test_what_is_known_after(name: str) -> None:
    steps, wanted = STEPS[name]
    known = KnownFiles()
    for step in steps:
        known.change(step) if isinstance(step, FileChange) else known.show("f", *step)
    assert known.texts.get("f") == wanted


def test_a_file_that_moves_is_known_by_its_new_path() -> None:
    known = KnownFiles()
    known.show("old", "a\nb\n", 1, 1)
    known.change(FileChange("f", None, "a\nB\n", "old"))
    assert known.texts == {"f": "a\nB\n"}
