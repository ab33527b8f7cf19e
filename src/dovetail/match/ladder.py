"""The ladder: asks the tiers, strictest first, and decides between places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.outcome import NO_NEIGHBOURS, Ambiguous, Match, Needle, Neighbours, NoMatch, Outcome
from dovetail.model.codes import ALL_TIERS, Code, Occurrence, Tier
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.text import Edit, Span, to_lf

if TYPE_CHECKING:
    from dovetail.match.document import Document


def locate(
    document: Document,
    needle: Needle,
    *,
    tiers: tuple[Tier, ...] = ALL_TIERS,
    occurrence: Occurrence = Occurrence.UNIQUE,
    neighbours: Neighbours = NO_NEIGHBOURS,
    language: Language = NO_SYNTAX,
    path: str = "",
) -> Outcome:
    """Find the one place in `document` where `needle` lands, and the edits that carry its change over."""
    found = to_lf(document.raw).find(needle.search)
    if found < 0 or not needle.search:
        return NoMatch(Code.NO_MATCH, "The search text is not in the file.")
    span = Span(found, found + len(needle.search))
    if document.raw.find(needle.search, found + 1) >= 0 and occurrence is Occurrence.UNIQUE:
        return Ambiguous(Tier.EXACT, (span,))
    return Match(span, Tier.EXACT, (Edit(span, needle.replace),))
