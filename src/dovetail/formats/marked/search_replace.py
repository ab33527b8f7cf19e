r"""The search/replace blocks of `diff`, `diff-fenced`, `edit-fence`, `sections`, `cline` and `roo`: reply ↔ blocks.

Grammar (see `grammar` for the marker lines, `place` for the path)::

    block   = start header? line* divider line* end
    header  = ":start_line:" n  [":end_line:" n]  ["-------"]       roo only; the dashes may lack their line's end
            | "-------"                             in a tag of roo, unless the file has that line there
    start   = "<<<<<<< SEARCH"  |  "------- SEARCH"                  the second is cline's
    end     = ">>>>>>> REPLACE" |  "+++++++ REPLACE"

    diff         path, fence, block, fence        diff-fenced   fence, path, block, fence
    edit-fence   fence with path, block, fence    sections      "### File: path", blocks

In `roo` a backslash in front of a marker makes it content and is taken off. A block whose start marker is written in
HTML entities is unescaped whole.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.formats.marked.machine import MarkedBlock
from dovetail.formats.marked.readings import MOST, readings_of
from dovetail.formats.scan import faults
from dovetail.formats.scan.faults import Fault
from dovetail.model.blocks import NO_HINTS, Block, Hints, Reading

if TYPE_CHECKING:
    from dovetail.formats.lines.grammar import Grammar
    from dovetail.formats.marked.machine import Role

_ESCAPES = ("\\<", "\\=", "\\>", "\\-", "\\:")
_ROO_LINE = re.compile(r":start_line:[ \t]*(\d{1,9})", re.IGNORECASE)
_ROO_MISPLACED = re.compile(r"(?m)^[ \t]*:(?:start|end)_line:[ \t]*\d*[ \t]*$")
_MISPLACED = Fault(
    "The roo block has a line marker in its replacement.",
    "Write :start_line: before the search only, or put a backslash before it where it is content.",
)


_ROO_RULE = r"[ \t]*-RUN[ \t]*\n"
_ROO_HEADER = rf"(?i)(?:[ \t]*:(?:start_line|end_line):[ \t]*\d*[ \t]*\n)+(?:{_ROO_RULE}|-{{7}}(?=[^-\n]))?"
_ESCAPED = r"(?m)^([ \t]*)\\(?=<RUN|=RUN|>RUN|-RUN|:(?:start|end)_line:)"


class SearchReplace(MarkedBlock):
    """One search/replace block."""

    def name(self) -> str:
        """`cline` by its dashes, `roo` in its own tag (or, later, by its header), else where the path stands."""
        if self.start.family == "dash":
            return "cline"
        return self.scanner.named(self.place.format)

    def end_marker(self) -> str:
        """In the first of the words in force."""
        markers = self.scanner.grammar.markers
        return f"{'+' * markers.usual} REPLACE" if self.start.family == "dash" else markers.end

    def role(self, text: str) -> Role | None:
        """What marker `text` is."""
        return _role(self.scanner.grammar, text, self.start.family == "dash")

    def build(self, body: str, raw: str) -> Block:
        """The block with all its readings."""
        hints = Hints(line=self.start.hint) if self.start.hint is not None else NO_HINTS
        format_name, shift = self.format, 0
        if (header := self.scanner.grammar.compiled(_ROO_HEADER).match(body)) is not None:
            format_name, shift = "roo", header.end()
            if number := _ROO_LINE.search(header[0]):
                hints = Hints(line=int(number[1]) or None)
        place = self.place
        readings = readings_of(body, self.dividers, self.last_divider, self.start, place.path, self.ends)
        if shift:
            readings = _without_header(readings, shift)
        elif format_name == "roo":
            readings = self._without_rule(readings)
        if self.start.escaped or ("\\" in body and any(map(body.__contains__, _ESCAPES))):
            readings = self._unescaped(readings, format_name)
        block = place.block(format_name, readings, raw, self.first, hints=hints)
        if format_name == "roo" and "_line:" in raw and _ROO_MISPLACED.search(self._after_divider(raw)):
            return faults.spoil(block, _MISPLACED.at(self.first))
        return block

    def _without_rule(self, readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
        """The readings also less a rule that the search alone begins with, as behind a header that says no line."""
        rule = self.scanner.grammar.compiled(_ROO_RULE)
        first = rule.match(readings[0].search)
        if first is None or rule.match(readings[0].replace) is not None:
            return readings
        return tuple(dict.fromkeys((*_without_header(readings, first.end()), *readings)))[:MOST]

    def _unescaped(self, readings: tuple[Reading, ...], format_name: str) -> tuple[Reading, ...]:
        """Undo the format's own escapes; where a backslash may be content, keep the reading with it first."""
        if self.start.escaped:
            from html import unescape  # 2 ms that few replies need

            return tuple(Reading(unescape(r.search), unescape(r.replace)) for r in readings)
        escaped = self.scanner.grammar.compiled(_ESCAPED)
        undone = tuple(Reading(escaped.sub(r"\1", r.search), escaped.sub(r"\1", r.replace)) for r in readings)
        if format_name == "roo":
            return undone
        return tuple(dict.fromkeys((*readings, *undone)))[:MOST]

    def _after_divider(self, raw: str) -> str:
        return raw.partition("\n" + "=" * self.scanner.grammar.markers.shortest)[2]


@lru_cache(maxsize=256)
def _role(grammar: Grammar, text: str, any_length: bool) -> Role | None:
    """What marker a line is, in a block whose divider may have any length or not; most of a reply's are spelt alike."""
    match text.lstrip()[:1]:
        case "=" if grammar.is_divider(text, any_length=any_length):
            return "divider"
        case ">" | "+" | "&" if grammar.is_end(text):
            return "end"
        case ">" if grammar.is_bare_end(text):
            return "bare-end"
        case "<" | "-" | "&":
            start = grammar.start(text)
            return "start" if start is not None and start.family in ("angle", "dash") else None
    return None


def _without_header(readings: tuple[Reading, ...], length: int) -> tuple[Reading, ...]:
    """The readings less the header of so many characters; those that end within it count only where all do."""
    return tuple(Reading(r.search[length:], r.replace) for r in readings if len(r.search) >= length) or readings
