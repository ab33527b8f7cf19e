"""Who wrote a line: the operation that brought it, through moves, undos and the user's edits."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.errors import JournalError, UsageError
from dovetail.model.results import FileChange
from dovetail.session.apply import operations
from dovetail.session.apply.why import why
from dovetail.workspace import Operation, Workspace


def write(root: Path, before: dict[str, str | None], after: dict[str, str | None]) -> Operation:
    with Workspace.open(root) as ws:
        changes = [FileChange(path, before[path], after[path]) for path in after]
        return ws.commit(changes, ws.snapshot(after))


def writers(root: Path, path: str) -> list[tuple[int, int, str | None]]:
    found = why(root, path).written
    return [(each.start, each.end, each.writer.id if isinstance(each.writer, Operation) else None) for each in found]


def test_lines_belong_to_who_brought_them(tmp_path: Path) -> None:
    first = write(tmp_path, {"a": None}, {"a": "1\n2\n3\n"})
    second = write(tmp_path, {"a": "1\n2\n3\n"}, {"a": "1\ntwo\n3\n"})
    (tmp_path / "a").write_text("1\ntwo\n3\nmine\n")
    assert writers(tmp_path, "a") == [(1, 1, first.id), (2, 2, second.id), (3, 3, first.id), (4, 4, None)]
    (only,) = why(tmp_path, "a", 2).written
    assert isinstance(only.writer, Operation)
    assert (only.writer.id, only.text) == (second.id, "two")


def test_what_an_undo_brings_back_is_its_writers(tmp_path: Path) -> None:
    first = write(tmp_path, {"a": None}, {"a": "1\n2\n"})
    write(tmp_path, {"a": "1\n2\n"}, {"a": "1\ntwo\n"})
    operations.undo(tmp_path)
    assert writers(tmp_path, "a") == [(1, 2, first.id)]


def test_a_moved_file_keeps_its_writers(tmp_path: Path) -> None:
    first = write(tmp_path, {"a": None}, {"a": "1\n2\n"})
    moved = write(tmp_path, {"a": "1\n2\n", "b": None}, {"a": None, "b": "1\n2\nb\n"})
    assert writers(tmp_path, "b") == [(1, 2, first.id), (3, 3, moved.id)]
    answer = why(tmp_path, "a")
    assert isinstance(answer.removed_by, Operation)
    assert (answer.written, answer.removed_by.id) == ((), moved.id)


def test_what_the_journal_does_not_know_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"a": None}, {"a": "1\n"})
    with pytest.raises(JournalError):
        why(tmp_path, "b")
    with pytest.raises(UsageError):
        why(tmp_path, "a", 9)


def test_a_line_that_is_gone_keeps_its_place_and_who_removed_it(tmp_path: Path) -> None:
    first = write(tmp_path, {"a": None}, {"a": "1\n2\n3\n4\n"})
    second = write(tmp_path, {"a": "1\n2\n3\n4\n"}, {"a": "1\n4\n"})
    (tmp_path / "a").write_text("0\n1\n")
    (two, three) = why(tmp_path, "a").removed  # nobody knows who took 4 away
    assert [(each.behind, each.text) for each in (two, three)] == [(2, "2"), (2, "3")]
    assert isinstance(two.writer, Operation)
    assert isinstance(two.removed_by, Operation)
    assert (two.writer.id, two.removed_by.id) == (first.id, second.id)
    assert why(tmp_path, "a", 1).removed == ()
    (tmp_path / "a").write_text("1\n4\n")
    operations.undo(tmp_path)
    assert why(tmp_path, "a").removed == ()
