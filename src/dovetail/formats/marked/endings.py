"""What speaks against ending a block where it seems to end: lines in its text, or behind it, that it should not have.

Owns the doubts of `machine`, which decides. A marker that is misspelt is content for every other eye, so a block that
holds one, unpaired, may be two blocks; and a fence that seems to close the block may open one of its text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.lines import fences, lookalike
from dovetail.formats.scan import faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.lines.grammar import Grammar
    from dovetail.model.diagnostics import Diagnostic

_GLUED = re.compile(r"(?m)^(?![^\n]*<<<)[^\n]*\S[ \t]+>{5,9}[ \t]*(?:REPLACE|UPDATED)[ \t]*$")


class Nested(NamedTuple):
    """A start marker inside a body: where it stands in it, and its line in the reply."""

    offset: int
    line: int


class Body(NamedTuple):
    """A block's text behind its start marker, which is line `first` of the reply.

    behind_divider: where the first divider ends. end_marker: how its format writes one.
    """

    text: str
    format: str
    first: int
    behind_divider: int
    end_marker: str

    def line_of(self, at: int) -> int:
        """The reply's line of an offset."""
        return self.first + 1 + self.text.count("\n", 0, at)


def marker_behind(body: Body) -> Diagnostic | None:
    """What is wrong with ending at the fence: behind the divider stands what looks like a marker."""
    at = lookalike.first_behind(body.text, body.behind_divider)
    return None if at is None else _marker_at(body, at)


def start_behind(body: Body, grammar: Grammar) -> Nested | None:
    """The first line behind the divider that looks like a marker, where it is the start of another format."""
    at = lookalike.first_behind(body.text, body.behind_divider)
    start = grammar.start(body.text[at:].partition("\n")[0]) if at is not None else None
    if at is None or start is None or start.family == "conflict":
        return None
    return Nested(at, body.line_of(at))


def unpaired(body: Body, ends: Sequence[int], path: str | None) -> Diagnostic | None:
    """What is wrong with a block that ends as it should: it holds another end, or start, that is misspelt.

    ends: where end markers stand that were content.
    """
    mark = lookalike.first_unpaired(body.text, body.behind_divider)
    at = mark.start if mark is not None and mark.start not in ends else _glued_end(body, path)
    return None if at is None else _marker_at(body, at)


def _glued_end(body: Body, path: str | None) -> int | None:
    """Where a line begins behind the divider that ends in an end marker, and none above it does: the marker was written
    twice. In a document it may end a sentence."""
    found = _GLUED.search(body.text, body.behind_divider)
    document = fences.ends_as(path, fences.DOCUMENTS)
    return None if found is None or document or _GLUED.search(body.text[: body.behind_divider]) else found.start()


def reopened(body: Body, fence: Fence, path: str | None) -> Diagnostic | None:
    """What is wrong with a replacement that begins with the end of the block's fence, and in which it opens again.

    Then text to the reader stands between the halves. In a document the fences may be its own.
    """
    search, new = body.text[: body.behind_divider], body.text[body.behind_divider :].lstrip()
    first, _, rest = new.partition("\n")
    if not fence.info or not fence.closes(first) or fences.ends_as(path, fences.DOCUMENTS):
        return None
    if any(map(fences.is_fence_line, search.split("\n"))):
        return None
    opened = (fences.opening(line) for line in rest.split("\n"))
    if not any(inner is not None and inner.language == fence.language for inner in opened):
        return None
    at = body.line_of(body.text.index(new, body.behind_divider))
    return faults.FENCE_BETWEEN.at(body.first, format=body.format, at=at)


def opens_behind(behind: str, head: int) -> bool:
    """Whether the fence that a text begins with may as well have opened one of the block's text.

    Then the next fence is bare, too, and not among the last `head` lines, where the next block's own stands.
    """
    first, *lines = behind.splitlines() or [""]
    if not fences.is_fence_line(first):
        return False
    found = (fences.opening(line) for line in lines[: len(lines) - head])
    inner = next((fence for fence in found if fence is not None), None)
    return inner is not None and inner.bare


def _marker_at(body: Body, at: int) -> Diagnostic:
    facts = {"format": body.format, "text": faults.quoted(body.text[at:].partition("\n")[0]), "end": body.end_marker}
    return faults.MARKER_IN_CONTENT.at(body.first, at=body.line_of(at), **facts)
