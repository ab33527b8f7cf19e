"""Answers questions about texts: each text is parsed once for all questions, and the last few are cached."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from dovetail.model.text import split_lines
from dovetail.syntax.compiling import compiles, new_compile_error
from dovetail.syntax.definitions import definitions
from dovetail.syntax.guard import MAX_BYTES
from dovetail.syntax.outline import outline
from dovetail.syntax.parse_errors import error_lines
from dovetail.syntax.parsing import grammar, parse, recent, recent_piece
from dovetail.syntax.queries import names
from dovetail.syntax.window import Window
from dovetail.text.languages import language_of
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dovetail.model.language import Definition
    from dovetail.model.text import Span
    from dovetail.syntax.outline import Outline
    from dovetail.syntax.parsing import Source

_Answer = TypeVar("_Answer")

_INSIDE_TAGS = {"php": "php_only"}
"""Languages whose code stands between tags, each with the grammar for a piece without such a tag."""
_ANY_TEXT = frozenset(("markdown",))
"""Languages in which every text is valid, so that none has an error."""
_SEPARATED = frozenset(("json", "jsonc"))
"""Languages whose entries need a comma between them: a piece can parse although one is missing."""
_LONG_STRINGS = ('"""', "'''")  # what Python's strings over several lines begin and end with
# Two lines of JSON, the first of which ends without `,` and opens nothing, and the second of which closes nothing:
# `"a": 1` above `"b": 2`.
_UNPARTED = pattern(r"[^\s,\[{:]\s*\n\s*[^\s,\]}:]")


def _lacks_comma(text: str, span: Span) -> bool:
    """Return whether a comma may be missing between two lines in or beside a span."""
    # One line more on either side: the comma may be missing before the span or behind it.
    above, below = text.rfind("\n", 0, max(0, span.start - 1)), text.find("\n", span.end)
    low, high = text.rfind("\n", 0, max(0, above)), text.find("\n", below + 1) if below >= 0 else -1
    return _UNPARTED.search(text[low + 1 : high if high >= 0 else len(text)]) is not None


def _blocks(text: str, changed: Sequence[Span]) -> list[str] | None:
    """Return the outermost blocks around some spans, each once; None if they are longer than the text in all."""
    blocks: list[str] = []
    left, window = len(text), None
    for span in changed:
        window = window if window is not None and window.holds(span) else Window(text, span)
        block = window.block(span)
        if block not in blocks:
            blocks.append(block)
            left -= len(block)
        if left < 0:
            return None
    return blocks


class Survey(NamedTuple):
    """What a map needs to know of a file: what it defines, and how often it uses each name."""

    definitions: tuple[Definition, ...]
    names: Mapping[str, int]


class SourceReader:
    """Implements `TreeSitterLanguage`. The last few whole texts are cached, with their trees and answers."""

    def definitions(self, path: str, text: str) -> tuple[Definition, ...] | None:
        """Named definitions, outer before inner, in file order."""
        return self._ask(path, text, definitions, piece=True)

    def definitions_near(
        self, path: str, text: str, spans: Sequence[Span]
    ) -> tuple[tuple[Definition, str], ...] | None:
        """See `Language`."""
        pieces = self._pieces(path, text, spans)
        if pieces is None:
            return None
        rows = [(source, split_lines(source.text)) for source in pieces]
        return tuple((one, lines[one.first_line]) for source, lines in rows for one in source.answer(definitions))

    def errors(self, path: str, text: str) -> tuple[int, ...] | None:
        """1-based lines where the text does not parse; empty where all of it does."""
        return self._ask(path, text, error_lines)

    def new_error(self, path: str, before: str | None, after: str, changed: Sequence[Span]) -> int | None:
        """See `Language`. Python is compiled, too, as its grammar accepts some texts that are no Python."""
        language = language_of(path)
        if language is None or language in _ANY_TEXT or grammar(language) is None or len(after) > MAX_BYTES:
            return None
        separated = language in _SEPARATED and any(_lacks_comma(after, span) for span in changed)
        # The code around the changed lines is parsed first. A piece that parses has no error; if one does not, that may
        # be because it was cut out, and the whole text is parsed.
        pieces = None if before is None or not changed or separated else self._pieces(path, after, changed)
        errors = self.errors(path, after) if pieces is None else ()
        if errors and (before is None or self.errors(path, before) == ()):
            return errors[0]
        if language != "python":
            return None
        # A block of the outermost level compiles as it does in its file, but for imports that must come first. Where
        # a string over several lines begins or ends elsewhere now, what follows it changes too.
        strings = before is not None and all(before.count(sign) == after.count(sign) for sign in _LONG_STRINGS)
        blocks = _blocks(after, changed) if strings else None
        if blocks and all(compiles(path, block) and "__future__" not in block for block in blocks):
            return None
        return new_compile_error(path, before, after)

    def _pieces(self, path: str, text: str, changed: Sequence[Span]) -> list[Source] | None:
        """Return pieces of a text around some spans, each parsed without an error; None if one has errors.

        Also None if the pieces together are longer than the text: reading it as a whole is cheaper then.
        """
        sources: list[Source] = []
        left, window = len(text), None
        for span in changed:
            window = window if window is not None and window.holds(span) else Window(text, span)
            for piece in window.pieces(span):
                if (left := left - len(piece)) < 0 or (language := self._grammar_for(path, piece)) is None:
                    return None
                source = recent_piece(language, piece)
                # One piece that parses is enough; the larger is read if the smaller does not.
                if source is not None and not source.answer(error_lines):
                    sources.append(source)
                    break
            else:
                return None
        return sources

    def outline(self, path: str, text: str) -> Outline | None:
        """Return the text's scopes, or None as the other methods do."""
        return self._ask(path, text, outline)

    def survey(self, path: str, text: str) -> Survey | None:
        """Return the definitions and names of a file, or None as the other methods do; nothing is cached."""
        language = language_of(path)
        source = None if language is None else parse(language, text)
        return None if source is None else Survey(definitions(source), names(source))

    def _ask(
        self, path: str, text: str, question: Callable[[Source], _Answer], *, piece: bool = False
    ) -> _Answer | None:
        language = self._grammar_for(path, text) if piece else language_of(path)
        source = None if language is None or len(text) > MAX_BYTES else recent(language, text)
        return None if source is None else source.answer(question)

    def _grammar_for(self, path: str, piece: str) -> str | None:
        """Return the grammar's name for a piece of a file: its language, or the one for pieces without its tags."""
        language = language_of(path)
        inside = _INSIDE_TAGS.get(language) if language is not None else None
        return language if inside is None or "<?" in piece else inside
