"""`dovetail batch`: order, bad lines, several processes, files."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli_shell import COMMAND, at_terminal, dovetail


def block(path: str, search: str, replace: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n```\n"


def case(number: int, **more: object) -> dict[str, Any]:
    files = {"a.txt": f"number {number}\nend\n", "other.txt": "same\n"}
    return {"id": f"case {number}", "files": files, "reply": block("a.txt", f"number {number}", "changed"), **more}


def answered(folder: Path, lines: list[str], *words: str) -> list[dict[str, Any]]:
    (folder / "cases.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    done = dovetail(folder, "batch", "--in", "cases.jsonl", "--out", "results.jsonl", *words)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("jobs", [1, 2])
def test_answers_come_in_the_order_of_the_cases(tmp_path: Path, jobs: int) -> None:
    results = answered(tmp_path, [json.dumps(case(n)) for n in range(100)], "--jobs", str(jobs))
    assert [r["id"] for r in results] == [f"case {n}" for n in range(100)]
    assert all(r["files"] == {"a.txt": "changed\nend\n"} for r in results)


def test_a_result_has_exactly_the_documented_keys(tmp_path: Path) -> None:
    (result,) = answered(tmp_path, [json.dumps(case(1))])
    assert list(result) == [
        "id",
        "files",
        "results",
        "files_modified",
        "shell_suggestions",
        "diagnostics",
        "seconds",
    ]
    assert list(result["results"][0]) == [
        "n",
        "path",
        "format",
        "line",
        "status",
        "code",
        "reason",
        "tier",
        "score",
        "confidence",
        "start",
        "end",
        "previews",
        "kind",
        "hint",
        "new_start",
        "new_end",
        "places",
        "place_count",
        "enclosing",
        "nearest",
        "warnings",
    ]
    assert result["seconds"] > 0


def test_a_bad_line_is_answered_and_stops_nothing(tmp_path: Path) -> None:
    lines = [
        "not json",
        json.dumps(case(1)),
        "[]",
        json.dumps({"id": "no reply", "files": {}}),
        json.dumps({"id": "bad files", "files": [], "reply": ""}),
        json.dumps(case(2, policy={"tiers": ["close"]})),
        json.dumps(case(3, policy={"on_error": "all"})),
        json.dumps(case(4, policy={"format": "nonsense"})),
        "[" * 100_000,
        json.dumps(case(5)),
    ]
    results = answered(tmp_path, lines)
    assert [r["id"] for r in results] == [
        None,
        "case 1",
        None,
        "no reply",
        "bad files",
        "case 2",
        "case 3",
        "case 4",
        None,
        "case 5",
    ]
    assert [set(r) == {"id", "error"} for r in results] == [
        True,
        False,
        True,
        True,
        True,
        True,
        True,
        True,
        True,
        False,
    ]


def test_the_policy_counts(tmp_path: Path) -> None:
    files = {"a.txt": "x\ny\nx\n"}
    reply = block("a.txt", "x", "z") + block("a.txt", "nowhere to be found", "q")
    policies: list[Any] = [
        None,
        {"on_failure": "block", "occurrence": "first"},
        {"on_failure": "block", "occurrence": "first", "format": "auto", "tiers": None},
        {"format": "udiff"},
    ]
    lines = [json.dumps({"id": n, "files": files, "reply": reply, "policy": p}) for n, p in enumerate(policies)]
    results = answered(tmp_path, lines)
    assert [r["files"] for r in results] == [{}, {"a.txt": "z\ny\nx\n"}, {"a.txt": "z\ny\nx\n"}, {}]
    assert len(results[3]["results"]) == 0


def test_a_path_that_no_root_allows_is_refused(tmp_path: Path) -> None:
    lines = [json.dumps({"id": p, "files": {}, "reply": block(p, "", "x")}) for p in ("../up", ".git/config", "ok/f")]
    results = answered(tmp_path, lines)
    assert [r["files"] for r in results] == [{}, {}, {"ok/f": "x\n"}]
    assert [r["results"][0]["code"] for r in results] == ["outside-root", "outside-root", None]


@pytest.mark.parametrize("source", ["cases.jsonl", "-"])
def test_lone_surrogates_and_other_bytes_do_no_harm(tmp_path: Path, source: str) -> None:
    data = json.dumps(case(1, reply="\ud800 only talk")).encode() + b'\n{"id": 1, "reply": "\xff"}\n'
    data = b"\xef\xbb\xbf" + data
    (tmp_path / "cases.jsonl").write_bytes(data)
    done = dovetail(tmp_path, "batch", "--in", source, "--out", "-", stdin=data)
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["files"] == {}
    assert second["error"] == "The line is not UTF-8."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--in", "none.jsonl", "--out", "x"], "cannot be read"),
        (["--in", "cases.jsonl", "--out", "no/folder/x"], "cannot be written"),
        (["--in", "cases.jsonl", "--out", "./cases.jsonl"], "the same file"),
        (["--in", "cases.jsonl", "--out", "x", "--jobs", "0"], "no number of processes"),
        (["--in", "cases.jsonl"], "required: --out"),
    ],
)
def test_bad_use(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "cases.jsonl").write_text("")
    done = dovetail(tmp_path, "batch", *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("named", ["cases.jsonl", "hard.jsonl", "soft.jsonl", "sub/../cases.jsonl"])
@pytest.mark.parametrize("source", ["cases.jsonl", "soft.jsonl", "-"])
def test_the_cases_are_never_written_over(tmp_path: Path, source: str, named: str) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(case(1)) + "\n")
    (tmp_path / "hard.jsonl").hardlink_to(cases)
    (tmp_path / "soft.jsonl").symlink_to(cases)
    (tmp_path / "sub").mkdir()
    with cases.open() as opened:
        words = ["batch", "--in", source, "--out", named]
        done = subprocess.run(
            [*COMMAND, *words], cwd=tmp_path, stdin=opened, capture_output=True, text=True, check=False
        )
    assert (done.returncode, "the same file" in done.stderr) == (2, True), done.stderr
    assert cases.read_text() == json.dumps(case(1)) + "\n"


def test_answers_are_not_added_to_the_cases_that_are_read(tmp_path: Path) -> None:
    """They would be cases, too, and never end."""
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(case(1)) + "\n")
    with cases.open("a") as out:
        words = ["batch", "--in", "cases.jsonl", "--out", "-"]
        done = subprocess.run([*COMMAND, *words], cwd=tmp_path, stdout=out, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, b"the same file" in done.stderr) == (2, True)
    assert cases.read_text() == json.dumps(case(1)) + "\n"


def test_a_standard_input_that_is_closed_is_said(tmp_path: Path) -> None:
    done = dovetail_without_stdin(tmp_path, "batch", "--in", "-", "--out", "results.jsonl")
    assert (done.returncode, "Standard input is closed" in done.stderr) == (2, True), done.stderr


def dovetail_without_stdin(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_files_are_the_folders(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/cases.jsonl").write_text(json.dumps(case(1)) + "\n")
    done = dovetail(tmp_path, "batch", "-C", "sub", "--in", "cases.jsonl", "--out", "results.jsonl")
    assert done.returncode == 0
    assert (tmp_path / "sub/results.jsonl").exists()


def test_a_batch_goes_on_behind_the_last_complete_answer(tmp_path: Path) -> None:
    cases = [json.dumps(case(n)) for n in range(40)]
    whole = answered(tmp_path, ["", "not json", *cases])
    out = tmp_path / "results.jsonl"
    first, second, *_ = out.read_bytes().splitlines(keepends=True)
    for kept in (b"", first[:9], first, first + second + first[:-1]):
        out.write_bytes(kept)
        (again,) = {len(answered(tmp_path, ["", "not json", *cases], "--resume"))}
        assert again == len(whole)
        assert out.read_bytes().startswith(kept[: kept.rfind(b"\n") + 1])  # with the seconds of then
        assert [r["id"] for r in map(json.loads, out.read_bytes().splitlines())] == [r["id"] for r in whole]
    answered(tmp_path, ["", "not json", *cases], "--resume")
    assert len(out.read_bytes().splitlines()) == len(whole)
    out.unlink()
    assert len(answered(tmp_path, cases, "--resume")) == len(cases)


@pytest.mark.parametrize("others", [[case(1), case(0)], [case(0)], ["not json", "not json"]])
def test_answers_of_other_cases_are_not_gone_on_behind(tmp_path: Path, others: list[Any]) -> None:
    answered(tmp_path, [json.dumps(case(n)) for n in range(2)])
    before = (tmp_path / "results.jsonl").read_bytes()
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(other)}\n" for other in others))
    done = dovetail(tmp_path, "batch", "--in", "cases.jsonl", "--out", "results.jsonl", "--resume")
    assert (done.returncode, "are not those of the first cases" in done.stderr) == (2, True), done.stderr
    assert (tmp_path / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "-", "--resume"], "no answers to go on behind"),
        (["--out", "x", "--address", "auto"], "Add --engine ray."),
        (["--out", "x", "--engine", "spark"], "invalid choice"),
    ],
)
def test_options_that_do_not_go_together(tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "cases.jsonl").write_text("")
    done = dovetail(tmp_path, "batch", "--in", "cases.jsonl", *words)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_what_is_left_is_estimated(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(case(n))}\n" for n in range(3000)))
    with at_terminal(tmp_path, "batch", "--in", "cases.jsonl", "--out", "results.jsonl", "--jobs", "1") as person:
        assert re.search(r"[\d,]+ answered, \d+%, about 0:\d\d:\d\d left", person.wait_for("left"))
        assert person.leave() == 0
