"""What becomes of an edit among those of its text: it lands, it is there already, or it is refused.

Values alone. The versions of a text are counted from the one that the model saw, which is 0.
"""

from __future__ import annotations

from typing import NamedTuple

from dovetail.match import Match
from dovetail.model.results import BlockResult
from dovetail.model.text import Edit, Span
from dovetail.plan.locator import Found


class Afterwards(NamedTuple):
    """What comes of edits that waited: their results, the file's text, and (`seen`) what the model takes it to be."""

    results: list[BlockResult]
    text: str
    seen: str | None = None


class Landed(NamedTuple):
    """It lands. `hit` is in version `origin`, where it was found; `edits` are in version `made_in`.

    `lines` are the first lines of all places, where the first of several was taken.
    """

    hit: Match
    origin: int
    made_in: int
    edits: tuple[Edit, ...]
    lines: tuple[int, ...] = ()

    @property
    def span(self) -> Span:
        """The characters of version `origin` that the search was found to be."""
        return self.hit.span


class Present(NamedTuple):
    """Its change is already there, in version `origin`. `duplicate_of` is the block that makes it, if one does."""

    span: Span
    origin: int
    duplicate_of: int | None = None


class Refused(NamedTuple):
    """It does not land. `blocker` is the block that changed its place before; `lines` tell an ambiguity."""

    found: Found
    lines: tuple[int, ...] = ()
    blocker: int | None = None


Landing = Landed | Present | Refused


def one_version_later(landing: Landing) -> Landing:
    """The same landing, where the versions have one more before them."""
    match landing:
        case Landed(origin=origin, made_in=made_in):
            return landing._replace(origin=origin + 1, made_in=made_in + 1)
        case Present(origin=origin):
            return landing._replace(origin=origin + 1)
        case Refused():
            return landing
