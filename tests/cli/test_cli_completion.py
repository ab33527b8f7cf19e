"""Completion: bash is asked for real; what the other shells are given is held to the grammar."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cli_shell import LEAD, Person, dovetail, environment

from dovetail.cli.arguments import COMMANDS, SHELLS

ASK = """
dovetail() {{ "$PYTHON" -m dovetail "$@"; }}
eval "$(dovetail completion bash)"
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_dovetail
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def completed(folder: Path, words: str) -> set[str]:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    done = subprocess.run(
        [bash, "--norc", "-c", ASK.format(words=words)],
        env=environment(folder, PYTHON=sys.executable, PATH="/usr/bin:/bin"),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return set(done.stdout.splitlines()) - {""}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("apply my", ["apply", "my reply.md"]),
        ("apply my\\ r", ["apply", "my reply.md"]),
        ("apply 'my r", ["apply", "my reply.md"]),
        ("apply --retry=my", ["apply", "--retry=my reply.md"]),
        ("apply st\\*", ["apply", "st*r.md"]),
        ("apply -C a\\ f", ["apply", "-C", "a folder/"]),
        ("apply --on-f", ["apply", "--on-failure"]),
        ("apply --on-failure=a", ["apply", "--on-failure=all"]),
        ("sho", ["show"]),
        ("show x", ["show", "x"]),
    ],
)
def test_tab_gives_the_words_that_are_meant(tmp_path: Path, typed: str, meant: list[str]) -> None:
    """At a terminal, where bash itself quotes what it puts in; a folder may be named as a command is."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    for name in ("my reply.md", "st*r.md", "stir", "x-ray.md"):
        (tmp_path / name).touch()
    (tmp_path / "a folder").mkdir()
    (tmp_path / "show").mkdir()
    (tmp_path / "rc").write_text(
        'PS1="> "\neval "$("$PYTHON" -m dovetail completion bash)"\n'
        "dovetail() { printf '[%s]\\n' \"$@\" end; }\nbind 'set enable-bracketed-paste off'\n"
    )
    with at_shell(tmp_path, "bash", "--rcfile", "rc") as person:
        person.wait_for("> ")
        os.write(person.terminal, f"dovetail {typed}\t".encode())
        person.type("")
        said = person.wait_for("[end]\n")
    assert re.findall(r"^\[(.*)\]$", said, re.MULTILINE) == [*meant, "end"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("apply my", ["apply", "my reply.md"]),
        ("-C sub apply in", ["-C", "sub", "apply", "inner.md"]),
        ("apply -C sub/a\\ b d", ["apply", "-C", "sub/a b", "deep.md"]),
        ("-C sub -C 'a b' apply d", ["-C", "sub", "-C", "a b", "apply", "deep.md"]),
        ("show -C sub 2", ["show", "-C", "sub", "ID"]),
    ],
)
def test_tab_in_zsh_gives_the_words_that_are_meant(tmp_path: Path, typed: str, meant: list[str]) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    (newest, *_) = journal_in(tmp_path / "sub", "a")
    (tmp_path / "sub" / "a b").mkdir()
    for name in ("my reply.md", "sub/inner.md", "sub/a b/deep.md"):
        (tmp_path / name).touch()
    (tmp_path / ".zshrc").write_text(
        'PS1="> "\nunset zle_bracketed_paste\ndovetail() {\n'
        'if [[ "$*" == *log ]]; then "$PYTHON" -m dovetail "$@"; else printf "[%s]\\n" "$@" end; fi\n}\n'
        'eval "$("$PYTHON" -m dovetail completion zsh)"\n'
    )
    with at_shell(tmp_path, "zsh", "-d") as person:
        person.wait_for("> ")
        os.write(person.terminal, f"dovetail {typed}\t".encode())
        person.type("")
        said = person.wait_for("[end]\n")
    assert re.findall(r"^\[(.*)\]$", said, re.MULTILINE) == [*(newest if m == "ID" else m for m in meant), "end"]


def at_shell(folder: Path, shell: str, *options: str) -> Person:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", LEAD, shutil.which(shell) or "", *options, "-i"]
    seen = environment(folder, PYTHON=sys.executable, TERM="dumb", HISTFILE="", HOME=str(folder), ZDOTDIR=str(folder))
    process = subprocess.Popen(
        command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, env=seen, start_new_session=True
    )
    os.close(theirs)
    return Person(process, ours)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("dovetail un", {"undo"}),
        ("dovetail -C sub un", {"undo"}),
        ("dovetail apply --dry", {"--dry-run"}),
        ("dovetail apply --on-failure ''", {"all", "file", "block"}),
        ("dovetail apply --occurrence f", {"first"}),
        ("dovetail completion ''", set(SHELLS)),
        ("dovetail prompt u", {"udiff"}),
        ("dovetail context --read-only ''", {"reply.md", "sub", "my reply.md", "*"}),
        ("dovetail prompt --fence ''", set()),
        ("dovetail check --format a", {"anchored", "apply-patch", "artifact", "auto"}),
        ("dovetail ask x --template s", {"starlette-service", "static-site"}),
        ("dovetail new v", {"vite-react"}),
        ("dovetail new --from ''", {"sub"}),
        ("dovetail apply -C ''", {"sub"}),
        ("dovetail apply rep", {"reply.md"}),
        ("dovetail apply my", {"my reply.md"}),
        ("dovetail apply '*'", {"*"}),
        ("dovetail undo ''", set()),
        ("dovetail show ''", set()),
        ("dovetail redo ''", set()),
        ("dovetail undo --edit ''", set()),
        ("dovetail log --limit ''", set()),
        ("dovetail chat --resume ''", set()),
        ("dovetail apply -m ''", set()),
        ("dovetail apply --on-failure = ''", {"all", "file", "block"}),
        ("dovetail apply --on-failure =", {"all", "file", "block"}),
        ("dovetail apply --on-failure = a", {"all"}),
        ("dovetail apply --on-failure=a", {"--on-failure=all"}),
        ("dovetail apply --retry = rep", {"reply.md"}),
        ("dovetail apply --root = s", {"sub"}),
        ("dovetail --root = sub un", {"undo"}),
        ("dovetail --root=sub un", {"undo"}),
        ("dovetail -C sub apply ''", {"a b", "inner.md"}),
        ("dovetail apply -C sub --retry ''", {"a b", "inner.md"}),
        ("dovetail -C sub -C ''", {"a b"}),
        ("dovetail -C sub -C 'a\\ b' apply ''", {"deep.md"}),
        ("dovetail -C '\"sub/a b\"' apply d", {"deep.md"}),
        ("dovetail -C nowhere apply ''", set()),
        ("dovetail --root sub apply rep", {"reply.md"}),
    ],
)
def test_bash_completes(tmp_path: Path, words: str, expected: set[str]) -> None:
    for name in ("reply.md", "my reply.md", "*"):
        (tmp_path / name).touch()
    (tmp_path / "sub" / "a b").mkdir(parents=True)
    (tmp_path / "sub" / "inner.md").touch()
    (tmp_path / "sub" / "a b" / "deep.md").touch()
    assert {word.rstrip("/") for word in completed(tmp_path, words)} == expected


@pytest.mark.parametrize("words", ["dovetail -C sub undo ''", "dovetail show -C sub 2", "dovetail undo --root sub ''"])
def test_bash_completes_the_ids_of_operations(tmp_path: Path, words: str) -> None:
    made = journal_in(tmp_path / "sub")
    assert completed(tmp_path, words) == set(made)


def journal_in(folder: Path, names: str = "ab") -> list[str]:
    """A folder where each of some files was made by an operation; their ids."""
    folder.mkdir()
    replies = [f"{name}.txt\n<<<<<<< SEARCH\n=======\n{name}\n>>>>>>> REPLACE\n" for name in names]
    said = [dovetail(folder, "apply", "--yes", stdin=reply).stdout for reply in replies]
    return [found for text in said for found in re.findall(r"operation (\S+?)\.", text)]


def test_every_command_is_offered(tmp_path: Path) -> None:
    assert set(COMMANDS) <= completed(tmp_path, "dovetail ''")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_is_told_every_command_and_option(tmp_path: Path, shell: str) -> None:
    script = dovetail(tmp_path, "completion", shell).stdout
    assert all(name in script for name in COMMANDS)
    assert all(word in script for word in ("on-failure", "dry-run", "clipboard", "unique", "medium"))


def test_zsh_is_told_of_each_place_once(tmp_path: Path) -> None:
    """It takes a second rest of the line for a mistake, and says so whenever Tab is pressed."""
    script = dovetail(tmp_path, "completion", "zsh").stdout
    lines = {line.split(")")[0].strip(): line for line in script.splitlines() if "_arguments" in line}
    assert set(lines) == set(COMMANDS)
    assert all(line.count("'*:word:") <= 1 for line in lines.values())
    assert "'1:word:_files $within' '*:word:_files $within'" in lines["ask"]


@pytest.mark.parametrize(("shell", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_what_is_printed_is_a_script_of_that_shell(tmp_path: Path, shell: str, check: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(dovetail(tmp_path, "completion", shell).stdout)
    done = subprocess.run([program, check, tmp_path / "script"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_zsh_that_never_began_completion_begins_it(tmp_path: Path) -> None:
    program = shutil.which("zsh")
    if program is None:
        pytest.skip("zsh is not installed")
    (tmp_path / "script").write_text(dovetail(tmp_path, "completion", "zsh").stdout)
    asked = [program, "-f", "-c", 'eval "$(cat script)"; print $_comps[dovetail]']
    done = subprocess.run(
        asked, cwd=tmp_path, env=environment(tmp_path, HOME=str(tmp_path)), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "_dovetail\n", "")


def test_an_unknown_shell_is_bad_use(tmp_path: Path) -> None:
    assert dovetail(tmp_path, "completion", "tcsh").returncode == 2


def test_an_option_without_effect_is_neither_listed_nor_completed() -> None:
    command = [sys.executable, "-m", "dovetail"]
    for words in (["apply", "--help"], ["completion", "bash"], ["completion", "zsh"], ["completion", "fish"]):
        printed = subprocess.run([*command, *words], capture_output=True, text=True, check=True).stdout
        assert "on-failure" in printed
        assert "conflicts" not in printed.replace("except-conflicts", "")
