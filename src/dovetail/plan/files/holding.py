"""Which files hold a block's text to the letter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dovetail.match import Document
from dovetail.model.blocks import Block
from dovetail.plan.edits.locator import Locator
from dovetail.plan.files.shelf import Shelf


def holds(block: Block, path: str, shelf: Shelf, locator: Locator) -> bool:
    """Whether the search stands in the file at a path."""
    text = shelf.at(path).text
    if text is None:
        return False
    searches = (reading.search for reading in block.readings if block.quotes(reading))
    return any(stands_in(locator.document(text), search, inline=block.inline) for search in searches)


class Holders(NamedTuple):
    """The files that have a block's text, and which text: ``search text`` or ``new text``."""

    paths: tuple[str, ...]
    text: str


def holders(block: Block, shelf: Shelf, locator: Locator) -> Holders:
    """The files in which the search stands to the letter; where none has it, those that have the replacement."""
    searches = [reading.search for reading in block.readings if block.quotes(reading)]
    found = tuple(_holding(searches, shelf, locator, inline=block.inline))
    if found:
        return Holders(found, "search text")
    replacements = [reading.replace for reading in block.readings if len(reading.replace.split()) > 1]
    return Holders(tuple(_holding(replacements, shelf, locator, inline=block.inline)), "new text")


def _holding(texts: list[str], shelf: Shelf, locator: Locator, *, inline: bool) -> Iterator[str]:
    for path, text in shelf.texts():
        document = locator.document(text)
        if any(stands_in(document, wanted, inline=inline) for wanted in texts):
            yield path


def stands_in(document: Document, wanted: str, *, inline: bool) -> bool:
    """Whether a text stands to the letter in a document, as whole lines unless `inline`."""
    if inline:
        return wanted in document.lf
    return next(document.whole_lines(wanted), None) is not None
