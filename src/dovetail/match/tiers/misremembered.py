"""Kept lines that a search quotes from memory, or as they were some versions ago.

They say something else in the file, and so would the lines of another place much like the one meant. What tells the two
apart is what the edit changes: each change must replace a line that the file has once, or stand beside one. Then the
file's line may say all that the search's does, and more, as a newer text would. In a definition that the search names,
and of whose name the file has but one (`heads`), no other place is meant: there a line may say anything, or be gone,
and one counts that the definition has once, unless any may have it, deep inside. But where a line that the edit takes
away, or adds to, is gone as well, the file may be another version of it altogether. A line that stands elsewhere in the
file was meant as it is, and where words for people are all that changes, it is the code that tells the place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.match.landing.substance import (
    changes_words_alone,
    compare,
    differences,
    support_of,
)
from dovetail.text.comments import defines
from dovetail.text.line import distinctive, indent_of, says, squeeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dovetail.match.landing.change import Change
    from dovetail.match.landing.fit import Fit
    from dovetail.text.alignment import Alignment
    from dovetail.text.document import Document
    from dovetail.text.heads import Head
    from dovetail.text.linediff import Hunk

_FEWEST = 2  # lines that agree to the letter, a head among them, where others may say anything
_SLIGHT = frozenset("();,'\"`")
_NOWHERE = range(0)
_ANYWHERE = re.compile(r"(?i)\W*(?:(?:return|throw|raise|none|null|nil|true|false|undefined|self|this|\d+)\b\W*)+")


def misremembered(fit: Fit, heads: Mapping[int, Head]) -> frozenset[int]:
    """The kept lines that say something else in the file; none where any of them may be a sign of another place.

    heads: the lines of the search that name a definition of which the file has but one.
    """
    document, change, alignment = fit.document, fit.change, fit.alignment
    changed = change.changed()
    lines = ((i, line, alignment.lines[i]) for i, line in enumerate(change.search) if i not in changed)
    others = [(i, line, row) for i, line, row in lines if _says_otherwise(document, line, row)]
    support = support_of(fit)
    if not others or len(others) > support or changes_words_alone(change):
        return frozenset()
    at = {i for hunk in change.hunks for i in _at(change, hunk)}
    if any(row is None for *_, row in others) and any(alignment.lines[i] is None for i in changed | at):
        return frozenset()
    scopes = _scopes(alignment, heads)
    for i, line, row in others:
        more = row is not None and _says_more(line, document.lines[row])
        if line.strip() in document.line_set or not (more or (scopes[i] and support >= _FEWEST)):
            return frozenset()
    told = all(
        any(_once(document, change.search[i], alignment.lines[i], scopes[i]) for i in _at(change, hunk))
        for hunk in change.hunks
    )
    return frozenset(i for i, *_ in others) if told else frozenset()


def _scopes(alignment: Alignment, heads: Mapping[int, Head]) -> list[range]:
    """For each line of a search the lines of the outermost definition that it names, and that the line stands in."""
    scopes: list[range] = []
    named: list[range] = []
    row = -1
    for i, partner in enumerate(alignment.lines):
        row = row if partner is None else partner
        if i in heads and heads[i].row == partner:
            named.append(heads[i].rows)
        scopes.append(next((rows for rows in named if row in rows), _NOWHERE))
    return scopes


def _once(document: Document, line: str, row: int | None, scope: range) -> bool:
    """Whether a line is distinctive, stands in its place but for blanks, and nowhere else in the file, or the scope."""
    if row is None or not distinctive(line) or squeeze(line) != squeeze(document.stripped[row]):
        return False
    text = document.stripped[row]
    places = document.places_of({text})[text]
    if places == [row]:
        return True
    if [place for place in places if place in scope] != [row]:
        return False
    return not (_ANYWHERE.fullmatch(line) and _is_nested(document, row, scope))


def _is_nested(document: Document, row: int, scope: range) -> bool:
    """Whether a line of a definition stands deeper than others above it, and so is a part of what they say."""
    depth, *above = (
        len(indent_of(document.lines[at])) for at in range(row, min(scope.start, row - 1), -1) if document.stripped[at]
    )
    return depth > min(above, default=depth)


def _at(change: Change, hunk: Hunk) -> Iterable[int]:
    """The lines of the search that a hunk replaces; where it only adds, those above and below, blank lines aside."""
    if not hunk.inserts:
        return hunk.old
    beside = (change.last_text(0, hunk.a1), change.first_text(hunk.a1))
    return [i for i in beside if i is not None]


def _says_otherwise(document: Document, line: str, row: int | None) -> bool:
    """Whether the file has something else in a line's place, or nothing."""
    if row is None:
        return bool(line.strip())
    return line.strip() != document.stripped[row] and compare(document, line, document.lines[row]).otherwise


def _says_more(line: str, found: str) -> bool:
    """Whether the file's line is the search's with further words in it, brackets and quotes aside where it names no
    definition, for there they may make the name another's."""
    slight = frozenset() if defines(found) else _SLIGHT
    stretches = [pair for pair in differences(line, found) if not slight.issuperset("".join(pair))]
    return all(slight.issuperset(mine) and says(theirs) for mine, theirs in stretches)
