"""Lands all edits of one text, in whatever order the reply gives them.

The idea: every edit is first located in the text that the model saw, so edits that do not touch each other may come
in any order, and all of them are made at once. Only an edit that is not found there, or whose characters an earlier
edit changed, or that stands there less exactly, is located in the result of the edits before it.

Invariants: an edit never lands in text that only a *later* block brings in; two blocks never change the same
characters differently; nothing outside the edits of a `Landed` changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

from dovetail.match import AlreadyApplied, Ambiguous, Document, Match, NoMatch, Outcome
from dovetail.model.codes import ALL_TIERS, Tier
from dovetail.model.text import Edit, Span, apply_edits, split_lines, to_lf
from dovetail.plan.edits.landings import Landed, Landing, Refused, Stands
from dovetail.plan.edits.locator import Found, Locator
from dovetail.plan.edits.pending import Pending, Waiting, placed
from dovetail.plan.edits.settle import Settled, Twin, settle
from dovetail.plan.edits.versions import Versions
from dovetail.plan.request import Request, searches

_BUT_FOR_BLANKS = frozenset((Tier.EXACT, Tier.TRAILING_SPACE, Tier.INDENTATION, Tier.WHITESPACE))
_SHORT = 500  # characters of a line beside a change in it


def land(document: Document, requests: Sequence[Request], locator: Locator) -> tuple[dict[int, Landing], Versions]:
    """Land `requests`, given in the reply's order; the landings, by number, stand in that order too."""
    settled = settle(document, requests, locator)
    standing = {
        index: first.outcome.span
        for index, first in enumerate(settled)
        if isinstance(first, Found) and isinstance(first.outcome, AlreadyApplied)
    }
    walk = _Walk(Versions(document), locator)
    undone = _undone(document, settled, standing) if standing else ()
    order = sorted(range(len(requests)), key=lambda i: 2 if isinstance(settled[i], Twin) else i in undone)
    for index in order:
        walk.take(requests[index], settled[index])
    walk.flush()
    landings = {request.n: walk.done[request.n][1] for request in requests}
    if not (rivals := _rivals(requests, landings)):
        return landings, walk.versions
    others, versions = land(document, [request for request in requests if request.n not in rivals], locator)
    found = {request.n: locator.find(document, request) for request in requests if request.n in rivals}
    return {n: Refused(found[n], blocker=rivals[n]) if n in rivals else others[n] for n in landings}, versions


def _rivals(requests: Sequence[Request], landings: Mapping[int, Landing]) -> dict[int, int]:
    """The edits of one search that cannot all be made, each with another one: the reply retracts one of them, or leaves
    the choice to its reader, and that it comes first speaks for none."""
    blocked = {n: one.blocker for n, one in landings.items() if isinstance(one, Refused) and one.blocker is not None}
    asked = {request.n: searches(request.block) for request in requests} if blocked else {}
    found: dict[int, int] = {}
    for n, other in blocked.items():
        if asked[n] == asked[other]:
            found |= {other: n, n: other}
    return found


def _undone(document: Document, settled: Sequence[Settled], standing: Mapping[int, Span]) -> set[int]:
    """Those of the edits `standing` already that stand in lines which others delete: they are taken behind those, and
    made there.

    Lines that move come as lines to be added and lines to be deleted, and between the two may be no more than a blank.
    """
    gone = sorted(
        (edit.span.start, edit.span.end)
        for first in settled
        if isinstance(first, Found) and isinstance(first.outcome, Match)
        for edit in first.outcome.edits
        if not edit.text.strip() and edit.span.of(document.raw).strip()
    )
    furthest = [0, *accumulate((end for _, end in gone), max)]
    return {index for index, span in standing.items() if furthest[bisect_left(gone, (span.end,))] > span.start}


@dataclass
class _Walk:
    """Takes the requests one by one. `done` has each with its landing by its number, in the order they were taken.

    `pending` holds edits of the newest version; `new_lines` are those that edits make, without their blanks; those of
    `unread`, each with the text that it is made in, are still to be looked at.
    """

    versions: Versions
    locator: Locator
    done: dict[int, tuple[Request, Landing]] = field(default_factory=dict)
    pending: Pending = field(default_factory=Pending)
    new_lines: set[str] = field(default_factory=set)
    unread: list[tuple[str, Edit]] = field(default_factory=list)

    def take(self, request: Request, first: Settled) -> None:
        """Land one request, whose first answer was found in version 0."""
        self.done[request.n] = request, self._land(request, first)

    def flush(self) -> None:
        """Make the pending edits, as the next version."""
        if self.pending:
            self.versions.commit(self.pending.edits)
            self.pending = Pending()

    def _land(self, request: Request, first: Settled) -> Landing:
        match first:
            case Twin(n=n):
                return self._as_twin(n)
            case Found(outcome=Match(edits=(), span=span)):
                return Stands(span, 0)
            case Found(outcome=Ambiguous(places=places)) if request.changes_nothing:
                return Stands(places[0], 0)
            case Found(outcome=Match() as hit):
                return self._land_match(request, first, hit)
            case Found(outcome=AlreadyApplied(span=span)):
                anew = self._disturbed(span) or (self._may_be_new(request) and self._brought_in(request, _unblanked))
                again = self._again(request, first) if anew else None
                return again if isinstance(again, Landed) else Stands(span, 0)
            case Found():
                return self._again(request, first)

    def _as_twin(self, n: int) -> Landing:
        match landing := self.done[n][1]:
            case Landed(span=span, origin=origin):
                return Stands(span, origin, twin=n)
            case Stands() | Refused():
                return landing

    def _land_match(self, request: Request, first: Found, hit: Match) -> Landing:
        if hit.tier is not Tier.EXACT and (self._disturbed(_and_beside(hit.span)) or self._brought_in(request)):
            again = self._again(request, first)
            if isinstance(again, Landed | Stands):
                return again
        touched = next((edit.span for edit in hit.edits if self.versions.touched(edit.span)), None)
        if touched is not None:
            return self._again(request, first, self._changer(touched))
        whole = placed(request, hit, [self.versions.lifted(edit) for edit in hit.edits])
        left = self._left(request, hit, whole) if self.pending.beside(whole) else whole
        own = [rest for rest in left if isinstance(rest, Waiting)]
        blocker = next((n for rest in own if (n := self.pending.blocker(rest.edit)) is not None), None)
        if blocker is not None:
            return self._again(request, first, blocker)
        if not own:
            maker = next((n for n in left if isinstance(n, int)), None)
            return self._again(request, first, maker) if hit.others else Stands(hit.span, 0, twin=maker)
        landed, edits = (hit, [item.edit for item in whole]) if left == whole else self._less(hit, whole, left)
        self._add(own)
        lines = _lines(self.versions.first, hit.others and hit.places)
        return Landed(landed, 0, self.versions.latest, tuple(edits), lines)

    def _left(self, request: Request, hit: Match, whole: Sequence[Waiting]) -> Sequence[Waiting | int]:
        """What is left of the edits of a match, for each, where the pending ones are made."""
        region, asked = self.versions.forward(hit.span, 0), [needle.replace for needle in request.needles]
        return self.pending.left_of(whole, region, asked, self.versions.document.raw, lambda: self._unblanked_lines)

    def _less(
        self, hit: Match, whole: Sequence[Waiting], left: Sequence[Waiting | int]
    ) -> tuple[Match, Sequence[Edit]]:
        """A match without what others make of its edits, and what it still makes, told in the newest version."""
        made = [
            (edit.span.start - item.edit.span.start, rest.edit if isinstance(rest, Waiting) else item.edit)
            for edit, item, rest in zip(hit.edits, whole, left, strict=True)
            if isinstance(rest, Waiting) or self.pending.has(item.edit)
        ]
        return replace(hit, edits=tuple(edit.shifted(by) for by, edit in made)), [edit for _, edit in made]

    def _again(self, request: Request, first: Found, blocker: int | None = None) -> Landing:
        """Locate in the result of the earlier edits; the first answer stands where that says nothing better."""
        self.flush()
        origin = self.versions.latest
        if origin == 0:
            return _refused(first, self.versions.first)
        found = self.locator.find(self.versions.document, request)
        match found.outcome:
            case Match(edits=(), span=span) | AlreadyApplied(span=span) if self._depends(first.outcome, span):
                return Stands(span, origin, twin=blocker)
            case Match() as hit if self._depends(first.outcome, hit.span, hit.tier):
                self._add(placed(request, hit, hit.edits))
                lines = _lines(self.versions.document, hit.others and hit.places)
                return Landed(hit, origin, origin, hit.edits, lines)
            case _:
                return self._refused(request, first, found, blocker)

    def _refused(self, request: Request, first: Found, found: Found, blocker: int | None) -> Landing:
        for earlier, landing in self.done.values():
            if isinstance(landing, Landed) and earlier.same_edit(request):
                return Stands(landing.span, landing.origin, twin=earlier.n)
        if blocker is not None:
            return Refused(first, blocker=blocker)
        if isinstance(found.outcome, Ambiguous) and not isinstance(first.outcome, Ambiguous):
            return _refused(found, self.versions.document)
        return _refused(first, self.versions.first)

    def _depends(self, first: Outcome, span: Span, tier: Tier = Tier.EXACT) -> bool:
        """Whether a place in the newest version is there because of earlier edits, and not a second choice."""
        match first:
            case Match(others=(_, *_), tier=found_at) | Ambiguous(tier=found_at):
                return ALL_TIERS.index(tier) <= ALL_TIERS.index(found_at)
            case Match(tier=found_at) if tier is Tier.EXACT is not found_at and self.versions.fresh(span):
                return True
            case AlreadyApplied() if tier in _BUT_FOR_BLANKS and self.versions.fresh(span):
                return True
            case Match(span=place) | AlreadyApplied(span=place):
                return self.versions.back(span, self.versions.latest).touches(place)
            case NoMatch():
                return self.versions.fresh(span)

    def _disturbed(self, span: Span) -> bool:
        """Whether an earlier edit changed anything in a span of version 0."""
        if self.versions.touched(span):
            return True
        return self.pending.meets(self.versions.forward(span, 0))

    def _brought_in(self, request: Request, told: Callable[[str], str] = str) -> bool:
        """Whether the earlier edits bring in what the request quotes, to the letter or as `told`."""
        if self.versions.latest == 0 and not self.pending:
            return False
        text = told(to_lf(apply_edits(self.versions.document.raw, self.pending.edits)))
        return any(told(needle.search) in text for needle in request.needles)

    def _may_be_new(self, request: Request) -> bool:
        """Whether a search is nowhere in version 0, and each of its lines is there or among the new ones, blanks
        aside."""
        while self.unread:
            self.new_lines.update(map(_unblanked, split_lines(_with_rest_of_line(*self.unread.pop()))))
        return any(
            set(map(_unblanked, split_lines(needle.search))) - self.new_lines <= self._unblanked_lines
            and _unblanked(needle.search) not in self._unblanked
            for needle in (request.needles if self.new_lines else ())
        )

    @cached_property
    def _unblanked(self) -> str:
        """Version 0 without its blanks."""
        return _unblanked(self.versions.first.raw)

    @cached_property
    def _unblanked_lines(self) -> frozenset[str]:
        """The lines of version 0 without their blanks."""
        return frozenset(map(_unblanked, self.versions.first.lines))

    def _changer(self, span: Span) -> int:
        """The first block whose edits, told in version 0, meet a span of it."""
        landed = ((n, one) for n, (_, one) in self.done.items() if isinstance(one, Landed))
        edits = ((n, self.versions.back(edit.span, one.made_in)) for n, one in landed for edit in one.edits)
        return next((n for n, changed in edits if changed.meets(span)), next(reversed(self.done)))

    def _add(self, items: Iterable[Waiting]) -> None:
        """Make edits pending."""
        for item in items:
            self.pending.add(item)
            self.unread.append((self.versions.document.raw, item.edit))


def _with_rest_of_line(raw: str, edit: Edit) -> str:
    """The lines that an edit of a text makes; of what stands beside its own, no more than is short."""
    start, end = edit.span.start, edit.span.end
    above, below = max(0, start - _SHORT), min(len(raw), end + _SHORT)
    first, last = raw.rfind("\n", above, start) + 1, raw.find("\n", end, below)
    return raw[first or above : start] + edit.text + raw[end : last if last >= 0 else below]


def _refused(found: Found, document: Document) -> Refused:
    outcome = found.outcome
    return Refused(found, _lines(document, outcome.places) if isinstance(outcome, Ambiguous) else ())


def _lines(document: Document, places: Sequence[Span]) -> tuple[int, ...]:
    """First lines of places, from 1, each once."""
    return tuple(dict.fromkeys([document.line_at(place.start) + 1 for place in places]))


def _unblanked(text: str) -> str:
    return "".join(text.split())


def _and_beside(span: Span) -> Span:
    """A span with one character more at either side."""
    return Span(max(0, span.start - 1), span.end + 1)
