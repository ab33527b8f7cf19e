"""Builds the outcomes of edits that do not land: the reason, the next step, and the nearest region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.outcome import NoMatch
from dovetail.match.tiers import part_line
from dovetail.model.codes import Code
from dovetail.text.line import distinctive, shared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.fit import Obstacle
    from dovetail.match.lookup import Lookup
    from dovetail.model.text import Span

_MOST_PLACES = 8  # places that a sentence lists
_LONGEST = 100  # characters of a line that a sentence quotes


def conflict(lookup: Lookup, obstacle: Obstacle) -> NoMatch:
    """Return the outcome for a place at which an obstacle forbids the edit."""
    line = min(obstacle.line, len(lookup.document) - 1)
    as_sent = dict(zip(lookup.without_lookalikes.search, lookup.change.search, strict=False))
    quoted = as_sent.get(obstacle.quoted or "", obstacle.quoted or "")
    reason = f"Line {line + 1}: {obstacle.reason}.{_side_by_side(quoted, lookup.document.lines[line])}"
    return NoMatch(Code.CONFLICT, reason, "Copy the lines to be changed from the file as it is now.", lookup.nearest)


def _side_by_side(quoted: str, found: str) -> str:
    """Return a sentence with a line of the search and one of the file; long ones from shortly before they differ."""
    lines = [line.strip() for line in (quoted, found)]
    start = max(0, shared(*lines) - _LONGEST // 2) if max(map(len, lines)) > _LONGEST else 0
    ends = [line[start : start + _LONGEST] + "…" * (len(line) > start + _LONGEST) for line in lines]
    edit, file = (f"`{'…' * (start > 0)}{end}`" for end in ends)
    if not lines[0] or lines[0] == lines[1]:
        return f" The file has {file}." if lines[1] else ""
    return f" The edit quotes {edit}, the file has {file if lines[1] else 'a blank line'}."


def displaced(lookup: Lookup, place: Span) -> NoMatch:
    """Return the outcome for a place if the edit may have been made already at another."""
    line = lookup.document.line_at(place.start) + 1
    reason = f"The search text stands at line {line}, but the edits around this one were made already, elsewhere."
    return NoMatch(Code.AMBIGUOUS, reason, "If it was made as well, leave it out; else send it alone.", lookup.nearest)


def strayed(lookup: Lookup, place: Span, inside: str) -> NoMatch:
    """Return the outcome for a place outside of the edit's scope; `inside`: the definition that it is in."""
    line = lookup.document.line_at(place.start) + 1
    reason = f"The search text stands at line {line}, in `{inside}`, and not in `{lookup.needle.hints.scope[-1]}`."
    hint = f"If `{inside}` is meant, name it; else copy the search text from the file as it is now."
    return NoMatch(Code.NO_MATCH, reason, hint, lookup.nearest)


def miscounted(lookup: Lookup, found: Sequence[Span]) -> NoMatch:
    """Return the outcome for more or fewer places than the edit expects."""
    number = f"{len(found)} places" if len(found) > 1 else "one place"
    lines = ", ".join(str(lookup.document.line_at(place.start) + 1) for place in found[:_MOST_PLACES])
    more = ", …" * (len(found) > _MOST_PLACES)
    reason = f"The search text stands in {number}, and the edit expects {lookup.needle.times}: lines {lines}{more}."
    return NoMatch(Code.CONFLICT, reason, "Look at the places, and say how many are to change.", lookup.nearest)


def missed(lookup: Lookup) -> NoMatch:
    """Return the outcome if no tier found a place."""
    nearest = lookup.nearest
    search = part_line.unindented(lookup.needle.search.removesuffix("\n"))
    if (line := part_line.inside(lookup.document, search)) is not None:
        reason = (
            f"The search text stands at line {line + 1}, but not as whole lines: what is beside it may belong to it."
        )
        return NoMatch(Code.NO_MATCH, reason, "Quote whole lines of the file.", nearest)
    if not lookup.needle.replace.strip():
        return NoMatch(
            Code.NO_MATCH,
            "The text to be deleted is not in the file.",
            "If it was already deleted, leave the edit out.",
            nearest,
        )
    if not lookup.document.raw.strip():
        return NoMatch(Code.NO_MATCH, "The file has no text.", "Send all of its text as a new file.")
    quoted = (line.strip() for line in lookup.change.search if distinctive(line))
    known = (nearest is not None and nearest.is_alike) or not lookup.document.line_set.isdisjoint(quoted)
    hint = "Copy the search text from the file as it is now." if known else "Check that this is the file that is meant."
    return NoMatch(Code.NO_MATCH, "The search text is not in the file.", hint, nearest)
