"""Work grows with the file and not faster, however often the search stands in it and however its lines end."""

from __future__ import annotations

import time
from itertools import product

import pytest

from dovetail.match import Ambiguous, Document, Match, Needle, NoMatch, locate
from dovetail.match.substance import is_prose

LINE = "retries = 1"
EVERYWHERE = {
    "whole lines": (Needle(f"{LINE}\n", "retries = 3\n", replace_all=True), LINE),
    "parts of lines": (Needle("= 1", "= 3", inline=True, replace_all=True), LINE),
    "two parts of a line": (Needle("1", "3", inline=True, replace_all=True), f"{LINE}, 1"),
    "one long line": (Needle("1", "3", inline=True, replace_all=True), "1, " * 20),
}


def _seconds(text: str, needle: Needle) -> float:
    best = 9.0
    for _ in range(2):
        began = time.process_time()
        assert isinstance(locate(Document(text), needle), Match)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("name", EVERYWHERE)
def test_time_to_replace_everywhere_grows_with_the_file(name: str, end: str) -> None:
    needle, line = EVERYWHERE[name]
    small, large = (_seconds((line + end) * size, needle) for size in (1_000, 16_000))
    assert large < 60 * max(small, 0.01), (small, large)


def test_a_miss_among_lines_that_are_all_alike_is_bounded() -> None:
    document = Document("    pass\n" * 50_000)
    began = time.process_time()
    assert isinstance(locate(document, Needle("    pass\n" * 60 + "    pas\n", "    go()\n")), NoMatch)
    assert time.process_time() - began < 4


def test_a_miss_in_one_very_long_line_is_bounded() -> None:
    began = time.process_time()
    assert isinstance(locate(Document("ab " * 300_000), Needle("ab " * 299_999 + "ac\n", "x\n")), NoMatch)
    assert time.process_time() - began < 6


def test_a_part_that_stands_in_one_very_long_line_again_and_again_is_ambiguous_in_good_time() -> None:
    began = time.process_time()
    found = locate(Document("var a=1;" * 100_000 + "\n"), Needle("var a=1;\n", "var a=2;\n"))
    assert isinstance(found, Ambiguous)
    assert len(found.places) == 100_000
    assert time.process_time() - began < 6


def test_a_long_sentence_is_told_from_code_at_once() -> None:
    began = time.process_time()
    assert is_prose("Word" + " word" * 3000)
    assert not is_prose("Word" + " word" * 3000 + " (")
    assert time.process_time() - began < 1


def test_offsets_are_told_in_both_ways_to_end_a_line() -> None:
    for pieces in product(("a", "\n", "\r\n"), repeat=6):
        raw = "".join(pieces)
        document = Document(raw)
        for place in range(len(raw), -1, -1):
            if raw[max(0, place - 1) : place + 1] != "\r\n":
                alike = len(raw[:place].replace("\r\n", "\n"))
                assert (document.lf_offset(place), document.raw_offset(alike)) == (alike, place), (raw, place)


@pytest.mark.parametrize(("piece", "end"), [("rest ", ""), (" ", "..."), ("...", " rest")])
def test_a_very_long_line_of_words_that_elide_is_read_in_good_time(piece: str, end: str) -> None:
    line = f"// ... {piece * 40_000}{end}\n"
    began = time.process_time()
    assert isinstance(locate(Document("a\nb\nc\n"), Needle(f"a\n{line}c\n", f"a\n{line}d\n")), NoMatch)
    assert time.process_time() - began < 4


def test_a_number_too_long_to_count_lines_is_text() -> None:
    number = "1" * 5_000
    assert isinstance(locate(Document("a\n"), Needle(f"{number}| a\n", f"{number}| b\n")), NoMatch)
