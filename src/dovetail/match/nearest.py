"""Explains a miss: the text most like the search, the first line that really differs, and in what way."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING

from dovetail.model.diagnostics import LIKE_ENOUGH, Difference, Nearest
from dovetail.text.alignment import Alignment
from dovetail.text.line import distinctive, squeeze
from dovetail.text.omission import elides
from dovetail.text.similarity import is_version, nearest, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.change import Change
    from dovetail.text.document import Document

_SHORT_ALIKE = 0.6  # the least similarity of a short line to one of the search
_SURE = 0.5  # the least similarity of a region that is surely meant
_WORD = re.compile(r"[^\W\d]\w{2,}")
_MOST_WORDS = 60  # words of a search that are looked for
_PLACES = 6  # decimals to which worths are rounded
_SHOWN = 24  # lines of a file that has nothing like the search


def explain(document: Document, change: Change, regions: Sequence[Alignment]) -> Nearest | None:
    """Return the text most like the search, and its first difference; None if the file has no text.

    regions: those most like the search, best first. If none is similar enough, the lines that share most of its words
    are returned, or else the file's first lines, without a comparison.
    """
    search, best = change.search, regions[0] if regions else None
    if best is None or best.score < LIKE_ENOUGH:
        span = next(document.runs("\n".join(search).strip()), None) if any(map(str.strip, search)) else None
        if span is not None:  # inside a line
            first, end = document.line_at(span.start), document.line_at(span.end - 1) + 1
            return _shown(document, first, end, 1.0)
        best, regions = _of_short_lines(document, search), ()
    if best is None or best.score < LIKE_ENOUGH:
        return _likely(document, search) if document.raw.strip() else None
    # As many lines are shown as the search has, including those before its first partner and after its last one.
    lead = next(i for i, line in enumerate(best.lines) if line is not None)
    trail = next(i for i, line in enumerate(reversed(best.lines)) if line is not None)
    first, end = max(0, best.first - lead), min(len(document), best.end + trail)
    index, line = _first_difference(document, search, best)
    expected = search[index] if index is not None else None
    found = document.lines[line] if line is not None else None
    if expected is not None and found is not None and not is_version(expected, found):
        found = None  # it is no version of the search's line
    region = document.span(first, end)
    return Nearest(
        start=first + 1,
        end=end,
        similarity=round(best.score, 3),
        difference=_kind(document, change, best, expected, found),
        line=line + 1 if line is not None else None,
        expected=expected,
        found=found,
        corrected=region.of(document.raw).replace("\r\n", "\n"),
        sure=bool(regions) and _sure(document, search, regions),
    )


def _of_short_lines(document: Document, search: Sequence[str]) -> Alignment | None:
    """Return the region around the line most like the longest one of a search without distinctive lines, or None."""
    if not any(map(str.strip, search)) or any(map(distinctive, search)):
        return None
    index = max(range(len(search)), key=lambda i: len(search[i].strip()))
    row = next(nearest(search[index].strip(), document.stripped, _SHORT_ALIKE, 1), None)
    return None if row is None else within(document, search, row[0] - index, row[0] - index + len(search))


def _shown(document: Document, first: int, end: int, similarity: float = 0.0) -> Nearest:
    """Return lines of a file, `end` exclusive, without a comparison."""
    text = document.span(first, end).of(document.raw).replace("\r\n", "\n")
    return Nearest(first + 1, end, similarity, Difference.MISREMEMBERED, None, None, None, text, sure=False)


def _likely(document: Document, search: Sequence[str]) -> Nearest:
    """Return the lines that share most of the search's rare words, or the file's first lines if it has none of them.

    A line that the search quotes counts as all of its words.
    """
    worth: dict[int, float] = defaultdict(float)
    for word in list(dict.fromkeys(_WORD.findall("\n".join(search))))[:_MOST_WORDS]:
        if document.is_common(word):
            continue
        whole = re.compile(rf"\b{re.escape(word)}\b")
        rows = [row for row in document.lines_holding(word) if whole.search(document.lines[row])]
        for row in rows:
            # A word on ten lines is worth a tenth on each.
            worth[row] += 1 / len(rows)
    for text, places in document.places_of({line.strip() for line in search if line.strip()}).items():
        for row in places:
            worth[row] += len(set(_WORD.findall(text))) / len(places)
    size = min(_SHOWN, len(document))
    first = next(row for row, line in enumerate(document.stripped) if line)
    if worth:
        size = max(1, min(size, len(search)))
        rows = sorted(worth)
        sums = [0.0, *accumulate(map(worth.__getitem__, rows))]

        def shared(start: int) -> float:
            return round(sums[bisect_left(rows, start + size)] - sums[bisect_left(rows, start)], _PLACES)

        first = max((0, *(max(0, row - size + 1) for row in rows)), key=shared)  # the first of the best ends with one
    return _shown(document, first, min(len(document), first + size))


def _sure(document: Document, search: Sequence[str], regions: Sequence[Alignment]) -> bool:
    """Return whether the first region is surely meant: it is similar, and has a unique search line or no rival."""
    best, *others = regions
    if best.score < _SURE:
        return False
    once = document.once(search).values()
    return any(line in once for _, line in best.pairs) or all(2 * other.score <= best.score for other in others)


def _first_difference(document: Document, search: Sequence[str], best: Alignment) -> tuple[int | None, int | None]:
    """Return the index of the first search line that differs by more than blanks, and of the file's line in its place;
    either may be None.

    If all search lines agree, it is the first line of the file that the search leaves out; if only blanks differ, the
    first line where they do.
    """
    expected, blanks = best.first, None
    for i, partner in enumerate(best.lines):
        if partner is None:
            if search[i].strip():
                return i, expected if expected < len(document) else None
            continue
        if partner > expected and any(document.stripped[expected:partner]):
            return None, next(line for line in range(expected, partner) if document.stripped[line])
        if not _same_but_for_blanks(search[i], document.lines[partner]):
            return i, partner
        if blanks is None and search[i].rstrip() != document.lines[partner].rstrip():
            blanks = i, partner
        expected = partner + 1
    return blanks or (None, None)


def _same_but_for_blanks(one: str, other: str) -> bool:
    return squeeze(one) == squeeze(other) or "".join(one.split()) == "".join(other.split())


def _kind(document: Document, change: Change, best: Alignment, expected: str | None, found: str | None) -> Difference:
    if any(elides(line) and line.strip() not in document.line_set for line in change.search):
        return Difference.ELIDED
    if (expected is None) is not (found is None):
        return Difference.MISREMEMBERED
    if expected is None or found is None or _same_but_for_blanks(expected, found):
        pairs = [(change.search[i], document.lines[line]) for i, line in best.pairs]
        apart = [(one, other) for one, other in pairs if one != other]
        if not apart and len(change.search) == len(pairs) == best.end - best.first:
            return Difference.MISREMEMBERED  # it is the file's text, and something else speaks against it
        # Blanks that differ only at line ends are no difference in indentation.
        indented = bool(apart) and all(one.strip() == other.strip() != "" for one, other in apart)
        moved = any(one.rstrip() != other.rstrip() for one, other in apart)
        return Difference.INDENTATION if indented and moved else Difference.WHITESPACE
    if _holds_new_text(change, found):
        return Difference.ALREADY_APPLIED
    return Difference.MISREMEMBERED


def _holds_new_text(change: Change, found: str) -> bool:
    """Return whether the file's line is one that the edit would have written."""
    new = {line.strip() for line in change.come}
    return bool(found.strip()) and found.strip() in new
