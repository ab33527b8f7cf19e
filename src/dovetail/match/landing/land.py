"""Carries an edit's change over to the file's own lines.

Landing is a merge, not a paste: the change is the difference between search and replacement, and only its hunks are
written. Every line that the edit mentions but does not change keeps the file's bytes, however the model quoted it.
A hunk replaces the file's lines that correspond to its search lines, in the file's indentation and line ends. `placing`
decides which lines those are, `indent` how deep the new ones are. If either cannot decide, there is an `Obstacle`, and
nothing lands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.landing.fit import Fit, Obstacle, settled
from dovetail.match.landing.indent import DEPTH, Indenter, requoted
from dovetail.match.landing.invariant import breach
from dovetail.match.landing.placing import place_of, set_off, slid
from dovetail.match.landing.tokens import merge_line
from dovetail.model.text import Edit, apply_edits, split_lines
from dovetail.text.diff import common
from dovetail.text.folding import entities_of, with_entities_of
from dovetail.text.line import indent_of, squeeze
from dovetail.text.line_edits import rewrite
from dovetail.text.strings import marked, other_marks
from dovetail.text.wrapping import escaped_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dovetail.text.diff import Hunk


_TWICE = "the search has a line twice alike, the file has not, and nothing says which of the two stays"
_FORM = "the search quotes the line with entities or backslashes, and nothing says whether the new lines mean theirs"
_UNCLEAR = "the search misquotes signs of this line, and nothing tells which of them stay"


def land(fit: Fit) -> tuple[Edit, ...] | Obstacle:
    """Return the edits that make the change on its lines of the file, or why it cannot be made."""
    told = requoted(settled(fit))
    if isinstance(told, Obstacle):
        return told
    edits = _sure_edits(told)
    return edits if isinstance(edits, Obstacle) else breach(told, edits) or edits


def _sure_edits(fit: Fit) -> tuple[Edit, ...] | Obstacle:
    """Return the edits of a change, or an obstacle if it has two readings that write different texts."""
    edits = _edits(fit)
    if isinstance(edits, Obstacle) or not edits:
        return edits
    # Which one of equal lines of the search is kept matters only if the file has lines between them that the search
    # leaves out, or spells them differently. Then the change compared from below must write the same text.
    forgets = any(fit.rows[line].strip() for line in fit.alignment.unnamed())
    if not (forgets or _torn(fit)):
        return edits
    other = _edits(Fit(fit.document, fit.change.from_below(), fit.alignment))
    if isinstance(other, Obstacle):
        return other if forgets else edits
    once, again = (
        [(indent_of(line), squeeze(line)) for line in split_lines(apply_edits(fit.document.raw, found))]
        for found in (edits, other)
    )
    return edits if once == again else Obstacle(fit.document.line_at(edits[0].span.start), _TWICE)


def _edits(fit: Fit) -> tuple[Edit, ...] | Obstacle:
    """Return the edits of one reading of a change."""
    indenter = Indenter(fit)
    edits: list[Edit] = []
    for found in fit.change.hunks:
        planned = slid(fit, found)
        place = place_of(fit, planned)
        if isinstance(place, Obstacle):
            return place
        first, end = place
        hunk = set_off(fit, planned, first)
        indented = indenter.indent(hunk)
        if indented is None:
            return Obstacle(first, DEPTH)
        lines = _spelled(fit, hunk, indented)
        if isinstance(lines, Obstacle):
            return lines
        if lines != fit.rows[first:end]:
            edits.append(rewrite(fit.document, first, end, lines))
    return tuple(edits)


def _spelled(fit: Fit, hunk: Hunk, lines: Sequence[str]) -> list[str] | Obstacle:
    """Return the new lines of a hunk, indented, with the kept parts of the file's lines spelled as in the file.

    A line that the hunk keeps, or only indents or outdents, is the file's; a blank one that the search quotes and the
    file lacks is left out. Lines that are rewritten one for one are each merged with the file's line or lines. Other
    lines are new.
    """
    # `kept` has a line for each index, in order: assigning to an index keeps its place, so its values are the lines to
    # write. Lines that are left in `new` have no counterpart in the file.
    marks = other_marks(fit.pairs)
    kept = dict(enumerate(lines))
    new = dict(kept)
    for i, k in common(fit.change.old(hunk), fit.change.new(hunk)):
        partner = fit.lines[hunk.a1 + i]
        if partner is None and not lines[k].strip():
            del kept[k], new[k]
        elif partner is not None and _differs_in_blanks(lines[k], fit.rows[partner]):
            kept[k] = fit.rows[partner]
            del new[k]
    for i in hunk.old:
        # A line that only moves: the replacement's depth, the file's words.
        k, partner = fit.change.moved.get(i, -1) - hunk.b1, fit.lines[i]
        if k in new and partner is not None and not _shares_rows(fit, i):
            kept[k] = new.pop(k).replace(fit.search[i].strip(), fit.rows[partner].strip())
    share_a_line = bool(fit.alignment.ends) and None in fit.lines[hunk.a1 : hunk.a2]
    # A group of search lines that shares one line of the file has no partner line by line.
    if hunk.one_for_one and len(kept) == len(lines) and not share_a_line:
        for k, i in enumerate(hunk.old):
            partner = fit.lines[i]
            if partner is None or k not in new or fit.search[i].strip() == fit.rows[partner].strip():
                continue
            row = "\n".join(fit.rows[slice(*fit.alignment.reach(i))])
            before, after = (marked(text, marks) for text in with_entities_of(row, fit.search[i], kept[k]))
            merged = merge_line(before, after, row)
            if merged is None and "\n" in row:
                continue  # the line is written as the reply breaks it
            if merged is None:
                return Obstacle(partner, _UNCLEAR, fit.search[i])
            kept[k] = merged
            del new[k]
    kept |= {k: marked(_with_entities(fit, line), marks) for k, line in new.items()}
    written = [part for line in kept.values() for part in line.split("\n")]
    return _misquoted(fit, new.values()) or _with_blank_lines(fit, hunk, written)


def _with_blank_lines(fit: Fit, hunk: Hunk, lines: list[str]) -> list[str]:
    """Return lines rewritten one for one, with the file's blank lines between them that the search left out."""
    if hunk.a2 - hunk.a1 != len(lines) or None in fit.lines[hunk.a1 : hunk.a2] or fit.alignment.ends:
        return lines
    rewritten: list[str] = []
    end = fit.alignment.reach(hunk.a1)[0] if lines else 0
    for i, line in zip(hunk.old, lines, strict=True):
        first, behind = fit.alignment.reach(i)
        rewritten += [*fit.rows[end:first], line]
        end = behind
    return rewritten


def _differs_in_blanks(line: str, row: str) -> bool:
    """Return whether a line equals the file's except for blanks inside it and at its end; two blank lines do."""
    return not (line + row).strip() or (indent_of(line) == indent_of(row) and squeeze(line) == squeeze(row))


def _with_entities(fit: Fit, line: str) -> str:
    """Return a new line in the file's spelling of entities, if it is an element without code."""
    if line.lstrip()[:1] != "<" or not fit.pairs or any(sign in line for sign in ("{", "&&")):
        return line
    # How the file spells markup in the lines that the search quotes is how the new line is spelled.
    wanted, rows = ("\n".join(lines) for lines in zip(*fit.pairs, strict=True))
    return with_entities_of(rows, wanted, line)[1]


def _misquoted(fit: Fit, new: Iterable[str]) -> Obstacle | None:
    """Return an obstacle if the search misquotes a line with entities or backslashes that new lines have, too."""
    written = _signs(new)
    for i, row in fit.alignment.pairs if written else ():
        if written & _signs([fit.search[i]]) - _signs(fit.rows[slice(*fit.alignment.reach(i))]):
            return Obstacle(row, _FORM, fit.search[i])
    return None


def _signs(lines: Iterable[str]) -> set[str]:
    text = "\n".join(lines)
    return entities_of(text) | escaped_in(text)


def _shares_rows(fit: Fit, index: int) -> bool:
    """Return whether the file has a line of the search on several lines, or on one together with others."""
    partner = fit.lines[index]
    return bool(fit.alignment.ends) and (partner is None or fit.alignment.reach(index) != (partner, partner + 1))


def _torn(fit: Fit) -> bool:
    """Return whether the file spells differently what the search has several times alike."""
    rows: dict[str, str] = {}
    return any(rows.setdefault(wanted, row) != row for wanted, row in fit.pairs if wanted.strip())
