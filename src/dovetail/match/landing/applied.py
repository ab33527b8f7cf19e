"""Whether an edit's change already stands in the file, at the place where its search was found.

Asked before anything lands, so that a reply applied twice changes nothing the second time. Two signs count: the lines
that it would insert stand at the very point, or the whole replacement stands over the search's place. Where the search
is nowhere, `made` answers.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from dovetail.match.landing.change import Change
from dovetail.match.landing.land import land
from dovetail.text.folding import folded
from dovetail.text.line import bare, full, indent_of, squeeze, worded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dovetail.match.landing.fit import Fit
    from dovetail.model.text import Span
    from dovetail.text.diff import Hunk

    _Trim = Callable[[str], str]


def around(fit: Fit) -> Span | None:
    """The place of a search with what the edit makes of it; None where a part of that is not there yet."""
    told = _told(fit)
    return _whole(fit, told) or _reindented(fit) or _added_and_moved(fit, told) or _longer(fit, told)


def _told(fit: Fit) -> _Trim:
    """What leaves of a new line all that the file must have: its depth too, where the search has the file's, and its
    characters, where the search has no other form of them.

    Then a lone brace of another depth is another one; and new lines were written in the file's form.
    """
    same = all(indent_of(line) == indent_of(row) for line, row in fit.pairs if line.strip())
    if any(squeeze(line) != squeeze(row) and folded(line) == folded(row) for line, row in fit.pairs):
        return (lambda line: indent_of(line) + folded(line)) if same else folded
    return str.rstrip if same else str.strip


def _whole(fit: Fit, told: _Trim) -> Span | None:
    """The replacement, kept lines as the file spells them, where it stands over all that stands for the search.

    Blank lines at both halves' ends need no line of the file where the search's have none. Of depths that the search
    has otherwise than the file, and of blanks that lines end with, it is asked only where it changes nothing else.
    """
    head, tail = _missing_blanks(fit)
    trim = _ignored(fit.change, told)
    wanted = list(fit.replace)
    for i, k in fit.change.kept():
        if (partner := fit.lines[i]) is not None:
            wanted[k] = indent_of(wanted[k]) + fit.rows[partner].lstrip()
    new = [trim(line) for line in wanted[head : len(wanted) - tail]]
    if not new or not fit.change.hunks:
        return None
    rows, size = fit.rows, len(new)
    for first in range(max(0, fit.alignment.end - size), min(fit.alignment.first, len(rows) - size) + 1):
        if trim(rows[first]) == new[0] and [trim(line) for line in rows[first : first + size]] == new:
            return fit.document.span(first, first + size)
    return None


def _reindented(fit: Fit) -> Span | None:
    """The place of an edit that only moves lines to the right or left, where each stands as deep as it is to.

    The lines that it keeps must show that the reply counts depths as the file does.
    """
    old, new = fit.search, fit.replace
    if len(old) != len(new) or any(a.strip() != b.strip() for a, b in zip(old, new, strict=True)):
        return None
    depths = [
        (indent_of(old[i]), indent_of(new[i]), indent_of(fit.rows[j]))
        for i, j in fit.alignment.pairs
        if old[i].strip() and fit.rows[j].strip()
    ]
    shown = any(told == wanted for told, wanted, _ in depths)
    if not shown or any(wanted != row for _, wanted, row in depths) or all(told == row for told, _, row in depths):
        return None
    return fit.span


def _ignored(change: Change, told: _Trim) -> _Trim:
    """What takes the blanks off a line that mean nothing, as the edit changes more than those."""
    for trim in (told, str.rstrip):
        if list(map(trim, change.search)) != list(map(trim, change.replace)):
            return trim
    return str


def _longer(fit: Fit, told: _Trim) -> Span | None:
    """The replacement of an edit that only adds, standing but for blanks, and beginning or ending as the search does.

    What is added may end as what stands above it does, or begin as what stands below: then the search is found in it.
    Among other blank lines a lone bracket or quote may be anything's, so a line that is added must say something.
    """
    if not fit.change.inserts_only or not worded(fit.change.come):
        return None
    new = [(indent_of(told(line)), squeeze(line)) for line in fit.replace if line.strip()]
    if len(new) <= len(full(fit.search)):
        return None
    rows = fit.rows
    said = full(rows[fit.alignment.first : fit.alignment.end])
    first, last = fit.alignment.first + said[0], fit.alignment.first + said[-1]
    for order in (range(first, len(rows)), range(last, -1, -1)):
        lines = sorted(islice((row for row in order if rows[row].strip()), len(new)))
        covered = lines[0] <= first and last <= lines[-1]
        if covered and [(indent_of(told(rows[row])), squeeze(rows[row])) for row in lines] == new:
            return fit.document.span(lines[0], lines[-1] + 1)
    return None


def _missing_blanks(fit: Fit) -> tuple[int, int]:
    """How many blank lines both halves begin with, and end with, for which no line of the file stands."""
    head = zip(fit.lines, fit.search, fit.replace, strict=False)
    tail = zip(reversed(fit.lines), reversed(fit.search), reversed(fit.replace), strict=False)
    return _leading(head), _leading(tail)


def _leading(lines: Iterable[tuple[int | None, str, str]]) -> int:
    missing = takewhile(lambda line: line[0] is None and not line[1].strip() and not line[2].strip(), lines)
    return sum(1 for _ in missing)


def _added_and_moved(fit: Fit, told: _Trim) -> Span | None:
    """The place of a search of which the edit keeps all but how deep lines stand, with what it would insert there."""
    gone = [i for i in fit.change.changed() if fit.search[i].strip()]
    if not fit.change.hunks or not fit.change.moved.issuperset(gone):
        return None
    first, end = fit.alignment.first, fit.alignment.end
    for hunk in fit.change.hunks:
        still = fit.change.moved.isdisjoint(hunk.old)
        place = _inserted(fit, hunk, told) if still else _as_deep(fit, hunk)
        if place is None:
            return None
        first, end = min(first, place[0]), max(end, place[1])
    return fit.document.span(first, end)


def _as_deep(fit: Fit, hunk: Hunk) -> tuple[int, int] | None:
    """The lines that a hunk would move, where they stand as deep already."""
    return fit.taken(hunk) if land(fit.of(replace(fit.change, hunks=(hunk,)))) == () else None


def pending(fit: Fit) -> Change:
    """What is left to do of a change of which a part has been made already.

    Where one hunk has been made, an insertion that stands was made with it; where none has, it is a coincidence, and
    so it is of blank lines in any case: they stand everywhere.
    """
    done = [hunk for hunk in fit.change.hunks if made(fit, hunk)]
    if not done:
        return fit.change
    told = _told(fit)

    def stands(hunk: Hunk) -> bool:
        says = any(line.strip() for line in fit.change.new(hunk))
        return says and _inserted(fit, hunk, told) is not None

    return replace(fit.change, hunks=tuple(h for h in fit.change.hunks if h not in done and not stands(h)))


def made(fit: Fit, hunk: Hunk) -> bool:
    """Whether the file's lines for a hunk's search lines are what the hunk would put there: both made one change.

    Never for one that moves lines or changes blanks alone: what blanks are to stand there, only landing tells.
    """
    if hunk.deletes:
        return all(line is None for line in fit.lines[hunk.a1 : hunk.a2])
    taken = fit.taken(hunk)
    old, new = bare(fit.change.old(hunk)), bare(fit.change.new(hunk))
    standing = taken is not None and old != new and bare(fit.rows[slice(*taken)]) == new
    return standing and fit.change.moved.isdisjoint(hunk.old)


def _inserted(fit: Fit, hunk: Hunk, told: _Trim) -> tuple[int, int] | None:
    """The lines that a hunk would insert, where they stand at its point already and no search line stands for them."""
    new = list(map(told, fit.change.new(hunk)))
    above, below = fit.alignment.above(hunk.a1), fit.alignment.below(hunk.a2)
    ways = []
    if above is not None:
        ways.append((above, above + len(new)))
    if below is not None:
        ways.append((below - len(new), below))
    for first, end in ways:
        free = first >= (above or 0) and end <= (below if below is not None else len(fit.rows))
        if hunk.inserts and free and list(map(told, fit.rows[first:end])) == new:
            return first, end
    return None
