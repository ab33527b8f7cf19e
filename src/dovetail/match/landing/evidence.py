"""What the replacement of an edit says where it stands: that it was put there, or nothing.

A short text, or a run of lines that stood together before, may stand anywhere. Asked of the edit alone, whatever the
place is; whether it stands at the search's place is asked by `applied`, and where its search is nowhere, by `made`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.text import join_lines
from dovetail.text.diff import subsequence
from dovetail.text.line import distinctive, solid
from dovetail.text.similarity import ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.change import Change
    from dovetail.match.landing.fit import Fit
    from dovetail.model.text import Span
    from dovetail.text.document import Document

_LONG = 3  # distinctive lines that are not found together by chance
_FEW = 4  # words and signs that are not found in another text by chance
_ALIKE = 0.6  # the likeness that makes a replacement a version of its search


def proves(change: Change) -> bool:
    """Whether the replacement, where it stands and the search does not, says that the edit was made."""
    return shows(change) or _grown(change)


def shows(change: Change) -> bool:
    """Whether the replacement, where it stands, was put there: it is long, keeps a distinctive line, or is the search
    with little changed.

    A run of the search's own lines stands together in any case, whatever was deleted beside it.
    """
    new = [line for line in change.replace if line.strip()]
    if not new or _is_run(change.replace, change.search):
        return False
    kept = {line.strip() for line in change.search} & {line.strip() for line in new}
    if sum(map(distinctive, new)) >= _LONG or any(map(distinctive, kept)):
        return True
    return ratio("\n".join(change.search), "\n".join(change.replace)) >= _ALIKE


def _is_run(lines: Sequence[str], of: Sequence[str]) -> bool:
    """Whether lines follow each other so among others."""
    size = len(lines)
    begins = (at for at, line in enumerate(of[: max(0, len(of) - size + 1)]) if line == lines[0])
    return any(of[at + size - 1] == lines[-1] and of[at : at + size] == lines for at in begins)


def _grown(change: Change) -> bool:
    """Whether the replacement is all that the search says, in that order, and more."""
    old, new = ([word for line in lines for word in solid(line)] for lines in (change.search, change.replace))
    whole = len(old) >= _FEW and len(old) < len(new) and any(map(distinctive, change.search))
    return whole and sum(1 for _ in subsequence(old, new)) == len(old)


def standing(document: Document, change: Change, *, inline: bool = False) -> list[Span]:
    """The places where the whole replacement stands to the letter; none where that proves nothing.

    inline: it is a run of characters, which may stand inside a line.
    """
    if not any(map(str.strip, change.replace)):
        return []
    new = "\n".join(change.replace) if inline else join_lines(change.replace)
    places = document.runs(new) if inline else document.whole_lines(new)
    first = next(places, None)  # most replacements stand nowhere, and need not show anything
    return [first, *places] if first is not None and shows(change) else []


def elsewhere(fit: Fit) -> int | None:
    """The line of the one place, other than the search's, where the whole replacement stands to the letter."""
    found = [fit.document.line_at(place.start) for place in standing(fit.document, fit.change)]
    if len(found) != 1 or fit.alignment.first <= found[0] < fit.alignment.end:
        return None
    return found[0]
