"""What the documents claim is what happens: the README's output, the library's examples, the list of codes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from cli_shell import dovetail as dovetail_command

import dovetail
from dovetail.formats.events import Event
from dovetail.guards.table import GUARDS
from dovetail.model.codes import Code
from dovetail.session.settings import load

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import failures  # noqa: E402

LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fences(path: str, language: str) -> list[str]:
    text = (ROOT / path).read_text(encoding="utf-8")
    return [body for name, body in FENCE.findall(text) if name == language]


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What README's first command prints."""
    environment = {**os.environ, "TMPDIR": str(tmp_path_factory.mktemp("copy"))}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/try.py")],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=environment,
        timeout=180,
    )
    return done.stdout


def test_readme_shows_what_the_first_command_prints(tried: str) -> None:
    (shown,) = fences("README.md", "text")
    for piece in shown.strip("\n").split("\n\n"):
        assert piece in tried


def test_readme_shows_lines_of_the_recorded_chat() -> None:
    recording = (ROOT / "docs/chat-recording.txt").read_text(encoding="utf-8").splitlines()
    (shown,) = fences("README.md", "console")
    assert [line for line in shown.splitlines() if line and line not in recording] == []


def test_the_first_command_leaves_the_clone_as_it_was(tried: str) -> None:
    done = subprocess.run(["git", "status", "--porcelain", "examples"], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "" or ".dovetail" not in done.stdout
    assert not (ROOT / "examples/project/tally/stopwords.py").exists()
    copy = Path(re.findall(r"The copy is in (\S+)\.", tried)[0])
    assert (copy / "tally/stopwords.py").exists()


def test_the_example_runs_after_its_edits(tried: str) -> None:
    copy = Path(re.findall(r"The copy is in (\S+)\.", tried)[0])
    command = [sys.executable, "-m", "tally", "README.md"]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0].split() == ["tally", "2"]


def test_the_agent_in_the_docs_of_the_library_works() -> None:
    names: dict[str, object] = {}
    exec(compile(fences("docs/library.md", "python")[0], "library.md", "exec"), names)  # noqa: S102
    block = "app.py\n```\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n```\n"
    answers = [
        block.format("a = 1", "a = 2") + block.format("import nothing_like_this_at_all", "b = 3"),
        "I cannot find that line.",
        block.format("b = 1", "b = 3"),
    ]
    asked: list[str] = []

    def ask(request: str) -> str:
        asked.append(request)
        return answers[len(asked) - 1]

    apply_reply = names["apply_reply"]
    assert callable(apply_reply)
    assert apply_reply(ask, {"app.py": "a = 1\nb = 1\n"}, "Please.") == {"app.py": "a = 2\nb = 3\n"}
    assert "1 of your 2 edits could not be applied. The others are applied. Do not send them again." in asked[1]
    assert "holds no edit" in asked[2]


@pytest.mark.parametrize("source", fences("docs/library.md", "python")[1:])
def test_the_samples_in_the_docs_of_the_library_run(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text("a = 1\n")
    reply = "app.py\n```\n<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n```\n"
    files = {"app.py": "a = 1\n"}
    (tmp_path / "cases.jsonl").write_text(json.dumps({"id": 1, "files": files, "reply": reply}) + "\n")
    names = {"dovetail": dovetail, "reply": reply, "files": files, "pieces": [reply[:9], reply[9:].encode()]}
    names["__name__"] = "__main__"
    exec(compile(source.replace("/path/to/project", str(tmp_path)), "library.md", "exec"), names)  # noqa: S102
    written = ".write()" in source
    assert (tmp_path / "app.py").read_text() == ("a = 2\n" if written else "a = 1\n")
    if (plan := names.get("plan")) is not None:
        assert plan.files_modified == ("app.py",)
    if (results := tmp_path / "results.jsonl").exists():
        assert json.loads(results.read_text())["files"] == {"app.py": "a = 2\n"}


def test_every_event_of_a_stream_is_named_in_the_docs_of_the_library() -> None:
    page = (ROOT / "docs/library.md").read_text()
    assert [event.__name__ for event in get_args(Event) if f"`{event.__name__}`" not in page] == []


def test_every_code_is_in_the_reference_once() -> None:
    results, errors = (ROOT / "docs/reference/diagnostics.md").read_text().split("\n## Errors of the command itself")
    listed = Counter(re.findall(r"^\| `([a-z-]+)`", results, re.MULTILINE))
    assert [code for code, rows in listed.items() if rows > 1] == []
    assert [code for code in Code if code not in listed and f"\n| `{code}`" not in errors] == []


def test_the_reference_lists_the_guards_that_refuse() -> None:
    reference = (ROOT / "docs/reference/diagnostics.md").read_text()
    below_the_table = reference.partition("are findings of guards.")[0].rpartition("\n\n")[2]
    # another package's guard, and the one that refuses only if a policy says so
    refusing = {guard.code for guard in GUARDS if guard.refuses} | {Code.ADDED_GUARD, Code.NEW_SYNTAX_ERROR}
    assert set(re.findall(r"`([a-z-]+)`", below_the_table)) & set(Code) == refusing


def test_the_codes_of_messages_are_codes() -> None:
    page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    assert set(re.findall(r"\(`([a-z-]+)`[,)]", page)) <= set(Code)


def test_the_settings_in_the_docs_are_read(tmp_path: Path) -> None:
    (tmp_path / "dovetail.toml").write_text(fences("docs/reference/settings.md", "toml")[0])
    assert len(load(tmp_path, tmp_path / "none").chosen) == 10


def test_the_tutorial_goes_as_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
    reply = page.partition("````markdown\n")[2].partition("````\n")[0]
    shutil.copytree(ROOT / "examples/project", tmp_path / "tally")
    words = tmp_path / "tally/tally/words.py"
    before = words.read_text()

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        assert f"dovetail {' '.join(command[:2])}" in page
        (tmp_path / "tally/reply.md").write_text(reply)
        return dovetail_command(tmp_path / "tally", *command)

    assert run("apply", "reply.md", "--dry-run").returncode == 0
    assert run("apply", "reply.md", "--yes").returncode == 0
    assert words.read_text() != before
    assert run("undo").returncode == 0
    assert words.read_text() == before
    reply = reply.replace("return text.lower", "return sentence.lower", 1)
    missed = run("apply", "reply.md", "--dry-run", "--retry", "-")
    assert missed.returncode == 1
    assert "The file has:" in missed.stdout


@pytest.mark.parametrize("name", failures.CASES)
def test_every_typical_failure_says_what_to_do_next(name: str) -> None:
    terminal, _, model = failures.shown(failures.CASES[name]).partition("--- to the model\n")
    (step, *_) = re.findall(r"^ +next +(\S.*)$", terminal, re.MULTILINE)
    assert ("Read the file again" if name == "stale" else step) in model  # settings are not a model's to change
    assert "### Edit " in model


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "AGENTS.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        *(str(p.relative_to(ROOT)) for p in sorted((ROOT / "docs").rglob("*.md"))),
    ],
)
def test_links_lead_somewhere(path: str) -> None:
    page = ROOT / path
    assert [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    "path",
    [
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/changes.md",
        *(str(p.relative_to(ROOT)) for p in sorted((ROOT / "docs/decisions").glob("*.md"))),
    ],
)
def test_modules_that_a_page_names_exist(path: str) -> None:
    named = set(re.findall(r"`(\w[\w/]*\.py)`", (ROOT / path).read_text())) - {"cli/NAME.py"}
    known = [
        f"/{file.relative_to(ROOT)}"
        for top in ("src", "tests", "tools", "bench")
        for file in (ROOT / top).rglob("*.py")
    ]
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in known)] == []


def test_every_attack_names_a_test_that_exists() -> None:
    rows = [line for line in (ROOT / "docs/reference/attacks.md").read_text().splitlines() if line.startswith("| ")]
    attacks = [row for row in rows if not row.startswith(("| attack |", "| --- |"))]
    assert len(attacks) > 40
    for row in attacks:
        path, _, name = row.rstrip(" |").rpartition("`")[0].rpartition("`")[2].partition("::")
        text = (ROOT / path).read_text()
        assert f"def {name or 'main'}(" in text, row


def test_every_public_name_is_on_the_page_of_names() -> None:
    page = (ROOT / "docs/reference/api.md").read_text(encoding="utf-8")
    assert [name for name in dovetail.__all__ if not re.search(rf"dovetail\.{name}\b", page)] == []
