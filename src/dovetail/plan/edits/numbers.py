"""What the line numbers of a reply are worth, measured by its edits whose place is certain without them.

A model counts in an excerpt, in an older version, or in its own result; then all its numbers are off, mostly alike.
So a number says no more than what is left of it when it is off as the numbers beside it in the reply are: where these
agree on a place, that is the one; where they do not, or two edits state the same number, it says nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace

from dovetail.match import AlreadyApplied, Document, Match, Outcome, certain
from dovetail.plan.edits.locator import Locator
from dovetail.plan.request import Request

_SLIP = 4  # lines


def measured(document: Document, requests: Sequence[Request], locator: Locator) -> Sequence[Request]:
    """The requests, in the reply's order, each with its line number put right or taken away."""
    outcomes = [locator.find(document, request).outcome for request in requests]
    errors = _errors(document, requests, outcomes)
    if not any(errors.values()):
        return requests
    known = list(errors)
    mended = list(requests)
    for index, outcome in enumerate(outcomes):
        if requests[index].block.hints.line is not None and outcome.places and certain(outcome) is None:
            at = bisect_left(known, index)
            beside = known[max(0, at - 1) : at + 1]
            mended[index] = _put_right(document, requests, index, {near: errors[near] for near in beside}, locator)
    return mended


def _errors(document: Document, requests: Sequence[Request], outcomes: Sequence[Outcome]) -> dict[int, int]:
    """By how many lines the numbers of the edits that have but one place are too small, by the edits' indices."""
    stated = [(request.block.hints.line, certain(outcome)) for request, outcome in zip(requests, outcomes, strict=True)]
    return {
        index: document.line_at(place.start) + 1 - line
        for index, (line, place) in enumerate(stated)
        if line is not None and place is not None
    }


def _put_right(
    document: Document, requests: Sequence[Request], index: int, beside: dict[int, int], locator: Locator
) -> Request:
    """A request whose number is off as those beside it are, if all of them lead to one place; else without one.

    If that is another place than the number states, it must be as near as the edits between let lines move. It must be
    nearer than the other where the numbers beside are off by a few lines: these may be slips, each of its own.
    """
    request = requests[index]
    line = request.block.hints.line or 0
    if any(requests[near].block.hints.line == line for near in beside):
        return _off_by(request, None)
    tries = [_off_by(request, error) for error in beside.values()]
    stated, place, *others = (_line(document, locator.find(document, one).outcome) for one in (request, *tries))
    if place is None or any(other != place for other in others):
        return _off_by(request, None)
    left = {near: abs(place - line - error) for near, error in beside.items()}
    fits = any(left[near] <= _moved(requests, near, index) for near in beside)
    slipped = (
        stated is not None and abs(stated - line) <= min(left.values()) and min(map(abs, beside.values())) <= _SLIP
    )
    return tries[0] if stated == place or (fits and not slipped) else _off_by(request, None)


def _moved(requests: Sequence[Request], one: int, other: int) -> int:
    """By how many lines two edits, and those between them in the reply, make the text longer or shorter."""
    blocks = [request.block for request in requests[min(one, other) : max(one, other) + 1]]
    return sum(abs(block.replace.count("\n") - block.search.count("\n")) for block in blocks)


def _line(document: Document, outcome: Outcome) -> int | None:
    return document.line_at(outcome.span.start) + 1 if isinstance(outcome, Match | AlreadyApplied) else None


def _off_by(request: Request, error: int | None) -> Request:
    """The request with another number; without one, where the error is None."""
    hints = request.block.hints
    line = None if error is None or hints.line is None else hints.line + error
    return replace(request, block=replace(request.block, hints=replace(hints, line=line)))
