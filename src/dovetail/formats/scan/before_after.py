r"""Two listings, the old lines and the new ones, as chat models show a change to a person who asked for no format.

Grammar::

    pair = old-words fence new-words fence
    old-words = a line that ends in "replace", "change this", "Before:", …      it, or what is above, names the file
    new-words = the one line between the fences: "with", "to this:", "After:", …

Words decide here, and an explanation of a change has the same ones. So pairs count only where the user asks for the
format `diff`, and only in a reply that holds no edit otherwise: beside one they explain it. Else a note tells of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.lines import fences
from dovetail.formats.lines.decoration import LONGEST_LINE
from dovetail.model.blocks import Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.formats.lines.fences import Fence
    from dovetail.formats.scan.place import Place
    from dovetail.model.blocks import Block

_WHAT = r"(?:[ ]+(?:code|content|function|implementation|lines?|method|part|section|text|version))?"
_AROUND = r"[\s\d.)*_`#>:-]*"
_OLD = re.compile(
    rf"{_AROUND}(?:(?:the )?(?:old|before|original|current|existing){_WHAT}"
    r"|search(?: for)?|.{0,200}\b(?:replace|change|find|locate|swap|look for)\b(?:.{0,120}[^.?!])?)[\s*_`:]*$",
    re.IGNORECASE,
)
_THIS = r"(?:[ ]+(?:this|these|that|the following|something like this)(?:[ ]+\w+){0,3})?"
_NEW = re.compile(
    rf"{_AROUND}(?:and )?(?:(?:the )?(?:new|after|updated|modified|fixed|replacement){_WHAT}"
    rf"|(?:(?:replace|change|update) (?:it|this|that|them) )?(?:with|to|by|into){_THIS}"
    rf"|(?:it )?(?:becomes|should be|should become|replace(?: with)?|change to){_THIS})[\s*_`:]*$",
    re.IGNORECASE,
)


class Old(NamedTuple):
    """A listing of old lines; `line` is its first, `place` what names its file."""

    text: str
    line: int
    place: Place


class Pairs:
    """The pairs of a reply so far, and the old listing that waits for its new one."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._old: Old | None = None
        self._place: Place | None = None

    def see(self, fence: Fence, above: Sequence[str], place: Place, text: str, line: int) -> None:
        """Take the next listing; `above` are the lines since the one before it."""
        said = [one for one in above if one.strip()]
        old, self._old = self._old, None
        if fence.language in fences.NO_FILES or not text.strip() or not said or len(said[-1]) > LONGEST_LINE:
            return
        if old is not None and len(said) == 1 and _NEW.match(said[0]):
            if old.text != text:
                change = (Reading(old.text, text),)
                self.blocks.append(old.place.block("diff", change, old.text + text, old.line))
            self._place = old.place
        elif _OLD.match(said[-1]):
            named = place if place.own and place.path is not None else self._place
            self._old = Old(text, line, named) if named is not None else None
