"""Decides between the places that a rung of the ladder found; all rungs share this decision.

Of several places one is chosen, or the edit is ambiguous; an edit of all places is made at all of them or at none. The
text at the chosen place decides further: the edit lands there, is already applied, or is in conflict.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import partial
from typing import TYPE_CHECKING

from dovetail.match.applied import applied_at, replacement_places, shows
from dovetail.match.hints import choose, strays
from dovetail.match.landing.candidates import Lines
from dovetail.match.landing.fit import Obstacle
from dovetail.match.landing.indent import reindented
from dovetail.match.landing.land import land
from dovetail.match.outcome import NO_NEIGHBOURS, AlreadyApplied, Ambiguous, Match, Needle, Neighbours, Outcome
from dovetail.match.refusals import conflict, displaced, miscounted, strayed
from dovetail.model.blocks import NO_HINTS
from dovetail.model.codes import Occurrence, Tier
from dovetail.model.text import Edit, Span, apply_edits, to_lf
from dovetail.model.work import spend
from dovetail.text.line_edits import with_last_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.applied import Ask
    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.lookup import Lookup
    from dovetail.text.document import Document


_UNPARSED = "the file's indentation does not parse here, and nothing tells how deep the quoted lines belong"


def decide(
    lookup: Lookup, found: Sequence[Candidate], occurrence: Occurrence, neighbours: Neighbours, ask: Ask | None
) -> Outcome:
    """Return the outcome for the candidates, at least one, of one tier.

    occurrence: what several places at `exact` mean.
    neighbours: where the reply's other edits of this text landed.
    ask: lands another edit or text, to find out whether this edit was made already; None to skip that.
    """
    document, needle, tier = lookup.document, lookup.needle, found[0].tier
    # An edit's order in the reply chooses only between places that are equal letter for letter.
    neighbours = neighbours if tier is Tier.EXACT else neighbours._replace(first=False)
    if needle.replace_all:
        return _land_everywhere(lookup, found, ask)
    # Outcome 1: the edit was made already, at the place that its hints mean; the search is still at another place.
    if ask is not None and (present := _present_where_hinted(lookup, found, neighbours)) is not None:
        return AlreadyApplied(present)
    # The place is the one that hints and neighbours single out, else the first if the policy says so.
    chosen = choose(document, [candidate.place for candidate in found], needle.hints, neighbours)
    # `first` reports that a place was taken only for being the first. With `neighbours.first`, `choose` has already
    # taken the first place after the edit before; if there was none, the file's first place would be wrong. Without it,
    # the policy decides if `choose` returns None.
    first = (chosen is None) != neighbours.first and occurrence is Occurrence.FIRST and tier is Tier.EXACT
    alike = tier is Tier.ELISION and len({candidate.edits() for candidate in found}) == 1
    if chosen is None and (first or alike):
        chosen = 0  # the ways in which lines are left out may differ only in lines that the edit keeps
    # Outcome 2: nothing singles out a place.
    if chosen is None:
        return Ambiguous(tier, tuple(candidate.place for candidate in found))
    candidate = found[chosen]
    # Outcome 3: the place is not between those of its neighbours, where the edit may have been made already.
    if _may_be_made(lookup, candidate, neighbours):
        return displaced(lookup, candidate.place)
    # Outcome 4: the chosen place has the replacement already. Only the file's last line end may be left to change.
    present = applied_at(lookup, candidate, ask) if ask is not None else None
    if present is not None:
        edits = _with_last_end(document, needle, candidate.place, ())
        if not edits:
            return AlreadyApplied(present)
    else:
        # Outcome 5: the edit lands, unless its scope is another than the place's, or the text there forbids it.
        landed = _mended(lookup, candidate, candidate.edits())
        if needle.hints.within:
            definitions = partial(lookup.language.definitions, lookup.path, document.raw)
            if (other := strays(document, candidate.place, needle.hints.scope, definitions)) is not None:
                return strayed(lookup, candidate.place, other.name)
        if isinstance(landed, Obstacle):
            return conflict(lookup, landed)
        edits = _with_last_end(document, needle, candidate.place, landed)
        if not edits and needle.search != needle.replace:
            return AlreadyApplied(candidate.place)
    others = tuple(candidate.place for i, candidate in enumerate(found) if i != chosen)
    return Match(candidate.place, tier, edits, candidate.score, others, first)


def _mended(lookup: Lookup, candidate: Candidate, landed: tuple[Edit, ...] | Obstacle) -> tuple[Edit, ...] | Obstacle:
    """Return the landed edits, or the edit with other indentation if only that makes the file parse.

    Other indentation: the file's lines first get the depths that the search gives them (`reindented`), and the edit
    lands on these.

    Only edits whose lines have several shifts in the file pay for a parse: of the lines around the place up to those at
    the margin, and of the file only if those do not parse alone. Of 5,100 real replies, calls and reports this
    turns one right that was wrong, and changes no other.
    """
    document, place, mended = lookup.document, candidate.place, list[str]()
    raw, errors = document.raw, partial(lookup.language.errors, lookup.path)
    around: Span | None = None
    for fit in reindented(candidate.fit) if isinstance(candidate, Lines) else ():
        around = around or _up_to_the_margin(document, place)
        # Lines that parse in the file may not parse alone, so the whole file is asked, too.
        if not errors(around.of(raw)) or not errors(raw):
            return landed
        if isinstance(edits := land(fit), Obstacle):
            continue
        # Three texts are compared: the file with other indentation and the edit made, the file as it is, and the file
        # with the landed edits. All differences lie inside `around`, so its start is valid in each text, and its end
        # moves with the length.
        texts = [apply_edits(fit.document.raw, edits), raw]
        if not isinstance(landed, Obstacle):
            texts.append(apply_edits(raw, landed))
        spend(len(texts) * len(around))
        new, *others = (errors(text[around.start : len(text) - len(raw) + around.end]) for text in texts)
        # errors() is None for a text that no grammar may read; such a text proves nothing.
        if new is not None and all(len(new) < len(other or ()) for other in others):
            mended.append(texts[0][place.start : len(texts[0]) - len(raw) + place.end])
    if len(mended) > 1:
        return Obstacle(document.line_at(place.start), _UNPARSED)
    return (Edit(place, mended[0]),) if mended else landed


def _up_to_the_margin(document: Document, place: Span) -> Span:
    """Return a place's lines, widened to the next lines at the margin on both sides."""
    rows, first, end = document.rows, document.line_at(place.start), document.line_at(place.end - 1) + 1
    while first > 0 and not rows[first][:1].strip():
        first -= 1
    while end < len(rows) and not rows[end][:1].strip():
        end += 1
    return document.span(first, end)


def _present_where_hinted(lookup: Lookup, found: Sequence[Candidate], neighbours: Neighbours) -> Span | None:
    """Return the place that the hints mean if the replacement stands there and the search elsewhere, letter for letter.

    Of two equal places, a hint chose one and it was changed; the other must not be changed next. None without hints, or
    if they choose a place of the search or none.
    """
    document, needle = lookup.document, lookup.needle
    hinted = needle.hints != NO_HINTS or neighbours != NO_NEIGHBOURS
    if not hinted or found[0].tier is not Tier.EXACT:
        return None
    searched = [c.place for c in found]
    ends = [place.end for place in searched]
    # Replacements that share no character with a place of the search: of `a` → `a b` each one holds such a place.
    spans = {
        span
        for span in replacement_places(document, lookup.change, inline=needle.inline)
        if (at := bisect_right(ends, span.start)) == len(ends) or span.end <= searched[at].start
    }
    places = sorted([*searched, *spans])
    chosen = choose(document, places, needle.hints, neighbours) if spans else None
    return places[chosen] if chosen is not None and places[chosen] in spans else None


def _may_be_made(lookup: Lookup, candidate: Candidate, neighbours: Neighbours) -> bool:
    """Return whether the chosen place is outside of the neighbours and the edit may have been made between them
    already.

    A deletion leaves nothing behind, and a short text may stand anywhere, so this cannot be decided for them.
    """
    after, before, place = neighbours.after, neighbours.before, candidate.place
    if after is None or before is None or candidate.tier is not Tier.EXACT or shows(lookup.change):
        return False
    between = to_lf(lookup.document.raw[after:before])
    return not after <= place.start < before and lookup.needle.replace.strip() in between


def _land_everywhere(lookup: Lookup, found: Sequence[Candidate], ask: Ask | None) -> Outcome:
    """Land at every place where the edit was not made already; of overlapping places the earlier counts."""
    stand = [applied_at(lookup, candidate, ask) if ask is not None else None for candidate in found]
    if stand[0] is not None and None not in stand:
        return AlreadyApplied(stand[0])
    edits: list[Edit] = []
    places: list[Span] = []
    for candidate, present in zip(found, stand, strict=True):
        # Of `id` → `_id`, the `_id` in `user_id` is no edit made before.
        if present is not None and _is_apart(lookup.document.raw, present):
            continue
        landed = candidate.edits()
        if isinstance(landed, Obstacle):
            return conflict(lookup, landed)
        if places and candidate.place.start < places[-1].end:
            continue
        places.append(candidate.place)
        edits.extend(landed)
    # Applied a second time, the edit finds as many places as it expects, but fewer that are left to change.
    if lookup.needle.times not in (None, len(places), len(found)):
        return miscounted(lookup, [candidate.place for candidate in found])
    return Match(places[0], found[0].tier, tuple(edits), found[0].score, tuple(places[1:]))


def _is_apart(raw: str, span: Span) -> bool:
    """Return whether a span contains letters or digits, and cuts no word at its ends."""
    ends = raw[max(0, span.start - 1) : span.start + 1], raw[span.end - 1 : span.end + 1]
    inside_a_word = any(len(end) > 1 and end.replace("_", "a").isalnum() for end in ends)
    return any(map(str.isalnum, span.of(raw))) and not inside_a_word


def _with_last_end(document: Document, needle: Needle, place: Span, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Return the edits, with the file's last line end as it should be, if the place is at the file's end."""
    size = len(document.raw)
    if place.end != size:
        return edits
    ended = document.raw.endswith(("\n", "\r"))
    last = edits[-1] if edits and edits[-1].span.end == size else None
    wanted = needle.last_end
    if last is not None and not (ended or needle.inline or last.text) and last.span.start > place.start:
        wanted = wanted or False  # the last line, which had no end, goes; the quoted line above loses its own
    if wanted is None or (wanted == ended and last is None):
        return edits
    return tuple(with_last_end(list(edits), document, document.main_end if wanted else ""))
