"""Which names a text uses, and how often."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dovetail.syntax import kinds
from dovetail.syntax.queries import captures

if TYPE_CHECKING:
    from dovetail.syntax.parsing import Source


def _capture_of(_language: str, node_type: str) -> str | None:
    return "name" if kinds.NAME_LEAF.search(node_type) is not None else None


def names(source: Source) -> Counter[str]:
    """How often each name stands in the text; a definition's own name counts once for standing there."""
    data = source.data
    found = [
        data[node.start_byte : node.end_byte]
        for node in captures(source, _capture_of).get("name", ())
        if node.child_count == 0
    ]
    return Counter({name.decode("utf-8", "replace"): count for name, count in Counter(found).items()})
