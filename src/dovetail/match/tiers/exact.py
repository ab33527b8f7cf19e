"""Tier `exact`: nothing differs but line ends. Whole lines, or any run of characters where the format says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.landing.candidates import ExactLines, Run
from dovetail.model.codes import Tier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.lookup import Lookup


def find(lookup: Lookup) -> Sequence[Candidate]:
    """Places in file order; those of a run of characters may overlap."""
    needle, document = lookup.needle, lookup.document
    if needle.inline:
        return [Run(document, Tier.EXACT, needle.search, needle.replace, span) for span in document.runs(needle.search)]
    return [ExactLines(document, lookup.change, span) for span in document.whole_lines(needle.search)]
