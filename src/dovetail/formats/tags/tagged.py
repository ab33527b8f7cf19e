"""What the machines share that keep a tag's text whole until it closes, and that take what is around it off."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.scan.keeping import Keeping
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import GiveBack, Scanner

_CDATA = late(r"\s*<!\[CDATA\[(.*)\]\]>\s*$", re.DOTALL)


def outdented(text: str) -> str:
    """A file's text between its tags without the blanks before the closing one; and where that stands indented, as in
    tags around it or in a list, and the lines no less, without the margin that they share."""
    *lines, blank = text.split("\n")
    if not blank or blank.strip():
        return text
    leads = {line[: len(line) - len(line.lstrip())] for line in lines if line.strip()}
    margin = min(leads, key=len, default="")
    shared = margin.startswith(blank) and all(lead.startswith(margin) for lead in leads)
    return fences.outdented("".join(f"{line}\n" for line in lines), margin if shared else "")


def unwrapped(text: str) -> str:
    """A text without the CDATA section around it."""
    found = _CDATA.match(text)
    return found[1] if found is not None else text


class Tagged(Keeping):
    """A tag that was opened: `pieces` is its text so far, `kept` is that with the lines of the tag itself.

    `interest` begins a line that may close it, `closing` is its closing tag; both are known once the tag is.
    """

    def __init__(self, scanner: Scanner, line: int, interest: re.Pattern[str]) -> None:
        super().__init__(scanner, line)
        self.pieces: list[str] = []
        self.interest = self.closing = interest

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """The tag's text."""
        self.pieces.append(text)
        self.kept.append(text)
        return None
