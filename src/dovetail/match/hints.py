"""Decides between several places of one tier by hints beside the text.

The line number, the `@@` scope, and the file's start or end are hints, and none is trusted more than another: if two
single out different places, neither counts. Without hints, the places of the reply's other edits may decide. A hint
that several places satisfy decides nothing; then the edit stays ambiguous. If the search must be within the scope, a
place in another definition does not count, even if it is the only one.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

from dovetail.model.work import spend
from dovetail.text.line import deep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dovetail.match.outcome import Neighbours
    from dovetail.model.blocks import Hints
    from dovetail.model.language import Definition
    from dovetail.model.text import Span
    from dovetail.text.document import Document


def choose(document: Document, places: Sequence[Span], hints: Hints, neighbours: Neighbours) -> int | None:
    """Return the index of the place that hints or neighbours single out, or None."""
    if len(places) == 1:
        return 0
    found = (
        _by_line(document, places, hints.line),
        _by_scope(document, places, hints.scope),
        _only([i for i, place in enumerate(places) if hints.at_start and place.start == 0]),
        _only([i for i, place in enumerate(places) if hints.at_end and place.end == len(document.raw)]),
    )
    # Hints that say nothing are None. Two that single out different places leave none, and then order is not asked.
    singled_out = {index for index in found if index is not None}
    return _only(list(singled_out)) if singled_out else _by_order(places, neighbours)


def _only(indices: Sequence[int]) -> int | None:
    return indices[0] if len(indices) == 1 else None


def _by_line(document: Document, places: Sequence[Span], line: int | None) -> int | None:
    """Return the index of the place that is more than twice as near to the line, from 1, as any other."""
    if line is None:
        return None
    ranked = sorted((abs(document.line_at(place.start) + 1 - line), i) for i, place in enumerate(places))
    (nearest, index), (second, _) = ranked[0], ranked[1]
    return index if nearest * 2 < second else None


def _by_scope(document: Document, places: Sequence[Span], scope: Sequence[str]) -> int | None:
    """Return the index of the one place inside the innermost scope; if none is inside, of the first place after it."""
    low, high = _inside(document, scope)
    if not low:
        return None
    starts = [(document.line_at(place.start), i) for i, place in enumerate(places)]
    # The header's own line is inside: a search may begin with it. `low` is the line behind it.
    inside = [i for line, i in starts if low - 1 <= line < high]
    behind = [i for line, i in starts if line >= low]
    return _only(inside) if inside else next(iter(behind), None)


def strays(
    document: Document,
    place: Span,
    scope: Sequence[str],
    definitions: Callable[[], Sequence[Definition] | None],
) -> Definition | None:
    """Return the definition that a place lies in and the scope does not; None if there is none.

    definitions: returns those of the text, in file order. It costs a parse, and is called only if the place is not
    among the lines indented deeper than the scope's header. A definition's own header is not inside of it. A value
    between two functions counts only for a scope that is a value itself.
    """
    low, high = _inside(document, scope)
    head, line = low - 1, document.line_at(place.start)
    if not low or head <= line < high:
        return None
    known = definitions() or ()
    # The definition that the scope's line heads: the last one that begins at or above that line, if the line is in its
    # header, which decorators and parameters may make several lines long.
    above = islice(reversed(known), len(known) - bisect_right(known, head, key=attrgetter("first_line")), None)
    named = next((d for d in above if head < max(d.body_line, d.first_line + 1)), None)
    if named is None or named.first_line <= line <= named.last_line:
        return None
    around = [d for d in known if d.body_line <= line <= d.last_line and not d.first_line <= head <= d.last_line]
    # A place in `const LIMIT = {…}` below a function does not stray: diffs name the function above such a value.
    return next((d for d in reversed(around) if d.kind != "other" or named.kind == "other"), None)


def _inside(document: Document, scope: Sequence[str]) -> tuple[int, int]:
    """Return the lines of the innermost scope: the first one behind its header, and one behind its last.

    Each header is looked for inside of the one before it. (0, 0) if a header is missing or occurs several times.
    """
    low, high = 0, len(document)
    for header in scope:
        found = _header(document, header, low, high)
        if found is None:
            return 0, 0
        low, high = found + 1, _scope_end(document, found)
    return low, high


def _header(document: Document, header: str, low: int, high: int) -> int | None:
    """Return the one line of a range that equals the header, or else begins with it, or else contains it; or None."""
    wanted = header.strip()
    if not wanted:
        return None
    found = [row for row in document.places_of((wanted,)).get(wanted, ()) if low <= row < high]
    for agrees in (str.startswith, str.__contains__):
        if not found:
            spend(high - low)
            found = [row for row in range(low, high) if agrees(document.stripped[row], wanted)]
    return found[0] if len(found) == 1 else None


def _scope_end(document: Document, header: int) -> int:
    """Return the first line after a header that is indented no deeper, lines of its own brackets aside."""
    depth = deep(document.lines[header])
    opened = False
    for line in range(header + 1, len(document)):
        text = document.stripped[line]
        if text == "{" and not opened:
            opened = True
        elif text and text[0] not in "})]" and deep(document.lines[line]) <= depth:
            return line
    return len(document)


def _by_order(places: Sequence[Span], neighbours: Neighbours) -> int | None:
    """Return the index of the one place between the edits before and after this one in the reply, or of the first if
    `neighbours.first`."""
    low = neighbours.after if neighbours.after is not None else 0
    between = [
        i
        for i, place in enumerate(places)
        if place.start >= low and (neighbours.before is None or place.end <= neighbours.before)
    ]
    return _only(between[:1] if neighbours.first else between)
