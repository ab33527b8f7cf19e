"""The face of the package: a `Language` whose grammars, and the library behind them, are loaded when first needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.text.languages import language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.model.language import Definition
    from dovetail.model.text import Span
    from dovetail.syntax.outline import Outline
    from dovetail.syntax.sources import SourceReader, Survey


class TreeSitterLanguage:
    """Reads code with tree-sitter; see `Language`. All of them share one memory of the texts that were read last."""

    def definitions(self, path: str, text: str) -> tuple[Definition, ...] | None:
        """Named definitions, outer before inner, in file order."""
        return None if language_of(path) is None else _reader().definitions(path, text)

    def definitions_near(
        self, path: str, text: str, spans: Sequence[Span]
    ) -> tuple[tuple[Definition, str], ...] | None:
        """See `Language`."""
        return None if language_of(path) is None else _reader().definitions_near(path, text, spans)

    def errors(self, path: str, text: str) -> tuple[int, ...] | None:
        """1-based lines where the text does not parse; empty where all of it does."""
        return None if language_of(path) is None else _reader().errors(path, text)

    def new_error(self, path: str, before: str | None, after: str, changed: Sequence[Span]) -> int | None:
        """See `Language`. What the changed lines stand in is read first, all of the text only if that has errors."""
        return None if language_of(path) is None else _reader().new_error(path, before, after, changed)

    def outline(self, path: str, text: str) -> Outline | None:
        """Which lines belong together; None as for the others."""
        return None if language_of(path) is None else _reader().outline(path, text)

    def survey(self, path: str, text: str) -> Survey | None:
        """Definitions and names of a file that is looked at once; nothing is remembered."""
        return None if language_of(path) is None else _reader().survey(path, text)


@lru_cache(maxsize=1)
def _reader() -> SourceReader:
    from dovetail.syntax.sources import SourceReader  # with tree-sitter, 20 ms that a text without code is spared

    return SourceReader()


@lru_cache(maxsize=1)
def default_language() -> TreeSitterLanguage:
    """The one reader of this process. Importing it, and asking for it, loads no grammar."""
    return TreeSitterLanguage()
