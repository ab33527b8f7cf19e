"""Decides where a hunk goes: the file's lines that it replaces, or the point at which it inserts lines.

New lines follow the line above them in the search, before blank lines that only the file has. If a line that the search
left out touches a hunk, it is not known whether it should stay: that is an `Obstacle`.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from dovetail.match.landing.fit import Obstacle
from dovetail.text.comments import is_comment
from dovetail.text.diff import Hunk
from dovetail.text.line import distinctive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.match.landing.fit import Fit

_FORGOTTEN = "a line that the search does not mention touches the lines that the edit changes"
_PARTED = "a line stands here where the search quotes a blank one, beside what is to be inserted"
_ELIDED = "lines are to be inserted beside an elision, and no quoted line there says where"


def place_of(fit: Fit, hunk: Hunk) -> tuple[int, int] | Obstacle:
    """Return the file's lines, end exclusive, that a hunk replaces; an empty range for an insertion; or an obstacle."""
    taken = fit.taken(hunk)
    if taken is not None:
        first, end = taken
    else:
        above = fit.alignment.above(hunk.a1)
        at = above if above is not None else fit.alignment.below(hunk.a2)
        if at is None:
            return Obstacle(fit.alignment.first, _ELIDED)
        first = end = at
        if (barred := _parted(fit, hunk)) is not None:
            return Obstacle(barred, _PARTED)
    # From the nearest distinctive line above to the nearest one below: a line of the file in between that the search
    # does not mention touches the hunk.
    low = min((first, *_anchors(fit, range(hunk.a1 - 1, -1, -1))))
    high = max((end, *_anchors(fit, range(hunk.a2, len(fit.search)))))
    for line in fit.alignment.unnamed():
        if low <= line < high and fit.rows[line].strip() and not _stays(fit, hunk, first, end, line):
            return Obstacle(line, _FORGOTTEN)
    return first, end


def _stays(fit: Fit, hunk: Hunk, first: int, end: int, line: int) -> bool:
    """Return whether a line of the file that the search skips is a comment that may stay beside the hunk.

    first, end: the file's lines that the hunk replaces; end exclusive.
    """
    if line not in fit.document.comments:
        return False
    above, below = fit.alignment.above(hunk.a1), fit.alignment.below(hunk.a2)
    # Above the hunk a comment stays only between two kept lines, as one right above changed lines may be about them.
    if line < first:
        return above is not None and line < above
    if below is None or first == end:
        return False
    new = [row for row in fit.change.new(hunk) if row.strip()]
    # Below the hunk it is about what follows: it stays after a kept line, and also before one, if the new code does not
    # end in a comment itself.
    return line >= below or (line >= end and bool(new) and not is_comment(new[-1]))


def slid(fit: Fit, hunk: Hunk) -> Hunk:
    """Return an insertion moved over blank lines beside it that the file lacks, if it has as many itself.

    Then the blank lines that separate it are its own.
    """
    search, new, lines = fit.search, fit.replace, fit.lines
    if not hunk.inserts:
        return hunk
    at, by = hunk.a1, 0
    if fit.alignment.above(at) is not None:
        # The index stays above -1: a line above has a partner, and the loop stops there.
        while lines[at + by - 1] is None and _both_blank(search[at + by - 1], new[hunk.b2 + by - 1]):
            by -= 1
    else:
        while at + by < len(lines) and lines[at + by] is None and _both_blank(search[at + by], new[hunk.b1 + by]):
            by += 1
    return Hunk(at + by, at + by, hunk.b1 + by, hunk.b2 + by)


def _both_blank(one: str, other: str) -> bool:
    return not one.strip() and not other.strip()


def set_off(fit: Fit, hunk: Hunk, at: int) -> Hunk:
    """Return an insertion after the file's last line with the blank lines that the search quotes there and the file
    lacks, as nothing else would separate it."""
    if not hunk.inserts or at != len(fit.document):
        return hunk
    above = zip(reversed(fit.search[: hunk.a1]), reversed(fit.lines[: hunk.a1]), strict=True)
    lost = sum(1 for _ in takewhile(lambda pair: pair[1] is None and not pair[0].strip(), above))
    return Hunk(hunk.a1, hunk.a2, hunk.b1 - lost, hunk.b2)


def _parted(fit: Fit, hunk: Hunk) -> int | None:
    """Return the file's line next to an insertion at an end of the search, if the search quotes a blank one there.

    None if the file has that blank line, too, or the insertion is between quoted lines.
    """
    full = [i for i, line in enumerate(fit.search) if line.strip() and fit.lines[i] is not None]
    if not full or fit.alignment.gaps:
        return None
    if hunk.a1 > full[-1]:
        quoted, beyond = range(full[-1] + 1, len(fit.search)), fit.alignment.end
    elif hunk.a2 <= full[0]:
        quoted, beyond = range(full[0]), fit.alignment.first - 1
    else:
        return None
    if not 0 <= beyond < len(fit.document) or all(fit.lines[i] is not None for i in quoted):
        return None
    return beyond if fit.rows[beyond].strip() else None


def _anchors(fit: Fit, indices: range) -> Iterator[int]:
    """Yield the file's lines of the search lines beside a hunk, up to the first distinctive one.

    A lone brace could be any brace, so it fixes a hunk's place only together with a distinctive line.
    """
    for i in indices:
        if i in fit.alignment.gaps:
            return
        if fit.lines[i] is not None:
            yield from fit.alignment.reach(i)
            if distinctive(fit.search[i]):
                return
