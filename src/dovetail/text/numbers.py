r"""Line numbers before quoted lines, as models are shown them: ``12: ``, ``  12 | ``, ``12→``, ``[12] ``, ``12. ``.

Grammar::

    numbered = (blanks [opening] number sign [" "] text | blank line)*     one opening, one sign; each number is larger
    opening  = "L" | "["            sign = "|" | ":" | "│" | "→" | tab | "]" | ")" | "." | nothing before a blank

A list may begin so, too. What says whether it is one, the file or the text's kind, is asked by the callers.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

_LINE = re.compile(r"[ \t]*([L\[]?)(\d{1,9})(?: ?([|:\u2502\u2192])|(\t)|([\].)])|(?=[ ]|$))(.*)", re.DOTALL)
_FIRST = frozenset("L[0123456789")
_STYLES = frozenset([("", "|"), ("", ":"), ("", "\u2502"), ("", "\u2192"), ("", "\t"), ("L", ":"), ("L", "|")])
_LIST_STYLES = frozenset([("[", "]"), ("", ")"), ("", "."), ("", "")])


class Style(NamedTuple):
    """What stands before and behind the number."""

    before: str
    behind: str

    @property
    def of_lists(self) -> bool:
        """Whether lists are numbered so, as often as lines are."""
        return self in _LIST_STYLES


class _Line(NamedTuple):
    number: int
    style: Style
    text: str

    @property
    def blanks(self) -> int:
        """How many blanks stand before its text."""
        return len(self.text) - len(self.text.lstrip(" "))


class Numbered(NamedTuple):
    """A text whose lines bear numbers. Lines count from 0, blank ones included.

    first: the number that the text's first line would bear. even: each number says where its line stands.
    """

    style: Style
    lines: int
    first: int
    even: bool


def numbered(text: str) -> Numbered | None:
    """How the lines of `text` are numbered; None where one that is not blank is not."""
    lines: dict[int, _Line] = {}
    if text.lstrip()[:1] not in _FIRST:
        return None
    for index, line in enumerate(text.split("\n")):
        if not line.strip():
            continue
        if (found := _read(line)) is None:
            return None
        lines[index] = found
    styles = {line.style for line in lines.values()}
    if len(styles) != 1 or any(one.number >= other.number for one, other in pairwise(lines.values())):
        return None
    firsts = [line.number - index for index, line in lines.items()]
    return Numbered(styles.pop(), len(lines), firsts[0], even=len(set(firsts)) == 1)


def bare(style: Style, *texts: str) -> tuple[str, ...]:
    """The texts without the numbers of this style; a line that bears none stays as it is.

    The blank behind each number is the style's own where every line that says something has one.
    """
    read = [[(line, _read(line)) for line in text.split("\n")] for text in texts]
    said = [found.blanks for lines in read for _, found in lines if found and found.style == style and found.text]
    own = min(said, default=0) if style.behind == "" else min(1, min(said, default=0))
    return tuple(
        "\n".join(found.text[own:] if found and found.style == style else line for line, found in lines)
        for lines in read
    )


def _read(line: str) -> _Line | None:
    if (match := _LINE.fullmatch(line)) is None:
        return None
    before, number, sign, tab, bracket, text = match.groups()
    style = Style(before, sign or tab or bracket or "")
    return _Line(int(number), style, text) if style in _STYLES or style in _LIST_STYLES else None
