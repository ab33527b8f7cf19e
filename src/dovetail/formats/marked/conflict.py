r"""A merge conflict that may be an edit: some models write ``<<<<<<< HEAD`` … ``>>>>>>> updated`` for a block.

Nothing is announced until the end marker is seen; a real conflict goes back as the text it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.scan.keeping import Keeping
from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.scan.scanner import Scanner


class Conflict(Keeping):
    """From a conflict's start to the first marker that says what it is."""

    def __init__(self, scanner: Scanner, line: int, text: str) -> None:
        super().__init__(scanner, line, text)
        self.interest = scanner.grammar.block

    def line(self, text: str, _line: int) -> GiveBack | None:
        """The end marker decides; another start or a bare end marker decides against."""
        grammar = self.scanner.grammar
        self.kept.append(text)
        if grammar.is_end(text):
            self.scanner.tried.edits.add(self.first)
            self.leave()
            return GiveBack("".join(self.kept), self.first)
        if grammar.start(text) is not None or text.lstrip().startswith(">" * grammar.markers.shortest):
            return self.back()
        return None
