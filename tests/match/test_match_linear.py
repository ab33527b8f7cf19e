"""Work grows with the file and not faster, however often the search stands in it and however its lines end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.match import Ambiguous, Document, Match, Needle, NoMatch, locate
from dovetail.model.blocks import Hints
from dovetail.model.work import limited
from dovetail.text.comments import is_prose
from dovetail.text.line import squeeze

LINE = "retries = 1"
PLENTY = 10**9
EVERYWHERE = {
    "whole lines": (Needle(f"{LINE}\n", "retries = 3\n", replace_all=True), LINE),
    "parts of lines": (Needle("= 1", "= 3", inline=True, replace_all=True), LINE),
    "two parts of a line": (Needle("1", "3", inline=True, replace_all=True), f"{LINE}, 1"),
    "one long line": (Needle("1", "3", inline=True, replace_all=True), "1, " * 8),
}


def calls(work: Callable[[], object]) -> int:
    """Count the calls that a piece of work makes, of functions in Python and in C."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def steps(work: Callable[[], object]) -> int:
    """Count the steps that a piece of work spends."""
    with limited(PLENTY) as left:
        work()
    return PLENTY - left.steps


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("name", EVERYWHERE)
def test_work_to_replace_everywhere_grows_with_the_file(name: str, end: str) -> None:
    needle, line = EVERYWHERE[name]

    def replace(size: int) -> None:
        assert isinstance(locate(Document((line + end) * size), needle), Match)

    small, large = (calls(lambda size=size: replace(size)) for size in (150, 1_200))
    assert large < 10 * small, (small, large)


def _many_edits(number: int) -> None:
    document = Document("".join(f"name_{i} = {i}\n" for i in range(number)))
    for i in range(number):
        assert isinstance(locate(document, Needle(f"name_{i} = {i}\n", f"name_{i} = 0\n")), Match)


def test_work_for_many_edits_of_a_file_grows_with_their_number() -> None:
    """A scan of the whole file for each of them would make it grow with the square."""
    small, large = (calls(lambda number=number: _many_edits(number)) for number in (200, 1_600))
    assert large < 10 * small, (small, large)


def _hinted(number: int) -> None:
    document = Document("x = 1\n" * number + "x = 15\n" * number)
    assert isinstance(locate(document, Needle("x = 1\n", "x = 15\n", hints=Hints(line=7))), Match)


def test_work_to_choose_by_a_hint_grows_with_the_places() -> None:
    small, large = (calls(lambda number=number: _hinted(number)) for number in (200, 1_600))
    assert large < 12 * small, (small, large)


@given(st.text("ab \r\n", max_size=24), st.lists(st.sampled_from(["a\n", "b\n", "\n", "ab\n"]), min_size=1, max_size=3))
def test_where_lines_stand_is_told_alike_to_the_first_asker_and_the_hundredth(raw: str, needle: list[str]) -> None:
    document = Document(raw)
    told = [list(document.whole_lines("".join(needle))) for _ in range(100)]
    assert all(spans == told[0] for spans in told)


PIECES = st.lists(st.sampled_from(["ab", "abc", "b", " ", "(", "\n", "ab_1", "\r\n"]), max_size=30).map("".join)


@given(PIECES, st.lists(PIECES, min_size=1, max_size=4))
def test_what_a_text_holds_is_told_alike_to_the_first_asker_and_the_hundredth(raw: str, asked: list[str]) -> None:
    """After some questions the words are counted, and each line is brought into a form once."""
    asked_before = Document(raw)
    for n in range(100):
        asked_before.has(f"absent_{n}")
    runs = [run for run in asked if run] + ["ab", "b", "abc"]
    for _ in range(2):
        assert [asked_before.has(run) for run in runs] == [run in raw for run in runs]
        assert asked_before.rarest_word(asked) == Document(raw).rarest_word(asked)
        for run in runs:
            wanted = [row for row, line in enumerate(Document(raw).lines) if run in line]
            assert [row for row in asked_before.lines_holding(run) if run in asked_before.lines[row]] == wanted
            alike = [row for row, line in enumerate(Document(raw).lines) if squeeze(line) == squeeze(run) != ""]
            assert asked_before.agreeing(run, squeeze) == alike


def _with_other_breaks(number: int) -> None:
    search = "".join(f"call_{n}(alpha, beta)\n" for n in range(number))
    others = "".join(f"other_{n}(gamma, delta)\n" for n in range(number))
    document = Document(search.replace("(", "(\n    ") + others)
    assert isinstance(locate(document, Needle(search, search.replace("beta", "gamma"))), Match)


@pytest.mark.parametrize("count", [calls, steps])
def test_work_for_code_with_other_line_breaks_grows_with_its_lines(
    count: Callable[[Callable[[], object]], int],
) -> None:
    small, large = (count(partial(_with_other_breaks, number)) for number in (100, 800))
    assert large < 10 * small, (small, large)


def test_a_scope_that_only_begins_a_line_is_looked_for_as_work() -> None:
    document = Document("".join(f"def load_{n}():\n    x_{n} = {n}\n" for n in range(500)))
    spent = {}
    for scope in ("def load_7():", "def load_7("):
        needle = Needle("    x_7 = 7\n", "    x_7 = 0\n", hints=Hints(scope=(scope,), within=True))
        assert isinstance(locate(document, needle), Match)
        spent[scope] = steps(partial(locate, document, needle))
    assert spent["def load_7("] - spent["def load_7():"] >= 1_000


def test_a_miss_among_lines_that_are_all_alike_ends() -> None:
    document = Document("    pass\n" * 20_000)
    assert isinstance(locate(document, Needle("    pass\n" * 60 + "    pas\n", "    go()\n")), NoMatch)


def test_a_miss_in_one_very_long_line_ends() -> None:
    assert isinstance(locate(Document("ab " * 60_000), Needle("ab " * 59_999 + "ac\n", "x\n")), NoMatch)


def test_a_part_that_stands_in_one_very_long_line_again_and_again_is_ambiguous() -> None:
    found = locate(Document("var a=1;" * 30_000 + "\n"), Needle("var a=1;\n", "var a=2;\n"))
    assert isinstance(found, Ambiguous)
    assert len(found.places) == 30_000


def test_a_long_sentence_is_told_from_code() -> None:
    assert is_prose("Word" + " word" * 3000)
    assert not is_prose("Word" + " word" * 3000 + " (")


def test_offsets_are_told_in_both_ways_to_end_a_line() -> None:
    for pieces in product(("a", "\n", "\r\n"), repeat=6):
        raw = "".join(pieces)
        document = Document(raw)
        for place in range(len(raw), -1, -1):
            if raw[max(0, place - 1) : place + 1] != "\r\n":
                alike = len(raw[:place].replace("\r\n", "\n"))
                assert (document.lf_offset(place), document.raw_offset(alike)) == (alike, place), (raw, place)


@pytest.mark.parametrize(("piece", "end"), [("rest ", ""), (" ", "..."), ("...", " rest")])
def test_a_very_long_line_of_words_that_elide_is_read(piece: str, end: str) -> None:
    line = f"// ... {piece * 40_000}{end}\n"
    assert isinstance(locate(Document("a\nb\nc\n"), Needle(f"a\n{line}c\n", f"a\n{line}d\n")), NoMatch)


def test_a_number_too_long_to_count_lines_is_text() -> None:
    number = "1" * 5_000
    assert isinstance(locate(Document("a\n"), Needle(f"{number}| a\n", f"{number}| b\n")), NoMatch)
