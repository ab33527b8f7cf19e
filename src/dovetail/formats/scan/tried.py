"""What was tried in a reply and came to nothing: nobody tries it again, and so the work is linear in the reply."""

from __future__ import annotations

from collections import Counter

_MOST_RETURNS = 64  # far more than there are machines


class Tried:
    """Numbers of lines, and names of tags.

    text: lines that begin nothing, whatever they look like.
    edits: lines that begin a merge conflict by their looks, and an edit by their end.
    hopeless: starts of blocks that have no end.
    json_from, quotes_from: before this line no JSON value, and no block quote, begins.
    unclosed: tags of which no closing one stands in the rest of the reply.
    """

    def __init__(self) -> None:
        self.text: set[int] = set()
        self.edits: set[int] = set()
        self.hopeless: set[int] = set()
        self.json_from = 0
        self.quotes_from = 0
        self.unclosed: set[str] = set()
        self._returned: Counter[int] = Counter()

    def give_back(self, line: int) -> None:
        """Note that a line was given back. One that no machine keeps is text in the end: no reply is read for ever."""
        self._returned[line] += 1
        if self._returned[line] > _MOST_RETURNS:
            self.text.add(line)
