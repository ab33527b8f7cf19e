"""Files as a plan sees them."""

from __future__ import annotations

import codecs
import hashlib
import os
from pathlib import Path

import pytest

from dovetail.model.codes import Code
from dovetail.workspace import Workspace


def test_reads_text_with_its_line_ends_and_digest(ws: Workspace, root: Path) -> None:
    data = codecs.BOM_UTF8 + b"a\r\nb\nc"
    (root / "f").write_bytes(data)
    snapshot = ws.snapshot(["f", "f", "missing", "sub/missing"])
    assert list(snapshot.files) == ["f"]
    file = snapshot.files["f"]
    assert (file.text, file.problem, file.digest) == ("a\r\nb\nc", None, hashlib.sha256(data).hexdigest())
    assert snapshot.refused == {}
    assert snapshot.tree == {"f"}


PROBLEMS = [
    (b"a\0b", Code.BINARY, None),
    (b"caf\xe9\x01", Code.ENCODING, None),
    ("a".encode("utf-16-le"), Code.BINARY, None),
]


@pytest.mark.parametrize(("data", "problem", "text"), PROBLEMS)
def test_says_why_a_file_cannot_be_edited(
    ws: Workspace, root: Path, data: bytes, problem: Code, text: str | None
) -> None:
    (root / "f").write_bytes(data)
    file = ws.snapshot(["f"]).files["f"]
    assert (file.problem, file.text) == (problem, text)
    assert f"{file.detail}".endswith(".")


def test_a_read_only_file_has_text(ws: Workspace, root: Path) -> None:
    (root / "f").write_text("a")
    (root / "f").chmod(0o444)
    file = ws.snapshot(["f"]).files["f"]
    assert (file.problem, file.text) == (Code.READ_ONLY, "a")


def test_names_of_one_file_are_told(ws: Workspace, root: Path) -> None:
    (root / "src").mkdir()
    (root / "src/a").write_text("a")
    (root / "lib").symlink_to("src")
    (root / "a").symlink_to("src/a")
    (root / "hard").write_text("h")
    os.link(root / "hard", root / "z")
    snapshot = ws.snapshot(["a", "lib/a", "src/a", "hard", "z"])
    assert snapshot.aliases == {"a": "src/a", "lib/a": "src/a", "z": "hard"}
    assert [path for path, file in snapshot.files.items() if file.link] == ["a"]
    assert ws.snapshot(["a", "hard"]).aliases == {}
    assert ws.snapshot(["lib/new", "lib/in/new", "src/new"]).aliases == {"lib/new": "src/new"}


def test_a_hard_link_is_told_of_where_it_leads_outside(ws: Workspace, root: Path) -> None:
    for name in ("inside", "outside"):
        (root / name).write_text(name)
    (root / "twin").hardlink_to(root / "inside")
    (root.parent / "twin").hardlink_to(root / "outside")
    assert ws.snapshot(["inside", "outside"]).shared == {"outside"}


def test_a_file_too_large_is_not_read(ws: Workspace, root: Path) -> None:
    with (root / "f").open("wb") as file:
        file.truncate(300 << 20)
    read = ws.snapshot(["f"]).files["f"]
    assert (read.problem, read.text) == (Code.BINARY, None)


def test_what_must_not_be_opened_is_refused_with_a_sentence(ws: Workspace, root: Path) -> None:
    (root / "f").write_text("a")
    (root / "out").symlink_to("../elsewhere")
    (root / "dangling").symlink_to("nowhere")
    os.mkfifo(root / "pipe")
    paths = ["../x", ".git/config", "out/below", "out", "dangling", "pipe", "nul", "a/../f"]
    snapshot = ws.snapshot(paths)
    assert snapshot.files == {}
    assert list(snapshot.refused) == paths
    assert all(sentence.endswith(".") for sentence in snapshot.refused.values())


def test_what_stands_below_a_file_that_the_tree_has_is_the_plan_s_to_refuse(ws: Workspace, root: Path) -> None:
    (root / "f").write_text("a")
    paths = ["f", "f/below", "f/far/below"]
    assert ws.snapshot(paths).refused == {}
    sentence = "`f` is no folder, so `f/below` cannot be below it."
    assert ws.snapshot(paths, tree=frozenset()).refused == {}
    assert ws.snapshot(paths[1:], tree=frozenset()).refused["f/below"] == sentence


def test_what_a_folder_holds_is_told_where_it_is_named_as_a_file(ws: Workspace, root: Path) -> None:
    (root / ".gitignore").write_text("*.log\n")
    (root / "d/in").mkdir(parents=True)
    (root / "d/in/x.log").write_text("x")
    (root / "empty/in").mkdir(parents=True)
    (root / "link").symlink_to("d")
    snapshot = ws.snapshot(["d", "empty", "link"])
    assert snapshot.tree == {".gitignore", "d/in/x.log", "link"}
    assert snapshot.refused == {"link": "`link` is a folder, not a file."}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_says_so(ws: Workspace, root: Path) -> None:
    (root / "f").write_text("a")
    (root / "f").chmod(0o000)
    assert ws.snapshot(["f"]).files["f"].problem is Code.UNREADABLE


def test_seen_texts_are_kept_as_far_as_they_are_known(ws: Workspace, root: Path) -> None:
    (root / "f").write_text("new")
    (root / "g").write_text("same")
    snapshot = ws.snapshot(["f", "g"], seen={"f": "old", "g": "same", "other": "x"}, tree=frozenset({"t"}))
    assert (snapshot.files["f"].seen, snapshot.files["g"].seen) == ("old", "same")
    assert (snapshot.files["f"].is_stale, snapshot.files["g"].is_stale) == (True, False)
    assert snapshot.tree == {"t"}


def test_an_ignored_file_is_read_when_it_is_named(ws: Workspace, root: Path) -> None:
    (root / ".gitignore").write_text("*.env\n")
    (root / "x.env").write_text("a")
    snapshot = ws.snapshot(["x.env"])
    assert snapshot.files["x.env"].text == "a"
    assert "x.env" not in snapshot.tree
