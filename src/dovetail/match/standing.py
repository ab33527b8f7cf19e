"""Whether an edit stands at a place that a rung found: it was made there already.

What a candidate says of its own lines is asked first (`landing.applied`). A run of characters that is all of its line,
or some lines, is asked as an edit of lines is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.landing import applied
from dovetail.match.landing.candidates import Candidate, ExactLines
from dovetail.match.landing.fit import Fit
from dovetail.model.codes import Tier
from dovetail.model.text import Span

if TYPE_CHECKING:
    from dovetail.match.question import Question


def standing(question: Question, candidate: Candidate) -> Span | None:
    """Where the edit was made already at a place."""
    return candidate.applied() or _over_line(question, candidate) or _as_lines(question, candidate)


def _over_line(question: Question, candidate: Candidate) -> Span | None:
    """Where the replacement stands over the line that the search is a part of."""
    if candidate.tier is not Tier.PART_LINE:
        return None
    first = question.document.line_at(candidate.place.start)
    return applied.around(Fit.straight(question.document, question.change, first))


def _as_lines(question: Question, candidate: Candidate) -> Span | None:
    """Where the lines that a run of whole lines would add stand beside it, as they may for an edit of lines."""
    document, needle, place = question.document, question.needle, candidate.place
    if not needle.inline or candidate.tier is not Tier.EXACT:
        return None
    if needle.search.endswith("\n") != needle.replace.endswith("\n"):
        return None
    first, last = document.line_at(place.start), document.line_at(place.end - 1)
    if place not in (document.span(first, last + 1), Span(document.start_of(first), document.content_end(last))):
        return None
    return ExactLines(document, question.change, document.span(first, last + 1)).applied()
