"""How chosen lines of a file look: a bar before each, a block before those of interest, dots for what is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Collection, Mapping, Sequence

GAP, LINE, INTEREST = "⋮", "│", "█"
_RED, _BOLD, _PLAIN = "\033[31m", "\033[1;31m", "\033[0m"


@dataclass(frozen=True, slots=True)
class Marks:
    """What is written beside the lines; see `TreeContext` for the fields."""

    color: bool = False
    verbose: bool = False
    line_number: bool = False
    mark_lois: bool = True

    def render(
        self,
        lines: Sequence[str],
        shown: Mapping[int, str],
        interest: Collection[int],
        pattern: re.Pattern[str] | None = None,
    ) -> str:
        r"""Lines of `shown` (index, from 0, and reason) in order, each closed by ``\n``, one gap mark between runs."""
        pieces: list[str] = []
        done = -1
        for index in sorted(shown):
            if index > done + 1:
                pieces.append(GAP)
            pieces.append(self._line(index, lines[index], shown[index], index in interest, pattern))
            done = index
        if pieces and done < len(lines) - 1:
            pieces.append(GAP)
        return "".join(piece + "\n" for piece in pieces)

    def _line(self, index: int, line: str, why: str, wanted: bool, pattern: re.Pattern[str] | None) -> str:
        mark = INTEREST if wanted and self.mark_lois else LINE
        if self.color and wanted:
            line = line if pattern is None else pattern.sub(lambda found: f"{_BOLD}{found[0]}{_PLAIN}", line)
            mark = f"{_RED}{mark}{_PLAIN}" if self.mark_lois else mark
        number = f"{index + 1:4}" if self.line_number else ""
        reason = f"{why:>12} " if self.verbose else ""
        return f"{reason}{number}{mark}{line}"
