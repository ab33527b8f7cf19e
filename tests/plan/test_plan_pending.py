"""The text with the edits that are pending, whenever it is asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dovetail.model.text import Edit, Span, apply_edits
from dovetail.plan.pending import Pending, PendingEdit

RAW = "0123456789"


@given(st.lists(st.integers(0, 10), max_size=10), st.lists(st.tuples(st.integers(0, 20), st.booleans()), max_size=8))
def test_the_text_is_the_same_however_often_it_was_asked_for(points: list[int], asked: list[tuple[int, bool]]) -> None:
    ends = sorted(points)
    spans = [Span(start, end) for start, end in zip(ends[::2], ends[1::2], strict=False)]
    items = [PendingEdit(Edit(span, "ab" * (n % 3)), 0, n) for n, span in enumerate(spans)]
    pending = Pending()
    for at, asks in asked:
        if items:
            pending.add(items.pop(at % len(items)))
        if asks:
            assert pending.text(RAW) == apply_edits(RAW, pending.edits)
    assert pending.text(RAW) == apply_edits(RAW, pending.edits)
