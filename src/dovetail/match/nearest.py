"""Explains a miss: the text most like the search, the first line that differs, and in what way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.diagnostics import Difference, Nearest
from dovetail.text.alignment import Alignment
from dovetail.text.line import indent_of, squeeze
from dovetail.text.omission import elides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.change import Change
    from dovetail.text.document import Document

LIKE_ENOUGH = 0.3
"""Similarity below which a region is only shown for want of a better one."""
_SURE = 0.5  # below this something else may be meant


def explain(document: Document, change: Change, regions: Sequence[Alignment]) -> Nearest | None:
    """Return the text nearest to the search, and the first line of it that differs; None where the file has no text.

    regions: those most like the search, best first. Where there are none, the lines around the search's rarest word
    are shown, or the file's first.
    """
    best = regions[0] if regions else _for_want_of_a_better(document, change.search)
    if best is None:
        return None
    search = change.search
    first, end = _reach(document, best)
    index, line = _first_difference(document, search, best)
    expected = search[index] if index is not None else None
    found = document.lines[line] if line is not None else None
    region = document.span(first, end)
    return Nearest(
        start=first + 1,
        end=end,
        similarity=round(best.score, 3),
        difference=_kind(change, expected, found),
        line=line + 1 if line is not None else None,
        expected=expected,
        found=found,
        corrected=region.of(document.raw).replace("\r\n", "\n"),
        sure=bool(regions) and _sure(document, search, regions),
    )


def _for_want_of_a_better(document: Document, search: Sequence[str]) -> Alignment | None:
    """The search laid on the lines around its rarest word, or on the file's first that says something, at score 0."""
    rows = document.stripped
    rarest = document.rarest_word(search)
    row = next(document.lines_holding(rarest[1]), None) if rarest is not None else None
    first = (
        row - rarest[0] if rarest is not None and row is not None else next((i for i, r in enumerate(rows) if r), None)
    )
    if first is None or not search:
        return None
    lines = tuple(first + i if 0 <= first + i < len(rows) else None for i in range(len(search)))
    return Alignment(lines, 0.0) if any(line is not None for line in lines) else None


def _sure(document: Document, search: Sequence[str], regions: Sequence[Alignment]) -> bool:
    """Whether the first region is like the search, and has a line of it that stands nowhere else, or no rival."""
    best, *others = regions
    if best.score < _SURE:
        return False
    once = document.once(search).values()
    return any(line in once for _, line in best.pairs) or all(2 * other.score <= best.score for other in others)


def _reach(document: Document, best: Alignment) -> tuple[int, int]:
    """The region widened by the search lines that have no partner at either end."""
    lead = next(i for i, line in enumerate(best.lines) if line is not None)
    trail = next(i for i, line in enumerate(reversed(best.lines)) if line is not None)
    return max(0, best.first - lead), min(len(document), best.end + trail)


def _first_difference(document: Document, search: Sequence[str], best: Alignment) -> tuple[int | None, int | None]:
    """The first search line that differs with the file's line in its place; either may be missing.

    Where every search line agrees, the first line of the file that the search leaves out.
    """
    expected = best.first
    for i, partner in enumerate(best.lines):
        if partner is None:
            if search[i].strip():
                return i, expected if expected < len(document) else None
            continue
        if partner > expected and any(document.stripped[expected:partner]):
            return None, next(line for line in range(expected, partner) if document.stripped[line])
        if search[i].rstrip() != document.lines[partner].rstrip():
            return i, partner
        expected = partner + 1
    return None, None


def _kind(change: Change, expected: str | None, found: str | None) -> Difference:
    if any(map(elides, change.search)):
        return Difference.ELIDED
    if expected is None or found is None:
        return Difference.MISREMEMBERED
    if expected.strip() == found.strip():
        return Difference.INDENTATION if indent_of(expected) != indent_of(found) else Difference.WHITESPACE
    if squeeze(expected) == squeeze(found) or "".join(expected.split()) == "".join(found.split()):
        return Difference.WHITESPACE
    if _holds_new_text(change, found):
        return Difference.ALREADY_APPLIED
    return Difference.MISREMEMBERED


def _holds_new_text(change: Change, found: str) -> bool:
    """Whether the file's line is one that the edit would have written."""
    new = {line.strip() for line in change.come}
    return bool(found.strip()) and found.strip() in new
