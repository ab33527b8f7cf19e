"""Guards see a file's lines as the engine does: a form feed or U+2028 ends none."""

from __future__ import annotations

import pytest

from dovetail.guards import Echo, whole_regions


@pytest.mark.parametrize("apart", ["\x0c", "\u2028"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_region_is_where_its_lines_are(apart: str, end: str) -> None:
    before = f"a{apart}b{end}c{end}"
    after = f"a{apart}b{end}d{end}"
    (region,) = whole_regions(before, after)
    assert (list(region.removed), list(region.added)) == (["c"], ["d"])
    assert after[region.start : region.end] == f"d{end}"


@pytest.mark.parametrize("apart", ["\x0c", "\u2028"])
def test_repeated_lines_are_left_out_as_whole_lines(apart: str) -> None:
    text = f"a{apart}b\nc\n"
    assert Echo((f"a{apart}b",), first=True).left_out(text) == "c\n"
    assert Echo(("c",), first=False).left_out(text) == f"a{apart}b\n"
