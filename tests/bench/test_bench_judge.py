"""The judge of tools: what it counts, what it hands a tool, and programs that break."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

judge = importlib.import_module("judge.__main__")
cases = importlib.import_module("judge.cases")

TEXT = "a = 1\nb = 1\nb = 1\n"


def block(search: str, replace: str) -> str:
    return f"app.py\n```\n<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n```\n"


def case(name: str, reply: str, text: str) -> dict[str, object]:
    return {"id": name, "files": {"app.py": TEXT}, "reply": reply, "truth": {"app.py": text}}


PATCH = "*** Begin Patch\n*** Update File: app.py\n@@\n-a = 1\n+a = 2\n*** End Patch"
CASES = [
    case("fits", block("a = 1", "a = 2"), TEXT.replace("a = 1", "a = 2")),
    case("fits twice", block("b = 1", "b = 2"), TEXT),
    case("shifted", block("  a  =  1", "  a  =  2"), TEXT.replace("a = 1", "a = 2")),
    case("patch", f"So:\n\n{PATCH}\n", TEXT.replace("a = 1", "a = 2")),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "own.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in CASES))
    return file


def rows(printed: str) -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in printed.splitlines() if "|" in line]
    return {row[0]: row[1:] for row in cells if row[0] not in ("tool", "---")}


def test_tools_are_counted_within_their_scope(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert judge.main([str(path), "--only", "dovetail,exact"]) == 0
    found = rows(capsys.readouterr().out)
    assert found["dovetail"][1:7] == ["4", "4", "0", "0", "0", "0"]
    assert found["exact"][1:7] == ["3", "2", "0", "1", "0", "0"]
    assert found["exact"][-1] == "1"  # the patch


def test_what_a_tool_is_handed(path: Path) -> None:
    fits, _, _, patch = map(cases.handed, cases.prepared([path], "exact"))
    assert (fits["format"], fits["patch"]) == ("diff", None)
    assert fits["edits"] == [{"path": "app.py", "search": "a = 1\n", "replace": "a = 2\n"}]
    assert (patch["format"], patch["patch"]) == ("apply-patch", PATCH + "\n")
    assert "truth" not in fits
    called = json.dumps({"name": "apply_patch", "input": PATCH})
    assert cases.patch_of(called) == PATCH + "\n"


OTHER = """
import json, sys
for line in sys.stdin:
    case = json.loads(line)
    if case["id"].endswith("shifted"):
        sys.exit("it breaks")
    files = {"app.py": case["files"]["app.py"].replace("a = 1", "a  = 2")}
    print(json.dumps({"id": case["id"], "files": files, "seconds": 0.001}), flush=True)
"""


def test_any_program_can_be_judged_also_one_that_breaks(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "other.py"
    program.write_text(OTHER)
    judge.main([str(path), "--only", "exact", "--applier", f"other={sys.executable} {program}", "--show", "other"])
    printed = capsys.readouterr().out
    # Three are written: of two the blanks differ, one was to be left alone. The one that it breaks on is refused.
    assert rows(printed)["other"][1:7] == ["4", "0", "0", "1", "3", "2"]
    assert "== other: own/fits\n" in printed
