"""What a model is told about failed edits: golden texts, made from real results of planning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from dovetail.formats import parse
from dovetail.llm.retry_texts import (
    LONGEST_MESSAGE,
    Excerpt,
    Failure,
    Others,
    is_repair_message,
    repair_message,
    whole_message,
    wider_message,
)
from dovetail.model.blocks import Block, Kind
from dovetail.model.codes import Code, Status
from dovetail.model.diagnostics import Difference, Nearest
from dovetail.model.results import BlockResult
from dovetail.model.snapshot import Snapshot
from dovetail.plan import plan

BLOCK = Block("diff", Kind.EDIT, "pot.py", "a\n", "b\n")


def failed(nearest: Nearest | None = None, code: Code = Code.NO_MATCH, **more: object) -> Failure:
    reason = "The search text is not in the file."
    lines = Excerpt("pot.py", nearest.start, nearest.end, nearest.corrected) if nearest is not None else None
    return Failure(BlockResult(2, BLOCK, "pot.py", Status.FAILED, code, reason, nearest=nearest, **more), lines=lines)


NEAREST = Nearest(4, 6, 0.8, Difference.STALE, 5, "  water(5)", "  water(7)", "def f():\n  water(7)\n  rest()\n")

MISS = """\
1 of your 3 edits could not be applied. The others fit and wait for these. Do not send them again.

### Edit 2, pot.py
The search text is not in the file.
The file has changed since you saw it.
Line 5 of the file is the first that differs. You quoted:
```
  water(5)
```
The file has:
```
  water(7)
```
Lines 4 to 6 of the file are now as follows; quote from them:
```
def f():
  water(7)
  rest()
```

Send this edit again, corrected, and nothing else. Keep its form, unless another is named above.
"""


def test_a_miss_names_the_line_that_differs_and_what_to_quote() -> None:
    assert repair_message([failed(NEAREST)], total=3) == MISS


def test_an_edit_that_would_fit_stands_in_place_of_the_file_s_lines() -> None:
    message = repair_message([Failure(failed(NEAREST).result, "pot.py\n```\n<<<<<<< SEARCH\n")], 1, Others.NONE)
    assert message.startswith("Your edit could not be applied.\n\n### Edit 2, pot.py\n")
    assert "This edit fits the file as it is now." in message
    assert "<<<<<<< SEARCH" in message
    assert "Lines 4 to 6" not in message


@pytest.mark.parametrize(
    ("nearest", "said"),
    [
        (
            Nearest(4, 6, 0.8, Difference.STALE, 5, None, "found", "x\n"),
            "You left out line 5 of the file:\n```\nfound\n```",
        ),
        (Nearest(4, 6, 0.8, Difference.STALE, None, "quoted", None, "x\n"), "is not there:\n```\nquoted\n```"),
        (Nearest(4, 6, 0.8, Difference.INDENTATION, 5, "a", " a", " a\n"), "Only the indentation differs."),
        (Nearest(4, 6, 0.8, Difference.ALREADY_APPLIED, 5, "a", "b", "b\n"), "leave this edit out"),
        (Nearest(4, 6, 0.8, Difference.STALE, 5, "a", "```", "```\n"), "````\n```\n````"),
        (Nearest(4, 6, 0.8, Difference.STALE, 5, "a", "", "\n"), "The file has:\n```\n\n```"),
    ],
)
def test_each_kind_of_difference_is_said(nearest: Nearest, said: str) -> None:
    assert said in repair_message([failed(nearest)], 2)


def test_an_edit_that_would_still_change_something_is_not_told_to_be_left_out() -> None:
    nearest = Nearest(4, 6, 0.8, Difference.ALREADY_APPLIED, 5, "a", "b", "b\n")
    message = repair_message([Failure(failed(nearest).result, "pot.py\n<<<<<<< SEARCH\n")], 1, Others.NONE)
    assert "leave this edit out" not in message
    assert "The file has part of your change already." in message


@pytest.mark.parametrize("difference", list(Difference))
def test_every_kind_of_difference_has_words(difference: Difference) -> None:
    nearest = Nearest(1, 1, 0.5, difference, 1, "a", "b", "b\n")
    assert repair_message([failed(nearest)], 1).count("\n") > 5


def test_text_of_files_and_replies_is_never_taken_for_a_template() -> None:
    trap = "{{path}} \\1 {{n}}"
    nearest = Nearest(1, 1, 0.5, Difference.STALE, 1, trap, trap, f"{trap}\n")
    result = BlockResult(1, BLOCK, trap, Status.FAILED, Code.NO_MATCH, trap, trap, nearest=nearest)
    lines = Excerpt(trap, 1, 1, f"{trap}\n")
    assert repair_message([Failure(result, lines=lines)], 1).count(trap) == 6
    assert wider_message([Failure(result)], [Excerpt(trap, 1, 1, trap, trap)]).count(trap) == 5
    assert whole_message(trap, trap).count(trap) == 3


def test_a_block_without_a_path_has_a_heading_too() -> None:
    result = BlockResult(1, Block("diff", Kind.EDIT, None, "a\n", "b\n"), None, Status.FAILED, Code.NO_PATH, "No path.")
    assert "### Edit 1\nNo path." in repair_message([Failure(result)], 1)


def test_the_wider_step_shows_definitions_in_place_of_the_diagnosis() -> None:
    message = wider_message(
        [failed(NEAREST)], [Excerpt("pot.py", 4, 6, NEAREST.corrected, "f"), Excerpt("a", 1, 1, "x")]
    )
    assert "pot.py, lines 4 to 6, all of f:\n```\ndef f():\n" in message
    assert "a, lines 1 to 1:\n```\nx\n```" in message
    assert "water(5)" not in message


def test_the_last_step_asks_for_the_file_in_the_form_of_whole_files() -> None:
    message = whole_message("pot.py", "x = '```'\n", "python")
    assert "path/to/file.py\n````python\n" in message
    assert message.endswith("This is what pot.py says now:\n````python\nx = '```'\n````\n")


FILE = """\
def fill(pot):
    pot.level += 1


def water(pot):
    while pot.dry:
        pot.fill(7)
    return pot
"""
REPLY = """\
pot.py
```python
<<<<<<< SEARCH
def water(pot):
    while pot.dry:
        pot.fill(5)
    return pot
=======
def water(pot):
    while pot.dry:
        pot.fill(9)
    return pot
>>>>>>> REPLACE
```

pot.py
```python
<<<<<<< SEARCH
    pot.level += 1
=======
    pot.level += 2
>>>>>>> REPLACE
```
"""


def test_a_real_failure_names_the_line_that_the_model_got_wrong() -> None:
    made = plan(parse(REPLY), Snapshot.of({"pot.py": FILE}))
    failures = [Failure(result) for result in made.failed]
    assert [failure.result.n for failure in failures] == [1]
    message = repair_message(failures, len(made.results))
    assert "Line 7 of the file is the first that differs." in message
    assert "        pot.fill(5)\n" in message
    assert "        pot.fill(7)\n" in message
    assert "pot.level" not in message


@pytest.mark.parametrize("others", Others)
@pytest.mark.parametrize(("failures", "total"), [(1, 1), (1, 12), (10, 100)])
def test_a_message_is_known_by_how_it_begins(others: Others, failures: int, total: int) -> None:
    assert is_repair_message(repair_message([failed()] * failures, total, others))


@pytest.mark.parametrize("text", ["", "0 edits", "some of your 3 edits could not be applied.", "# Notes\n" + MISS])
def test_another_text_is_no_message(text: str) -> None:
    assert not is_repair_message(text)


def test_a_message_has_room_for_so_many_edits_and_says_which_it_leaves_out() -> None:
    made: list[int] = []

    def failures() -> Iterator[Failure]:
        for n in range(1, 5_001):
            made.append(n)
            yield Failure(replace(failed().result, n=n))

    message = repair_message(failures(), 5_000, Others.NONE, numbers=range(1, 5_001))
    shown = message.count("### Edit ")
    assert len(message) <= LONGEST_MESSAGE < len(message) + 2_000
    assert message.startswith("5000 of your 5000 edits could not be applied.")
    assert f"not shown here, for want of room: {5_000 - shown}, from edit {shown + 1} to edit 5000." in message
    assert made[-1] == shown + 1  # the others are not even diagnosed


def test_long_texts_are_cut_around_the_difference() -> None:
    quoted, found = ("word, " * 20_000 + end + ", word" * 20_000 for end in ("here", "there"))
    nearest = Nearest(1, 1, 0.99, Difference.MISREMEMBERED, 1, quoted, found, f"{found}\n")
    message = repair_message([failed(nearest)], 1)
    assert len(message) < 15_000
    assert "word, here, word" in message
    assert "word, there, word" in message


def test_definitions_have_room_too() -> None:
    excerpts = [Excerpt("pot.py", n, n, "x" * 5_000, "f") for n in range(50)]
    message = wider_message([failed()] * 2_000, excerpts)
    assert len(message) <= LONGEST_MESSAGE
    assert message.count("all of f") >= 3
