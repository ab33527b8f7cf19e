"""Named definitions, found in one pass over the nodes that may be one.

The pass keeps the definitions that are open, so that nesting costs nothing and no node is asked for its parent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.model.language import Definition
from dovetail.syntax import kinds
from dovetail.syntax.parsing import first_children, first_named, first_row, header_row, last_row
from dovetail.syntax.queries import captures, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from dovetail.syntax.parsing import Source

_MOST_BYTES = 240
_MOST_STEPS = 12


def definitions(source: Source) -> tuple[Definition, ...]:
    """Named definitions in file order, outer before inner; see `Definition`."""
    walk = _Pass(source)
    # Wrappers are the first key: the sort keeps the order of nodes with one span, and a wrapper is to be seen before
    # what it wraps.
    nodes = in_order({kinds.WRAPPER: [], **captures(source, kinds.capture_of)})
    return tuple(found for capture, node in nodes for found in walk.see(capture, node))


class _Open(NamedTuple):
    """A definition that the pass is inside of."""

    end: int
    qualified: str
    kind: str


class _Pass:
    """The state of the pass between one node and the next."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: list[_Open] = []
        self._wrappers: dict[int, Node] = {}
        self._prefix: tuple[int, int] | None = None  # first row and end byte of the attributes just seen

    def see(self, capture: str, node: Node) -> Iterator[Definition]:
        """Take the next node, outer before inner, and yield its definition if it is one."""
        if capture == kinds.PREFIX:
            self._prefix = (self._first_row(node), node.end_byte)
        elif capture == kinds.WRAPPER:
            for inner in _wrapped(node):
                # Of nested wrappers (`export` around a decorator) the outermost is the definition's first line.
                self._wrappers[inner.id] = self._wrappers.get(node.id, node)
        else:
            yield from self._define(capture, node)

    def _define(self, capture: str, node: Node) -> Iterator[Definition]:
        while self._open and self._open[-1].end <= node.start_byte:
            self._open.pop()
        container = self._open[-1] if self._open else None
        inside = container is not None and container.kind in (kinds.FUNCTION, "method")
        if capture == kinds.TOLD:
            kind, name = (None if inside else _kind_and_name(self._source, node)) or (None, None)
        else:
            kind = _kind(capture, node, inside=inside)
            name = _name_of(self._source, node) if kind is not None else None
        if kind is None or not name:
            return
        *owners, own = name
        receiver = _receiver_of(self._source, node)
        # A method: in a class, with a receiver (Go), or with its class in its name (`void A::f()`).
        in_class = container is not None and container.kind == kinds.CLASS
        if kind == kinds.FUNCTION and (in_class or receiver or (owners and capture in (kinds.FUNCTION, kinds.TOLD))):
            kind = "method"
        around = receiver or (container.qualified if container else "")
        qualified = ".".join([around, *owners, own] if around else [*owners, own])
        outer = self._wrappers.get(node.id, node)
        # Dart: a signature and its body are siblings, and both are the definition.
        below = outer.next_named_sibling if outer.type.endswith("_signature") else None
        end = below if below is not None and below.type == "function_body" else outer
        last = last_row(end)
        yield Definition(own, kind, qualified, self._first_row(outer), last, _body_row(node, last))
        self._open.append(_Open(end.end_byte, qualified, kind))

    def _first_row(self, node: Node) -> int:
        """The row, from 0, where a node or the attributes right before it begin."""
        if self._prefix is not None:
            row, end = self._prefix
            # Attributes belong to what follows if nothing but blanks stands between.
            if end <= node.start_byte and not self._source.data[end : node.start_byte].strip():
                return row
        return first_row(node)


def _wrapped(node: Node) -> list[Node]:
    """Return the one node that a wrapper holds, in a list; an empty list if it holds several."""
    for field in ("definition", "declaration", "value"):
        if (inner := node.child_by_field_name(field)) is not None:
            return [inner]
    if node.named_child_count > 4:
        return []
    inside = [child for child in node.named_children if "parameter" not in child.type and not child.is_extra]
    return inside if len(inside) == 1 else []


def _kind(capture: str, node: Node, *, inside: bool) -> str | None:
    """Return the kind of definition that a node is, or None; `inside`: it stands inside a function."""
    match capture:
        case kinds.VALUE:
            value = _value_of(node)
            if value is None:
                return None
            if value.type in kinds.FUNCTION_VALUES or (value.type == "call_expression" and _takes_function(value)):
                return kinds.FUNCTION
            return kinds.CLASS if value.type in kinds.CLASS_VALUES else None
        case kinds.PROTOTYPE:
            return kinds.FUNCTION if not inside and _declares_function(node) else None
        case kinds.MAPPING:
            value = node.child_by_field_name("value")
            several = value is not None and last_row(value) > first_row(node)
            return kinds.OTHER if several and value is not None and value.type in kinds.MAPPING_VALUES else None
    # `struct A *p;` in C names a type, and defines none.
    if node.type in kinds.NEED_BODY and node.child_by_field_name("body") is None:
        return None
    if capture == kinds.OTHER and (shape := node.child_by_field_name("type")) is not None:
        return kinds.CLASS if shape.type in kinds.CLASS_SHAPES else kinds.OTHER
    return capture


def _value_of(node: Node) -> Node | None:
    for field in kinds.HOLDS_VALUE:
        if (value := node.child_by_field_name(field)) is not None:
            return value
    return None


def _takes_function(call: Node) -> bool:
    """Return whether a call's first argument is a function over several lines, as in ``const A = memo(() => {…})``."""
    arguments = call.child_by_field_name("arguments")
    taken = () if arguments is None else first_named(arguments, 1)
    return any(first.type in kinds.FUNCTION_VALUES and last_row(first) > first_row(first) for first in taken)


def _declares_function(node: Node) -> bool:
    """Return whether a declaration's declarator is a function, and not a pointer to one."""
    below = node.child_by_field_name("declarator")
    while below is not None and below.type not in kinds.DECLARES_FUNCTION:
        below = below.child_by_field_name("declarator")
    named = None if below is None else below.child_by_field_name("declarator")
    # `int (*f)(int)` declares a pointer.
    return named is not None and named.type != "parenthesized_declarator"


def _body_row(node: Node, last: int) -> int:
    """Return the first row, from 0, after a definition's header, but at most `last`."""
    value = _value_of(node)
    holder = value if value is not None and value.type in kinds.FUNCTION_VALUES | kinds.CLASS_VALUES else node
    header = header_row(holder)
    if header is None:
        first = next(first_children(node, 1), None)
        header = first_row(node) if first is None else last_row(first)
    return min(header + 1, last)


def _name_of(source: Source, node: Node) -> list[str] | None:
    """Return a definition's name in parts, its own last: ``["A", "f"]`` for ``void A::f()``. None if it has no name."""
    if node.type in kinds.NAMED_BY_HEADER:
        end = node.end_byte
        for child in first_children(node, 12):
            if child.type in kinds.BODY_TYPES or child.type in ("{", "block_start"):
                end = child.start_byte
                break
        header = source.data[node.start_byte : min(end, node.start_byte + _MOST_BYTES)].decode("utf-8", "replace")
        return [" ".join(header.split())] if header.strip() else None
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


def _kind_and_name(source: Source, node: Node) -> tuple[str, list[str]] | None:
    """Return kind and name, in parts, of a node that only its first words show to be a definition; else None."""
    start = node.start_byte
    text = source.data[start : min(node.end_byte, start + _MOST_BYTES)].decode("utf-8", "replace")
    found = kinds.FIRST_WORDS[source.language].match(text)
    if found is None:
        return None
    groups = found.groupdict()
    name = next(groups[key] for key in ("name", "type", "short") if groups.get(key))
    kind = kinds.CLASS if groups.get("class") else kinds.FUNCTION
    return kind, [part for part in name.replace(":", ".").split(".") if part]


def _receiver_of(source: Source, node: Node) -> str:
    """Return the type that a method written outside of its type belongs to; "" for any other node."""
    receiver = node.child_by_field_name("receiver")
    if receiver is None:
        return ""
    for parameter in first_named(receiver, 1):
        kind = parameter.child_by_field_name("type")
        # `func (s *Stack[T]) Push()`: through the pointer and the type's arguments to `Stack`.
        while kind is not None and kind.named_child_count:
            kind = kind.child_by_field_name("type") or kind.named_child(0)
        if kind is not None:
            return source.slice(kind)
    return ""


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
