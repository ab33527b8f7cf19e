"""Queries made from tables of node types, compiled once for each grammar."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tree_sitter import Query, QueryCursor

from dovetail.syntax.grammars import grammar, node_kinds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tree_sitter import Node

    from dovetail.syntax.parsing import Source


@lru_cache(maxsize=512)
def _compiled(language: str, types: Callable[[str], Mapping[str, str]]) -> Query | None:
    found = grammar(language)
    if found is None:
        return None
    wanted = types(language)
    patterns = [f"({kind}) @{wanted[kind]}" for kind in node_kinds(found) if kind in wanted]
    return Query(found, "\n".join(patterns)) if patterns else None


def captured(source: Source, types: Callable[[str], Mapping[str, str]]) -> list[tuple[str, Node]]:
    """Nodes whose type is in the table that `types` gives for the language, outer before inner, with their capture."""
    query = _compiled(source.language, types)
    if query is None:
        return []
    captures = QueryCursor(query).captures(source.root)
    found = [(capture, node) for capture, nodes in captures.items() for node in nodes]
    found.sort(key=lambda item: (item[1].start_byte, -item[1].end_byte))
    return found
