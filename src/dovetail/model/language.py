"""The interface of the package `syntax`: other packages are handed a `Language` and import no parser.

Matching and planning work without it (`NO_SYNTAX`): then no definition
is known, and no warning about syntax errors is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.model.text import Span


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
    """Parses code. Every method returns None if the language is unknown, or the text too large or too deep."""

    def __hash__(self) -> int:
        """Answers are cached by language, so one must be hashable."""
        ...

    def definitions(self, path: str, text: str) -> tuple[Definition, ...] | None:
        """Named definitions, outer before inner, in file order."""
        ...

    def definitions_near(
        self, path: str, text: str, spans: Sequence[Span]
    ) -> tuple[tuple[Definition, str], ...] | None:
        """Return the definitions in the code around some spans of a text, each with the text of its first line.

        Only pieces of the text are parsed, so a definition's line numbers count in its piece, not in `text`, and some
        definitions meet no span. None, too, if a piece does not parse alone.
        """
        ...

    def errors(self, path: str, text: str) -> tuple[int, ...] | None:
        """1-based lines where the text does not parse; empty where all of it does."""
        ...

    def new_error(self, path: str, before: str | None, after: str, changed: Sequence[Span]) -> int | None:
        """Return the first line of `after`, from 1, that does not parse, in a new file (`before` is None) or one that
        parsed.

        changed: the spans of `after` that differ from `before`; empty where that is not known. An error that only a
        reading of the whole text would show may be missed. None as for the others, too.
        """
        ...


class _NoSyntax:
    """The language without a parser: every method answers None, as for an unknown language."""

    def definitions(self, path: str, text: str) -> None: ...

    def definitions_near(self, path: str, text: str, spans: Sequence[Span]) -> None: ...

    def errors(self, path: str, text: str) -> None: ...

    def new_error(self, path: str, before: str | None, after: str, changed: Sequence[Span]) -> None: ...


NO_SYNTAX: Language = _NoSyntax()
