"""What the guards cost on one long line: a fixed number of steps for each thing in it, and none for each pair."""

from __future__ import annotations

import sys

import pytest

from dovetail.guards import Impact, whole_regions
from dovetail.guards.foreign import foreign_text
from dovetail.guards.garbled import garbled_text, spelled_entities
from dovetail.guards.masks import masked_value, placeholder_value

MEGABYTE = 1 << 20
PIECES = {
    "values": '"key_a": "va1ue", ',
    "masks": '"key_a": "***", x...y ',
    "placeholders": '"key_a": "YOUR_KEY", ',
    "one word": "k",
    "entities": "a &amp; b ",
    "brackets": "[<«({",
    "notices": "[showing lines ",
}


def steps(piece: str, size: int, *, lines: bool) -> int:
    """Calls of functions, Python's and C's, in all guards that read new text as it stands."""
    end = "\n" if lines else " "
    was = piece.replace("***", "s3cret").replace("YOUR_KEY", "s3cret")
    before, after = (end.join([text * 8] * (size // len(piece) // 8)) + "\n" for text in (was, piece))
    regions = whole_regions(before, after)
    impact = Impact("a.json", before, after, regions, after.split("\n")[:-1], search=before)
    count = 0

    def counted(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(counted)
    try:
        for guard in (masked_value, placeholder_value, foreign_text, garbled_text, spelled_entities):
            guard(impact)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES.keys())
@pytest.mark.parametrize("lines", [False, True])
def test_work_grows_with_the_text(piece: str, lines: bool) -> None:
    small, large = (steps(piece, size, lines=lines) for size in (MEGABYTE // 32, MEGABYTE // 16))
    assert large <= 2.4 * small + 100


@pytest.mark.parametrize("kind", ["values", "one word", "notices"])
def test_a_long_line_is_gone_through_once(kind: str) -> None:
    assert steps(PIECES[kind], MEGABYTE // 4, lines=False) < MEGABYTE // 4


@pytest.mark.parametrize("sign", ["<|t{n}|>", "`<|t{n}|>`"])
def test_no_text_is_gone_through_for_each_token(sign: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    monkeypatch.setattr(Impact, "had", lambda _, text: bool(looked_up.append(text)))
    text = " ".join(sign.format(n=n) for n in range(3_000)) + "\n"
    before = text if sign[0] == "<" else "x\n"
    foreign_text(Impact("a.py", before, text, whole_regions(before, text), [text[:-1]]))
    assert len(looked_up) < 10
