"""Markers and snapshots refuse what nothing could be read by."""

from __future__ import annotations

from typing import Any

import pytest

from dovetail.formats import parse, render
from dovetail.model.errors import UsageError
from dovetail.model.markers import Markers
from dovetail.model.snapshot import Snapshot


@pytest.mark.parametrize(
    "given",
    [
        {"shortest": 0},
        {"shortest": "a"},
        {"shortest": 9, "longest": 5},
        {"search_words": ()},
        {"search_words": "SEARCH"},
        {"search_words": (" ", "B")},
        {"search_words": ("A",)},
    ],
)
def test_markers_that_no_line_could_be_read_by_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        Markers(**given)
    assert refused.value.hint


@pytest.mark.parametrize("given", [5, ["a.py"], {"a.py": b""}, {"a.py": None}, {1: "x"}])
def test_files_that_are_no_texts_are_refused(given: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="of the type"):
        Snapshot.of(given)


@pytest.mark.parametrize("fence", ["x", "``", "```py", "``~", ""])
def test_a_fence_that_is_none_is_refused(fence: str) -> None:
    blocks = parse("a.py\n```\nx = 1\n```\n").blocks
    with pytest.raises(UsageError, match="no fence"):
        render(blocks, "whole", fence=fence)


def test_a_format_that_is_no_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no format"):
        parse("", format=["diff"])  # type: ignore[arg-type]
