"""What one edit does to its file: the value that every guard judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.text import IndexedText, Span, split_lines
from dovetail.text.diff import diff
from dovetail.text.languages import is_document

_RECORDS = (".diff", ".patch", ".log")  # where what looks garbled or left out is what was recorded


class Region(NamedTuple):
    """Whole lines of a file that became other lines.

    removed, added: the lines, without their ends. start, end: the characters of the text after that the added lines
    take up.
    """

    removed: Sequence[str]
    added: Sequence[str]
    start: int
    end: int


@dataclass(frozen=True)
class Impact:
    """One edit and what comes of its file.

    path: the file. before: its text before the reply, None for a new file. after: its text after the whole reply.
    regions: the lines that this edit changes, in order. added: all lines of them that come.
    search: what the edit quotes of the file; "" for a whole text. sent: the new text as the reply has it.
    whole: the edit gives the file its whole text. listing: that text is a listing, which may show a part of the file.
    error: the first line of `after`, from 1, that newly does not parse, if this edit is to blame; else None.
    """

    path: str
    before: str | None
    after: str
    regions: tuple[Region, ...]
    added: list[str]
    search: str = ""
    sent: str = ""
    whole: bool = False
    listing: bool = False
    error: int | None = None
    language: Language = NO_SYNTAX

    @cached_property
    def removed(self) -> list[str]:
        """All lines of the regions that go, without their ends."""
        return [line for region in self.regions for line in region.removed]

    @property
    def prose(self) -> bool:
        """Whether the file is written for people, where wrappings, marks and escapes may be what the text is about."""
        return is_document(self.path) or self.path.lower().endswith(_RECORDS)

    @cached_property
    def well_formed(self) -> bool:
        """Whether the file's language is known, and all of the text after the edit is sound in it."""
        return self.language.errors(self.path, self.after) == ()

    def parses(self, text: str) -> bool:
        """Whether a text in the place of the one after the edit would have no new error."""
        return self.language.new_error(self.path, self.before, text, ()) is None

    def had(self, text: str) -> bool:
        """Whether the file, or what the edit quotes of it, had a text before."""
        return text in (self.before or "") or text in self.search


def edited_region(before: str, after: str, was: Span, now: Span) -> Region:
    """The whole lines around characters of `before` and what stands for them in `after`."""
    # `lead`: characters of the line before the change. If the change ends a line on both sides, the line below is
    # none of it; else the rest of the line belongs to the region, and is the same text before and after.
    lead = was.start - (before.rfind("\n", 0, was.start) + 1)
    end = was.end
    # an empty span has no last character; it ends a line only where it begins one
    ends_line = (
        span.end == len(text) or (text[span.end - 1] == "\n" if len(span) else lead == 0)
        for text, span in ((before, was), (after, now))
    )
    if not all(ends_line):
        below = before.find("\n", was.end)
        end = below + 1 if below >= 0 else len(before)
    start, stop = now.start - lead, now.end + end - was.end
    return Region(split_lines(before[was.start - lead : end]), split_lines(after[start:stop]), start, stop)


def whole_regions(before: str, after: str) -> tuple[Region, ...]:
    """The lines by which two whole texts differ."""
    was, now = split_lines(before), IndexedText(after)
    return tuple(
        Region(was[h.a1 : h.a2], now.lines[h.b1 : h.b2], now.start_of(h.b1), now.start_of(h.b2))
        for h in diff(was, now.lines)
    )
