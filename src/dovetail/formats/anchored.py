r"""The format `anchored`: anchors that stay around the lines that change.

Grammar::

    path
    "<<<<<<< EDIT" leading "-------" old "=======" new "-------" trailing ">>>>>>>"

The search is leading + old + trailing, the replacement leading + new + trailing. An empty leading anchor hints at the
file's start, an empty trailing one at its end. Rules of dashes may be content, so all readings are kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats import faults
from dovetail.formats.marked import MarkedBlock
from dovetail.formats.readings import MOST
from dovetail.model.blocks import NO_HINTS, Block, Hints, Kind, Parts, Reading
from dovetail.model.errors import RenderError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.formats.marked import Divider, Role

_END = re.compile(r"[ \t]*>{5,9}[ \t]*(?:EDIT|END|EDIT END)?>?[ \t]*\n?$", re.IGNORECASE)
_RULE = re.compile(r"(?m)^[ \t]*-{5,9}[ \t]*\n")


class Anchored(MarkedBlock):
    """One anchored block."""

    def name(self) -> str:
        """Always of the same format."""
        return "anchored"

    def role(self, text: str) -> Role | None:
        """Start, divider and end; the dashes are found when the block is built."""
        if self.scanner.grammar.divider(text) is not None:
            return "divider"
        start = self.scanner.grammar.start(text)
        if start is not None:
            return "start" if start.family == "anchored" else None
        return "end" if _END.match(text) else None

    def build(self, body: str, raw: str) -> Block:
        """The block of the likeliest parts."""
        every = list(_splits(body, self.dividers))
        parts = every[0] if every else Parts("", body, "", "")
        readings = tuple(dict.fromkeys(_joined(p) for p in every[:MOST])) or (_joined(parts),)
        empty = not (parts.leading or parts.old or parts.trailing)
        hints = NO_HINTS if empty else Hints(at_start=not parts.leading, at_end=not parts.trailing)
        block = Block(
            format=self.format,
            kind=Kind.EDIT,
            path=self.place.path,
            search=readings[0].search,
            replace=readings[0].replace,
            raw=raw,
            line=self.first,
            path_candidates=self.place.candidates,
            mentioned=self.place.mentioned,
            readings=readings,
            parts=parts,
            hints=hints,
            draft=self.scanner.draft,
        )
        return block if every or not self.divided else faults.spoil(block, _no_anchors(self.first))


def _no_anchors(line: int) -> faults.Fault:
    return faults.malformed(
        "The anchored block lacks a line of dashes before or behind its divider.",
        line,
        "Write a line of dashes between the leading anchor and the old lines, and one behind the new lines.",
    )


def _joined(parts: Parts) -> Reading:
    return Reading(parts.leading + parts.old + parts.trailing, parts.leading + parts.new + parts.trailing)


def _splits(body: str, dividers: list[Divider]) -> Iterator[Parts]:
    """Every way to cut: a rule of dashes, a divider behind it, a rule behind that."""
    rules = [(m.start(), m.end()) for m in _RULE.finditer(body)][:64]
    count = 0
    for divider in [d for d in dividers if d.depth == 1 and d.stop <= len(body)]:
        for first_start, first_stop in rules:
            if first_stop > divider.start:
                break
            for second_start, second_stop in rules:
                if second_start < divider.stop:
                    continue
                yield Parts(
                    body[:first_start],
                    body[first_stop : divider.start],
                    body[divider.stop : second_start],
                    body[second_stop:],
                )
                count += 1
                if count == MOST:
                    return


def render(blocks: list[Block], fence: str) -> str:
    """Each block under its path; a block without parts gets empty anchors."""
    del fence
    texts = []
    for block in blocks:
        if block.kind is not Kind.EDIT or block.inline:
            raise RenderError("The format anchored can say edits of whole lines only.")
        parts = block.parts or Parts("", block.search, block.replace, "")
        texts.append(
            f"{block.path}\n<<<<<<< EDIT\n{parts.leading}-------\n{parts.old}=======\n{parts.new}-------\n"
            f"{parts.trailing}>>>>>>>\n"
        )
    return "\n".join(texts)
