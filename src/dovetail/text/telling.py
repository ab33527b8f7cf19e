"""Which lines tell places apart that look alike."""

from __future__ import annotations

from collections.abc import Sequence

_REACH = 12  # lines away from a place; to quote more costs more than it tells
_LONGEST = 100  # characters of a line that is worth quoting


def telling(lines: Sequence[str], places: Sequence[int], height: int = 1) -> tuple[int, ...]:
    """For each place the nearest line above or below it, equally far for all, that reads otherwise at each of them.

    `places` are first lines, from 1, of runs of `height` lines; so is what comes back. Empty where no line tells.
    """
    for away in range(1, _REACH + 1):
        for step in (-away, height - 1 + away):
            found = tuple(place + step for place in places)
            texts = {lines[at - 1].strip() for at in found if 1 <= at <= len(lines)}
            if len(texts) == len(places) and all(0 < len(text) <= _LONGEST for text in texts):
                return found
    return ()
