"""Dovetail, as `dovetail batch` answers with its default policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dovetail.session.batch.cases import answer as planned
from dovetail.session.batch.cases import read_case


def answer(case: Mapping[str, Any]) -> dict[str, str] | None:
    """A whole reply. A part of it that fails keeps the rest from being written."""
    done = planned(read_case({"id": 0, "files": case["files"], "reply": case["reply"]}))
    after = {**case["files"], **done["files"]}
    return {path: text for path, text in after.items() if text is not None}
