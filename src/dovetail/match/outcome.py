"""The input and the outcomes of matching: a `Needle`, and where it lands.

Outcomes are taken apart with `match`, never by truthiness: a match whose replacement is empty is still a match.
"""

from __future__ import annotations

from typing import NamedTuple

from dovetail.model.blocks import NO_HINTS, Block, Hints, Parts
from dovetail.model.codes import Code, Tier
from dovetail.model.diagnostics import Nearest
from dovetail.model.text import Edit, Span


class Needle(NamedTuple):
    r"""The text to find and its replacement; line ends are ``\n``. See `Block` for the fields."""

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
        """Make one from a reading of a block, by the reading's index."""
        chosen = block.readings[reading]
        replace = _unglued(chosen.search, chosen.replace) if block.inline else chosen.replace
        return cls(
            chosen.search, replace, block.inline, block.replace_all, block.times, block.hints, block.parts,
            block.last_end,
        )  # fmt: skip


def _unglued(search: str, replace: str) -> str:
    """Return the replacement of a run of characters, with the line ends that the run begins and ends with.

    Without them it would be joined to a neighbouring line, which none of 1,374 real edits means. Unchanged are an edit
    that removes only line ends, which does join lines, and one that keeps the whole search.
    """
    if not (search and replace) or search.strip() == replace.strip() or search in replace:
        return replace
    # `\nold` → `new` becomes `\nnew`.
    head = "\n" if search[0] == "\n" != replace[0] else ""
    tail = "\n" if search[-1] == "\n" != replace[-1] else ""
    return head + replace + tail


class Match(NamedTuple):
    """The edit lands at one place.

    span: the characters of the text that the search matches, whole lines at most tiers.
    edits: the smallest edits that make the change, inside `span`; empty if nothing is left to change.
    score: 1.0 for tiers that compare for equality, else the similarity.
    others: further places at that tier.
    first: the first of several places was taken, as nothing tells them apart (`Occurrence.FIRST`).
    """

    span: Span
    tier: Tier
    edits: tuple[Edit, ...]
    score: float = 1.0
    others: tuple[Span, ...] = ()
    first: bool = False

    @property
    def places(self) -> tuple[Span, ...]:
        """All possible places, its own first."""
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
        """The one place of the replacement."""
        return (self.span,)


class NoMatch(NamedTuple):
    """It lands nowhere. `code` is `no-match`, `conflict`, or a code for the parts of an anchored block."""

    code: Code
    reason: str
    hint: str | None = None
    nearest: Nearest | None = None

    @property
    def places(self) -> tuple[Span, ...]:
        """Always empty."""
        return ()


Outcome = Match | Ambiguous | AlreadyApplied | NoMatch


def certain(outcome: Outcome) -> Span | None:
    """Return the place of an edit that lands or is applied already, if it has no other place; else None."""
    return None if isinstance(outcome, Ambiguous) or len(outcome.places) != 1 else outcome.places[0]


class Neighbours(NamedTuple):
    """Where the reply's other edits of this file landed: the end of the nearest one before this block in the reply, and
    the start of the nearest one after it, as character offsets. They only decide ambiguity: the one place between them
    is meant, or with `first` the first of several."""

    after: int | None = None
    before: int | None = None
    first: bool = False


NO_NEIGHBOURS = Neighbours()
