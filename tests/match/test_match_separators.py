"""Commas and semicolons that the search has and the file has not, or the other way: what is written is never broken."""

from __future__ import annotations

import pytest

from dovetail.match import Document, Match, Needle, locate
from dovetail.model.text import apply_edits
from dovetail.syntax import default_language

SHOP = '{\n  "name": "shop",\n  "tills": {\n    "first": "left",\n    "second": "right"\n  },\n  "shelves": {}\n}\n'
LISTED = SHOP[SHOP.index('    "first') : SHOP.index('  "shelves')]
QUOTED = LISTED.replace('"right"', '"right",')
STYLE = ".till {\n  color: black;\n  margin: 0\n}\n\n.shelf {\n  color: red;\n}\n"
TILL = ".till {\n  color: black;\n  margin: 0;\n}\n"
LIMITS = "start();\nconst limits = {\n  small: 10,\n  large: 20,\n  huge: 30, // most\n};\n"
PLAIN = "start()\nfunction open(till) {\n  count(till)\n  wait(till)\n}\n"


def written(name: str, file: str, search: str, replace: str) -> str | None:
    outcome = locate(Document(file), Needle(search, replace), language=default_language(), path=name)
    return apply_edits(file, outcome.edits) if isinstance(outcome, Match) else None


LANDS = {
    "a comma before a comment": (
        "a.js",
        (LIMITS, "  large: 20,\n  huge: 30 // most\n};\n", "  large: 20,\n  huge: 40 // most\n};\n"),
        LIMITS.replace("30", "40"),
    ),
    "a rule of which the last line has no semicolon is changed": (
        "a.css",
        (STYLE, TILL, TILL.replace("margin: 0", "padding: 1")),
        STYLE.replace("margin: 0", "padding: 1"),
    ),
    "a file without semicolons needs none": (
        "a.js",
        (PLAIN, "  count(till);\n  wait(till);\n}\n", "  count(till);\n  wait(till);\n  close(till)\n}\n"),
        PLAIN.replace("  wait(till)\n", "  wait(till)\n  close(till)\n"),
    ),
}


@pytest.mark.parametrize("name", LANDS)
def test_lands(name: str) -> None:
    path, (file, search, replace), after = LANDS[name]
    assert written(path, file, search, replace) == after


REFUSED = {
    "a last entry with a comma, where the file's has none": (
        "a.json",
        SHOP,
        QUOTED,
        QUOTED.replace('    "second": "right",\n', '    "third": "left",\n    "fourth": "right",\n'),
    ),
    "an entry behind one without its comma": (
        "a.json",
        SHOP,
        QUOTED,
        QUOTED.replace("  },", '    "third": "left",\n  },'),
    ),
    "the same, where what follows is changed, too": (
        "a.json",
        SHOP,
        QUOTED + '  "shelves": {}\n',
        QUOTED.replace("  },", '    "third": "left",\n  },') + '  "racks": {}\n',
    ),
    "the last entry goes, and the one above it ends with a comma": (
        "a.json",
        SHOP,
        QUOTED,
        QUOTED.replace('    "second": "right",\n', ""),
    ),
    "a line behind one without its semicolon": ("a.css", STYLE, TILL, TILL.replace("}", "  padding: 1px;\n}")),
    "the same behind a blank line": ("a.css", STYLE, TILL, TILL.replace("}", "\n  padding: 1px;\n}")),
    "what stands behind the search would be in a comment": (
        "a.js",
        LIMITS,
        "  small: 10,\n  large: 20\n",
        "  small: 10,\n  large: 25 // more\n",
    ),
    "a statement behind the value of a block": (
        "a.rs",
        "fn total(till: u64) -> u64 {\n    count(till);\n    round(till)\n}\n",
        "    count(till);\n    round(till);\n}\n",
        "    count(till);\n    round(till);\n    close(till);\n}\n",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    assert written(*REFUSED[name]) is None
