"""The lines by which two whole texts differ lie where `split_lines` says that lines are."""

from __future__ import annotations

import pytest

from dovetail.guards import whole_regions


@pytest.mark.parametrize("sign", ["\f", "\u2028", "\x85", "\r"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_sign_inside_a_line_ends_none(sign: str, end: str) -> None:
    before = f"a{sign}b{end}c{end}d{end}"
    after = f"a{sign}b{end}new{end}d{end}"
    (region,) = whole_regions(before, after)
    assert (region.removed, region.added) == (["c"], ["new"])
    assert after[region.start : region.end] == f"new{end}"


def test_lone_carriage_returns_end_lines() -> None:
    (region,) = whole_regions("a\fb\rc\rd\r", "a\fb\rnew\rd\r")
    assert (region.removed, region.added, region.start, region.end) == (["c"], ["new"], 4, 8)


def test_a_last_line_without_an_end_ends_with_the_text() -> None:
    (region,) = whole_regions("a\nb", "a\nnew")
    assert "a\nnew"[region.start :] == "new"
    assert region.end == len("a\nnew")
