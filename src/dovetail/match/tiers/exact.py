"""Tier `exact`: only line ends may differ. Whole lines, or any run of characters if the block is `inline`.

Also owns the short way for most edits, whose search occurs once, so that nothing must be decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.landing.candidates import ExactLines, Run
from dovetail.match.landing.fit import Obstacle
from dovetail.match.outcome import NO_NEIGHBOURS, Match, Neighbours
from dovetail.model.blocks import NO_HINTS
from dovetail.model.codes import Tier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.lookup import Lookup


def find(lookup: Lookup) -> Sequence[Candidate]:
    """Return the places in file order; those of a run of characters may overlap."""
    needle, document = lookup.needle, lookup.document
    if needle.inline:
        return [Run(document, Tier.EXACT, needle.search, needle.replace, span) for span in document.runs(needle.search)]
    return [ExactLines(document, lookup.change, span) for span in document.whole_lines(needle.search)]


def straight(lookup: Lookup, found: Sequence[Candidate], neighbours: Neighbours) -> Match | None:
    """Return where the usual edit lands: at the only place of its search, hunk by hunk. None for any other edit.

    `decide` would return the same. All its questions are settled here: there is one place and no hint against it; the
    edit was not made already, as it removes lines that are still there; and the file's last line is not part of the
    place.
    """
    needle, change, place = lookup.needle, lookup.change, found[0].place
    if needle.replace_all or needle.hints != NO_HINTS or neighbours != NO_NEIGHBOURS:
        return None
    if len(found) > 1 or needle.inline or not change.hunks or change.inserts_only:
        return None
    edits = found[0].edits()
    at_end = place.end == len(lookup.document.raw)
    return None if at_end or isinstance(edits, Obstacle) else Match(place, Tier.EXACT, edits)
