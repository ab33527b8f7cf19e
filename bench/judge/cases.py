"""Cases as the tools are handed them: the reply, and what of it a tool without a reader of its own needs.

Dovetail's reader is used for that. It costs the other tools nothing, and where it finds no edit, the case is outside of
their scope, while Dovetail's answer counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from case_files import Case, read_cases
from dovetail.formats import parse
from dovetail.model.blocks import Block, Kind

PATCH = re.compile(r"^\*\*\* Begin Patch\n.*?^\*\*\* End Patch\s*?$", re.MULTILINE | re.DOTALL)
MIXED, NONE = "mixed", "none"


def prepared(paths: Sequence[Path], compare: str) -> list[Case]:
    """The cases of files, each with its `format`, and `edits` and `patch` if it has them; `compare` if it has none."""
    cases = []
    for path in paths:
        for case in read_cases(path):
            root = (case.get("root") or "").rstrip("/")
            reply = case["reply"].replace(f"{root}/", "") if root else case["reply"]
            blocks = [block for block in parse(reply).blocks if not block.draft]
            stated = {"id": f"{path.stem}/{case['id']}", "reply": reply, "format": format_of(blocks)}
            parts = {"edits": edits_of(blocks, case["files"]), "patch": patch_of(reply)}
            cases.append({"compare": compare, **case, **stated, **parts})
    return cases


def format_of(blocks: Sequence[Block]) -> str:
    """The one format of a reply's edits."""
    names = {block.format for block in blocks}
    return names.pop() if len(names) == 1 else MIXED if names else NONE


def edits_of(blocks: Sequence[Block], files: Mapping[str, str]) -> list[dict[str, str]] | None:
    """The reply as pairs of a search and a replacement, if each block is one, once, in a file that exists."""
    edits = []
    for block in blocks:
        path = block.path if block.path in files else next(iter(files)) if len(files) == 1 else None
        pair = block.kind is Kind.EDIT and block.search.strip() and block.target is None and block.destination is None
        if path is None or not pair or block.replace_all or block.times is not None or block.malformed is not None:
            return None
        edits.append({"path": path, "search": block.search, "replace": block.replace})
    return edits or None


def patch_of(reply: str) -> str | None:
    """The patch in a reply, also in a call's JSON."""
    try:
        texts = list(_texts(json.loads(reply)))
    except ValueError:
        texts = [reply]
    found = [match[0] for text in texts for match in [PATCH.search(text.replace("\r\n", "\n"))] if match]
    return found[0] + "\n" if len(found) == 1 else None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def handed(case: Mapping[str, Any]) -> dict[str, Any]:
    """What of a case a tool gets: never its truth."""
    return {key: case[key] for key in ("id", "files", "reply", "format", "edits", "patch")}
