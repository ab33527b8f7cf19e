"""The ladder: tries the tiers, strictest first, and takes the first result.

Most edits take the short way: the search occurs once, letter for letter (`exact.straight`). A tier is tried only if all
stricter ones found nothing, so a loose tier never overrides a strict one. Before the loose ones, `applied` checks
whether the edit was made already, as they would find what it left behind.

The tiers find places, `decide` chooses between them, `refusals` says why there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.applied import applied_elsewhere
from dovetail.match.decide import decide
from dovetail.match.landing.fit import Obstacle
from dovetail.match.lookup import Lookup
from dovetail.match.new_definitions import above_definition
from dovetail.match.outcome import NO_NEIGHBOURS, AlreadyApplied, Needle, Neighbours, NoMatch, Outcome
from dovetail.match.refusals import conflict, missed
from dovetail.match.tiers import blanks, elision, exact, form, fuzzy, part_line, syntax
from dovetail.model.codes import ALL_TIERS, Code, Occurrence, Tier
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.work import spend

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dovetail.match.applied import Ask
    from dovetail.match.landing.candidates import Candidate
    from dovetail.text.document import Document


_ASKED = 30  # steps that trying a tier costs, however little it compares


class _Rung(NamedTuple):
    """A step of the ladder, tried if at least one of its tiers is allowed.

    find: returns candidates, an empty sequence, or an obstacle if the only place must not be written.
    """

    tiers: frozenset[Tier]
    find: Callable[[Lookup], Sequence[Candidate] | Obstacle]


_EXACT = (_Rung(frozenset((Tier.EXACT,)), exact.find),)
# After `exact`, strictest first. After each of the first two groups `locate` checks if the edit was made already: after
# `_VERBATIM` the search may still be there in another form, so only a replacement letter for letter proves it; after
# `_FORMS` one in another form does, too.
_VERBATIM = (_Rung(frozenset((Tier.PART_LINE,)), part_line.find),)
_FORMS = (
    _Rung(frozenset((Tier.TRAILING_SPACE, Tier.INDENTATION, Tier.WHITESPACE)), blanks.find),
    _Rung(frozenset((Tier.FORM,)), form.find),
)
_LOOSE = (
    _Rung(frozenset((Tier.ELISION,)), elision.find),
    _Rung(frozenset((Tier.SYNTAX,)), syntax.find),
    _Rung(frozenset((Tier.FUZZY,)), fuzzy.find),
)


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

    tiers: the tiers that may be tried, in any order.
    occurrence: what several places at `exact` mean.
    neighbours: where the reply's other edits of this text landed.
    language, path: the parser, and the file's path, which tells the programming language.
    A search of whole lines that are all blank lands nowhere: the plan decides what it means.
    """
    lookup = Lookup(document, needle, frozenset(tiers), language, path)
    if not (needle.search if needle.inline else needle.search.strip()):
        return NoMatch(Code.NO_MATCH, "The search text is empty.")
    if Tier.EXACT in lookup.tiers:
        spend(_ASKED)
        found = exact.find(lookup)
        if found and (match := exact.straight(lookup, found, neighbours)) is not None:
            return match
        if found:
            return decide(lookup, found, occurrence, neighbours, _land)
    # to_the_letter: how strictly the replacement must match for the edit to count as made; None after the last group,
    # where no check follows.
    for rungs, to_the_letter in ((_VERBATIM, True), (_FORMS, False), (_LOOSE, None)):
        outcome = _climb(lookup, rungs, occurrence, neighbours, _land)
        if outcome is not None:
            return outcome
        if to_the_letter is not None:
            span = applied_elsewhere(lookup, _land, to_the_letter=to_the_letter)
            if span is not None:
                return AlreadyApplied(span)
    # The last resort is no tier: the search may be wrong throughout except for the head of one definition.
    return above_definition(lookup) or missed(lookup)


def _climb(
    lookup: Lookup, rungs: Sequence[_Rung], occurrence: Occurrence, neighbours: Neighbours, ask: Ask | None
) -> Outcome | None:
    """Return the outcome of the first rung that finds a place; None if none does."""
    for rung in rungs:
        if rung.tiers.isdisjoint(lookup.tiers):
            continue
        spend(_ASKED)
        found = rung.find(lookup)
        if isinstance(found, Obstacle):
            return conflict(lookup, found)
        if found:
            return decide(lookup, found, occurrence, neighbours, ask)
    return None


def _land(lookup: Lookup) -> Outcome | None:
    """Land an edit without checking if it was made already: `applied` lands an edit and its reverse with this."""
    return _climb(lookup, (*_EXACT, *_VERBATIM, *_FORMS, *_LOOSE), Occurrence.UNIQUE, NO_NEIGHBOURS, None)
