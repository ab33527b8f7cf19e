"""The commas and semicolons between entries and statements, where the search has one more than the file.

Whether the last entry of a block ends with one is a habit of the file's, and no substance. But what is put behind a
line that lacks its separator needs it, and what comes to stand last may not keep its own: then what would be written
is broken, and nothing is.
"""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING

from dovetail.match.landing.fit import Obstacle
from dovetail.match.landing.substance import differences
from dovetail.text.line import closes, deep, opens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.fit import Fit
    from dovetail.text.diff import Hunk

_BLOCK = 200  # lines above one that are looked at for its block
_NEEDED = "the search quotes a {} at the end of this line, and what is to be inserted behind it needs one"
_LEFT = "the search quotes a comma at the end of this line, and what would stand last without it ends with one"


def objection(fit: Fit) -> Obstacle | None:
    """The first line of the file that lacks a separator which the edit needs, or shows that one has to go."""
    found = (_needed(fit, hunk) or _left(fit, hunk) for hunk in fit.change.hunks)
    return next((obstacle for obstacle in found if obstacle is not None), None)


def _needed(fit: Fit, hunk: Hunk) -> Obstacle | None:
    above = fit.change.comes_behind(hunk)
    line = fit.lines[above] if above is not None else None
    if above is None or line is None:
        return None
    lacking = differences(fit.search[above], fit.rows[line])
    if (",", "") in lacking:
        return Obstacle(line, _NEEDED.format("comma"))
    if (";", "") in lacking and _ends_statements(fit.rows, line):
        return Obstacle(line, _NEEDED.format("semicolon"))
    return None


def _ends_statements(rows: Sequence[str], line: int) -> bool:
    """Whether the file ends statements with semicolons, and may have left one out because this is the last; of a block
    of several, whether those above do, as the file may be of several languages."""
    row = rows[line]
    follows = next(filter(str.strip, islice(rows, line + 1, None)), None)
    if follows is not None and not closes(follows) and deep(follows) >= deep(row):
        return False
    block = takewhile(
        lambda other: deep(other) >= deep(row), filter(str.strip, rows[max(0, line - _BLOCK) : line][::-1])
    )
    above = [other for other in block if deep(other) == deep(row) and not (opens(other) or closes(other))]
    return any(other.rstrip().endswith(";") for other in above or rows)


def _left(fit: Fit, hunk: Hunk) -> Obstacle | None:
    """The line that goes, where the one above it comes to stand last with a comma that the file has none for."""
    if any(map(str.strip, fit.change.new(hunk))):
        return None
    gone, above = fit.change.last_text(hunk.a1, hunk.a2), fit.change.last_text(0, hunk.a1)
    lines = [fit.lines[i] if i is not None else None for i in (gone, above)]
    if gone is None or lines[0] is None or lines[1] is None:
        return None
    row, last = (fit.rows[line] for line in lines if line is not None)
    if (",", "") not in differences(fit.search[gone], row) or not last.rstrip().endswith(","):
        return None
    return Obstacle(lines[0], _LEFT)
