"""An edit that is to be made at every place that a rung found.

It is made at all of them or at none, but for those where it was made already: there it would be made twice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.match.landing.fit import Obstacle
from dovetail.match.outcome import AlreadyApplied, Match, Outcome
from dovetail.match.refusals import conflict, miscounted
from dovetail.match.standing import standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.question import Question
    from dovetail.model.text import Edit, Span

_WORD = re.compile(r"\w+")


def land_everywhere(question: Question, found: Sequence[Candidate]) -> Outcome:
    """Land at every place where it was not made already; of places that overlap, the earlier counts."""
    made_before = [standing(question, candidate) for candidate in found]
    if made_before[0] is not None and None not in made_before:
        return AlreadyApplied(made_before[0])
    edits: list[Edit] = []
    places: list[Span] = []
    for candidate, stands in zip(found, made_before, strict=True):
        if stands is not None and _is_apart(question.document.raw, stands):
            continue
        made = candidate.edits()
        if isinstance(made, Obstacle):
            return conflict(question, made)
        if places and candidate.place.start < places[-1].end:
            continue
        places.append(candidate.place)
        edits.extend(made)
    if question.needle.times not in (None, len(places), len(found)):
        return miscounted(question, len(found))
    return Match(places[0], found[0].tier, tuple(edits), found[0].score, tuple(places[1:]))


def _is_apart(raw: str, span: Span) -> bool:
    """Whether what stands in a span holds a word, and no part of one that goes on beside it."""
    text = span.of(raw)
    ends = raw[max(0, span.start - 1) : span.start + 1], raw[span.end - 1 : span.end + 1]
    return any(map(str.isalnum, text)) and not any(len(end) > 1 and _WORD.fullmatch(end) for end in ends)
