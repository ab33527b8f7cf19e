"""The tier that reads code: another layout, other comments, one named definition."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Tier
from dovetail.model.text import apply_edits
from dovetail.syntax import default_language

FILE = """\
def price(item, rate):
    # in cents
    net = item.amount * rate
    return round(net, 2)


def other(item):
    return item
"""


def land(search: str, replace: str, file: str = FILE, path: str = "shop.py") -> tuple[str, Tier] | None:
    outcome = locate(Document(file), Needle(search, replace), language=default_language(), path=path)
    if isinstance(outcome, NoMatch):
        return None
    assert isinstance(outcome, Match), outcome
    return apply_edits(file, outcome.edits), outcome.tier


def test_a_definition_laid_out_otherwise_is_replaced_whole() -> None:
    broken = "def price(item,\n          rate):\n    net = item.amount * rate\n    return round(net, 2)\n"
    file = FILE.replace("    # in cents\n", "")
    found = land(broken, "def price(item, rate):\n    return 0\n", file)
    assert found == (
        file.replace("    net = item.amount * rate\n    return round(net, 2)\n", "    return 0\n"),
        Tier.SYNTAX,
    )


@pytest.mark.parametrize(("before", "behind"), [("if total: ", ""), ("", "; stop()")])
def test_code_that_stands_beside_on_its_line_stays(before: str, behind: str) -> None:
    file = f"total = count(first, second, third)\n{before}name = label(first, second, third){behind}\nend(total)\n"
    called = "name = label(first,\n             second,\n             third)"
    for search in (f"total = count(first, second, third)\n{called}\n", f"{called}\nend(total)\n"):
        found = land(search, search.replace(called, "name = label(first)"), file)
        assert found is None or f"\n{before}name = label(first){behind}\n" in found[0]


def test_a_definition_on_one_line_is_found_by_its_name_where_no_line_of_the_search_is_like_it() -> None:
    file = "const first = 1;\nfunction go(a){one(a);two(a);three(a);four(a);}\nconst last = 2;\n"
    search = "function go(a) {\n  one(a);\n  two(a);\n  three(a);\n  four(a);\n}\n"
    found = locate(Document(file), Needle(search, "const go = one;\n"), language=default_language(), path="go.js")
    assert isinstance(found, Match), found
    assert apply_edits(file, found.edits) == "const first = 1;\nconst go = one;\nconst last = 2;\n"


def test_a_comment_that_the_edit_keeps_may_be_missing() -> None:
    search = "def price(item, rate):\n    net = item.amount * rate\n    return round(net, 2)\n"
    found = land(search, search.replace("round(net, 2)", "round(net, 3)"))
    assert found is not None
    assert found[0] == FILE.replace("round(net, 2)", "round(net, 3)")


@pytest.mark.parametrize("comment", ["# in euros", "# in cents, rounded"])
def test_a_comment_that_the_edit_changes_must_agree(comment: str) -> None:
    search = f"def price(item, rate):\n    {comment}\n    net = item.amount * rate\n    return round(net, 2)\n"
    assert land(search, search.replace(comment, "# in pounds")) is None


def test_every_line_of_a_comment_that_the_edit_changes_must_agree() -> None:
    file = (
        "class Till {\n  /**\n   * Closes it, and waits.\n   * @since v19.18.0\n   */\n  close(): Promise<void> {\n"
        "    this.wait(this.at, this.time);\n    this.drawer.close(this.key, this.hand);\n    return this.done(this.at);\n  }\n}\n"
    )
    search = file.replace("v19", "v18")
    needle = Needle(search, search.replace("v18.18.0", "v20.5.0"))
    outcome = locate(Document(file), needle, language=default_language(), path="till.ts")
    assert isinstance(outcome, NoMatch), outcome


STEPS = (
    "    handle = start(path, mode, 1)\n    check(handle, path)\n"
    "    done(handle, path, mode)\n    return close(handle, path, 1)\n"
)
LAST = STEPS[STEPS.index("    done") :]
FEWER = STEPS.replace("    check(handle, path)\n", "")
OTHERS = {
    "at a place that is much like it": (
        f"def f(path, mode):\n    # read it first\n    other(path, mode)\n{LAST}\n\ndef g(path, mode):\n    # make it anew\n{STEPS}",
        STEPS,
    ),
    "behind the code": (f"def f(path, mode):\n{FEWER}# read it first\nlast = 1\n", FEWER),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_comment_that_stands_elsewhere_tells_of_another_place(name: str) -> None:
    file, code = OTHERS[name]
    search = f"    # read it first\n{code}".replace("path, mode", "path,mode")
    assert land(search, search.replace("done(", "stop("), file) is None


def test_a_search_that_begins_with_the_line_above_its_place_forgot_one() -> None:
    body = "\n\nfunction shop(till) {\n  var coins = till.coins;\n  if (coins) {\n    till.sum = count(coins, 0);\n  }\n}\n"
    file = f"function walk(items) {{\n  while (true) {{\n    if (items) {{\n      take(items);\n    }}\n  }};\n}}{body}"
    search = f"  }};{body}"
    assert land(search, f"    leave(items);\n{search}", file, "a.js") is None


def test_lines_that_stand_twice_are_two_places_also_where_one_of_them_does_not_parse() -> None:
    body = (
        "  redirect(url, other) {\n    // location\n    if (url === back) url = this.get('Referrer') || other;\n"
        "    this.set('Location', encode(url));\n    this.set('Code', 302);\n"
    )
    file = f"class A {{\n  /**\n   * Sends.\n   */\n\n{body}\nbetween = 5\n   */\n\n{body}  }}\n}}\n"
    search = "   */\n\n" + body.replace("// location", "// tocation")
    needle = Needle(search, search + "    this.sent = true;\n")
    outcome = locate(Document(file), needle, language=default_language(), path="a.js")
    assert not isinstance(outcome, Match), outcome


def test_a_definition_whose_head_stands_twice_is_not_taken_by_its_name_whatever_decorates_it() -> None:
    head = 'def load(path):\n    # keep the rows\n    rows = run("""\n        from shop import price\n'
    file = f'begin(now)\n\n\n@cached\n{head}{head}        go()\n    """)\n    return rows\n'
    search = head.replace("price", "prise")
    assert land(search, search.replace("    # keep the rows\n", ""), file) is None


LOAD = (
    "def load(path):\n    handle = open(path)\n    rows = handle.read(given)\n    check(rows, path)\n    keep(rows)\n"
)


def test_a_search_that_goes_on_behind_a_definition_is_more_than_that() -> None:
    step = (
        "## The `{0}` step\n\nIt is run {1} times, and keeps what is left.\n\n- **input**: the items of the last one\n"
        "- **limit**: {1}0\n- see [notes](notes/{0}.md)\n\n"
    )
    file = step.format("merge", 31) + step.format("split", 47) + step.format("count", 52)
    second = "## The `split` step\n\nIt is run 47 times, and keeps what is left.\n"
    deeper = second.replace("## ", "    ## ").replace("It is", "    It is")
    search = step.format("merge", 31).replace("- **limit**: 310\n", "") + second + "\n"
    found = land(search, search.replace(second, deeper), file, "steps.md")
    assert found == (file.replace(second, deeper), Tier.FUZZY)


def test_a_line_to_be_deleted_that_is_gone_is_no_version_of_a_definition() -> None:
    first = "    one = 1\n    two = 2\n    three = 3\n"
    head, body = LOAD.split("\n", 1)
    search, replace = (f"{head}\n{lines}{body}" for lines in (first, first.replace("    three = 3\n", "")))
    outcome = locate(Document(LOAD), Needle(search, replace), language=default_language(), path="load.py")
    assert isinstance(outcome, NoMatch), outcome


@pytest.mark.parametrize(
    "file",
    [
        LOAD.replace("load", "save").replace("handle.read(given)", "handle.lines(wanted)"),  # another name
        "class A:\n    def load(path): ...\n\n\n" + LOAD.replace("handle.read(given)", "handle.lines(wanted)"),  # twice
        "def load(path):\n    rows = lines(path)\n    check(rows, path)\n    drop(path)\n",  # little else agrees
        LOAD.replace("handle.read(given)", "handle.lines(wanted)") + "\n\nrows = handle.read(given)\n",  # elsewhere
        LOAD.replace("    keep(rows)\n", "    check(rows, path)\n").replace("handle.read(given)", "lines(wanted)"),
    ],
)
def test_a_name_alone_tells_no_place(file: str) -> None:
    assert land(LOAD, LOAD.replace("check(rows, path)", "check(rows)"), file) is None


QUOTES = """\
import sys
from shop import price

TITLES = {'open': "it's open", 'done': ""}
KINDS = ['a', "b"]
"""


def test_quotes_count_where_they_could_mean_something() -> None:
    search = "from shop import price\n\nTITLES = {'open': 'it\\'s open', 'done': \"\"}\nKINDS = [\"a\", 'b']\n"
    assert land(search, search.replace("KINDS", "SORTS"), QUOTES) is None


def test_a_piece_of_code_that_stands_between_tags_is_read_without_them() -> None:
    file = "<?php\n\nfunction total($items)\n{\n    // in cents\n    $sum = array_sum($items);\n    return $sum;\n}\n"
    search = "function total($items) {\n    $sum = array_sum($items);\n    return $sum;\n}\n"
    needle = Needle(search, search.replace("return $sum", "return round($sum)"))
    found = locate(Document(file), needle, language=default_language(), path="shop.php")
    assert isinstance(found, Match) and apply_edits(file, found.edits) == file.replace(
        "return $sum", "return round($sum)"
    )


TWO = """\
def price(item, rate):
    net = item.amount * rate
    gross = net + item.fee + item.postage
    return round(gross, 2)

# nothing to do
def other(item):
    return item
"""
ABOVE = TWO[: TWO.index("# nothing")]


def test_new_lines_go_behind_the_comment_they_stand_behind() -> None:
    search = f"{ABOVE}# there is nothing to do here\n"
    found = land(search, search + "@cached\n", TWO)
    assert found == (TWO.replace("# nothing to do\n", "# nothing to do\n@cached\n"), Tier.FUZZY)


def test_new_lines_behind_a_comment_that_is_not_there_have_no_place() -> None:
    search = f"{ABOVE}# nothing is done\n"
    assert land(search, search + "@cached\n", TWO.replace("# nothing to do\n", "")) is None


def test_blank_lines_behind_lines_that_are_one_in_the_file_are_its_own() -> None:
    file = TWO.replace("# nothing to do\n", "\n")
    search = file.partition("\n")[2].replace("gross, 2", "gross,\n                 2")
    new = "    if rate:\n        return 0\n\n    return 1\n"
    found = land(search, search.replace("\n\n\n", f"\n\n{new}\n"), file)
    assert found == (file.replace("\n\n\n", f"\n\n{new}\n"), Tier.SYNTAX)


DESCRIBED = """\
# what the shop asks for
owed = total(orders, fees, taxes) + postage(orders, weights)

def price(item, rate):
    '''
    In cents.
    '''
    return round(item.amount * rate)

def other(item):
    return None
"""


def test_the_lines_of_a_string_of_several_lines_are_changed_one_by_one() -> None:
    search = DESCRIBED.replace("asks for", "asked for")
    wanted = DESCRIBED.replace("In cents.", "In pounds.").replace("round", "floor")
    found = land(search, search.replace("In cents.", "In pounds.").replace("round", "floor"), DESCRIBED)
    assert found == (wanted, Tier.SYNTAX)


def test_a_line_may_be_added_inside_a_string_of_several_lines() -> None:
    search = DESCRIBED.replace("asks for", "asked for")
    found = land(search, search.replace("In cents.\n", "In cents.\n    Rounded.\n"), DESCRIBED)
    assert found == (DESCRIBED.replace("In cents.\n", "In cents.\n    Rounded.\n"), Tier.SYNTAX)


def test_lines_that_are_one_in_the_file_are_changed_as_one() -> None:
    split = DESCRIBED.replace("fees, taxes)", "fees,\n    taxes)")
    grown = split.replace("fees,\n", "fees,\n    tips,\n")
    assert land(split, grown, DESCRIBED) == (grown, Tier.SYNTAX)


OPENED = 'first = 1\nshop = open_shop("till", first, second=first)\nwait(shop)\n'
SPREAD = 'first = 1\nshop = open_shop(\n    "till",\n    first,\n    second=first\n)\nwait(shop)\n'


def test_what_another_line_of_the_same_code_ends_with_is_not_taken_over() -> None:
    file, search = "name = {\n    'kind': one + two,\n}\n", "name = {\n    'kind': one\n    + two,\n}\n"
    made = search.replace("one", "zero")
    assert land(f"{search}wait(shop)\n", f"{made}wait(shop)\n", f"{file}wait(shop)\n") == (
        f"{made}wait(shop)\n",
        Tier.SYNTAX,
    )


WRAPPED = "total = count(first, second,\n              third, fourth)\nwait(shop)\n"


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({"first": "last"}, WRAPPED.replace("first", "last")),
        ({"fourth)": "fourth)  # all"}, WRAPPED.replace("fourth)", "fourth)  # all")),
        ({"third": "last"}, "total = count(first, second, last, fourth)\nwait(shop)\n"),
        ({"count(": "", "fourth)": "fourth"}, "total = first, second, third, fourth\nwait(shop)\n"),
    ],
)
def test_a_line_stays_broken_where_the_edit_leaves_what_is_around_the_break(
    changes: dict[str, str], result: str
) -> None:
    search = new = "total = count(first, second, third, fourth)\nwait(shop)\n"
    for old, come in changes.items():
        new = new.replace(old, come)
    assert land(search, new, WRAPPED) == (result, Tier.SYNTAX)


def test_two_changes_of_lines_that_are_one_in_the_file_are_one() -> None:
    search = SPREAD.replace('"till",\n    first', '"till", first')
    made = search.replace('"till"', '"book"').replace("second=", "third=").replace("wait(", "close(")
    assert land(search, made, OPENED) == (made, Tier.SYNTAX)


@pytest.mark.parametrize("comment", ["", "  # or another"])
def test_nothing_is_put_behind_an_argument_that_lacks_its_comma_in_the_file(comment: str) -> None:
    file = SPREAD.replace("second=first", f"second=first{comment}")
    search = file.replace("second=first", "second=first,")
    assert land(search, search.replace("\n)", "\n    third=2,\n)"), file) is None


def test_a_comma_that_makes_a_tuple_counts() -> None:
    file = "first = 1\nshops = (open_shop('till', first))\nwait(shops)\n"
    search = "first = 1\nshops = (\n    open_shop('till', first),\n)\n"
    assert land(search, search.replace("first = 1", "first = 2"), file) is None


@pytest.mark.parametrize("step", ["", "    "])
def test_what_the_file_wraps_deeper_tells_no_depth_of_a_line_that_goes_deeper(step: str) -> None:
    """The search has the wrapped lines as deep as the file has others: a moved line would be moved twice."""
    file = (
        "def first(shelf):\n    shelf.open()\n    shelf.sort()\n    shelf.close()\n\n\n"
        "def second(maker):\n    shelf = Shelf(\n        books={\n            'kind': maker,\n            'size': 12,\n"
        "        }\n    )\n    shelf.close()\n"
    )
    search = (
        "def first(shelf):\n    shelf.open()\n    shelf.sort()\n    shelf.close()\n\n\n"
        "def second(maker):\n    shelf = Shelf(books={\n        'kind': maker,\n        'size': 12,\n    })\n    shelf.close()\n"
    )
    found = land(search, search.replace("    shelf.sort()", f"{step}    shelf.sort()", 1).replace("12", "13"), file)
    moved = file.replace("    shelf.sort()", f"{step}    shelf.sort()", 1).replace("12", "13")
    assert found is None or found[0] == moved
    assert found is not None or step
