"""Questions to single nodes whose cost does not grow with the tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node


def first_children(node: Node, most: int) -> Iterator[Node]:
    """The first children of a node, `most` of them at most."""
    for index in range(min(node.child_count, most)):
        if (child := node.child(index)) is not None:
            yield child


def first_named(node: Node, most: int) -> Iterator[Node]:
    """The first named children of a node, `most` of them at most."""
    for index in range(min(node.named_child_count, most)):
        if (child := node.named_child(index)) is not None:
            yield child


def first_row(node: Node) -> int:
    """The row, from 0, where a node begins."""
    return node.start_point.row


def last_row(node: Node) -> int:
    """The last row that holds a character of a node; a line end at its end opens no row."""
    start, end = node.start_point, node.end_point
    return end.row - 1 if end.column == 0 and end.row > start.row else end.row
