"""Dovetail in a hostile clone writes nothing before it is asked, whatever the command."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from cli_shell import COMMAND, at_terminal, dovetail, environment
from hostile_clone import HOOKS, REPLY, booby_trapped, hostile_clone, tree
from provider_server import Answer, openai_events, serving

NO_MODEL = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "sk-mine"}
COMMANDS = {
    "apply": (["apply", "../reply.md", "--yes"], 1),
    "apply, unanswered": (["apply", "../reply.md"], 2),
    "apply --dry-run": (["apply", "../reply.md", "--dry-run"], 1),
    "context": (["context", "a.py"], 0),
    "context --map": (["context", "a.py", "--map"], 0),
    "check": (["check", "../reply.md"], 0),
    "log": (["log"], 0),
    "log --json": (["log", "--json"], 0),
    "log --prune": (["log", "--prune"], 1),
    "show": (["show"], 0),
    "undo": (["undo"], 1),
    "undo --dry-run": (["undo", "--dry-run"], 1),
    "undo --edit": (["undo", "--edit", "1"], 1),
    "redo": (["redo"], 1),
    "ask": (["ask", "Dearer.", "a.py", "--model", "tiny", "--yes"], 1),
    "ask --dry-run": (["ask", "Dearer.", "a.py", "--model", "tiny", "--dry-run"], 1),
    "batch": (["batch", "--in", "../cases.jsonl", "--out", "../answers.jsonl"], 0),
}
TELLS = "The journal `.dovetail` came with the repository: git tracks it."


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "reply.md").write_text(REPLY)
    (tmp_path / "cases.jsonl").write_text('{"id": 1, "files": {"a.py": "a = 1\\n"}, "reply": ""}\n')
    return hostile_clone(tmp_path)


@pytest.fixture
def archive(clone: Path) -> Path:
    """The same files as an archive brings them: no git says who tracks what."""
    shutil.rmtree(clone / ".git")
    return clone


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_writes_anything(clone: Path, name: str) -> None:
    words, status = COMMANDS[name]
    before = tree(clone)
    done = dovetail(clone, *words, extra=NO_MODEL)
    assert tree(clone) == before
    assert done.returncode == status, done.stderr
    if name not in ("check", "batch"):  # which look at no folder
        assert TELLS in done.stdout + done.stderr
        assert "git rm -r -q --cached .dovetail" in done.stdout + done.stderr
    if name == "log --json":
        assert json.loads(done.stdout)["refused"]["message"].startswith(TELLS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("apply", "ask")])
def test_no_command_writes_anything_where_an_archive_was_unpacked(archive: Path, name: str) -> None:
    words, _ = COMMANDS[name]
    before = tree(archive)
    done = dovetail(archive, *words, extra=NO_MODEL)
    assert tree(archive) == before
    if name not in ("check", "batch"):
        assert "The journal `.dovetail` is not known to be yours" in done.stdout + done.stderr


@pytest.mark.parametrize("kind", ["clone", "archive"])
def test_the_page_writes_nothing_before_it_is_asked(clone: Path, kind: str) -> None:
    if kind == "archive":
        shutil.rmtree(clone / ".git")
    before = tree(clone)
    words = [*COMMAND, "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        words, cwd=clone, env=environment(clone, **NO_MODEL), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        assert served.stdout is not None
        address = served.stdout.readline()
        served.terminate()
        _, told = served.communicate()
    assert address.startswith("http://127.0.0.1:"), told
    assert "was left as it is. The journal `.dovetail`" in told
    assert tree(clone) == before


def test_what_is_applied_where_an_archive_was_unpacked_can_be_taken_back(archive: Path) -> None:
    before = tree(archive)
    done = dovetail(archive, "apply", "../reply.md", "--yes")
    assert done.returncode == 0, done.stderr
    assert "warning journal-foreign" in done.stdout
    after = tree(archive)
    assert {path for path in after if not path.startswith(".dovetail")} == {"a.py", "done.txt"}
    assert after[".dovetail/foreign-1/log"][1] == before[".dovetail/log"][1]
    assert after["a.py"][1] == b"a = 2\n"
    again = dovetail(archive, "undo")
    assert again.returncode == 0, again.stderr
    assert tree(archive)["a.py"] == before["a.py"]
    assert "foreign" not in dovetail(archive, "log").stdout


def test_a_conversation_is_refused_before_anybody_is_asked(clone: Path) -> None:
    before = tree(clone)
    with at_terminal(clone, "chat", "--model", "tiny", extra=NO_MODEL) as person:
        assert person.leave() == 1
        assert TELLS in " ".join(person.seen.split())
    assert tree(clone) == before


def home_less(clone: Path, **extra: str) -> dict[str, str]:
    """A container's variables, whose user has a key and no home; no way leads out of it."""
    kept = {name: value for name, value in environment(clone).items() if not name.startswith("XDG_") and name != "HOME"}
    return {**kept, "OPENAI_API_KEY": "sk-mine", "HTTPS_PROXY": "http://127.0.0.1:1", "TMPDIR": "/dev/null", **extra}


@pytest.mark.parametrize("how", ["XDG_CONFIG_HOME is not expanded", "HOME is relative", "HOME is the clone"])
def test_no_key_goes_where_the_repository_says(tmp_path: Path, how: str) -> None:
    """Its files lie where the user's settings would, if a path that is not absolute were one."""
    clone = tmp_path / "clone"
    (clone / ".git").mkdir(parents=True)
    (clone / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (clone / "a.py").write_text("a = 1\n")
    inside = {"HOME is relative": ".config", "HOME is the clone": ".config"}.get(how, "~/.config")
    with serving(Answer(openai_events("No."))) as server:
        settings = clone / inside / "dovetail/config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(f'[openai]\nbase_url = "{server.url}/v1"\n')
        extra = {
            "XDG_CONFIG_HOME is not expanded": {"XDG_CONFIG_HOME": "~/.config", "HOME": str(tmp_path)},
            "HOME is relative": {"HOME": "."},
            "HOME is the clone": {"HOME": str(clone)},
        }.get(how, {})
        words = [*COMMAND, "ask", "Dearer.", "a.py", "--model", "tiny", "--yes", "--no-map"]
        done = subprocess.run(
            words, cwd=clone, env=home_less(clone, **extra), capture_output=True, check=False, timeout=180
        )
        assert done.returncode != 0
        assert server.seen == []


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_runs_what_a_repository_names(tmp_path: Path, name: str) -> None:
    (tmp_path / "reply.md").write_text(REPLY)
    (tmp_path / "cases.jsonl").write_text('{"id": 1, "files": {"a.py": "a = 1\\n"}, "reply": ""}\n')
    root = booby_trapped(tmp_path)
    dovetail(root, *COMMANDS[name][0], extra=NO_MODEL)
    assert [ran.name for ran in (tmp_path / "ran").iterdir()] == []


@pytest.mark.parametrize(("how", "expected"), [("--git-add", set()), ("--commit", {"pre-commit", "commit-msg"})])
def test_hooks_run_for_a_commit_that_the_user_asks_for(tmp_path: Path, how: str, expected: set[str]) -> None:
    """Filters run for both, as they decide what git's store gets."""
    (tmp_path / "reply.md").write_text(REPLY)
    root = booby_trapped(tmp_path)
    who = {f"GIT_{role}_{what}": "a@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    done = dovetail(root, "apply", "../reply.md", "--yes", how, extra=who)
    ran = {ran.name for ran in (tmp_path / "ran").iterdir()}
    assert expected <= ran, done.stderr
    assert (root / "a.py").read_text() == "a = 2\n"
    assert {name for name in ran if not name.startswith("filter.")} - expected <= (set(HOOKS) if expected else set())


def test_a_folder_that_poses_as_a_repository_brings_no_settings(tmp_path: Path) -> None:
    """As a bare repository that lies in a clone, among its files."""
    (tmp_path / "reply.md").write_text(REPLY)
    trapped, root = booby_trapped(tmp_path), tmp_path / "clone"
    root.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    shutil.copytree(trapped / ".git", root / "sub")
    (root / "sub/a.py").write_text("a = 1\n")
    with (root / "sub/config").open("a") as settings:
        settings.write(f"[core]\n\tbare = false\n\tworktree = {root}/sub\n")
    for words, _ in COMMANDS.values():
        dovetail(root / "sub", "--root", ".", *words, extra=NO_MODEL)
    assert [ran.name for ran in (tmp_path / "ran").iterdir()] == []
