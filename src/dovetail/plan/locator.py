"""Finds where an edit lands, by `match` with every reading of its block, and picks the reading by the file.

A reading whose search is in the file wins, a stricter tier before a looser one; if one's search begins with the
other's, the longer; where two different ones still survive, the edit is ambiguous. A reading that ends at a line which
the file has right there, as a heading has one below, was cut off too early and is none. Documents and plain answers
are kept, so that planning again after a failure asks nothing twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from dovetail.match import AlreadyApplied, Ambiguous, Document, Match, Needle, Neighbours, NoMatch, Outcome, locate
from dovetail.match.outcome import NO_NEIGHBOURS
from dovetail.model.blocks import Block
from dovetail.model.codes import ALL_TIERS, Confidence, Tier
from dovetail.model.language import Language
from dovetail.model.policy import Policy
from dovetail.model.text import Span, split_lines
from dovetail.model.work import STEPS_PER_EDIT, TooMuchWorkError, limited
from dovetail.plan.request import EditRequest, too_large
from dovetail.text.line_edits import rewrite

_STRICT_FORMATS = frozenset({"anchored", "guillemet"})
# exact 0, already applied 1, then the looser tiers 2, 4, 6, …; a miss comes last
_RANK = {tier: index * 2 for index, tier in enumerate(ALL_TIERS)}
_APPLIED_RANK = 1  # after an exact match, before every looser tier
_MISSED_RANK = 2 * len(ALL_TIERS)


class Found(NamedTuple):
    """The answer to a request. `readings` holds the indices of the readings it stands for; several are a tie."""

    outcome: Outcome
    readings: tuple[int, ...] = (0,)


_STRICT_TIERS = frozenset(tier for tier in Tier if tier.confidence is not Confidence.LOW)
"""A reading that one of these lands leaves the others nothing to say at a looser one."""


def tiers_for(block: Block, policy: Policy) -> tuple[Tier, ...]:
    """The tiers that a block may use under a policy."""
    if policy.tiers is not None:
        return policy.tiers
    return (Tier.EXACT,) if block.format in _STRICT_FORMATS else ALL_TIERS


@dataclass
class Locator:
    """Locates requests under one policy and language."""

    policy: Policy
    language: Language
    _documents: dict[int, Document] = field(default_factory=dict)
    _answers: dict[tuple[int, str | None, Needle, tuple[Tier, ...]], Outcome] = field(default_factory=dict)

    def document(self, text: str) -> Document:
        """Return the document of a text, cached by the string's identity: hashing a long text would cost too much."""
        document = self._documents.get(id(text))
        if document is None or document.raw is not text:
            document = self._documents[id(text)] = Document(text)
        return document

    def find_or_miss(self, document: Document, request: EditRequest) -> Found:
        """Return where the request lands; one that takes too much work is a miss with the code `too-large`."""
        try:
            return self.find(document, request)
        except TooMuchWorkError:
            why = too_large()
            return Found(NoMatch(why.code, why.reason, why.hint))

    def find(self, document: Document, request: EditRequest, neighbours: Neighbours = NO_NEIGHBOURS) -> Found:
        """Return where the request lands in one of this locator's documents, by all readings of its block.

        Raises `TooMuchWorkError`.
        """
        if request.behind is not None:
            return Found(_behind_end(document, request.behind))
        needles, tiers = request.needles, tiers_for(request.block, self.policy)
        if len(needles) == 1:
            return Found(self.find_needle(document, request, needles[0], tiers, neighbours))
        # All readings at the tiers that are sure, before any at a looser one: a wrong split of the block finds
        # something like its search at `fuzzy` nearly always.
        strict = tuple(tier for tier in tiers if tier in _STRICT_TIERS)
        outcomes = [self.find_needle(document, request, needle, strict, neighbours) for needle in needles]
        ranks = _ranks(document, needles, outcomes)
        # no reading lands at the sure tiers: all may use all tiers
        if min(ranks) == _MISSED_RANK:
            outcomes = [self.find_needle(document, request, needle, tiers, neighbours) for needle in needles]
            ranks = _ranks(document, needles, outcomes)
        return _decide(needles, outcomes, ranks)

    def find_needle(
        self,
        document: Document,
        request: EditRequest,
        needle: Needle,
        tiers: tuple[Tier, ...] | None = None,
        neighbours: Neighbours = NO_NEIGHBOURS,
    ) -> Outcome:
        """Return where one needle of the request lands, its other readings aside. tiers: None for those of its block.

        Raises `TooMuchWorkError`.
        """
        tiers = tiers_for(request.block, self.policy) if tiers is None else tiers
        # Only answers about documents that this locator keeps are kept: the `id` of any other is free once it is
        # gone, and may become that of a document with another text.
        keeps = neighbours is NO_NEIGHBOURS and self._documents.get(id(document.raw)) is document
        key = (id(document), request.path, needle, tiers)
        if keeps and (known := self._answers.get(key)) is not None:
            return known
        with limited(STEPS_PER_EDIT):
            outcome = locate(
                document,
                needle,
                tiers=tiers,
                occurrence=self.policy.occurrence,
                neighbours=neighbours,
                language=self.language,
                path=request.path or "",
            )
        if keeps:
            self._answers[key] = outcome
        return outcome


def _behind_end(document: Document, new: str) -> Match:
    end = len(document.raw)
    edit = rewrite(document, len(document), len(document), split_lines(new))
    return Match(Span(end, end), Tier.EXACT, (edit,))


def _decide(needles: Sequence[Needle], outcomes: Sequence[Outcome], ranks: Sequence[int]) -> Found:
    best = min(ranks)
    if best == _MISSED_RANK:
        missed = [i for i, outcome in enumerate(outcomes) if isinstance(outcome, NoMatch)]
        # report the nearest miss; of equal ones the first reading's
        index = max(missed, key=lambda i: (_similarity(outcomes[i]), -i))
        return Found(outcomes[index], (index,))
    survivors = _longest([i for i, rank in enumerate(ranks) if rank == best], needles)
    for i, outcome in enumerate(outcomes):
        if isinstance(outcome, AlreadyApplied) and all(_says_more(needles[i], needles[k]) for k in survivors):
            return Found(outcome, (i,))  # what is left of its search is no search of its own
    first = outcomes[survivors[0]]
    if all(_same_result(first, outcomes[i]) for i in survivors):
        return Found(first, (survivors[0],))
    places = sorted({place for i in survivors for place in outcomes[i].places})
    tier = first.tier if isinstance(first, Match | Ambiguous) else Tier.EXACT
    return Found(Ambiguous(tier, tuple(places)), tuple(survivors))


def _ranks(document: Document, needles: Sequence[Needle], outcomes: Sequence[Outcome]) -> list[int]:
    """Return a rank for each reading by how well it lands; the lowest is best."""
    return [
        _MISSED_RANK if _goes_on(document, needle, outcome, needles) else _rank(outcome)
        for needle, outcome in zip(needles, outcomes, strict=True)
    ]


def _goes_on(document: Document, needle: Needle, outcome: Outcome, needles: Sequence[Needle]) -> bool:
    """Return whether the file has, right after a search, the dividing line that another reading takes as content."""
    if not isinstance(outcome, Match):
        return False
    longer = [other.search[len(needle.search) :] for other in needles if _says_more(other, needle)]
    dividers = [divider for rest in longer if (divider := rest.partition("\n")[0]).strip()]
    # A block of Markdown may be divided at either `=======`, the first being a heading's underline in the file. If
    # the file has that line right behind the search, this reading was cut off too early.
    line = document.line_at(outcome.span.end)
    return outcome.span.end < len(document.raw) and document.rows[line] in dividers


def _rank(outcome: Outcome) -> int:
    match outcome:
        case Match(tier=tier) | Ambiguous(tier=tier):
            return _RANK[tier]
        case AlreadyApplied():
            return _APPLIED_RANK
        case NoMatch():
            return _MISSED_RANK


def _says_more(one: Needle, other: Needle) -> bool:
    """Return whether one search begins with another and is longer."""
    return one.search.startswith(other.search) and len(one.search) > len(other.search)


def _longest(indices: Sequence[int], needles: Sequence[Needle]) -> list[int]:
    """Leave out each search that another one begins with."""
    return [i for i in indices if not any(_says_more(needles[k], needles[i]) for k in indices)]


def _same_result(one: Outcome, other: Outcome) -> bool:
    match one, other:
        case Match(edits=mine), Match(edits=theirs):
            return mine == theirs
        case AlreadyApplied(), AlreadyApplied():
            return True
        case _:
            return one is other


def _similarity(outcome: Outcome) -> float:
    return outcome.nearest.similarity if isinstance(outcome, NoMatch) and outcome.nearest is not None else 0.0
