"""Another package adds a format, a guard and a reader of logs: it is installed beside Dovetail, as pip would."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

PACKAGE = """
import dovetail.agents as agents
from dovetail.formats import AddedFormat, Family, Format
from dovetail.guards import Finding, Guard
from dovetail.model.codes import Code

WAVES = AddedFormat(
    Format(frozenset({"waves"}), "line above", writes="waves"),
    {"waves": Family("waves", ("≈", "OLD"), ("≈", "NEW"), ("≈", "DONE"), fixed=4)},
    prompt="---\\nkind: edits\\nnoun: a wave\\nquote: upper half\\nedit: a wave\\nmoves: shell\\nscenes:\\n---\\n"
    "# form\\nWaves.\\n\\n# rules\\nBe calm.\\n\\n# files\\nNone.\\n\\n# recall\\nWaves.\\n",
)
# Its signs are said once, and repeated as often as `Markers` says.
PERCENT = AddedFormat(
    Format(frozenset({"percent"}), "line above", writes="percent"),
    {"percent": Family("percent", ("%", "FIND"), ("%", "WITH"), ("%", "DONE"))},
)


def no_shouting(impact):
    loud = next((line for line in impact.added if line.isupper()), None)
    return Finding(f"`{impact.path}` shouts: {loud}", "Write it in lower case.") if loud else None


QUIET = Guard(Code.GARBLED, True, no_shouting)


def read(records):
    calls = [agents.call_of(record["call"], "write_file", record["call"]["arguments"]) for record in records]
    return agents.Record("/harbour", calls, session="s-1")


HELM = agents.LogFormat("helm", lambda record: record.get("by") == "helm", read, lambda *_: [])
"""
ENTRY_POINTS = """
[dovetail.formats]
waves = harbour_rows:WAVES
percent = harbour_rows:PERCENT
[dovetail.guards]
quiet = harbour_rows:QUIET
[dovetail.logs]
helm = harbour_rows:HELM
"""
SCRIPT = """
import json, sys
import dovetail
from dovetail.agents import read_log
from dovetail.llm.prompts import Wording

reply = "kiosk.py\\n≈≈≈≈ OLD\\nopen = 1\\n≈≈≈≈ NEW\\nopen = 2\\n≈≈≈≈ DONE\\n"
files = {"kiosk.py": "name = 'k'\\nopen = 1\\nend = 0\\n"}
plan = dovetail.make_plan(reply, files)
block = plan.results[0].block
signs = "kiosk.py\\n%%%%% FIND\\nopen = 1\\n%%%%% WITH\\nopen = 2\\n%%%%% DONE\\n"
percent = [dovetail.make_plan(signs.replace("DONE", end), files).results[0] for end in ("DONE", "DONE.")]
loud = reply.replace("open = 2", "OPEN")
refused = dovetail.make_plan(loud, files).results[0]
accepted = dovetail.make_plan(loud, files, dovetail.Policy(accept=["added-guard"])).results[0]
call = {"name": "write_file", "arguments": {"path": "a.txt", "content": "ahoy\\n"}}
log = read_log(json.dumps({"by": "helm", "call": call}) + "\\n")
print(json.dumps({
    "format": block.format, "status": plan.results[0].status, "rendered": dovetail.render([block], "waves"),
    "prompt": Wording("waves").system,
    "refused": [refused.status, refused.code, refused.reason], "accepted": accepted.status,
    "percent": [result.status for result in percent],
    "agent": log.agent, "rows": [row.paths for row in log.edits],
}))
"""
MAKE_PLAN = "import dovetail; dovetail.make_plan('a.py\\n<<<<<<< SEARCH\\nx\\n=======\\ny\\n>>>>>>> REPLACE\\n', {'a.py': 'x\\n'})"


def run(folder: Path, code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONUTF8": "1"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True, encoding="utf-8")


def install(folder: Path, entry_points: str = ENTRY_POINTS) -> None:
    (folder / "harbour_rows.py").write_text(PACKAGE, encoding="utf-8")
    (metadata := folder / "harbour_rows-1.0.dist-info").mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: harbour-rows\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("site")
    install(folder)
    done = run(folder, SCRIPT, tmp_path_factory.mktemp("elsewhere"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_a_format_of_another_package_is_read_rendered_and_taught(seen: dict[str, Any]) -> None:
    assert (seen["format"], seen["status"]) == ("waves", "fits")
    assert seen["rendered"] == "kiosk.py\n≈≈≈≈ OLD\nopen = 1\n≈≈≈≈ NEW\nopen = 2\n≈≈≈≈ DONE\n"
    assert "Be calm." in seen["prompt"]


def test_the_signs_of_a_format_stand_in_its_table_alone(seen: dict[str, Any]) -> None:
    """Its lines are found in prose and in a block, and an end that is misspelt is no text of the file."""
    assert seen["percent"] == ["fits", "failed"]


def test_a_guard_of_another_package_refuses_unless_it_is_accepted(seen: dict[str, Any]) -> None:
    assert seen["refused"] == ["failed", "added-guard", "`kiosk.py` shouts: OPEN"]
    assert seen["accepted"] == "fits"


def test_a_log_of_another_packages_agent_is_read(seen: dict[str, Any]) -> None:
    assert (seen["agent"], seen["rows"]) == ("helm", [["a.txt"]])


def test_the_package_of_the_docs_works_as_it_stands(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs/extending.md").read_text(encoding="utf-8")
    (settings,), (module,), (reply,) = (
        re.findall(rf"(?ms)^({fence})\n(.*?)^`{{3,4}}$", page) for fence in ("```toml", "```python", "````text")
    )
    points = tomllib.loads(settings[1])["project"]["entry-points"]
    rows = (
        f"[{group}]\n" + "".join(f"{name} = {row}\n" for name, row in names.items()) for group, names in points.items()
    )
    install(tmp_path, "".join(rows))
    (tmp_path / "harbour_rules.py").write_text(module[1], encoding="utf-8")
    code = f"import dovetail; r = dovetail.make_plan({reply[1]!r}, {{'app.py': 'total = 1\\n'}}).results[0]; print(r.block.format, r.code, r.reason)"
    assert run(tmp_path, code, Path("/")).stdout == 'percent added-guard `app.py` prints: print("total")\n'


def test_a_row_that_cannot_be_loaded_is_named(tmp_path: Path) -> None:
    install(tmp_path, "[dovetail.guards]\nquiet = harbour_rows:WAVES\n")
    done = run(tmp_path, MAKE_PLAN, Path("/"))
    assert "which the package `harbour_rows` adds to `dovetail.guards`, is no Guard." in done.stderr


def test_nothing_is_taken_from_the_current_folder(tmp_path: Path) -> None:
    install(tmp_path, "[dovetail.guards]\nquiet = harbour_rows:MISSING\n")
    done = run(tmp_path, MAKE_PLAN, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
