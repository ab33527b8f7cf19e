"""Type checks of the values that programs hand in, before they are used.

Raises `UsageError` and converts nothing: bytes are not decoded, as nobody here knows their encoding.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from dovetail.model.errors import UsageError
from dovetail.model.markers import Markers

_One = TypeVar("_One")


def kind_of(value: object) -> str:
    """Return the name of a value's type, for messages."""
    return type(value).__name__


def check_text(reply: object) -> None:
    """Raise `UsageError` unless a reply is a `str`."""
    if not isinstance(reply, str):
        undecoded = isinstance(reply, bytes)
        hint = "Decode it first, for example: reply.decode()" if undecoded else "Hand in the reply's text."
        raise UsageError(f"The reply is of the type {kind_of(reply)}, and is to be a text.", hint=hint)


def check_markers(markers: object) -> None:
    """Raise `UsageError` unless `markers` is a `Markers`, for example if it is only a marker word."""
    if not isinstance(markers, Markers):
        raise UsageError(f"The markers are of the type {kind_of(markers)}.", hint="Hand in a dovetail.Markers.")


def check_texts(texts: object, name: str = "files") -> None:
    """Raise `UsageError` unless `texts` maps paths to texts, all `str`; the message calls it `name`."""
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
