"""What the room `syntax` offers to others, as a value they are handed.

Matching and planning work without it (`NO_SYNTAX`): then no edit lands at the tier `syntax`, and no warning about
syntax errors is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Token:
    """A leaf of the syntax tree. `start` and `end` are character offsets; `comment` marks what carries no meaning.

    `kind` is ``name``, ``number``, ``string``, ``comment``, or ``other`` for keywords and punctuation.
    said: what it says: the same for tokens that differ only in how they are spelled.
    spare: whether a formatter may drop it, or put it there, without the code differing.
    """

    kind: str
    text: str
    start: int
    end: int
    said: str
    spare: bool = False

    @property
    def comment(self) -> bool:
        """Whether the token may differ without the code differing."""
        return self.kind == "comment"


@dataclass(frozen=True, slots=True)
class Definition:
    """A named definition. Lines count from 0, `last_line` is included; decorators and export keywords belong to it.

    `kind` is ``function``, ``method``, ``class``, or ``other``; `qualified` joins the enclosing names with a dot.
    `body_line` is the first line behind the header.
    """

    name: str
    kind: str
    qualified: str
    first_line: int
    last_line: int
    body_line: int


class Language(Protocol):
    """Reads code. Every method answers None where the language is unknown, the text too large, or too deep."""

    def tokens(self, path: str, text: str) -> tuple[Token, ...] | None:
        """Leaves of the tree in order, comments included."""
        ...

    def definitions(self, path: str, text: str) -> tuple[Definition, ...] | None:
        """Named definitions, outer before inner, in file order."""
        ...

    def errors(self, path: str, text: str) -> tuple[int, ...] | None:
        """1-based lines where the text does not parse; empty where all of it does."""
        ...


class _NoSyntax:
    """Knows no language."""

    def tokens(self, path: str, text: str) -> None:
        """Answer nothing."""

    def definitions(self, path: str, text: str) -> None:
        """Answer nothing."""

    def errors(self, path: str, text: str) -> None:
        """Answer nothing."""


NO_SYNTAX: Language = _NoSyntax()
