r"""A block quote. One around the whole reply, as mail and forums put it there, is no part of the reply.

Grammar::

    quote = (">" [" " text] | blank line)*

Where other text stands before it or behind it, it shows what somebody said: edits in it are examples, and told of.
Such lines are given back, since one that looks like a marker is refused wherever it stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.formats.lines import lookalike
from dovetail.formats.listings import wrapped
from dovetail.formats.scan.keeping import Keeping
from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import Scanner

_MARK = r"[ ]{0,3}>(?:[ ]|$)"
_MARKS = re.compile(rf"^{_MARK}", re.MULTILINE)
_OTHER = re.compile(rf"\n(?!{_MARK}|[ \t]*$|\Z)", re.MULTILINE)


def begins(scanner: Scanner, text: str, line: int) -> bool:
    """Whether a quote begins with a line that is not known to be text of this reply."""
    tried = scanner.inner or scanner.sink.draft or line < scanner.tried.quotes_from
    return not tried and _MARKS.match(text) is not None


class Quoted(Keeping):
    """A quote, up to the first line that is none. `alone`: nothing stands before it in the reply."""

    interest = _OTHER

    def __init__(self, scanner: Scanner, line: int) -> None:
        super().__init__(scanner, line)
        self.alone = not scanner.begun

    def line(self, text: str, line: int) -> GiveBack | None:
        """The first line behind it."""
        return self._back(self._shown(), text, line)

    def end(self) -> GiveBack | None:
        """Nothing follows. Of a quote inside the quote the marks stay."""
        return self._back(_unquoted(self.kept) if self.alone else self._shown(), "", self.scanner.number)

    def _shown(self) -> str:
        """The lines as they are; of edits in them it is told here, unless they look like markers, too."""
        lines = "".join(self.kept)
        if lookalike.edit_in(lines) is None:
            wrapped.tell_example(
                self.scanner, _unquoted(self.kept), self.first, "a block quote", "the marks", self.first
            )
        return lines

    def _back(self, lines: str, behind: str, line: int) -> GiveBack:
        self.scanner.tried.quotes_from = line
        self.leave()
        return GiveBack(lines + behind, self.first)


def _unquoted(pieces: list[str]) -> str:
    return _MARKS.sub("", "".join(pieces))
