"""What programs read: every document against the schema that ships, with no key that it does not name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cli_shell import dovetail

from dovetail import schema
from dovetail.errors import UsageError

SHAPES = "def area(w, h):\n    return w * h\n\n\ndef edge(w, h):\n    return 2 * (w + h)\n"

REPLY = """\
shapes.py
```python
<<<<<<< SEARCH
    return w * h
=======
    return abs(w * h)
>>>>>>> REPLACE
```

new/file.txt
```
<<<<<<< SEARCH
=======
hello
>>>>>>> REPLACE
```

shapes.py
```python
<<<<<<< SEARCH
def edge(w, h):
    return 2 * (w + h) + 1
=======
def edge(w, h):
    return 3
>>>>>>> REPLACE
```

```bash
pytest
```
"""


def strict(document: str) -> dict[str, Any]:
    """The schema of a document, closed: a key that it does not name is an error."""

    closed = schema.load(document)
    waiting: list[object] = [closed]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            waiting += node.values()
            if "properties" in node and isinstance(node.get("required"), list):
                node.setdefault("additionalProperties", False)
        elif isinstance(node, list):
            waiting += node
    return closed


def checked(document: str, text: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator(strict(document)).validate(record)
    return record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shapes.py").write_text(SHAPES)
    (tmp_path / "reply.md").write_text(REPLY)
    return tmp_path


@pytest.mark.parametrize("document", schema.DOCUMENTS)
def test_every_schema_is_one(document: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema.load(document))


def test_a_schema_that_does_not_exist_is_said() -> None:
    with pytest.raises(UsageError) as caught:
        schema.load("nothing")
    assert (caught.value.message, "apply, ask" in str(caught.value.hint)) == ("There is no schema of 'nothing'.", True)


def test_apply(folder: Path) -> None:
    refused = checked("apply", dovetail(folder, "apply", "reply.md", "--yes", "--json").stdout)
    assert (refused["exit"], refused["written"], refused["operation"]) == (1, False, None)
    assert "## Edit 3" in refused["retry"]
    done = dovetail(folder, "apply", "reply.md", "--yes", "--json", "--on-failure", "block")
    record = checked("apply", done.stdout)
    assert [r["status"] for r in record["results"]] == ["written", "written", "failed"]
    assert record["written"] is True
    assert record["operation"]
    assert record["files_modified"] == ["new/file.txt", "shapes.py"]
    assert {c["path"]: c["change"] for c in record["changes"]} == {"new/file.txt": "created", "shapes.py": "modified"}
    assert "+    return abs(w * h)" in record["changes"][1]["diff"]
    assert record["shell_suggestions"][0]["command"].strip() == "pytest"
    assert record["results"][2]["nearest"]["start"] == 5
    assert "Do not send them again." in record["retry"]


def test_a_dry_run_and_a_plan_without_consent(folder: Path) -> None:
    words = ["apply", "reply.md", "--json", "--on-failure", "block"]
    dry = checked("apply", dovetail(folder, *words, "--dry-run").stdout)
    assert (dry["exit"], dry["dry_run"], dry["written"]) == (1, True, False)
    unasked = checked("apply", dovetail(folder, *words).stdout)
    assert (unasked["exit"], unasked["dry_run"], unasked["written"]) == (2, False, False)


def test_check(folder: Path) -> None:
    record = checked("check", dovetail(folder, "check", "reply.md", "--json").stdout)
    assert [b["path"] for b in record["blocks"]] == ["shapes.py", "new/file.txt", "shapes.py"]
    assert record["paths"] == ["shapes.py", "new/file.txt"]
    broken = dovetail(folder, "check", "--json", stdin="a.py\n```\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n```\n")
    assert checked("check", broken.stdout)["diagnostics"]


def test_the_journal(folder: Path) -> None:
    assert checked("log", dovetail(folder, "log", "--json").stdout)["operations"] == []
    dovetail(folder, "apply", "reply.md", "--yes", "--on-failure", "block")
    shown = checked("show", dovetail(folder, "show", "2", "--json").stdout)
    assert shown["reply"] == REPLY
    assert [r["status"] for r in shown["results"]] == ["written", "written", "failed"]
    dry = checked("undo", dovetail(folder, "undo", "--dry-run", "--json").stdout)
    assert {c["path"]: c["change"] for c in dry["changes"]} == {"new/file.txt": "deleted", "shapes.py": "modified"}
    one = checked("undo", dovetail(folder, "undo", "--edit", "2", "--json").stdout)
    assert one["operation"]["edits"] == [2]
    assert not (folder / "new/file.txt").exists()
    assert "abs" in (folder / "shapes.py").read_text()
    checked("undo", dovetail(folder, "redo", "--json").stdout)
    assert (folder / "new/file.txt").read_text() == "hello\n"
    (folder / "new/file.txt").write_text("mine\n")
    left = checked("undo", dovetail(folder, "undo", "--except-conflicts", "--dry-run", "--json").stdout)
    assert [conflict["path"] for conflict in left["conflicts"]] == ["new/file.txt"]
    (folder / "new/file.txt").write_text("hello\n")
    checked("undo", dovetail(folder, "undo", "--json").stdout)
    assert (folder / "shapes.py").read_text() == SHAPES
    logged = checked("log", dovetail(folder, "log", "--prune", "--json").stdout)
    assert [op["label"] for op in logged["operations"]] == ["undo", "redo", "undo", "apply"]
    assert logged["pruned"]["operations"] == 0
    assert (
        checked("show", dovetail(folder, "show", logged["operations"][3]["id"], "--reply", "--json").stdout)["reply"]
        == REPLY
    )
    none = dovetail(folder, "show", "--reply")
    assert (none.returncode, none.stdout) == (1, "")
    assert "; it has no reply.\nnext  Name the apply; see `dovetail log`\n" in none.stderr


def test_what_a_model_is_taught_and_a_project_begins_with(tmp_path: Path) -> None:
    assert "diff" in checked("formats", dovetail(tmp_path, "prompt", "--json").stdout)["formats"]
    for name in ("diff", "tool-call"):
        assert checked("prompt", dovetail(tmp_path, "prompt", name, "--json").stdout)["format"] == name
    assert checked("templates", dovetail(tmp_path, "new", "--json").stdout)["templates"]
    made = checked("new", dovetail(tmp_path, "new", "static-site", "site", "--json").stdout)
    assert made["commit"]
    assert not checked("new", dovetail(tmp_path, "new", "static-site", "bare", "--no-git", "--json").stdout)["commit"]


@pytest.mark.parametrize("words", [["apply", "none.md"], ["undo"], ["show", "none"], ["apply", "reply.md", "-C", "x"]])
def test_an_error(folder: Path, words: list[str]) -> None:
    done = dovetail(folder, *words, "--json")
    assert checked("error", done.stdout)["error"]["hint"]
    assert done.returncode in (1, 2)


def test_batch(folder: Path) -> None:
    case = {"id": 7, "files": {"shapes.py": SHAPES}, "reply": REPLY, "policy": {"on_failure": "block"}}
    jsonschema.Draft202012Validator(strict("case")).validate(case)
    done = dovetail(folder, "batch", "--in", "-", "--out", "-", stdin=json.dumps(case) + "\nnonsense\n")
    first, second = [checked("answer", line) for line in done.stdout.splitlines()]
    assert first["files"]["new/file.txt"] == "hello\n"
    assert second["id"] is None
    assert "not JSON" in second["error"]
