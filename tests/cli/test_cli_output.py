"""Output that goes nowhere, has no room or no reader; and the file that `--retry` names."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from cli_shell import COMMAND, dovetail, environment

GOOD = "a.py\n```\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n"
MISS = GOOD.replace("x = 1\n=", "nothing = 'like it'\n=")
MESSAGE = "1 of your 3 edits could not be applied.\n"

needs_full = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has /dev/full")  # noqa: PTH110


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "good.md").write_text(GOOD)
    (tmp_path / "miss.md").write_text(MISS)
    return tmp_path


def shell(folder: Path, line: str, *, buffered: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a line of shell in which `dovetail` is this one."""
    command = line.replace("dovetail", shlex.join(COMMAND), 1)
    extra = {"PYTHONUNBUFFERED": "" if buffered else "1"}
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=folder, env=environment(folder, **extra), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def text(folder: Path) -> str:
    return (folder / "a.py").read_text()


@pytest.mark.parametrize("words", ["--version", "--help", "log", "prompt diff", "check good.md", "context a.py"])
def test_a_closed_output_is_no_error(folder: Path, words: str) -> None:
    done = shell(folder, f"dovetail {words} >&-")
    assert (done.returncode, done.stderr) == (0, "")
    assert shell(folder, f"dovetail {words} >&- 2>&- <&-").returncode == 0


def test_what_is_printed_into_a_closed_output_never_reaches_a_file(folder: Path) -> None:
    done = shell(folder, "dovetail apply good.md --yes >&- 2>&-")
    assert done.returncode == 0
    assert text(folder) == "x = 2\n"
    kept = [file.read_bytes() for file in (folder / ".dovetail").rglob("*") if file.is_file()]
    assert not any(b"1 edit: 1 applied" in data for data in kept)
    assert dovetail(folder, "undo").returncode == 0
    assert text(folder) == "x = 1\n"


@needs_full
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("json_too", ["", " --json"])
def test_a_full_disk_behind_a_write_says_what_stands(folder: Path, buffered: bool, json_too: str) -> None:
    done = shell(folder, f"dovetail apply good.md --yes{json_too} >/dev/full", buffered=buffered)
    number = json.loads(dovetail(folder, "log", "--json").stdout)["operations"][0]["id"]
    assert done.returncode == 1
    assert done.stderr == (
        f"error output  Wrote 1 file as operation {number}; then the output failed: No space left on device.\n"
        "next  To take it back: dovetail undo\n"
    )
    assert text(folder) == "x = 2\n"
    undone = shell(folder, f"dovetail undo{json_too} >/dev/full", buffered=buffered)
    assert undone.stderr.startswith(f"error output  Took back operation {number}: 1 file; then the output failed: ")
    assert text(folder) == "x = 1\n"


@needs_full
@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("words", ["--version", "--help", "log", "prompt diff", "apply good.md --dry-run"])
def test_a_full_disk_where_nothing_stands_is_said_alone(folder: Path, buffered: bool, words: str) -> None:
    done = shell(folder, f"dovetail {words} >/dev/full", buffered=buffered)
    assert (done.returncode, done.stderr) == (1, "error system  No space left on device.\n")


def test_a_reader_that_leaves_early_is_no_failure(folder: Path) -> None:
    assert shell(folder, "dovetail apply good.md --yes | true").returncode == 0
    assert text(folder) == "x = 2\n"
    assert shell(folder, "dovetail undo | true", buffered=False).returncode == 0
    (folder / "long.md").write_text(GOOD + "".join(GOOD.replace("a.py", f"none{n}.py") for n in range(2_000)))
    assert shell(folder, "dovetail apply long.md --yes --on-failure block | head -1").returncode == 1  # some failed
    assert text(folder) == "x = 2\n"


@pytest.mark.parametrize("json_too", [(), ("--json",)])
def test_a_retry_file_that_cannot_be_is_said_before_anything_is_written(folder: Path, json_too: tuple[str]) -> None:
    for name in ("none/retry.md", "."):
        done = dovetail(folder, "apply", "good.md", "--yes", "--retry", name, *json_too)
        assert done.returncode == 2
        assert f"`{name}` cannot be written" in done.stderr
        assert text(folder) == "x = 1\n"
        if json_too:
            assert json.loads(done.stdout)["error"]["code"] == "usage"


def test_a_retry_file_never_outlives_its_failure(folder: Path) -> None:
    retry = folder / "retry.md"
    assert dovetail(folder, "apply", "miss.md", "--yes", "--retry", "retry.md").returncode == 1
    assert "could not be applied" in retry.read_text()
    retry.write_text(retry.read_text() + "a longer text of earlier\n" * 100)
    dovetail(folder, "apply", "miss.md", "--yes", "--retry", "retry.md")
    assert "earlier" not in retry.read_text()
    assert dovetail(folder, "apply", "good.md", "--yes", "--retry", "retry.md").returncode == 0
    assert not retry.exists()
    assert dovetail(folder, "apply", "good.md", "--yes", "--retry", "retry.md").returncode == 0
    assert not retry.exists()


def test_a_retry_file_stays_as_it_was_where_the_command_breaks_off(folder: Path) -> None:
    (folder / "old.md").write_text(MESSAGE)
    for name in ("old.md", "new.md"):
        assert dovetail(folder, "apply", "good.md", "--yes", "--git-add", "--retry", name).returncode == 2
    assert (folder / "old.md").read_text() == MESSAGE
    assert not (folder / "new.md").exists()


@pytest.mark.parametrize("how", ["--dry-run", "--yes", "--json"])
@pytest.mark.parametrize("reply", ["good.md", "miss.md", "none.md"])
def test_a_file_that_is_no_message_is_never_a_retry_file(folder: Path, reply: str, how: str) -> None:
    (folder / "none.md").write_text("No edit.\n")
    (folder / "notes.md").write_text("precious\n")
    (folder / "empty.md").touch()
    (folder / "hard.py").hardlink_to(folder / "a.py")
    before = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
    for name in ("notes.md", "a.py", "hard.py", reply):
        done = dovetail(folder, "apply", reply, how, "--retry", name)
        assert (done.returncode, "next  Name another file" in done.stderr) == (2, True), name
        assert {path.name: path.read_text() for path in folder.iterdir() if path.is_file()} == before


def test_a_file_that_the_reply_makes_or_was_piped_in_is_no_retry_file(folder: Path) -> None:
    reply = GOOD.replace("a.py", "new.md").replace("x = 1\n", "")
    for how in ("--dry-run", "--yes"):
        assert dovetail(folder, "apply", how, "--retry", "new.md", stdin=reply).returncode == 2
        assert not (folder / "new.md").exists()


def test_a_retry_file_stays_as_it_was_in_a_dry_run_without_edits_and_without_consent(folder: Path) -> None:
    (folder / "none.md").write_text("No edit.\n")
    (folder / "old.md").write_text(MESSAGE)
    for reply, how, status in (
        ("good.md", "--dry-run", 0),
        ("miss.md", "--dry-run", 1),
        ("none.md", "--yes", 3),
        ("good.md", "--json", 2),
    ):
        for name in ("old.md", "new.md"):
            assert dovetail(folder, "apply", reply, how, "--retry", name).returncode == status
            assert (folder / "old.md").read_text() == MESSAGE
            assert not (folder / "new.md").exists()


def test_a_retry_file_may_be_a_link_or_a_device(folder: Path) -> None:
    (folder / "link.md").symlink_to("target.md")
    (folder / "target.md").write_text(MESSAGE)
    assert dovetail(folder, "apply", "good.md", "--yes", "--retry", "link.md").returncode == 0
    assert (folder / "target.md").read_text() == ""
    assert dovetail(folder, "apply", "miss.md", "--yes", "--retry", "/dev/null").returncode == 1
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["apply", "good.md", "--on-failure", "x"], "invalid choice: 'x' (choose from"),
        (["apply", "good.md", "--conflicts", "x"], "invalid choice: 'x' (choose from"),
        (["ask", "x", "--on-failure", "x"], "invalid choice: 'x' (choose from"),
        (["log", "--limit", "many"], "invalid int value: 'many'"),
        (["nonsense"], "invalid choice: 'nonsense'"),
        (["log", "--nonsense"], "Unrecognized arguments: --nonsense."),
    ],
)
def test_bad_options_are_one_object_with_json(folder: Path, words: list[str], said: str) -> None:
    done = dovetail(folder, *words, "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (2, "usage")
    assert said in error["message"]
    assert "<" not in error["message"]  # no name of Python's own
    assert error["hint"].endswith("--help")
    assert dovetail(folder, *words).stdout == ""


@pytest.mark.parametrize("port", ["-1", "65536", "99999999999"])
def test_a_port_that_is_none_is_said(folder: Path, port: str) -> None:
    done = dovetail(folder, "serve", "--no-browser", f"--port={port}")
    assert (done.returncode, f"error usage  There is no port {port}." in done.stderr) == (2, True)


def test_a_dry_run_says_no_where_writing_would(folder: Path) -> None:
    (folder / "link.py").symlink_to("a.py")
    (folder / "gone.md").write_text("*** Begin Patch\n*** Delete File: link.py\n*** End Patch\n")
    for how in ("--dry-run", "--yes"):
        done = dovetail(folder, "apply", "gone.md", how)
        assert (done.returncode, "`link.py` is a link" in done.stderr) == (1, True)
    for how in ("--dry-run", "--yes"):
        done = dovetail(folder, "apply", "good.md", how, "--commit")
        assert (done.returncode, "in no git work tree" in done.stderr) == (2, True)
    assert (text(folder), (folder / "link.py").is_symlink()) == ("x = 1\n", True)
