"""Files that are not UTF-8: which edits they take, what their bytes are afterwards, and who names an encoding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_shell import dovetail

TEXTS = {
    "latin-1": "# café\nname = 'Zoë'\nsize = 1\nlast = 'é'\n",
    "cp1252": "# “quoted” — €\nname = 'x'\nsize = 1\nlast = '…'\n",
    "shift_jis": "# 表示ソ能\nname = 'ア'\nsize = 1\nlast = '十'\n",
    "gbk": "# 中文\nname = '誠'\nsize = 1\nlast = '尾'\n",
}


def block(search: str, replace: str, path: str = "app.py") -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n"


def written(folder: Path, reply: str, *options: str) -> tuple[int, bytes]:
    (folder / "reply.md").write_text(reply, encoding="utf-8")
    done = dovetail(folder, "apply", "reply.md", "--yes", *options)
    return done.returncode, (folder / "app.py").read_bytes()


@pytest.mark.parametrize("codec", TEXTS)
def test_an_edit_in_ascii_lands_and_every_other_byte_stays(tmp_path: Path, codec: str) -> None:
    before = TEXTS[codec].encode(codec)
    (tmp_path / "app.py").write_bytes(before)
    edit = block("size = 1\n", "size = 2\ncount = 3\n")
    assert written(tmp_path, edit) == (0, before.replace(b"size = 1\n", b"size = 2\ncount = 3\n"))
    assert dovetail(tmp_path, "show").returncode == 0
    assert dovetail(tmp_path, "undo").returncode == 0
    assert (tmp_path / "app.py").read_bytes() == before


@pytest.mark.parametrize("codec", TEXTS)
def test_an_edit_beyond_ascii_needs_the_encoding_to_be_named(tmp_path: Path, codec: str) -> None:
    first, text = TEXTS[codec].partition("\n")[0], TEXTS[codec]
    (tmp_path / "app.py").write_bytes(text.encode(codec))
    edit = block(f"{first}\n", f"{first}!\n")
    assert written(tmp_path, edit) == (1, text.encode(codec))
    record = json.loads(dovetail(tmp_path, "apply", "reply.md", "--json", "--dry-run").stdout)
    assert (record["results"][0]["code"], record["results"][0]["nearest"]) == ("encoding", None)
    after = text.replace(first, f"{first}!").encode(codec)
    assert written(tmp_path, edit, "--encoding", codec) == (0, after)
    assert dovetail(tmp_path, "undo", "--edit", "1").returncode == 0
    assert (tmp_path / "app.py").read_bytes() == text.encode(codec)


def test_what_new_text_cannot_say_is_refused(tmp_path: Path) -> None:
    before = TEXTS["latin-1"].encode("latin-1")
    (tmp_path / "app.py").write_bytes(before)
    assert written(tmp_path, block("size = 1\n", "size = '€'\n"), "--encoding", "latin-1") == (1, before)
    assert written(tmp_path, block("size = 1\n", "size = 2\n"), "--encoding", "klingon") == (2, before)


@pytest.mark.parametrize(
    ("name", "text"),
    [(".editorconfig", "[*.py]\ncharset = latin1\n"), ("dovetail.toml", 'encoding = "latin-1"\n')],
)
def test_a_project_names_its_encoding(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "app.py").write_bytes(TEXTS["latin-1"].encode("latin-1"))
    edit = block("name = 'Zoë'\n", "name = 'Zoé'\n")
    assert written(tmp_path, edit) == (0, TEXTS["latin-1"].replace("Zoë", "Zoé").encode("latin-1"))


def test_a_file_of_ascii_takes_what_its_project_names(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_bytes(b"size = 1\n")
    edit = block("size = 1\n", "size = 1  # é\n")
    assert written(tmp_path, edit, "--encoding", "latin-1") == (0, b"size = 1  # \xe9\n")


def test_an_edit_that_would_change_how_the_file_is_read_is_refused(tmp_path: Path) -> None:
    before = b"# coding: latin-1\nx = '\xe9'\n"
    (tmp_path / "app.py").write_bytes(before)
    edit = block("# coding: latin-1\n", "# coding: cp437\n")
    assert written(tmp_path, edit) == (1, before)


def test_the_second_half_of_a_character_is_no_ascii(tmp_path: Path) -> None:
    """In Shift-JIS the second byte of ``ア`` is that of ``A``."""
    before = "x = 'アB'\n".encode("shift_jis")
    assert b"AB" in before
    (tmp_path / "app.py").write_bytes(before)
    call = {"name": "str_replace", "arguments": {"path": "app.py", "old_string": "AB", "new_string": "AC"}}
    assert written(tmp_path, json.dumps(call)) == (1, before)
    call["arguments"] = {"path": "app.py", "old_string": "x = ", "new_string": "y = "}
    assert written(tmp_path, json.dumps(call)) == (0, b"y" + before[1:])
