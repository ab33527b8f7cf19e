"""Tier `part-line`: the search, verbatim, begins or ends inside a line, at a word border.

If whole lines equal the search except for blanks around it (for an indented search, any blanks), this tier finds
nothing, whatever other lines contain: the tiers for indentation and trailing blanks know how to indent new lines.

If lines are added or removed at an end of the search with more text on its line, the edit is a conflict: that text
could belong to any of them.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dovetail.match.landing.candidates import Barred, Run
from dovetail.match.landing.fit import Obstacle
from dovetail.model.codes import Tier
from dovetail.text.comments import defines, parted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.change import Change
    from dovetail.match.lookup import Lookup
    from dovetail.model.text import Span
    from dovetail.text.document import Document

_OPENERS = "([{}<>\"'`=,;:|"
_CLOSERS = ")]}<>\"'`,;:|"
_EMPTY = ("()", "[]", "{}")  # an empty pair in the file where the search would end or begin inside it
_FINAL = "};"  # after these something else begins, as in minified code; the same holds after a tag
_BLANKS = 1000  # characters beside a place, besides the replacement's length, that it may repeat
_BESIDE = "more than the search stands on its line, and nothing says which of the new lines that belongs to"


def find(lookup: Lookup) -> Sequence[Run | Barred]:
    """Return the places of the search inside lines, if no whole lines of the file can be meant."""
    needle, document = lookup.needle, lookup.document
    if needle.inline:
        return []
    search, replace = (unindented(text.removesuffix("\n")) for text in (needle.search, needle.replace))
    indented = not needle.search.startswith(search)
    spans = places(document, search, replace, indented=indented)
    if spans and indented and lookup.alike:  # an indented search means those lines
        return []
    return [
        Barred(Tier.PART_LINE, Obstacle(document.line_at(span.start), _BESIDE), span)
        if _touches_beside(lookup.change, *_beside(document, span, _BLANKS))
        else Run(document, Tier.PART_LINE, search, replace, span)
        for span in spans
    ]


def places(document: Document, search: str, replace: str, *, indented: bool = False) -> list[Span]:
    """Return the places of `search`, which has no last line end, inside lines at word borders; none if whole lines are
    it.

    indented: it was quoted with indentation, so it must begin its line, or be the only place and no definition's name:
    after ``def`` the same words are no call. A search that begins or ends with a blank line has no places. A place is
    left out if `replace` repeats the text beside it: it was meant for the whole line, and the rest would be doubled.
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
        # `foo(` is no match in `foo()`: the search has something inside the pair, or leaves it open, and the file has
        # nothing inside.
        ends = search[-1] in _FINAL or (search[0] == "<" and search[-1] == ">") or _closes(after)
        whole = search[-1] + after[:1] not in _EMPTY and before[-1:] + search[0] not in _EMPTY
        if _opens(before) and ends and whole and not _repeats(search, replace, before, after):
            found.append(span)
    return found


def inside(document: Document, search: str) -> int | None:
    """Return the line, from 0, of the search's first place if that is only a part of lines; else None."""
    span = next(document.runs(search), None)
    if span is None or not any(text.strip() for text in _beside(document, span)):
        return None
    return document.line_at(span.start)


def unindented(text: str) -> str:
    """Return a text without the blanks it begins with: a line of the file has its own indentation."""
    return text.lstrip(" \t")


def _touches_beside(change: Change, before: str, after: str) -> bool:
    """Return whether the text beside the search on its line could belong to added or removed lines.

    It could if a hunk adds or removes lines at that end of the search, or if a new comment would swallow it.
    """
    first, end = 0, len(change.search)
    for hunk in change.hunks:
        whole = (hunk.a1, hunk.a2) == (first, end) and len(change.replace) <= 1
        if hunk.one_for_one or (whole and (change.replace or end == 1)):
            continue
        if (before.strip() and (hunk.a1 == first or end == 1)) or (after.strip() and hunk.a2 == end):
            return True
    # The replacement ends in a comment, the search does not, and code follows on the line: it would become comment.
    comments = [parted(lines[-1])[1] for lines in (change.search, change.replace) if lines]
    return comments[1:] > [""] and not comments[0] and bool(parted(after)[0].strip())


def _beside(document: Document, span: Span, most: int | None = None) -> tuple[str, str]:
    """Return the text before a span on its first line and after it on its last, at most `most` characters of each."""
    first, last = document.line_at(span.start), document.line_at(max(span.start, span.end - 1))
    start, stop = document.start_of(first), document.content_end(last)
    if most is not None:
        start, stop = max(start, span.start - most), min(stop, span.end + most)
    return document.raw[start : span.start], document.raw[span.end : stop]


def _repeats(search: str, replace: str, before: str, after: str) -> bool:
    head, tail = before.strip(), after.strip()
    at_start = bool(head) and replace.startswith(head) and not search.startswith(head)
    return at_start or (bool(tail) and replace.endswith(tail) and not search.endswith(tail))


def _opens(before: str) -> bool:
    """Return whether a search may begin after this part of a line: at the start, or after a blank or separator."""
    return not before or before[-1].isspace() or before[-1] in _OPENERS


def _closes(after: str) -> bool:
    """Return whether a search may end before this part of a line; before a full stop only if that ends a sentence."""
    return not after or after[0].isspace() or after[0] in _CLOSERS or (after[0] == "." and not after[1:2].strip())
