"""Findings about a reply, an edit or a file: a code, a place, a sentence, a next step.

Values only: each face renders them in its own way. A message ends in a period unless its last word is something
to copy; a hint names the next act.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from dovetail.model.codes import Code, Severity


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a reply, an edit or a file.

    code: a stable word for the kind of finding. message: the finding as a sentence.
    severity: only an error makes `check` fail.
    path: the file that it is about; None for a finding about the reply itself.
    line: a line from 1, of that file, or of the reply where `path` is None; None for all of it.
    hint: what to do next.
    """

    code: Code
    message: str
    severity: Severity = Severity.ERROR
    path: str | None = None
    line: int | None = None
    hint: str | None = None


class Difference(StrEnum):
    """What sets a search apart from the nearest text in the file."""

    WHITESPACE = "whitespace"
    INDENTATION = "indentation"
    STALE = "stale"
    MISREMEMBERED = "misremembered"
    ELIDED = "elided"
    ALREADY_APPLIED = "already-applied"

    @property
    def summary(self) -> str:
        """A clause for messages, such as ``only blanks differ``, to follow the percentage that is alike."""
        return _SUMMARIES[self]


_SUMMARIES = {
    Difference.WHITESPACE: "only blanks differ",
    Difference.INDENTATION: "only the indentation differs",
    Difference.STALE: "the file has changed since the model saw it",
    Difference.MISREMEMBERED: "the text is not quite what the file says",
    Difference.ELIDED: "lines are left out",
    Difference.ALREADY_APPLIED: "the change seems to be there already",
}


LIKE_ENOUGH = 0.3
"""The least similarity at which a region counts as like the search."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The region of a file that is most like a search that was not found.

    `start` and `end` are its first and last line, from 1. `expected` is the first line of the search that really
    differs, and `found` the file's line in its place, at `line`, where the two are alike; either is None where one side
    has no such line, and all three where nothing in the file is like the search.
    `corrected` is a search that would have matched exactly: the region's own text. `sure` tells whether no other
    region is as likely to be meant.
    """

    start: int
    end: int
    similarity: float
    difference: Difference
    line: int | None
    expected: str | None
    found: str | None
    corrected: str
    sure: bool = True

    @property
    def summary(self) -> str:
        """A description of how alike the region and the search are and what differs, as clauses."""
        if not self.is_alike:
            return "nothing in the file is like the search"
        if self.similarity == 1 and self.difference is Difference.MISREMEMBERED:
            return "the text stands there as it is quoted"
        return f"{int(self.similarity * 100)}% alike, {self.difference.summary}"

    @property
    def is_alike(self) -> bool:
        """Whether the region resembles the search, and is not just the best that a file without such text has."""
        return self.similarity >= LIKE_ENOUGH
