"""Lands all edits of one text, in whatever order the reply gives them.

Every edit is first located in the text that the model saw, so edits that do not touch each other may come in any
order, and all of them are made at once. Only an edit that is not found there, or whose characters an earlier edit
changed, or that is there less exactly, is located in the result of the edits before it. What several blocks show
together is in `first_answers`.

Invariants: an edit never lands in text that only a *later* block brings in; two blocks never change the same
characters differently; nothing outside the edits of a `Landed` changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from dovetail.match import AlreadyApplied, Ambiguous, Document, Match, NoMatch, Outcome
from dovetail.model.blocks import searches
from dovetail.model.codes import ALL_TIERS, Code, Tier
from dovetail.model.text import Edit, Span, split_lines, to_lf
from dovetail.model.work import spend
from dovetail.plan.first_answers import BUT_FOR_BLANKS, Duplicate, FirstAnswer, first_answers, first_lines, refusal
from dovetail.plan.landings import Landed, Landing, Present, Refused
from dovetail.plan.locator import Found, Locator
from dovetail.plan.offsets import Versions
from dovetail.plan.pending import Pending, PendingEdit, placed
from dovetail.plan.request import EditRequest
from dovetail.text.line import distinctive, worded_lines

_COPIED = 500  # characters that are copied and looked through in the time of one step
_SHORT = 500  # characters of a line beside a change in it
_TELLING = 3  # distinctive lines that one edit adds and another deletes; fewer may agree by chance


def land_in_sequence(
    document: Document, requests: Sequence[EditRequest], locator: Locator
) -> tuple[dict[int, Landing], Versions]:
    """Land `requests`, given in the reply's order; the landings, by number, stand in that order too."""
    answers = first_answers(document, requests, locator)
    present = {
        index: first.outcome.span
        for index, first in enumerate(answers)
        if isinstance(first, Found) and isinstance(first.outcome, AlreadyApplied)
    }
    sequence = _Sequence(Versions(document), locator)
    moved = {*_moved_lines(document, answers, present), *_asked_anew(requests, answers, present)} if present else ()
    # The reply's order is kept (the sort is stable) but for two kinds. An edit whose new lines stand there only until
    # another edit of this reply takes them away must see the file without them, so it waits (1). A duplicate becomes
    # whatever its twin became, so it comes when all others have landed (2).
    order = sorted(range(len(requests)), key=lambda i: 2 if isinstance(answers[i], Duplicate) else i in moved)
    for index in order:
        sequence.take(requests[index], answers[index])
    sequence.flush()
    landings = {request.n: sequence.done[request.n][1] for request in requests}
    if not (rivals := _rivals(requests, landings)):
        return landings, sequence.versions
    # Neither of two rivals may be written, but the first of them has been made in `sequence`, and others may have
    # landed in its result. So all others are landed anew without the two.
    others, versions = land_in_sequence(document, [request for request in requests if request.n not in rivals], locator)
    found = {request.n: locator.find(document, request) for request in requests if request.n in rivals}
    return {n: Refused(found[n], blocker=rivals[n]) if n in rivals else others[n] for n in landings}, versions


def _rivals(requests: Sequence[EditRequest], landings: Mapping[int, Landing]) -> dict[int, int]:
    """Return pairs of edits with the same search that cannot both be made, by number, in both directions.

    The reply retracts one of the two, or leaves the choice to its reader; their order does not say which.
    """
    blocked = {n: one.blocker for n, one in landings.items() if isinstance(one, Refused) and one.blocker is not None}
    asked = {request.n: searches(request.block) for request in requests} if blocked else {}
    found: dict[int, int] = {}
    for n, other in blocked.items():
        if asked[n] == asked[other]:
            found |= {other: n, n: other}
    return found


def _moved_lines(document: Document, answers: Sequence[FirstAnswer], present: Mapping[int, Span]) -> set[int]:
    """Return the indices of edits `present` already whose lines other edits delete; they are made after those.

    One block adds `self.shelf = shelf` above a blank line, another deletes it below: the line to be deleted looks like
    the added one, with only a blank line between.
    """
    gone = sorted(
        (edit.span.start, edit.span.end)
        for first in answers
        if isinstance(first, Found) and isinstance(first.outcome, Match)
        for edit in first.outcome.edits
        if not edit.text.strip() and edit.span.of(document.raw).strip()
    )
    # furthest[k]: the furthest end of the first k deletions. `bisect_left` counts those that begin before `span.end`,
    # so one comparison tells whether any of them reaches into the span, in linear time.
    furthest = [0, *accumulate((end for _, end in gone), max)]
    return {index for index, span in present.items() if furthest[bisect_left(gone, (span.end,))] > span.start}


def _asked_anew(
    requests: Sequence[EditRequest], answers: Sequence[FirstAnswer], present: Mapping[int, Span]
) -> Iterator[int]:
    """Return the edits `present` already whose new lines another edit quotes with the lines beside them, and takes
    away: the model saw them there, and still asks for them. They are landed after that edit.

    An edit of what an earlier one of the reply brings quotes that one's lines alone, or keeps some of them. Of 5,100
    real replies, calls and reports this turns one report right, and changes no other.
    """
    hits = {i: a.outcome.span for i, a in enumerate(answers) if isinstance(a, Found) and isinstance(a.outcome, Match)}
    spend(len(present) * len(hits))
    for index, span in present.items():
        own, new = (
            Counter(worded_lines(text)) for text in (requests[index].block.search, requests[index].block.replace)
        )
        if sum(map(distinctive, brought := new - own)) < _TELLING:
            continue
        for other in (requests[n].block for n, hit in hits.items() if hit.meets(span)):
            quoted = Counter(worded_lines(other.search))
            # the other deletes all that this one adds, quotes more than that, and none of what this one quotes
            if brought <= quoted - Counter(worded_lines(other.replace)) and not quoted <= new and not quoted & own:
                yield index


@dataclass
class _Sequence:
    """Lands the requests one by one. `done` has each with its landing by its number, in the order they were taken.

    `pending` holds edits of the newest version; `new_lines` are those that edits make, without their blanks; those of
    `unread`, each with the text that it is made in, are still to be looked at.
    """

    versions: Versions
    locator: Locator
    done: dict[int, tuple[EditRequest, Landing]] = field(default_factory=dict)
    pending: Pending = field(default_factory=Pending)
    new_lines: set[str] = field(default_factory=set)
    unread: list[tuple[str, Edit]] = field(default_factory=list)

    def take(self, request: EditRequest, first: FirstAnswer) -> None:
        """Land one request, whose first answer was found in version 0."""
        self.done[request.n] = request, self._land(request, first)

    def flush(self) -> None:
        """Make the pending edits, as the next version."""
        if self.pending:
            self.versions.commit(self.pending.edits)
            self.pending = Pending()

    def _land(self, request: EditRequest, first: FirstAnswer) -> Landing:
        match first:
            case Duplicate(n=n):
                return self._as_duplicate(n)
            case Refused():
                return first
            case Found(outcome=Match(edits=(), span=span)):
                return Present(span, 0)
            # it changes nothing, whichever place is meant
            case Found(outcome=Ambiguous(places=places)) if request.changes_nothing:
                return Present(places[0], 0)
            case Found(outcome=Match() as hit):
                return self._land_match(request, first, hit)
            case Found(outcome=AlreadyApplied(span=span)):
                # What stands there may go with an earlier edit, or the search may come with one; only an answer that
                # lands counts. The cheap question comes before `_brought_in`, which copies the text.
                anew = self._changed_by_earlier(span) or (
                    self._may_be_new(request) and self._brought_in(request, _without_blanks)
                )
                again = self._again(request, first) if anew else None
                return again if isinstance(again, Landed) else Present(span, 0)
            # locating again would take as much work
            case Found(outcome=NoMatch(code=Code.TOO_LARGE)):
                return Refused(first)
            case Found():
                return self._again(request, first)

    def _as_duplicate(self, n: int) -> Landing:
        match landing := self.done[n][1]:
            case Landed(span=span, origin=origin):
                return Present(span, origin, duplicate_of=n)
            case Present() | Refused():
                return landing

    def _land_match(self, request: EditRequest, first: Found, hit: Match) -> Landing:
        # `log(` is to be replaced everywhere, and an earlier edit adds a further `log(`: it may be meant or not
        if request.block.replace_all and (maker := self._maker_of_more(request)) is not None:
            return Refused(first, blocker=maker)
        # A loose place may be second best: an earlier edit may have brought in the search to the letter, or ended
        # right beside the place with lines that belong to it.
        if hit.tier is not Tier.EXACT and (
            self._changed_by_earlier(_and_beside(hit.span)) or self._brought_in(request)
        ):
            again = self._again(request, first)
            if isinstance(again, Landed | Present):
                return again
        # only the characters that change count: two edits may quote the same line and change different ones
        touched = next((edit.span for edit in hit.edits if self.versions.touched(edit.span)), None)
        if touched is not None:
            return self._again(request, first, self._changer(touched))
        # from here on all offsets are in the newest version, as those of the pending edits are
        whole = placed(request, hit, [self.versions.lifted(edit) for edit in hit.edits])
        left = self._left(request, hit, whole) if self.pending.beside(whole) else whole
        own = [rest for rest in left if isinstance(rest, PendingEdit)]
        blocker = next((n for rest in own if (n := self.pending.blocker(rest.edit)) is not None), None)
        if blocker is not None:
            return self._again(request, first, blocker)
        if not own:
            # Others make all of it. If it had several places, one that they leave may be meant; else it is done.
            maker = next((n for n in left if isinstance(n, int)), None)
            return self._again(request, first, maker) if hit.others else Present(hit.span, 0, duplicate_of=maker)
        landed, edits = self._less(hit, whole, left)
        self._add(own)
        lines = first_lines(self.versions.first, hit.others and hit.places)
        return Landed(landed, 0, self.versions.latest, tuple(edits), lines)

    def _left(self, request: EditRequest, hit: Match, whole: Sequence[PendingEdit]) -> Sequence[PendingEdit | int]:
        """Return for each edit of a match what is left of it once the pending ones are made (`Pending.left_of`)."""
        region, asked = self.versions.forward(hit.span, 0), [needle.replace for needle in request.needles]
        return self.pending.left_of(
            whole, region, asked, self.versions.document.raw, lambda: self._without_blanks_lines
        )

    def _less(
        self, hit: Match, whole: Sequence[PendingEdit], left: Sequence[PendingEdit | int]
    ) -> tuple[Match, Sequence[Edit]]:
        """Return the match with only the edits it still makes, in version 0, and those edits in the newest version."""
        # `edit` is in version 0, `item` and `rest` in the newest; the difference of the first two takes the rest
        # back. What another block makes whole (`has`) counts as this block's too, a part of a larger edit does not.
        remaining = [
            (edit.span.start - item.edit.span.start, rest.edit if isinstance(rest, PendingEdit) else item.edit)
            for edit, item, rest in zip(hit.edits, whole, left, strict=True)
            if isinstance(rest, PendingEdit) or self.pending.has(item.edit)
        ]
        return hit._replace(edits=tuple(edit.shifted(by) for by, edit in remaining)), [edit for _, edit in remaining]

    def _again(self, request: EditRequest, first: Found, blocker: int | None = None) -> Landing:
        """Locate again in the result of the earlier edits; keep the first answer unless the new one is better."""
        self.flush()
        origin = self.versions.latest
        # no earlier edit was made, so there is no other text to search
        if origin == 0:
            return refusal(first, self.versions.first)
        found = self.locator.find_or_miss(self.versions.document, request)
        match found.outcome:
            case NoMatch(code=Code.TOO_LARGE):
                return Refused(found)
            # A place counts only if an earlier edit is why it is there (`_depends`). Without that, an edit whose
            # lines were changed before would land at their next best likeness.
            case Match(edits=(), span=span) | AlreadyApplied(span=span) if self._depends(first.outcome, span):
                return Present(span, origin, duplicate_of=blocker)
            case Match(first=True) if isinstance(first.outcome, Ambiguous):
                return refusal(first, self.versions.first)  # the first of all is not the one behind the hunk before
            case Match() as hit if self._depends(first.outcome, hit.span, hit.tier):
                self._add(placed(request, hit, hit.edits))
                lines = first_lines(self.versions.document, hit.others and hit.places)
                return Landed(hit, origin, origin, hit.edits, lines)
            case _:
                return self._refused(request, first, found, blocker)

    def _refused(self, request: EditRequest, first: Found, found: Found, blocker: int | None) -> Landing:
        spend(2 * len(self.done))
        for earlier, landing in self.done.values():
            if isinstance(landing, Landed) and earlier.same_edit(request):
                return Present(landing.span, landing.origin, duplicate_of=earlier.n)
        if blocker is not None:
            return Refused(first, blocker=blocker)
        # earlier edits made it ambiguous: its places are more useful than the miss in the first text
        if isinstance(found.outcome, Ambiguous) and not isinstance(first.outcome, Ambiguous):
            return refusal(found, self.versions.document)
        return refusal(first, self.versions.first)

    def _depends(self, first: Outcome, span: Span, tier: Tier = Tier.EXACT) -> bool:
        """Return whether a place in the newest version comes from earlier edits, and is not just a second choice."""
        match first:
            # it had several places, of which earlier edits left this one; a looser match would be a further place
            case Match(others=(_, *_), tier=found_at) | Ambiguous(tier=found_at):
                return ALL_TIERS.index(tier) <= ALL_TIERS.index(found_at)
            # found exactly in the text of an earlier edit, and only loosely in the text before
            case Match(tier=found_at) if tier is Tier.EXACT is not found_at and self.versions.brings_in(span):
                return True
            case AlreadyApplied() if tier in BUT_FOR_BLANKS and self.versions.brings_in(span):
                return True
            # the same place as before, if its span mapped back to version 0 touches that
            case Match(span=place) | AlreadyApplied(span=place):
                return self.versions.back(span, self.versions.latest).touches(place)
            case NoMatch():
                return self.versions.brings_in(span)

    def _changed_by_earlier(self, span: Span) -> bool:
        """Return whether an earlier edit changed anything in a span of version 0."""
        if self.versions.touched(span):
            return True
        return self.pending.meets(self.versions.forward(span, 0))

    def _brought_in(self, request: EditRequest, form: Callable[[str], str] = str) -> bool:
        """Return whether the earlier edits bring in what the request quotes, exactly or in some `form`."""
        if self.versions.latest == 0 and not self.pending:
            return False
        spend(len(self.versions.document.raw) // _COPIED)
        text = form(to_lf(self.pending.text(self.versions.document.raw)))
        return any(form(needle.search) in text for needle in request.needles)

    def _maker_of_more(self, request: EditRequest) -> int | None:
        """Return the block that brings in a further place for a `replace_all` edit, or None."""
        spend(2 * len(self.done))
        for earlier, landing in self.done.values():
            texts = [edit.text for edit in landing.edits] if isinstance(landing, Landed) else []
            if any(needle.search in text for needle in request.needles for text in texts):
                return earlier.n
        return None

    def _may_be_new(self, request: EditRequest) -> bool:
        """Return whether a search is not in version 0, but each of its lines is there or among the new ones, blanks
        aside."""
        while self.unread:
            self.new_lines.update(map(_without_blanks, split_lines(_with_rest_of_line(*self.unread.pop()))))
        return any(
            set(map(_without_blanks, split_lines(needle.search))) - self.new_lines <= self._without_blanks_lines
            and _without_blanks(needle.search) not in self._without_blanks
            for needle in (request.needles if self.new_lines else ())
        )

    @cached_property
    def _without_blanks(self) -> str:
        """Version 0 without its blanks."""
        return _without_blanks(self.versions.first.raw)

    @cached_property
    def _without_blanks_lines(self) -> frozenset[str]:
        """The lines of version 0 without their blanks."""
        return frozenset(map(_without_blanks, self.versions.first.lines))

    def _changer(self, span: Span) -> int:
        """Return the first block whose edits, in offsets of version 0, meet a span of it."""
        spend(2 * len(self.done))
        landed = ((n, one) for n, (_, one) in self.done.items() if isinstance(one, Landed))
        edits = ((n, self.versions.back(edit.span, one.made_in)) for n, one in landed for edit in one.edits)
        return next((n for n, changed in edits if changed.meets(span)), next(reversed(self.done)))

    def _add(self, items: Iterable[PendingEdit]) -> None:
        """Make edits pending."""
        for item in items:
            self.pending.add(item)
            self.unread.append((self.versions.document.raw, item.edit))


def _with_rest_of_line(raw: str, edit: Edit) -> str:
    """Return the lines that an edit makes, with at most `_SHORT` characters of the line on either side of it."""
    start, end = edit.span.start, edit.span.end
    above, below = max(0, start - _SHORT), min(len(raw), end + _SHORT)
    # `first` is 0 and `last` is -1 where no line end is within reach: then the long line is cut there
    first, last = raw.rfind("\n", above, start) + 1, raw.find("\n", end, below)
    return raw[first or above : start] + edit.text + raw[end : last if last >= 0 else below]


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _and_beside(span: Span) -> Span:
    """Return a span widened by one character at either side."""
    return Span(max(0, span.start - 1), span.end + 1)
