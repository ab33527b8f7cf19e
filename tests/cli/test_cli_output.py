"""Output that goes nowhere, has no room or no reader; and the file that `--retry` names."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from cli_shell import COMMAND, at_terminal, dovetail, environment

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
        cwd=folder, env=environment(folder, **extra), capture_output=True, text=True, timeout=180, check=False,
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
    assert not any(b"1 edit: 1 written" in data for data in kept)
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
    for name, why in (("none/retry.md", "cannot be written"), (".", "cannot be written")):
        done = dovetail(folder, "apply", "good.md", "--yes", "--retry", name, *json_too)
        assert done.returncode == 2
        assert f"`{name}` {why}" in done.stderr
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
        (["nonsense"], "There is no command 'nonsense'."),
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
        assert (done.returncode, "`link.py` is a link" in done.stdout) == (1, True)
    for how in ("--dry-run", "--yes"):
        done = dovetail(folder, "apply", "good.md", how, "--commit")
        assert (done.returncode, "in no git work tree" in done.stderr) == (2, True)
    assert (text(folder), (folder / "link.py").is_symlink()) == ("x = 1\n", True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("prompt --reminder", "No format is named."),
        ("prompt --no-shell", "No format is named."),
        ("prompt --fence %%%", "No format is named."),
        ("prompt diff --reminder --examples", "not allowed with argument --reminder"),
        ("prompt nonsense", "There is no format 'nonsense'."),
        ("context a.py -i", "--ignore-case needs --grep."),
        ("context --grep=", "--grep has no pattern."),
        ("context a.py --grep x --file-tokens 5", "--file-tokens is without effect"),
        ("ask x --model tiny --no-map --map-tokens 5", "--map-tokens: not allowed with argument --no-map"),
        ("ask x --model tiny --budget 0", "--budget 0 is no number of tokens."),
        ("ask x --model tiny --max-tokens=-1", "--max-tokens -1 is no number of tokens."),
        ("ask x --model tiny --editor-model small", "--editor-model needs --architect."),
        ("chat --replay x --resume", "--replay plays a conversation as it was"),
        ("chat --replay x a.py", "--replay plays a conversation as it was"),
        ("chat --replay gone.jsonl", "gone.jsonl cannot be read as a transcript."),
        ("new static-site here --from there", "A template and --from were both given."),
    ],
)
def test_an_option_without_effect_is_refused(folder: Path, words: str, said: str) -> None:
    done = dovetail(folder, *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "next  " in done.stderr


def test_a_file_for_reading_is_shown_once(folder: Path) -> None:
    done = dovetail(folder, "context", "a.py", "--read-only", "a.py")
    assert (done.stdout.count("x = 1"), "Do not change them." in done.stdout) == (1, True)


def test_a_file_shown_in_part_says_how_to_see_the_rest(folder: Path) -> None:
    (folder / "long.py").write_text("".join(f"value_{n} = {n}\n" for n in range(300)))
    done = dovetail(folder, "context", "long.py", "--file-tokens", "100")
    assert done.stderr == "long.py is shown in part. To show all of it: --file-tokens 0\n"
    done = dovetail(folder, "context", "long.py", "--tokens", "300")
    assert done.stderr.endswith("--file-tokens 0, without --tokens\n")
    done = dovetail(folder, "context", "long.py", "--tokens", "5")
    assert done.stderr.startswith("error usage")


def test_a_block_that_cannot_be_read_is_said_once_and_in_the_reply_s_lines(folder: Path) -> None:
    reply = "a.py\n```\n<<<<<<< SEARCH\nx = 1\n>>>>>>> REPLACE\n```\n"
    assert dovetail(folder, "apply", "-n", stdin=reply).stdout.count("has no divider") == 1
    checked = dovetail(folder, "check", stdin=reply).stdout
    assert "error no-divider reply:3 (a.py)  The diff block has no divider" in checked


def test_the_trace_names_no_tier_where_nothing_was_looked_for(folder: Path) -> None:
    reply = GOOD + GOOD.replace("a.py", "gone.py") + "new.py\n```python\nx\n```\n" + MISS
    lines = dovetail(folder, "apply", "-nv", stdin=reply).stdout.splitlines()
    tried = [line.split("tried", 1)[1].strip() for line in lines if "tiers tried" in line]
    assert tried[:3] == ["exact", "none", "none"]
    assert tried[3].startswith("exact, part-line")
    assert "  file chosen    gone.py  (not there)" in lines


def test_with_a_retry_file_its_name_is_the_next_step(folder: Path) -> None:
    done = dovetail(folder, "apply", "miss.md", "--yes", "--retry", "again.md")
    assert "To have the model correct what failed, send it again.md\n" in done.stdout
    assert done.stderr == ""  # it is said once
    done = dovetail(folder, "apply", "miss.md", "--dry-run", "--retry", "again.md")
    assert "correct what failed: dovetail apply miss.md --retry again.md --dry-run --retry -\n" in done.stdout


def test_the_clipboard_is_the_next_step_where_there_is_one(folder: Path) -> None:
    program = folder / "programs/pbcopy"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\ncat\n")
    program.chmod(0o755)
    path = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    done = dovetail(folder, "apply", "miss.md", "--dry-run", extra=path)
    assert "correct what failed: dovetail apply miss.md --dry-run --retry-copy\n" in done.stdout


def test_the_message_goes_to_standard_output_or_to_the_clipboard(folder: Path) -> None:
    done = dovetail(folder, "apply", "miss.md", "--dry-run", "--retry", "-")
    assert done.stdout.startswith("Your edit could not be applied.\n")
    assert "1 edit: 1 failed." in done.stderr
    assert dovetail(folder, "apply", "good.md", "--dry-run", "--retry", "-").stdout == ""
    assert dovetail(folder, "apply", "miss.md", "--json", "--retry", "-").returncode == 2
    tool = folder / "bin" / "wl-copy"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat > {folder}/copied\n")
    tool.chmod(0o755)
    extra = {"WAYLAND_DISPLAY": "x", "PATH": f"{tool.parent}:/usr/bin:/bin"}
    shown = dovetail(folder, "apply", "miss.md", "--dry-run", "--retry-copy", extra=extra).stdout
    assert "To have the model correct what failed, send it what is on the clipboard.\n" in shown
    assert (folder / "copied").read_text() == done.stdout


def test_the_log_has_a_rename_as_one_file(folder: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    assert dovetail(folder, "apply", "--yes", stdin=patch).returncode == 0
    words = dovetail(folder, "log").stdout.split("apply", 1)[1].split()
    assert words == ["1", "file", "+1", "-1", "b.py", "(was", "a.py)"]
    assert dovetail(folder, "undo").returncode == 0
    assert "1 file       +1 -1     takes back" in dovetail(folder, "log").stdout


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("apply --dryrun", "Did you mean --dry-run? See: dovetail apply --help"),
        ("log --limt=3", "Did you mean --limit? See: dovetail log --help"),
        ("apply good.md another.md", "dovetail apply --help"),
        ("--nonsense", "dovetail --help"),
        ("aply good.md", "Did you mean apply? See: dovetail --help"),
        ("nonsense", "dovetail --help"),
    ],
)
def test_an_option_that_does_not_exist_names_the_command_that_helps(folder: Path, words: str, hint: str) -> None:
    done = dovetail(folder, *words.split())
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, f"next  {hint}")


@pytest.mark.parametrize(("command", "said"), [("check", "1    an error in it"), ("undo", "1    failed or refused")])
def test_help_says_what_the_statuses_of_the_command_mean(folder: Path, command: str, said: str) -> None:
    shown = dovetail(folder, command, "--help").stdout
    assert said in shown
    assert shown.endswith("130  interrupted\n")


def test_lines_that_were_not_answered_are_counted(folder: Path) -> None:
    good = json.dumps({"id": 1, "files": {"error": "x = 1\n"}, "reply": GOOD.replace("a.py", "error")})
    done = dovetail(folder, "batch", "--in", "-", "--out", "-", stdin=f"{good}\nnonsense\n")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)
    assert done.stderr == "1 line could not be answered; the `error` of each says why.\n"
    assert dovetail(folder, "batch", "--in", "-", "--out", "-", stdin=good).stderr == ""


def test_a_new_project_says_where_to_begin(folder: Path) -> None:
    done = dovetail(folder, "new", "static-site", "sub/site", "--no-git")
    assert done.stdout.endswith("  $ cd sub/site\n  $ python3 -m http.server\n")
    done = dovetail(folder, "new", "static-site", "sub/../site", "--no-git")
    assert f" in {folder.resolve() / 'site'}." in done.stdout
    done = dovetail(folder, "new", "python-package", "x", "--var", "name=No Name")
    assert "next  Give the name of the distribution, which must match [" in done.stderr


def test_show_alone_shows_the_newest_operation(folder: Path) -> None:
    missed = dovetail(folder, "show")
    assert (missed.returncode, "There is no operation yet." in missed.stderr) == (1, True)
    dovetail(folder, "apply", "good.md", "--yes")
    dovetail(folder, "undo")
    assert dovetail(folder, "show").stdout.startswith("undo ")


def test_a_path_that_the_reply_does_not_edit_is_named_from_the_root(folder: Path) -> None:
    (folder / "sub").mkdir()
    where = ("apply", "../good.md", "-n", "--root", "..")
    done = dovetail(folder / "sub", *where, "--only", "a.py")
    assert done.stderr.splitlines() == [
        "error usage  The reply edits nothing under `sub/a.py`.",
        f"next  It edits a.py, under {folder}",
    ]
    assert dovetail(folder / "sub", *where, "--only", "../a.py").returncode == 0


def test_a_map_of_nothing_is_said(tmp_path: Path) -> None:
    done = dovetail(tmp_path, "context", "--map")
    assert (done.returncode, done.stdout) == (2, "")
    assert "so there is no map." in done.stderr


@needs_full
def test_the_count_of_a_batch_is_cleared_before_an_error_is_said(tmp_path: Path) -> None:
    case = json.dumps({"id": 1, "files": {}, "reply": "No edit. " * 1_000})
    (tmp_path / "cases.jsonl").write_text(f"{case}\n" * 500)
    with at_terminal(tmp_path, "batch", "--in", "cases.jsonl", "--out", "/dev/full") as person:
        assert "\r\x1b[Kerror system" in person.wait_for("No space left")
        assert person.leave() == 1


@needs_full
def test_a_batch_without_room_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text('{"id": 1, "files": {}, "reply": "Nothing."}\n')
    done = dovetail(tmp_path, "batch", "--in", "cases.jsonl", "--out", "/dev/full")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error system  /dev/full: No space left on device.\n"
