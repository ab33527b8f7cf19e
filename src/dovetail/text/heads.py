"""The definitions that a search names: it has the line that gives their name, and the file has one such line.

A head is known by what it begins with, down to the name, for its parameters and types may be others by now. Which lines
are heads the grammar tells; but where any other line begins so, it may be meant as well, and the head names nothing.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dovetail.model.language import Definition, Language
    from dovetail.text.document import Document


class Head(NamedTuple):
    """The file's line that names a definition, and all lines of that."""

    row: int
    rows: range


def named(document: Document, search: Sequence[str], language: Language, path: str) -> Mapping[int, Head]:
    """The lines of a search that are heads of definitions, with the heads that they are."""
    found: dict[int, Head] = {}
    text = "\n".join(search)
    for definition in language.definitions(path, document.raw) or ():
        head = _head(document.stripped, definition) if definition.name in text else None
        if head is None:
            continue
        row, begins, pattern = head
        quoted = [i for i, line in enumerate(search) if pattern.match(line.strip())]
        rows = range(len(document)) if document.is_common(begins) else document.lines_holding(begins)
        heads = (at for at in rows if pattern.match(document.stripped[at]))
        if len(quoted) == 1 and len(list(islice(heads, 2))) == 1:
            found[quoted[0]] = Head(row, range(definition.first_line, definition.last_line + 1))
    return found


def _head(lines: Sequence[str], definition: Definition) -> tuple[int, str, re.Pattern[str]] | None:
    """The line that names a definition, behind its decorators, which may be another place's too; how it begins, and
    what a line must match to begin so.

    Ruby's `ready?` and `ready=` have other names than `ready`.
    """
    name = re.compile(rf"(?<!\w){re.escape(definition.name)}(?!\w)")
    for row in range(definition.first_line, max(definition.body_line, definition.first_line + 1)):
        at = None if lines[row].startswith("@") else name.search(lines[row])
        if at is not None:
            more = r"[\w?!=]" if lines[row].startswith("def ") else r"\w"
            begins = lines[row][: at.end()]
            pattern = re.compile(rf"{re.escape(begins)}(?!{more})")
            return (row, begins, pattern) if pattern.match(lines[row]) else None
    return None
