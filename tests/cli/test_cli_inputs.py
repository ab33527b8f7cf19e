"""Where replies come from besides files and pipes, and what is said while one is worked on."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path

import pytest
from cli_shell import dovetail

from dovetail.cli import terminal

REPLY = "a.txt\n```\n<<<<<<< SEARCH\nold\n=======\nnew é\n>>>>>>> REPLACE\n```\n"


def program(folder: Path, name: str, body: str) -> None:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("old\n")
    (tmp_path / "reply.md").write_text(REPLY)
    (tmp_path / "bin").mkdir()
    return tmp_path


def clipboard(folder: Path, *words: str, **extra: str) -> tuple[int, str]:
    path = f"{folder / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"
    done = dovetail(folder, "apply", *words, "--clipboard", "--yes", extra={"PATH": path, **extra})
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("name", "display"), [("wl-paste", "WAYLAND_DISPLAY"), ("xclip", "DISPLAY"), ("xsel", "DISPLAY")]
)
def test_the_clipboard_is_read_by_the_program_of_its_display(folder: Path, name: str, display: str) -> None:
    program(folder / "bin", name, f"cat {folder / 'reply.md'}")
    displays = {"WAYLAND_DISPLAY": "", "DISPLAY": "", display: ":0"}
    assert clipboard(folder, **displays) == (0, "")
    assert (folder / "a.txt").read_text() == "new é\n"


def test_a_program_that_fails_gives_way_to_the_next(folder: Path) -> None:
    program(folder / "bin", "xclip", "exit 1")
    program(folder / "bin", "xsel", f"cat {folder / 'reply.md'}")
    assert clipboard(folder, DISPLAY=":0", WAYLAND_DISPLAY="")[0] == 0


def test_a_clipboard_that_cannot_be_read_is_said(folder: Path) -> None:
    for name in ("xclip", "xsel"):  # the machine may have either
        program(folder / "bin", name, "exit 1")
    status, said = clipboard(folder, DISPLAY=":0", WAYLAND_DISPLAY="")
    assert (status, said.startswith("error clipboard  xclip, xsel could not read")) == (2, True)


def test_a_clipboard_without_a_display_is_said_to_have_none(folder: Path) -> None:
    """Over ssh the programs are there, and to install them is no help."""
    program(folder / "bin", "xclip", "exit 1")
    status, said = clipboard(folder, DISPLAY="", WAYLAND_DISPLAY="")
    assert (status, said.startswith("error clipboard  There is no display")) == (2, True)


def test_no_clipboard_at_all_is_said(folder: Path) -> None:
    status, said = clipboard(folder, DISPLAY="", WAYLAND_DISPLAY="", PATH=str(folder / "bin"))
    assert (status, said.startswith("error clipboard  No program here")) == (2, True)


def test_two_sources_are_one_too_many(folder: Path) -> None:
    assert clipboard(folder, "reply.md")[0] == 2


class Teletype(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_work_is_told_at_a_terminal_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Teletype()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(terminal, "_PATIENCE", 0.0)
    monkeypatch.setattr(terminal, "_BEAT", 0.01)
    with terminal.progress("Planning"):
        time.sleep(0.1)
    assert "Planning … 0 s" in screen.getvalue()
    assert screen.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize("stream", [io.StringIO(), Teletype()])
def test_short_work_and_pipes_hear_nothing(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    with terminal.progress("Planning"):
        pass
    assert stream.getvalue() == ""


def test_a_reply_that_c_leads_away_from_is_found_in_the_hint(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "reply.md").write_text("No edit.\n")
    missed = dovetail(tmp_path, "apply", "reply.md", "-C", "sub")
    assert missed.stderr.splitlines()[-1] == "next  -C leads to another folder; from there it is ../reply.md"
    assert dovetail(tmp_path, "apply", "../reply.md", "-C", "sub").returncode == 3
