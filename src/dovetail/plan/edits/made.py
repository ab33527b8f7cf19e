"""Whether all edits of a text were made already, where later ones changed again what earlier ones had made.

The text then holds nothing of what an earlier one asked for. So they are taken back, from the last one on: each must
stand in what taking back those behind it leaves, and must give that to the letter where it is made again. Whether a
single edit stands is asked of `match` at each step; nothing counts as made here that would not there, but for the
deletion of what an earlier edit brought in: alone it leaves nothing that shows it, and here the earlier one does.
An edit that is nowhere else is left out of this: it was refused before, as it is now.
Each step reads a text anew, so many edits of a large one are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.match import AlreadyApplied, Document, Match, NoMatch
from dovetail.model.codes import Tier
from dovetail.model.text import Span, apply_edits, to_lf
from dovetail.plan.edits.landings import Landing, Refused, Stands
from dovetail.plan.edits.locator import Found, Locator
from dovetail.plan.edits.settle import Settled
from dovetail.plan.edits.versions import Versions
from dovetail.plan.request import Request

_MOST = 20_000_000  # characters of all those texts


def stood_already(
    document: Document, requests: Sequence[Request], settled: Sequence[Settled], locator: Locator
) -> dict[int, Landing] | None:
    """The landings of edits, some of which stand in `document` or are nowhere, where it turns out that all stand but
    some that are nowhere; None where one does not."""
    found = {r.n: first for r, first in zip(requests, settled, strict=True) if isinstance(first, Found)}
    tries: list[dict[int, Landing]] = [{}]
    if nowhere := {n: Refused(first) for n, first in found.items() if isinstance(first.outcome, NoMatch)}:
        tries.append({**nowhere})
    for refused in tries:
        rest = [request for request in requests if request.n not in refused]
        if rest and (places := _made(document, rest, locator)) is not None:
            stood = {request.n: Stands(place, 0) for request, place in zip(rest, places, strict=True)}
            return {request.n: (refused | stood)[request.n] for request in requests}
    return None


def _made(document: Document, requests: Sequence[Request], locator: Locator) -> list[Span] | None:
    """Where in `document` each edit stands; None where one of them does not."""
    if len(document.raw) * len(requests) > _MOST:
        return None
    versions = Versions(document)
    places: list[Span] = []
    for n, request in reversed(tuple(enumerate(requests))):
        after = versions.document
        stands = locator.find(after, request).outcome
        unseen = isinstance(stands, NoMatch) and _may_be_unseen(after, request, requests[:n])
        if not unseen and not isinstance(stands, AlreadyApplied):
            return None
        back = locator.find(after, request.turned).outcome
        if not isinstance(back, Match) or back.others or (unseen and back.tier is not Tier.EXACT):
            return None
        place = stands.span if isinstance(stands, AlreadyApplied) else back.span
        places.append(versions.back(place, versions.latest))
        versions.commit(back.edits)
        again = locator.find(versions.document, request).outcome
        if not isinstance(again, Match) or apply_edits(versions.document.raw, again.edits) != after.raw:
            return None
    return places[::-1]


def _may_be_unseen(document: Document, request: Request, earlier: Sequence[Request]) -> bool:
    """Whether an edit quotes what an earlier one brings in, and leaves what stands in `document`."""
    new = [needle.replace for one in earlier for needle in one.needles]
    quoting = [
        needle for needle in request.needles if needle.search.strip() and any(needle.search in text for text in new)
    ]
    text = to_lf(document.raw) if quoting else ""
    return any(needle.replace in text for needle in quoting if needle.replace.strip())
