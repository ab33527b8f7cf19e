r"""The format `anchored`: anchors that stay around the lines that change.

Grammar::

    path
    "<<<<<<< EDIT" leading "-------" old "=======" new "-------" trailing ">>>>>>>"

The search is leading + old + trailing, the replacement leading + new + trailing. An empty leading anchor hints at the
file's start, an empty trailing one at its end. Rules of dashes may be content, so all readings are kept.
"""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from dovetail.formats.lines.paths import as_line
from dovetail.formats.marked.machine import MarkedBlock
from dovetail.formats.marked.readings import MOST, underlines_title
from dovetail.formats.scan import faults
from dovetail.formats.scan.faults import Fault
from dovetail.model.blocks import NO_HINTS, Block, Hints, Parts, Reading

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from dovetail.formats.marked.machine import Divider, Role
    from dovetail.model.markers import Markers


_NO_ANCHORS = Fault(
    "The anchored block lacks a line of dashes before or behind its divider.",
    "Write a line of dashes between the leading anchor and the old lines, and one behind the new lines.",
)


_END = r"(?i)[ \t]*>RUN[ \t]*(?:EDIT|END|EDIT END)?>?[ \t]*\n?$"
_RULE = r"(?m)^[ \t]*-RUN[ \t]*\n"


class Anchored(MarkedBlock):
    """One anchored block."""

    format = "anchored"

    def end_marker(self) -> str:
        """Without a word."""
        return ">" * self.scanner.grammar.markers.usual

    def role(self, text: str) -> Role | None:
        """Start, divider and end; the dashes are found when the block is built."""
        grammar = self.scanner.grammar
        if grammar.is_divider(text):
            return "divider"
        if (start := grammar.start(text)) is not None:
            return "start" if start.family == "anchored" else None
        return "end" if grammar.compiled(_END).match(text) else None

    def build(self, body: str, raw: str) -> Block:
        """The block of the likeliest parts."""
        every = list(_splits(body, self.dividers, self.scanner.grammar.compiled(_RULE)))
        parts = every[0] if every else Parts("", body, "", "")
        readings = tuple(dict.fromkeys(_joined(p) for p in every)) or (_joined(parts),)
        empty = not (parts.leading or parts.old or parts.trailing)
        hints = NO_HINTS if empty else Hints(at_start=not parts.leading, at_end=not parts.trailing)
        block = self.place.block(self.format, readings, raw, self.first, hints=hints, parts=parts)
        return block if every or not self.divided else faults.spoil(block, _NO_ANCHORS.at(self.first))


def _joined(parts: Parts) -> Reading:
    return Reading(parts.leading + parts.old + parts.trailing, parts.leading + parts.new + parts.trailing)


def _splits(body: str, dividers: list[Divider], rule: re.Pattern[str]) -> Iterator[Parts]:
    """The ways to cut, at most `MOST`: a rule of dashes, a divider behind it, a rule behind that."""
    rules = _once(body, [m.span() for m in rule.finditer(body)][:64])
    middles = _once(body, [(d.start, d.stop) for d in dividers if d.depth == 1 and d.stop <= len(body)])
    every = (
        Parts(body[:first], body[old:start], body[stop:second], body[trailing:])
        for (start, stop), (first, old), (second, trailing) in product(middles, rules, rules)
        if old <= start and stop <= second
    )
    return islice(every, MOST)


def _once(body: str, lines: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The lines from start to stop; one that is repeated at once counts as one, but for the underline of a title."""
    found: list[tuple[int, int]] = []
    for start, stop in lines:
        if found and not body[found[-1][1] : start].strip() and not underlines_title(body, *found[-1]):
            start = found.pop()[0]
        found.append((start, stop))
    return found


def render(block: Block, _fence: str, markers: Markers) -> str:
    """The block under its path; one without parts gets empty anchors."""
    opening, rule, closing = (sign * markers.usual for sign in "<->")
    parts = block.parts or Parts("", block.search, block.replace, "")
    return (
        f"{as_line(block.path)}\n{opening} EDIT\n{parts.leading}{rule}\n"
        f"{parts.old}{markers.divider}\n{parts.new}{rule}\n"
        f"{parts.trailing}{closing}\n"
    )
