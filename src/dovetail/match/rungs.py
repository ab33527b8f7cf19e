"""The rungs of the ladder, strictest first.

A rung asks a tier, or the three that differ in blanks alone, which share one search. It takes a `Question` to the
candidates of its tiers, or to an obstacle, where the only place that it finds must not be written. `STRICT` and then
`LOOSE` is the order: a loose one is asked only where the edit was not made already.

The rungs from `form` on load their tiers when they are asked: most edits land above them, and a command that starts
for one small reply must not pay for what it does not use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.lines import blanks
from dovetail.match.tiers import exact, indentation, part_line, trailing_space, whitespace
from dovetail.model.codes import Tier
from dovetail.model.language import NO_SYNTAX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.landing.land import Obstacle
    from dovetail.match.question import Question

_BLANKS = (
    (Tier.TRAILING_SPACE, trailing_space.belongs),
    (Tier.INDENTATION, indentation.belongs),
    (Tier.WHITESPACE, whitespace.belongs),
)


def _blanks(question: Question) -> Sequence[Candidate]:
    if question.typed[0] != question.needle.search:  # no-break spaces are a matter of form
        return []
    change, document = question.change, question.document
    found = list(blanks.places(document, change.search))
    for tier, belongs in _BLANKS:
        own = [a for a in found if belongs(a, change.search, document.rows)] if tier in question.tiers else []
        if own:
            return question.lines(tier, change, own)
    return []


def _form(question: Question) -> Sequence[Candidate] | Obstacle:
    from dovetail.match.tiers import form

    return form.find(question)


def _elision(question: Question) -> Sequence[Candidate]:
    from dovetail.match.tiers import elision

    return elision.find(question)


def _syntax(question: Question) -> Sequence[Candidate] | Obstacle:
    if question.language is NO_SYNTAX:
        return []
    from dovetail.match.tiers import syntactic

    return syntactic.find(question)


def _fuzzy(question: Question) -> Sequence[Candidate] | Obstacle:
    from dovetail.match.tiers import fuzzy

    return fuzzy.find(question)


class Rung(NamedTuple):
    """The tiers of which at least one must be wanted, and who is asked then."""

    tiers: frozenset[Tier]
    find: Callable[[Question], Sequence[Candidate] | Obstacle]


STRICT = (
    Rung(frozenset((Tier.EXACT,)), exact.find),
    Rung(frozenset((Tier.PART_LINE,)), part_line.find),
    Rung(frozenset(tier for tier, _ in _BLANKS), _blanks),
    Rung(frozenset((Tier.FORM,)), _form),
)
LOOSE = (
    Rung(frozenset((Tier.ELISION,)), _elision),
    Rung(frozenset((Tier.SYNTAX,)), _syntax),
    Rung(frozenset((Tier.FUZZY,)), _fuzzy),
)
