"""`dovetail apply` as a process: what it writes, what it prints, how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_shell import COMMAND, dovetail, environment

SHAPES = '''"""Shapes."""


def area(width, height):
    return width * height


def edge(width, height):
    return 2 * (width + height)
'''

GOOD = """Rename first.

shapes.py
```python
<<<<<<< SEARCH
def area(width, height):
    return width * height
=======
def area(width: float, height: float) -> float:
    return width * height
>>>>>>> REPLACE
```

notes/todo.md
```markdown
<<<<<<< SEARCH
=======
- write tests
>>>>>>> REPLACE
```
"""

MIXED = (
    GOOD
    + """
shapes.py
```python
<<<<<<< SEARCH
def volume(width, height, depth):
    return width * height * depth
=======
def volume(w, h, d):
    return w * h * d
>>>>>>> REPLACE
```
"""
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shapes.py").write_text(SHAPES)
    (tmp_path / "good.md").write_text(GOOD)
    (tmp_path / "mixed.md").write_text(MIXED)
    (tmp_path / "talk.md").write_text("No edit here, only talk.\n")
    return tmp_path


def untouched(folder: Path) -> bool:
    return (folder / "shapes.py").read_text() == SHAPES and not (folder / "notes").exists()


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["apply", "good.md", "--yes"], 0),
        (["apply", "good.md", "--dry-run"], 0),
        (["apply", "good.md", "--dry-run", "--json"], 0),
        (["apply", "good.md"], 2),
        (["apply", "good.md", "--json"], 2),
        (["apply", "mixed.md", "--yes"], 1),
        (["apply", "mixed.md"], 1),
        (["apply", "mixed.md", "--dry-run"], 1),
        (["apply", "mixed.md", "--yes", "--on-failure", "block"], 1),
        (["apply", "mixed.md", "--on-failure", "block"], 2),
        (["apply", "talk.md", "--yes"], 3),
        (["apply", "talk.md"], 3),
        (["apply", "good.md", "--yes", "--dry-run"], 2),
        (["apply", "good.md", "--yes", "--message", "x"], 2),
        (["apply", "good.md", "--yes", "--git-add"], 2),
        (["apply", "none.md", "--yes"], 2),
        (["apply", ".", "--yes"], 2),
        (["apply", "--yes"], 3),
        (["apply", "good.md", "--yes", "--format", "nonsense"], 2),
        (["apply", "good.md", "--yes", "--only", "../elsewhere"], 2),
        (["apply", "good.md", "--yes", "--only", ""], 2),
        (["apply", "good.md", "--yes", "--root", ""], 2),
        (["apply", "good.md", "--yes", "--retry", ""], 2),
        (["apply", "good.md", "--yes", "-C", "nowhere"], 2),
        (["apply", "good.md", "--nonsense"], 2),
        (["check", "good.md"], 0),
        (["check", "talk.md"], 3),
        (["undo"], 1),
        (["redo"], 1),
        (["show", "none"], 1),
        (["log"], 0),
        (["log", "--limit", "0"], 2),
        (["undo", "--edit", "0"], 2),
        (["--version"], 0),
        (["--help"], 0),
        (["apply", "--help"], 0),
        ([], 2),
        (["nonsense"], 2),
    ],
)
def test_exit_status(folder: Path, words: list[str], status: int) -> None:
    done = dovetail(folder, *words)
    assert done.returncode == status, done.stdout + done.stderr
    written = "--yes" in words and status in (0, 1) and ("good.md" in words or "block" in words)
    assert untouched(folder) is not written


def test_yes_writes_and_undo_brings_back_every_byte(folder: Path) -> None:
    assert dovetail(folder, "apply", "good.md", "--yes").returncode == 0
    assert "width: float" in (folder / "shapes.py").read_text()
    assert (folder / "notes/todo.md").read_text() == "- write tests\n"
    done = dovetail(folder, "undo")
    assert done.returncode == 0
    assert untouched(folder)
    assert "To reverse this: dovetail redo" in done.stdout


def test_a_reply_applied_twice_changes_nothing_the_second_time(folder: Path) -> None:
    dovetail(folder, "apply", "good.md", "--yes")
    once = (folder / "shapes.py").read_bytes(), (folder / "notes/todo.md").read_bytes()
    done = dovetail(folder, "apply", "good.md", "--yes")
    assert done.returncode == 0
    assert "2 edits: 2 stand already." in done.stdout
    assert ((folder / "shapes.py").read_bytes(), (folder / "notes/todo.md").read_bytes()) == once


def test_a_deletion_applied_twice_is_known_from_the_journal(folder: Path) -> None:
    reply = "shapes.py\n```\n<<<<<<< SEARCH\ndef edge(width, height):\n    return 2 * (width + height)\n=======\n>>>>>>> REPLACE\n```\n"
    assert dovetail(folder, "apply", "--yes", stdin=reply).returncode == 0
    done = dovetail(folder, "apply", "--yes", stdin=reply)
    assert (done.returncode, "1 stands already" in done.stdout) == (0, True), done.stdout


def test_without_a_terminal_the_plan_is_printed_and_nothing_written(folder: Path) -> None:
    done = dovetail(folder, "apply", "good.md")
    assert "fits exact high  shapes.py:4-5" in done.stdout
    assert done.stderr == "Nothing was written: there is no terminal to ask on. Add --yes, or --dry-run.\n"


@pytest.mark.parametrize("words", [["apply", "-"], ["apply"]])
def test_a_reply_may_come_through_a_pipe(folder: Path, words: list[str]) -> None:
    assert dovetail(folder, *words, "--yes", stdin=GOOD).returncode == 0
    assert not untouched(folder)


@pytest.mark.parametrize("before", [0, 1, 2])
def test_paths_that_are_typed_are_the_folders_and_paths_in_replies_the_roots(folder: Path, before: int) -> None:
    """`-C` may stand before the command and behind it; each is relative to the one before."""
    (folder / "sub").mkdir()
    (folder / "sub/reply.md").write_text(GOOD)
    into = ["-C", folder.name, "-C", "sub"]
    ahead, behind = into[: before * 2], into[before * 2 :]
    done = dovetail(folder.parent, *ahead, "apply", "reply.md", *behind, "--root", "..", "--yes")
    assert done.returncode == 0, done.stderr
    assert (folder / "notes/todo.md").exists()


def test_the_root_is_the_enclosing_work_tree(folder: Path) -> None:
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    (folder / "sub").mkdir()
    assert dovetail(folder, "apply", "../good.md", "-C", "sub", "--yes").returncode == 0
    assert (folder / "notes/todo.md").exists()
    assert not (folder / "sub/.dovetail").exists()


@pytest.mark.parametrize("only", ["notes", "notes/todo.md", "sub/../notes"])
def test_only_keeps_to_a_path(folder: Path, only: str) -> None:
    done = dovetail(folder, "apply", "good.md", "--yes", "--only", only)
    assert done.returncode == 0
    assert (folder / "shapes.py").read_text() == SHAPES
    assert (folder / "notes/todo.md").exists()
    assert "left out not-selected" in done.stdout


@pytest.mark.parametrize("how", [["--yes"], ["--dry-run"], ["--yes", "--json"], []])
def test_only_a_path_where_the_reply_edits_nothing_is_bad_use(folder: Path, how: list[str]) -> None:
    done = dovetail(folder, "apply", "good.md", *how, "--only", "typo.py", "--only", "sub")
    assert done.returncode == 2
    assert "The reply edits nothing under `typo.py` and `sub`." in done.stderr
    assert "It edits " in done.stderr
    assert "shapes.py" in done.stderr
    assert untouched(folder)
    assert dovetail(folder, "apply", "talk.md", *how, "--only", "typo.py").returncode == 3


def test_on_failure_block_applies_the_others(folder: Path) -> None:
    done = dovetail(folder, "apply", "mixed.md", "--yes", "--on-failure", "block")
    assert "3 edits: 2 written, 1 failed." in done.stdout
    assert not untouched(folder)


def test_occurrence_first_takes_the_first_and_says_so(folder: Path) -> None:
    (folder / "twice.txt").write_text("a\nb\na\n")
    reply = "twice.txt\n```\n<<<<<<< SEARCH\na\n=======\nc\n>>>>>>> REPLACE\n```\n"
    assert dovetail(folder, "apply", "--yes", stdin=reply).returncode == 1
    done = dovetail(folder, "apply", "--yes", "--occurrence", "first", stdin=reply)
    assert done.returncode == 0
    assert (folder / "twice.txt").read_text() == "c\nb\na\n"
    assert "first-of-several" in done.stdout


def test_the_settings_file_speaks_and_an_option_wins(folder: Path) -> None:
    (folder / "dovetail.toml").write_text('on-failure = "block"\n')
    assert dovetail(folder, "apply", "mixed.md", "--yes", "--on-failure", "all").returncode == 1
    assert untouched(folder)
    assert dovetail(folder, "apply", "mixed.md", "--yes").returncode == 1
    assert not untouched(folder)


def test_a_hint_that_chose_one_of_equal_places_shows_in_the_badge(folder: Path) -> None:
    """So that who reads "exact high" knows that the text alone did not say it."""
    (folder / "twice.txt").write_text("one\nsame\ntwo\nsame\n", encoding="utf-8")
    reply = "--- a/twice.txt\n+++ b/twice.txt\n@@ -4,1 +4,1 @@\n-same\n+other\n"
    done = dovetail(folder, "apply", "-", "--yes", stdin=reply)
    assert "written exact high, 1 of 2 places  twice.txt:4" in done.stdout
    assert "written exact high, 1 of 2 places  twice.txt:4" in dovetail(folder, "show").stdout


def test_an_ambiguous_edit_shows_its_code_and_no_confidence(folder: Path) -> None:
    reply = "twice.txt\n```\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n"
    (folder / "twice.txt").write_text("a\na\n")
    more = reply.replace("twice", "once").replace("SEARCH\na\n=", "SEARCH\n=")
    done = dovetail(folder, "apply", "--yes", "--on-failure", "block", stdin=reply + more)
    assert "  1  failed ambiguous  twice.txt\n" in done.stdout
    number = json.loads(dovetail(folder, "log", "--json").stdout)["operations"][0]["id"]
    assert "  1  failed ambiguous  twice.txt\n" in dovetail(folder, "show", number).stdout


def test_the_retry_message_goes_to_a_file(folder: Path) -> None:
    done = dovetail(folder, "apply", "mixed.md", "--yes", "--retry", "retry.md")
    message = (folder / "retry.md").read_text()
    assert message.startswith(
        "1 of your 3 edits could not be applied. The others fit and wait for these. Do not send them again."
    )
    assert "### Edit 3, shapes.py\n" in message
    assert done.stdout.endswith("send it retry.md\n")


def test_verbose_tells_paths_readings_and_tiers(folder: Path) -> None:
    told = dovetail(folder, "apply", "mixed.md", "--dry-run", "--verbose").stdout
    assert "path named     shapes.py" in told
    assert "file chosen    notes/todo.md" in told
    assert "readings kept  1" in told
    assert "tiers tried    exact\n" in told
    assert "syntax and fuzzy" in told


def test_git_is_given_what_was_written_and_nothing_else(folder: Path) -> None:
    def git(*words: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet")
    git("config", "user.name", "A")
    git("config", "user.email", "a@example.org")
    git("add", "shapes.py")
    git("commit", "--quiet", "--message", "begin")
    (folder / "mine.txt").write_text("staged by me\n")
    git("add", "mine.txt")
    done = dovetail(folder, "apply", "good.md", "--yes", "--commit", "--message", "Type the areas")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Committed as" in done.stdout
    assert sorted(git("show", "--format=", "--name-only").split()) == ["notes/todo.md", "shapes.py"]
    assert git("log", "-1", "--format=%s").strip() == "Type the areas"
    assert "Dovetail-Operation: " in git("log", "-1", "--format=%b")
    assert git("diff", "--cached", "--name-only").split() == ["mine.txt"]
    undone = dovetail(folder, "undo")
    assert "Git's index and commits were not touched." in undone.stdout


@pytest.mark.parametrize("message", ["", "  ", "\n\t\n"])
def test_a_blank_message_is_none(folder: Path, message: str) -> None:
    for words in (["init", "--quiet"], ["config", "user.name", "A"], ["config", "user.email", "a@example.org"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    subprocess.run(["git", "add", "shapes.py"], cwd=folder, check=True)
    subprocess.run(["git", "commit", "--quiet", "--message", "begin"], cwd=folder, check=True)
    assert dovetail(folder, "apply", "good.md", "--yes", "--commit", "-m", message).returncode == 0
    said = subprocess.run(["git", "log", "-1", "--format=%s"], cwd=folder, check=True, capture_output=True, text=True)
    assert said.stdout == "Apply edits to 2 files\n"


def test_an_error_is_one_object_with_json(folder: Path) -> None:
    done = dovetail(folder, "apply", "none.md", "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (2, "reply")
    assert error["message"] == f"There is no reply file `none.md` in {folder}."
    assert "-C DIR" in error["hint"]


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b"good\nthen \xff\xfe bad", "reply-encoding", "line 2"),
        (b"\xff\xfeg\x00o", "reply-encoding", "UTF-16-LE"),
        (b"g\x00o\x00o\x00d\x00", "reply-encoding", "UTF-16"),
    ],
)
def test_bytes_that_are_no_text_are_refused(folder: Path, data: bytes, code: str, said: str) -> None:
    done = dovetail(folder, "apply", "--yes", stdin=data)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error {code}  ")
    assert said in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_says_how_to_read_a_reply(folder: Path, encoding: str) -> None:
    assert dovetail(folder, "apply", "--yes", stdin=GOOD.encode(encoding)).returncode == 0


@pytest.mark.parametrize(
    "data",
    [b"\x00" * 1000, b"<<<<<<< SEARCH\n" * 1000, b"```\n" * 999, b"\n" * 100_000],
    ids=["NUL", "starts", "fences", "blank lines"],
)
def test_garbage_ends_with_a_status_and_no_traceback(folder: Path, data: bytes) -> None:
    done = dovetail(folder, "apply", "--yes", stdin=data)
    assert done.returncode in (1, 3)
    assert "Traceback" not in done.stderr
    assert untouched(folder)


def test_a_reply_of_100_megabytes_is_refused(folder: Path) -> None:
    with (folder / "huge.md").open("wb") as file:
        file.truncate(100_000_000)
    done = dovetail(folder, "apply", "huge.md", "--yes")
    assert done.returncode == 2
    assert done.stderr.startswith("error reply-too-large  `huge.md` holds more than 64 MB")


@pytest.mark.parametrize(
    ("path", "said", "advised"),
    [
        ("/etc/passwd", "`/etc/passwd` exists, outside of the root.", True),
        ("none.py", "`none.py` does not exist.", True),
        (".git/config", "lies in Git's own folder.", True),
        ("leaves/x.py", "`leaves/x.py`", True),
        ("data.bin", "It holds NUL bytes", False),
    ],
)
def test_the_model_is_advised_only_of_what_words_can_mend(folder: Path, path: str, said: str, advised: bool) -> None:
    (folder / "leaves").symlink_to("/tmp")  # noqa: S108 - nothing is written there
    (folder / "data.bin").write_bytes(b"a\0b")
    done = dovetail(folder, "apply", "--yes", stdin=GOOD.replace("shapes.py", path).partition("notes/")[0])
    assert done.returncode == 1
    assert said in done.stdout
    assert ("To have the model correct what failed" in done.stdout) == advised


def test_a_reader_that_leaves_stops_no_write(folder: Path) -> None:
    command = f"{' '.join(COMMAND)} apply good.md --yes | true"
    subprocess.run(command, cwd=folder, shell=True, check=False, env=environment(folder), timeout=180)  # noqa: S602
    assert not untouched(folder)


@pytest.mark.parametrize("command", ["apply", "check"])
def test_an_empty_reply_is_said_to_be_empty(folder: Path, command: str) -> None:
    done = dovetail(folder, command, stdin=" \n")
    assert (done.returncode, done.stdout) == (3, "The reply is empty.\nCheck that all of it was copied.\n")


def test_commands_alone_are_no_edit_and_the_way_to_edits_is_named(folder: Path) -> None:
    done = dovetail(folder, "apply", "--yes", stdin="```sh\npython patch_all.py\n```\n")
    assert done.returncode == 3
    assert done.stdout.startswith("Commands that the reply suggests (Dovetail runs none)\n  $ python patch_all.py")
    assert done.stdout.endswith("have edits sent instead. To print how: dovetail prompt diff --reminder\n")


@pytest.mark.parametrize("words", [["apply", "--yes"], ["check"]])
def test_a_hint_about_changed_lines_that_are_no_edit_is_the_next_step(folder: Path, words: list[str]) -> None:
    said = dovetail(folder, *words, stdin="```diff\n-import math\n+import cmath\n```\n").stdout
    assert "write its path on the line above their fence." in said
    assert said.endswith("\nNo edit was found in the reply.\n")


def test_a_whole_text_for_a_new_file_creates_it(folder: Path) -> None:
    said = dovetail(folder, "apply", "-n", stdin="new.py\n```python\nx = 1\n```\n").stdout
    assert "  1  fits  new.py:1  creates the file\n" in said


@pytest.mark.parametrize(("reply", "said"), [
    ('{"tool": "str_replace", "path": "a.py", "old_str": "a", "new_str": "b\\nc"}', "tool-call edit, 1 line for 2\n"),
    ("a.py\n<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n", "diff edit, 0 lines for 1\n"),
    ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "\n1 edit, "),
    ("a.py\n```python\na\nb\n```\n", "whole rewrite, 2 lines\n"),
    ("*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n", "apply-patch delete\n"),
])  # fmt: skip
def test_check_counts_what_an_edit_holds(folder: Path, reply: str, said: str) -> None:
    assert said in dovetail(folder, "check", stdin=reply).stdout


def test_nothing_in_a_file_or_a_reply_reaches_the_terminal_as_a_sequence(folder: Path) -> None:
    (folder / "odd.txt").write_text("\x1b]0;title\x07 \x1b[2J clear\nold\n", encoding="utf-8")
    reply = "odd.txt\n```\n<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n```\n\n```sh\necho \x1b[2J\n```\n"
    done = dovetail(folder, "apply", "--dry-run", stdin=reply, extra={"FORCE_COLOR": "1", "NO_COLOR": ""})
    assert "\x1b]0" not in done.stdout
    assert "\x1b[2J" not in done.stdout
    assert "␛]0;title␇ ␛[2J clear" in done.stdout
    assert "\x1b[32m" in done.stdout


def test_actions_of_an_artifact_are_listed_and_never_run(folder: Path) -> None:
    reply = (
        '<boltArtifact id="1" title="t">\n<boltAction type="shell">touch run</boltAction>\n'
        '<boltAction type="supabase" operation="query">select 1</boltAction>\n</boltArtifact>\n'
    )
    for words in (["apply", "--yes"], ["check", "-"]):
        done = dovetail(folder, *words, stdin=reply)
        assert done.returncode == 3
        assert "  $ touch run   reply line 2\n" in done.stdout
        assert (
            "Database actions of the reply (Dovetail runs none)\n  query   reply line 3\n    select 1\n" in done.stdout
        )
        assert "error" not in done.stdout
    assert not (folder / "run").exists()


MOVED = "*** Begin Patch\n*** Update File: long.txt\n*** Move to: sub/moved.txt\n@@\n line 6\n-line 7\n+LINE 7\n*** End Patch\n"


def test_a_rename_is_one_change_for_who_reads_it(folder: Path) -> None:
    (folder / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 31)))
    title, hunk = "sub/moved.txt  renamed from long.txt  +1 -1\n", "@@ -4,7 +4,7 @@\n"

    def shown(*words: str, name: str = title) -> str:
        done = dovetail(folder, *words, stdin=MOVED)
        assert done.returncode == 0, done.stderr
        assert name in done.stdout
        assert "deleted" not in done.stdout
        return done.stdout

    assert f"{title}  1  fits exact high  long.txt:6-7  moves to sub/moved.txt\n" in (
        told := shown("apply", "--dry-run")
    )
    assert told.count("@@ -") == told.count(hunk) == 1
    assert "Wrote 1 file as operation" in shown("apply", "--yes")
    number = json.loads(dovetail(folder, "log", "--json").stdout)["operations"][0]["id"]
    assert shown("show", number).count(hunk) == 1
    back = "long.txt  renamed from sub/moved.txt  +1 -1\n"
    assert shown("undo", "--dry-run", name=back).count(hunk) == 1
    assert ": 1 file." in shown("undo", name=back)
    changes = json.loads(dovetail(folder, "apply", "-n", "--json", stdin=MOVED).stdout)["changes"]
    assert [(c["path"], c["change"]) for c in changes] == [("long.txt", "deleted"), ("sub/moved.txt", "renamed")]


def test_a_rename_without_another_change_is_one_change_too(folder: Path) -> None:
    reply = "*** Begin Patch\n*** Update File: shapes.py\n*** Move to: forms.py\n*** End Patch\n"
    shown = dovetail(folder, "apply", "--yes", stdin=reply).stdout
    assert shown.startswith("forms.py  renamed from shapes.py  +0 -0\n  1  written  shapes.py  moves to forms.py\n\n")


def test_what_git_was_not_given_and_why_is_said(folder: Path) -> None:
    def run(*words: str) -> None:
        subprocess.run(["git", *words], cwd=folder, env=environment(folder), capture_output=True, check=True)

    for words in (["init", "-q"], ["config", "user.name", "U"], ["config", "user.email", "u@example.org"]):
        run(*words)
    staged = dovetail(folder, "apply", "good.md", "--yes", "--git-add")
    assert "\nStaged 1 file.\nNot staged: `shapes.py` was not tracked.\n" in staged.stdout
    run("add", ".")
    run("commit", "-qm", "start")
    hook = folder / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nprintf 'lint: failed\\n\\n  a.py:1\\n' >&2\nexit 1\n")
    hook.chmod(0o755)
    reply = "notes/more.md\n```\n<<<<<<< SEARCH\n=======\n- sleep\n>>>>>>> REPLACE\n```\n"
    done = dovetail(folder, "apply", "--yes", "--commit", stdin=reply)
    assert done.returncode == 1
    assert "\nGit: git commit failed: lint: failed\n    a.py:1\nnext  " in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere file names are UTF-8 in every locale")
def test_a_name_that_the_locale_cannot_spell_is_refused(folder: Path) -> None:
    """As under a legacy locale of a cluster's; the plain C locale alone is UTF-8 to Python."""
    reply = "ü.py\n```\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```\n"
    legacy = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = dovetail(folder, "apply", "--yes", "--retry", "retry.md", stdin=reply, extra=legacy)
    assert (done.returncode, done.stderr) == (1, "")
    assert "send it retry.md\n" in done.stdout
    assert "failed outside-root" in done.stdout
    assert "encoding of this locale's file names, ascii; LC_ALL=C.UTF-8 has them all." in done.stdout


def test_an_operation_of_which_each_edit_was_taken_back_is_undone(folder: Path) -> None:
    dovetail(folder, "apply", "good.md", "--yes")
    operation = dovetail(folder, "log").stdout.split()[0]

    def seen() -> tuple[str, list[bool]]:
        (state,) = (line.split()[2] for line in dovetail(folder, "log").stdout.splitlines() if " apply " in line)
        shown = dovetail(folder, "show", operation).stdout.splitlines()
        assert shown[0].split()[2] == ("undone" if state == "undone" else "done")
        return state, [line.endswith("  taken back") for line in shown[1:3]]

    assert seen() == ("2", [False, False])
    dovetail(folder, "undo", "--edit", "2")
    assert seen() == ("2", [False, True])
    dovetail(folder, "undo", operation, "--edit", "1")
    assert seen() == ("undone", [True, True])
    dovetail(folder, "redo")
    assert seen() == ("2", [False, True])


def test_an_undo_that_finds_a_folder_or_nothing_to_do_says_what_to_do_next(folder: Path) -> None:
    dovetail(folder, "apply", "good.md", "--yes")
    operation = dovetail(folder, "log").stdout.split()[0]
    (folder / "shapes.py").unlink()
    (folder / "shapes.py").mkdir()
    for words in ([], ["--dry-run"]):
        barred = dovetail(folder, "undo", *words)
        assert (barred.returncode, barred.stdout) == (1, "")
        assert barred.stderr == (
            "error journal  `shapes.py` is a folder, not a file; nothing was changed.\n"
            "next  To take back the other file and leave what is named: add --except-conflicts. You can change it by hand; "
            f"`dovetail show {operation}` has both versions. To take back an edit that is not in the way: --edit N\n"
        )
    (folder / "shapes.py").rmdir()
    (folder / "shapes.py").write_text(SHAPES)
    (folder / "notes/todo.md").unlink()
    (folder / "notes/todo.md").mkdir()
    done = dovetail(folder, "undo")
    assert done.stdout.startswith(f"Took back operation {operation}: no file had to change. To reverse this: ")
    assert f"takes back {operation}; no file had to change\n" in dovetail(folder, "log").stdout


def test_an_undo_behind_which_another_operation_stands_leads_to_that_one_and_goes_then(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    for old, new in ((1, 2), (2, 3)):
        reply = f"a.py\n<<<<<<< SEARCH\nx = {old}\n=======\nx = {new}\n>>>>>>> REPLACE\n"
        assert dovetail(tmp_path, "apply", "--yes", stdin=reply).returncode == 0
    later, first = (line.split()[0] for line in dovetail(tmp_path, "log").stdout.splitlines())
    barred = dovetail(tmp_path, "undo", first)
    assert barred.returncode == 1
    assert "next  Take back first what a later operation did there (`dovetail log`)." in barred.stderr
    assert dovetail(tmp_path, "undo", later).returncode == 0
    assert dovetail(tmp_path, "undo", first).returncode == 0
    assert (tmp_path / "a.py").read_text() == "x = 1\n"


@pytest.mark.parametrize(
    ("reply", "option", "code"),
    [
        ("def area(width,  height):\n    return width * height\n", ["--min-confidence", "high"], "low-confidence"),
        ("def area(width, height):\n    return width * height\n", ["--refuse-new-errors"], "new-syntax-error"),
    ],
)
def test_whoever_asks_for_care_gets_no_doubtful_write(folder: Path, reply: str, option: list[str], code: str) -> None:
    new = "def area(width, height:\n    return height * width\n"
    edit = f"shapes.py\n```python\n<<<<<<< SEARCH\n{reply}=======\n{new}>>>>>>> REPLACE\n```\n"
    (folder / "edit.md").write_text(edit)
    done = dovetail(folder, "apply", "edit.md", "--yes", *option)
    assert done.returncode == 1
    assert code in done.stdout
    assert untouched(folder)
    assert dovetail(folder, "apply", "edit.md", "--yes").returncode == 0


def test_a_guard_is_overruled_by_its_code(folder: Path) -> None:
    (folder / "keys.yaml").write_text("token: a8f0c2\nname: quay\n")
    (folder / "edit.md").write_text("keys.yaml\n```yaml\ntoken: ***\nname: pier\n```\n")
    assert dovetail(folder, "apply", "edit.md", "--yes").returncode == 1
    assert dovetail(folder, "apply", "edit.md", "--yes", "--accept", "masked").returncode == 2
    done = dovetail(folder, "apply", "edit.md", "--yes", "--accept", "masked-value")
    assert done.returncode == 0
    assert "warning masked-value" in done.stdout
    assert (folder / "keys.yaml").read_text() == "token: ***\nname: pier\n"


def test_a_miss_shows_text_of_the_file_though_nothing_in_it_is_alike(folder: Path) -> None:
    (folder / "edit.md").write_text("shapes.py\n```\n<<<<<<< SEARCH\nzzz\n=======\nx\n>>>>>>> REPLACE\n```\n")
    shown = dovetail(folder, "apply", "edit.md", "--dry-run").stdout
    assert "nearest   lines 1-9, nothing in the file is like the search" in shown
    assert '        1 |"""Shapes."""' in shown
    assert "(1 more line)" in shown
    record = json.loads(dovetail(folder, "apply", "edit.md", "--dry-run", "--json").stdout)
    assert record["results"][0]["nearest"]["corrected"] == SHAPES
    assert SHAPES in record["retry"]


UNREAD = "In `shapes.py` add:\n\n```python\ndef volume(area, depth):\n    return area * depth\n```\n"


def test_a_reply_that_is_read_in_part_is_written_only_on_request(folder: Path) -> None:
    (folder / "keys.yaml").write_text("token: a\n")
    edit = "keys.yaml\n```\n<<<<<<< SEARCH\ntoken: a\n=======\ntoken: b\n>>>>>>> REPLACE\n```\n\n"
    (folder / "edit.md").write_text(f"{edit}Then run:\n\n```sh\nsed -i s/width/depth/ shapes.py\n```\n")
    done = dovetail(folder, "apply", "edit.md", "--yes", "--retry", "retry.md")
    assert done.returncode == 1
    assert "left out unread" in done.stdout
    assert "part of the reply is not read. To write the rest: --partial" in done.stdout
    assert (folder / "keys.yaml").read_text() == "token: a\n"
    message = (folder / "retry.md").read_text()
    assert "search/replace block" in message
    assert "shapes.py" in message
    partly = dovetail(folder, "apply", "edit.md", "--yes", "--partial")
    assert partly.returncode == 1
    assert "Wrote 1 file" in partly.stdout
    assert (folder / "keys.yaml").read_text() == "token: b\n"


def test_a_listing_that_is_not_read_is_told_beside_edits(folder: Path) -> None:
    (folder / "keys.yaml").write_text("token: a\n")
    edit = "keys.yaml\n```\n<<<<<<< SEARCH\ntoken: a\n=======\ntoken: b\n>>>>>>> REPLACE\n```\n\n"
    (folder / "edit.md").write_text(edit + UNREAD)
    done = dovetail(folder, "apply", "edit.md", "--yes")
    assert (done.returncode, (folder / "keys.yaml").read_text()) == (0, "token: b\n")
    assert "left out unread" in done.stdout


def test_a_reply_of_which_nothing_is_read_is_no_reply_without_edits(folder: Path) -> None:
    (folder / "edit.md").write_text(UNREAD)
    done = dovetail(folder, "apply", "edit.md", "--yes", "--json")
    record = json.loads(done.stdout)
    assert (done.returncode, record["exit"], record["written"]) == (1, 1, False)
    (result,) = record["results"]
    assert (result["n"], result["status"], result["code"], result["path"]) == (1, "left-out", "unread", "shapes.py")
    assert "shapes.py" in record["retry"]


def test_a_listing_shows_the_lines_that_it_changes(folder: Path) -> None:
    new = SHAPES.replace("return width * height", "return height * width")
    (folder / "whole.md").write_text(f"shapes.py\n```python\n{new}```\n")
    shown = dovetail(folder, "apply", "whole.md", "--dry-run").stdout
    assert "shapes.py:5  rewrites the file" in shown


def test_an_edit_that_is_held_back_names_the_one_that_fails(folder: Path) -> None:
    shown = dovetail(folder, "apply", "mixed.md", "--dry-run").stdout
    assert "Edit 3 fails, and holds back the others." in shown


def test_undo_to_goes_back_in_one_step_and_the_log_says_what_each_step_changed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 0\n")
    for old, new in (("x = 0\n", "x = 1\n"), ("x = 1\n", "x = 2\ny = 2\n"), ("y = 2\n", "")):
        reply = f"a.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"
        assert dovetail(tmp_path, "apply", "--yes", stdin=reply).returncode == 0

    def steps() -> list[list[str]]:
        return [line.split()[1:] for line in dovetail(tmp_path, "log").stdout.splitlines()]

    third, second, first = (line.split()[0] for line in dovetail(tmp_path, "log").stdout.splitlines())
    done = ["apply", "1", "file"]
    assert steps() == [[*done, "+0", "-1", "a.py"], [*done, "+2", "-1", "a.py"], [*done, "+1", "-1", "a.py"]]
    dry = dovetail(tmp_path, "undo", "--to", first, "--dry-run")
    assert (dry.returncode, "-x = 2\n" in dry.stdout) == (0, True)
    back = dovetail(tmp_path, "undo", "--to", first)
    assert back.stdout.endswith(
        f"Took back 2 operations, {second} to {third}: 1 file. To reverse this: dovetail redo\n"
    )
    assert (tmp_path / "a.py").read_text() == "x = 1\n"
    assert steps()[0] == f"undo 1 file +1 -1 takes back {third} and 1 more: a.py".split()
    again = dovetail(tmp_path, "redo")
    redone = dovetail(tmp_path, "log").stdout.split()[0]
    assert again.stdout.endswith(f"To reverse this: dovetail undo {redone}\n")
    assert (tmp_path / "a.py").read_text() == "x = 2\n"
    record = json.loads(dovetail(tmp_path, "log", "--json").stdout)["operations"][1]
    assert (record["undoes"], record["also"], record["added"], record["removed"]) == (third, [second], 1, 1)
    refused = dovetail(tmp_path, "undo", third, "--to", first)
    assert (refused.returncode, refused.stderr.splitlines()[1]) == (2, "next  Leave out the other ID and --edit.")
