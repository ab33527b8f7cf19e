r"""The format `guillemet`, in both dialects: the anchor is what both halves begin with.

Grammar::

    path
    "««« EDIT"   anchor old   "═══════ REPL"   anchor new   "»»» EDIT END"
    "🟧🟧🟧 EDIT"  anchor old   "🟨🟨🟨 REPL"     anchor new   "🟩🟩🟩 END"
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.lines.paths import as_line
from dovetail.formats.lines.reasoning import CLOSING_LINE
from dovetail.formats.marked.machine import MarkedBlock
from dovetail.formats.marked.readings import readings_of
from dovetail.model.blocks import Block, Parts

if TYPE_CHECKING:
    from dovetail.formats.marked.machine import Role
    from dovetail.model.markers import Markers

_INTEREST = re.compile(
    r"\n[ \t]*+(?:`{3}|~{3}|«{3}|═{3}|»{3}|\U0001f7e7{3}|\U0001f7e8{3}|\U0001f7e9{3}"
    rf"|{CLOSING_LINE}|</(?:source|code|pre))",
    re.IGNORECASE,
)
_DIVIDER = re.compile(r"[ \t]*(?:═{3,9}|\U0001f7e8{3})[ \t]*REPL[ \t]*\n?$", re.IGNORECASE)
_END = re.compile(r"[ \t]*(?:»{3}[ \t]*EDIT END|\U0001f7e9{3}[ \t]*(?:EDIT )?END)[ \t]*\n?$", re.IGNORECASE)


class Guillemet(MarkedBlock):
    """One block of either dialect. It is never plain, as its interest finds no markers of other formats."""

    format = "guillemet"
    looks_for = _INTEREST
    plain = False

    def end_marker(self) -> str:
        """In the dialect of its start."""
        return "🟩🟩🟩 END" if "🟧" in self.head else "»»» EDIT END"

    def role(self, text: str) -> Role | None:
        """Its own markers."""
        if _DIVIDER.match(text):
            return "divider"
        if _END.match(text):
            return "end"
        start = self.scanner.grammar.start(text)
        return "start" if start is not None and start.family == "guillemet" else None

    def measure(self, text: str) -> tuple[int, int]:
        """All dividers are alike."""
        return self.start.length, len(text) - len(text.lstrip())

    def build(self, body: str, raw: str) -> Block:
        """The block, its anchor computed from the first reading."""
        readings = readings_of(body, self.dividers, self.last_divider, self.start, self.place.path, self.ends)
        parts = _parts(readings[0].search, readings[0].replace)
        return self.place.block(self.format, readings, raw, self.first, parts=parts)


def _parts(search: str, replace: str) -> Parts:
    """Common whole lines at the front are the anchor."""
    old, new = (re.findall(r"[^\n]*\n", text) for text in (search, replace))
    same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return Parts("".join(old[:same]), "".join(old[same:]), "".join(new[same:]))


def render(block: Block, _fence: str, _markers: Markers) -> str:
    """The block under its path, in the first dialect and without a fence."""
    return f"{as_line(block.path)}\n««« EDIT\n{block.search}═══════ REPL\n{block.replace}»»» EDIT END\n"
