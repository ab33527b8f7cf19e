"""What the machines share that keep a tag's text whole until it closes, and that take what is around it off."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from dovetail.formats.lines import fences
from dovetail.formats.lines.paths import normalise
from dovetail.formats.scan.keeping import Keeping
from dovetail.formats.scan.scanner import GiveBack
from dovetail.model.text import closed

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import Scanner

_FLAGS = re.IGNORECASE | re.MULTILINE
_PATH = re.compile(r"path[\"']?>\s{0,9}([^<>\n]{1,400}?)\s{0,9}</")
_CDATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*$", re.DOTALL)


def path_in(text: str) -> str | None:
    """The first path that stands in a tag of its own, or in a field of a call."""
    found = _PATH.search(text)
    return normalise(found[1]) if found is not None else None


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


def whole_text(text: str) -> str:
    """A file's text between its tags, of which what is around it there is no part."""
    return closed(unwrapped(outdented(text)).removeprefix("\n"))


def behind(rest: str) -> str:
    """What stands behind an opening tag on its line; blanks and a colon are the tag's."""
    return rest if rest.strip(" \t\n:") else rest[rest.find("\n") :] if "\n" in rest else ""


class Tagged(Keeping, ABC):
    """A tag that is open: `pieces` is its text so far, `kept` is that with the lines of the tag itself.

    begins: where the text begins on the first line. closing: the pattern of the closing tag. again: that of a line
    which may begin such a tag anew.
    """

    def __init__(self, scanner: Scanner, line: int, begins: int, closing: str, again: str = r"(?!)") -> None:
        super().__init__(scanner, line)
        self.begins = begins
        self.closing = re.compile(closing, _FLAGS)
        self.interest = re.compile(rf"\n(?:[^\n]*{closing}|[ \t]*{again})", _FLAGS)
        self.pieces: list[str] = []

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """The tag's text."""
        self.pieces.append(text)
        self.kept.append(text)
        return None

    def line(self, text: str, line: int) -> GiveBack | None:
        """The first line, and every one that may close the tag."""
        self.kept.append(text)
        text, self.begins = behind(text[self.begins :]) if self.begins else text, 0
        closing = self.closing.search(text)
        self.pieces.append(text if closing is None else text[: closing.start()])
        if closing is None:
            return None
        rest = text[closing.end() :]
        self.leave()
        return self.close() or (GiveBack(rest, line) if rest.strip() else None)

    @abstractmethod
    def close(self) -> GiveBack | None:
        """Give what the tag and its text say, or all its lines back."""
