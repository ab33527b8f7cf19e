"""The package's public interface: a `Language` that loads tree-sitter and its grammars when they are first needed."""

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
    """Reads code with tree-sitter; see `Language`. All instances share one cache of the texts that were read last."""

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
        """See `Language`. The code around the changed lines is parsed first, the whole text only if that has errors."""
        return None if language_of(path) is None else _reader().new_error(path, before, after, changed)

    def outline(self, path: str, text: str) -> Outline | None:
        """Return the text's scopes, or None as the other methods do."""
        return None if language_of(path) is None else _reader().outline(path, text)

    def survey(self, path: str, text: str) -> Survey | None:
        """Return the definitions and names of a file, or None as the other methods do; nothing is cached."""
        return None if language_of(path) is None else _reader().survey(path, text)


@lru_cache(maxsize=1)
def _reader() -> SourceReader:
    from dovetail.syntax.sources import SourceReader  # loads tree-sitter, some 20 ms, which only code needs

    return SourceReader()


@lru_cache(maxsize=1)
def default_language() -> TreeSitterLanguage:
    """Return the one reader of this process; this loads no grammar yet."""
    return TreeSitterLanguage()
