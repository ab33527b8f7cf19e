"""Paths as words: relative to the root, with ``/`` between their names. Says what one path is to another; asks no disk.

A name cannot be a file's and a folder's at once: where one set of changes makes it turn, the old one has to go first.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import accumulate


def folders_above(path: str) -> Iterator[str]:
    """Every folder that holds a path, outermost first."""
    return accumulate(path.split("/")[:-1], "{}/{}".format)


def turned(made: Set[str], removed: Set[str]) -> frozenset[str]:
    """The names that are a file's on one side and a folder's on the other, where some paths are made, some removed."""
    above_made = {folder for path in made for folder in folders_above(path)}
    above_removed = {folder for path in removed for folder in folders_above(path)}
    return frozenset(above_made & removed | above_removed & made)


def one_above(one: str, other: str) -> bool:
    """Whether one of two paths lies below the other, so that both cannot be files."""
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")
