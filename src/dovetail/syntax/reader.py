"""The room's face: a `Language` over grammars that are loaded when first needed."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.syntax.languages import language_of

if TYPE_CHECKING:
    from dovetail.model.language import Definition, Language, Token
    from dovetail.syntax.parsing import Recent, Source


class TreeSitterLanguage:
    """Reads code with tree-sitter; see `Language`. Remembers the last few texts and their trees."""

    @property
    def _recent(self) -> Recent:
        return _shared_memory()

    def source(self, path: str, text: str) -> Source | None:
        """The parsed text, None where its language is unknown or the text is more than a grammar may be given."""
        language = language_of(path)
        return None if language is None else self._recent.get(language, text)

    def tokens(self, path: str, text: str) -> tuple[Token, ...] | None:
        """Leaves of the tree in order, comments included."""
        from dovetail.syntax.tokens import tokens

        source = self.source(path, text)
        return None if source is None else tokens(source)

    def definitions(self, path: str, text: str) -> tuple[Definition, ...] | None:
        """Named definitions, outer before inner, in file order."""
        from dovetail.syntax.definitions import definitions

        source = self.source(path, text)
        return None if source is None else definitions(source)

    def errors(self, path: str, text: str) -> tuple[int, ...] | None:
        """1-based lines where the text does not parse; empty where all of it does."""
        from dovetail.syntax.errors import error_lines

        source = self.source(path, text)
        return None if source is None else error_lines(source)


@lru_cache(maxsize=1)
def _shared_memory() -> Recent:
    from dovetail.syntax.parsing import Recent

    return Recent()


@lru_cache(maxsize=1)
def default_language() -> Language:
    """The one reader of this process. Importing it, and asking for it, loads no grammar."""
    return TreeSitterLanguage()
