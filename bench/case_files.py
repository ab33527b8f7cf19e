"""Reads files of cases, in any of three shapes, and gives plain cases.

A plain case has `id`, `files` (path to text), `reply`, perhaps `policy`, and its truth: `truth` (path to text) or
`truths` (a list of them; `want` is another name), where an empty list says that only a refusal is right. `refuse_ok`
allows a refusal, `ignore` lists paths that are not judged, `compare` says how texts are compared (`verdicts`).

- **Recorded chats** have `before` and `after` in place of `files` and `truth`. The models were told that the first
  of several matches is taken. Where the new text repeated the lines beside it, and the tool of the day wrote them
  twice, the id stands in `echoes.json` beside the cases: the text with those lines once is right as well.
- **Agents' calls** have `agent`. A `truth` of null says that the agent's own tool refused the call; then `retry_truth`
  may say where the model's next call led. A kind that ends in `-outside` names a file outside of the root.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Case = dict[str, Any]


def read_lines(path: Path) -> Iterator[Case]:
    """Yield the objects of a JSON Lines file; blank lines are left out."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the cases of a JSON Lines file of any of the shapes."""
    listed = path.with_name("echoes.json")
    echoed = set(json.loads(listed.read_text(encoding="utf-8"))) if listed.exists() else set()
    for stated in read_lines(path):
        if "before" in stated and "after" in stated:
            yield _from_chat(stated, echoed=stated["id"] in echoed)
        elif "agent" in stated:
            yield _from_call(stated)
        else:
            yield stated


def _present(files: Mapping[str, str | None]) -> dict[str, str]:
    return {path: text for path, text in files.items() if text is not None}


def _without_echo(after: str, before: str) -> str:
    """Write each run of up to eight lines once that `after` has twice in a row and `before` has not.

    A run needs a word: a blank line or a closing bracket may well stand twice.
    """
    kept: list[str] = []
    for line in after.splitlines(keepends=True):
        kept.append(line)
        for size in range(1, 9):
            run = kept[-size:]
            words = any(sum(map(str.isalpha, one)) > 5 for one in run)
            if words and run == kept[-2 * size : -size] and "".join(run + run) not in before:
                del kept[-size:]
                break
    return "".join(kept)


def _from_chat(stated: Case, *, echoed: bool) -> Case:
    if stated["kind"] == "clean":
        kind = f"clean-{stated['label']}"
    elif "recoverable" not in stated:
        kind = "retried-unlabelled"
    else:
        kind = "retried-recoverable" if stated["recoverable"] else "retried-open"
    truths = [_present(stated["after"])]
    if stated.get("literal"):
        truths.append(_present({**stated["after"], **stated["literal"]}))
    if echoed:
        before = stated["before"]
        truths += [{path: _without_echo(text, before.get(path) or "") for path, text in t.items()} for t in truths]
    return {
        "id": stated["id"],
        "kind": kind,
        "files": _present(stated["before"]),
        "reply": stated["reply"],
        "policy": {"occurrence": "first"},
        "truths": truths,
        "ignore": stated.get("skipped", []),
        "compare": "loose-end",
    }


def _from_call(stated: Case) -> Case:
    truth = stated["truth"]
    refused = truth is None
    if refused and stated.get("retry_same_before"):
        truth = stated.get("retry_truth")
    return {
        "id": stated["id"],
        "kind": stated["kind"],
        "files": stated["files"],
        "reply": stated["reply"],
        "policy": stated.get("policy"),
        "root": stated.get("root"),
        "truths": [_present({**stated["files"], **(truth or {})})],
        "refuse_ok": refused or stated["kind"].endswith("-outside"),
        "open": refused,
        "compare": "no-blanks" if stated.get("normalized") else "loose-end",
    }
