"""`dovetail prompt`, `dovetail context` and `dovetail new`: what they print and make."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from cli_shell import at_terminal, dovetail
from loop_parts import FERRY, KIOSK, lay

from dovetail.context import estimate
from dovetail.llm.prompts import Wording, format_names
from dovetail.llm.prompts.texts import CodeFence


def test_prompts_are_printed() -> None:
    here = Path()
    assert dovetail(here, "prompt").stdout.split() == list(format_names())
    assert dovetail(here, "prompt", "diff").stdout == Wording("diff").system + "\n"
    quiet = dovetail(here, "prompt", "udiff", "--no-shell", "--fence", "````", "--reminder").stdout
    assert quiet == Wording("udiff", fence=CodeFence.of("````"), shell=False).reminder + "\n"
    assert "## Examples" in dovetail(here, "prompt", "whole", "--examples").stdout
    record = json.loads(dovetail(here, "prompt", "anchored", "--json").stdout)
    assert [turn["role"] for turn in record["examples"][:2]] == ["user", "assistant"]
    assert record["system"] == Wording("anchored").system
    bad = dovetail(here, "prompt", "nonsense")
    assert (bad.returncode, "There is no format 'nonsense'." in bad.stderr) == (2, True)


def test_a_map_leaves_a_cache_only_where_something_is_kept_already(tmp_path: Path) -> None:
    lay(tmp_path)
    first = dovetail(tmp_path, "context", "--map").stdout
    assert "def total" in first
    assert not (tmp_path / ".dovetail").exists()
    edit = "note.txt\n```\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n```\n"
    assert dovetail(tmp_path, "apply", "--yes", stdin=edit).returncode == 0
    assert dovetail(tmp_path, "context", "--map").stdout == first
    assert (tmp_path / ".dovetail" / "map").is_dir()
    assert dovetail(tmp_path, "context", "--map").stdout == first


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (".", "`.` is a folder."),
        ("sub", "`sub` is a folder."),
        ("data.bin", "`data.bin` cannot be shown. It holds NUL bytes"),
        ("n" * 300, "is longer than 255 bytes."),
        ("none.py", "There is no file `none.py`."),
    ],
)
def test_what_cannot_be_shown_is_said_by_its_name(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "data.bin").write_bytes(b"a\0b")
    done = dovetail(tmp_path, "context", name)
    assert (done.returncode, said in done.stderr) == (2, True)


def test_a_long_file_is_shown_in_part_unless_more_is_asked_for(tmp_path: Path) -> None:
    text = "".join(f"def function_{n}(value):\n    return value + {n}\n\n" for n in range(3_000))
    (tmp_path / "big.py").write_text(text)
    shown = dovetail(tmp_path, "context", "big.py")
    assert estimate(shown.stdout) < 4_200
    assert "Only parts of big.py are shown." in shown.stdout
    assert shown.stderr == "big.py is shown in part. To show all of it: --file-tokens 0\n"
    assert estimate(dovetail(tmp_path, "context", "big.py", "--file-tokens", "9000").stdout) > 6_000
    whole = dovetail(tmp_path, "context", "big.py", "--file-tokens", "0")
    assert (text in whole.stdout, whole.stderr) == (True, "")
    assert estimate(dovetail(tmp_path, "context", "big.py", "--tokens", "1000").stdout) <= 1_000
    assert dovetail(tmp_path, "context", "big.py", "--file-tokens", "-1").returncode == 2


def test_prompts_teach_the_markers_and_the_policy_of_the_settings(tmp_path: Path) -> None:
    words = 'search_words = ["VORHER"]\nreplace_words = ["NACHHER"]'
    (tmp_path / "dovetail.toml").write_text(f'occurrence = "first"\n[markers]\n{words}\n')
    for options in ((), ("--reminder",), ("--examples",)):
        said = dovetail(tmp_path, "prompt", "diff", *options).stdout
        assert "<<<<<<< VORHER\n" in said
        assert ">>>>>>> NACHHER\n" in said
        assert "SEARCH" not in said
    assert "the first of them is changed" in dovetail(tmp_path, "prompt", "diff").stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return lay(tmp_path)


def test_files_are_shown_as_a_message(root: Path) -> None:
    shown = dovetail(root, "context", "kiosk.py", "--read-only", "ferry.txt")
    assert shown.returncode == 0
    assert "kiosk.py\n```python version=" in shown.stdout
    assert KIOSK in shown.stdout
    assert "Do not change them." in shown.stdout
    assert FERRY in shown.stdout


def test_a_budget_is_kept_or_refused(root: Path) -> None:
    (root / "long.py").write_text("".join(f"def f_{n}():\n    return {n}\n\n" for n in range(2000)))
    shown = dovetail(root, "context", "kiosk.py", "long.py", "--tokens", "900")
    assert shown.returncode == 0, shown.stderr
    assert estimate(shown.stdout) <= 900
    assert "Only parts of long.py are shown." in shown.stdout
    assert dovetail(root, "context", "long.py", "--tokens", "20").returncode == 2
    mapped = dovetail(root, "context", "kiosk.py", "--map", "--tokens", "400")
    assert "long.py:" in mapped.stdout
    assert estimate(mapped.stdout) <= 400


def test_a_pattern_is_shown_with_what_encloses_it(root: Path) -> None:
    shown = dovetail(root, "context", "--grep", "count \\*")
    assert "│def total(count):" in shown.stdout
    assert "█    price = count * PRICE" in shown.stdout
    assert "ferry.txt" not in shown.stdout
    (root / "quay.py").write_text("def landing():\n    pass\n")
    mapped = dovetail(root, "context", "--grep", "count \\*", "--map").stdout
    assert "quay.py:" in mapped
    assert "kiosk.py:" not in mapped, "it is no other file"
    assert dovetail(root, "context", "--grep", "(").returncode == 2
    assert dovetail(root, "context", "--grep", "nowhere").returncode == 2
    assert dovetail(root, "context").returncode == 2


def test_templates_are_listed(tmp_path: Path) -> None:
    listed = dovetail(tmp_path, "new")
    for name in ("python-package", "starlette-service", "static-site", "vite-react"):
        assert name in listed.stdout
    record = json.loads(dovetail(tmp_path, "new", "--json").stdout)
    assert {template["name"] for template in record["templates"]} >= {"python-package", "vite-react"}


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_a_project_begins_with_a_repository_and_a_commit(tmp_path: Path) -> None:
    made = dovetail(tmp_path, "new", "python-package", "tide-table", "--var", "description=Tides, by the hour.")
    assert made.returncode == 0, made.stderr
    folder = tmp_path / "tide-table"
    assert 'name = "tide-table"' in (folder / "pyproject.toml").read_text()
    assert '"""Tides, by the hour."""' in (folder / "src" / "tide_table" / "__init__.py").read_text()
    assert git(folder, "status", "--porcelain") == ""
    assert git(folder, "log", "--format=%s") == "Begin from the template python-package"
    again = dovetail(tmp_path, "new", "python-package", "tide-table")
    assert (again.returncode, "is not empty" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nonsense", "x"], "There is no template nonsense."),
        (["python-package"], "No folder was named."),
        (["python-package", "x", "--var", "nope=1"], "has no variable nope"),
        (["python-package", "x", "--var", "package=9 lives"], "is no package"),
        (["python-package", "x", "--var", "loose"], "sets nothing"),
        (["x", "--from", "nowhere"], "no git URL"),
        (
            ["x", "--from", "file:///nowhere"],
            "'/nowhere' does not appear to be a git repository.\nnext  Check the address",
        ),
    ],
)
def test_what_cannot_begin_leaves_nothing(tmp_path: Path, words: list[str], said: str) -> None:
    done = dovetail(tmp_path, "new", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "x").exists()


def test_another_template_comes_from_a_folder_or_a_repository(tmp_path: Path) -> None:
    own = tmp_path / "own"
    lay(own, {"a.txt": "{{ name }} stays\n", "sub/run.sh": "echo\n"})
    (own / "sub" / "run.sh").chmod(0o755)
    made = dovetail(tmp_path, "new", "--from", "own", "first", "--no-git")
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "first" / "a.txt").read_text() == "{{ name }} stays\n"
    assert (tmp_path / "first" / "sub" / "run.sh").stat().st_mode & 0o111
    assert not (tmp_path / "first" / ".git").exists()
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        git(own, *words)
    made = dovetail(tmp_path, "new", "--from", f"file://{own}", "second")
    assert made.returncode == 0, made.stderr
    assert git(tmp_path / "second", "log", "--format=%s") == "Begin from the template own"


def test_a_map_that_does_not_fit_is_said(root: Path) -> None:
    (root / "more.py").write_text("def more():\n    return 1\n")
    alone = dovetail(root, "context", "--map", "--tokens", "5")
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "Nothing of the map fits 5 tokens." in alone.stderr
    whole = dovetail(root, "context", "kiosk.py", "--file-tokens", "0").stdout
    beside = dovetail(root, "context", "kiosk.py", "--map", "--tokens", str(estimate(whole)))
    assert (beside.returncode, beside.stdout) == (0, whole)
    assert "The map is left out" in beside.stderr
    assert dovetail(root, "context", "--map", "--tokens", "400").stdout.count("more.py") == 1


def test_a_map_that_takes_its_time_says_what_goes_on(tmp_path: Path) -> None:
    for n in range(2_500):
        (tmp_path / f"m{n}.py").write_text(
            "".join(f"def made_{n}_{i}(row):\n    return made_{i}(row)\n" for i in range(9))
        )
    with at_terminal(tmp_path, "context", "--map", "m1.py") as person:
        assert "Reading the files … " in person.wait_for("version=")
        assert person.leave() == 0
