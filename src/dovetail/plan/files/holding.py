"""Which files have a block's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dovetail.match import Document, NoMatch
from dovetail.model.blocks import Block
from dovetail.plan.files.paths import by_name, tidy
from dovetail.plan.files.shelf import Shelf
from dovetail.plan.request import Request, searches


class Holders(NamedTuple):
    """The files that have a block's text, and which text: ``search text`` or ``new text``."""

    paths: tuple[str, ...]
    text: str


def holds(block: Block, path: str, shelf: Shelf) -> bool:
    """Whether the search stands to the letter in the file at a path."""
    document = shelf.document(path)
    return document is not None and _stands_in(document, searches(block), inline=block.inline)


def holders(block: Block, shelf: Shelf) -> Holders:
    """The files in which the search stands to the letter; where none has it, those that have the replacement.

    A file that has the edit itself, as the reply in a file of its own, quotes it and is meant by none.
    """
    replacements = [reading.replace for reading in block.readings if len(reading.replace.split()) > 1]
    for texts, what in ((searches(block), "search text"), (replacements, "new text")):
        standing = ((p, d.lf) for p, d in shelf.documents() if _stands_in(d, texts, inline=block.inline))
        found = tuple(path for path, lf in standing if not block.raw or block.raw not in lf)
        if found:
            return Holders(found, what)
    return Holders((), "new text")


def takers(block: Block, name: str, shelf: Shelf) -> list[str]:
    """Which of the files that a block may mean take its search, to the letter or else at all.

    It has no path of its own: `name` is in force, and the reply named others since. All are readings, and the files
    decide. Empty where nothing but `name` comes into question.
    """
    tree = shelf.tree
    named = (by_name(tidy(other, tree.paths), tree) for other in (name, *block.rivals))
    paths = [path for path in dict.fromkeys(named) if path is not None and path not in shelf.snapshot.refused]
    if paths in ([], [name]):
        return []
    return [path for path in paths if holds(block, path, shelf)] or [
        path for path in paths if not isinstance(shelf.find(Request(0, block, path)), NoMatch | None)
    ]


def _stands_in(document: Document, texts: Sequence[str], *, inline: bool) -> bool:
    """Whether one of some texts stands to the letter in a document, as whole lines unless `inline`."""
    if inline:
        return any(text in document.lf for text in texts)
    return any(next(document.whole_lines(text), None) is not None for text in texts)
