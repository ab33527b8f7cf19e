"""Carries an edit's change over to the file's own lines.

Landing is a merge, not a paste: the change is the difference between search and replacement, and only its hunks are
written. Every line that the edit mentions but does not change keeps the file's bytes, however the model quoted it.
A hunk replaces the file's lines that stand for its search lines, re-indented as the file is, with the file's line
ends. Where a line of the file that the search forgot touches a hunk, nobody can say whether it was meant to stay:
that is an `Obstacle`, and nothing lands.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from dovetail.match.lines.line import deep, distinctive, indent_of, squeeze
from dovetail.match.lines.linediff import Hunk
from dovetail.match.lines.places import as_deep
from dovetail.model.dataclasses import dataclass
from dovetail.model.text import Edit, Span, apply_edits, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.match.landing.change import Change
    from dovetail.match.landing.fit import Fit
    from dovetail.match.lines.document import Document
    from dovetail.model.text import Text


_ELIDED = "lines are to be inserted beside an elision, and no quoted line there says where"
_TWICE = "the search has a line twice alike, the file has not, and nothing says which of the two stays"
_DEPTH = "the search is indented otherwise than the file, and does not tell how deep the new lines belong"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Where the change cannot be carried over: a line of the file, from 0, and why."""

    line: int
    reason: str


def land(fit: Fit) -> tuple[Edit, ...] | Obstacle:
    """The edits that make the change on its lines of the file, or why it cannot be done."""
    edits = _edits(fit)
    if isinstance(edits, Obstacle) or not edits:
        return edits
    forgets = any(fit.rows[line].strip() for line in fit.alignment.unnamed())
    if not (forgets or _torn(fit)):
        return edits
    other = _edits(fit.of(fit.change.from_below()))
    if isinstance(other, Obstacle):
        return other if forgets else edits
    if _alike(fit.document, edits, other):
        return edits
    return Obstacle(fit.document.line_at(edits[0].span.start), _TWICE)


def _edits(fit: Fit) -> tuple[Edit, ...] | Obstacle:
    """The edits of one reading of a change."""
    from dovetail.match.landing.reindent import Indenter  # an exact edit needs none of this
    from dovetail.match.landing.spelling import Spelling

    indenter = Indenter(fit)
    spelling = Spelling(fit)
    edits: list[Edit] = []
    for found in fit.change.hunks:
        hunk = _behind_blanks(fit, _slid(fit, found))
        place = _place(fit, hunk)
        if isinstance(place, Obstacle):
            return place
        first, end = place
        hunk = _set_off(fit, hunk, first)
        if _stands_deep(fit, hunk, fit.rows[first:end]):
            continue
        indented = indenter.indent(hunk)
        if indented is None:
            return Obstacle(first, _DEPTH)
        lines = spelling.of(hunk, indented)
        if lines != fit.rows[first:end]:
            edits.append(rewrite(fit.document, first, end, lines))
    return tuple(edits)


def _slid(fit: Fit, hunk: Hunk) -> Hunk:
    """An insertion moved over the blank lines beside it that the file does not have, where it has as many itself.

    What sets it off is then its own, and what is missing in the file is what it would end or begin with.
    """
    search, new, lines = fit.search, fit.replace, fit.lines
    if hunk.a1 != hunk.a2:
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
    if hunk.a1 != hunk.a2 or by == 0:
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
    if hunk.a1 != hunk.a2 or at != len(fit.document):
        return hunk
    above = zip(reversed(fit.search[: hunk.a1]), reversed(fit.lines[: hunk.a1]), strict=True)
    lost = sum(1 for _ in takewhile(lambda pair: pair[1] is None and not pair[0].strip(), above))
    return Hunk(hunk.a1, hunk.a2, hunk.b1 - lost, hunk.b2)


def _both_blank(one: str, other: str) -> bool:
    return not one.strip() and not other.strip()


def _stands_deep(fit: Fit, hunk: Hunk, rows: Sequence[str]) -> bool:
    """Whether lines that the edit moves stand as deep already as the other lines that it quotes tell."""
    if fit.change.moved.isdisjoint(range(hunk.a1, hunk.a2)):
        return False
    others = (line for i, line in enumerate(fit.lines) if i not in fit.change.moved)
    if not any(fit.rows[line].strip() for line in others if line is not None):
        return False
    from dovetail.match.landing.reindent import Indenter

    indented = Indenter(fit, fit.change.moved).indent(hunk)
    if indented is None:
        return False
    if [line.rstrip() for line in indented] == [line.rstrip() for line in rows]:
        return True
    return as_deep(indented, rows) and not as_deep(fit.change.old(hunk), rows)


def _place(fit: Fit, hunk: Hunk) -> tuple[int, int] | Obstacle:
    """The file's lines that a hunk replaces; first equals end for an insertion."""
    taken = fit.taken(hunk)
    if taken is not None:
        first, end = taken
    elif (above := fit.alignment.above(hunk.a1)) is not None:
        below = fit.alignment.below(hunk.a2)
        first = end = above
        if below is not None and hunk.a1 == hunk.a2 and _goes_with_below(fit.change, hunk, below - above):
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
        if low <= line < high and fit.rows[line].strip():
            return Obstacle(line, "a line that the search does not mention touches the lines that the edit changes")
    return first, end


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


def _alike(document: Document, one: Sequence[Edit], other: Sequence[Edit]) -> bool:
    """Whether edits make the same lines, blanks inside them aside."""
    spans = [edit.span for edit in (*one, *other)]
    low, high = min(span.start for span in spans), max(span.end for span in spans)
    texts = [
        apply_edits(
            document.raw[low:high],
            [Edit(Span(edit.span.start - low, edit.span.end - low), edit.text) for edit in edits],
        )
        for edits in (one, other)
    ]
    told, again = ([(indent_of(line), squeeze(line)) for line in split_lines(text)] for text in texts)
    return told == again


def _torn(fit: Fit) -> bool:
    """Whether the file has in several ways what the search has several times alike."""
    if len(set(fit.search)) == len(fit.search):
        return False
    rows: dict[str, str] = {}
    return any(rows.setdefault(wanted, row) != row for wanted, row in fit.pairs if wanted.strip())


def rewrite(text: Text, first: int, end: int, lines: Sequence[str]) -> Edit:
    """Put `lines` in place of lines `first` to `end` (exclusive), with the line ends that the place has.

    A last line without line end stays so; lines put behind it are set off by a line end of the file's kind.
    """
    span = text.span(first, end)
    if not lines:
        return Edit(span, "")
    near = text.end_near(first if first == end else end - 1)
    if "\r" in text.raw:
        ends = [text.end_of(first + n) if first + n < end else "" for n in range(len(lines))]
        pieces = [line + (own or near) for line, own in zip(lines, ends, strict=True)]
    else:
        pieces = [line + near for line in lines]
    if 0 < span.end == len(text.raw) and not text.end_of(len(text) - 1):
        pieces[-1] = lines[-1]
        if first == end:
            pieces.insert(0, near)
    return Edit(Span(span.start, span.end), "".join(pieces))
