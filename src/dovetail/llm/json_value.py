"""Typed looks into JSON that somebody else wrote: a missing or wrongly typed field reads as empty.

Each function names the kind it answers with and never raises; what must be there is checked by whoever asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

Table = Mapping[str, object]

_MOST = 10**15  # of anything that is counted; what is more is no count


def parse_table(text: str | bytes) -> Table | None:
    """The object that a JSON text holds, or None where it is not JSON or holds something else.

    The only item of a list is taken too: so some providers wrap their errors.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, dict) else None


def table(of: Table, name: str) -> Table:
    """A field that holds an object."""
    value = of.get(name)
    return value if isinstance(value, Mapping) else {}


def tables(of: Table, name: str) -> list[Table]:
    """The objects in a field that holds a list."""
    value = of.get(name)
    if not isinstance(value, Sequence) or isinstance(value, str):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def text(of: Table, name: str) -> str:
    """A field that holds a text."""
    value = of.get(name)
    return value if isinstance(value, str) else ""


def count(of: Table, name: str) -> int:
    """A field that holds a number of things."""
    value = of.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST else 0
