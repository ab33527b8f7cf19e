"""Checks of what programs hand in: a value of the wrong type is refused before it is used.

Raises `UsageError` and converts nothing: bytes are not decoded, as nobody here knows their encoding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from dovetail.model.errors import UsageError
from dovetail.model.markers import Markers

_One = TypeVar("_One")


def kind_of(value: object) -> str:
    """The name of a value's type, as a message says it."""
    return type(value).__name__


def check_text(reply: object) -> None:
    """Raise `UsageError` unless a reply is a `str`."""
    if not isinstance(reply, str):
        undecoded = isinstance(reply, bytes)
        hint = "Decode it first, for example: reply.decode()" if undecoded else "Hand in the reply's text."
        raise UsageError(f"The reply is of the type {kind_of(reply)}, and is to be a text.", hint=hint)


def check_markers(markers: object) -> None:
    """Raise `UsageError` unless given a `Markers`, such as where one of its words is handed in."""
    if not isinstance(markers, Markers):
        raise UsageError(f"The markers are of the type {kind_of(markers)}.", hint="Hand in a dovetail.Markers.")


def check_texts(texts: object, name: str = "files") -> None:
    """Raise `UsageError` unless given a mapping from path to text, each of them a `str`."""
    if not isinstance(texts, Mapping):
        raise UsageError(f"`{name}` is of the type {kind_of(texts)}.", hint="Hand in a mapping from path to text.")
    for path, text in texts.items():
        if not isinstance(path, str):
            hint = "Write it as a text with `/`, for example: path.as_posix()"
            raise UsageError(f"A path in `{name}` is of the type {kind_of(path)}: {path!r}.", hint=hint)
        if not isinstance(text, str):
            hint = "Hand in texts; leave out files that are none."
            raise UsageError(f"What `{name}` has for {path!r} is of the type {kind_of(text)}.", hint=hint)


def several(values: object, member: type[_One], name: str, hint: str) -> list[_One]:
    """Return the values as a list. Raise `UsageError`, with `name` and `hint`, unless each is a `member`."""
    if not isinstance(values, Iterable):
        raise UsageError(f"The {name} are of the type {kind_of(values)}.", hint=hint)
    listed = list(values)
    for one in listed:
        if not isinstance(one, member):
            raise UsageError(f"One of the {name} is of the type {kind_of(one)}.", hint=hint)
    return listed
