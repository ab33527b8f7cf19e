"""Carries an edit's change over to the file's own lines.

Landing is a merge, not a paste: the change is the difference between search and replacement, and only its hunks are
written. Every line that the edit mentions but does not change keeps the file's bytes, however the model quoted it.
A hunk replaces the file's lines that stand for its search lines, re-indented as the file is, with the file's line
ends. Which those are says `placing`, how deep the new ones stand `reindent`, and how they are spelled `spelling`. Where
one of them has no answer, there is an `Obstacle`, and nothing lands.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from dovetail.match.landing.fit import Obstacle
from dovetail.match.landing.indent import Indenter
from dovetail.match.landing.placing import place_of
from dovetail.match.landing.spelling import Spelling, UnclearError
from dovetail.model.text import Edit, Span, apply_edits, split_lines
from dovetail.text.line import indent_of, squeeze

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.fit import Fit
    from dovetail.model.text import Text
    from dovetail.text.document import Document


_TWICE = "the search has a line twice alike, the file has not, and nothing says which of the two stays"
_DEPTH = "the search is indented otherwise than the file, and does not tell how deep the new lines belong"


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
    indenter = Indenter(fit)
    spelling = Spelling(fit)
    edits: list[Edit] = []
    for found in fit.change.hunks:
        place = place_of(fit, found)
        if isinstance(place, Obstacle):
            return place
        hunk, first, end = place
        indented = indenter.indent(hunk)
        if indented is None:
            return Obstacle(first, _DEPTH)
        try:
            lines = spelling.of(hunk, indented)
        except UnclearError as unclear:
            return Obstacle(
                unclear.args[0], "the search misquotes signs of this line, and nothing tells which of them stay"
            )
        if lines != fit.rows[first:end]:
            edits.append(rewrite(fit.document, first, end, lines))
    return tuple(edits)


def _alike(document: Document, one: Sequence[Edit], other: Sequence[Edit]) -> bool:
    """Whether edits make the same lines, blanks inside them aside."""
    both = reduce(Span.joined, (edit.span for edit in (*one, *other)))
    texts = [
        apply_edits(both.of(document.raw), [edit.shifted(-both.start) for edit in edits]) for edits in (one, other)
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
    return Edit(span, "".join(pieces))
