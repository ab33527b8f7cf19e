"""Jupyter notebooks as text: where each cell stands in the JSON, and the JSON of a cell that is new or changed.

Only the characters of one cell, or of its source, are ever written anew, with the notebook's indentation.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import NamedTuple

from dovetail.model.text import Edit, Span
from dovetail.text.pattern import pattern

NOTEBOOK = ".ipynb"
"""How the name of a notebook ends."""
_DECODER = json.JSONDecoder()
_BLANK = pattern(r"[ \t\r\n]*")
_FIRST_INDENT = pattern(r"\{[ \t]*\r?\n([ \t]+)")


class Cell(NamedTuple):
    """One cell.

    span: its characters in the notebook. source: those of the value of its `source`; None where it has none.
    text: its source, decoded.
    """

    id: str | None
    type: str
    span: Span
    source: Span | None
    text: str


class Notebook:
    """A notebook's text, and its cells in order. Raises `ValueError` for a text that is no notebook."""

    def __init__(self, raw: str) -> None:
        """Find the list of cells, and each cell's place in the text."""
        self.raw = raw
        fields = dict(_fields(raw, _after_blank(raw, 0)))
        if "cells" not in fields or raw[fields["cells"].start] != "[":
            raise ValueError("The notebook has no list of cells.")
        self.list = fields["cells"]
        self.cells = [_cell(raw, span) for span in _entries(raw, self.list.start)]
        version = [int(json.loads(fields[key].of(raw))) for key in ("nbformat", "nbformat_minor") if key in fields]
        # Cells have ids since nbformat 4.5; before, an id makes the notebook invalid.
        self._has_ids = version >= [4, 5]
        unit = _FIRST_INDENT.match(raw, _after_blank(raw, 0))
        self._unit = unit[1] if unit is not None else None
        self._end = "\r\n" if "\r\n" in raw else "\n"

    def replaced(self, cell: Cell, source: str) -> Edit:
        """Give a cell another source. Raises `ValueError` if it has none."""
        if cell.source is None:
            raise ValueError("The cell has no source.")
        # A source is one string or a list of lines. The depth is that of the value: notebook, list, cell, source.
        whole = cell.source.of(self.raw).startswith('"')
        return Edit(cell.source, self._written(source if whole else _lines(source), 3))

    def deleted(self, cell: Cell) -> Edit:
        """Delete a cell, with the comma and the blanks that separate it from its neighbour."""
        at = self.cells.index(cell)
        if at + 1 < len(self.cells):
            return Edit(Span(cell.span.start, self.cells[at + 1].span.start), "")
        start = self.cells[at - 1].span.end if at else self.list.start + 1
        return Edit(Span(start, cell.span.end if at else self.list.end - 1), "")

    def added(self, at: int, type_: str, source: str) -> Edit:
        """Insert a new cell of the type `type_` before the cell at index `at`, or behind the last."""
        new: dict[str, object] = {"cell_type": type_}
        if type_ == "code":
            new["execution_count"] = None
        if self._has_ids:
            new["id"] = self._new_id(at, source)
        new["metadata"] = {}
        if type_ == "code":
            new["outputs"] = []
        new["source"] = _lines(source)
        text = self._written(new, 2)
        apart = " " if self._unit is None else self._end + self._unit * 2
        if at < len(self.cells):
            start = self.cells[at].span.start
            return Edit(Span(start, start), f"{text},{apart}")
        if self.cells:
            end = self.cells[-1].span.end
            return Edit(Span(end, end), f",{apart}{text}")
        # The list is empty: what stands between its brackets goes.
        opening, closing = ("", "") if self._unit is None else (apart, self._end + self._unit)
        return Edit(Span(self.list.start + 1, self.list.end - 1), f"{opening}{text}{closing}")

    def _written(self, value: object, depth: int) -> str:
        """A value as JSON, at a depth of the notebook."""
        # A notebook that writes all letters beyond ASCII as \u escapes gets new ones so, too.
        ascii_only = self.raw.isascii() and "\\u" in self.raw
        if self._unit is None:
            return json.dumps(value, ensure_ascii=ascii_only)
        text = json.dumps(value, ensure_ascii=ascii_only, indent=self._unit)
        return text.replace("\n", self._end + self._unit * depth)

    def _new_id(self, at: int, source: str) -> str:
        """Return an id that no cell has; deterministic, so that the same edit gives the same notebook."""
        known = {cell.id for cell in self.cells}
        number = at
        while (found := hashlib.sha256(f"{number}:{source}".encode()).hexdigest()[:8]) in known:
            number += 1
        return found


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def _cell(raw: str, span: Span) -> Cell:
    fields = dict(_fields(raw, span.start))

    def word(name: str) -> str | None:
        value = json.loads(fields[name].of(raw)) if name in fields else None
        return "".join(map(str, value)) if isinstance(value, list) else value if isinstance(value, str) else None

    return Cell(word("id"), word("cell_type") or "", span, fields.get("source"), word("source") or "")


def _fields(raw: str, at: int) -> Iterator[tuple[str, Span]]:
    """The fields of the object that begins at an offset, each with the characters of its value."""
    at = _expect(raw, at, "{")
    while raw[at : at + 1] != "}":
        name, at = _DECODER.raw_decode(raw, at)
        at = _expect(raw, at, ":")
        _, end = _DECODER.raw_decode(raw, at)
        yield name, Span(at, end)
        at = _next(raw, end)


def _entries(raw: str, at: int) -> Iterator[Span]:
    """The entries of the list that begins at an offset."""
    at = _expect(raw, at, "[")
    while raw[at : at + 1] != "]":
        _, end = _DECODER.raw_decode(raw, at)
        yield Span(at, end)
        at = _next(raw, end)


def _expect(raw: str, at: int, sign: str) -> int:
    at = _after_blank(raw, at)
    if raw[at : at + 1] != sign:
        raise ValueError(f"No {sign} at offset {at}.")
    return _after_blank(raw, at + 1)


def _next(raw: str, at: int) -> int:
    at = _after_blank(raw, at)
    if raw[at : at + 1] not in ("}", "]"):
        return _expect(raw, at, ",")
    return at


def _after_blank(raw: str, at: int) -> int:
    found = _BLANK.match(raw, at)
    return found.end() if found is not None else at
