r"""A merge conflict that may be an edit: some models write ``<<<<<<< HEAD`` … ``>>>>>>> updated`` for a block.

Nothing is announced until the end marker is seen; a real conflict goes back as the text it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    import re

    from dovetail.formats.scan.scanner import Scanner


class Conflict:
    """From a conflict's start to the first marker that says what it is."""

    def __init__(self, scanner: Scanner, text: str, line: int) -> None:
        self.scanner = scanner
        self.parent = scanner.state
        self.first = line
        self.pieces = [text]

    @property
    def interest(self) -> re.Pattern[str]:
        """Marker lines."""
        return self.scanner.grammar.block

    def bulk(self, text: str, _line: int) -> GiveBack | None:
        """Content."""
        self.pieces.append(text)
        return None

    def line(self, text: str, _line: int) -> GiveBack | None:
        """The end marker decides; another start or a bare end marker decides against."""
        grammar = self.scanner.grammar
        self.pieces.append(text)
        if grammar.is_end(text):
            return self._back(edit=True)
        if grammar.start(text) is not None or text.lstrip().startswith(">" * grammar.markers.shortest):
            return self._back(edit=False)
        return None

    def end(self) -> GiveBack | None:
        """No edit."""
        return self._back(edit=False)

    def _back(self, *, edit: bool) -> GiveBack:
        (self.scanner.tried.edits if edit else self.scanner.tried.text).add(self.first)
        self.scanner.state = self.parent
        return GiveBack("".join(self.pieces), self.first)
