"""A machine that keeps its lines until it knows what they are, and gives them back where they are text after all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import Scanner


class Keeping:
    """What such machines share: `kept` are the lines so far, and `first` is the number of their first."""

    def __init__(self, scanner: Scanner, line: int, *kept: str) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.first = line
        self.kept = list(kept)

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """Content."""
        self.kept.append(text)
        return None

    def leave(self) -> None:
        """Hand over to the machine around it."""
        self.scanner.state = self.parent

    def back(self, behind: str = "") -> GiveBack:
        """Its first line is text, and what follows it is read anew, with what stands `behind`."""
        self.scanner.tried.text.add(self.first)
        self.leave()
        return GiveBack("".join(self.kept) + behind, self.first)
