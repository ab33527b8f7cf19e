"""What the question "where does this edit land?" is answered with, and how it is asked.

Outcomes are taken apart with `match`, never by truthiness: a match whose replacement is empty is still a match.
"""

from __future__ import annotations

from typing import NamedTuple

from dovetail.model.blocks import NO_HINTS, Block, Hints, Parts
from dovetail.model.codes import Code, Tier
from dovetail.model.diagnostics import Nearest
from dovetail.model.text import Edit, Span


class Needle(NamedTuple):
    r"""What is looked for and what is to stand there; line ends are ``\n``. See `Block` for the fields."""

    search: str
    replace: str
    inline: bool = False
    replace_all: bool = False
    times: int | None = None
    hints: Hints = NO_HINTS
    parts: Parts | None = None
    last_end: bool | None = None

    @classmethod
    def of(cls, block: Block, reading: int = 0) -> Needle:
        """Make one from a reading of a block."""
        chosen = block.readings[reading]
        replace = _unglued(chosen.search, chosen.replace) if block.inline else chosen.replace
        return cls(
            chosen.search, replace, block.inline, block.replace_all, block.times, block.hints, block.parts,
            block.last_end,
        )  # fmt: skip


def _unglued(search: str, replace: str) -> str:
    """The text that comes for a run of characters, with the line ends that the run begins and ends with.

    Without them it would be glued to a line beside it. Of 1,374 real edits none means that. One that takes nothing but
    line ends away does join lines, and one that keeps the whole search only puts text in beside it.
    """
    if not (search and replace) or search.strip() == replace.strip() or search in replace:
        return replace
    # `\nold` → `new` becomes `\nnew`.
    head = "\n" if search[0] == "\n" != replace[0] else ""
    tail = "\n" if search[-1] == "\n" != replace[-1] else ""
    return head + replace + tail


class Match(NamedTuple):
    """The one place where it lands.

    span: the characters of the text that the search stands for, whole lines unless the tier says otherwise.
    edits: the least that carries the change over, inside `span`; empty where nothing is left to change.
    score: 1.0 for tiers that compare for equality, else the similarity.
    others: further places at that tier.
    first: it is the first of them, for want of anything that tells them apart (`Occurrence.FIRST`).
    """

    span: Span
    tier: Tier
    edits: tuple[Edit, ...]
    score: float = 1.0
    others: tuple[Span, ...] = ()
    first: bool = False

    @property
    def places(self) -> tuple[Span, ...]:
        """All places that it may mean, its own first."""
        return (self.span, *self.others)


class Ambiguous(NamedTuple):
    """Several places at the strictest tier that has any, and nothing that decides between them."""

    tier: Tier
    places: tuple[Span, ...]


class AlreadyApplied(NamedTuple):
    """The replacement already stands where the search would land."""

    span: Span

    @property
    def places(self) -> tuple[Span, ...]:
        """Where the replacement stands, as the places of other outcomes."""
        return (self.span,)


class NoMatch(NamedTuple):
    """It lands nowhere. `code` is `no-match`, `conflict`, or what the format says of its parts; see `Nearest`."""

    code: Code
    reason: str
    hint: str | None = None
    nearest: Nearest | None = None

    @property
    def places(self) -> tuple[Span, ...]:
        """Empty: nothing was found."""
        return ()


Outcome = Match | Ambiguous | AlreadyApplied | NoMatch


def certain(outcome: Outcome) -> Span | None:
    """The place of an edit that lands or stands, and has no other."""
    return None if isinstance(outcome, Ambiguous) or len(outcome.places) != 1 else outcome.places[0]


class Neighbours(NamedTuple):
    """Where the reply's other edits of this file landed: the end of the nearest one before this block in the
    reply, and the start of the nearest one behind it, as character offsets. They settle ambiguity only: the one place
    between them is meant, or with `first` the first of several."""

    after: int | None = None
    before: int | None = None
    first: bool = False


NO_NEIGHBOURS = Neighbours()
