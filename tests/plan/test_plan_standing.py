"""Lines of a listing that are content in one place and stand for others in the next: their place decides."""

from __future__ import annotations

import pytest
from plan_builders import OK, bad, codes, edit, planned, said, whole

from dovetail.model.codes import Code, Tier

TILL = """\
import os

LIMIT = 10


class Reader(Protocol):
    def read(self) -> str:
        ...

    def close(self): ...


def load(x):
    \"\"\"Load.

    >>> for i in range(2):
    ...     load(i)
    ...
    \"\"\"
    y = x + LIMIT
    return y


def save(x):
    z = x - 1
    return z
"""
HEAD = TILL[: TILL.index("def load")].replace("10", "20")
DOCUMENTED = TILL[TILL.index("def load") : TILL.index("    y = x")]
WANTED = TILL.replace("10", "20")
TWICE = (
    "@overload\ndef f(\n    x: int,\n) -> int:\n    ...\n\n\n@overload\ndef f(\n    x: str,\n) -> int:\n    ...\n\n\n"
    "def f(\n    x: object,\n) -> int:\n    y = int(x)\n    return y\n"
)

COMPLETED = {
    "every body": HEAD + DOCUMENTED + "    ...\n\n\ndef save(x):\n    ...\n",
    "a body, and words for the rest": HEAD + DOCUMENTED + "    ...\n\n# ... rest unchanged ...\n",
    "a body without its words": HEAD + "def load(x):\n    ...\n\n\ndef save(x):\n    z = x - 1\n    return z\n",
    "with a remark": HEAD + "def load(x):\n    ...  # as it was\n\n\ndef save(x):\n    z = x - 1\n    return z\n",
    "all that follows, where the file has dots elsewhere": HEAD + "...\n",
    "what is between": HEAD + "...\n\n\ndef save(x):\n    z = x - 1\n    return z\n",
    "all of a class but its head": TILL[: TILL.index("    def read")].replace("10", "20")
    + "    ...\n\n\n" + TILL[TILL.index("def load") :],
}  # fmt: skip


@pytest.mark.parametrize("name", COMPLETED)
def test_dots_in_place_of_lines_stand_for_them(name: str) -> None:
    made = planned({"f.py": TILL}, whole("f.py", COMPLETED[name]))
    assert said(made.results) == [OK], made.results[0].reason
    assert [change.after for change in made.changes] == [WANTED]
    assert made.results[0].tier is Tier.ELISION
    assert codes(made.results[0].warnings) == [Code.MERGED]


def test_more_that_is_new_outweighs_nothing() -> None:
    more = "\n\ndef g():\n    a = 1\n    b = 2\n    return a + b\n"
    made = planned({"f.py": "def f():\n    return 1\n"}, whole("f.py", "def f():\n    ...\n" + more))
    assert [change.after for change in made.changes] == ["def f():\n    return 1\n" + more]


REFUSED = {
    "nothing else changes": (TILL, TILL.replace("    y = x + LIMIT\n    return y\n", "    ...\n")),
    "on the line of the head": (TILL, HEAD + "def load(x): ...\n\n\ndef save(x):\n    z = x - 1\n    return z\n"),
    "below another head": (TILL, HEAD + "def load(x, y):\n    ...\n\n\ndef save(x):\n    z = x - 1\n    return z\n"),
    "below a new decorator": (
        TILL, HEAD + "@abstractmethod\ndef load(x):\n    ...\n\n\ndef save(x):\n    z = x - 1\n    return z\n",
    ),
    "in a class of another kind": (
        "A = 1\n\n\nclass B:\n    def f(self):\n        x = 1\n        return x\n",
        "A = 2\n\n\nclass B(Protocol):\n    def f(self):\n        ...\n",
    ),
    "below another name": (TILL, HEAD + "def fetch(x):\n    ...\n\n\ndef save(x):\n    z = x - 1\n    return z\n"),
    "below another name, among more that is new": (
        TILL,
        HEAD + "def fetch(x):\n    ...\n\n\ndef more(a, b):\n    a += b\n    b += a\n    a += 1\n    return a\n\n\n"
        "def save(x):\n    z = x - 1\n    return z\n",
    ),
    "below one of several heads": (TWICE, "A = 1\n" + TWICE.replace("    y = int(x)\n    return y\n", "    ...\n")),
    "words that the file has elsewhere": (
        "def f():\n    # ... rest unchanged ...\n    return 1\n\n\ndef g():\n    return 2\n",
        "def f():\n    # ... rest unchanged ...\n    return 3\n\n\n# ... rest unchanged ...\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_where_it_may_be_either(name: str) -> None:
    before, reply = REFUSED[name]
    made = planned({"f.py": before}, whole("f.py", reply))
    assert said(made.results) == [bad(Code.ELIDED)], made.changes
    assert made.results[0].hint
    assert not made.changes


STUB = "\n\nclass Writer(Protocol):\n    def write(self, text: str) -> None:\n        ...\n\n    def close(self): ...\n"

CONTENT = {
    "where the file has them": (TILL, WANTED),
    "with a remark": (TILL, WANTED.replace("str:\n        ...", "str:\n        \"\"\"Read.\"\"\"\n        ...  # a stub")),
    "below a head that changed": (TILL, TILL.replace("def read(self)", "def read(self, size: int)")),
    "in a class that lost a method": (TILL, TILL.replace("\n    def close(self): ...\n", "")),
    "in a class that is new": (TILL, WANTED + STUB),
    "in a function that was still to be written": (
        "def f():\n    # later\n    raise NotImplementedError\n\n\ndef g():\n    pass\n",
        "def f():\n    ...\n\n\ndef g():\n    ...\n",
    ),
    "in an example": (TILL, TILL.replace("    ...\n    \"\"\"", "    ...\n    >>> for i in ():\n    ...     pass\n    ...\n    \"\"\"")
        .replace("    y = x + LIMIT\n    return y\n", "    return x + LIMIT\n")),
    "in one more of several heads": (
        TWICE, TWICE.replace("@overload\n", "@overload\ndef f(\n    x: bytes,\n) -> int:\n    ...\n\n\n@overload\n", 1),
    ),
    "in one of several heads that changed": (TWICE, TWICE.replace("x: str", "x: bytes")),
    "words where the file has them": (
        "def f():\n    # ... rest unchanged ...\n    return 1\n\n\ndef g():\n    return 2\n",
        "def f():\n    # ... rest unchanged ...\n    return 3\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENT)
def test_content_is_written_as_it_is(name: str) -> None:
    before, reply = CONTENT[name]
    made = planned({"f.py": before}, whole("f.py", reply))
    assert said(made.results) == [OK], made.results[0].reason
    assert [change.after for change in made.changes] == [reply]


def test_an_edit_that_quotes_a_body_may_put_dots_in_its_place() -> None:
    search, stub = "    z = x - 1\n    return z\n", "    ...\n"
    made = planned({"f.py": TILL}, edit("f.py", search, stub))
    assert [change.after for change in made.changes] == [TILL.replace(search, stub)]


def test_a_text_that_nests_without_end_is_refused_in_good_time() -> None:
    deep = "".join(" " * i + f"x{i}:\n" for i in range(1500))
    made = planned({"f.py": deep}, whole("f.py", deep[: len(deep) // 2] + "...\n"))
    assert said(made.results) == [bad(Code.ELIDED)]
