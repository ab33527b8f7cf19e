"""Where a hunk goes: the file's lines that it takes, or the point at which it adds lines.

Blank lines are forgiven by the tiers, so beside an insertion the file may have others than the search, and it is told
here on which side of them new lines go. Where a line of the file that the search forgot touches a hunk, nobody can say
whether it was meant to stay: that is an `Obstacle`. But a comment stays where it is, above what it speaks of.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from dovetail.match.landing.fit import Obstacle
from dovetail.text.comments import is_comment, is_docstring, is_remark
from dovetail.text.diff import Hunk
from dovetail.text.line import deep, distinctive
from dovetail.text.similarity import is_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.match.landing.change import Change
    from dovetail.match.landing.fit import Fit

_ELIDED = "lines are to be inserted beside an elision, and no quoted line there says where"


def place_of(fit: Fit, hunk: Hunk) -> tuple[Hunk, int, int] | Obstacle:
    """A hunk as it is best told, and the file's lines, end exclusive, that it replaces; none for an insertion."""
    hunk = _behind_blanks(fit, _slid(fit, hunk))
    place = _place(fit, hunk)
    return place if isinstance(place, Obstacle) else (_set_off(fit, hunk, place[0]), *place)


def _slid(fit: Fit, hunk: Hunk) -> Hunk:
    """An insertion moved over the blank lines beside it that the file does not have, where it has as many itself.

    What sets it off is then its own, and what is missing in the file is what it would end or begin with.
    """
    search, new, lines = fit.search, fit.replace, fit.lines
    if not hunk.inserts:
        return hunk
    at, by = hunk.a1, 0
    if fit.alignment.above(at) is not None:
        while lines[at + by - 1] is None and _both_blank(search[at + by - 1], new[hunk.b2 + by - 1]):
            by -= 1
    else:
        while at + by < len(lines) and lines[at + by] is None and _both_blank(search[at + by], new[hunk.b1 + by]):
            by += 1
    return Hunk(at + by, at + by, hunk.b1 + by, hunk.b2 + by)


def _behind_blanks(fit: Fit, hunk: Hunk) -> Hunk:
    """An insertion that begins as the blank lines behind it do, moved over these where it belongs to what follows."""
    beside = zip(fit.search[hunk.a2 :], fit.replace[hunk.b1 :], strict=False)
    by = sum(1 for _ in takewhile(lambda pair: pair == ("", ""), beside))
    if not hunk.inserts or by == 0:
        return hunk
    at = hunk.a1 + by
    moved = Hunk(at, at, hunk.b1 + by, hunk.b2 + by)
    above, below = fit.alignment.above(at), fit.alignment.below(at)
    if above is None or below is None or not _goes_with_below(fit.change, moved, below - above):
        return hunk
    return moved


def _set_off(fit: Fit, hunk: Hunk, at: int) -> Hunk:
    """An insertion behind the file's last line, with the blank lines that the search quotes there and the file lacks:
    nothing else is left to set it off."""
    if not hunk.inserts or at != len(fit.document):
        return hunk
    above = zip(reversed(fit.search[: hunk.a1]), reversed(fit.lines[: hunk.a1]), strict=True)
    lost = sum(1 for _ in takewhile(lambda pair: pair[1] is None and not pair[0].strip(), above))
    return Hunk(hunk.a1, hunk.a2, hunk.b1 - lost, hunk.b2)


def _both_blank(one: str, other: str) -> bool:
    return not one.strip() and not other.strip()


def _place(fit: Fit, hunk: Hunk) -> tuple[int, int] | Obstacle:
    """The file's lines that a hunk replaces; first equals end for an insertion."""
    taken = fit.taken(hunk)
    if taken is not None:
        first, end = taken
    elif (above := fit.alignment.above(hunk.a1)) is not None:
        below = fit.alignment.below(hunk.a2)
        first = end = above
        if below is not None and hunk.inserts:
            if _documents(fit, above, below):
                first = end = _below_docstring(fit, hunk, above, below)
            elif _goes_with_below(fit.change, hunk, below - above):
                first = end = below
    elif (below := fit.alignment.below(hunk.a2)) is not None:
        first = end = below
    else:
        return Obstacle(fit.alignment.first, _ELIDED)
    if taken is None and (barred := _parted(fit, hunk)) is not None:
        return Obstacle(barred, "a line stands here where the search quotes a blank one, beside what is to be inserted")
    low = min((first, *_anchors(fit, range(hunk.a1 - 1, -1, -1))))
    high = max((end, *_anchors(fit, range(hunk.a2, len(fit.search)))))
    for line in fit.alignment.unnamed():
        if low <= line < high and fit.rows[line].strip() and not _stays(fit, hunk, line, first):
            return Obstacle(line, "a line that the search does not mention touches the lines that the edit changes")
    return first, end


def _stays(fit: Fit, hunk: Hunk, line: int, first: int) -> bool:
    """Whether a line that the search forgot is a comment, and no line beside it that comes or goes may be one.

    It speaks of what is below: lines may come or go above it, and the one below it may become another like it. Not so a
    docstring, nor the rest of a comment that the search quotes above, nor one that would take a quoted blank line from
    what is new.
    """
    if fit.says(line) or (hunk.inserts and line == first and _touched(fit, hunk, line)):
        return False
    above = line < first
    beside = [list(filter(str.strip, lines)) for lines in (fit.change.old(hunk), fit.change.new(hunk))]
    if above and _documents(fit, fit.alignment.above(hunk.a1), first):
        return not any(is_docstring(lines[0]) for lines in beside if lines)
    if above and not _comes_again(*beside):
        return False
    return not any(is_remark(lines[0 if above else -1]) for lines in beside if lines)


def _comes_again(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the first of some lines that go is among those that come, in another form."""
    return bool(old) and any(is_version(old[0], line) for line in new)


def _touched(fit: Fit, hunk: Hunk, line: int) -> bool:
    """Whether an insertion would part a comment from its first lines, or stand at one and not at the blank line that
    the search has there."""
    parts = all(map(is_comment, fit.rows[line - 1 : line + 1]))
    return parts or (fit.search[hunk.a2 : hunk.a2 + 1] == [""] and fit.change.new(hunk)[-1].strip() != "")


def _documents(fit: Fit, first: int | None, end: int) -> bool:
    """Whether the file's lines to `end` (exclusive) are no code, and begin with a docstring: what is new goes below."""
    lines = [line for line in range(first if first is not None else end, end) if fit.rows[line].strip()]
    return bool(lines) and not any(fit.says(line) for line in lines) and is_docstring(fit.rows[lines[0]])


def _below_docstring(fit: Fit, hunk: Hunk, first: int, below: int) -> int:
    """Where new lines go that stand below a docstring which begins behind `first`: above a comment that the file has
    there, and above a blank line where the search quotes one."""
    lines = [line for line in range(first, below) if fit.rows[line].strip()]
    quotes = fit.rows[lines[0]].strip().lstrip("rRuU")[:3]
    end = next((line + 1 for line in lines if fit.rows[line].count(quotes) > (line == lines[0])), below)
    if hunk.a2 < len(fit.search) and not fit.search[hunk.a2].strip():
        return end
    return next((line for line in range(end, below) if fit.rows[line].strip()), below)


def _goes_with_below(change: Change, hunk: Hunk, more: int) -> bool:
    """Whether new lines go behind the blank lines that the file has there, `more` than the search.

    Those set off what follows from what is above. New lines that begin with no blank one belong to what follows where
    they touch it, and not what is above; where they stand as deep, and what is above stands deeper; and where they are
    set off from it as far themselves, and stand no deeper.
    """
    new, above, below = change.new(hunk), change.search[: hunk.a1], change.search[hunk.a2 :]
    if not new[0].strip():
        return False
    if new[-1].strip() and below[0].strip() and not above[-1].strip():
        return True
    last, follows = (next(filter(str.strip, lines), "") for lines in (reversed(above), below))
    depths = [deep(line) for line in (last, new[0], follows)]
    apart = _blanks_at_end(new) >= _blanks_at_end(above) + more
    return depths[1] <= depths[2] if apart else depths[0] > depths[1] == depths[2]


def _blanks_at_end(lines: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda line: not line.strip(), reversed(lines)))


def _parted(fit: Fit, hunk: Hunk) -> int | None:
    """The file's line at the open side of an insertion, where the search quotes a blank one and nothing beyond it."""
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
    """The file's lines of the search lines beside a hunk, up to the first distinctive one.

    A lone brace may stand for any other, so it holds a hunk in its place only together with a line that cannot.
    """
    for i in indices:
        if i in fit.alignment.gaps:
            return
        if fit.lines[i] is not None:
            yield from fit.alignment.reach(i)
            if distinctive(fit.search[i]):
                return
