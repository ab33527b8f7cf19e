"""How much work a plan may take: counted in steps, and what becomes of edits that would take more."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

import dovetail
from dovetail.model.codes import Code, Status
from dovetail.model.policy import Policy
from dovetail.model.results import Plan
from dovetail.model.work import STEPS_PER_EDIT, STEPS_PER_REPLY, TooMuchWorkError, limited, spend

EACH_ALONE = Policy(on_failure="block")
PLENTY = 10**9


def block(search: str, replace: str, path: str = "a.py") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n\n"


def steps_of(reply: str, files: Mapping[str, str]) -> int:
    """The steps that planning takes, with whatever it refuses."""
    with limited(PLENTY) as left:
        dovetail.make_plan(reply, files, EACH_ALONE)
    return PLENTY - left.steps


def function(n: int) -> str:
    return f"def load_{n}(path):\n    size_{n} = {n}\n    for part in path:\n        size_{n} += part\n    return size_{n}\n\n"


def blocks(size: int, quoted: Callable[[str], str]) -> tuple[str, str]:
    reply = (block(quoted(function(n)), quoted(function(n)).replace("+=", "-=")) for n in range(size))
    return "".join(reply), "".join(map(function, range(size)))


def elisions(size: int) -> tuple[str, str]:
    search = "".join(f"line_{n} = {n}\n...\n" for n in range(size))
    file = "".join(f"line_{n} = {n}\nmore_{n} = 1\n" for n in range(size))
    return block(search, search.replace("line_0 =", "line_x =")), file


def equal_elisions(size: int) -> tuple[str, str]:
    search = "    item()\n    ...\n" * size
    return block(search, f"{search}    last()\n"), "    item()\n    other()\n" * size


LINEAR: dict[str, Callable[[int], tuple[str, str]]] = {
    "many elisions in one search": elisions,
    "many equal elisions in one search": equal_elisions,
    "exact blocks": lambda size: blocks(size, str),
    "one long line, searched for a part of it": lambda size: (
        block("alpha, beta\n", "gamma\n"), "alpha, beta, " * (20 * size) + "\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINEAR)
def test_twice_the_size_takes_twice_the_steps(name: str) -> None:
    small, large = (steps_of(reply, {"a.py": file}) for reply, file in map(LINEAR[name], (200, 400)))
    assert 0 < small < large <= 2.4 * small


def by_turns(size: int) -> tuple[str, str]:
    search = "  alpha()\n  beta()\n" * (size // 3)
    return block(search, f"{search}  gamma()\n"), "alpha()\nbeta()\n" * size


def braces(size: int) -> tuple[str, str]:
    return block("}\n" * size, "x\n"), " }\n" * (2 * size)


ENDLESS: dict[str, Callable[[int], tuple[str, str]]] = {
    "two lines by turns, shifted": by_turns,
    "nothing but braces, shifted": braces,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_has_too_many_places_is_too_large_and_takes_nothing_from_the_others(name: str) -> None:
    reply, file = ENDLESS[name](4_000)
    files = {"a.py": file, "b.py": "x = 1\n"}
    made = dovetail.make_plan(reply + block("x = 1\n", "x = 2\n", "b.py"), files, EACH_ALONE)
    assert [(r.status, r.code) for r in made.results] == [(Status.FAILED, Code.TOO_LARGE), (Status.FITS, None)]
    assert made.results[0].hint
    assert {change.path: change.after for change in made.changes} == {"b.py": "x = 2\n"}


def test_a_reply_has_a_limit_of_its_own() -> None:
    """Four edits take all its steps, and leave none to one that would land."""
    reply, file = by_turns(1_500)
    with limited(PLENTY) as left:
        files = {"a.py": file, "b.py": "x = 1\n"}
        made = dovetail.make_plan(4 * reply + block("x = 1\n", "x = 2\n", "b.py"), files, EACH_ALONE)
    assert [result.code for result in made.results] == 5 * [Code.TOO_LARGE]
    assert not made.changes
    assert PLENTY - left.steps < STEPS_PER_REPLY + STEPS_PER_EDIT


def test_the_lines_of_places_are_looked_up_once_for_all_edits_that_are_refused_for_them() -> None:
    few, many = (steps_of(block("x = 1\n", "x = 2\n") * count, {"a.py": "x = 1\n" * 3_000}) for count in (20, 220))
    assert many - few < 200 * 3_000


CASES: dict[str, tuple[str, dict[str, str]]] = {
    "tiers": (
        block("def f():\n  return 1\n", "def f():\n  return 2\n") + block("total = a+b\n", "total = a-b\n")
        + block("for item in rows:\n    shwo(item)\n    count(item)\n", "for item in rows:\n    shwo(item)\n    tally(item)\n"),
        {"a.py": "def f():\n    return 1\n\ntotal = a + b\nfor item in rows:\n    show(item)\n    count(item)\n"},
    ),
    "readings": (
        block("Title\n=======\ntext\n", "Title\n=======\nmore\n") + block("end\n", "done\n"),
        {"a.py": "Title\n=======\ntext\nend\nTitle\n"},
    ),
    "hunks in order": (
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-n = 1\n+n = 2\n@@ -5 +5 @@\n-last()\n+end()\n@@ -9 +9 @@\n-n = 1\n+n = 3\n",
        {"a.py": "n = 1\nx\ny\nz\nlast()\nx\ny\nz\nn = 1\n"},
    ),
    "a close spelling, and a file that is named by none": (
        block("value = 1\n", "value = 2\n", "src/modul.py") + block("other = 1\n", "other = 2\n", ""),
        {"src/module.py": "value = 1\n", "src/else.py": "other = 1\n"},
    ),
    "one on the other": (
        block("step = 1\n", "step = 2\nnext = 1\n") + block("next = 1\n", "next = 2\n") + block("step = 2\n", "step = 3\n"),
        {"a.py": "step = 1\nend()\n"},
    ),
}  # fmt: skip


def outcome(made: Plan, n: int) -> object:
    result = made.results[n]
    return result.status, result.code, result.path, result.start, result.end, result.tier


@pytest.mark.parametrize("name", CASES)
def test_a_plan_with_fewer_steps_says_the_same_or_too_large(name: str) -> None:
    """Whatever the limit, an edit lands where it does without one, or nowhere."""
    reply, files = CASES[name]
    whole = dovetail.make_plan(reply, files, EACH_ALONE)
    needed = steps_of(reply, files)
    seen = 0
    for limit in range(0, needed + 1, max(1, needed // 20)):
        with limited(limit):
            made = dovetail.make_plan(reply, files, EACH_ALONE)
        for n, result in enumerate(made.results):
            if result.code is Code.TOO_LARGE:
                seen += 1
            elif result.status is Status.FITS:
                assert outcome(made, n) == outcome(whole, n), limit
    assert seen


def test_steps_in_a_body_count_outside_of_it() -> None:
    with limited(10) as outer:
        with limited(4), pytest.raises(TooMuchWorkError):
            spend(5)
        assert outer.steps == 5
        with limited(100) as inner:
            assert inner.steps == 5
            spend(5)
        with pytest.raises(TooMuchWorkError):
            spend(1)
    spend(PLENTY)  # nothing limits it here
