"""Behind an end marker inside a fence: is the block over, or was the marker content?

The fence's end or the next start proves that it is over. Another end marker before either proves that the first one
may have been content; then the block goes on to the second, and both readings are kept. A marker repeated on the very
next line, where nothing in the block has opened another, is noise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences, lookalike
from dovetail.formats.scan.keeping import ByInterest
from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.marked.machine import MarkedBlock

MOST_AFTER = 200
_NONBLANK = re.compile(r"\n[ \t]*+[^\s]")


class Closing(ByInterest):
    """Behind an end marker, inside a fence: the fence's end or the next start proves that the block is over."""

    interest = _NONBLANK

    def __init__(self, block: MarkedBlock, end_line: str) -> None:
        self.scanner = block.scanner
        self.block = block
        self.end_line = end_line
        self.after: list[str] = []
        self.behind: int | None = None
        self.seen = 0

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """Nothing, where the fence ends right behind the marker, as it does behind most blocks."""
        block = self.block
        if self.behind is None and block.fence is not None and block.fence.closes(text[at : text.index("\n", at)]):
            block.finish(block.size, self.end_line)
            return at, None
        return super().take(text, at, line)

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Blank lines."""
        self._keep(text, line)
        return None

    def _keep(self, text: str, line: int) -> None:
        if self.behind is None:
            self.behind = line
        self.after.append(text)

    def line(self, text: str, line: int) -> GiveBack | None:
        """A line that is not blank."""
        block = self.block
        role = block.role(text)
        if role == "end" and not self.after and block.nested is None:
            self.end_line += text
            return None
        self._keep(text, line)
        self.seen += 1
        if role == "end":
            self.after.pop()
            block.extend(self.end_line, "".join(self.after))
            block.scanner.state = Closing(block, text)
            return None
        if role != "start" and not self._is_over(text):
            return None
        return self.end()

    def _is_over(self, text: str) -> bool:
        """Whether a line stands behind the block."""
        block = self.block
        return (
            (block.fence is not None and block.fence.closes(text))
            or fences.is_fence_line(text)
            or block.scanner.grammar.start(text) is not None
            or lookalike.looks_like_start(text)
            or self.seen > MOST_AFTER
        )

    def end(self) -> GiveBack | None:
        """The block is over where its end marker says."""
        self.block.finish(self.block.size, self.end_line)
        return GiveBack("".join(self.after), self.behind) if self.behind is not None else None
