"""The ladder: asks the tiers, strictest first, and decides between places.

A tier is asked only where every stricter one found nothing, so a loose tier never overrides a strict one. Each rung
is a function from a `Question` to the candidates of its tiers; the table `_RUNGS` is the order. What is found is
decided here, once for all rungs: already applied, ambiguous, landed, or in conflict.

The rungs below `part-line` load their tiers when they are asked: most edits land above them, and a command that
starts for one small reply must not pay for what it does not use.
"""

from __future__ import annotations

from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from dovetail.match import exact, part_line
from dovetail.match.alignment import straight
from dovetail.match.candidates import Barred, Candidate, ExactLines, Lines, Run
from dovetail.match.choose import choose
from dovetail.match.landing import Change, Obstacle
from dovetail.match.outcome import NO_NEIGHBOURS, AlreadyApplied, Ambiguous, Match, Needle, Neighbours, NoMatch, Outcome
from dovetail.model.codes import ALL_TIERS, Code, Occurrence, Tier
from dovetail.model.dataclasses import dataclass
from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.text import Edit, Span, split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dovetail.match.alignment import Alignment
    from dovetail.match.document import Document


_LOOKS_ALIKE = frozenset((Tier.INDENTATION, Tier.WHITESPACE, Tier.FORM))


def locate(
    document: Document,
    needle: Needle,
    *,
    tiers: tuple[Tier, ...] = ALL_TIERS,
    occurrence: Occurrence = Occurrence.UNIQUE,
    neighbours: Neighbours = NO_NEIGHBOURS,
    language: Language = NO_SYNTAX,
    path: str = "",
) -> Outcome:
    """Find the one place in `document` where `needle` lands, and the edits that carry its change over.

    tiers: the tiers that may be asked, in any order.
    occurrence: what several places at `exact` mean.
    neighbours: where the reply's other edits of this text landed.
    language, path: who reads code, and the path that says which code this is.

    Where lines are searched, a search with nothing but blank ones lands nowhere: what it means is for the plan to say.
    """
    question = Question(document, needle, frozenset(tiers), language, path)
    if not (needle.search if needle.inline else needle.search.strip()):
        return NoMatch(Code.NO_MATCH, "The search text is empty.")
    for rung in _RUNGS:
        found = rung(question)
        if isinstance(found, Obstacle):
            return _conflict(question, found)
        if isinstance(found, Span):
            return AlreadyApplied(found)
        if found:
            return _decide(question, found, occurrence, neighbours)
    return _missed(question)


@dataclass(frozen=True)
class Question:
    """One needle in one document, with what the rungs share."""

    document: Document
    needle: Needle
    tiers: frozenset[Tier]
    language: Language
    path: str

    @cached_property
    def change(self) -> Change:
        """The edit as lines."""
        return Change.of(split_lines(self.needle.search), split_lines(self.needle.replace))

    @cached_property
    def bare(self) -> Change:
        """The edit without entities that its file has nowhere: they came with the reply, in the new lines too."""
        from dovetail.match import form

        found = form.without_strange_entities(self.needle.search, self.needle.replace, self.document.raw)
        return self.change if found is None else Change.of(*map(split_lines, found))

    @cached_property
    def coarse(self) -> Change:
        """The edit as those tiers land it that forgive lines: what is kept must be certain."""
        return self.bare.coarse()

    @cached_property
    def regions(self) -> list[Alignment]:
        """The regions most like the search."""
        from dovetail.match import similar

        return similar.regions(self.document, self.bare.search)

    def forgiven(self, tier: Tier, alignment: Alignment) -> list[Candidate]:
        """The one candidate of a tier that forgives lines, without what has been made already."""
        from dovetail.match import applied

        return self.lines(tier, applied.pending(self.document, self.coarse, alignment), [alignment])

    def lines(self, tier: Tier, change: Change, alignments: Iterable[Alignment]) -> list[Candidate]:
        """Candidates of one tier."""
        return [Lines(tier, change, a, a.span(self.document)) for a in alignments]


def _exact(question: Question) -> Sequence[Candidate]:
    if Tier.EXACT not in question.tiers:
        return []
    needle, document = question.needle, question.document
    if needle.inline:
        spans = exact.runs(document, needle.search)
        return [Run(Tier.EXACT, needle.search, needle.replace, span) for span in spans]
    return [ExactLines(question.change, span) for span in exact.lines(document, needle.search)]


def _part_line(question: Question) -> Sequence[Candidate]:
    needle = question.needle
    if Tier.PART_LINE not in question.tiers or needle.inline:
        return []
    search, replace = part_line.unindented(needle.search.removesuffix("\n"), needle.replace.removesuffix("\n"))
    return [_at_part(question, search, replace, span) for span in part_line.places(question.document, search, replace)]


def _at_part(question: Question, search: str, replace: str, span: Span) -> Candidate:
    document, change = question.document, question.change
    filled = part_line.filled(document, change, span)
    if filled is None:
        return Run(Tier.PART_LINE, search, replace, span)
    if isinstance(filled, Obstacle):
        return Barred(Tier.PART_LINE, filled, span)
    lines = straight(document.line_at(span.start), len(change.search))
    return Lines(Tier.PART_LINE, filled, lines, lines.span(document))


def _blanks(question: Question) -> Sequence[Candidate]:
    from dovetail.match import blanks, indentation, trailing_space, whitespace

    in_order = (
        (Tier.TRAILING_SPACE, trailing_space.belongs),
        (Tier.INDENTATION, indentation.belongs),
        (Tier.WHITESPACE, whitespace.belongs),
    )
    wanted = [(tier, belongs) for tier, belongs in in_order if tier in question.tiers]
    if not wanted:
        return []
    change, document = question.change, question.document
    found = list(blanks.places(document, change.search))
    for tier, belongs in wanted:
        own = [a for a in found if belongs(a, change.search, document.rows)]
        if own:
            return question.lines(tier, change, own)
    return []


def _form(question: Question) -> Sequence[Candidate]:
    if Tier.FORM not in question.tiers:
        return []
    from dovetail.match import blanks, form

    pairs = list(form.unwrapped(question.needle.search, question.needle.replace))
    for agree, (search, replace) in product((form.agree_in_type, form.agree_folded), pairs):
        change = Change.of(split_lines(search), split_lines(replace))
        found = list(blanks.places(question.document, change.search, agree))
        if found:
            return question.lines(Tier.FORM, change, found)
    return []


def _standing(question: Question) -> Sequence[Candidate] | Span:
    """Not a tier: where no strict one found the search, the replacement may stand in its place."""
    from dovetail.match import applied

    span = applied.instead(question.document, question.change)
    return span if span is not None else []


def _elision(question: Question) -> Sequence[Candidate]:
    if Tier.ELISION not in question.tiers:
        return []
    from dovetail.match import elision

    change = question.change
    return question.lines(Tier.ELISION, change, elision.alignments(question.document, change.search, change.replace))


def _syntax(question: Question) -> Sequence[Candidate] | Obstacle:
    if Tier.SYNTAX not in question.tiers or question.language is NO_SYNTAX:
        return []
    from dovetail.match import fuzzy, syntactic

    document, language, path = question.document, question.language, question.path
    change = question.coarse
    same = syntactic.same_tokens(document, change, question.regions, language, path)
    if same:
        return question.lines(Tier.SYNTAX, change, same)
    named = syntactic.named(document, change.search, language, path)
    if named is None or named.score < fuzzy.LEAST:
        return []
    return fuzzy.objection(document, change, named) or question.forgiven(Tier.SYNTAX, named)


def _fuzzy(question: Question) -> Sequence[Candidate] | Obstacle:
    from dovetail.match import fuzzy

    if Tier.FUZZY not in question.tiers or not fuzzy.certain(question.document, question.bare.search, question.regions):
        return []
    change, best = question.coarse, question.regions[0]
    return fuzzy.objection(question.document, change, best) or question.forgiven(Tier.FUZZY, best)


_RUNGS: tuple[Callable[[Question], Sequence[Candidate] | Obstacle | Span], ...] = (
    _exact,
    _part_line,
    _blanks,
    _form,
    _standing,
    _elision,
    _syntax,
    _fuzzy,
)


def _decide(question: Question, found: Sequence[Candidate], occurrence: Occurrence, neighbours: Neighbours) -> Outcome:
    document, needle = question.document, question.needle
    tier = found[0].tier
    if needle.replace_all:
        return _everywhere(question, found)
    chosen = choose(document, [c.place for c in found], needle.hints, neighbours)
    first = chosen is None and occurrence is Occurrence.FIRST and tier is Tier.EXACT
    if first:
        chosen = 0
    if chosen is None and tier is Tier.ELISION and len({c.edits(document) for c in found}) == 1:
        chosen = 0  # the ways differ in lines that the edit keeps, and write the same
    if chosen is None:
        return Ambiguous(tier, tuple(c.place for c in found))
    candidate = found[chosen]
    standing = candidate.applied(document) or (_over_line(question, candidate) if tier is Tier.PART_LINE else None)
    if standing is not None:
        return AlreadyApplied(standing)
    edits = _elsewhere(document, candidate) or candidate.edits(document)
    if isinstance(edits, Obstacle):
        return _conflict(question, edits)
    edits = _ended(document, needle, candidate.place, edits)
    if not edits and needle.search != needle.replace:
        return AlreadyApplied(candidate.place)
    others = tuple(c.place for i, c in enumerate(found) if i != chosen)
    return Match(candidate.place, tier, edits, candidate.score, others, first)


def _over_line(question: Question, candidate: Candidate) -> Span | None:
    """Where the replacement stands over the line that the search is a part of."""
    from dovetail.match import applied

    first = question.document.line_at(candidate.place.start)
    return applied.around(question.document, question.change, straight(first, len(question.change.search)))


def _elsewhere(document: Document, candidate: Candidate) -> Obstacle | None:
    """What speaks against a place that agrees but for its form, where the replacement stands elsewhere as it is."""
    if not isinstance(candidate, Lines) or candidate.tier not in _LOOKS_ALIKE:
        return None
    from dovetail.match import applied

    line = applied.elsewhere(document, candidate.change, candidate.alignment)
    if line is None:
        return None
    return Obstacle(line, "the replacement stands here already, and the search elsewhere only in another form")


def _ended(document: Document, needle: Needle, place: Span, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits, with the end of the file's last line as the needle wants it, where the place is at the file's end."""
    size = len(document.raw)
    if needle.last_end is None or place.end != size:
        return edits
    reach = bool(edits) and edits[-1].span.end == size
    if document.raw.endswith(("\n", "\r")) == needle.last_end and not reach:
        return edits
    from dovetail.match.merge import with_last_end

    return tuple(with_last_end(list(edits), document, document.main_end if needle.last_end else ""))


def _everywhere(question: Question, found: Sequence[Candidate]) -> Outcome:
    """Land at every place; of places that overlap, the earlier counts."""
    document = question.document
    edits: list[Edit] = []
    places: list[Span] = []
    for candidate in found:
        made = candidate.edits(document)
        if isinstance(made, Obstacle):
            return _conflict(question, made)
        if places and candidate.place.start < places[-1].end:
            continue
        places.append(candidate.place)
        edits.extend(made)
    return Match(places[0], found[0].tier, tuple(edits), found[0].score, tuple(places[1:]))


def _conflict(question: Question, obstacle: Obstacle) -> NoMatch:
    from dovetail.match.nearest import explain

    return NoMatch(
        Code.CONFLICT,
        f"Line {obstacle.line + 1}: {obstacle.reason}.",
        "Copy the lines to be changed from the file as it is now.",
        explain(question.document, question.change, question.regions),
    )


def _stray(question: Question) -> str | None:
    """The line of the search that leaves out more than it may, if its pieces stand in the file."""
    if Tier.ELISION not in question.tiers:
        return None
    from dovetail.match import elision

    return elision.stray(question.document, question.change.search, question.change.replace)


def _missed(question: Question) -> NoMatch:
    from dovetail.match.nearest import explain

    nearest = explain(question.document, question.change, question.regions)
    if not question.needle.replace.strip():
        return NoMatch(Code.NO_MATCH, "The text to be deleted is not in the file.", "Was it already deleted?", nearest)
    if (mark := _stray(question)) is not None:
        reason = f"What {mark!r} leaves out would reach out of the block that it stands in."
        return NoMatch(Code.NO_MATCH, reason, "Write these lines out, or send an edit for each block.", nearest)
    hint = "Copy the search text from the file as it is now." if nearest else "Is this the right file?"
    return NoMatch(Code.NO_MATCH, "The search text is not in the file.", hint, nearest)
