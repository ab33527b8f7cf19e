"""The tokens of a text as it lays them out, in lines and in brackets: what the rules of every language look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.model.language import Token
    from dovetail.syntax.brackets import Brackets


CLOSE = 200  # tokens that are looked through for the end of a declaration, or the begin of a tag


def words(text: str) -> frozenset[str]:
    """Some words, or signs, that blanks part."""
    return frozenset(text.split())


ENDS = words(") ] } , ;")


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The tokens of a text that are neither blank nor comments, with the line that each begins on, and the brackets.

    texts: what `text` answers for each token.
    """

    tokens: Sequence[Token]
    lines: Sequence[int]
    brackets: Brackets
    texts: Sequence[str]

    def text(self, at: int) -> str:
        """The text of a token, "" where there is none."""
        return self.texts[at] if 0 <= at < len(self.texts) else ""

    def ends_line(self, at: int) -> bool:
        """Whether the next token begins on another line than this one ends on, or there is none."""
        return at + 1 == len(self.tokens) or self.lines[at + 1] > self.lines[at] + self.tokens[at].text.count("\n")

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The round brackets that hold something."""
        for first, last in self.brackets.pairs():
            if self.text(first) == "(" and last > first + 1:
                yield first, last

    def next_of(self, at: int, texts: Sequence[str]) -> str:
        """The first of some texts close behind a token, "" where there is none."""
        return next((text for i in range(at + 1, at + CLOSE) if (text := self.text(i)) in texts), "")

    def inside(self, first: int, last: int) -> Iterator[str]:
        """What stands between two brackets and in no others."""
        return (self.text(i) for i in range(first + 1, last) if self.brackets.within[i] == first)


def line_joints(laid: LaidOut) -> Iterator[int]:
    """Backslashes at the ends of lines."""
    return (at for at, token in enumerate(laid.tokens) if token.text.strip() == "\\")
