"""Typed reads of JSON that somebody else wrote: a field that is missing or has another type reads as empty.

Each function is named for the type that it returns, and none raises; the caller checks for what must be there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

Table = Mapping[str, object]

_MOST = 10**15  # a larger number is not a count of anything


def parse_table(text: str | bytes) -> Table | None:
    """Return the object that a JSON text holds, or None if it is not JSON or holds something else.

    A list with one item stands for that item: some providers wrap their errors so.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def table(of: Table, name: str) -> Table:
    """Return a field that holds an object."""
    value = of.get(name)
    return value if isinstance(value, Mapping) else {}


def tables(of: Table, name: str) -> list[Table]:
    """Return the objects in a field that holds a list."""
    value = of.get(name)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def text(of: Table, name: str) -> str:
    """Return a field that holds a text."""
    value = of.get(name)
    return value if isinstance(value, str) else ""


def count(of: Table, name: str) -> int:
    """Return a field that holds a count."""
    value = of.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST else 0
