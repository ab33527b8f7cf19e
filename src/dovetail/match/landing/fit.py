"""An edit aligned with the lines of a file.

Landing, the checks against it, and `applied` all work on a `Fit`, which itself only knows which lines correspond.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.alignment import Alignment

if TYPE_CHECKING:
    from dovetail.match.landing.change import Change
    from dovetail.model.text import Span
    from dovetail.text.diff import Hunk
    from dovetail.text.document import Document


class Obstacle(NamedTuple):
    """The reason why a change cannot be carried over, with the line of the file, from 0, and the search's line that
    differs, or None."""

    line: int
    reason: str
    quoted: str | None = None


class Fit:
    """A change, and for each line of its search the file's line or lines, in `alignment`.

    search, replace: the lines of the change. rows: all lines of the file. lines: for each line of the search the index
    of the file's, or None.
    """

    def __init__(self, document: Document, change: Change, alignment: Alignment) -> None:
        self.document, self.change, self.alignment = document, change, alignment
        self.search, self.replace = change.search, change.replace
        self.rows, self.lines = document.rows, alignment.lines

    @classmethod
    def straight(cls, document: Document, change: Change, first: int) -> Fit:
        """Return a fit line by line from the file's line `first` on, nothing skipped."""
        return cls(document, change, Alignment(tuple(range(first, first + len(change.search)))))

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Every line of the search that has a partner, with the partner."""
        return [(self.search[i], self.rows[row]) for i, row in self.alignment.pairs]

    @cached_property
    def span(self) -> Span:
        """The characters of the file's lines, line ends included."""
        return self.alignment.span(self.document)

    def taken(self, hunk: Hunk) -> tuple[int, int] | None:
        """Return the file's lines, end exclusive, that correspond to the lines a hunk removes; None if none do."""
        found = [self.alignment.reach(i) for i in hunk.old if self.lines[i] is not None]
        return (found[0][0], found[-1][1]) if found else None


def settled(fit: Fit) -> Fit:
    """Return the fit with the file's lines paired with those of equal neighbouring search lines that the edit keeps.

    If the search has `}`, `}`, one of them deleted, and the file one `}`, the kept one gets it, and nothing is deleted.
    """
    changed, lines = fit.change.changed(), list(fit.lines)
    if None not in lines or fit.alignment.ends:
        return fit
    for _, run in groupby(range(len(lines)), key=lambda i: fit.search[i].strip()):
        alike = list(run)
        partners = [row for i in alike if (row := lines[i]) is not None]
        # Kept lines before changed ones; among these, those that have a partner already.
        first = sorted(alike, key=lambda i: (i in changed, lines[i] is None))[: len(partners)]
        for i in alike:
            lines[i] = None
        for i, row in zip(sorted(first), partners, strict=True):
            lines[i] = row
    return Fit(fit.document, fit.change, replace(fit.alignment, lines=tuple(lines)))
