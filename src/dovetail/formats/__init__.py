"""The room `formats`: reply ↔ blocks. It looks at no file and runs nothing that a reply says.

`parse` reads a whole reply, `Stream` one that arrives in pieces, `check` says what is wrong with one, and `render`
writes blocks in any format of `FORMATS`.
"""

from dovetail.formats.check import MarkerCount, Validation, check
from dovetail.formats.rendering import render
from dovetail.formats.stream import Stream, parse
from dovetail.formats.table import FORMATS

__all__ = ["FORMATS", "MarkerCount", "Stream", "Validation", "check", "parse", "render"]
