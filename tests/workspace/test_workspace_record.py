"""What somebody else did is recorded as an operation: no file is touched, and it can be taken back."""

from __future__ import annotations

import json
import zlib
from datetime import datetime
from pathlib import Path

import pytest
from workspace_acts import commit_texts, own_line

from dovetail.errors import JournalError, UsageError
from dovetail.model.results import FileChange
from dovetail.session.apply import operations
from dovetail.workspace import Label, Limits, Operation, OperationState, Origin, OutsideChange, Version, Workspace
from dovetail.workspace.journal.undo import UNTOLD, Conflict, ConflictError, Intent
from dovetail.workspace.operation import digest_of

AGENT = Origin("claude", "s1", 1, "Change it.", "Edit", ("t1",))


class Outside:
    """Somebody else, who changes files and has that recorded."""

    def __init__(self, root: Path) -> None:
        self.root, self.bytes = root, dict[str, bytes]()

    def _version(self, path: str) -> Version | None:
        file = self.root / path
        if not file.exists():
            return None
        data = file.read_bytes()
        self.bytes[digest_of(data)] = data
        return Version(digest_of(data), file.stat().st_mode & 0o777)

    def change(
        self, files: dict[str, str | None], origin: Origin = AGENT, at: str = "2998-01-02T03:04:05Z"
    ) -> Operation:
        before = {path: self._version(path) for path in files}
        for path, text in files.items():
            if text is None:
                (self.root / path).unlink()
            else:
                (self.root / path).parent.mkdir(parents=True, exist_ok=True)
                (self.root / path).write_text(text, "utf-8", newline="")
        sides = {path: (before[path], self._version(path)) for path in files}
        with Workspace.open(self.root) as ws:
            return ws.record([OutsideChange(origin, at, sides)], self.bytes.__getitem__)[0]


@pytest.fixture
def outside(root: Path) -> Outside:
    return Outside(root)


def texts(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file() and ".dovetail" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in files}


def test_a_recorded_change_names_its_origin_and_touches_no_file(root: Path, outside: Outside) -> None:
    (root / "a.txt").write_text("one\n")
    done = outside.change({"a.txt": "two\n", "new/b.txt": "b\n"})
    looked = (root / "a.txt").stat()
    with Workspace.open(root) as ws:
        (operation,) = ws.log()
        shown = ws.show(done.id)
    assert (operation.label, operation.state, operation.origin) == (Label.RECORDED, OperationState.DONE, AGENT)
    assert operation.paths == ("a.txt", "new/b.txt")
    assert (shown.versions["a.txt"].before, shown.versions["a.txt"].after) == (b"one\n", b"two\n")
    assert (root / "a.txt").stat().st_mtime_ns == looked.st_mtime_ns


def test_a_session_is_taken_back_in_one_step_and_brought_again(root: Path, outside: Outside) -> None:
    (root / "a.txt").write_text("1\n2\n3\n4\n5\n6\n7\n")
    first = texts(root)
    outside.change({"a.txt": "1\ntwo\n3\n4\n5\n6\n7\n"})
    outside.change(
        {"b.txt": "b\n", "a.txt": "1\ntwo\n3\n4\n5\n6\nseven\n"}, Origin("claude", "s1", 2, "", "Bash", ("t2",))
    )
    last = texts(root)
    done = operations.undo_by_intent(root, Intent(session=""))
    assert texts(root) == first
    assert len(done.operation.reverses) == 2
    operations.redo(root)
    assert texts(root) == last
    operations.undo_by_intent(root, Intent(prompt=2))
    assert texts(root) == {"a.txt": "1\ntwo\n3\n4\n5\n6\n7\n"}
    operations.redo(root)
    operations.undo_by_intent(root, Intent(call="t1"))
    assert texts(root) == {**last, "a.txt": "1\n2\n3\n4\n5\n6\nseven\n"}


def test_what_the_user_wrote_since_stays(root: Path, outside: Outside) -> None:
    (root / "a.txt").write_text("1\n2\n3\n4\n5\n6\n7\n")
    outside.change({"a.txt": "1\ntwo\n3\n4\n5\n6\n7\n"})
    (root / "a.txt").write_text("1\ntwo\n3\n4\nmine\n6\n7\n")
    outside.change({"a.txt": "1\ntwo\n3\n4\nmine\n6\nseven\n"})
    (root / "mine.txt").write_text("mine\n")
    operations.undo_by_intent(root, Intent(session="s1"))
    assert texts(root) == {"a.txt": "1\n2\n3\n4\nmine\n6\n7\n", "mine.txt": "mine\n"}
    operations.redo(root)
    assert texts(root)["a.txt"] == "1\ntwo\n3\n4\nmine\n6\nseven\n"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts descriptors in /proc")
def test_what_is_recorded_leaves_no_file_open(outside: Outside) -> None:
    outside.change({"a.txt": "one\n"})
    before = len(list(Path("/proc/self/fd").iterdir()))
    outside.change({"a.txt": "two\n"})
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_all_since_a_time_is_what_applies_did_as_well(root: Path, outside: Outside) -> None:
    with Workspace.open(root) as ws:
        commit_texts(ws, {"applied.txt": "a\n"})
    outside.change({"called.txt": "c\n"})
    operations.undo_by_intent(root, Intent(since="2000-01-01T00:00:00Z"))
    assert texts(root) == {}


def test_paths_narrow_down_what_is_taken_back_and_the_rest_stands(root: Path, outside: Outside) -> None:
    outside.change({"src/a.py": "a\n", "docs/b.md": "b\n"})
    done = operations.undo_by_intent(root, Intent(session="", paths=("docs",)))
    assert texts(root) == {"src/a.py": "a\n"}
    assert done.operation.only == ("docs",)
    operations.redo(root)
    assert set(texts(root)) == {"src/a.py", "docs/b.md"}
    operations.undo_by_intent(root, Intent(session="", paths=("*.py",)))
    assert texts(root) == {"docs/b.md": "b\n"}
    operations.undo_by_intent(root, Intent(session=""))
    assert texts(root) == {}


def test_files_that_cannot_be_merged_are_named_and_may_be_left(root: Path, outside: Outside) -> None:
    for name in ("a.txt", "b.txt", "c.txt", "d.txt"):
        (root / name).write_text("1\n2\n3\n")
    first = texts(root)
    outside.change({"a.txt": "1\nhis\n3\n", "b.txt": "1\nhis\n3\n", "c.txt": "1\nhis\n3\n"})
    outside.change({"d.txt": None})
    (root / "a.txt").write_text("1\nmine\n3\n")
    (root / "b.txt").write_text("1\nhis\n3\nmine\n")
    (root / "c.txt").unlink()
    last = texts(root)
    for dry_run in (True, False):
        with pytest.raises(ConflictError) as refused:
            operations.undo_by_intent(root, Intent(session=""), dry_run=dry_run)
        assert [(each.path, each.gone, each.line) for each in refused.value.conflicts] == [
            ("a.txt", False, 2),
            ("c.txt", True, None),
        ]
        assert "2 files" in (refused.value.hint or "") and "--except-conflicts" in (refused.value.hint or "")
    assert texts(root) == last

    done = operations.undo_by_intent(root, Intent(session=""), except_conflicts=True)
    assert texts(root) == {"a.txt": last["a.txt"], "b.txt": "1\n2\n3\nmine\n", "d.txt": first["d.txt"]}
    assert (done.merged, [each.path for each in done.conflicts]) == ({"b.txt": (1, 0)}, ["a.txt", "c.txt"])
    with Workspace.open(root) as ws:
        assert [op.state for op in ws.log()[:2]] == [OperationState.DONE] * 2  # a part of them stands
    with pytest.raises(ConflictError) as refused:
        operations.undo_by_intent(root, Intent(session=""), except_conflicts=True)
    assert "--except-conflicts" not in (refused.value.hint or "")
    (root / "a.txt").write_text("1\nhis\n3\n")
    (root / "c.txt").write_text("1\nhis\n3\n")
    operations.undo_by_intent(root, Intent(session=""))
    assert texts(root) == {**first, "b.txt": "1\n2\n3\nmine\n"}
    for _ in range(2):
        operations.redo(root)
    assert texts(root) == {**last, "a.txt": "1\nhis\n3\n", "c.txt": "1\nhis\n3\n"}


@pytest.mark.parametrize("how", ["git reset --hard", "git rm", "made anew"])
def test_what_an_agent_took_from_the_user_comes_back(root: Path, outside: Outside, how: str) -> None:
    lines = "".join(f"line {n}\n" for n in range(9))
    (root / "a.txt").write_text(lines)
    outside.change({"a.txt": lines.replace("line 7", "his")})
    (root / "a.txt").write_text(lines.replace("line 7", "his").replace("line 1", "mine"))
    for text in {"git reset --hard": [lines], "git rm": [None], "made anew": [None, lines]}[how]:
        outside.change({"a.txt": text})
    last = texts(root)
    operations.undo_by_intent(root, Intent(session=""))
    for _ in range(2):
        assert texts(root) == {"a.txt": lines.replace("line 1", "mine")}
        operations.redo(root)
        assert texts(root) == last
        operations.undo_by_intent(root, Intent(session=""))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_edit_of_a_moved_file_goes_back_with_it(root: Path, outside: Outside, end: str) -> None:
    lines = [f"line {n}" for n in range(9)]
    (root / "old.md").write_bytes((end.join(lines) + end).encode())
    first = texts(root)
    outside.change({"old.md": None, "docs/new.md": first["old.md"]})
    outside.change({"docs/new.md": first["old.md"].replace("line 7", "his")})
    (root / "docs/new.md").write_bytes((root / "docs/new.md").read_bytes().replace(b"line 1", b"mine"))
    last = texts(root)
    done = operations.undo_by_intent(root, Intent(session=""))
    assert texts(root) == {"old.md": first["old.md"].replace("line 1", "mine")}
    assert (done.merged, done.conflicts) == ({"old.md": (1, 1)}, ())
    for _ in range(2):
        assert operations.redo(root).is_plain is False
        assert texts(root) == last
        operations.undo_by_intent(root, Intent(session=""))
        assert texts(root) == {"old.md": first["old.md"].replace("line 1", "mine")}
    operations.redo(root)
    (root / "docs/new.md").write_bytes((root / "docs/new.md").read_bytes().replace(b"his", b"mine too"))
    with pytest.raises(ConflictError):
        operations.undo_by_intent(root, Intent(session=""))
    (root / "docs/new.md").write_text(last["docs/new.md"], newline="")
    (root / "old.md").write_text("another\n")
    with pytest.raises(ConflictError):
        operations.undo_by_intent(root, Intent(session=""))


def test_both_names_of_a_renamed_file_are_left(root: Path) -> None:
    (root / "old.txt").write_text("1\n2\n3\n")
    with Workspace.open(root) as ws:
        changes = [
            FileChange("old.txt", "1\n2\n3\n", None),
            FileChange("new.txt", None, "1\ntwo\n3\n", source="old.txt"),
            FileChange("other.txt", None, "x\n"),
        ]
        done = ws.commit(changes, ws.snapshot(["old.txt", "new.txt", "other.txt"]))
        (root / "new.txt").write_text("1\nmine\n3\n")
        ws.undo(done.id, except_conflicts=True)
        assert {each.path for each in ws.conflicts} == {"old.txt", "new.txt"}
    assert texts(root) == {"new.txt": "1\nmine\n3\n"}


def test_plain_undo_takes_applies_alone_and_says_what_is_newer(root: Path, outside: Outside) -> None:
    with Workspace.open(root) as ws:
        ws.commit([FileChange("a.txt", None, "a\n")], ws.snapshot(["a.txt"]))
    outside.change({"b.txt": "b\n"})
    done = operations.undo(root)
    assert texts(root) == {"b.txt": "b\n"}
    assert any("undo --session" in note for note in done.notes)
    with pytest.raises(JournalError) as refused:
        operations.undo(root)
    assert "--session" in (refused.value.hint or "")


def test_a_recorded_change_bars_the_redo_of_its_own_files_alone(root: Path, outside: Outside) -> None:
    with Workspace.open(root) as ws:
        ws.commit([FileChange("a.txt", None, "a\n")], ws.snapshot(["a.txt"]))
        ws.undo()
    outside.change({"b.txt": "b\n"})
    operations.redo(root)
    assert texts(root) == {"a.txt": "a\n", "b.txt": "b\n"}
    operations.undo(root)
    outside.change({"a.txt": "other\n"})
    with pytest.raises(JournalError):
        operations.redo(root)


def test_changes_whose_call_is_unknown_are_a_group_of_their_own(root: Path, outside: Outside) -> None:
    outside.change({"a.txt": "a\n"})
    outside.change({"b.txt": "b\n"}, Origin("claude", "s1", 1))
    operations.undo_by_intent(root, Intent(session="s1", call=UNTOLD))
    assert texts(root) == {"a.txt": "a\n"}


def test_times_sessions_and_requests_that_are_not_there_are_refused(root: Path, outside: Outside) -> None:
    outside.change({"a.txt": "a\n"})
    outside.change({"b.txt": "b\n"}, Origin("claude", "s2", 1, "", "Write", ("t9",)), "2998-01-03T00:00:00Z")
    for wanted in (Intent(session="s9"), Intent(session="s"), Intent(prompt=7), Intent(since="2999-01-01T00:00:00Z")):
        with pytest.raises(JournalError):
            operations.undo_by_intent(root, wanted)
    for words in ({"prompt": "x"}, {"prompt": "0"}, {"since": "soon"}):
        with pytest.raises(UsageError):
            operations.intent_of(**{"session": None, "prompt": None, "call": None, "since": None, "paths": (), **words})
    operations.undo_by_intent(root, operations.intent_of(None, None, None, "2998-01-02T12:00:00+00:00", ()))
    assert texts(root) == {"a.txt": "a\n"}


def test_old_recorded_changes_are_dropped_and_applies_are_not(root: Path, outside: Outside) -> None:
    with Workspace.open(root) as ws:
        ws.commit([FileChange("a.txt", None, "a\n")], ws.snapshot(["a.txt"]))
    outside.change({"b.txt": "b\n"}, at="2026-01-01T00:00:00Z")
    outside.change({"c.txt": "c\n"})
    with Workspace.open(root) as ws:
        assert ws.prune(Limits(days=30)).operations == 1
        assert [operation.paths for operation in ws.log()] == [("a.txt",), ("c.txt",)]


def test_a_log_of_the_first_format_says_that_it_holds_more(root: Path, outside: Outside) -> None:
    with Workspace.open(root) as ws:
        ws.commit([FileChange("c.txt", None, "c\n")], ws.snapshot(["c.txt"]))
    log = root / ".dovetail/log"
    opened, operation = log.read_bytes().split(b"\n", 1)
    earlier = own_line(root, {"do": "open", "format": 1, "versions": "versions-1"})
    assert len(earlier) == len(opened) + 1
    log.write_bytes(earlier + operation)
    outside.change({"a.txt": "a\n"})
    first, rest = log.read_bytes().split(b"\n", 1)
    assert json.loads(first[9:])["format"] == 2
    assert int(first[:8], 16) == zlib.crc32(first[9:])
    assert json.loads(rest.split(b"\n")[-2][9:])["do"] == "recorded"
    with Workspace.open(root) as ws:
        assert len(ws.log()) == 2


def test_a_line_that_was_cut_off_is_no_operation(root: Path, outside: Outside) -> None:
    outside.change({"a.txt": "a\n"})
    outside.change({"a.txt": "b\n"})
    log = root / ".dovetail/log"
    log.write_bytes(log.read_bytes()[:-5])
    with Workspace.open(root) as ws:
        assert len(ws.log()) == 1
    outside.change({"a.txt": "c\n"})
    with Workspace.open(root) as ws:
        assert [op.state for op in ws.log()] == [OperationState.DONE] * 2


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (Intent(session="s1", prompt=2), "request 2 of session s1"),
        (Intent(session=""), "the newest session"),
        (Intent(call="t1", paths=("a.py", "b.py")), "call t1, in a.py, b.py"),
    ],
)
def test_what_is_meant_is_told_in_words(wanted: Intent, text: str) -> None:
    assert wanted.text == text


def test_a_refusal_names_ten_files_and_counts_the_others() -> None:
    conflicts = [Conflict(f"{n}.py", since="1", made_by="request 2 of claude") for n in range(12)]
    told = str(ConflictError(conflicts, "See what stays."))
    assert told.count("was edited since request 2 of claude") == 10
    assert told.endswith("and 2 more; nothing was changed.")


@pytest.mark.parametrize(
    ("label", "origin", "known_as"),
    [
        (Label.APPLY, None, "the edits of 3 May 14:05"),
        (Label.UNDO, None, "the undo of 3 May 14:05"),
        (Label.RECORDED, None, "the change of 3 May 14:05"),
        (Label.RECORDED, Origin("claude", "s1", 2), "request 2 of claude (3 May 14:05)"),
        (Label.RECORDED, Origin("claude", "s1"), "a change of claude (3 May 14:05)"),
    ],
)
def test_an_operation_is_known_by_more_than_its_id(label: Label, origin: Origin | None, known_as: str) -> None:
    noon = datetime(2026, 5, 3, 14, 5).astimezone().isoformat()
    assert Operation("id", noon, label, (), origin=origin).description == known_as
    assert "soon" in Operation("id", "soon", label, (), origin=origin).description, "of a damaged log"
