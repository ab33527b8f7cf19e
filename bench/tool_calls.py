"""Sends recorded calls of agents through `dovetail.tools.answer`, and compares the files with those that `batch` gives.

    python bench/tool_calls.py CASES.jsonl [--show 3]

CASES are `dovetail batch` cases whose `reply` is one call object of a provider, and whose `root` is the folder it was
recorded in. Each is carried out on a folder of its own. Prints how many give the same files; exit status 1 where one
does not.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from dovetail.model.errors import UsageError
from dovetail.session.batch.cases import answer_lines
from dovetail.tools import answer


def main() -> int:
    """Compare, print, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", type=Path)
    parser.add_argument("--show", type=int, default=3, metavar="N", help="print up to N that differ")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    different: list[str] = []
    with args.cases.open(encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            verdict = compared(case)
            counts[verdict] += 1
            if verdict == "different":
                different.append(case["id"])
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    print("\n".join(different[: args.show]))
    return 1 if different else 0


def compared(case: dict[str, Any]) -> str:
    """Whether both ways give the same files: `same`, `different`, `outside the root`, or `no call` of a
    kind that providers send."""
    files: dict[str, str] = case["files"]
    if any(Path(path).is_absolute() for path in files):
        return "outside the root"
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        try:
            was = json.dumps(case.get("root") or "\0")[1:-1]  # as JSON writes it
            call = json.loads(case["reply"].replace(was, str(root)))
        except json.JSONDecodeError:
            return "no call"
        for path, text in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8", newline="")
        try:
            answer(call, root)
        except UsageError:
            return "no call"
        answered = json.loads(next(answer_lines([json.dumps(case)], jobs=1)))
        wanted = {path: text for path, text in {**files, **answered["files"]}.items() if text is not None}
        found = {
            path.relative_to(root).as_posix(): path.read_bytes()
            .decode("utf-8")
            .replace(str(root), case.get("root") or "")
            for path in root.rglob("*")
            if path.is_file() and ".dovetail" not in path.parts
        }
    return "same" if found == wanted else "different"


if __name__ == "__main__":
    raise SystemExit(main())
