"""How deep a line of the replacement stands in the file.

The search says how the model counts indentation, its partners in the file how the file does. Each line of the
replacement takes the file's indentation of the nearest search line that the model indented alike; failing that, the
nearest shallower one plus what the line has more, in the file's own unit. Lines that are not inserted are never asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

from dovetail.match.lines import indent_of, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dovetail.match.alignment import Alignment
    from dovetail.match.document import Document

_DEFAULT_UNIT = 4


@dataclass(frozen=True, slots=True)
class Reference:
    """A search line, its place in the search, and how deep the model and the file put it."""

    index: int
    model: str
    file: str


class Indenter:
    """Re-indents lines for one alignment."""

    def __init__(self, document: Document, search: Sequence[str], alignment: Alignment) -> None:
        self._references = [
            Reference(i, indent_of(search[i]), indent_of(document.lines[j]))
            for i, j in alignment.pairs()
            if search[i].strip() and document.lines[j].strip()
        ]
        self.idle = all(ref.model == ref.file for ref in self._references)

    def indent(self, line: str, near: int) -> str:
        """`line` as it stands in the file, when inserted at line `near` of the search; blank lines stay as they are."""
        if self.idle or not line.strip():
            return line
        own = indent_of(line)
        return self._depth(own, near) + line[len(own) :]

    def _depth(self, own: str, near: int) -> str:
        by_distance = sorted(self._references, key=lambda ref: abs(ref.index - near))
        for ref in by_distance:
            if ref.model == own:
                return ref.file
        shallower = [ref for ref in by_distance if own.startswith(ref.model)]
        if shallower:
            deepest = max(shallower, key=lambda ref: len(ref.model))
            return deepest.file + self._deeper(own[len(deepest.model) :], deepest.file)
        ref = by_distance[0]
        columns = max(0, width(ref.file) + width(own) - width(ref.model))
        return "\t" * (columns // 8) + " " * (columns % 8) if "\t" in ref.file else " " * columns

    def _deeper(self, more: str, base: str) -> str:
        """Further indentation, written in the file's unit."""
        file_unit, model_unit = unit(ref.file for ref in self._references), unit(ref.model for ref in self._references)
        if file_unit == "\t" and "\t" not in more:
            step = width(model_unit) if model_unit.strip("\t") else width(unit([more]))
            return "\t" * (len(more) // (step or _DEFAULT_UNIT)) + " " * (len(more) % (step or _DEFAULT_UNIT))
        if "\t" in more and "\t" not in base and file_unit != "\t":
            return more.replace("\t", file_unit or " " * _DEFAULT_UNIT)
        if file_unit and model_unit and "\t" not in file_unit + model_unit and len(more) % len(model_unit) == 0:
            return file_unit * (len(more) // len(model_unit)) if self._scaled() else more
        return more

    def _scaled(self) -> bool:
        """Whether the file steps in another width than the model, and not merely from another start."""
        steps = {(width(ref.model), width(ref.file)) for ref in self._references}
        low, high = min(steps), max(steps)
        return low[0] < high[0] and high[1] - low[1] != high[0] - low[0]


def unit(indents: Iterable[str]) -> str:
    """The step in which some indentations grow: a tab, or the greatest common number of spaces; "" for no step."""
    step = 0
    for indent in indents:
        if "\t" in indent:
            return "\t"
        step = gcd(step, len(indent))
    return " " * step
