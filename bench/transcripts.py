"""Reads whole logs of agents' sessions and checks them against their truth.

    python bench/transcripts.py FOLDER

FOLDER holds logs (`NAME.jsonl`) and truths (`NAME.truth.json`: `edits`, `first`, `last`). For each log: the list of its
edits, the files after the last one, and every edit taken back on those files, byte for byte, on a folder of its own in
which a commit holds the files before the session. Exit status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from dovetail.agents.folder import files_after, located, plan_undo_all
from dovetail.agents.logs import read_log
from dovetail.agents.session_log import RowKind
from dovetail.workspace import Workspace

Texts = Mapping[str, str | None]


def main() -> int:
    """Check every log, print a line each, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    wrong = 0
    for path in sorted(parser.parse_args().folder.glob("*.truth.json")):
        name = path.name.removesuffix(".truth.json")
        found = check(path.with_name(f"{name}.jsonl").read_text("utf-8"), json.loads(path.read_text("utf-8")))
        wrong += any(found.values())
        print(f"{name:<24}", ", ".join(f"{what}: {why or 'as it was'}" for what, why in found.items()))
    return 1 if wrong else 0


def check(text: str, truth: Mapping[str, Any]) -> dict[str, str]:
    """What differs, by question; empty texts where nothing does."""
    first, last = (_inside(truth[key]) for key in ("first", "last"))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        _write(root, first)
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "first"]):
            who = ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "core.autocrlf=false"]
            subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)
        log = located(read_log(text), [*first, *last])
        listed = [(e.call_id, e.tool, list(e.paths), e.done) for e in log.edits if e.kind is RowKind.EDIT]
        wanted = [(edit["call_id"], edit["tool"], edit["paths"], edit["ok"]) for edit in truth["edits"]]
        for path in first:
            (root / path).unlink(missing_ok=True)
        _write(root, last)
        after = files_after(root, log, len(log.edits), "HEAD")[0].texts
        with Workspace.open(root) as workspace:
            undo = plan_undo_all(workspace, log, "HEAD")
            if undo.changes and not undo.problems:
                undo.commit(workspace)
        back = {path: _read(root / path) for path in first}
    return {
        "edits": "" if listed == wanted else f"{len(listed)} of {len(wanted)}",
        "at": ", ".join(path for path, text in last.items() if after.get(path) != text),
        "undo": ", ".join(path for path, text in first.items() if back[path] != text)
        or "; ".join(problem.message for problem in undo.problems),
    }


def _inside(texts: Texts) -> dict[str, str | None]:
    """The files of a session's own folder."""
    return {path: text for path, text in texts.items() if not PurePosixPath(path).is_absolute() and ":" not in path}


def _write(root: Path, texts: Texts) -> None:
    for path, text in texts.items():
        if text is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(text.encode())


def _read(path: Path) -> str | None:
    return path.read_bytes().decode() if path.is_file() else None


if __name__ == "__main__":
    raise SystemExit(main())
