"""Cases read by the benchmarks: what counts as right where the tool of the day wrote lines twice."""

from __future__ import annotations

import json
from pathlib import Path

from case_files import read_cases


def _chat(before: str, after: str) -> dict[str, object]:
    return {
        "id": "one",
        "kind": "clean",
        "label": "exact",
        "reply": "…",
        "before": {"fares.py": before},
        "after": {"fares.py": after},
    }


def _truths(folder: Path, case: dict[str, object], echoed: list[str]) -> list[str]:
    cases = folder / "cases.jsonl"
    cases.write_text(json.dumps(case) + "\n", encoding="utf-8")
    (folder / "echoes.json").write_text(json.dumps(echoed), encoding="utf-8")
    [read] = read_cases(cases)
    return [truth["fares.py"] for truth in read["truths"]]


def test_lines_written_twice_are_right_once_where_the_case_is_listed(tmp_path: Path) -> None:
    before = "def fare():\n    return 3\n"
    after = "import math\nimport math\ndef fare():\n    return 3\n"
    once = after.replace("import math\n", "", 1)
    assert _truths(tmp_path, _chat(before, after), ["one"]) == [after, once]
    assert _truths(tmp_path, _chat(before, after), ["another"]) == [after]


def test_lines_that_stood_twice_before_stay_twice(tmp_path: Path) -> None:
    before = "increment(a)\nincrement(a)\n"
    after = "increment(a)\nincrement(a)\nincrement(b)\n"
    assert _truths(tmp_path, _chat(before, after), ["one"]) == [after, after]
