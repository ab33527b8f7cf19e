"""The journal stays bounded, and what is kept stays whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspace_acts import Apply, commit_texts, contents, own_line

from dovetail.model.errors import JournalError, WorkspaceError
from dovetail.workspace import Limits, Workspace
from dovetail.workspace.directory import Directory
from dovetail.workspace.journal.lines import read_contents, read_lines, write_line
from dovetail.workspace.journal.store import Journal, private_folder
from dovetail.workspace.operation import digest_of, next_id


def size(root: Path) -> int:
    return sum(path.stat().st_size for path in (root / ".dovetail").iterdir())


def test_the_newest_operations_stay_and_can_be_undone(ws: Workspace, root: Path, apply: Apply) -> None:
    texts = [os.urandom(3000).hex() for _ in range(8)]
    for text in texts:
        apply({"f": text, "g": text[:9]})
    ids = [op.id for op in ws.log()]
    before = size(root)
    pruned = ws.prune(Limits(operations=3))
    assert pruned.operations == 5
    assert before - size(root) == pruned.bytes
    assert pruned.bytes > 5 * 3000
    assert [op.id for op in ws.log()] == ids[-3:]
    assert ws.show(ids[-3]).versions["f"].before_text == texts[4]
    for _ in range(3):
        ws.undo()
    assert (root / "f").read_text() == texts[4]
    with pytest.raises(JournalError, match="nothing to undo"):
        ws.undo()
    for _ in range(3):
        ws.redo()
    assert (root / "f").read_text() == texts[-1]
    assert len(list((root / ".dovetail").glob("versions-*"))) == 1


def test_states_survive(ws: Workspace, apply: Apply) -> None:
    for n in range(4):
        apply({"f": str(n)})
    ws.undo()
    ws.undo()
    ws.redo()
    before = ws.log()
    assert ws.prune(Limits(operations=5)).operations == 2
    assert ws.log() == before[2:]


def test_a_size_bounds_it_too_and_the_newest_always_stays(ws: Workspace, apply: Apply) -> None:
    for _ in range(6):
        apply({"f": os.urandom(5000).hex()})
    assert ws.prune(Limits(bytes=20000)).operations == 4
    ws.prune(Limits(operations=0, bytes=0))
    assert len(ws.log()) == 1


def test_a_log_of_many_small_files_is_bounded_too(root: Path) -> None:
    with Workspace.open(root, limits=Limits(bytes=25_000)) as ws:
        for n in range(20):
            commit_texts(ws, {f"{m}": f"{n}\n" for m in range(25)})
            assert (root / ".dovetail/log").stat().st_size < 75_000
        assert len(ws.log()) < 10
        ws.undo()
    assert (root / "0").read_text() == "18\n"


def test_it_is_pruned_by_itself(root: Path) -> None:
    with Workspace.open(root, limits=Limits(operations=5)) as ws:
        for n in range(40):
            commit_texts(ws, {"f": str(n)})
            assert len(ws.log()) <= 11
        ws.undo()
    assert (root / "f").read_text() == "38"


def test_settings_bound_it(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    own = tmp_path / "config/dovetail/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("record.max-operations = 10\nrecord.max-megabytes = 3\n")
    assert Limits.of(str(root)) == Limits(5, 3 << 19, 30)
    with Workspace.open(root) as ws:
        for n in range(40):
            commit_texts(ws, {"f": str(n)})
            assert len(ws.log()) <= 11
    # What comes with a project makes nobody's journal forget sooner.
    (root / "pyproject.toml").write_text("[tool.dovetail.record]\nmax-operations = 40\nmax-days = 2\n")
    assert Limits.of(str(root)) == Limits(20, 3 << 19, 30)
    (root / "dovetail.toml").write_text("[record]\nmax-days = 90\nmax-operations = 0\nmax-megabytes = true\n")
    assert Limits.of(str(root)) == Limits(5, 3 << 19, 90)


def test_nothing_to_prune_changes_nothing(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"f": "1"})
    before = {path.name: path.read_bytes() for path in (root / ".dovetail").iterdir() if path.name != "lock"}
    assert ws.prune().operations == 0
    assert {path.name: path.read_bytes() for path in (root / ".dovetail").iterdir() if path.name != "lock"} == before


def test_versions_are_kept_once(ws: Workspace, root: Path, apply: Apply) -> None:
    text = os.urandom(20_000).hex()
    apply({"a": text, "b": text})
    once = size(root)
    apply({"a": "x", "b": "x"})
    ws.undo()
    assert size(root) - once < 5000


def test_the_journal_must_be_a_plain_folder(root: Path) -> None:
    (root.parent / "elsewhere").mkdir()
    (root / ".dovetail").symlink_to("../elsewhere")
    with pytest.raises(WorkspaceError, match=r"\.dovetail"):
        Workspace.open(root)
    assert list((root.parent / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["log", "versions-1", "lock"])
def test_a_link_in_the_journal_is_not_followed(root: Path, name: str) -> None:
    """A repository could bring a journal of its own."""
    victim = root.parent / "victim"
    victim.write_text("precious")
    (root / ".dovetail").mkdir()
    if name == "versions-1":
        (root / ".dovetail/log").write_bytes(own_line(root, {"do": "open", "versions": name}))
    (root / ".dovetail" / name).symlink_to(victim)
    with pytest.raises(WorkspaceError), Workspace.open(root) as ws:
        commit_texts(ws, {"f": "1"})
    assert victim.read_text() == "precious"
    assert contents(root) == {}


KEY = bytes(32)
EVIL = [
    {"do": "open", "versions": "../../victim"},
    {"do": "begin", "operation": {"id": "../x"}, "blobs": {}},
    {"do": "begin", "blobs": 3},
    {"do": "done", "id": 7, "left": None},
    {"do": "nothing"},
    {"do": "ready"},
]


@pytest.mark.parametrize("record", EVIL, ids=str)
def test_a_record_that_no_dovetail_wrote_is_skipped(record: dict[str, object]) -> None:
    read = read_contents(write_line(record, KEY), KEY)
    assert read.operations == {}
    assert read.pending is None
    assert read.versions is None


@settings(max_examples=200)
@given(st.lists(st.dictionaries(st.text(max_size=3), st.integers(), max_size=3), max_size=5), st.binary(max_size=30))
def test_lines_read_back_whatever_stands_behind_them(records: list[dict[str, int]], tail: bytes) -> None:
    written = [{**record, "do": "x"} for record in records]
    good = b"".join(write_line(record, KEY) for record in written)
    lines, end = read_lines(good + tail, KEY)
    assert [line.record for line in lines[: len(written)]] == written
    assert end >= len(good) or not written


def test_what_is_read_while_the_journal_is_pruned_is_found_where_it_is_then(root: Path) -> None:
    with Directory.open(str(root)) as top, Workspace.open(root) as ws:
        for n in range(4):
            commit_texts(ws, {"a": f"{n}\n"})
        journal = Journal(top)
        contents = journal.read()
        ws.prune(Limits(operations=2))
        assert journal.blob(contents, digest_of(b"3\n")) == b"3\n"
        with pytest.raises(JournalError, match="no longer holds"):
            journal.blob(contents, digest_of(b"0\n"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
def test_what_root_leaves_in_the_journal_is_its_owners(root: Path) -> None:
    os.chown(root, 65534, 4711)
    with Workspace.open(root) as ws:
        for n in range(4):
            commit_texts(ws, {"a": f"{n}\n"})
        ws.prune(Limits(operations=2))
        (root / ".dovetail/log").write_text("x")
        commit_texts(ws, {"a": "a\n"})
    assert private_folder(root, "chats") is not None
    made = [root / ".dovetail", *(root / ".dovetail").rglob("*")]
    assert len(made) == 9
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(65534, 4711)}
    assert (root / "a").stat().st_uid == 0


def test_a_commit_reads_no_more_than_the_end_of_a_long_log(root: Path) -> None:
    with Workspace.open(root) as ws, Directory.open(str(root)) as top:
        for n in range(60):
            commit_texts(ws, {"a": f"{n}\n"})
        read = Journal(top).read_tail()
        assert (read.unproven, read.begun) == (0, 60)
        assert len(read.operations) < 60 == len(Journal(top).read().operations)


def test_ids_sort_as_they_are_made() -> None:
    made = [""]
    for _ in range(2500):
        made.append(next_id("20260102-030459", made[-1]))
    assert made[1:3] == ["20260102-030459", "20260102-030459-002"]
    assert made == sorted(set(made))
    assert made[1000] == "20260102-030460"
    assert next_id("20250101-000000", made[1]) > made[1]
