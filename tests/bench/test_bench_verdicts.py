"""The judge is judged: every verdict from a case made for it, and the limits that fail a build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import replay
from verdicts import Verdict, judge

BEFORE = {"a": "one\n", "b": "two\n"}
TRUTH = {"a": "1\n", "b": "2\n"}


def case(**more: object) -> dict[str, object]:
    return {"id": "c", "files": BEFORE, "reply": "", "truth": TRUTH, **more}


@pytest.mark.parametrize(
    ("files", "more", "verdict"),
    [
        ({"a": "1\n", "b": "2\n"}, {}, Verdict.RIGHT),
        ({"a": "1\n"}, {}, Verdict.PART),
        ({}, {}, Verdict.REFUSED),
        ({}, {"refuse_ok": True}, Verdict.HELD),
        ({"a": "1\n"}, {"refuse_ok": True}, Verdict.PART),
        ({"a": "1\n", "b": "zwei\n"}, {}, Verdict.WRONG),
        ({"a": "1\n", "b": None}, {}, Verdict.WRONG),
        ({"a": "1\n", "b": "2\n", "c": "new\n"}, {}, Verdict.WRONG),
        ({"a": "1\n", "b": "zwei\n"}, {"ignore": ["b"]}, Verdict.RIGHT),
        ({"a": "1\n", "b": "2\n\n"}, {}, Verdict.WRONG),
        ({"a": "1\n", "b": "2\n\n"}, {"loose_end": True}, Verdict.RIGHT),
        ({"a": "one\n"}, {"loose_end": True}, Verdict.REFUSED),
        ({"b": "two"}, {"truths": [TRUTH, {"a": "one\n", "b": "two"}]}, Verdict.RIGHT),
        ({}, {"want": []}, Verdict.RIGHT),
        ({"a": "1\n"}, {"want": []}, Verdict.WRONG),
        ({}, {"kind": "retried-open"}, Verdict.REFUSED),
        ({"a": "?"}, {"kind": "retried-open"}, Verdict.ANSWERED),
        ({"a": "1\n", "b": None}, {"truth": {"a": "1\n"}}, Verdict.RIGHT),
    ],
)
def test_verdicts(files: dict[str, str | None], more: dict[str, object], verdict: Verdict) -> None:
    assert judge(case(**more), {"id": "c", "files": files}) is verdict


def test_no_answer_and_an_error_are_missing() -> None:
    assert judge(case(), None) is Verdict.MISSING
    assert judge(case(), {"id": "c", "error": "broke"}) is Verdict.MISSING


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    """Two real replies, one of which lands."""
    reply = "a\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n"
    lines = [
        {"id": "lands", "kind": "k", "files": BEFORE, "reply": reply, "truth": {**BEFORE, "a": "1\n"}},
        {"id": "misses", "kind": "k", "files": {"a": "x\n"}, "reply": reply, "truth": {"a": "1\n"}},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("limits", "status"),
    [
        ([], 0),
        (["--max-wrong", "0", "--floor", "k=1"], 0),
        (["--floor", "k=2"], 1),
        (["--floor", "other=1"], 1),
    ],
)
def test_limits_fail_the_run(cases: Path, limits: list[str], status: int) -> None:
    assert replay.main([str(cases), "--jobs", "1", *limits]) == status


def test_wrong_fails_the_run(cases: Path, tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    answers = [{"id": "lands", "files": {"a": "2\n"}}, {"id": "misses", "files": {}}]
    results.write_text("".join(json.dumps(answer) + "\n" for answer in answers), encoding="utf-8")
    assert replay.main([str(cases), "--results", str(results), "--max-wrong", "0"]) == 1
    assert replay.main([str(cases), "--results", str(results), "--max-wrong", "1"]) == 0


def test_what_is_not_read_fails_the_run(cases: Path, tmp_path: Path) -> None:
    lines = cases.read_text(encoding="utf-8").splitlines()
    listing = {
        "reply": "In `a.py`:\n```\ngamma = load(3)\nprint(gamma)\n```\n",
        "files": {"a.py": "alpha = load(1)\nbeta = load(2)\ngamma = load(3)\ndelta = load(4)\nepsilon = load(5)\n"},
    }
    cases.write_text(lines[0] + "\n" + json.dumps({**json.loads(lines[1]), **listing}) + "\n", encoding="utf-8")
    assert replay.main([str(cases), "--jobs", "1", "--max-unread", "0"]) == 1
    assert replay.main([str(cases), "--jobs", "1", "--max-unread", "1"]) == 0


def test_one_case_is_shown_against_its_truth(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay.main([str(cases), "--jobs", "1", "--diff", "misses"]) == 0
    shown = capsys.readouterr().out
    assert "-1\n" in shown
    assert "+x" in shown
    assert "no-match" in shown
