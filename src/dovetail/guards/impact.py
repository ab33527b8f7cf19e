"""The effect of one edit on its file: the value that every guard judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from dovetail.model.language import NO_SYNTAX, Language
from dovetail.model.text import IndexedText, Span, split_lines
from dovetail.text.diff import diff
from dovetail.text.languages import is_document

_RECORDS = (".diff", ".patch", ".log")  # files that may record garbled or elided text as it was


class Region(NamedTuple):
    """Whole lines of a file that became other lines.

    removed, added: the lines, without their ends. start, end: the offsets of the added lines in the text after the
    edit.
    """

    removed: Sequence[str]
    added: Sequence[str]
    start: int
    end: int


@dataclass(frozen=True)
class Impact:
    """One edit and its effect on its file.

    path: the file. before: its text before the reply, None for a new file. after: its text after the whole reply.
    regions: the lines that this edit changes, in order. added: all added lines of the regions.
    search: the text of the file that the edit quotes; "" for a whole text. sent: the new text as the reply has it.
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
        """All removed lines of the regions, without their ends."""
        return [line for region in self.regions for line in region.removed]

    @property
    def prose(self) -> bool:
        """Whether the file is prose or a record, whose text may be about wrappings, marks and escapes."""
        return is_document(self.path) or self.path.lower().endswith(_RECORDS)

    @cached_property
    def well_formed(self) -> bool:
        """Whether the file's language is known, and the whole text after the edit parses in it."""
        return self.language.errors(self.path, self.after) == ()

    def parses(self, text: str) -> bool:
        """Return whether `text`, instead of `after`, would have no new syntax error."""
        return self.language.new_error(self.path, self.before, text, ()) is None

    def had(self, text: str) -> bool:
        """Return whether the file before the reply, or the edit's search, contains a text."""
        return text in (self.before or "") or text in self.search


def edited_region(before: str, after: str, was: Span, now: Span) -> Region:
    """Return the whole lines around a span of `before` and around the span of `after` that replaced it."""
    # `lead`: how many characters of the line precede the change. If the change ends a line on both sides, the line
    # below is not part of the region; else the rest of the line is, which is the same text before and after.
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
    """Return the regions in which two whole texts differ."""
    was, now = split_lines(before), IndexedText(after)
    return tuple(
        Region(was[h.a1 : h.a2], now.lines[h.b1 : h.b2], now.start_of(h.b1), now.start_of(h.b2))
        for h in diff(was, now.lines)
    )
