"""Where the header of a node ends: what stands before its body, the token that opens the body included."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax import kinds
from dovetail.syntax.nodes import first_children, first_row, last_row

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_CHILDREN = 40  # that are looked at for a body


def header_row(node: Node) -> int | None:
    """The last row, from 0, of a node's header; None for a node without a body."""
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
