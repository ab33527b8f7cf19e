"""Queries over trees: nodes by their types, and the names that a text uses but does not bind itself.

A query is compiled once for each grammar, from the types and patterns that the grammar knows. A name that the text
binds (a parameter, a variable) says nothing about other files, whatever it is called there.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from tree_sitter import Query, QueryCursor, QueryError

from dovetail.syntax.kinds import NAME_LEAF
from dovetail.syntax.parsing import grammar, node_kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language, Node

    from dovetail.syntax.parsing import Source

_BINDING = (
    "(assignment left: (identifier) @bound)",
    "(assignment left: (pattern_list (identifier) @bound))",
    "(for_statement left: (identifier) @bound)",
    "(for_in_clause left: (identifier) @bound)",
    "(for_in_statement left: (identifier) @bound)",
    "(parameters (identifier) @bound)",
    "(lambda_parameters (identifier) @bound)",
    "(typed_parameter (identifier) @bound)",
    "(default_parameter name: (identifier) @bound)",
    "(typed_default_parameter name: (identifier) @bound)",
    "(keyword_argument name: (identifier) @bound)",
    "(as_pattern_target (identifier) @bound)",
    "(formal_parameters (identifier) @bound)",
    "(formal_parameter name: (identifier) @bound)",
    "(required_parameter pattern: (identifier) @bound)",
    "(optional_parameter pattern: (identifier) @bound)",
    "(arrow_function parameter: (identifier) @bound)",
    "(variable_declarator name: (identifier) @bound)",
    "(shorthand_property_identifier_pattern) @bound",
    "(parameter pattern: (identifier) @bound)",
    "(let_declaration pattern: (identifier) @bound)",
    "(closure_parameters (identifier) @bound)",
    "(parameter_declaration name: (identifier) @bound)",
    "(parameter_declaration declarator: (identifier) @bound)",
    "(parameter_declaration declarator: (_ declarator: (identifier) @bound))",
    "(init_declarator declarator: (identifier) @bound)",
    "(declaration declarator: (identifier) @bound)",
    "(short_var_declaration left: (expression_list (identifier) @bound))",
    "(range_clause left: (expression_list (identifier) @bound))",
    "(method_parameters (identifier) @bound)",
    "(block_parameters (identifier) @bound)",
    "(simple_parameter name: (variable_name (name) @bound))",
    "(parameter name: (identifier) @bound)",
    "(variable_assignment name: (variable_name) @bound)",
)


@lru_cache(maxsize=512)
def _compiled(language: str, capture_of: Callable[[str, str], str | None]) -> Query | None:
    found = grammar(language)
    if found is None:
        return None
    wanted = [(kind, capture_of(language, kind)) for kind in node_kinds(found)]
    patterns = [f"({kind}) @{capture}" for kind, capture in wanted if capture is not None]
    return Query(found, "\n".join(patterns)) if patterns else None


def captures(source: Source, capture_of: Callable[[str, str], str | None]) -> dict[str, list[Node]]:
    """Return nodes by capture name; `capture_of` maps a language and a node type to it, or to None for no capture."""
    query = _compiled(source.language, capture_of)
    return {} if query is None else QueryCursor(query).captures(source.root)


@lru_cache(maxsize=512)
def _known(language: str, patterns: tuple[str, ...]) -> Query | None:
    """Return the patterns that a language's grammar understands as one query; None if there are none."""
    found = grammar(language)
    if found is None:
        return None
    kinds = set(node_kinds(found))  # patterns of hidden kinds match what they should not
    known = [p for p in patterns if p.lstrip("(").split()[0].rstrip(")") in kinds and _understands(found, p)]
    return Query(found, "\n".join(known)) if known else None


def _understands(found: Language, pattern: str) -> bool:
    try:
        Query(found, pattern)
    except QueryError:
        return False
    return True


def matched(source: Source, patterns: tuple[str, ...]) -> dict[str, list[Node]]:
    """Return nodes by capture name, for the query patterns that the language's grammar understands."""
    query = _known(source.language, patterns)
    return {} if query is None else QueryCursor(query).captures(source.root)


def in_order(found: dict[str, list[Node]]) -> list[tuple[str, Node]]:
    """Captured nodes in the order of the text, outer before inner, each with its capture."""
    pairs = [(capture, node) for capture, nodes in found.items() for node in nodes]
    pairs.sort(key=lambda pair: (pair[1].start_byte, -pair[1].end_byte))
    return pairs


def names(source: Source) -> Counter[str]:
    """Count the names in a text, except those that it binds as variables or parameters."""
    bound = {source.slice(node) for node in matched(source, _BINDING).get("bound", ())}
    data = source.data
    # Only leaves: a `scoped_identifier` is a name, too, but its parts are those that are defined somewhere.
    found = Counter(
        data[node.start_byte : node.end_byte]
        for node in captures(source, _capture_of).get("name", ())
        if node.child_count == 0
    )
    used = ((name.decode("utf-8", "replace"), count) for name, count in found.items())
    return Counter({name: count for name, count in used if name not in bound})


def _capture_of(_language: str, node_type: str) -> str | None:
    return "name" if NAME_LEAF.search(node_type) is not None else None
