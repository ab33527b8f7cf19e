"""What machines share that look at every line, and those that keep lines until they know what they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from dovetail.formats.scan.scanner import GiveBack
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import Scanner


EVERY = late(r"\n")
"""The interest of a machine that must see every line."""


class EveryLine(ABC):
    """A machine that must."""

    interest = EVERY

    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Never called, as nothing escapes its interest."""
        return self.line(text, line)

    @abstractmethod
    def line(self, text: str, line: int) -> GiveBack | None:
        """Take the next line."""


class Keeping:
    """A machine that keeps its lines, and gives them back where they are text after all.

    `kept` are the lines so far, and `first` is the number of their first.
    """

    def __init__(self, scanner: Scanner, line: int, *kept: str) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.first = line
        self.kept = list(kept)

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """Content."""
        self.kept.append(text)
        return None

    def end(self) -> GiveBack | None:
        """Nothing has shown that its lines are any more than text."""
        return self.back()

    def leave(self) -> None:
        """Hand over to the machine around it."""
        self.scanner.state = self.parent

    def back(self, behind: str = "") -> GiveBack:
        """Its first line is text, and what follows it is read anew, with what stands `behind`."""
        self.scanner.tried.text.add(self.first)
        self.leave()
        return GiveBack("".join(self.kept) + behind, self.first)
