"""What a guard says about an edit."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """What is wrong with the result of an edit, and what to do next.

    line: the line of the file after the reply, from 1, where it is known.
    """

    reason: str
    hint: str | None = None
    line: int | None = None
