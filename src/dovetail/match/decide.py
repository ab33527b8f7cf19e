"""Decides between the places that a rung found, once for all rungs.

Of several places one is chosen, or the edit is ambiguous. What stands at the chosen one decides further: the edit
lands there, is already applied, or is in conflict.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from dovetail.match.choose import choose, strays
from dovetail.match.landing import evidence
from dovetail.match.landing.candidates import Candidate, Lines
from dovetail.match.landing.fit import Obstacle
from dovetail.match.outcome import NO_NEIGHBOURS, AlreadyApplied, Ambiguous, Match, Needle, Neighbours, Outcome
from dovetail.match.refusals import conflict, displaced, strayed
from dovetail.match.standing import standing
from dovetail.model.blocks import NO_HINTS
from dovetail.model.codes import Occurrence, Tier
from dovetail.model.text import Edit, Span, to_lf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.question import Question
    from dovetail.text.document import Document


_LONGEST_HEAD = 500  # characters, with what is blank below it
_LOOKS_ALIKE = frozenset((Tier.INDENTATION, Tier.WHITESPACE, Tier.FORM))


def decide(question: Question, found: Sequence[Candidate], occurrence: Occurrence, neighbours: Neighbours) -> Outcome:
    """Take the candidates of one tier, of which there is at least one, to the outcome.

    occurrence: what several places at `exact` mean.
    neighbours: where the reply's other edits of this text landed.
    """
    if question.needle.replace_all:
        from dovetail.match.everywhere import land_everywhere  # few edits are made everywhere

        return land_everywhere(question, found)
    document, tier = question.document, found[0].tier
    made = _made_where_hinted(question, found, neighbours)
    if made is not None:
        return AlreadyApplied(made)
    chosen = choose(document, [c.place for c in found], question.needle.hints, neighbours)
    first = chosen is None and occurrence is Occurrence.FIRST and tier is Tier.EXACT
    if first or (chosen is None and _write_the_same(found)):
        chosen = 0
    if chosen is None:
        return Ambiguous(tier, tuple(c.place for c in found))
    candidate = found[chosen]
    if _may_be_made(question, candidate, neighbours):
        return displaced(question, candidate.place)
    edits = _landing(question, candidate)
    if isinstance(edits, Span):
        return AlreadyApplied(edits)
    if question.needle.hints.within:
        known = question.language.definitions(question.path, document.raw) or ()
        if (other := strays(document, candidate.place, question.needle.hints.scope, known)) is not None:
            return strayed(question, candidate.place, other.name)
    if isinstance(edits, Obstacle):
        return conflict(question, edits)
    others = tuple(c.place for i, c in enumerate(found) if i != chosen)
    return Match(candidate.place, tier, edits, candidate.score, others, first)


def _made_where_hinted(question: Question, found: Sequence[Candidate], neighbours: Neighbours) -> Span | None:
    """The place that the hints mean, where the replacement stands there, and the search, to the letter, elsewhere.

    Of two places that looked alike, one was chosen by a hint and changed; the other is not the next one to change.
    """
    document, needle = question.document, question.needle
    hinted = needle.hints != NO_HINTS or neighbours != NO_NEIGHBOURS
    if not hinted or found[0].tier is not Tier.EXACT:
        return None
    searched = [c.place for c in found]
    ends = [place.end for place in searched]
    made = {
        span
        for span in evidence.standing(document, question.change, inline=needle.inline)
        if (at := bisect_right(ends, span.start)) == len(ends) or span.end <= searched[at].start
    }
    places = sorted([*searched, *made])
    chosen = choose(document, places, needle.hints, neighbours) if made else None
    return places[chosen] if chosen is not None and places[chosen] in made else None


def _may_be_made(question: Question, candidate: Candidate, neighbours: Neighbours) -> bool:
    """Whether an edit whose one place lies outside of its neighbours may have been made between them already.

    A deletion leaves nothing that shows it, and a short text may stand anywhere: nobody can say.
    """
    after, before, place = neighbours.after, neighbours.before, candidate.place
    if after is None or before is None or candidate.tier is not Tier.EXACT or evidence.shows(question.change):
        return False
    between = to_lf(question.document.raw[after:before])
    return not after <= place.start < before and question.needle.replace.strip() in between


def _write_the_same(found: Sequence[Candidate]) -> bool:
    """Whether the ways in which lines are left out differ only in lines that the edit keeps."""
    return found[0].tier is Tier.ELISION and len({c.edits() for c in found}) == 1


def _landing(question: Question, candidate: Candidate) -> tuple[Edit, ...] | Obstacle | Span:
    """The edits that land at the chosen place; the span where they were made already; or what is in their way."""
    document, needle = question.document, question.needle
    stands = standing(question, candidate)
    if stands is not None:
        return _ended(document, needle, candidate.place, ()) or stands
    edits = _elsewhere(candidate) or _headed_twice(question, candidate) or candidate.edits()
    if isinstance(edits, Obstacle):
        return edits
    edits = _ended(document, needle, candidate.place, edits)
    if not edits and needle.search != needle.replace:
        return candidate.place
    return edits


def _elsewhere(candidate: Candidate) -> Obstacle | None:
    """What speaks against a place that agrees but for its form, where the replacement stands elsewhere as it is."""
    if not isinstance(candidate, Lines) or candidate.tier not in _LOOKS_ALIKE:
        return None
    line = evidence.elsewhere(candidate.fit)
    if line is None:
        return None
    return Obstacle(line, "the replacement stands here already, and the search elsewhere only in another form")


def _headed_twice(question: Question, candidate: Candidate) -> Obstacle | None:
    """What speaks against an edit that begins with the head of a definition which stands right above its place, or goes
    on behind its last quoted line with one from right below: quoted with the new lines and not with the old ones, it
    would stand there twice."""
    document, change = question.document, question.change
    new = list(filter(None, map(str.strip, change.replace)))
    ends = zip((new[:1], new[1:][-1:]), ([], new[-2:-1]), _beside(document.raw, candidate.place), strict=True)
    for line, above, (head, at) in ends:
        if [head.strip()] != line:
            continue
        quoted = {line.strip() for line in change.search}
        if not quoted.isdisjoint(line) or not quoted.issuperset(above):
            continue
        row = document.line_at(at)
        known = question.language.definitions(question.path, document.raw) or ()
        if any(found.kind != "other" and found.first_line <= row < found.body_line for found in known):
            return Obstacle(
                row, "this head stands right beside the place, and the edit would have it stand there twice"
            )
    return None


def _beside(raw: str, place: Span) -> tuple[tuple[str, int], ...]:
    """The lines nearest above and below a place that are not blank, each with an offset in it."""
    start = raw.rfind("\n", 0, place.start) + 1
    near = max(0, start - _LONGEST_HEAD)
    above, below = raw[near:start].rstrip(), raw[place.end : place.end + _LONGEST_HEAD]
    behind = below.lstrip()
    return (
        (above.rpartition("\n")[2], near + len(above) - 1),
        (behind.partition("\n")[0], place.end + len(below) - len(behind)),
    )


def _ended(document: Document, needle: Needle, place: Span, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits, with the end of the file's last line as it is to be, where the place is at the file's end."""
    size = len(document.raw)
    if place.end != size:
        return edits
    ended = document.raw.endswith(("\n", "\r"))
    last = edits[-1] if edits and edits[-1].span.end == size else None
    wanted = needle.last_end
    if last is not None and not (ended or needle.inline or last.text) and last.span.start > place.start:
        wanted = wanted or False  # the last line goes; the one above it, quoted too, is as open as that was
    if wanted is None or (wanted == ended and last is None):
        return edits
    from dovetail.match.landing.merge import with_last_end

    return tuple(with_last_end(list(edits), document, document.main_end if wanted else ""))
