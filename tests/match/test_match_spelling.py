"""What the file's own lines keep: blanks that the reply told otherwise, wherever the edit takes the lines along."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, NoMatch, locate
from dovetail.model.codes import Code
from dovetail.model.text import apply_edits

IMPORTS = "from shop import till\nfrom shop import book\nfrom shop import shelf\n"
NESTED = "def check(till):\n    count(till)\n    raise TillError\n\n\ndef close(till):\n    pass\n"
COUNTED = (
    "def f(a):\n    # count all of the coins in here\n    total = count(a)\n    check(total, a)\n    return total\n"
)
CHOICE = "def f(reading):\n    kept = first(count)\n    if kept:\n        start(kept)\n    else:\n        stop(kept)\n    return count\n"

OPENED = 'start()\nshop = open("till", 1)\nwait()\n'
MIXED = "start()\nshop = open(\"till\", 'r')\nwait()\n"

TOLD = """def open_the_shop(till):
    '''Open the shop.'''
    count(till)
    wait(till)
    return till
"""

LANDS = {
    "a line that moves and was quoted with a blank more": (
        IMPORTS,
        "from  shop import till\nfrom shop import book\n",
        "from shop import book\nfrom shop import coin\nfrom  shop import till\n",
        "from shop import book\nfrom shop import coin\nfrom shop import till\nfrom shop import shelf\n",
    ),
    "a new brace is no copy of one that the file ends with blanks": (
        "if (first) {\n  go();\n}  \nlast();\n",
        "if (first) {\n  go();\n}\n",
        "if (first) {\n  go();\n}\nif (second) {\n  stop();\n}\n",
        "if (first) {\n  go();\n}  \nif (second) {\n  stop();\n}\nlast();\n",
    ),
    "a new blank line with blanks as the file has them": (
        "first = 1\n  \nsecond = 2\n",
        "first =  1\n  \nsecond = 2\n",
        "first =  1\n  \nadded = 4\n  \nsecond = 2\n",
        "first = 1\n  \nadded = 4\n  \nsecond = 2\n",
    ),
    "a quoted blank line that the file lacks, between lines that are rewritten": (
        CHOICE,
        CHOICE.replace("reading", "raeding").replace("    else", "\n    else"),
        CHOICE.replace("reading", "raeding").replace("    else", "\n    else").replace("(kept)", "(kept, 1)"),
        CHOICE.replace("(kept)", "(kept, 1)"),
    ),
    "blank lines that the file has more stay with what follows, where new lines are as deep as what is above": (
        NESTED,
        "    count(till)\n    raise TillError\n\ndef close(till):\n",
        "    count(till)\n    raise TillError\n\n    return till\n\ndef close(till):\n",
        NESTED.replace("    raise TillError\n", "    raise TillError\n\n    return till\n"),
    ),
    "but with what follows, where they are deeper and set off from it as far themselves": (
        NESTED,
        "    count(till)\n    raise TillError\n\ndef close(till):\n",
        "    count(till)\n    raise TillError\n\n    if till:\n        pass\n\n\ndef close(till):\n",
        NESTED.replace("\n\n\ndef close", "\n\n    if till:\n        pass\n\n\n\ndef close"),
    ),
    "unless they bring blank lines of their own": (
        NESTED,
        "    count(till)\n    raise TillError\n\ndef close(till):\n",
        "    count(till)\n    raise TillError\n\n\ndef add(till):\n    pass\n\ndef close(till):\n",
        NESTED.replace("def close", "def add(till):\n    pass\n\n\ndef close"),
    ),
    "a kept blank line stays beside the line it stands beside": (
        "first = 1\nsecond = 2\n\n\n@slow\ndef third(): ...\n",
        "first = 1\nsecond = 2\n\n@slow\ndef third(): ...\n",
        "first = 1\n\n\ndef added(): ...\n\n@slow\ndef third(x): ...\n",
        "first = 1\n\n\ndef added(): ...\n\n\n@slow\ndef third(x): ...\n",
    ),
    "blank lines that the file has more, where all lines are as deep": (
        "first = 1\n\n\nsecond = 2\n",
        "first = 1\n\nsecond = 2\n",
        "first = 1\n\nadded = 4\n\nsecond = 2\n",
        "first = 1\n\nadded = 4\n\n\nsecond = 2\n",
    ),
    "new lines between two that begin alike, and a blank one that the search forgot": (
        "first {\n}\n\n/*\n * Old.\nsecond {\n}\n",
        "first {\n}\n/*\n * Old.\nsecond {\n}\n",
        "first {\n}\n\n/*\n * New.\nadded {\n}\n/*\n * Old.\nsecond (x) {\n}\n",
        "first {\n}\n\n/*\n * New.\nadded {\n}\n\n/*\n * Old.\nsecond (x) {\n}\n",
    ),
    "blanks that the edit takes out of a blank line, and a letter that is misspelled elsewhere": (
        COUNTED.replace("    total", "    \n    total"),
        COUNTED.replace("    total", "    \n    total").replace("return", "retuen"),
        COUNTED.replace("    total", "\n    total").replace("return", "retuen").replace("total, a", "total, a, 1"),
        COUNTED.replace("    total", "\n    total").replace("total, a", "total, a, 1"),
    ),
    "a misspelled line that ends with blanks, in a run that is one change": (
        "first = name(1) \n\nsecond = 2\nthird = 3\nlast = name(4)\n",
        "first = nmae(1) \n\nsecond = 2\nthird = 3\nlast = name(4)\n",
        "first = name(1) \n\nsecond = 5\nthird = 3\nlast = name(4)\n",
        "first = name(1) \n\nsecond = 5\nthird = 3\nlast = name(4)\n",
    ),
    "the blanks that a changed line ends with": ("f(a,b)   \n", "f(a, b) \n", "f(a, c) \n", "f(a,c)   \n"),
    "a line that is quoted twice alike and that the file has in two ways": (
        "first = 1\nsecond = 2\nfirst  = 1\nthird = 3\n",
        "first =   1\nsecond = 2\nfirst =   1\n",
        "first =   1\nsecond = 2\nfirst =   1\nadded = 4\nfirst =   1\n",
        "first = 1\nsecond = 2\nfirst  = 1\nadded = 4\nfirst =   1\nthird = 3\n",
    ),
    "a copy of a comment that the reply remembers otherwise says what the reply says": (
        COUNTED.replace("all of the coins in here", "every one of these coins"),
        COUNTED,
        COUNTED + "    # count all of the coins in here\n    again = count(a)\n",
        COUNTED.replace("all of the coins in here", "every one of these coins")
        + "    # count all of the coins in here\n    again = count(a)\n",
    ),
    "what comes in before a bracket leaves the blank at the bracket": (
        "def f({ first, second }):\n",
        "def f({first, second}):\n",
        "def f({first, second, third}):\n",
        "def f({ first, second, third }):\n",
    ),
    "what comes in behind a bracket leaves the blank at the bracket": (
        "def f({ first, second }):\n",
        "def f({first, second}):\n",
        "def f({third, first, second}):\n",
        "def f({ third, first, second }):\n",
    ),
    "what goes before a bracket leaves the blank at the bracket": (
        "def f({ first, second }):\n",
        "def f({first, second}):\n",
        "def f({first}):\n",
        "def f({ first }):\n",
    ),
    "what goes behind a bracket leaves the blank at the bracket": (
        "def f({ first,second }):\n",
        "def f({first, second}):\n",
        "def f({second}):\n",
        "def f({ second }):\n",
    ),
    "a bracket that the reply quotes with a blank has none behind what comes in": (
        "events: [push]\n",
        "events: [ push ]\n",
        "events: [ push, merge ]\n",
        "events: [push, merge]\n",
    ),
    "a new string before one that the reply quotes in other marks": (
        OPENED,
        "start()\nshop = open('till', 1)\n",
        "start()\nshop = open('book', 'till', 1)\n",
        OPENED.replace('"till"', '"book", "till"'),
    ),
    "a new string before one that the reply quotes in other marks, as two lines": (
        OPENED,
        "start()\nshop = open('till', 1)\n",
        "start()\nname = 'book'\nshop = open('till', 2)\n",
        OPENED.replace('shop = open("till", 1)', 'name = "book"\nshop = open("till", 2)'),
    ),
    "a new string that holds the file's marks keeps its own": (
        OPENED,
        "start()\nshop = open('till', 1)\n",
        "start()\nshop = open('the \"till\"', 1)\n",
        OPENED.replace('"till"', "'the \"till\"'"),
    ),
    "a new string that is filled in keeps its own marks": (
        OPENED,
        "start()\nshop = open('till', 1)\n",
        "start()\nshop = open(f'till {name}', 1)\n",
        OPENED.replace('"till"', "f'till {name}'"),
    ),
    "an apostrophe in a new line is no mark": (
        OPENED,
        "start()\nshop = open('till', 1)\n",
        "start()\n# don't open 'book', the clerks' own\nshop = open('till', 1)\n",
        OPENED.replace("shop", "# don't open \"book\", the clerks' own\nshop"),
    ),
    "a string in the place of one that the reply quotes in other marks, where the file has both kinds": (
        MIXED,
        "start()\nshop = open('till', 'r')\n",
        "start()\nshop = open('book', 'r')\n",
        MIXED.replace("till", "book"),
    ),
    "a new string keeps its marks where the file has both kinds for them": (
        MIXED,
        "start()\nshop = open('till', 'r')\n",
        "start()\nshop = open('till', 'r', 'x')\n",
        MIXED.replace("'r'", "'r', 'x'"),
    ),
    "marks that the edit changes": (
        "start()\nshop = open( 'till',1 )\n",
        "shop = open('till', 1)\n",
        'shop = open("till", 1)\n',
        'start()\nshop = open( "till",1 )\n',
    ),
    "curly marks around a new string, where the file has some elsewhere": (
        "# the “till”\n" + OPENED,
        "shop = open(“till”, 1)\n",
        "shop = open(“book”, “till”, 1)\n",
        "# the “till”\n" + OPENED.replace('"till"', '"book", "till"'),
    ),
    "words of a string that the reply quotes in other marks": (
        'start()\nsay("the till - of the  shop - is open")\nwait()\n',
        "start()\nsay('the till – of the  shop – is open')\n",
        "start()\nsay('the till – of the  shop – is shut')\n",
        'start()\nsay("the till - of the  shop - is shut")\nwait()\n',
    ),
    "a new text between three marks takes the file's": (
        TOLD,
        TOLD.replace("'''", '"""'),
        TOLD.replace("'''", '"""') + '\n\ndef close(shop):\n    """Shut it."""\n',
        TOLD + "\n\ndef close(shop):\n    '''Shut it.'''\n",
    ),
    "a string that takes another's place before a new token": (
        '<i>&amp;</i>\n<p title="one &amp; all">to  be told</p>\n',
        '<p title="one &amp; all">to be told</p>\n',
        '<p title="two &amp; all" class="note">to be told</p>\n',
        '<i>&amp;</i>\n<p title="two &amp; all" class="note">to  be told</p>\n',
    ),
}


@pytest.mark.parametrize("name", LANDS)
def test_what_the_edit_takes_along_is_written_as_the_file_has_it(name: str) -> None:
    file, search, replace, after = LANDS[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == after


def test_blank_lines_are_imagined_only_where_the_replacement_has_as_many() -> None:
    file = "def load(found):\n    found.sort()\n    return found\n\n\nload([])\n"
    search = "    found.sort()\n\n    return found\n\n\nload([])\n"
    outcome = locate(Document(file), Needle(search, search.replace("()\n\n", "()\n\n\n").replace("[]", "[1]")))
    assert isinstance(outcome, Match)
    assert apply_edits(file, outcome.edits) == file.replace("()\n", "()\n\n", 1).replace("[]", "[1]")


CONFLICTS = {
    "another sign at a changed line's end, where the search forgot the file's": (
        "total = compute(first,  second);\nnext = one(two)\nlast = three(four)\n",
        "total = compute(first, second)\nnext = one(two)\nlast = three(four)\n",
        "total = compute(first, other),\nnext = one(two)\nlast = three(four)\n",
    ),
    "a new dash beside one that the search misquotes": (
        "Opens: 3–5 – daily.\n",
        "Opens: 3-5 - daily.\n",
        "Opens: 3-5 - weekly, 4-6 - daily.\n",
    ),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_what_stays_of_a_changed_line_must_be_told_from_what_comes(name: str) -> None:
    file, search, replace = CONFLICTS[name]
    outcome = locate(Document(file), Needle(search, replace))
    assert isinstance(outcome, NoMatch)
    assert outcome.code is Code.CONFLICT


SIGNS = {
    "ellipsis": ("Wait… then go now.", "Wait... then go now."),
    "quotes and dash": ("“Wait” – it’s now.", '"Wait" - it\'s now.'),
    "no-break space": ("10\u00a0km from now.", "10 km from now."),
    "decomposed accents": ("The cafe\u0301 is open now.", "The café is open now."),
    "quotes inside a string": ('say("He said “yes” now.")', 'say("He said "yes" now.")'),
    "apostrophe inside a string": ("say('It’s open now.')", "say('It's open now.')"),
    "a comma that the file lacks": ("wait( first,  now )  # see note", "wait(first, now)  # see note,"),
}


@pytest.mark.parametrize("name", SIGNS)
def test_the_kept_part_of_a_changed_line_keeps_the_files_signs(name: str) -> None:
    row, quoted = SIGNS[name]
    file = f"first\n{row}\nlast\n"
    outcome = locate(
        Document(file), Needle(f"first\n{quoted}\nlast\n", f"first\n{quoted}\nlast\n".replace("now", "later"))
    )
    assert isinstance(outcome, Match), outcome
    assert apply_edits(file, outcome.edits) == file.replace("now", "later")
