"""Whether all edits of a text were made already, where later ones changed again what earlier ones had made.

The text then holds nothing of what an earlier one asked for. So they are taken back, from the last one on: each must
stand in what taking back those behind it leaves, and must give that to the letter where it is made again. Whether a
single edit stands is asked of `match` at each step; nothing counts as made here that would not there.
Each step reads a text anew, so many edits of a large one are not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.match import AlreadyApplied, Document, Match
from dovetail.model.text import Span, apply_edits
from dovetail.plan.edits.locator import Locator
from dovetail.plan.edits.versions import Versions
from dovetail.plan.request import Request

_MOST = 20_000_000  # characters of all those texts


def made(document: Document, requests: Sequence[Request], locator: Locator) -> list[Span] | None:
    """Where in `document` each edit stands; None where one of them does not."""
    if len(document.raw) * len(requests) > _MOST:
        return None
    versions = Versions(document)
    places: list[Span] = []
    for request in reversed(requests):
        after = versions.document
        stands = locator.find(after, request).outcome
        back = locator.find(after, request.turned).outcome if isinstance(stands, AlreadyApplied) else None
        if not isinstance(stands, AlreadyApplied) or not isinstance(back, Match) or back.others:
            return None
        places.append(versions.back(stands.span, versions.latest))
        versions.commit(back.edits)
        again = locator.find(versions.document, request).outcome
        if not isinstance(again, Match) or apply_edits(versions.document.raw, again.edits) != after.raw:
            return None
    return places[::-1]
