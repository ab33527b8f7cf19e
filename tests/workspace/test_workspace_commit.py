"""Committing: all files or none, and not one byte or bit more than asked."""

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
from pathlib import Path

import pytest
from workspace_acts import Apply, commit_texts, contents

from dovetail.model.errors import ChangedError, JailError, UsageError, WorkspaceError
from dovetail.model.results import FileChange
from dovetail.workspace import Workspace, files
from dovetail.workspace.directory import Directory

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def test_writes_edits_creations_and_deletions_in_one_set(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "a.txt").write_text("a\n")
    (root / "old.txt").write_text("old\n")
    operation = apply({"a.txt": "A\n", "new/deep/b.txt": "b", "old.txt": None})
    assert contents(root) == {"a.txt": b"A\n", "new/": b"", "new/deep/": b"", "new/deep/b.txt": b"b"}
    assert operation.paths == ("a.txt", "new/deep/b.txt", "old.txt")
    assert operation.folders == ("new", "new/deep")


ENCODED = [
    (codecs.BOM_UTF8 + b"one\r\ntwo\n", "one\r\nTWO\n", codecs.BOM_UTF8 + b"one\r\nTWO\n"),
    (
        codecs.BOM_UTF16_LE + "é\r\n".encode("utf-16-le"),
        "é\r\nü",
        codecs.BOM_UTF16_LE + "é\r\nü".encode("utf-16-le"),
    ),
    (codecs.BOM_UTF16_BE + "a\n".encode("utf-16-be"), "", codecs.BOM_UTF16_BE),
    (b"no end", "no end, still", b"no end, still"),
    (b"emptied\n", "", b""),
    (b"", "filled\n", b"filled\n"),
]


@pytest.mark.parametrize(("before", "text", "after"), ENCODED)
def test_a_file_keeps_its_encoding_and_line_ends(
    root: Path, apply: Apply, before: bytes, text: str, after: bytes
) -> None:
    (root / "f").write_bytes(before)
    apply({"f": text})
    assert (root / "f").read_bytes() == after


@pytest.mark.parametrize("text", ["\ud800", "a\0"], ids=ascii)
def test_text_that_cannot_be_encoded_stops_the_whole_set(root: Path, apply: Apply, text: str) -> None:
    (root / "a").write_text("a")
    with pytest.raises(WorkspaceError) as raised:
        apply({"a": "A", "b": text})
    assert raised.value.code == "encoding"
    assert contents(root) == {"a": b"a"}


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o2750, 0o664])
def test_mode_bits_survive(root: Path, apply: Apply, mode: int) -> None:
    file = root / "f.sh"
    file.write_text("a")
    file.chmod(mode)
    apply({"f.sh": "b"})
    assert stat.S_IMODE(file.stat().st_mode) == mode


def test_a_new_file_follows_the_umask(root: Path, apply: Apply) -> None:
    old = os.umask(0o027)
    try:
        apply({"new/f": "a"})
    finally:
        os.umask(old)
    assert stat.S_IMODE((root / "new/f").stat().st_mode) == 0o640
    assert stat.S_IMODE((root / "new").stat().st_mode) == 0o750


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_the_owner_survives(root: Path, apply: Apply) -> None:
    file = root / "f"
    file.write_text("a")
    os.chown(file, 12345, 54321)
    file.chmod(0o4755)
    apply({"f": "b"})
    info = file.stat()
    assert (info.st_uid, info.st_gid, stat.S_IMODE(info.st_mode)) == (12345, 54321, 0o4755)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes on this system")
def test_extended_attributes_survive(root: Path, apply: Apply) -> None:
    (root / "f").write_text("a")
    try:
        os.setxattr(root / "f", "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    apply({"f": "b"})
    assert os.getxattr(root / "f", "user.note") == b"kept"


def access_list(bits: int, guest: int) -> bytes:
    """An access list that lets user 12345 in besides those whom mode bits name; see acl(5)."""
    mask, others = guest | bits >> 3 & 7, bits & 7
    entries = [(1, bits >> 6, -1), (2, guest, 12345), (4, bits >> 3 & 7, -1), (16, mask, -1), (32, others, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes on this system")
def test_a_file_has_its_own_access_list_and_not_its_folder_s(root: Path, apply: Apply) -> None:
    for name in ("f", "with", "old"):
        (root / name).write_text("a")
        (root / name).chmod(0o640)
    try:
        os.setxattr(root / "with", "system.posix_acl_access", access_list(0o640, 6))
        os.setxattr(root, "system.posix_acl_default", access_list(0o770, 7))
    except OSError:
        pytest.skip("this file system has no access lists")
    before = (os.getxattr(root / "with", "system.posix_acl_access"), (root / "with").stat().st_mode)
    apply({"f": "b", "with": "b", "new": "a", "old": None}, {"new": "old"})
    assert (os.getxattr(root / "with", "system.posix_acl_access"), (root / "with").stat().st_mode) == before
    assert [os.listxattr(root / name) for name in ("f", "new")] == [[], []]
    assert [stat.S_IMODE((root / name).stat().st_mode) for name in ("f", "new")] == [0o640, 0o640]


@pytest.mark.skipif(not IS_ROOT, reason="only root can mount")
def test_a_file_that_is_mounted_by_itself_is_written_in_place(root: Path) -> None:
    (root / "in here").mkdir()
    file, source = root / "in here/f", root.parent / "source"
    file.touch()
    source.write_text("a")
    if subprocess.run(["mount", "--bind", str(source), str(file)], capture_output=True, check=False).returncode:
        pytest.skip("mounting a file takes Linux")
    try:
        with Workspace.open(root) as ws:
            assert ws.snapshot(["in here/f", "in here/g"]).fixed == {"in here/f"}
            operation = commit_texts(ws, {"in here/f": "b", "g": "g"})
            assert [record.path for record in operation.files if record.in_place] == ["in here/f"]
            assert source.read_text() == "b"
            ws.undo()
            assert source.read_text() == "a"
    finally:
        subprocess.run(["umount", str(file)], check=True)


def test_a_hard_linked_file_is_written_in_place(root: Path, apply: Apply) -> None:
    (root / "a").write_text("long text\n" * 100)
    (root.parent / "twin").hardlink_to(root / "a")
    inode = (root / "a").stat().st_ino
    operation = apply({"a": "short\n"})
    assert (root / "a").stat().st_ino == inode
    assert (root.parent / "twin").read_text() == "short\n"
    assert operation.files[0].in_place


def test_a_hard_linked_file_is_not_renamed_away_from_its_other_names(root: Path, apply: Apply) -> None:
    (root / "a").write_text("a")
    (root / "twin").hardlink_to(root / "a")
    with pytest.raises(WorkspaceError, match="`a` has further names"):
        apply({"b": "b"}, {"b": "a"})
    assert contents(root) == {"a": b"a", "twin": b"a"}
    assert (root / "twin").samefile(root / "a")
    apply({"a": None})
    assert contents(root) == {"twin": b"a"}


def test_a_link_inside_is_written_through(root: Path, apply: Apply) -> None:
    (root / "real").mkdir()
    (root / "real/f").write_text("a")
    (root / "file").symlink_to("real/f")
    (root / "folder").symlink_to("real")
    apply({"file": "b", "folder/new": "n"})
    assert (root / "file").is_symlink()
    assert (root / "folder").is_symlink()
    assert (root / "real/f").read_text() == "b"
    assert (root / "real/new").read_text() == "n"


@pytest.mark.parametrize("how", ["deleted", "renamed"])
def test_a_link_itself_is_neither_deleted_nor_renamed(root: Path, apply: Apply, how: str) -> None:
    (root / "f").write_text("a")
    (root / "l").symlink_to("f")
    with pytest.raises(WorkspaceError, match="is a link"):
        apply({"l": None} if how == "deleted" else {"m": "a"}, {} if how == "deleted" else {"m": "l"})
    assert (root / "l").is_symlink()
    assert sorted(contents(root)) == ["f", "l"]


def test_one_file_under_two_names_is_refused(root: Path, apply: Apply) -> None:
    (root / "f").write_text("a")
    (root / "l").symlink_to("f")
    with pytest.raises(WorkspaceError, match="are one file"):
        apply({"f": "b", "l": "c"})
    (root / "l").unlink()
    (root / "l").hardlink_to(root / "f")
    with pytest.raises(WorkspaceError, match="are one file"):
        apply({"f": "b", "l": "c"})
    assert (root / "f").read_text() == "a"


def test_one_new_file_under_two_names_is_refused(root: Path, apply: Apply) -> None:
    (root / "real").mkdir()
    (root / "link").symlink_to("real")
    with pytest.raises(WorkspaceError, match="are one file"):
        apply({"real/new": "1", "link/new": "2"})
    assert sorted(contents(root)) == ["link", "real/"]


def test_a_file_becomes_a_folder_and_a_folder_a_file(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "q").write_text("q\n")
    (root / "q").chmod(0o750)
    (root / "d/in").mkdir(parents=True)
    (root / "d/in/x").write_text("x\n")
    before = contents(root)
    apply({"q/x": "Q\n", "q/deep/y": "y\n", "d": "d\n", "d/in/x": None}, {"q/x": "q"})
    after = contents(root)
    assert after == {"d": b"d\n", "q/": b"", "q/deep/": b"", "q/deep/y": b"y\n", "q/x": b"Q\n"}
    assert (root / "q/x").stat().st_mode & 0o777 == 0o750
    ws.undo()
    assert contents(root) == before
    assert (root / "q").stat().st_mode & 0o777 == 0o750
    ws.redo()
    assert contents(root) == after


@pytest.mark.parametrize("texts", [{"q/x": "x\n"}, {"q": "Q\n", "q/x": "x\n"}], ids=["stays", "is edited"])
def test_nothing_is_made_below_a_file_that_stays(root: Path, apply: Apply, texts: dict[str, str]) -> None:
    (root / "q").write_text("q\n")
    with pytest.raises((WorkspaceError, ChangedError), match="`q` is no folder"):
        apply(texts)
    assert contents(root) == {"q": b"q\n"}


@pytest.mark.parametrize(
    "texts", [{"q": "q\n", "q/x": "x\n"}, {"q/x": "x\n", "q/x/y/z": "z\n"}], ids=["beside", "deeper"]
)
def test_no_set_makes_a_file_and_a_file_below_it(root: Path, texts: dict[str, str]) -> None:
    """It was staged whole, and a crash then left it to the next start, which could not complete it."""
    steps: list[str] = []
    with (
        Workspace.open(root, step=steps.append) as ws,
        pytest.raises(WorkspaceError, match="and the folder of") as refused,
    ):
        commit_texts(ws, texts)
    assert refused.value.code == "file-exists"
    assert (steps, contents(root)) == ([], {})


def test_a_folder_that_holds_more_makes_no_place_for_a_file(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "q").write_text("q\n")
    apply({"q": None, "q/x": "x\n"})
    (root / "q/mine").write_text("m\n")
    before = contents(root)
    for act in (ws.would_undo, ws.undo):
        with pytest.raises(WorkspaceError, match="`q` is a folder that holds `q/mine` too") as raised:
            act()
        assert raised.value.code == "file-exists"
        assert contents(root) == before
    (root / "q/mine").unlink()
    (root / "q/empty").mkdir()
    ws.undo()
    assert contents(root) == {"q": b"q\n"}


def test_an_empty_folder_makes_place_for_a_file(ws: Workspace, root: Path, apply: Apply) -> None:
    """A deletion leaves such a folder behind; neither a model nor git sees it."""
    (root / "d/in").mkdir(parents=True)
    (root / "d/in/x").write_text("x\n")
    (root / "e").write_text("e\n")
    apply({"d/in/x": None})
    apply({"d": "e\n"}, {"d": "e"})
    assert contents(root) == {"d": b"e\n"}
    ws.undo()
    assert contents(root) == {"e": b"e\n"}
    ws.undo()
    assert contents(root) == {"d/": b"", "d/in/": b"", "d/in/x": b"x\n", "e": b"e\n"}


def test_a_folder_of_the_user_s_stays_where_what_was_made_there_is_taken_back(
    ws: Workspace, root: Path, apply: Apply
) -> None:
    apply({"made": "m\n", "too": "t\n"})
    (root / "made").unlink()
    (root / "made").mkdir()
    (root / "made/mine").write_text("mine\n")
    ws.undo()
    assert contents(root) == {"made/": b"", "made/mine": b"mine\n"}


def test_a_folder_that_is_filled_at_the_last_moment_stops_the_set(root: Path) -> None:
    def fill(step: str) -> None:
        if step == "ready":
            (root / "q/mine").write_text("m\n")

    (root / "q").mkdir()
    (root / "q/x").write_text("x\n")
    with Workspace.open(root, step=fill) as ws, pytest.raises(ChangedError, match="`q` changed"):
        commit_texts(ws, {"q": "q\n", "q/x": None})
    assert contents(root) == {"q/": b"", "q/mine": b"m\n", "q/x": b"x\n"}


def test_a_path_named_twice_is_refused(ws: Workspace, root: Path) -> None:
    (root / "a").write_text("a")
    with pytest.raises(WorkspaceError, match="twice"):
        ws.commit([FileChange("a", "a", "b"), FileChange("a", "a", "c")], ws.snapshot(["a"]))
    assert (root / "a").read_text() == "a"


def test_a_rename_carries_bytes_mode_and_encoding(root: Path, apply: Apply) -> None:
    (root / "a.sh").write_bytes(codecs.BOM_UTF8 + b"x\r\n")
    (root / "a.sh").chmod(0o750)
    operation = apply({"bin/b.sh": "y\r\n"}, {"bin/b.sh": "a.sh"})
    assert contents(root) == {"bin/": b"", "bin/b.sh": codecs.BOM_UTF8 + b"y\r\n"}
    assert stat.S_IMODE((root / "bin/b.sh").stat().st_mode) == 0o750
    assert {record.path: record.source for record in operation.files} == {"a.sh": None, "bin/b.sh": "a.sh"}


def test_a_file_that_is_renamed_onto_another_stays_itself(root: Path, apply: Apply) -> None:
    (root / "a").write_bytes(codecs.BOM_UTF16_LE + "old\n".encode("utf-16-le"))
    (root / "b").write_bytes(codecs.BOM_UTF8 + b"x\r\n")
    (root / "b").chmod(0o755)
    os.link(root / "a", root / "also-a")
    apply({"a": "y\r\n"}, {"a": "b"})
    assert (root / "a").read_bytes() == codecs.BOM_UTF8 + b"y\r\n"
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o755
    assert (root / "also-a").read_bytes().startswith(codecs.BOM_UTF16_LE)


def test_a_file_that_takes_the_name_of_its_equal_keeps_its_mode(ws: Workspace, root: Path, apply: Apply) -> None:
    for name in "ab":
        (root / name).write_text("same")
    (root / "b").chmod(0o755)
    apply({"a": "same"}, {"a": "b"})
    assert stat.S_IMODE((root / "a").stat().st_mode) == 0o755
    ws.undo()
    assert [stat.S_IMODE((root / name).stat().st_mode) & 0o111 for name in "ab"] == [0, 0o111]


def test_files_that_take_each_others_names_stay_themselves(ws: Workspace, root: Path, apply: Apply) -> None:
    (root / "a").write_bytes(codecs.BOM_UTF8 + b"a")
    (root / "b").write_bytes(b"b")
    (root / "b").chmod(0o755)
    before = contents(root)
    apply({"a": "b", "b": "a"}, {"a": "b", "b": "a"})
    assert contents(root) == {"a": b"b", "b": codecs.BOM_UTF8 + b"a"}
    assert [stat.S_IMODE((root / name).stat().st_mode) & 0o111 for name in "ab"] == [0o111, 0]
    ws.undo()
    assert contents(root) == before
    assert [stat.S_IMODE((root / name).stat().st_mode) & 0o111 for name in "ab"] == [0, 0o111]


def test_a_new_file_takes_nothing_of_one_that_leaves_its_name(root: Path, apply: Apply) -> None:
    (root / "a").write_bytes(codecs.BOM_UTF8 + b"a")
    (root / "a").chmod(0o755)
    apply({"b": "a", "a": "new"}, {"b": "a"})
    assert contents(root) == {"a": b"new", "b": codecs.BOM_UTF8 + b"a"}
    assert [stat.S_IMODE((root / name).stat().st_mode) & 0o111 for name in "ab"] == [0, 0o111]


def test_a_folder_is_not_listed_anew_for_each_file_that_is_made_in_it(
    ws: Workspace, root: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "d").mkdir()
    listed: list[str] = []
    names = Directory.names
    monkeypatch.setattr(Directory, "names", lambda folder: listed.append(folder.path) or names(folder))
    apply({f"d/{n}": "n\n" for n in range(50)})
    ws.undo()
    assert len([path for path in listed if path.endswith("/d")]) == 1


def test_a_rename_of_case_only(root: Path, apply: Apply) -> None:
    (root / "readme.md").write_text("a")
    apply({"README.md": "a"}, {"README.md": "readme.md"})
    assert [path.name for path in root.iterdir() if path.name != ".dovetail"] == ["README.md"]
    assert (root / "README.md").read_text() == "a"


CASES = [
    ({"Readme.md": "x"}, "differs from `README.md` in case only"),
    ({"README.md": "b", "Readme.md": "x"}, "differs from `README.md` in case only"),
    ({"SRC/b.py": "x"}, "differs from `src` in case only"),
    ({"x/A.py": "x", "x/a.py": "y"}, "differ in case only"),
    ({"X/a.py": "x", "x/b.py": "y"}, "differ in case only"),
    ({"src/é.py": "x", "src/E\u0301.py": "y"}, "differ in case only"),
]


@pytest.mark.parametrize(("texts", "message"), CASES)
def test_names_that_differ_in_case_only_are_refused(
    root: Path, apply: Apply, texts: dict[str, str], message: str
) -> None:
    (root / "README.md").write_text("a")
    (root / "src").mkdir()
    (root / "src/a.py").write_text("a")
    before = contents(root)
    with pytest.raises(WorkspaceError, match=message):
        apply(texts)
    assert contents(root) == before


def test_two_files_that_differ_in_case_only_and_exist_can_be_edited(root: Path, apply: Apply) -> None:
    (root / "a").write_text("1")
    (root / "A").write_text("2")
    if (root / "a").read_text() == "2":
        pytest.skip("this file system takes both names as one")
    apply({"a": "one", "A": "two"})
    assert contents(root) == {"A": b"two", "a": b"one"}


CHANGED = {
    "edited": lambda root: (root / "b").write_text("edited"),
    "same text, other line ends": lambda root: (root / "b").write_bytes(b"b\r\n"),
    "deleted": lambda root: (root / "b").unlink(),
    "created": lambda root: (root / "new").write_text("theirs"),
}


LEFT_BY = {
    "edited": {"b": b"edited"},
    "same text, other line ends": {"b": b"b\r\n"},
    "created": {"new": b"theirs"},
}


@pytest.mark.parametrize("how", CHANGED)
def test_a_file_changed_between_plan_and_commit_stops_the_set(ws: Workspace, root: Path, how: str) -> None:
    (root / "a").write_text("a\n")
    (root / "b").write_text("b\n")
    snapshot = ws.snapshot(["a", "b", "new"])
    CHANGED[how](root)
    before = contents(root)
    with pytest.raises(ChangedError):
        ws.commit([FileChange("a", "a\n", "A"), FileChange("b", "b\n", "B"), FileChange("new", None, "n")], snapshot)
    assert contents(root) == before
    assert ws.log() == []


@pytest.mark.parametrize("how", CHANGED)
@pytest.mark.parametrize("at", ["stage", "ready", "replace"])
def test_a_file_changed_while_the_set_is_written_takes_everything_back(root: Path, how: str, at: str) -> None:
    (root / "a").write_text("a\n")
    (root / "b").write_text("b\n")
    left = [1]

    def meddle(step: str) -> None:
        if step == at and left:
            left.clear()
            CHANGED[how](root)

    with Workspace.open(root, step=meddle) as ws:
        with pytest.raises((ChangedError, WorkspaceError)):
            commit_texts(ws, {"a": "A", "b": "B", "new": "n"})
        assert ws.log() == []
    expected = {"a": b"a\n", "b": b"b\n"}
    expected |= LEFT_BY.get(how, {})
    if how == "deleted":
        del expected["b"]
    assert contents(root) == expected


@pytest.mark.parametrize("at", range(12))
def test_a_save_between_the_look_at_a_file_and_its_removal_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    file = root / "folder/a"
    file.parent.mkdir()
    file.write_text("a\n")
    close, closed, saved = os.close, [-1], []

    def close_and_save(fd: int) -> None:
        close(fd)
        if closed[0] >= 0:
            closed[0] += 1
            if closed[0] == at + 1 and file.exists():
                closed[0] = -1
                file.write_bytes(b"theirs\n")
                saved.append(True)

    def begin(step: str) -> None:
        if step == "replace" and not saved:
            closed[0] = 0

    monkeypatch.setattr(os, "close", close_and_save)
    with Workspace.open(root, step=begin) as ws, suppress(ChangedError, WorkspaceError):
        commit_texts(ws, {"folder/a": None})
    assert not saved or contents(root).get("folder/a") == b"theirs\n"


def test_a_plan_made_on_another_text_is_refused(ws: Workspace, root: Path) -> None:
    (root / "a").write_text("a")
    with pytest.raises(ChangedError):
        ws.commit([FileChange("a", "other", "A")], ws.snapshot(["a"]))
    (root / "b").write_bytes(b"\0")
    with pytest.raises(ChangedError):
        ws.commit([FileChange("b", None, "B")], ws.snapshot(["b"]))
    assert (root / "b").read_bytes() == b"\0"


def test_nothing_to_write_is_no_operation(ws: Workspace, root: Path) -> None:
    (root / "a").write_text("a")
    with pytest.raises(UsageError):
        ws.commit([FileChange("a", "a", "a")], ws.snapshot(["a"]))
    assert not (root / ".dovetail").exists()


def test_a_commit_can_be_checked_without_writing(ws: Workspace, root: Path) -> None:
    (root / "a").write_text("a")
    (root / "l").symlink_to("a")
    snapshot = ws.snapshot(["a", "l"])
    ws.check_commit([FileChange("a", "a", "A")], snapshot)
    with pytest.raises(WorkspaceError, match="is a link"):
        ws.check_commit([FileChange("l", "a", None)], snapshot)
    assert sorted(contents(root)) == ["a", "l"]


def test_one_path_in_the_place_of_several_is_said(ws: Workspace) -> None:
    with pytest.raises(UsageError, match="type str"):
        ws.snapshot("a.py")


def test_nothing_is_read_through_a_workspace_that_was_closed(root: Path) -> None:
    (root / "a").write_text("a")
    ws = Workspace.open(root)
    ws.close()
    ws.close()
    with pytest.raises(UsageError, match="is closed"):
        ws.snapshot(["a"], tree=frozenset())


@pytest.mark.parametrize("path", ["../x", ".git/config", "a/.GIT/x", ".dovetail/log", "nul", "a:b", "out/x"])
def test_a_path_that_is_barred_stops_the_set_before_anything_is_written(ws: Workspace, root: Path, path: str) -> None:
    (root / "a").write_text("a")
    (root / "out").symlink_to("..")
    snapshot = ws.snapshot(["a", path])
    assert path in snapshot.refused
    with pytest.raises(JailError):
        ws.commit([FileChange("a", "a", "A"), FileChange(path, None, "x")], snapshot)
    assert (root / "a").read_text() == "a"
    assert not (root.parent / "x").exists()


def test_a_read_only_file_is_not_written(ws: Workspace, root: Path) -> None:
    (root / "a").write_text("a")
    (root / "a").chmod(0o444)
    with pytest.raises(WorkspaceError) as raised:
        commit_texts(ws, {"a": "b", "c": "c"})
    assert raised.value.code == "read-only"
    assert contents(root) == {"a": b"a"}


UNPRIVILEGED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import filelock, pytest
from dovetail.model.errors import WorkspaceError
from dovetail.workspace import Workspace
from workspace_acts import checked_texts, commit_texts
root = Path(sys.argv[1])
os.chdir("/")
os.setgroups([4711])
os.setgid(65534)
os.setuid(65534)
with Workspace.open(root) as ws:
    operation = commit_texts(ws, {"closed/mine": "M", "theirs": "T", "plain": "P", "set": "S"})
    print(oct((root / "set").stat().st_mode))
    print(*[record.path for record in operation.files if record.in_place])
    for text, path in [("x", "closed/new"), (None, "closed/mine"), ("x", "secret")]:
        for act in (checked_texts, commit_texts):
            try:
                act(ws, {path: text, "plain": "Q"})
            except WorkspaceError as error:
                print(error.code, end=" ")
    print(ws.snapshot(["secret"]).files["secret"].problem)
    paths = [f"{folder}/{name}" for folder in ("closed", "sticky", "shut") for name in ("mine", "theirs", "new", "x/y")]
    seen = ws.snapshot(["plain", "new", *paths], tree=frozenset())
    print(*sorted(seen.fixed), *[path for path, file in seen.files.items() if file.problem == "unreadable"])
    ws.undo()
with Workspace.open(root / "closed") as ws:
    for act in (checked_texts, commit_texts):
        try:
            act(ws, {"mine": "x"})
        except WorkspaceError as error:
            print(error.message)
"""


@pytest.mark.skipif(not IS_ROOT, reason="only root can become somebody else")
def test_without_permissions_owners_stay_and_nothing_is_half_written() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to other users
        root = Path(folder)
        for name, mode in [("closed", 0o755), ("sticky", 0o1777), ("shut", 0o700)]:
            (root / name).mkdir()
            (root / name).chmod(mode)
        for name, owner, mode in [
            ("closed/mine", 65534, 0o644),
            ("theirs", 0, 0o660),
            ("sticky/mine", 65534, 0o666),
            ("sticky/theirs", 0, 0o666),
            ("plain", 65534, 0o600),
            ("set", 65534, 0o6755),
        ]:
            (root / name).write_text(name)
            os.chown(root / name, owner, 4711)
            (root / name).chmod(mode)
        (root / "set too").hardlink_to(root / "set")
        (root / "secret").write_text("s")
        (root / "secret").chmod(0o600)
        root.chmod(0o777)
        before = contents(root)
        done = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, folder, str(Path(__file__).parent)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        no_journal = "The journal's folder `.dovetail` cannot be made: Permission denied.\n"
        refused = "read-only " * 4 + "changed " * 2 + "unreadable "
        fixed = "closed/mine closed/new closed/theirs closed/x/y sticky/theirs"
        unreachable = "shut/mine shut/theirs shut/new shut/x/y"
        said = f"0o106755\nclosed/mine set theirs\n{refused.strip()}\n{fixed} {unreachable}\n{no_journal * 2}"
        assert done.stdout == said
        assert contents(root) == before
        assert stat.S_IMODE((root / "set").stat().st_mode) == 0o6755
        infos = [(root / name).stat() for name in ("closed/mine", "theirs", "plain")]
        assert [(info.st_uid, info.st_gid) for info in infos] == [(65534, 4711), (0, 4711), (65534, 4711)]


LABELLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from dovetail.workspace import Workspace
from workspace_acts import commit_texts
os.chdir("/")
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
with Workspace.open(Path(sys.argv[1])) as ws:
    print(*[record.path for record in commit_texts(ws, {"plain": "P", "labelled": "L"}).files if record.in_place])
"""


@pytest.mark.skipif(not IS_ROOT or not hasattr(os, "setxattr"), reason="only root can label a file")
def test_what_root_alone_may_put_on_a_file_stays_on_it() -> None:
    with tempfile.TemporaryDirectory() as folder:  # pytest's own are closed to other users
        root = Path(folder)
        os.chown(root, 65534, 65534)
        for name in ("plain", "labelled"):
            (root / name).write_text(name)
            os.chown(root / name, 65534, 65534)
        try:
            os.setxattr(root / "labelled", "security.NTACL", b"kept")
        except OSError:
            pytest.skip("this file system has no such attributes")
        done = subprocess.run(
            [sys.executable, "-c", LABELLED, folder, str(Path(__file__).parent)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("labelled\n", "")
        assert contents(root) == {"plain": b"P", "labelled": b"L"}
        assert os.getxattr(root / "labelled", "security.NTACL") == b"kept"


def test_what_another_operation_of_the_same_id_left_is_no_obstacle(root: Path) -> None:
    """As in a copy whose journal was moved aside: its ids begin anew, in the same second perhaps."""
    (root / "a").write_text("a\n")

    def leave(step: str) -> None:
        if step == "stage":
            operation = json.loads((root / ".dovetail/log").read_bytes().splitlines()[-1][9:])["operation"]
            (root / f".dovetail-{operation['id']}-0").write_text("left\n")

    with Workspace.open(root, step=leave) as ws:
        commit_texts(ws, {"a": "A\n"})
    assert contents(root) == {"a": b"A\n"}


def test_nothing_stays_beside_the_files(root: Path, apply: Apply) -> None:
    apply({"a": "1", "b/c": "2"})
    apply({"a": "2", "b/c": None})
    assert contents(root) == {"a": b"2", "b/": b""}


def test_a_vanished_root_is_said(ws: Workspace, root: Path) -> None:
    (root / "a").write_text("a")
    snapshot = ws.snapshot(["a"])
    root.rename(root.parent / "gone")
    (root.parent / "gone/a").unlink()
    (root.parent / "gone").rmdir()
    with pytest.raises(WorkspaceError):
        ws.commit([FileChange("a", "a", "b")], snapshot)
    with pytest.raises(WorkspaceError):
        ws.tree()


def test_a_vanished_folder_stops_the_set(root: Path) -> None:
    (root / "d").mkdir()
    (root / "d/f").write_text("f")
    (root / "a").write_text("a")

    def vanish(step: str) -> None:
        if step == "ready":
            (root / "d").rename(root.parent / "elsewhere")

    with Workspace.open(root, step=vanish) as ws, pytest.raises(WorkspaceError):
        commit_texts(ws, {"a": "A", "d/f": "F"})
    assert contents(root) == {"a": b"a"}
    assert (root.parent / "elsewhere/f").read_text() == "f"


def test_nothing_is_written_that_no_undo_could_read(root: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 1000)
    apply({"a": "x" * 1000})
    for path in ("a", "b"):
        with pytest.raises(WorkspaceError) as refused:
            apply({path: "x" * 1001})
        assert refused.value.code == "binary"
    assert contents(root) == {"a": b"x" * 1000}
