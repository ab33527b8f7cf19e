"""Whether an edit's change already stands in the file, at the place where its search was found.

Asked before anything lands, so that a reply applied twice changes nothing the second time. Two signs count: the lines
that it would insert stand at the very point, or the whole replacement stands over the search's place. Where the search
is nowhere, `made` answers.
"""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING

from dovetail.match.landing.change import Change
from dovetail.match.landing.land import land
from dovetail.match.lines.likeness import ratio, subsequence
from dovetail.match.lines.line import bare, distinctive, indent_of, squeeze, tokens, worded
from dovetail.model.dataclasses import replace
from dovetail.model.text import join_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dovetail.match.lines.alignment import Alignment
    from dovetail.match.lines.document import Document
    from dovetail.match.lines.linediff import Hunk
    from dovetail.model.text import Span

    _Trim = Callable[[str], str]


_LONG = 3  # distinctive lines that are not found together by chance
_FEW = 4  # words and signs that are not found in another text by chance
_ALIKE = 0.6  # the likeness that makes a replacement a version of its search


def around(document: Document, change: Change, alignment: Alignment) -> Span | None:
    """The place of a search with what the edit makes of it; None where a part of that is not there yet."""
    told = _told(document, change, alignment)
    return (
        _whole(document, change, alignment, told)
        or _reindented(document, change, alignment)
        or _added_and_moved(document, change, alignment, told)
        or _longer(document, change, alignment, told)
    )


def _told(document: Document, change: Change, alignment: Alignment) -> _Trim:
    """What leaves of a new line all that the file must have: its depth too, where the search has the file's.

    Then a lone brace of another depth is another one.
    """
    pairs = ((change.search[i], document.rows[j]) for i, j in alignment.pairs)
    return str.rstrip if all(indent_of(line) == indent_of(row) for line, row in pairs if line.strip()) else str.strip


def _whole(document: Document, change: Change, alignment: Alignment, told: _Trim) -> Span | None:
    """The replacement, kept lines as the file spells them, where it stands over all that stands for the search.

    Blank lines at both halves' ends need no line of the file where the search's have none. Of depths that the search
    has otherwise than the file, and of blanks that lines end with, it is asked only where it changes nothing else.
    """
    head, tail = _missing_blanks(change, alignment)
    trim = _ignored(change, told)
    wanted = list(change.replace)
    for i, k in change.kept():
        if (partner := alignment.lines[i]) is not None:
            wanted[k] = indent_of(wanted[k]) + document.rows[partner].lstrip()
    new = [trim(line) for line in wanted[head : len(wanted) - tail]]
    if not new or not change.hunks:
        return None
    rows, size = document.rows, len(new)
    for first in range(max(0, alignment.end - size), min(alignment.first, len(document) - size) + 1):
        if trim(rows[first]) == new[0] and [trim(line) for line in rows[first : first + size]] == new:
            return document.span(first, first + size)
    return None


def _reindented(document: Document, change: Change, alignment: Alignment) -> Span | None:
    """The place of an edit that only moves lines to the right or left, where each stands as deep as it is to.

    The lines that it keeps must show that the reply counts depths as the file does.
    """
    old, new = change.search, change.replace
    if len(old) != len(new) or any(a.strip() != b.strip() for a, b in zip(old, new, strict=True)):
        return None
    rows = document.rows
    depths = [
        (indent_of(old[i]), indent_of(new[i]), indent_of(rows[j]))
        for i, j in alignment.pairs
        if old[i].strip() and rows[j].strip()
    ]
    shown = any(told == wanted for told, wanted, _ in depths)
    if not shown or any(wanted != row for _, wanted, row in depths) or all(told == row for told, _, row in depths):
        return None
    return alignment.span(document)


def _ignored(change: Change, told: _Trim) -> _Trim:
    """What takes the blanks off a line that mean nothing, as the edit changes more than those."""
    for trim in (told, str.rstrip):
        if list(map(trim, change.search)) != list(map(trim, change.replace)):
            return trim
    return str


def _longer(document: Document, change: Change, alignment: Alignment, told: _Trim) -> Span | None:
    """The replacement of an edit that only adds, standing but for blanks, and beginning or ending as the search does.

    What is added may end as what stands above it does, or begin as what stands below: then the search is found in it.
    Among other blank lines a lone bracket or quote may be anything's, so a line that is added must say something.
    """
    added = (line for hunk in change.hunks for line in change.replace[hunk.b1 : hunk.b2])
    if not change.inserts_only or not worded(added):
        return None
    new = [(indent_of(told(line)), squeeze(line)) for line in change.replace if line.strip()]
    if len(new) <= sum(1 for line in change.search if line.strip()):
        return None
    rows = document.rows
    full = [row for row in range(alignment.first, alignment.end) if rows[row].strip()]
    for order in (range(full[0], len(rows)), range(full[-1], -1, -1)):
        lines = sorted(islice((row for row in order if rows[row].strip()), len(new)))
        covered = lines[0] <= full[0] and full[-1] <= lines[-1]
        if covered and [(indent_of(told(rows[row])), squeeze(rows[row])) for row in lines] == new:
            return document.span(lines[0], lines[-1] + 1)
    return None


def _missing_blanks(change: Change, alignment: Alignment) -> tuple[int, int]:
    """How many blank lines both halves begin with, and end with, for which no line of the file stands."""
    head = zip(alignment.lines, change.search, change.replace, strict=False)
    tail = zip(reversed(alignment.lines), reversed(change.search), reversed(change.replace), strict=False)
    return _leading(head), _leading(tail)


def _leading(lines: Iterable[tuple[int | None, str, str]]) -> int:
    missing = takewhile(lambda line: line[0] is None and not line[1].strip() and not line[2].strip(), lines)
    return sum(1 for _ in missing)


def _added_and_moved(document: Document, change: Change, alignment: Alignment, told: _Trim) -> Span | None:
    """The place of a search of which the edit keeps all but how deep lines stand, with what it would insert there."""
    gone = [i for i in change.changed() if change.search[i].strip()]
    if not change.hunks or not change.moved.issuperset(gone):
        return None
    first, end = alignment.first, alignment.end
    for hunk in change.hunks:
        if change.moved.isdisjoint(range(hunk.a1, hunk.a2)):
            place = _inserted(document, change, hunk, alignment, told)
        else:
            place = _as_deep(document, change, hunk, alignment)
        if place is None:
            return None
        first, end = min(first, place[0]), max(end, place[1])
    return document.span(first, end)


def _as_deep(document: Document, change: Change, hunk: Hunk, alignment: Alignment) -> tuple[int, int] | None:
    """The lines that a hunk would move, where they stand as deep already."""
    if land(document, replace(change, hunks=(hunk,)), alignment) != ():
        return None
    spans = [alignment.reach(i) for i in range(hunk.a1, hunk.a2) if alignment.lines[i] is not None]
    return (spans[0][0], spans[-1][1]) if spans else None


def pending(document: Document, change: Change, alignment: Alignment) -> Change:
    """What is left to do of a change of which a part has been made already.

    Where one hunk has been made, an insertion that stands was made with it; where none has, it is a coincidence, and
    so it is of blank lines in any case: they stand everywhere.
    """
    done = [hunk for hunk in change.hunks if made(document, change, hunk, alignment)]
    if not done:
        return change
    told = _told(document, change, alignment)

    def stands(hunk: Hunk) -> bool:
        says = any(line.strip() for line in change.replace[hunk.b1 : hunk.b2])
        return says and _inserted(document, change, hunk, alignment, told) is not None

    return replace(change, hunks=tuple(h for h in change.hunks if h not in done and not stands(h)))


def made(document: Document, change: Change, hunk: Hunk, alignment: Alignment) -> bool:
    """Whether the file's lines for a hunk's search lines are what the hunk would put there: both made one change.

    Never for one that moves lines or changes blanks alone: what blanks are to stand there, only landing tells.
    """
    if hunk.b1 == hunk.b2:
        return all(line is None for line in alignment.lines[hunk.a1 : hunk.a2])
    spans = [alignment.reach(i) for i in range(hunk.a1, hunk.a2) if alignment.lines[i] is not None]
    old, new = bare(change.search[hunk.a1 : hunk.a2]), bare(change.replace[hunk.b1 : hunk.b2])
    standing = bool(spans) and old != new and bare(document.rows[spans[0][0] : spans[-1][1]]) == new
    return standing and change.moved.isdisjoint(range(hunk.a1, hunk.a2))


def _inserted(
    document: Document, change: Change, hunk: Hunk, alignment: Alignment, told: _Trim
) -> tuple[int, int] | None:
    """The lines that a hunk would insert, where they stand at its point already and no search line stands for them."""
    new = list(map(told, change.replace[hunk.b1 : hunk.b2]))
    above, below = alignment.above(hunk.a1), alignment.below(hunk.a2)
    ways = []
    if above is not None:
        ways.append((above, above + len(new)))
    if below is not None:
        ways.append((below - len(new), below))
    for first, end in ways:
        free = first >= (above or 0) and end <= (below if below is not None else len(document))
        if hunk.a1 == hunk.a2 and free and list(map(told, document.rows[first:end])) == new:
            return first, end
    return None


def proves(change: Change) -> bool:
    """Whether the replacement, where it stands and the search does not, says that the edit was made."""
    return telling(change) or _grown(change)


def _grown(change: Change) -> bool:
    """Whether the replacement is all that the search says, in that order, and more."""
    old, new = (
        [word for line in lines for word in tokens(line) if word.strip()] for lines in (change.search, change.replace)
    )
    whole = len(old) >= _FEW and len(old) < len(new) and any(map(distinctive, change.search))
    return whole and sum(1 for _ in subsequence(old, new)) == len(old)


def standing(document: Document, change: Change, *, inline: bool = False) -> list[Span]:
    """The places where the whole replacement stands to the letter; none where that proves nothing.

    inline: it is a run of characters, which may stand inside a line.
    """
    if not telling(change):
        return []
    if inline:
        return list(document.runs("\n".join(change.replace)))
    return list(document.whole_lines(join_lines(change.replace)))


def elsewhere(document: Document, change: Change, alignment: Alignment) -> int | None:
    """The line of the one place, other than the search's, where the whole replacement stands to the letter."""
    found = [document.line_at(place.start) for place in standing(document, change)]
    if len(found) != 1 or alignment.first <= found[0] < alignment.end:
        return None
    return found[0]


def _is_run(lines: Sequence[str], of: Sequence[str]) -> bool:
    """Whether lines follow each other so among others."""
    size = len(lines)
    begins = (at for at, line in enumerate(of[: max(0, len(of) - size + 1)]) if line == lines[0])
    return any(of[at + size - 1] == lines[-1] and of[at : at + size] == lines for at in begins)


def telling(change: Change) -> bool:
    """Whether the replacement is long, keeps a distinctive line, or is the search with little changed.

    A run of the search's own lines stands together in any case, whatever was deleted beside it.
    """
    new = [line for line in change.replace if line.strip()]
    if not new or _is_run(change.replace, change.search):
        return False
    kept = {line.strip() for line in change.search} & {line.strip() for line in new}
    if sum(map(distinctive, new)) >= _LONG or any(map(distinctive, kept)):
        return True
    return ratio("\n".join(change.search), "\n".join(change.replace)) >= _ALIKE
