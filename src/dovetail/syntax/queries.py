"""Queries made from tables of node types, compiled once for each grammar."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from tree_sitter import Query, QueryCursor, QueryError

from dovetail.syntax.grammars import grammar, node_kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language, Node

    from dovetail.syntax.parsing import Source


@lru_cache(maxsize=512)
def _compiled(language: str, capture_of: Callable[[str, str], str | None]) -> Query | None:
    found = grammar(language)
    if found is None:
        return None
    wanted = [(kind, capture_of(language, kind)) for kind in node_kinds(found)]
    patterns = [f"({kind}) @{capture}" for kind, capture in wanted if capture is not None]
    return Query(found, "\n".join(patterns)) if patterns else None


def captures(source: Source, capture_of: Callable[[str, str], str | None]) -> dict[str, list[Node]]:
    """Nodes by capture; `capture_of` tells it from a language and a node type, None leaves the type out."""
    query = _compiled(source.language, capture_of)
    return {} if query is None else QueryCursor(query).captures(source.root)


@lru_cache(maxsize=512)
def _known(language: str, patterns: tuple[str, ...]) -> Query | None:
    """Those patterns that a grammar understands, as one query."""
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
    """Nodes by capture, for those query patterns that the language's grammar understands."""
    query = _known(source.language, patterns)
    return {} if query is None else QueryCursor(query).captures(source.root)


def in_order(found: dict[str, list[Node]]) -> list[tuple[str, Node]]:
    """Captured nodes in the order of the text, outer before inner, each with its capture."""
    pairs = [(capture, node) for capture, nodes in found.items() for node in nodes]
    pairs.sort(key=lambda pair: (pair[1].start_byte, -pair[1].end_byte))
    return pairs
