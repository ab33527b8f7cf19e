"""The search that all tiers share: one needle in one document, with derived values.

Costly values (the change as lines, the most similar regions) are computed once, when a rung first needs them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dovetail.match.landing.candidates import Candidate, Lines
from dovetail.match.landing.change import Change
from dovetail.match.landing.fit import Fit
from dovetail.match.nearest import explain
from dovetail.match.outcome import Needle
from dovetail.model.language import NO_SYNTAX
from dovetail.model.text import split_lines
from dovetail.text.alignment import places
from dovetail.text.encodings import reread
from dovetail.text.folding import in_the_files_type
from dovetail.text.similarity import regions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dovetail.model.codes import Tier
    from dovetail.model.diagnostics import Nearest
    from dovetail.model.language import Language
    from dovetail.text.alignment import Alignment
    from dovetail.text.document import Document


@dataclass(frozen=True)
class Lookup:
    """One needle in one document, with the values that the rungs share."""

    document: Document
    needle: Needle
    tiers: frozenset[Tier]
    language: Language
    path: str

    @cached_property
    def change(self) -> Change:
        """The lines of search and replacement, and the hunks by which they differ."""
        return Change.of(split_lines(self.needle.search), split_lines(self.needle.replace))

    @cached_property
    def alike(self) -> list[Alignment]:
        """The places of whole lines that equal the search except for blanks."""
        return list(places(self.document, self.change.search))

    @cached_property
    def typed(self) -> tuple[str, str]:
        """Search and replacement without misread or look-alike characters that the file does not contain."""
        file = self.document.raw
        return in_the_files_type(*reread(self.needle.search, self.needle.replace, file), file)

    @cached_property
    def without_lookalikes(self) -> Change:
        """The edit as lines, from `typed`."""
        if self.typed == (self.needle.search, self.needle.replace):
            return self.change
        return Change.of(*map(split_lines, self.typed))

    @cached_property
    def coarse(self) -> Change:
        """The edit for the tiers that forgive missing lines, with hunks joined so that kept lines are certain."""
        return self.without_lookalikes.coarse()

    @cached_property
    def regions(self) -> list[Alignment]:
        """The regions most like the search, best first."""
        return regions(self.document, self.without_lookalikes.search)

    @cached_property
    def nearest(self) -> Nearest | None:
        """The region most like the search, with its first difference; None if the file has no text."""
        return explain(self.document, self.change, self.regions)

    def lines(self, tier: Tier, change: Change, alignments: Iterable[Alignment]) -> list[Candidate]:
        """Return one candidate of `tier` for each alignment."""
        return [Lines(tier, Fit(self.document, change, alignment)) for alignment in alignments]


def nearest_text(document: Document, search: str, replace: str = "") -> Nearest | None:
    """Return the text of a document that is most like a search; None if the document has no text."""
    return Lookup(document, Needle(search, replace), frozenset(), NO_SYNTAX, "").nearest
