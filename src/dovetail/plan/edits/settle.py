"""The first look at a text's edits together: what each finds in the text that the model saw.

Two kinds of evidence need more than one block. Equal blocks share out the places there are, so that it does not
matter which takes which. An ambiguous edit may stand between its neighbours in the reply, where the located ones
show that the reply follows the file's order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from dovetail.match import AlreadyApplied, Ambiguous, Document, Match, Needle, Neighbours, NoMatch, certain
from dovetail.model.text import Span
from dovetail.plan.edits.locator import Found, Locator
from dovetail.plan.request import Request

_ORDERLY = 2  # located edits that must agree with the file's order before order says anything


@dataclass(frozen=True, slots=True)
class Twin:
    """The same edit as block `n`, which already does what there is to do."""

    n: int


Settled = Found | Twin


def settle(document: Document, requests: Sequence[Request], locator: Locator) -> list[Settled]:
    """Locate every request in `document`; answers stand in the requests' order."""
    requests, found = _line_hints_corrected(document, requests, locator)
    settled: list[Settled] = [*found]
    for group in _equal(requests):
        shared = _shared(document, requests[group[0]], found[group[0]], len(group), locator)
        for index, answer in zip(group, shared, strict=False):
            settled[index] = answer
    _ask_neighbours(document, requests, settled, locator)
    return settled


def _line_hints_corrected(
    document: Document, requests: Sequence[Request], locator: Locator
) -> tuple[Sequence[Request], list[Found]]:
    """The requests and where each lands, their line numbers corrected by the offset that the reply's other edits share.

    A model counts in an excerpt or in its own result; then its numbers are off, mostly alike. An edit with one place
    shows by how much. Between two such edits that disagree, a number says nothing.
    """
    found = [locator.find(document, request) for request in requests]
    stated = [request.block.hints.line for request in requests]
    offsets = {
        index: document.line_at(place.start) + 1 - line
        for index, (line, answer) in enumerate(zip(stated, found, strict=True))
        if line is not None and (place := certain(answer.outcome)) is not None
    }
    if not any(offsets.values()):
        return requests, found
    known, corrected = list(offsets), list(requests)
    for index, (line, answer) in enumerate(zip(stated, found, strict=True)):
        if line is None or index in offsets or not answer.outcome.places:
            continue
        at = bisect_left(known, index)
        beside = {offsets[near] for near in known[max(0, at - 1) : at + 1]}
        hints = replace(requests[index].block.hints, line=line + beside.pop() if len(beside) == 1 else None)
        corrected[index] = replace(requests[index], block=replace(requests[index].block, hints=hints))
        found[index] = locator.find(document, corrected[index])
    return corrected, found


def _equal(requests: Sequence[Request]) -> list[list[int]]:
    """The indices of those that ask for the same edit, where several do."""
    if len({request.needles[0].search for request in requests}) == len(requests):
        return []
    groups: dict[tuple[Needle, ...], list[int]] = {}
    for index, request in enumerate(requests):
        if request.behind is None:
            groups.setdefault(request.needles, []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _shared(document: Document, request: Request, found: Found, blocks: int, locator: Locator) -> Sequence[Settled]:
    """The answers to so many equal blocks, the places given to them in order; those beyond the last place have nothing
    left to do. Empty where nothing is to be shared out."""
    if len(found.readings) > 1:
        return ()
    needle = request.needles[found.readings[0]]
    places = () if isinstance(found.outcome, AlreadyApplied) else found.outcome.places
    places = places[:1] if isinstance(found.outcome, Match) and needle.replace_all else places
    answers: list[Settled] | None = [found]
    if len(places) > 1:
        if isinstance(found.outcome, Ambiguous) and len(places) > blocks:
            return ()
        answers = _at_each(document, request, needle, places[:blocks], locator)
    if not places or answers is None:
        return ()
    return answers + [Twin(request.n)] * (blocks - len(answers))


def _at_each(
    document: Document, request: Request, needle: Needle, places: Sequence[Span], locator: Locator
) -> list[Settled] | None:
    """The answer at each of several places, asked where no other is; None where one fails."""
    raw = document.raw
    answers: list[Settled] = []
    inner = replace(needle, last_end=None)
    lows = [0, *(place.end for place in places[:-1])]
    highs = [*(place.start for place in places[1:]), len(raw)]
    for place, low, high in zip(places, lows, highs, strict=True):
        if low > place.start or high < place.end:
            return None
        match locator.ask(Document(raw[low:high]), request, needle if high == len(raw) else inner):
            case Match(span=span) as hit if span.shifted(low) == place:
                edits = tuple(edit.shifted(low) for edit in hit.edits)
                answers.append(Found(Match(place, hit.tier, edits, hit.score)))
            case AlreadyApplied(span=span):
                answers.append(Found(AlreadyApplied(span.shifted(low))))
            case _:
                return None
    return answers


def _ask_neighbours(document: Document, requests: Sequence[Request], settled: list[Settled], locator: Locator) -> None:
    """Ask again about the ambiguous edits, with the places of the others, where these stand in the reply's order.

    Where they do not, and would but for those that land, the reply may have been applied: what stood between its
    neighbours then is found no more, and its like elsewhere is not meant, or perhaps not.
    """
    outcomes = {index: answer.outcome for index, answer in enumerate(settled) if isinstance(answer, Found)}
    asked = [index for index, outcome in outcomes.items() if isinstance(outcome, Ambiguous)]
    standing = [index for index, outcome in outcomes.items() if isinstance(outcome, AlreadyApplied)]
    if not (asked or standing):
        return
    located = {index: span for index, outcome in outcomes.items() if (span := certain(outcome)) is not None}
    ordered = _in_order(located)
    if not ordered:
        asked += [index for index in located if isinstance(outcomes[index], Match)]
        located = {index: located[index] for index in standing}
    if len(located) < _ORDERLY or not _in_order(located):
        return
    known, spans = list(located), list(located.values())
    for index in asked:
        answer, at = settled[index], bisect_left(known, index)
        if not isinstance(answer, Found) or len(answer.readings) > 1:
            continue
        neighbours = Neighbours(
            after=spans[at - 1].end if at else None, before=spans[at].start if at < len(spans) else None
        )
        again = locator.find(document, requests[index], neighbours)
        if isinstance(again.outcome, (AlreadyApplied, Match if ordered else NoMatch)):
            settled[index] = again


def _in_order(located: Mapping[int, Span]) -> bool:
    return all(a.end <= b.start for a, b in pairwise(located.values()))
