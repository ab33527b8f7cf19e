"""How machines take their lines: by what interests them, or each; and those that keep them until they know what they
are."""

from __future__ import annotations

import re
from abc import abstractmethod
from typing import TYPE_CHECKING

from dovetail.formats.scan.scanner import GiveBack, State

if TYPE_CHECKING:
    import re

    from dovetail.formats.scan.scanner import Scanner


EVERY = re.compile(r"\n")
"""The interest of a machine that must see every line for the time being."""


class Machine(State):
    """One that may be shown a line by the machine that it leaves behind."""

    @abstractmethod
    def line(self, text: str, line: int) -> GiveBack | None:
        """Take one line, newline included."""


class ByInterest(Machine):
    """A machine that sees some lines one by one, and takes in bulk what stands between them.

    interest: finds these lines, by the newline before them; it may change from call to call.
    """

    interest: re.Pattern[str]
    scanner: Scanner

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """Take all up to a line that is of interest, and that line."""
        found = self.interest.search(text, at - 1)
        if found is None:
            return len(text), self.bulk(text[at:], line)
        start = found.start() + 1
        if start > at:
            bulk = text[at:start]
            back = self.bulk(bulk, line)
            if back is not None or self.scanner.state is not self:
                return start, back
            line += bulk.count("\n")
        stop = text.index("\n", start) + 1
        return stop, self.line(text[start:stop], line)

    @abstractmethod
    def bulk(self, text: str, line: int) -> GiveBack | None:
        """Take whole lines that `interest` does not find."""


class EveryLine(Machine):
    """A machine that must see every line."""

    def take(self, text: str, at: int, line: int) -> tuple[int, GiveBack | None]:
        """Take one."""
        stop = text.index("\n", at) + 1
        return stop, self.line(text[at:stop], line)


class Keeping(ByInterest):
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
