"""Parses replies into blocks and renders blocks as replies. It opens no file and runs nothing that a reply contains.

`parse` reads a whole reply, `Stream` one that arrives in pieces, `check` reports what is wrong with one, and `render`
writes blocks in any format of `FORMATS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.check import MarkerCount, Validation, check
from dovetail.formats.stream import Stream, parse
from dovetail.formats.table import FORMATS, AddedFormat, Family, Format, format_names

if TYPE_CHECKING:
    from dovetail.formats.rendering import render

__all__ = [
    "FORMATS",
    "AddedFormat",
    "Family",
    "Format",
    "MarkerCount",
    "Stream",
    "Validation",
    "check",
    "format_names",
    "parse",
    "render",
]


def __getattr__(name: str) -> object:
    """Import `render` on first use: it loads every format's machine, while reading a reply needs only a few."""
    if name == "render":
        from dovetail.formats.rendering import render

        return render
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
