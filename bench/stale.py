"""Edits told of an older text than the file has, and edits whose place is no longer there: between two versions.

The first are right where what they change is common to both versions, whatever else of the lines that they quote has
changed. Of the second only a refusal is right, however like another place is: that is a twin.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from edits import Fate, Line, Scenario, as_text, edited, step_of
from versions import LONGEST, MARKS, Pair, stands

NEAR = 7  # lines between what an edit changes and what has changed since
AROUND = 4  # further lines quoted at either side, at most
MOST = 16  # lines quoted of a place that is cut out
BESIDE = 25  # lines cut out with it at either side, at most
LEAST = 15  # lines that are left


def quoted_from_older(found: Sequence[Pair], rng: Random) -> Scenario | None:
    """An edit of lines that both versions have, told with lines beside them as the older one has them."""
    pair = rng.choice(found)
    gone, kept, *_ = rng.choice(pair.hunks)
    below = rng.random() < 0.5
    at = kept + rng.randrange(NEAR) if below else gone - 1 - rng.randrange(NEAR)
    size = rng.choice((1, 1, 1, 2, 3))
    there = _in_both(pair, at, size)
    if there is None:
        return None
    low = max(0, min(at, gone) - rng.randrange(AROUND))
    high = min(len(pair.old), max(at + size, kept) + rng.randrange(AROUND))
    return _scenario(pair, (low, at, at + size, high), pair.new, there, rng)


def place_cut_out(found: Sequence[Pair], rng: Random) -> Scenario | None:
    """An edit of the older version, which is the file but for the lines that the edit is about."""
    pair = rng.choice(found)
    if len(pair.old) < 3 * LEAST:
        return None
    low = rng.randrange(len(pair.old) - LEAST)
    high = min(len(pair.old), low + rng.randrange(3, MOST))
    at = rng.randrange(low, high)
    left = [*pair.old[: max(0, low - rng.randrange(BESIDE))], *pair.old[high + rng.randrange(BESIDE) :]]
    if sum(1 for line in left if line.strip()) < LEAST:
        return None
    return _scenario(pair, (low, at, min(high, at + rng.choice((1, 1, 2))), high), left, None, rng)


def _in_both(pair: Pair, at: int, size: int) -> int | None:
    """Where lines of the older version stand in the newer one; None where they are not all of one common stretch."""
    end, shift = 0, 0
    for gone, kept, _, behind in [*pair.hunks, (len(pair.old), 0, 0, 0)]:
        if end <= at and at + size <= gone:
            return at + shift
        end, shift = kept, behind - kept
    return None


def _scenario(
    pair: Pair, lines: tuple[int, int, int, int], text: list[str], there: int | None, rng: Random
) -> Scenario | None:
    """An edit of some lines among others that it quotes, in a text that has them `there`, or nowhere."""
    low, at, end, high = lines
    part = [Line(Fate.KEPT, pair.old[n], n + 1) for n in range(at, end)]
    made = edited(part, step_of(line.text for line in part), rng)
    above, below = (
        [Line(Fate.KEPT, pair.old[n], n + 1) for n in numbers] for numbers in (range(low, at), range(end, high))
    )
    edit = (*above, *made, *below)
    new = [line.text for line in made if line.fate is not Fate.GONE]
    truth = text if there is None else [*text[:there], *new, *text[there + end - at :]]
    case = Scenario(pair.path, as_text(text), edit, as_text(truth))
    unfit = len(edit) > LONGEST or all(line.fate is Fate.KEPT for line in made)
    unfit = unfit or any(mark in case.search + case.replace for mark in MARKS)
    return None if unfit or stands(case, as_text(pair.old)) != 1 or stands(case, case.text) else case
