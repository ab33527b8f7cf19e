"""The OpenAI Agents SDK's `apply_diff`: the body of one file of a patch at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from agents.apply_diff import apply_diff

SECTION = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.+)$", re.MULTILINE)
MOVE = re.compile(r"\A\*\*\* Move to: (.+)\n")


def answer(case: Mapping[str, Any]) -> dict[str, str]:
    """A whole patch, cut into the files that the SDK's tool is called with."""
    after = dict(case["files"])
    body = case["patch"].partition("*** Begin Patch")[2].partition("*** End Patch")[0]
    _, *sections = SECTION.split(body)
    for action, path, text in zip(sections[::3], sections[1::3], sections[2::3], strict=True):
        path, diff = path.strip(), text.removeprefix("\n")
        if action == "Delete":
            del after[path]
        elif action == "Add":
            after[path] = apply_diff("", diff, "create")
        else:
            moved = MOVE.match(diff)
            text = apply_diff(after.pop(path), diff[moved.end() :] if moved else diff)
            after[moved[1].strip() if moved else path] = text
    return after
