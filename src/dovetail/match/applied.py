"""Whether an edit's change already stands in the file.

Asked before anything lands, so that a reply applied twice changes nothing the second time. Two signs count: the place
where the search would land lies inside the whole replacement; or the search is nowhere, and the replacement stands
where it should, once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from dovetail.match.blanks import places
from dovetail.match.lines import distinctive
from dovetail.match.trailing_space import belongs as agrees

if TYPE_CHECKING:
    from dovetail.match.alignment import Alignment
    from dovetail.match.document import Document
    from dovetail.match.landing import Change
    from dovetail.match.linediff import Hunk
    from dovetail.model.text import Span


_LONG = 3  # distinctive lines that are not found together by chance
_ALIKE = 60  # per cent of likeness that makes a replacement a version of its search


def around(document: Document, change: Change, alignment: Alignment) -> Span | None:
    """The whole replacement, where it lies around the place of a search that it keeps entirely."""
    if not change.inserts_only:
        return None
    kept = _first_kept(change, alignment)
    if kept is None:
        return None
    in_replace, in_file = kept
    first = in_file - in_replace
    end = first + len(change.replace)
    if first < 0 or end > len(document):
        return None
    alike = all(
        wanted.strip() == found for wanted, found in zip(change.replace, document.stripped[first:end], strict=True)
    )
    return document.span(first, end) if alike else None


def _first_kept(change: Change, alignment: Alignment) -> tuple[int, int] | None:
    """Where the first line that the edit keeps, and the file has, stands in the replacement and in the file."""
    shift = 0
    hunks = list(change.hunks)
    for i, line in enumerate(change.search):
        while hunks and hunks[0].a1 <= i:
            shift = hunks[0].b2 - hunks[0].a2
            hunks.pop(0)
        partner = alignment.lines[i]
        if partner is not None and line.strip():
            return i + shift, partner
    return None


def instead(document: Document, change: Change) -> Span | None:
    """The one place of the whole replacement, asked where the search has none.

    A short replacement that has nothing to do with the search may stand anywhere, so it proves nothing.
    """
    if not _telling(change):
        return None
    found = [a for a in places(document, change.replace) if agrees(a, change.replace, document.lines)]
    if len(found) != 1 or _stands_beside(document, change, found[0]):
        return None
    return found[0].span(document)


def _stands_beside(document: Document, change: Change, place: Alignment) -> bool:
    """Whether a line that the edit deletes from the search's ends is still there, next to the rest."""
    head, tail = change.hunks[0], change.hunks[-1]
    above = document.stripped[place.first - 1] if place.first else None
    below = document.stripped[place.end] if place.end < len(document) else None
    if head.a1 == 0 and head.b1 == head.b2 and change.search[head.a2 - 1].strip() == above:
        return True
    return tail.b1 == tail.b2 == len(change.replace) and change.search[tail.a1].strip() == below


def _cuts_an_end(change: Change, hunk: Hunk) -> bool:
    return hunk.b1 == hunk.b2 and hunk.b1 in (0, len(change.replace))


def _telling(change: Change) -> bool:
    """Whether the replacement is long, keeps a distinctive line, or is the search with little changed.

    What only deletes from its ends leaves lines that stand together in any case.
    """
    if all(_cuts_an_end(change, hunk) for hunk in change.hunks):
        return False
    new = [line for line in change.replace if line.strip()]
    if not new:
        return False
    kept = {line.strip() for line in change.search} & {line.strip() for line in new}
    if sum(map(distinctive, new)) >= _LONG or any(map(distinctive, kept)):
        return True
    return fuzz.ratio("\n".join(change.search), "\n".join(change.replace)) >= _ALIKE
