"""The comma behind the last of several: spare where it stands at a line's end and makes no list."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dovetail.syntax.layout.laid_out import LaidOut


def last_commas(laid: LaidOut) -> Iterator[int]:
    """Commas behind the last of several lines.

    In round brackets that nothing is called with, and that hold no other, a comma makes a list of what they hold.
    """
    return commas(laid, lambda at: laid.text(at) == "(" and not called(laid, at))


def called(laid: LaidOut, at: int) -> bool:
    """Whether a name stands before a bracket."""
    return at > 0 and laid.tokens[at - 1].kind == "name"


def commas(laid: LaidOut, lists: Callable[[int], bool]) -> Iterator[int]:
    """Commas behind the last of several lines. In brackets of which `lists` says so, one that is the only one stays."""
    for first, last in laid.brackets.pairs():
        at = last - 1
        if laid.text(at) != "," or not laid.ends_line(at) or at - 1 == first or laid.text(at - 1) == ",":
            continue
        if not lists(first) or sum(text == "," for text in laid.inside(first, last)) > 1:
            yield at
