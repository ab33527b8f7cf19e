"""The comma behind the last of several: spare where it stands at a line's end and makes no list."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dovetail.syntax.layout.code import Code


def last_commas(code: Code) -> Iterator[int]:
    """Commas behind the last of several lines.

    In round brackets that nothing is called with, and that hold no other, a comma makes a list of what they hold.
    """
    return commas(code, lambda at: code.text(at) == "(" and not called(code, at))


def called(code: Code, at: int) -> bool:
    """Whether a name stands before a bracket."""
    return at > 0 and code.tokens[at - 1].kind == "name"


def commas(code: Code, lists: Callable[[int], bool]) -> Iterator[int]:
    """Commas behind the last of several lines. In brackets of which `lists` says so, one that is the only one stays."""
    for first, last in code.brackets.pairs():
        at = last - 1
        if code.text(at) != "," or not code.ends_line(at) or at - 1 == first or code.text(at - 1) == ",":
            continue
        if not lists(first) or sum(text == "," for text in code.inside(first, last)) > 1:
            yield at
