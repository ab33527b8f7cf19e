"""A journal that cannot be read, whole or in part, is told, kept, and never guessed at."""

from __future__ import annotations

import errno
import os
import re
import zlib
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workspace_acts import Apply, commit_texts, contents, own_line

from dovetail.model.codes import Code
from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.workspace import Limits, Workspace
from dovetail.workspace.journal.store import find_unnamed_versions
from dovetail.workspace.operation import digest_of


def damage(root: Path, *numbers: int) -> None:
    """Change a byte in lines of the log, counted from 0; each operation has three, behind the first."""
    log = root / ".dovetail/log"
    lines = log.read_bytes().splitlines(keepends=True)
    for n in numbers:
        lines[n] = lines[n].replace(b'"do"', b'"d0"', 1)
    log.write_bytes(b"".join(lines))


def lines_of(n: int) -> tuple[int, int, int]:
    """The lines of the n-th operation, from 0."""
    return (3 * n + 1, 3 * n + 2, 3 * n + 3)


UNREADABLE = {"junk": b"x", "lines": b"x\ny\n", "zeros": bytes(4096), "binary": bytes(range(256)) * 20}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_a_log_that_cannot_be_read_is_told_and_moved_aside(
    ws: Workspace, root: Path, apply: Apply, data: bytes
) -> None:
    apply({"a": "one\n"})
    versions = (root / ".dovetail/versions-1").read_bytes()
    for n in (1, 2):
        (root / ".dovetail/log").write_bytes(data)
        before = contents(root)
        for act in (ws.log, ws.lost, ws.undo, ws.redo, ws.prune, ws.would_undo, ws.would_redo, lambda: ws.show("2")):
            with pytest.raises(JournalError) as refused:
                act()
            assert refused.value.code == "journal-unreadable"
        assert contents(root) == before
        assert (root / ".dovetail/log").read_bytes() == data
        assert ws.find_reply("reply") is None
        apply({"b": f"{n}\n"})
        aside = root / f".dovetail/unreadable-{n}"
        assert (aside / "log").read_bytes() == data
        assert [(found.code, found.path) for found in ws.findings][n - 1 :] == [
            (Code.JOURNAL_UNREADABLE, f".dovetail/unreadable-{n}")
        ]
        assert [op.paths for op in ws.log()] == [("b",)]
    assert (root / ".dovetail/unreadable-1/versions-1").read_bytes() == versions
    ws.undo()
    assert (root / "b").read_text() == "1\n"


def test_that_it_was_moved_is_told_though_the_operation_fails(root: Path) -> None:
    def fail(step: str) -> None:
        if step == "ready":
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "one\n"})
    (root / ".dovetail/log").write_text("x")
    with pytest.raises(WorkspaceError) as refused, Workspace.open(root, step=fail) as ws:
        commit_texts(ws, {"a": "two\n"})
    assert refused.value.__notes__[0].startswith("journal-unreadable  .dovetail/unreadable-1  The journal's log")
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "two\n"})
    names = sorted(path.name for path in (root / ".dovetail").iterdir())
    assert names == [".gitignore", "lock", "log", "unreadable-1", "versions-1"]


def test_moving_aside_goes_on_where_it_was_stopped(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"a": "one\n"})
    folder = root / ".dovetail"
    (folder / "log").write_text("x")
    (folder / "unreadable-1").mkdir()
    (folder / "versions-1").rename(folder / "unreadable-1/versions-1")
    apply({"a": "two\n"})
    assert {path.name for path in (folder / "unreadable-1").iterdir()} == {"log", "versions-1"}
    ws.undo()
    assert (root / "a").read_text() == "one\n"


def test_a_log_that_was_stopped_in_its_first_line_holds_nothing_and_is_begun_anew(root: Path) -> None:
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "one\n"})
    folder = root / ".dovetail"
    first = (folder / "log").read_bytes().splitlines(keepends=True)[0]
    (folder / "versions-1").write_bytes(b"")
    for end in {1, *range(0, len(first), 4), len(first) - 1}:
        (folder / "log").write_bytes(first[:end])
        with Workspace.open(root) as ws:
            assert ws.log() == []
            with pytest.raises(JournalError, match="nothing to undo"):
                ws.undo()
            commit_texts(ws, {"a": f"{end}\n"})
            assert [op.paths for op in ws.log()] == [("a",)]
            assert ws.findings == ()
            ws.undo()
        (folder / "versions-1").write_bytes(b"")


def test_a_version_that_holds_other_bytes_is_never_put_back(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"f": "1"})
    apply({"f": "2"})
    versions, one, two = root / ".dovetail/versions-1", zlib.compress(b"1", 3), zlib.compress(b"2", 3)
    assert versions.read_bytes().count(one) == 1
    versions.write_bytes(versions.read_bytes().replace(one, two))
    with pytest.raises(JournalError, match="no longer holds the version"):
        ws.undo()
    assert contents(root) == {"f": b"2"}


def test_a_log_of_a_later_format_is_left_to_the_dovetail_that_wrote_it(root: Path) -> None:
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "one\n"})
    log = root / ".dovetail/log"
    later = own_line(root, {"do": "open", "format": 3, "sections": 3}) + b"a record that nobody knows yet\n" * 3000
    log.write_bytes(later)
    with pytest.raises(JournalError, match="format 3") as refused:
        Workspace.open(root)
    assert refused.value.code == "journal-newer"
    assert log.read_bytes() == later
    assert sorted(path.name for path in (root / ".dovetail").iterdir()) == [".gitignore", "lock", "log", "versions-1"]


def test_a_log_without_a_format_is_one_of_the_first(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"a": "one\n"})
    log = root / ".dovetail/log"
    _, rest = log.read_bytes().split(b"\n", 1)
    log.write_bytes(own_line(root, {"do": "open", "versions": "versions-1"}) + rest)
    ws.undo()
    assert contents(root) == {}


@pytest.mark.parametrize("which", [0, 1, 2])
def test_no_operation_is_taken_back_for_one_that_cannot_be_read(
    ws: Workspace, root: Path, apply: Apply, which: int
) -> None:
    """Plain undo goes back as far as it is known; whoever names an operation may go on."""
    made = [apply({f"{n}.txt": f"{n}\n"}) for n in range(3)]
    damage(root, *lines_of(which))
    assert ws.lost() == 1
    assert [op.id for op in ws.log()] == [op.id for op in made if op is not made[which]]
    for _ in range(which, 2):
        ws.undo()
    before = contents(root)
    for act in (ws.undo, ws.would_undo):
        with pytest.raises(JournalError) as refused:
            act()
        assert refused.value.code == ("journal-damaged" if which else "journal")
    assert contents(root) == before
    if which:
        ws.undo(made[which - 1].id)
        assert f"{which - 1}.txt" not in contents(root)


def test_no_undo_is_taken_for_the_newest_where_something_behind_it_cannot_be_read(
    ws: Workspace, root: Path, apply: Apply
) -> None:
    apply({"a": "one\n"})
    undone = ws.undo()
    apply({"b": "two\n"})
    damage(root, *lines_of(2))
    for act in (ws.redo, ws.would_redo):
        with pytest.raises(JournalError, match=re.escape(undone.description)) as refused:
            act()
        assert refused.value.code == "journal-damaged"
    ws.undo(undone.id)
    assert contents(root) == {"a": b"one\n", "b": b"two\n"}


@pytest.mark.parametrize("lines", [(1,), (2,), (3,), (1, 2), (2, 3), (1, 3), (1, 2, 3)], ids=str)
def test_one_damaged_line_of_the_newest_is_known_whichever_it_is(root: Path, lines: tuple[int, ...]) -> None:
    """Its first line tells what it was; of the others the files tell."""
    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "one\n"})
        commit_texts(ws, {"a": "two\n"})
    damage(root, *(3 + n for n in lines))
    with Workspace.open(root) as ws:
        if 1 in lines:
            assert ws.lost() == 1
            with pytest.raises(JournalError, match="newest"):
                ws.undo()
        else:
            assert ws.lost() == 0
            ws.undo()
            assert (root / "a").read_text() == "one\n"
    with Workspace.open(root) as ws:  # what comes behind counts on
        commit_texts(ws, {"b": "b\n"})
        assert ws.lost() == int(1 in lines)
        ws.undo()
        assert not (root / "b").exists()


def test_what_something_was_done_after_is_not_completed_anew(ws: Workspace, root: Path, apply: Apply) -> None:
    """One byte may be the end of a line that says that all is done, and join it to the next."""
    apply({"a": "one\n"})
    apply({"a": "two\n"})
    ws.undo()
    damage(root, lines_of(1)[2], lines_of(2)[0])
    with Workspace.open(root) as again:
        assert again.recovery is None
        assert (root / "a").read_text() == "one\n"
        assert [op.lost for op in again.log()] == [0, 1]
        with pytest.raises(JournalError, match="newest"):
            again.undo()


def test_a_long_log_is_appended_to_whatever_its_end_says(root: Path) -> None:
    with Workspace.open(root) as ws:
        for n in range(60):
            commit_texts(ws, {"a": f"{n}\n"})
    log = root / ".dovetail/log"
    lines = log.read_bytes().splitlines(keepends=True)
    assert sum(map(len, lines)) > 33_000
    bad = own_line(root, {"do": "begin", "operation": {}})
    log.write_bytes(b"".join([*lines[:-3], *[bad] * 900]))
    with Workspace.open(root) as ws:
        commit_texts(ws, {"b": "b\n"})
        assert ws.lost() == 1
        ws.undo()
        assert contents(root) == {"a": b"59\n"}


@pytest.mark.parametrize("pruned", [False, True])
def test_what_an_operation_shares_with_one_that_is_lost_is_found(
    ws: Workspace, root: Path, apply: Apply, pruned: bool
) -> None:
    """The damaged line alone says where the version before the newest lies."""
    for n in range(4):
        apply({"a": f"{n}\n" * 1000, "b": f"{n}\n"})
    damage(root, *lines_of(2))
    if pruned:
        ws.prune(Limits(operations=2))
    ws.undo()
    assert contents(root) == {"a": b"2\n" * 1000, "b": b"2\n"}


def test_versions_of_a_lost_newest_operation_are_not_written_over(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"a": "one\n"})
    apply({"a": "two\n"})
    damage(root, *lines_of(1))
    apply({"b": "b\n"})
    apply({"a": "three\n"})
    ws.undo()
    assert (root / "a").read_text() == "two\n"
    ws.undo()
    data = (root / ".dovetail/versions-1").read_bytes()
    assert zlib.compress(b"two\n", 3) in data


@given(st.lists(st.binary(max_size=50), max_size=8, unique=True), st.data())
def test_what_is_not_named_is_found_and_nothing_else(blobs: list[bytes], draw: st.DataObject) -> None:
    packed = [zlib.compress(blob, 3) for blob in blobs]
    ends = [*accumulate(map(len, packed), initial=0)]
    spans = {digest_of(blob): (ends[n], len(packed[n])) for n, blob in enumerate(blobs)}
    named = draw.draw(st.sets(st.sampled_from(sorted(spans)))) if spans else set()
    tail = draw.draw(st.binary(max_size=5))
    found = find_unnamed_versions(b"".join(packed) + tail, [spans[digest] for digest in named])
    assert {digest: span for digest, span in spans.items() if digest not in named} == found


def test_what_is_lost_stays_known_when_the_log_is_written_anew(ws: Workspace, root: Path, apply: Apply) -> None:
    for n in range(6):
        apply({"a": f"{n}\n"})
    damage(root, *lines_of(3), *lines_of(5))
    assert [op.lost for op in ws.log()] == [0, 0, 1, 1]
    assert ws.prune(Limits(operations=3)).operations == 1
    assert [op.lost for op in ws.log()] == [0, 1, 1]
    with pytest.raises(JournalError, match="newest"):
        ws.undo()
    apply({"b": "b\n"})
    assert (ws.lost(), [op.lost for op in ws.log()]) == (2, [0, 1, 1, 0])


def test_without_its_first_line_a_log_finds_its_versions(ws: Workspace, root: Path, apply: Apply) -> None:
    for n in range(4):
        apply({"a": f"{n}\n"})
    ws.prune(Limits(operations=2))
    damage(root, 0)
    ws.undo()
    assert (root / "a").read_text() == "2\n"
    ws.prune(Limits(operations=1))
    ws.redo()
    assert (root / "a").read_text() == "3\n"


def test_versions_without_a_log_are_not_written_over(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"a": "one\n"})
    data = (root / ".dovetail/versions-1").read_bytes()
    (root / ".dovetail/log").unlink()
    apply({"a": "two\n"})
    assert (root / ".dovetail/versions-1").read_bytes() == data
    ws.undo()
    assert (root / "a").read_text() == "one\n"
