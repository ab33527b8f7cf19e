"""The message for the model: only what failed, the line that differs, a search that fits."""

from __future__ import annotations

import pytest

import dovetail

APP = "".join(f"def function_{n}(value):\n    return value + {n}\n\n\n" for n in range(60))


def block(search: str, replace: str, path: str = "app.py") -> str:
    return f"{path}\n```python\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n\n"


GOOD = block("    return value + 5\n", "    return value + 500\n")
STALE = block("def function_7(value):\n    return value + 70\n", "def function_7(value):\n    return value + 71\n")

TILL = 'def receipt(prices):\n    """Lines of a receipt."""\n    lines = list(prices)\n    check(lines)\n    return lines\n'
RETOLD = 'def receipt(prices):\n    """Makes it."""\n    lines = []\n    chk(lines)\n    return lines\n'
MISQUOTED = block(RETOLD, RETOLD.replace("return lines", "return lines[:80]"), "till.py")


def message(reply: str, files: dict[str, str] | None = None, *, written: bool = False) -> str:
    plan = dovetail.make_plan(reply, files or {"app.py": APP})
    told = dovetail.retry_message(plan.results, written=written)
    assert told is not None
    return told


def test_nothing_failed_nothing_said() -> None:
    assert dovetail.retry_message(dovetail.make_plan(GOOD, {"app.py": APP}).results) is None


def test_the_fitting_edit_is_written_with_the_markers_in_force() -> None:
    markers = dovetail.Markers(search_words=("VORHER",), replace_words=("NACHHER",))
    reply = MISQUOTED.replace("SEARCH", "VORHER").replace("REPLACE", "NACHHER")
    told = dovetail.apply(reply, {"till.py": TILL}, markers=markers).retry
    assert told is not None
    assert f"<<<<<<< VORHER\n{TILL}=======\n" in told
    assert ">>>>>>> NACHHER\n" in told
    assert "SEARCH" not in told
    assert "REPLACE" not in told


def test_it_speaks_of_the_failed_edit_alone() -> None:
    told = message(GOOD + STALE)
    assert told.startswith(
        "1 of your 2 edits could not be applied. The others fit and wait for these. Do not send them again.\n\n"
        "### Edit 2, app.py\n"
    )
    assert "value + 500" not in told


def test_it_asks_for_edits_that_fit_as_well_where_nobody_keeps_them() -> None:
    plan = dovetail.make_plan(GOOD + STALE + GOOD.replace("5", "6"), {"app.py": APP})
    told = dovetail.retry_message(plan.results, held=False)
    assert told is not None
    assert "not written either, and not kept: edits 1, 3.\n" in told
    assert "and with them those that fit" in told
    assert "nothing else" not in told
    written = dovetail.retry_message(dovetail.make_plan(GOOD + STALE, {"app.py": APP}).results, held=True)
    assert written == message(GOOD + STALE)


def test_it_says_what_became_of_the_others() -> None:
    assert "The others are applied. Do not send them again." in message(GOOD + STALE, written=True)


def test_an_edit_that_is_held_back_or_left_out_is_not_called_applied() -> None:
    kept = "The others are applied, or kept here. Do not send them again."
    other = block("", "new\n", "new.py")
    for reply, said in ((other + STALE + GOOD, True), (other + GOOD + STALE, False)):
        applied = dovetail.apply(reply, {"app.py": APP}, dovetail.Policy("file"))
        assert set(applied.files) == {"new.py"} if said else {"new.py", "app.py"}
        assert (kept in (applied.retry or "")) is said
    left_out = dovetail.make_plan(GOOD + STALE + other, {"app.py": APP}, dovetail.Policy("block", only=("app.py",)))
    assert kept in (dovetail.retry_message(left_out.results, written=True) or "")


COUNTS = "def up(n):\n    # count\n    n += 1\n\ndef over(n):\n    # count\n    n += 1\n"


def test_what_is_in_the_files_already_waits_for_nothing() -> None:
    done = {"app.py": APP.replace("    return value + 5\n", "    return value + 500\n")}
    assert "The others are applied. Do not send them again." in message(GOOD + STALE, done)


def test_it_shows_the_line_that_differs() -> None:
    told = message(STALE)
    assert "You quoted:\n```\n    return value + 70\n```\nThe file has:\n```\n    return value + 7\n```\n" in told


def test_it_suggests_the_change_on_the_lines_of_the_file() -> None:
    (edit,) = dovetail.parse(message(MISQUOTED, {"till.py": TILL})).blocks
    assert (edit.path, edit.format, edit.search) == ("till.py", "diff", TILL)
    assert edit.replace == TILL.replace("return lines", "return lines[:80]")


def test_what_it_suggests_lands_exactly() -> None:
    plan = dovetail.make_plan(message(MISQUOTED, {"till.py": TILL}), {"till.py": TILL})
    assert [(r.status, r.tier) for r in plan.results] == [(dovetail.Status.FITS, dovetail.Tier.EXACT)]


def test_nothing_is_suggested_over_lines_that_the_edit_changes_and_misquotes() -> None:
    told = message(STALE)
    assert not dovetail.parse(told).blocks
    assert "    return value + 7\n" in told


def test_nothing_is_suggested_behind_a_line_that_goes_on_in_the_file() -> None:
    text = (
        "class Reply:\n    def moved(self) -> bool:\n        return 'location' in self.headers\n\n"
        "    def gone(self) -> bool:\n        return self.status in (\n            301,\n            308,\n        )\n"
    )
    search = (
        "    def moved(self):\n        return ('location' in self.headers)\n\n"
        "    def gone(self):\n        return (self.status in (301, 308))\n"
    )
    told = message(
        block(search, search + "\n    def lost(self):\n        return self.status == 404\n"), {"app.py": text}
    )
    assert "def lost" not in told
    assert "quote from them" in told


def test_nothing_is_suggested_between_a_head_and_its_docstring() -> None:
    text = 'def near(at: int) -> int:\n    """Give what is next to it."""\n    return at + 1\n'
    search = "def near(at: int) -> int:\n    return at + 2\n"
    told = message(block(search, search.replace("    return", "    at *= 2\n    return")), {"app.py": text})
    assert "at *= 2" not in told
    assert '    """Give what is next to it."""\n' in told


def test_nothing_is_suggested_deeper_or_shallower_than_the_file_has_it() -> None:
    text = (
        "class Lamp:\n    def light(self):\n        # the switch first\n        self.switch.on()\n        return self\n"
    )
    search = "  def light(self):\n    # its switch first\n    self.switch.on()\n    return self.lamp\n"
    reply = block(search, search.replace("    return self.lamp\n", "    self.count += 1\n    return self.lamp.name\n"))
    assert "<<<<<<< SEARCH" not in message(reply, {"app.py": text})


def test_nothing_is_suggested_that_stands_there_already() -> None:
    head = "    if lamp is None:\n        lamp = new_lamp(room)\n        lamp.hang(room.ceiling)\n    else:\n        lamp.dust()\n\n"
    new, last = "    count_once(lamp)\n    tell_of(lamp, room)\n", "    return room.lit_by(lamp).windows\n"
    text = f"def light(room, lamp):\n{head}{new}    # it burns now\n    # all night\n    # and day\n{last}"
    assert "<<<<<<< SEARCH" not in message(block(head + last, head + new + last), {"app.py": text})


def test_nothing_is_suggested_for_what_has_another_name() -> None:
    text = "def dim(lamp):\n    switch = find_switch(lamp)\n    switch.turn(lamp, 1)\n    return switch\n"
    search = text.replace("def dim", "def light")
    reply = block(search, search.replace("turn(lamp, 1)", "turn(lamp, 2)"))
    assert "<<<<<<< SEARCH" not in message(reply, {"app.py": text})


def test_nothing_is_suggested_where_half_of_the_search_is_something_else() -> None:
    search = "def start(self) -> None:\n    self.clock.start()\n    self.count += 1\n"
    text = "async def drain(queue, names):\n    for name in await names():\n    self.count += 1\n    self.log.flush()\n"
    told = message(block(search, search.replace("+= 1", "+= 1\n    self.log.open()")), {"app.py": text})
    assert "self.log.open()" not in told


def test_nothing_is_suggested_where_other_places_are_as_likely() -> None:
    rules = "".join(
        f".{name} {{\n  margin-top: 0;\n  margin-bottom: {size}rem;\n}}\n\n" for name, size in enumerate("1123")
    )
    told = message(block("  margin-top: 0;\n  margin-bottom: 0;\n", "  margin-block: 0;\n", "a.css"), {"a.css": rules})
    assert "margin-block" not in told
    assert "quote from them" in told


def test_a_line_that_is_quoted_tells_the_file() -> None:
    search = "def function_30(value):\n" + "".join(f"    other_{n} = other(value, {n})\n" for n in range(8))
    applied = dovetail.apply(block(search, "pass\n"), {"app.py": APP})
    assert not applied.failed[0].nearest.is_alike
    assert "Copy the search text from the file as it is now." in (applied.retry or "")
    assert "def function_30(value):\n    return value + 30\n" in (applied.retry or "")


def test_an_ambiguous_edit_is_told_every_line() -> None:
    told = message(block("\n\n    x\n", "y\n"), {"app.py": "a\n\n\n    x\nb\n\n\n    x\n"})
    assert "lines 2 and 6" in told
    assert "Quote a neighbouring line that only the right place has." in told


def test_an_ambiguous_edit_is_told_what_each_place_has_alone() -> None:
    told = message(block("    n += 1\n", "    n += 2\n"), {"app.py": COUNTS})
    assert "For line 3 it is line 1, `def up(n):`; for line 7 it is line 5, `def over(n):`." in told
    corrected = block("def over(n):\n    # count\n    n += 1\n", "def over(n):\n    # count\n    n += 2\n")
    assert dovetail.make_plan(corrected, {"app.py": COUNTS}).results[0].start == 5
    alike = message(block("x\n", "y\n"), {"app.py": "x\n" * 40})
    assert "Quote a neighbouring line that only the right place has.\n" in alike


def test_an_edit_that_is_like_nothing_is_told_lines_that_share_its_words() -> None:
    lost = block("def function_30_and_more(*those):\n    raise NotImplementedError\n", "pass\n")
    applied = dovetail.apply(lost + lost.replace("pass", "return"), {"app.py": APP})
    assert not applied.failed[0].nearest.is_alike
    told = applied.retry or ""
    assert told.count("Nothing in the file is quite like it. Nearest to it are lines") == 1  # of both, and said once
    assert dovetail.retry_message(applied.plan.results, files={"app.py": APP}) == told


def test_the_next_act_stands_before_what_to_copy() -> None:
    told = message(STALE)
    assert "\nCopy the lines to be changed from the file as it is now.\n" in told.partition("You quoted:")[0]


def test_a_long_region_is_cut_around_the_difference() -> None:
    search = "".join(APP.splitlines(keepends=True)[:120]).replace("value + 17\n", "value * 17\n")
    told = message(block(search, search.replace("value * 17", "value - 17")))
    assert "value + 17" in told
    assert len(told) < len(search) / 2


@pytest.mark.parametrize("fences", ["```", "````"])
def test_a_fence_is_longer_than_any_in_the_file(fences: str) -> None:
    text = f"# Title\n\n{fences}\ncode one\n{fences}\n\nmore and more text\n"
    told = message(block(f"{fences}\ncode two and\n{fences}\n\nmore and more text\n", "x\n", "a.md"), {"a.md": text})
    parsed = dovetail.parse(told)
    assert all(edit.search in text for edit in parsed.blocks)


def test_a_malformed_block_is_told_what_to_write() -> None:
    told = message("app.py\n```\n<<<<<<< SEARCH\n    return value + 5\n>>>>>>> REPLACE\n```\n")
    assert "no divider" in told
    assert "Write a divider line" in told


def test_two_edits_of_the_same_lines_are_both_asked_for() -> None:
    reply = block("one = 1\ntwo = 2\n", "one = 1\ntwo = 3\n") + block("two = 2\nsix = 6\n", "two = 5\nsix = 6\n")
    said = dovetail.apply(reply, {"app.py": "one = 1\ntwo = 2\nsix = 6\n"}).retry or ""
    assert said.startswith("2 of your 2 edits")
    assert "Edit 1 changes the same lines differently" in said
