"""Questions to single nodes whose cost does not grow with the tree: children, rows, where a header ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_MOST_CHILDREN = 40  # that are looked at for a body


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


def header_row(node: Node) -> int | None:
    """Return the last row, from 0, of what stands before a node's body, the token that opens it included; None
    for a node without a body.
    """
    body = node.child_by_field_name("body")
    if body is None:
        body = next((child for child in first_children(node, _MOST_CHILDREN) if child.type in kinds.BODY_TYPES), None)
    if body is None:
        return None
    opening = next(first_children(body, 1), None)
    if opening is not None and opening.type in kinds.OPENINGS:
        return first_row(opening)
    before = body.prev_sibling
    while before is not None and before.is_extra:
        before = before.prev_sibling
    return first_row(node) if before is None else last_row(before)
