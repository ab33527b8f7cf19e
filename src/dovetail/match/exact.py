"""Tier `exact`: nothing differs but line ends. Whole lines, or any run of characters where the format says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.lines import indent_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.match.document import Document
    from dovetail.model.text import Span


def lines(document: Document, search: str) -> Iterator[Span]:
    r"""Places of `search`, whole lines closed by ``\n``, in file order."""
    return document.whole_lines(search)


def runs(document: Document, search: str) -> Iterator[Span]:
    """Places of a run of characters, in file order, overlapping ones too."""
    return document.runs(search)


def with_ends(search: str, replace: str) -> str:
    """A run's new text with the line ends that the old one quotes around it.

    Nobody means to join a rewritten line with its neighbour, unless that is all the change there is, or what stands at
    the seam says so: a blank where the line ended, another indentation where it began.
    """
    if not replace or search.strip("\n") == replace.strip("\n"):
        return replace
    inner = search.removeprefix("\n")
    begins = inner != search and indent_of(inner) == indent_of(replace)
    ends = search.endswith("\n") and not replace[-1].isspace()
    return "\n" * begins + replace + "\n" * ends
