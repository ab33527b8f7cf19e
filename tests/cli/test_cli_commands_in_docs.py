"""The commands that README and docs say to type are commands, and those that need nobody else run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from cli_shell import dovetail as dovetail_command

from dovetail.cli.arguments import build
from dovetail.workspace import Origin, OutsideChange, Version, Workspace
from dovetail.workspace.operation import digest_of

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", *(str(p.relative_to(ROOT)) for p in sorted((ROOT / "docs").rglob("*.md")))]
FENCE = re.compile(r"^```(?:sh|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"\b(bench/\w+(?:\.py)?|tools/\w+\.py|examples/\w+\.py)((?: [^;|&#\n]*)?)")

# What stands for something of the reader's own, and what this test has in its place.
OWN = {
    "NAME": "gpt-small",
    "FILE…": "tally/words.py",
    "LOG": "session.jsonl",
    "…": "",
    "load.py": "tally/words.py",
    "src/app.py": "tally/words.py",
    "src/app.py:12": "tally/words.py:1",
    "~/.claude/projects/…/SESSION.jsonl": "session.jsonl",
}
# A model, a browser, a terminal, a clipboard, a cluster or an agent has the other end: these are read, not run.
ELSEWHERE = {"ask", "chat", "serve", "review", "mcp"}
WITH_OTHERS = ("--clipboard", "--engine", "--copy")
ASKS = {
    ("apply", "reply.md"),
    ("apply", "reply.md", "--retry", "-"),
    ("hook", "install", "claude"),
}  # without a terminal nothing is written: status 2


def commands() -> list[tuple[str, ...]]:
    """The words behind `dovetail` of each command in a shell fence, each once."""
    found: dict[tuple[str, ...], None] = {}
    for page in PAGES:
        for fence in FENCE.findall((ROOT / page).read_text(encoding="utf-8")):
            for line in fence.replace("\\\n", " ").splitlines():
                if "$(" in line or "docker" in line or "ray job" in line:
                    continue  # for a shell of the reader's, a container, a cluster
                lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
                lexer.whitespace_split = True
                words: list[str] = []
                for word in [*lexer, ";"]:
                    if not set(word) <= set("();<>|&"):
                        words.append(OWN.get(word, word))
                        continue
                    if words[:1] == ["dovetail"]:
                        found[tuple(w for w in words[1:] if w)] = None
                    words = []
    return list(found)


COMMANDS = commands()
RUN = [words for words in COMMANDS if words and words[0] not in ELSEWHERE and not set(WITH_OTHERS) & set(words)]


def test_commands_were_found() -> None:
    assert len(COMMANDS) >= 30
    assert len(RUN) >= 20


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_of_the_docs_is_one(words: tuple[str, ...]) -> None:
    build(only=words[0]).parse_args(list(words))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example in a repository of its own, with a reply, an apply, an agent's request, a log and cases."""
    root = tmp_path_factory.mktemp("docs") / "tally"
    shutil.copytree(ROOT / "examples/project", root)
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    file = root / "tally/words.py"
    shutil.copy(ROOT / "bench/judge/logs/claude-harbour.jsonl", root / "session.jsonl")
    reply = "tally/words.py\n```\n<<<<<<< SEARCH\n    return {}\n=======\n    return {}\n>>>>>>> REPLACE\n```\n"
    (root / "reply.md").write_text(reply.format("text.lower().split()", "text.split()"))
    assert dovetail_command(root, "apply", "reply.md", "--yes").returncode == 0
    (root / "reply.md").write_text(reply.format("text.split()", "text.casefold().split()"))
    with Workspace.open(root) as workspace:
        for request in (1, 2):
            after = file.read_bytes() + f"# request {request}\n".encode()
            kept = {digest_of(data): data for data in (file.read_bytes(), after)}
            sides = tuple(Version(digest_of(data), 0o644) for data in (file.read_bytes(), after))
            file.write_bytes(after)
            origin = Origin("claude", "s1", request, "Change it.", "Edit", (f"t{request}",))
            change = OutsideChange(origin, f"2998-01-0{request}T03:04:05Z", {"tally/words.py": (sides[0], sides[1])})
            workspace.record([change], kept.__getitem__)
    return root


@pytest.mark.parametrize("words", RUN, ids=" ".join)
def test_a_command_of_the_docs_runs(words: tuple[str, ...], prepared: Path, tmp_path: Path) -> None:
    root = tmp_path / "tally"
    shutil.copytree(prepared, root)
    logs = tmp_path / ".claude/projects/tally"  # where `audit` looks for today's sessions
    logs.mkdir(parents=True)
    shutil.copy(root / "session.jsonl", logs)
    home = {"HOME": str(tmp_path), "CODEX_HOME": str(tmp_path / "codex")}
    if words[0] == "redo":
        assert dovetail_command(root, "undo", extra=home).returncode == 0
    done = dovetail_command(root, *words, extra=home)
    assert done.returncode == (2 if words in ASKS else 0), done.stdout + done.stderr


def programs() -> list[tuple[str, str]]:
    """The programs of the clone that a page says to run, each with what stands behind it."""
    return [
        (program, options)
        for page in PAGES
        for fence in FENCE.findall((ROOT / page).read_text(encoding="utf-8"))
        for program, options in PROGRAM.findall(fence)
    ]


@pytest.mark.parametrize(("program", "options"), sorted(set(programs())))
def test_a_program_of_the_docs_is_there_and_has_its_options(program: str, options: str) -> None:
    file = ROOT / program if (ROOT / program).is_file() else ROOT / program / "__main__.py"
    text = "".join(part.read_text(encoding="utf-8") for part in file.parent.glob("*.py"))
    assert file.is_file()
    assert [name for name in re.findall(r"(?<= )--[a-z][a-z-]*", options) if f'"{name}"' not in text] == []
