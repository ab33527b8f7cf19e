"""Limits on the work that comparing an edit, and a whole reply, may take.

Work is counted in steps and not in seconds, so that the same reply always ends the same way. A step is about as much
as comparing two lines: some tenths of a microsecond. What loops over lines, places or pairs of them says how many
steps it is about to take (`spend`), and whoever asks for an answer says how many it may take (`limited`). Where nobody
says so, nothing is limited.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS_PER_EDIT = 4_000_000
"""Steps in which one edit must find its place, some two seconds; real edits take a few thousand."""
STEPS_PER_REPLY = 12_000_000
"""Steps for all edits of a reply together."""
_CELLS = 2_000
"""Pairs of a table that the compiled comparison of two sequences fills in the time of one step."""
_READ = 20
"""Entries of the two sequences that the same comparison reads in the time of one step."""


class TooMuchWorkError(Exception):
    """The steps are used up. It never leaves `plan`, which makes it the result `too-large` of an edit."""


@dataclass(slots=True)
class StepsLeft:
    """The steps that are left; negative once they are used up."""

    steps: int


_left: ContextVar[StepsLeft | None] = ContextVar("steps left", default=None)


def spend(steps: int) -> None:
    """Take steps from those that are left. Raises `TooMuchWorkError` if there are not as many."""
    left = _left.get()
    if left is not None:
        left.steps -= steps
        if left.steps < 0:
            raise TooMuchWorkError


def spend_on_table(rows: int, columns: int) -> None:
    """Spend the steps of comparing two sequences, of `rows` and `columns` entries, in compiled code."""
    spend((rows * columns) // _CELLS + (rows + columns) // _READ)


@contextmanager
def limited(most: int) -> Iterator[StepsLeft]:
    """Allow `most` steps in the body, and no more than an enclosing `limited` has left; they count there, too.

    Yields the steps that are left.
    """
    outer = _left.get()
    allowed = most if outer is None else max(0, min(most, outer.steps))
    inner = StepsLeft(allowed)
    token = _left.set(inner)
    try:
        yield inner
    finally:
        _left.reset(token)
        if outer is not None:
            # What the body asked for beyond its limit was not done and costs nothing, but for one step: it ends the
            # outer limit too if both were as high.
            outer.steps -= allowed - max(inner.steps, -1)
