"""Paths as words, relative to the root and with ``/`` between their names: what one is to another. Asks no disk."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate


def folders_above(path: str) -> Iterator[str]:
    """Every folder that holds a path, outermost first."""
    return accumulate(path.split("/")[:-1], "{}/{}".format)


def one_above(one: str, other: str) -> bool:
    """Whether one of two paths lies below the other, so that both cannot be files."""
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")
