"""Undo and redo: exact bytes, whole or not at all, and merged where a file was edited since."""

from __future__ import annotations

import codecs
import json
import os
import stat
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from workspace_acts import Apply, commit_texts, contents, own_line

from dovetail.model.errors import JournalError
from dovetail.workspace import FileRecord, Label, Operation, OperationState, Version, Workspace
from dovetail.workspace.charsets import Charsets
from dovetail.workspace.directory import Directory
from dovetail.workspace.jail import Jail
from dovetail.workspace.journal.undo import Reversal, targets_of_undo

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def states(ws: Workspace) -> str:
    """The log in short: a, u, r for what was done, in capitals while it stands."""
    return "".join(op.label[0].upper() if op.state is OperationState.DONE else op.label[0] for op in ws.log())


def test_undo_brings_back_every_byte_and_bit(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "edited").write_bytes(codecs.BOM_UTF8 + b"one\r\ntwo\nthree")
    (root / "edited").chmod(0o755)
    (root / "deleted").write_bytes(b"\xef\xbb\xbf\r\n")
    (root / "deleted").chmod(0o600)
    before = contents(root)
    apply({"edited": "ONE\n", "deleted": None, "new/deep/f": "n"})
    after = contents(root)
    undone = ws.undo()
    assert contents(root) == before
    assert stat.S_IMODE((root / "edited").stat().st_mode) == 0o755
    assert stat.S_IMODE((root / "deleted").stat().st_mode) == 0o600
    assert undone.label is Label.UNDO
    assert undone.undoes == ws.log()[0].id
    ws.redo()
    assert contents(root) == after


def test_undo_goes_further_back_each_time_and_redo_forward_again(ws: Workspace, root: Path, apply: Apply) -> None:
    for text in "123":
        apply({"f": text})
    seen = []
    for act in (ws.undo, ws.undo, ws.redo, ws.undo, ws.undo, ws.redo, ws.redo, ws.redo):
        act()
        seen.append((root / "f").read_text() if (root / "f").exists() else "-")
    assert seen == ["2", "1", "2", "1", "-", "1", "2", "3"]
    with pytest.raises(JournalError, match="nothing to redo"):
        ws.redo()


def test_undo_to_takes_back_all_that_came_later_in_one_step(ws: Workspace, root: Path, apply: Apply) -> None:
    start = apply({"a": "1", "run.sh": "1"})
    (root / "run.sh").chmod(0o711)
    before = contents(root)
    apply({"a": "2", "d/new": "n"})
    apply({"bin/run.sh": "2"}, {"bin/run.sh": "run.sh"})
    apply({"bin/go.sh": "3", "a": None}, {"bin/go.sh": "bin/run.sh"})
    after = contents(root)
    shown = ws.would_undo_to(start.id)
    done = ws.undo_to(start.id)
    assert [file.path for file in shown.operation.files] == [file.path for file in done.files]
    assert (contents(root), states(ws)) == (before, "AaaaU")
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == 0o711
    assert done.reverses == tuple(operation.id for operation in reversed(ws.log()[1:4]))
    ws.redo()
    assert (contents(root), states(ws)) == (after, "AAAAuR")
    ws.undo(ws.log()[-1].id)
    assert (contents(root), states(ws)) == (before, "AaaaUrU")


def test_undo_to_leaves_alone_what_was_taken_back_already(ws: Workspace, root: Path, apply: Apply) -> None:
    for text in "1234":
        apply({"f": text})
    first, _, third, _ = ws.log()
    ws.undo()
    ws.undo(third.id)
    ws.undo_to(first.id)
    assert ((root / "f").read_text(), states(ws)) == ("1", "AaaaUUU")
    with pytest.raises(JournalError, match=f"No apply after {first.description} stands") as caught:
        ws.undo_to(first.id)
    assert caught.value.hint == f"To take back that one itself: dovetail undo {first.id}"
    apply({"f": "5"})
    ws.undo_to(ws.log()[0].id)
    assert (root / "f").read_text() == "1"


def test_undo_to_merges_or_changes_nothing(ws: Workspace, root: Path, apply: Apply) -> None:
    lines = [f"line {n}\n" for n in range(9)]
    start = apply({"f": "".join(lines), "g": "1\n"})
    apply({"f": "".join([*lines[:8], "eight\n"]), "g": "2\n"})
    (root / "f").write_text((root / "f").read_text().replace("line 0", "mine"))
    apply({"f": (root / "f").read_text().replace("line 4", "four")})
    (root / "f").write_text((root / "f").read_text().replace("line 2", "mine too"))
    mine = contents(root)
    (root / "g").write_text("mine\n")
    with pytest.raises(JournalError, match="`g` was edited since"):
        ws.undo_to(start.id)
    assert contents(root) == {**mine, "g": b"mine\n"}
    (root / "g").write_text("2\n")
    ws.undo_to(start.id)
    assert (root / "f").read_text() == "".join(["mine\n", lines[1], "mine too\n", *lines[3:]])
    assert (root / "g").read_text() == "1\n"


def test_undo_with_nothing_left(ws: Workspace, apply: Apply) -> None:
    with pytest.raises(JournalError, match="nothing to undo"):
        ws.undo()
    apply({"f": "1"})
    ws.undo()
    with pytest.raises(JournalError, match="nothing to undo"):
        ws.undo()


def test_what_has_nothing_to_take_back_makes_no_journal(ws: Workspace, root: Path) -> None:
    for act in (ws.undo, ws.redo, lambda: ws.undo("20260102")):
        with pytest.raises(JournalError, match="There is no"):
            act()
    assert ws.prune().operations == 0
    assert contents(root) == {}
    assert not (root / ".dovetail").exists()


def test_a_new_apply_drops_redo(ws: Workspace, apply: Apply) -> None:
    apply({"f": "1"})
    ws.undo()
    apply({"g": "1"})
    with pytest.raises(JournalError, match="nothing to redo"):
        ws.redo()
    assert states(ws) == "aUA"


def test_an_operation_is_undone_by_id_under_later_ones(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "f").write_text("1\n2\n3\n4\n5\n")
    first = apply({"f": "one\n2\n3\n4\n5\n"})
    apply({"f": "one\n2\n3\n4\nfive\n"})
    ws.undo(first.id)
    assert (root / "f").read_text() == "1\n2\n3\n4\nfive\n"
    assert states(ws) == "aAU"
    ws.undo()
    assert (root / "f").read_text() == "1\n2\n3\n4\n5\n"
    ws.redo()
    ws.redo()
    assert (root / "f").read_text() == "one\n2\n3\n4\nfive\n"


def test_taking_back_an_undo_or_a_redo_by_id(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"f": "1"})
    undone = ws.undo()
    redone = ws.undo(undone.id)
    assert (redone.label, (root / "f").read_text()) == (Label.REDO, "1")
    again = ws.undo(redone.id)
    assert (again.label, (root / "f").exists()) == (Label.UNDO, False)
    assert states(ws) == "aurU"
    for gone in (undone, redone):
        with pytest.raises(JournalError, match=r"Already taken back: the (edits|undo|redo) of"):
            ws.undo(gone.id)


def test_a_redo_stands_no_longer_than_what_it_brought_again(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"f": "1"})
    ws.undo()
    redone = ws.redo()
    ws.undo()
    assert states(ws) == "aurU"
    apply({"f": "2"})
    with pytest.raises(JournalError, match=r"Already taken back: the (edits|undo|redo) of"):
        ws.undo(redone.id)
    assert (root / "f").read_text() == "2"


def test_a_part_is_not_brought_again_where_the_whole_is_taken_back(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "f").write_text("1\n2\n3\n")
    operation = apply({"f": "one\n2\nthree\n"})
    part = ws.revert(operation.id, Reversal([1], {"f": "1\n2\nthree\n"}, ws.snapshot(["f"])))
    again = ws.redo()
    whole = ws.undo()
    for gone in (part, again):
        with pytest.raises(JournalError, match=r"Already taken back: the (edits|undo|redo) of"):
            ws.undo(gone.id)
    assert (root / "f").read_text() == "1\n2\n3\n"
    ws.undo(whole.id)
    ws.undo(again.id)
    assert (root / "f").read_text() == "1\n2\nthree\n"


def test_a_part_that_was_taken_back_goes_with_the_whole(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "f").write_text("1\n2\n3\n")
    operation = apply({"f": "one\n2\nthree\n"})
    part = ws.revert(operation.id, Reversal([1], {"f": "1\n2\nthree\n"}, ws.snapshot(["f"])))
    ws.undo()
    with pytest.raises(JournalError, match=r"Already taken back: the (edits|undo|redo) of"):
        ws.undo(part.id)
    assert (root / "f").read_text() == "1\n2\n3\n"


def test_ids_are_found_by_a_part_that_only_one_has(ws: Workspace, apply: Apply) -> None:
    one, two = apply({"f": "1"}), apply({"f": "2"})
    assert one.id < two.id
    assert ws.show(two.id[9:]).operation.id == two.id
    with pytest.raises(JournalError, match="stands for"):
        ws.show(two.id[:6])
    for wanted in ("nothing", ""):
        with pytest.raises(JournalError, match="no operation"):
            ws.show(wanted)


def test_a_file_edited_since_is_merged(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "f").write_bytes(b"1\r\n2\r\n3\r\n4\r\n5\r\n")
    apply({"f": "1\r\nTWO\r\n3\r\n4\r\n5\r\n", "g": "new"})
    (root / "f").write_bytes(b"1\r\nTWO\r\n3\r\n4\r\nmine\r\n")
    ws.undo()
    assert contents(root) == {"f": b"1\r\n2\r\n3\r\n4\r\nmine\r\n"}


REFUSED = {
    "same lines": lambda root: (root / "f").write_text("1\nmine\n3\n"),
    "no text by now": lambda root: (root / "f").write_bytes(b"1\0"),
    "other encoding by now": lambda root: (root / "f").write_bytes(b"TWO\n\xe9\x01\n"),
    "deleted since": lambda root: (root / "f").unlink(),
    "a new file edited": lambda root: (root / "new").write_text("mine"),
    "a deleted file made again": lambda root: (root / "old").write_text("mine"),
}


@pytest.mark.parametrize("how", REFUSED)
def test_undo_refuses_whole_where_it_cannot_merge(ws: Workspace, root: Path, apply: Apply, how: str) -> None:
    (root / "f").write_text("1\n2\n3\n")
    (root / "old").write_text("old")
    (root / "z").write_text("z")
    operation = apply({"f": "1\nTWO\n3\n", "new": "new", "old": None, "z": "Z"})
    REFUSED[how](root)
    before = contents(root)
    with pytest.raises(JournalError, match="nothing was changed") as raised:
        ws.undo()
    assert operation.id in f"{raised.value.hint}"
    assert ("is gone" in str(raised.value)) == (how == "deleted since")
    assert ("at line 2 too" in str(raised.value)) == (how == "same lines")
    assert contents(root) == before
    assert states(ws) == "A"


def test_files_put_back_by_hand_are_left_and_the_rest_is_undone(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "a").write_text("a")
    apply({"a": "A", "b": "B"})
    (root / "a").write_text("a")
    assert ws.undo().paths == ("b",)
    assert contents(root) == {"a": b"a"}
    apply({"c": "C"})
    (root / "c").unlink()
    assert ws.undo().paths == ()
    assert states(ws) == "aUaU"


def test_mode_bits_that_the_user_changed_since_stay(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "f").write_text("a")
    (root / "f").chmod(0o644)
    apply({"f": "b"})
    (root / "f").chmod(0o755)
    ws.undo()
    assert (root / "f").read_text() == "a"
    assert stat.S_IMODE((root / "f").stat().st_mode) == 0o755


def test_folders_that_an_operation_made_go_only_when_empty(ws: Workspace, root: Path, apply: Apply) -> None:
    apply({"a/b/c/f": "1", "a/x": "2"})
    (root / "a/b/mine").write_text("mine")
    ws.undo()
    assert contents(root) == {"a/": b"", "a/b/": b"", "a/b/mine": b"mine"}
    ws.redo()
    assert (root / "a/b/c/f").read_text() == "1"


def test_a_mode_comes_back_to_a_file_that_has_another_name_by_now(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "over").write_text("over\n")
    (root / "over").chmod(0o640)
    (root / "run").write_text("run\n")
    (root / "run").chmod(0o755)
    apply({"over": "run\n"}, {"over": "run"})
    (root / "twin").hardlink_to(root / "over")
    ws.undo()
    assert contents(root) == {"over": b"over\n", "run": b"run\n", "twin": b"over\n"}
    assert stat.S_IMODE((root / "over").stat().st_mode) == 0o640


def test_a_rename_is_undone_with_mode_and_bytes(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "a.sh").write_bytes(codecs.BOM_UTF16_LE + "é\r\n".encode("utf-16-le"))
    (root / "a.sh").chmod(0o711)
    before = contents(root)
    apply({"sub/b.sh": "é\r\nü\r\n"}, {"sub/b.sh": "a.sh"})
    after = contents(root)
    assert after["sub/b.sh"] == codecs.BOM_UTF16_LE + "é\r\nü\r\n".encode("utf-16-le")
    ws.undo()
    assert contents(root) == before
    assert stat.S_IMODE((root / "a.sh").stat().st_mode) == 0o711
    ws.redo()
    assert contents(root) == after


def test_undo_goes_through_links_and_keeps_hard_links(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "real").write_text("a")
    (root / "link").symlink_to("real")
    (root / "h1").write_text("h")
    (root / "h2").hardlink_to(root / "h1")
    apply({"link": "b", "h1": "H"})
    assert (root / "h2").read_text() == "H"
    ws.undo()
    assert (root / "link").is_symlink()
    assert (root / "real").read_text() == "a"
    assert (root / "h2").read_text() == "h"
    assert (root / "h1").stat().st_nlink == 2


def test_an_undo_is_a_transaction_too(root: Path) -> None:
    """A failure in the middle of an undo leaves the files as the operation left them."""
    acts: list[str] = []

    def fail(step: str) -> None:
        acts.append(step)
        if step == "replace" and acts.count("replace") == 3:
            raise KeyboardInterrupt

    with Workspace.open(root) as ws:
        commit_texts(ws, {"a": "1", "b": "2", "c": "3"})
    after = contents(root)
    with Workspace.open(root, step=fail) as ws:
        with pytest.raises(KeyboardInterrupt):
            ws.undo()
        assert contents(root) == after
        assert states(ws) == "A"


@pytest.mark.parametrize("how", ["gone", "empty", "shorter", "zeros"])
def test_what_follows_a_damaged_journal_can_be_taken_back(ws: Workspace, root: Path, apply: Apply, how: str) -> None:
    """A version is kept once; where the journal names it and has lost it, it is kept again."""
    apply({"a": "one\n"})
    apply({"a": "two\n"})
    versions = root / ".dovetail/versions-1"
    data = versions.read_bytes()
    damaged = {"empty": b"", "shorter": data[:-1], "zeros": bytes(len(data))}
    versions.unlink() if how == "gone" else versions.write_bytes(damaged[how])
    apply({"a": "three\n"})
    ws.undo()
    assert (root / "a").read_text() == "two\n"
    ws.redo()
    assert (root / "a").read_text() == "three\n"


def test_many_files_are_taken_back_with_work_linear_in_their_number(root: Path) -> None:
    def calls(number: int) -> int:
        version = Version("0" * 64, 0o644)
        gone = tuple(FileRecord(f"{n}", version, None, real=f"{n}") for n in range(number))
        back = tuple(FileRecord(f"{n}", None, version, real=f"{n}") for n in range(number))
        operation = Operation("20260102-030405", "", Label.APPLY, gone)
        undone = Operation("20260102-030406", "", Label.UNDO, back, undoes=operation.id)
        again = Operation("20260102-030407", "", Label.REDO, gone, undoes=undone.id)
        operations = {op.id: op for op in (operation, undone, again)}
        count = 0

        def note(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal count
            count += event in {"call", "c_call"}

        with Directory.open(str(root)) as top:
            sys.setprofile(note)
            try:
                targets = targets_of_undo(Jail(top), Charsets(root), operations, [operation], lambda _: b"").targets
            finally:
                sys.setprofile(None)
        assert len(targets) == number
        return count

    assert calls(4000) < 6 * calls(1000)


def test_some_edits_are_taken_back_and_brought_again(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "f").write_text("1\n2\n3\n")
    operation = apply({"f": "one\n2\nthree\n"})
    undone = ws.revert(operation.id, Reversal([1], {"f": "1\n2\nthree\n"}, ws.snapshot(["f"])))
    assert (undone.label, undone.undoes, undone.edits) == (Label.UNDO, operation.id, (1,))
    assert states(ws) == "AU"
    ws.redo()
    assert (root / "f").read_text() == "one\n2\nthree\n"
    ws.revert(operation.id, Reversal([1], {"f": "1\n2\nthree\n"}, ws.snapshot(["f"])))
    ws.undo()
    assert (root / "f").read_text() == "1\n2\n3\n"


def test_the_rest_of_a_part_next_to_it_is_taken_back_with_every_byte(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "f").write_text("1\n2\n3\n")
    operation = apply({"f": "one\ntwo\n3\n"})
    ws.revert(operation.id, Reversal([1], {"f": "1\ntwo\n3\n"}, ws.snapshot(["f"])))
    ws.undo()
    assert (root / "f").read_text() == "1\n2\n3\n"


def test_what_the_user_wrote_before_a_part_was_taken_back_stays(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "f").write_text("1\n2\n3\n4\n5\n")
    operation = apply({"f": "one\n2\nthree\n4\n5\n"})
    (root / "f").write_text("one\n2\nthree\n4\nmine\n")
    (root / "f").chmod(0o750)
    ws.revert(operation.id, Reversal([1], {"f": "1\n2\nthree\n4\nmine\n"}, ws.snapshot(["f"])))
    ws.undo()
    assert (root / "f").read_text() == "1\n2\n3\n4\nmine\n"
    assert stat.S_IMODE((root / "f").stat().st_mode) == 0o750


def test_what_single_edits_made_goes_with_its_folders_and_what_they_removed_comes_back_as_it_was(
    ws: Workspace, root: Path, apply: Apply
) -> None:
    (root / "run").write_text("r\n")
    (root / "run").chmod(0o750)
    before = contents(root)
    operation = apply({"run": None, "new/deep/f": "f\n", "other/g": "g\n"})
    ws.revert(operation.id, Reversal([1], {"run": b"r\n"}, ws.snapshot(["run"])))
    assert (root / "run").stat().st_mode & 0o777 == 0o750
    ws.revert(operation.id, Reversal([2], {"new/deep/f": None}, ws.snapshot(["new/deep/f"])))
    assert contents(root) == {**before, "other/": b"", "other/g": b"g\n"}
    ws.redo()
    assert (root / "new/deep/f").read_text() == "f\n"


def traits(path: Path) -> tuple[int, int, int, dict[str, bytes]]:
    info = path.stat()
    listed = os.listxattr(path) if hasattr(os, "listxattr") else ()
    return info.st_uid, info.st_gid, info.st_mode, {key: os.getxattr(path, key) for key in listed}


@pytest.mark.parametrize("how", ["whole", "edit", "stopped", "older journal"])
def test_a_deleted_file_comes_back_with_its_owner_and_attributes(root: Path, how: str) -> None:
    def stop(step: str) -> None:
        if step == "flush" and how == "stopped":
            raise KeyboardInterrupt

    file = root / "f"
    file.write_text("f\n")
    if IS_ROOT:
        os.chown(file, 12345, 54321)
    file.chmod(0o4750)
    with suppress(OSError, AttributeError):
        os.setxattr(file, "user.note", b"\0kept\xff")
        entries = [(1, 7, -1), (2, 6, 12345), (4, 5, -1), (16, 7, -1), (32, 0, -1)]  # see acl(5)
        packed = b"".join(struct.pack("<HHi", *entry) for entry in entries)
        os.setxattr(file, "system.posix_acl_access", struct.pack("<I", 2) + packed)
    before = traits(file)
    # A journal gives no file back the bits that make a program run as somebody else.
    back = before if how == "stopped" else (*before[:2], before[2] & ~0o7000, before[3])
    with Workspace.open(root, step=stop) as ws:
        if how == "stopped":
            with pytest.raises(KeyboardInterrupt):
                commit_texts(ws, {"f": None})
        else:
            operation = commit_texts(ws, {"f": None})
            assert contents(root) == {}
        if how == "edit":
            ws.revert(operation.id, Reversal([1], {"f": b"f\n"}, ws.snapshot(["f"])))
        if how == "older journal":
            log = root / ".dovetail/log"
            records = [json.loads(line[9:]) for line in log.read_bytes().splitlines()]
            version = records[1]["operation"]["files"][0]["before"]
            del version["owner"]
            version.pop("attributes", None)
            for record in records:
                record.pop("proof")
            log.write_bytes(b"".join(own_line(root, record) for record in records))
        if how in ("whole", "older journal"):
            ws.undo()
    if how == "older journal":
        assert traits(file)[2:] == (back[2], {})
    else:
        assert traits(file) == back


UNPRIVILEGED = """
import os, sys
from pathlib import Path
from types import FrameType
sys.path.insert(0, sys.argv[2])
from dovetail.workspace import Workspace
from workspace_acts import commit_texts
os.chdir("/")
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
with Workspace.open(Path(sys.argv[1])) as ws:
    commit_texts(ws, {"theirs": None, "mine": None})
    ws.undo()
"""


@pytest.mark.skipif(not IS_ROOT, reason="only root can become somebody else")
def test_no_program_comes_back_as_one_that_runs_as_somebody_else() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to other users
        root = Path(folder)
        root.chmod(0o777)
        for name, owner in (("theirs", 12345), ("mine", 65534)):
            (root / name).write_text(name)
            os.chown(root / name, owner, owner)
            (root / name).chmod(0o6757)
        subprocess.run([sys.executable, "-c", UNPRIVILEGED, folder, str(Path(__file__).parent)], check=True)
        assert contents(root) == {"theirs": b"theirs", "mine": b"mine"}
        assert traits(root / "theirs")[:3] == (65534, 65534, 0o100757)
        assert traits(root / "mine")[:3] == (65534, 65534, 0o100757)


def test_show_has_everything(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "old").write_bytes(codecs.BOM_UTF8 + b"o\r\n")
    operation = apply({"new": "n", "old": None})
    shown = ws.show(operation.id)
    assert (shown.reply, shown.results) == ("reply", ({"n": 1},))
    assert (shown.versions["new"].before, shown.versions["new"].after_text) == (None, "n")
    assert shown.versions["old"].before == codecs.BOM_UTF8 + b"o\r\n"
    assert shown.versions["old"].before_text == "o\r\n"


def test_a_reply_is_found_while_its_operation_stands(ws: Workspace, apply: Apply) -> None:
    assert ws.find_reply("reply") is None
    operation = apply({"f": "1"})
    assert ws.find_reply("reply") == operation
    assert ws.find_reply("other") is None
    ws.undo()
    assert ws.find_reply("reply") is None


TEXTS = st.dictionaries(
    st.sampled_from(["a", "b", "d/e", "d/f/g"]),
    st.one_of(st.none(), st.text("xé\r\n", max_size=8)),
    min_size=1,
)


@settings(max_examples=25, deadline=None)
@given(start=TEXTS, sets=st.lists(TEXTS, min_size=1, max_size=4))
def test_undoing_everything_is_identity(start: dict[str, str | None], sets: list[dict[str, str | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, text in start.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes((text or "").encode())
        with Workspace.open(root) as ws:
            seen = [contents(root)]
            for texts in sets:
                now = {path: (root / path).read_bytes().decode() for path in texts if (root / path).exists()}
                if any(now.get(path) != text for path, text in texts.items()):
                    commit_texts(ws, texts)
                    seen.append(contents(root))
            for earlier in reversed(seen[:-1]):
                ws.undo()
                assert contents(root) == earlier
            for later in seen[1:]:
                ws.redo()
                assert contents(root) == later
            applied = [operation.id for operation in ws.log() if operation.label is Label.APPLY]
            for name, earlier in zip(applied[:-1], seen[1:], strict=False):
                # A folder that was left empty does not come back by a redo, and so not for the next turn either.
                for act, wanted in ((partial(ws.undo_to, name), earlier), (ws.redo, seen[-1])):
                    act()
                    now = contents(root)
                    assert now == {path: data for path, data in wanted.items() if path in now or path[-1] != "/"}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permission bits")
def test_the_journal_is_private_and_ignored(root: Path, apply: Apply) -> None:
    apply({"f": "secret"})
    folder = root / ".dovetail"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert (folder / ".gitignore").read_text() == "*\n"


def test_one_of_several_that_were_undone_and_redone_at_once_is_undone_alone(ws: Workspace, root: Path) -> None:
    lines = [f"{n}\n" for n in range(20)]

    def text(**changed: str) -> str:
        return "".join(changed.get(f"at{n}", line) for n, line in enumerate(lines))

    (root / "a").write_text(text())
    start = commit_texts(ws, {"b": "b"})
    first = commit_texts(ws, {"a": text(at2="first\n")})
    second = commit_texts(ws, {"a": text(at2="first\n", at15="second\n")})
    ws.undo_to(start.id)
    ws.redo()
    ws.undo(first.id)
    assert (root / "a").read_text() == text(at15="second\n")
    ws.undo(second.id)
    assert (root / "a").read_text() == text()


def test_what_was_undone_and_redone_at_once_is_undone_one_by_one(ws: Workspace, root: Path) -> None:
    (root / "a").write_text("0\n")
    start = commit_texts(ws, {"b": "b"})
    for text in ("1\n", "2\n"):
        commit_texts(ws, {"a": text})
    ws.undo_to(start.id)
    ws.redo()
    ws.undo()
    assert (root / "a").read_text() == "1\n"
    ws.undo()
    assert (root / "a").read_text() == "0\n"
