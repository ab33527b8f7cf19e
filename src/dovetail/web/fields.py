"""Takes a request's body apart: named fields of known kinds, anything else refused with a sentence.

Each function raises `RequestError` (400) where a field is missing or of another kind. Fields that nobody asked for
are refused too, so that a misspelled one is never silently without effect.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from dovetail.web.faults import bad

Body = Mapping[str, Any]
_Item = TypeVar("_Item")
_MOST = 1_000_000_000


def only(body: Body, *names: str) -> None:
    """Make sure that a body has no other fields."""
    unknown = sorted(set(body) - set(names))
    if unknown:
        raise bad(f"There is no field `{unknown[0]}`.")


def text(body: Body, name: str, default: str | None = None) -> str:
    """A text; without a default it must be there."""
    value = body.get(name, default)
    if not isinstance(value, str):
        raise bad(f"`{name}` must be a text.")
    return value


def optional_text(body: Body, name: str) -> str | None:
    """A text, or None for null or nothing."""
    return None if body.get(name) is None else text(body, name)


def flag(body: Body, name: str, default: bool | None = False) -> bool:
    """Yes or no; with None for the default it must be there."""
    value = body.get(name, default)
    if not isinstance(value, bool):
        raise bad(f"`{name}` must be true or false.")
    return value


def number(body: Body, name: str, least: int = 0, most: int = _MOST) -> int:
    """A whole number within bounds."""
    value = body.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        bounds = f"from {least}" if most == _MOST else f"from {least} to {most}"
        raise bad(f"`{name}` must be a whole number {bounds}.")
    return value


def optional_number(body: Body, name: str, least: int) -> int | None:
    """A whole number, or None for null or nothing."""
    return None if body.get(name) is None else number(body, name, least)


def numbers(body: Body, name: str) -> frozenset[int] | None:
    """A list of whole numbers, or None for null or nothing."""
    value = _list_of(int, body, name, "whole numbers")
    return None if value is None else frozenset(value)


def texts(body: Body, name: str) -> tuple[str, ...] | None:
    """A list of texts, or None for null or nothing."""
    value = _list_of(str, body, name, "texts")
    return None if value is None else tuple(value)


def _list_of(kind: type[_Item], body: Body, name: str, what: str) -> list[_Item] | None:
    value = body.get(name)
    if value is not None and not (isinstance(value, list) and all(type(item) is kind for item in value)):
        raise bad(f"`{name}` must be a list of {what}.")
    return value


def word(body: Body, name: str, words: Collection[str]) -> str:
    """One of some words."""
    value = text(body, name)
    if value not in words:
        raise bad(f"`{name}` must be one of {', '.join(words)}.")
    return value


def place(line: int, n: int, places: Collection[int], name: str) -> None:
    """Make sure that an edit may begin at a line."""
    if line not in places:
        known = ", ".join(map(str, places)) or "it has none"
        raise bad(f"`{name}` must be one of the places of edit {n}: {known}.")
