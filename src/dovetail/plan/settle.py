"""The first look at a text's edits together: what each finds in the text that the model saw.

Two kinds of evidence need more than one block. Equal blocks share out the places there are, so that it does not
matter which takes which. An ambiguous edit may stand between its neighbours in the reply, where the located ones
show that the reply follows the file's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from dovetail.match import AlreadyApplied, Ambiguous, Document, Match, Needle, Neighbours
from dovetail.model.blocks import Hints
from dovetail.model.text import Span
from dovetail.plan.locator import Found, Locator, Request

_ORDERLY = 2  # located edits that must agree with the file's order before order says anything


@dataclass(frozen=True, slots=True)
class Twin:
    """The same edit as block `n`, which already does what there is to do."""

    n: int


Settled = Found | Twin


def settle(document: Document, requests: Sequence[Request], locator: Locator, path: str) -> list[Settled]:
    """Locate every request in `document`; answers stand in the requests' order."""
    settled: list[Settled] = [locator.find(document, request, path) for request in requests]
    for group in _equal_groups(requests):
        _share(document, requests, settled, group, locator, path)
    _ask_neighbours(document, requests, settled, locator, path)
    return settled


def _equal_groups(requests: Sequence[Request]) -> list[list[int]]:
    groups: dict[tuple[Needle, ...], list[int]] = {}
    for index, request in enumerate(requests):
        if request.given is None:
            groups.setdefault(request.needles, []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _share(
    document: Document,
    requests: Sequence[Request],
    settled: list[Settled],
    group: Sequence[int],
    locator: Locator,
    path: str,
) -> None:
    """Give the places to equal blocks in order; blocks beyond the last place have nothing left to do."""
    first = settled[group[0]]
    if not isinstance(first, Found) or len(first.readings) > 1:
        return
    needle = requests[group[0]].needles[first.readings[0]]
    places = _places(first, needle)
    if len(places) > 1:
        chosen = places[: len(group)]
        if isinstance(first.outcome, Ambiguous) and len(places) > len(group):
            return
        answers = [
            _at(document, requests[i], needle, place, locator, path) for i, place in zip(group, chosen, strict=False)
        ]
        if not all(isinstance(a.outcome, Match | AlreadyApplied) for a in answers):
            return
        for index, answer in zip(group, answers, strict=False):
            settled[index] = answer
    for index in group[max(1, len(places)) :] if places else ():
        settled[index] = Twin(requests[group[0]].n)


def _places(found: Found, needle: Needle) -> tuple[Span, ...]:
    match found.outcome:
        case Match(span=span) if needle.replace_all:
            return (span,)
        case Match(span=span, others=others):
            return (span, *others)
        case Ambiguous(places=places):
            return places
        case _:
            return ()


def _at(document: Document, request: Request, needle: Needle, place: Span, locator: Locator, path: str) -> Found:
    """The answer for one of several places, named by its line and by where it stands."""
    told = replace(needle, hints=Hints(line=document.line_at(place.start) + 1))
    around = Neighbours(after=place.start, before=place.end)
    found = locator.find(document, replace(request, needles=(told,)), path, around)
    match found.outcome:
        case Match(span=span) as hit if span == place:
            return Found(replace(hit, others=()))
        case AlreadyApplied():
            return found
        case _:
            return Found(Ambiguous(request.tiers[0], (place,)))


def _ask_neighbours(
    document: Document, requests: Sequence[Request], settled: list[Settled], locator: Locator, path: str
) -> None:
    located = {index: span for index, answer in enumerate(settled) if (span := _certain(answer)) is not None}
    in_order = all(a.end <= b.start for a, b in pairwise(located.values()))
    if len(located) < _ORDERLY or not in_order:
        return
    for index, answer in enumerate(settled):
        if isinstance(answer, Found) and isinstance(answer.outcome, Ambiguous) and len(answer.readings) == 1:
            neighbours = Neighbours(
                after=max((span.end for i, span in located.items() if i < index), default=None),
                before=min((span.start for i, span in located.items() if i > index), default=None),
            )
            asked = locator.find(document, requests[index], path, neighbours)
            if isinstance(asked.outcome, Match):
                settled[index] = asked


def _certain(answer: Settled) -> Span | None:
    match answer:
        case Found(outcome=Match(span=span, others=())) | Found(outcome=AlreadyApplied(span=span)):
            return span
        case _:
            return None
