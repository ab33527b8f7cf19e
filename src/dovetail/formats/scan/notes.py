"""What a reply shows and no edit comes of, as it may be an example: the first such thing is told of at the reply's end.

Owns when it is told of, and when it counts after all; what is said, `faults` has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.formats.lines import unread
from dovetail.formats.scan import faults
from dovetail.formats.scan.before_after import Pairs

if TYPE_CHECKING:
    from dovetail.formats.scan.faults import Fault
    from dovetail.formats.scan.sink import Sink
    from dovetail.model.diagnostics import Diagnostic


class Notes:
    """What would be told of a reply that ends here. Drafts, and texts inside a reply (`inner`), say nothing.

    pairs: listings of old and of new lines, which count where they are asked for, and the reply holds no other edit.
    """

    def __init__(self, sink: Sink, *, inner: bool) -> None:
        self.pairs = Pairs()
        self._sink = sink
        self._inner = inner
        self._unseen: list[tuple[int, str]] = []
        self._old = False  # a word for an edit's old half has come
        self._first: tuple[str | None, Diagnostic] | None = None

    @property
    def wanted(self) -> bool:
        """Whether something may still be noted."""
        return self._first is None and not (self._sink.draft or self._inner)

    def take(self, note: Fault, line: int, path: str | None = None, **facts: object) -> None:
        """Note what is shown, if nothing was before. An edit of the file `path` makes it needless."""
        self._see()
        if self.wanted:
            self._first = (path, note.at(line, path=path, **facts))

    def look(self, text: str, line: int) -> None:
        """Keep a text in which an edit may show that nothing reads; `line` is its first. Of a broken one it is told."""
        told = self._sink.broken_to - line
        if told > 0:
            line, text = line + told, text.split("\n", told)[-1] if text.count("\n") >= told else ""
        if text and self.wanted:
            self._unseen.append((line, text))

    def _see(self) -> None:
        """Note the first such edit that shows in what has been kept: to look once costs less than to look often."""
        kept, self._unseen = self._unseen, []
        text = "\n" + "".join(piece for _, piece in kept)
        self._old, halves = unread.halves_in(text, old=self._old)
        for sign in sorted(filter(None, (halves, unread.sign_in(text)))):
            at = sign.at
            line, piece = next((line, piece) for line, piece in kept if (at := at - len(piece)) < 0)
            note = faults.UNREAD.at(line + piece.count("\n", 0, at + len(piece)), what=sign.what)
            self._first = self._first or (sign.path, note)

    def tell(self, *, asked: bool) -> None:
        """The reply is over; `asked` says that pairs of listings are edits."""
        self._see()
        pairs = [] if self._inner or self._sink.blocks else self.pairs.blocks
        if asked:
            for block in pairs:
                self._sink.whole(block)
        elif pairs:
            self._first = None, faults.TOLD.at(pairs[0].line, path=pairs[0].path)
        path, note = self._first or (None, None)
        if note is not None and (path is None or all(block.path != path for block in self._sink.blocks)):
            self._sink.diagnose(note)
