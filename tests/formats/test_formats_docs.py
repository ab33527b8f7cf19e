"""The examples of docs/formats.md are what they say they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dovetail.formats import FORMATS, check

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"(?ms)^````text\n(.*?)^````$", PAGE)


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_sound(example: str) -> None:
    result = check(example)
    assert result.parsed.blocks
    assert result.diagnostics == ()


def test_every_format_has_an_example() -> None:
    shown = {block.format for example in EXAMPLES for block in check(example).parsed.blocks}
    assert shown | {"editor-diff", "editor-diff-fenced"} == set(FORMATS)
