"""Kept lines that a search quotes from memory, or as they were some versions ago.

They say something else in the file, and so would the lines of another place much like the one meant. What tells the two
apart is what the edit changes: each change must replace a line that the file has once, or stand beside one. Then the
file's line may say all that the search's does, and more, as a newer text would; and a line of a definition of whose
name the file has but one may say anything, as no other is meant. A line that stands elsewhere in the file was meant as
it is, and where words for people are all that changes, it is the code that tells the place.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dovetail.match.landing.substance import (
    Agreement,
    changes_words_alone,
    compare,
    defines,
    differences,
    support_of,
    titled,
)
from dovetail.match.lines.line import distinctive, says

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dovetail.match.landing.change import Change
    from dovetail.match.lines.alignment import Alignment
    from dovetail.match.lines.document import Document
    from dovetail.match.lines.linediff import Hunk

_OTHERS = (Agreement.TWIN, Agreement.OTHER)


def misremembered(document: Document, change: Change, alignment: Alignment) -> frozenset[int]:
    """The kept lines that say something else in the file; none where any of them may be a sign of another place."""
    changed = change.changed()
    kept = [(i, change.search[i], document.lines[j]) for i, j in alignment.pairs if i not in changed]
    others = [(i, line, found) for i, line, found in kept if _says_otherwise(document, line, found)]
    if not others or len(others) > support_of(document, change, alignment) or changes_words_alone(change):
        return frozenset()
    for i, line, found in others:
        known = _says_more(line, found) or _is_of_the_one(document, change, alignment, i)
        if line.strip() in document.line_set or not known:
            return frozenset()
    once = _standing_once(document, change, alignment)
    told = all(once.intersection(_at(change, hunk)) for hunk in change.hunks)
    return frozenset(i for i, *_ in others) if told else frozenset()


def _standing_once(document: Document, change: Change, alignment: Alignment) -> set[int]:
    """The distinctive lines of the search that the file has once, and there."""
    places = document.places_of({line.strip() for line in change.search if distinctive(line)})
    return {i for i, j in alignment.pairs if places.get(change.search[i].strip()) == [j]}


def _at(change: Change, hunk: Hunk) -> Iterable[int]:
    """The lines of the search that a hunk replaces; where it only adds, those above and below, blank lines aside."""
    if hunk.a1 < hunk.a2:
        return range(hunk.a1, hunk.a2)
    beside = (change.last_text(0, hunk.a1), change.first_text(hunk.a1))
    return [i for i in beside if i is not None]


def _says_otherwise(document: Document, line: str, found: str) -> bool:
    return line.strip() != found.strip() and compare(document, line, found) in _OTHERS


def _says_more(line: str, found: str) -> bool:
    """Whether the file's line is the search's with further words in it."""
    return all(not mine and says(theirs) for mine, theirs in differences(line, found))


def _is_of_the_one(document: Document, change: Change, alignment: Alignment, index: int) -> bool:
    """Whether a line of the search stands in a definition, its head included, of whose name the file has but one."""
    head = next((i for i in range(index, -1, -1) if defines(change.search[i])), None)
    if head is None or (partner := alignment.lines[head]) is None:
        return False
    name = titled(change.search[head])
    rows = (row for row, line in enumerate(document.stripped) if line.startswith(name) and titled(line) == name)
    return list(islice(rows, 2)) == [partner]
