"""The definition that a line stands in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.model.text import Text
from dovetail.syntax import default_language

if TYPE_CHECKING:
    from dovetail.model.language import Definition


@dataclass(frozen=True, slots=True)
class Enclosing:
    """The innermost function around a line, else the innermost class, else the innermost other definition.

    class_name: the innermost class around it, None where there is none.
    function_name: the innermost function or method around the line, None where there is none.
    first_line, last_line: from 1, both included; decorators and export keywords belong to it.
    code: its lines with their line ends.
    """

    path: str
    class_name: str | None
    function_name: str | None
    first_line: int
    last_line: int
    code: str


def enclosing(path: str, text: str, line: int) -> Enclosing | None:
    """The definition around a line, counted from 1; None where nothing encloses it or the language is unknown."""
    found = default_language().definitions(path, text)
    around = [d for d in found or () if d.first_line <= line - 1 <= d.last_line]
    function = _innermost(around, "function", "method")
    owner = _innermost(around, "class")
    chosen = function or owner or _innermost(around, "other")
    if chosen is None:
        return None
    span = Text(text).span(chosen.first_line, chosen.last_line + 1)
    return Enclosing(
        path,
        owner.name if owner is not None else None,
        function.name if function is not None else None,
        chosen.first_line + 1,
        chosen.last_line + 1,
        text[span.start : span.end],
    )


def _innermost(around: list[Definition], *kinds: str) -> Definition | None:
    """The last to begin; of several on one line, the smallest."""
    fitting = [d for d in around if d.kind in kinds]
    return max(fitting, key=lambda d: (d.first_line, -d.last_line), default=None)
