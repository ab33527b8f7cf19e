"""The rungs of the ladder, strictest first.

A rung is a function from a `Question` to the candidates of its tiers, to an obstacle, where the only place that it
finds must not be written, or to the span where the replacement stands already. `RUNGS` is the order.

The rungs from `form` on load their tiers when they are asked: most edits land above them, and a command that starts
for one small reply must not pay for what it does not use.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from dovetail.match import applied, blanks, exact, indentation, part_line, trailing_space, whitespace
from dovetail.match.alignment import straight
from dovetail.match.candidates import Barred, Candidate, ExactLines, Lines, Run
from dovetail.match.change import Change
from dovetail.match.landing import Obstacle
from dovetail.match.lines import worded
from dovetail.model.codes import Tier
from dovetail.model.language import NO_SYNTAX
from dovetail.model.text import Span, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dovetail.match.question import Question

_ESCAPES = "the search is quoted with backslashes, and does not tell which of the new lines' are part of them"


def _exact(question: Question) -> Sequence[Candidate]:
    if Tier.EXACT not in question.tiers:
        return []
    needle, document = question.needle, question.document
    if needle.inline:
        spans = exact.runs(document, needle.search)
        return [Run(Tier.EXACT, needle.search, needle.replace, span) for span in spans]
    return [ExactLines(question.change, span) for span in exact.lines(document, needle.search)]


def _part_line(question: Question) -> Sequence[Candidate]:
    needle = question.needle
    if Tier.PART_LINE not in question.tiers or needle.inline:
        return []
    search, replace = part_line.unindented(needle.search.removesuffix("\n"), needle.replace.removesuffix("\n"))
    indented = not needle.search.startswith(search)
    spans = part_line.places(question.document, search, replace, indented=indented)
    if spans and indented and _stands_as_lines(question):
        return []
    return [_at_part(question, search, replace, span) for span in spans]


def _stands_as_lines(question: Question) -> bool:
    """Whether whole lines are the search but for their blanks: then an indented search means those."""
    return any(blanks.places(question.document, question.change.search))


def _at_part(question: Question, search: str, replace: str, span: Span) -> Candidate:
    document, change = question.document, question.change
    filled = part_line.filled(document, change, span)
    if filled is None:
        return Run(Tier.PART_LINE, search, replace, span)
    if isinstance(filled, Obstacle):
        return Barred(Tier.PART_LINE, filled, span)
    lines = straight(document.line_at(span.start), len(change.search))
    return Lines(Tier.PART_LINE, filled, lines, lines.span(document))


def _blanks(question: Question) -> Sequence[Candidate]:
    in_order = (
        (Tier.TRAILING_SPACE, trailing_space.belongs),
        (Tier.INDENTATION, indentation.belongs),
        (Tier.WHITESPACE, whitespace.belongs),
    )
    wanted = [(tier, belongs) for tier, belongs in in_order if tier in question.tiers]
    if not wanted or question.typed[0] != question.needle.search:  # no-break spaces are a matter of form
        return []
    change, document = question.change, question.document
    found = list(blanks.places(document, change.search))
    for tier, belongs in wanted:
        own = [a for a in found if belongs(a, change.search, document.rows)]
        if own:
            return question.lines(tier, change, own)
    return []


def _form(question: Question) -> Sequence[Candidate] | Obstacle:
    if Tier.FORM not in question.tiers:
        return []
    from dovetail.match import form, wrapping

    pairs = list(wrapping.unwrapped(*question.typed, question.document.raw, question.path))
    for agree, (search, replace) in product((form.agree_in_type, form.agree_folded), pairs):
        wanted = split_lines(search)
        found = list(blanks.places(question.document, wanted, agree)) if worded(wanted) else []
        if found and any(same == search and other != replace for same, other in pairs):
            return Obstacle(found[0].first, _ESCAPES)
        if found:
            return question.lines(Tier.FORM, Change.of(wanted, split_lines(replace)), found)
    return []


def _standing(question: Question) -> Sequence[Candidate] | Span:
    """Not a tier: where no strict one found the search, the replacement may stand in its place."""
    span = applied.instead(question.document, question.change)
    return span if span is not None else []


def _elision(question: Question) -> Sequence[Candidate]:
    if Tier.ELISION not in question.tiers:
        return []
    from dovetail.match import elision

    change = question.change
    return question.lines(Tier.ELISION, change, elision.alignments(question.document, change.search, change.replace))


def _syntax(question: Question) -> Sequence[Candidate] | Obstacle:
    if Tier.SYNTAX not in question.tiers or question.language is NO_SYNTAX:
        return []
    from dovetail.match import fuzzy, syntactic

    document, language, path = question.document, question.language, question.path
    change = question.coarse
    same = syntactic.same_tokens(document, change, question.regions, language, path)
    if same:
        return [
            question.at(Tier.SYNTAX, whole, alignment)
            if barred is None
            else Barred(Tier.SYNTAX, barred, alignment.span(document))
            for whole, alignment, barred in same
        ]
    named = syntactic.named(document, change.search, language, path)
    if named is None or named.score < fuzzy.LEAST:
        return []
    return fuzzy.objection(document, change, named) or question.forgiven(Tier.SYNTAX, named)


def _fuzzy(question: Question) -> Sequence[Candidate] | Obstacle:
    from dovetail.match import fuzzy

    if Tier.FUZZY not in question.tiers or not fuzzy.certain(question.document, question.bare.search, question.regions):
        return []
    change, best = question.coarse, question.regions[0]
    return fuzzy.objection(question.document, change, best) or question.forgiven(Tier.FUZZY, best)


RUNGS: tuple[Callable[[Question], Sequence[Candidate] | Obstacle | Span], ...] = (
    _exact,
    _part_line,
    _blanks,
    _form,
    _standing,
    _elision,
    _syntax,
    _fuzzy,
)
