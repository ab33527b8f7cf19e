"""Who wrote committed lines, as git-ai's notes and Entire's trailers say it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from dovetail.errors import JournalError
from dovetail.session.apply.committed import CommitAuthor, committed_lines
from dovetail.session.apply.why import why

ABOUT = {
    "schema_version": "authorship/3.0.0",
    "prompts": {"abcd1234abcd1234": {"agent_id": {"tool": "claude", "id": "s-1", "model": "opus"}}},
    "sessions": {"s_77": {"agent_id": {"tool": "codex", "id": "s-2", "model": "gpt"}}},
    "humans": {"h_12": {"author": "Ann <ann@example.org>"}},
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def git(root: Path, *args: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *who, *args], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def commit(root: Path, text: str, message: str = "change", path: str = "src/my app.py") -> str:
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-qm", message)
    return git(root, "rev-parse", "HEAD")


def note(root: Path, attested: str) -> None:
    git(root, "notes", "--ref=ai", "add", "-f", "-m", f"{attested}\n---\n{json.dumps(ABOUT)}")


def test_a_note_names_the_writer_of_each_line(project: Path) -> None:
    first = commit(project, "a\nb\nc\nd\ne\n")
    note(project, '"src/my app.py"\n  abcd1234abcd1234 1-2\n  s_77::t_5 3\n  h_12 4')
    commit(project, "new\na\nb\nc\nd\ne\n")
    (project / "src/my app.py").write_text("new\na\nmine\nc\nd\ne\n")
    assert committed_lines(project, "src/my app.py", (project / "src/my app.py").read_text()) == {
        2: CommitAuthor(first, "git-ai", "claude", "opus", "s-1"),
        4: CommitAuthor(first, "git-ai", "codex", "gpt", "s-2"),
        5: CommitAuthor(first, "git-ai", human="Ann <ann@example.org>"),
    }
    found = [(each.start, each.end, each.writer) for each in why(project, "src/my app.py").written]
    assert [(start, end) for start, end, _ in found] == [(1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6)]
    assert found[2][2] is None


def test_no_program_of_the_repository_is_started(project: Path) -> None:
    commit(project, "a\n", "add a\n\nEntire-Checkpoint: 1")
    (project / ".gitattributes").write_text("* filter=mark diff=mark\n")
    for name in ("filter.mark.clean", "diff.mark.textconv", "diff.mark.command"):
        git(project, "config", name, "touch started; cat")
    (project / "src/my app.py").write_text("b\na\n")
    assert list(committed_lines(project, "src/my app.py", "b\na\n")) == [2]
    assert not list(project.rglob("started"))


def test_a_trailer_names_the_checkpoint_of_a_commit(project: Path) -> None:
    commit(project, "a\n")
    second = commit(project, "a\nb\n", "add b\n\nEntire-Checkpoint: 01M2VBJBJQZ2BP1W2PBWDF3J30")
    checkpoint = CommitAuthor(second, "Entire", checkpoint="01M2VBJBJQZ2BP1W2PBWDF3J30")
    assert committed_lines(project, "src/my app.py", (project / "src/my app.py").read_text()) == {2: checkpoint}
    assert [each.writer for each in why(project, "src/my app.py").written] == [None, checkpoint]


def test_a_note_that_is_something_else_says_nothing(project: Path) -> None:
    commit(project, "a\n")
    git(project, "notes", "--ref=ai", "add", "-m", "reviewed\n---\nnot json")
    assert committed_lines(project, "src/my app.py", (project / "src/my app.py").read_text()) == {}
    with pytest.raises(JournalError):
        why(project, "src/my app.py")
