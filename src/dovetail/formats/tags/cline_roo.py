r"""The tags of `cline` and `roo` around whole files and search/replace blocks.

Grammar::

    tool    = "<replace_in_file>" path diff "</replace_in_file>"
            | "<write_to_file>" path content "</write_to_file>"
            | "<apply_diff>" (path diff | "<args>" ("<file>" path diff* "</file>")* "</args>") "</apply_diff>"
    path    = "<path>" text "</path>"
    diff    = "<diff>" block* "</diff>"         (in apply_diff also a "<content>" in it, with or without CDATA)
    content = "<content>" line* "</content>"

Blocks inside are read by the machine of `search_replace`, as a reply of their own when the tool closes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.formats.lines.fences import unfenced
from dovetail.formats.lines.paths import normalise
from dovetail.formats.scan import faults
from dovetail.formats.scan.faults import Fault
from dovetail.formats.scan.place import UNNAMED, Place
from dovetail.formats.tags.tagged import Tagged, whole_text
from dovetail.model.blocks import Block, Kind

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import GiveBack, Scanner
    from dovetail.model.markers import Markers

_NAMES = {"replace_in_file": "cline", "write_to_file": "cline", "apply_diff": "roo"}
_PATH = re.compile(r"<(?:absoluteP|p)ath>\s{0,9}([^<>\n]{1,400}?)\s{0,9}</(?:absoluteP|p)ath>")
_START_LINE = re.compile(r"<start_line>\s*\d+\s*</start_line>")
_MARKUP = re.compile(
    r"(?<![ \t])[ \t]*+</?(?:args|file|diff|content|start_line|line_count)>[ \t]*\n?|<!\[CDATA\[|\]\]>"
)
_NO_BLOCKS = Fault(
    "The tool's tag holds no block.", "Write the path in <path> and the search/replace blocks in <diff>."
)


@lru_cache(maxsize=16)
def _block(markers: Markers) -> re.Pattern[str]:
    """Where a block begins or ends; a start may stand behind tags."""
    run = f"{{{markers.shortest},}}"
    search, replace = ("|".join(map(re.escape, words)) for words in (markers.search_words, markers.replace_words))
    return re.compile(
        rf"(?m)^([ \t]*(?:<content>|<diff>|<!\[CDATA\[)*)(?=<{run}[ \t]*(?:{search})|-{run}[ \t]*SEARCH)"
        rf"|^[ \t]*(?:>{run}[ \t]*(?:{replace})|\+{run}[ \t]*REPLACE)"
    )


class ToolTag(Tagged):
    """One tool's tag, kept whole until it closes."""

    def __init__(self, scanner: Scanner, line: int, opening: re.Match[str]) -> None:
        self.tool = opening[1].lower()
        super().__init__(scanner, line, opening.end(), f"</{self.tool}>")

    def end(self) -> GiveBack | None:
        """The reply ends inside: what is complete in it still counts."""
        self.leave()
        return self.close(cut_off=True)

    def close(self, *, cut_off: bool = False) -> GiveBack | None:
        """Give the file, or the blocks."""
        scanner, body = self.scanner, "".join(self.pieces)
        name = scanner.asked if scanner.asked in ("cline", "roo") else _NAMES[self.tool]
        scanner.sink.counts[name, "start"] += 1
        scanner.sink.counts[name, "end"] += not cut_off
        if self.tool == "write_to_file":
            self._write(body, name, cut_off=cut_off)
        else:
            self._edit(body, name)
        return None

    def _write(self, body: str, name: str, *, cut_off: bool) -> None:
        path = _PATH.search(body)
        begin, stop = body.find("<content>"), body.rfind("</content>")
        text = body[begin + len("<content>") : stop] if 0 <= begin < stop else ""
        target = normalise(path[1]) if path else None
        text = unfenced(whole_text(text), target)
        block = Block(name, Kind.REWRITE, target, "", text, raw=body, line=self.first)
        if cut_off or not 0 <= begin < stop:
            block = faults.spoil(block, faults.NO_END.at(self.first, format=name))
        elif path is None:
            block = faults.spoil(block, faults.NO_PATH.at(self.first, format=name))
        self.scanner.sink.whole(block)

    def _edit(self, body: str, name: str) -> None:
        """Each path, and the blocks up to the next one."""
        sink, before = self.scanner.sink, len(self.scanner.sink.blocks)
        places = list(_PATH.finditer(body))
        block_ends = _block(self.scanner.grammar.markers)
        line, at = self.first, 0
        for n, match in enumerate(places):
            stop = places[n + 1].start() if n + 1 < len(places) else len(body)
            line += body.count("\n", at, match.end())
            at = match.end()
            inner = _blank_markup(body[match.end() : stop], block_ends)
            self.scanner.inside(inner, line, Place(normalise(match[1]), format=name), name)
        if not places:
            self.scanner.inside(_blank_markup(body, block_ends), self.first, UNNAMED, name)
        if len(sink.blocks) == before:
            path = normalise(places[0][1]) if places else None
            fault = _NO_BLOCKS.at(self.first)
            self.scanner.spoiled(name, path, body, self.first, fault)


def _blank_markup(text: str, block_ends: re.Pattern[str]) -> str:
    """The text without the tools' own tags, line for line; what stands inside a block is left alone."""
    out: list[str] = []
    at, inside = 0, False
    for match in (*block_ends.finditer(text), None):
        starts = match is not None and match[1] is not None
        if match is None or starts != inside:
            stop = match.end() if match is not None else len(text)
            out.append(text[at:stop] if inside else _MARKUP.sub(_keep_line, _START_LINE.sub("", text[at:stop])))
            at, inside = stop, starts
    return "".join(out)


def _keep_line(match: re.Match[str]) -> str:
    return "\n" if match[0].endswith("\n") else ""
