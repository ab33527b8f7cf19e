"""Whether an edit was made already, where its search is not to be found.

What landed is the file's own lines with the change in them: neither the search nor, below `exact`, the replacement. So
the edit is turned round. Where that lands, and the edit itself, in the text that it leaves, brings back every letter of
the file, the change stands. So all that a tier demands of a place, and all that forbids one, holds here as well.
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from dovetail.match.landing import evidence
from dovetail.match.landing.change import Change
from dovetail.match.outcome import Match
from dovetail.model.codes import Tier
from dovetail.model.text import apply_edits, split_lines
from dovetail.text.document import Document
from dovetail.text.folding import folded
from dovetail.text.line import bare, distinctive, full, tokens
from dovetail.text.wrapping import unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dovetail.match.outcome import Outcome
    from dovetail.match.question import Question
    from dovetail.model.text import Span

    Ask = Callable[[Question], Outcome | None]

_NAMES = 16  # that are looked for before places are
_TO_THE_LETTER = frozenset((Tier.EXACT, Tier.TRAILING_SPACE))


def made(question: Question, ask: Ask) -> Span | None:
    """The place of an edit that was made; `ask` says where one lands."""
    for search, new in _readings(question):
        change = Change.of(*(_trimmed(split_lines(text)) for text in (search, new)))
        if not (evidence.proves(change) and _may_stand(question.document, change)):
            continue
        back = ask(_turned(question, search, new))
        if isinstance(back, Match) and back.edits and not back.others and _stands(question, change, back, ask):
            return back.span
    return None


def _readings(question: Question) -> Iterable[tuple[str, str]]:
    """Search and replacement as they are, and without what wraps both, where that may be taken off."""
    if Tier.FORM in question.tiers:
        return unwrapped(*question.typed, question.document.raw)
    return ((question.needle.search, question.needle.replace),)


def _trimmed(lines: Sequence[str]) -> list[str]:
    """Lines without the blank ones at their ends."""
    said = full(lines)
    return list(lines[said[0] : said[-1] + 1]) if said else []


def _may_stand(document: Document, change: Change) -> bool:
    """Whether the file has the longest names that the edit brings in, which few edits pass that were not made."""
    old = {word for line in change.search for word in tokens(line)}
    new = {word for line in change.come for word in tokens(line)}
    names = [word for word in new - old if word.isascii() and word.isidentifier()]
    return all(map(document.has, heapq.nlargest(_NAMES, names, key=len)))


def _turned(question: Question, search: str, new: str) -> Question:
    """The question where the edit lands that takes this one back, of whole lines wherever this one may land."""
    needle = replace(question.needle, search=new, replace=search, inline=False, replace_all=False, last_end=None)
    return replace(question, needle=needle, tiers=question.tiers - {Tier.PART_LINE})


def _stands(question: Question, change: Change, back: Match, ask: Ask) -> bool:
    """Whether the edit, asked again in what `back` makes of the file, makes the file of that."""
    document = question.document
    place = range(document.line_at(back.span.start), document.line_at(back.span.end - 1) + 1)
    if _stays(document, change, place) or _spaced_otherwise(document, change, place):
        return False
    if back.tier not in _TO_THE_LETTER and not _is_meant(question, change, place):
        return False
    before = Document(apply_edits(document.raw, back.edits))
    again = ask(replace(question, document=before))
    return isinstance(again, Match) and apply_edits(before.raw, again.edits) == document.raw


def _stays(document: Document, change: Change, place: range) -> bool:
    """Whether a line that the edit takes away is still there: in the place, or next to it where the edit ends so."""
    rows, search = document.rows, change.search
    new = set(map(_said, change.replace))
    gone = {said for line in search if distinctive(line) and (said := _said(line)) not in new}
    if not gone.isdisjoint(map(_said, rows[place.start : place.stop])):
        return True
    head, tail = change.hunks[0], change.hunks[-1]
    above = search[: head.a2] if head.a1 == 0 else []
    below = search[tail.a1 :] if tail.a2 == len(search) else []
    ends = (
        (head, above[::-1], reversed(rows[: place.start])),
        (tail, below, islice(rows, place.stop, None)),
    )
    return any(_goes_on(lines, beside, sure=hunk.deletes) for hunk, lines, beside in ends)


def _spaced_otherwise(document: Document, change: Change, place: range) -> bool:
    """Whether the edit adds or takes away blank lines, not with new text alone, and the place has other ones.

    Blank lines are what the tiers forgive, so of these nothing else tells that they were changed.
    """
    for hunk in change.hunks:
        old, new = change.old(hunk), change.new(hunk)
        if _blanks(old) != _blanks(new) and (any(map(str.strip, old)) or not any(map(str.strip, new))):
            return _blanks(_trimmed(document.rows[place.start : place.stop])) != _blanks(change.replace)
    return False


def _blanks(lines: Sequence[str]) -> int:
    return sum(1 for line in lines if not line.strip())


def _goes_on(gone: Sequence[str], beside: Iterable[str], *, sure: bool) -> bool:
    """Whether the first line beside a place is one of those that went from this end of it, the nearest first.

    A line like many counts only where nothing came for it (`sure`), and only as the nearest.
    """
    row = _said(next(filter(str.strip, beside), ""))
    lines = enumerate(filter(str.strip, gone))
    return any(_said(line) == row for n, line in lines if distinctive(line) or (sure and n == 0))


def _said(line: str) -> str:
    """What a line says, whatever blanks, form and quotes it has."""
    return folded(line).replace("'", '"')


def _is_meant(question: Question, change: Change, place: range) -> bool:
    """Whether a place has all that the edit keeps and the file has but once; failing that, whether it is the likest."""
    kept = set(bare(change.search)).intersection(bare(change.replace))
    if rare := question.document.once(kept):
        return all(row in place for row in rare.values())
    return any(region.first < place.stop and place.start < region.end for region in question.regions[:1])
