"""A diff looks at the lines that differ, however much stands around them, and says what it would say of the whole."""

from __future__ import annotations

import tracemalloc
from random import Random

import pytest

from dovetail.model.text import IndexedText
from dovetail.session.apply.diff import DiffHunk, _groups, _hunk, diff
from dovetail.text import diff as linediff
from dovetail.text.line import shared, shared_end


def of_whole_texts(before: str, after: str, context: int) -> tuple[DiffHunk, ...]:
    old, new = IndexedText(before), IndexedText(after)
    lines = ([text.raw[text.starts[n] : text.starts[n + 1]] for n in range(len(text))] for text in (old, new))
    return tuple(_hunk(old, new, group, context, 0) for group in _groups(linediff.diff(*lines), context))


@pytest.mark.parametrize("seed", range(300))
def test_a_diff_is_that_of_the_whole_texts(seed: int) -> None:
    random = Random(seed)  # noqa: S311 - seeded
    lines = [random.choice(("a", "b", "ab", "", "\r", "a\r", "a\rb")) for _ in range(random.randrange(14))]
    ends = random.choice(("\n", "\r\n", "\r"))
    before = ends.join(lines) + random.choice(("", ends))
    at = random.randrange(len(before) + 1)
    until = min(len(before), at + random.randrange(6))
    after = before[:at] + random.choice(("", "b", "a\n", "\n", "\r", "x\r\ny")) + before[until:]
    for context in (0, 1, 3):
        assert diff(before, after, context) == of_whole_texts(before, after, context)


def test_a_diff_of_a_large_text_takes_little_more_than_its_size() -> None:
    before = "".join(f"x{n}\n" for n in range(200_000))
    after = before.replace("x100000\n", "y\n")
    tracemalloc.start()
    try:
        hunks = diff(before, after)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [hunk.header for hunk in hunks] == ["@@ -99998,7 +99998,7 @@"]
    assert peak < 3 * len(before)


@pytest.mark.parametrize("size", [0, 1, 4_095, 4_096, 4_097, 20_000])
@pytest.mark.parametrize("at", [0, 1, 4_095, 4_096, 12_288])
def test_what_two_texts_begin_and_end_with(size: int, at: int) -> None:
    text = "".join(chr(97 + n % 23) for n in range(size))
    at = min(at, size)
    other = f"{text[:at]}-{text[at:]}"
    assert (shared(text, other), shared_end(text, other, size)) == (at, size - at)
    assert (shared(text, text), shared_end(text, text, size)) == (size, size)
    assert shared_end(text, other, min(3, size)) == min(3, size - at)
