"""Lines are told from an offset alike, whatever was asked before and whether or not all of them were indexed."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from dovetail.model.text import IndexedText

raws = st.text("ab\r\n", max_size=300)
offsets = st.lists(st.floats(0, 1), max_size=20)


def by_table(raw: str) -> list[int]:
    """Where each line begins, and the text's length, by cutting off one line after the other."""
    end = "\n" if "\n" in raw else "\r"
    lines = [line + end for line in raw.split(end)]
    lines[-1] = lines[-1].removesuffix(end)
    return [0, *accumulate(len(line) for line in lines if line)]


@given(raws, offsets)
def test_every_order_of_asking_tells_the_same_lines(raw: str, shares: list[float]) -> None:
    text, table = IndexedText(raw), by_table(raw)
    assert IndexedText(raw).starts == table
    for share in shares:
        offset = round(share * len(raw))
        line = max(0, min(bisect_right(table, offset) - 1, len(table) - 2))
        assert text.line_at(offset) == line
        assert text.start_of(line) == table[line]
        index = round(share * (len(table) - 1))
        assert text.start_of(index) == table[index]
