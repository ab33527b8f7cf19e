"""What a definition is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax import kinds
from dovetail.syntax.nodes import first_children, first_named

if TYPE_CHECKING:
    from tree_sitter import Node

    from dovetail.syntax.parsing import Source

_MOST_BYTES = 240
_MOST_STEPS = 12


def name_of(source: Source, node: Node) -> list[str] | None:
    """A definition's name in parts, its own last: ``["A", "f"]`` for ``void A::f()``. None where it has none."""
    if node.type in kinds.NAMED_BY_HEADER:
        return _header(source, node)
    leaf = _name_node(node)
    if leaf is None or leaf.type in kinds.PATTERN_TYPES or not (leaf.is_named or leaf.type in kinds.NAMING_KEYWORDS):
        return None
    if leaf.end_byte - leaf.start_byte > _MOST_BYTES:
        return None
    text = " ".join(source.slice(leaf).split()).strip(kinds.QUOTES.get(leaf.type, "\"'`"))
    if not text:
        return None
    if leaf.type not in kinds.DOTTED_TYPES:
        return [text]
    return [part for part in text.replace("::", ".").replace(":", ".").split(".") if part] or None


def told(source: Source, node: Node) -> tuple[str, list[str]] | None:
    """The kind and the name, in parts, of what only its first words tell for a definition; None for any other."""
    start = node.start_byte
    text = source.data[start : min(node.end_byte, start + _MOST_BYTES)].decode("utf-8", "replace")
    found = kinds.FIRST_WORDS[source.language].match(text)
    if found is None:
        return None
    groups = found.groupdict()
    name = next(groups[key] for key in ("name", "type", "short") if groups.get(key))
    kind = kinds.CLASS if groups.get("class") else kinds.FUNCTION
    return kind, [part for part in name.replace(":", ".").split(".") if part]


def receiver_of(source: Source, node: Node) -> str:
    """The type that a method written outside of its type belongs to, "" where there is none."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    for parameter in first_named(receiver, 1):
        kind = parameter.child_by_field_name("type")
        while kind is not None and kind.named_child_count:
            kind = kind.child_by_field_name("type") or kind.named_child(0)
        if kind is not None:
            return source.slice(kind)
    return ""


def _header(source: Source, node: Node) -> list[str] | None:
    end = node.end_byte
    for child in first_children(node, 12):
        if child.type in kinds.BODY_TYPES or child.type in ("{", "block_start"):
            end = child.start_byte
            break
    header = source.data[node.start_byte : min(end, node.start_byte + _MOST_BYTES)].decode("utf-8", "replace")
    return [" ".join(header.split())] if header.strip() else None


def _name_node(node: Node) -> Node | None:
    """Follow the fields that lead to a name, down to a node that has none of them."""
    here = _field(node, kinds.NAME_FIELDS) or _child(node)
    for _ in range(_MOST_STEPS):
        if here is None or here.child_count == 0 or here.type in kinds.DOTTED_TYPES:
            return here
        below = _field(here, kinds.INNER_NAME_FIELDS)
        if below is None and here.type.endswith("_declarator"):
            below = _child(here)
        if below is None:
            return here
        here = below
    return None


def _field(node: Node, fields: tuple[str, ...]) -> Node | None:
    for field in fields:
        if (found := node.child_by_field_name(field)) is not None:
            return found
    return None


def _child(node: Node) -> Node | None:
    for child in first_named(node, 6):
        if child.type in kinds.NAME_TYPES or child.type.endswith("_declarator"):
            return child
    return None
