"""Tier `part-line`: the search, verbatim, begins or ends inside a line, at a word border.

Where whole lines are the search but for blanks beside it, or those of an indented search but for any, the question is
one of indentation or of trailing blanks, and this tier keeps out, whatever other lines hold: those tiers know how to
indent what is inserted.
Where the replacement has as many lines, the run is replaced as it is. Otherwise what stands beside must stay with the
line that it stands on: search and replacement are filled up with it (`filled`), and only their difference is made.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from dovetail.match.landing.candidates import Barred, Lines, Run
from dovetail.match.landing.change import Change
from dovetail.match.landing.fit import Fit, Obstacle
from dovetail.model.codes import Tier
from dovetail.text.comments import defines, parted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.question import Question
    from dovetail.model.text import Span
    from dovetail.text.diff import Hunk
    from dovetail.text.document import Document

_OPENERS = "([{}<>\"'`=,;:|"
_CLOSERS = ")]}<>\"'`,;:|"
_FINAL = "};"  # whatever stands behind is something else, as in code that was made small; so it is behind a tag
_CLOSES = re.compile(r"\s*[;,)\]}]*\s*")  # belongs to what ends before it, whatever that becomes
_ENDS = re.compile(
    r"\s*[;,]?\s*(?:#(?:[\s:!].*)?|//.*|--(?:\s.*)?|/\*.*\*/\s*|<!--.*-->\s*)?"
)  # nothing of the code comes behind

_BLANKS = 1000  # beside a place that are looked through for what the replacement might repeat

_BEFORE = "text stands before the search on its line, and the edit adds lines there"
_BEHIND = "text stands behind the search on its line, and nothing says which of the new lines it belongs to"
_IN_COMMENT = "the edit ends this line with a comment, and what stands behind the search on it would be in that"
_GONE = "the edit deletes a line of which the search has only a part"


def find(question: Question) -> Sequence[Candidate]:
    """Places inside lines, each with the search and the replacement filled up as that place needs it."""
    needle = question.needle
    if needle.inline:
        return []
    search, replace = (unindented(text.removesuffix("\n")) for text in (needle.search, needle.replace))
    indented = not needle.search.startswith(search)
    spans = places(question.document, search, replace, indented=indented)
    if spans and indented and question.alike:  # an indented search means those lines
        return []
    return [_candidate(question, search, replace, span) for span in spans]


def _candidate(question: Question, search: str, replace: str, span: Span) -> Candidate:
    document, change = question.document, question.change
    filled_up = filled(document, change, span)
    if filled_up is None:
        return Run(document, Tier.PART_LINE, search, replace, span)
    if isinstance(filled_up, Obstacle):
        return Barred(Tier.PART_LINE, filled_up, span)
    return Lines(Tier.PART_LINE, Fit.straight(document, filled_up, document.line_at(span.start)))


def places(document: Document, search: str, replace: str, *, indented: bool = False) -> list[Span]:
    """Places of `search`, which has no last line end, that part a line between words; none where whole lines are it.

    One that was quoted `indented` begins its line, or is the only one, and not the name of a definition: behind a
    ``def`` the same words are another thing than a call.
    A blank line at an end of the search is none: the run would begin or end with a line's end, and with no part of it.
    Where `replace` brings along what stands beside the place, it was meant for the whole line, and the place is left
    out: the rest of the line would stand twice.
    """
    if not (search.split("\n", 1)[0].strip() and search.rsplit("\n", 1)[-1].strip()):
        return []
    found: list[Span] = []
    most = len(replace) + _BLANKS
    spans = list(islice(document.runs(search), 2)) if indented and "\n" not in search else ()
    alone = len(spans) == 1
    for span in document.runs(search):
        before, after = _beside(document, span, most)
        if not (before.strip() or after.strip()):
            return []
        if indented and before.strip() and (not alone or defines(before)):
            continue
        ends = search[-1] in _FINAL or (search[0] == "<" and search[-1] == ">") or _closes(after)
        whole = not (_pairs(search[-1], after[:1]) or _pairs(before[-1:], search[0]))
        if _opens(before) and ends and whole and not _repeats(search, replace, before, after):
            found.append(span)
    return found


def inside(document: Document, search: str) -> int | None:
    """The first line that has more than the search, which it begins or holds; None where there is none."""
    span = next(document.runs(search), None)
    if span is None or not any(text.strip() for text in _beside(document, span)):
        return None
    return document.line_at(span.start)


def unindented(text: str) -> str:
    """Without the blanks it begins with: at a line's start the file has its own, and inside it those are none."""
    return text.lstrip(" \t")


def filled(document: Document, change: Change, span: Span) -> Change | Obstacle | None:
    """The edit of whole lines that an edit of parts of lines is: what stands beside is put to both its sides.

    None where each line becomes one, so that no question arises of what belongs where. What stands beside the search's
    first or last line stays with what that line becomes; where that is not certain, an `Obstacle`.
    """
    before, after = _beside(document, span)
    if _swallows(change, after):
        return Obstacle(document.line_at(span.end - 1), _IN_COMMENT)
    if len(change.search) == 1 and len(change.replace) <= 1:
        return None
    if all(hunk.one_for_one for hunk in change.hunks):
        return None
    if before.strip() and (reason := _against_before(change)) is not None:
        return Obstacle(document.line_at(span.start), reason)
    if after.strip() and (reason := _against_after(change, after)) is not None:
        return Obstacle(document.line_at(span.end - 1), reason)
    search = _with(change.search, 0, len(change.search) - 1, before, after)
    return Change.of(search, _with(change.replace, _first(change), _last(change), before, after))


def _with(lines: Sequence[str], first: int | None, last: int | None, before: str, after: str) -> list[str]:
    """Lines with what stands beside put to those that it belongs to."""
    whole = list(lines)
    if before.strip() and first is not None:
        whole[first] = before + whole[first].lstrip(" \t")
    if last is not None:
        whole[last] += after
    return whole


def _against_before(change: Change) -> str | None:
    """What speaks against leaving the text before the search where it is."""
    if _first(change) is None:
        return _GONE
    grows = any(hunk.a1 == 0 and _grows(hunk) for hunk in change.hunks)
    alone = len(change.search) == 1 and len(change.replace) > 1
    return _BEFORE if grows or alone else None


def _against_after(change: Change, after: str) -> str | None:
    """What speaks against leaving the text behind the search with the line that its last line becomes."""
    last, end = _last(change), len(change.search)
    if last is None:
        return _GONE
    if last < len(change.replace) - 1:
        return None if _ENDS.fullmatch(after) else _BEHIND
    grows = any(hunk.a1 < hunk.a2 == end and _grows(hunk) for hunk in change.hunks)
    return _BEHIND if grows and not _CLOSES.fullmatch(after) else None


def _swallows(change: Change, after: str) -> bool:
    """Whether the line that the search's last one becomes ends with a new comment, and code stands behind it."""
    if not after.strip() or not change.hunks:
        return False
    last = _last(change)
    new = parted(change.replace[last])[1] if last is not None else ""
    open_ended = bool(new) and not new.endswith(("*/", "-->"))
    return open_ended and not parted(change.search[-1])[1] and bool(parted(after)[0].strip())


def _grows(hunk: Hunk) -> bool:
    return hunk.b2 - hunk.b1 > hunk.a2 - hunk.a1


def _first(change: Change) -> int | None:
    """The line of the replacement that the search's first line becomes; None where it is deleted."""
    hunk = change.hunks[0]
    if hunk.a1 > 0:
        return 0
    return hunk.b2 if hunk.a2 == 0 else (0 if hunk.b2 > 0 else None)


def _last(change: Change) -> int | None:
    """The line of the replacement that the search's last line becomes; None where it is deleted."""
    hunk, end = change.hunks[-1], len(change.replace)
    if hunk.a2 < len(change.search):
        return end - 1
    return hunk.b1 - 1 if hunk.inserts else (end - 1 if hunk.b1 < end else None)


def _beside(document: Document, span: Span, most: int | None = None) -> tuple[str, str]:
    """What stands in the span's first line before it, and in its last line behind it; of either no more than `most`."""
    first, last = document.line_at(span.start), document.line_at(max(span.start, span.end - 1))
    start, stop = document.start_of(first), document.content_end(last)
    if most is not None:
        start, stop = max(start, span.start - most), min(stop, span.end + most)
    return document.raw[start : span.start], document.raw[span.end : stop]


def _repeats(search: str, replace: str, before: str, after: str) -> bool:
    head, tail = before.strip(), after.strip()
    at_start = bool(head) and replace.startswith(head) and not search.startswith(head)
    return at_start or (bool(tail) and replace.endswith(tail) and not search.endswith(tail))


def _pairs(one: str, other: str) -> bool:
    """Whether a bracket is closed by the next character: nothing is in it, where the search has or lacks what is."""
    return one + other in ("()", "[]", "{}")


def _opens(before: str) -> bool:
    """Whether something may begin behind this part of a line: at its start, after a blank, a bracket, a separator."""
    return not before or before[-1].isspace() or before[-1] in _OPENERS


def _closes(after: str) -> bool:
    """Whether something may end before this part of a line; a full stop ends nothing but a sentence."""
    return not after or after[0].isspace() or after[0] in _CLOSERS or (after[0] == "." and not after[1:2].strip())
