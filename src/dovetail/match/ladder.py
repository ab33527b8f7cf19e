"""The ladder: asks the tiers, strictest first, and takes the first answer.

A tier is asked only where every stricter one found nothing, so a loose tier never overrides a strict one.
`rungs` finds the places, `decide` chooses between them, `refusals` says why there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.decide import decide
from dovetail.match.landing.land import Obstacle
from dovetail.match.outcome import NO_NEIGHBOURS, AlreadyApplied, Needle, Neighbours, NoMatch, Outcome
from dovetail.match.question import Question
from dovetail.match.refusals import conflict, missed
from dovetail.match.rungs import RUNGS
from dovetail.model.codes import ALL_TIERS, Code, Occurrence, Tier
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.text import Span

if TYPE_CHECKING:
    from dovetail.match.lines.document import Document


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
    """Find the one place in `document` where `needle` lands, and the edits that carry its change over.

    tiers: the tiers that may be asked, in any order.
    occurrence: what several places at `exact` mean.
    neighbours: where the reply's other edits of this text landed.
    language, path: who reads code, and the path that says which code this is.

    Where lines are searched, a search with nothing but blank ones lands nowhere: what it means is for the plan to say.
    """
    question = Question(document, needle, frozenset(tiers), language, path)
    if not (needle.search if needle.inline else needle.search.strip()):
        return NoMatch(Code.NO_MATCH, "The search text is empty.")
    for rung in RUNGS:
        if rung.tiers.isdisjoint(question.tiers):
            continue
        found = rung.find(question)
        if isinstance(found, Obstacle):
            return conflict(question, found)
        if isinstance(found, Span):
            return AlreadyApplied(found)
        if found:
            return decide(question, found, occurrence, neighbours)
    return missed(question)
