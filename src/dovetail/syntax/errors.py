"""Where a text does not parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.syntax.parsing import Source

_MOST_LINES = 1_000


def error_lines(source: Source) -> tuple[int, ...]:
    """1-based numbers of the lines where something unexpected begins or something expected is missing.

    At most the first 1,000, in order, each once. Parts of the tree that are whole are not entered.
    """
    found: set[int] = set()
    cursor = source.tree.walk()
    while (node := cursor.node) is not None and len(found) < _MOST_LINES:
        if node.is_error or node.is_missing:
            found.add(node.start_point.row + 1)
        if node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return tuple(sorted(found))
    return tuple(sorted(found))
