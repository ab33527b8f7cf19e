"""The outcomes of an edit among those of its text: it lands, is made already, or is refused.

Only value types. Versions of a text are counted from 0, the one that the model saw.
"""

from __future__ import annotations

from typing import NamedTuple

from dovetail.match import Match
from dovetail.model.results import BlockResult
from dovetail.model.text import Edit, Span
from dovetail.plan.locator import Found


class Afterwards(NamedTuple):
    """The outcome of a file's waiting edits: results, new text, and the text the model takes it to have (`seen`)."""

    results: list[BlockResult]
    text: str
    seen: str | None = None


class Landed(NamedTuple):
    """The edit lands. `hit` is in version `origin`, where it was found; `edits` are in version `made_in`.

    `lines` are the first lines of all places, if the first of several was taken.
    """

    hit: Match
    origin: int
    made_in: int
    edits: tuple[Edit, ...]
    lines: tuple[int, ...] = ()

    @property
    def span(self) -> Span:
        """Return the span of version `origin` that the search matched."""
        return self.hit.span


class Present(NamedTuple):
    """The edit's change is already there, in version `origin`. `duplicate_of` is the block that made it, or None."""

    span: Span
    origin: int
    duplicate_of: int | None = None


class Refused(NamedTuple):
    """The edit does not land. `blocker` is the block that changed its place before; `lines` are its possible places."""

    found: Found
    lines: tuple[int, ...] = ()
    blocker: int | None = None


Landing = Landed | Present | Refused


def one_version_later(landing: Landing) -> Landing:
    """Return the same landing with its version numbers raised by one, for versions with one more in front."""
    match landing:
        case Landed(origin=origin, made_in=made_in):
            return landing._replace(origin=origin + 1, made_in=made_in + 1)
        case Present(origin=origin):
            return landing._replace(origin=origin + 1)
        case Refused():
            return landing
