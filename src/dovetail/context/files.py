"""How a file is shown to a model: token counts, the whole file, or an excerpt that fits a limit.

An excerpt takes the lines that were asked about, then the headers of definitions, then lines from the top. Lines keep
their text, so a search copied from an excerpt is found in the file; each run of lines that is left out becomes one line
with their numbers. An excerpt never counts more tokens than its limit.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.context.tree_context import TreeContext
from dovetail.model.text import split_lines
from dovetail.syntax import default_language, language_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


Counter = Callable[[str, str | None], int]
"""Counts the tokens of a text in a language (None: unknown). A part of a text counts at most one more than the text.

`estimate` is one; another may ask the tokenizer of a model.
"""

_CHARACTERS_PER_TOKEN = {
    "bash": 3.1,
    "css": 3.2,
    "html": 3.2,
    "javascript": 3.35,
    "json": 2.95,
    "jsonc": 2.95,
    "make": 3.1,
    "markdown": 3.6,
    "python": 4.1,
    "toml": 3.3,
    "tsx": 3.35,
    "typescript": 3.35,
    "xml": 2.95,
    "yaml": 3.3,
}
_USUAL = 3.5


def estimate(text: str, language: str | None = None) -> int:
    """Estimate tokens from the usual number of ASCII characters in one; any other character counts as one token."""
    wide = 0 if text.isascii() else len(text) - sum(map(str.isascii, text))
    return math.ceil((len(text) - wide) / _CHARACTERS_PER_TOKEN.get(language or "", _USUAL)) + wide


FILE_LIMIT = 4_000
"""Tokens of one file, unless the caller asks for more."""


@dataclass(frozen=True, slots=True)
class FileView:
    """What a model sees of one file.

    text: the whole file, or with `excerpt` set the parts that fit, with a line for each gap.
    language: the word behind the fence, "" if unknown.
    digest: SHA-256 (hex) of the bytes the file was read from; a stale edit is recognised by it.
    tokens: the count of `text`.
    """

    path: str
    text: str
    language: str
    digest: str
    excerpt: bool
    tokens: int


def show_file(
    path: str,
    text: str,
    *,
    digest: str = "",
    limit: int | None = FILE_LIMIT,
    interest: Iterable[int] = (),
    count: Counter = estimate,
) -> FileView:
    """Show a file whole if it counts at most `limit` tokens (None: always), else as an excerpt.

    digest: of the bytes on disk; by default that of the text in UTF-8.
    interest: lines, from 0, that an excerpt shows first.
    """
    language = language_of(path)
    digest = digest or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    tokens = count(text, language)
    if limit is None or tokens <= limit:
        return FileView(path, text, language or "", digest, excerpt=False, tokens=tokens)
    cut = excerpt(path, text, limit, interest=interest, count=count)
    return FileView(path, cut, language or "", digest, excerpt=True, tokens=count(cut, language))


_WORD = re.compile(r"[^\W\d]\w{2,}")
_FEW = 3  # lines with a word, up to which the word counts as rare


def lines_about(path: str, text: str, request: str) -> list[int]:
    """Lines, from 0, that a request is about: with a definition that it names, or with a word of it that is rare."""
    words = set(_WORD.findall(request))
    found = {d.first_line for d in default_language().definitions(path, text) or () if d.name in words}
    with_word: dict[str, list[int]] = {}
    for number, line in enumerate(split_lines(text)):
        for word in words.intersection(_WORD.findall(line)):
            with_word.setdefault(word, []).append(number)
    return sorted(found.union(*(lines for lines in with_word.values() if len(lines) <= _FEW)))


_GAP_TOKENS = 8


def excerpt(
    path: str,
    text: str,
    limit: int,
    *,
    interest: Iterable[int] = (),
    count: Counter = estimate,
) -> str:
    r"""Return the lines of a text that fit into `limit` tokens, each closed by ``\n``, with a mark for each gap.

    interest: lines, from 0, that come first. Returns "" if no line fits.
    """
    chosen = _ExcerptLines(path, text, limit, count)
    for lines in _line_groups(path, text, sorted(interest)):
        chosen.take(lines)
    chosen.fill()
    return chosen.render()


def _line_groups(path: str, text: str, interest: Sequence[int]) -> Iterator[Iterable[int]]:
    """Yield groups of lines that make sense together, the most important first."""
    for line in interest:
        context = TreeContext(path, text, child_context=False, last_line=False)
        context.add_lines_of_interest((line,))
        context.add_context()
        yield context.show_lines
    definitions = default_language().definitions(path, text) or ()
    holding = [d for d in definitions if any(d.first_line <= line <= d.last_line for line in interest)]
    # The smallest definition around a line first: it fits best. What does not fit is passed over, and the next tried.
    for found in sorted(holding, key=lambda d: d.last_line - d.first_line):
        yield range(found.first_line, found.last_line + 1)
    for found in sorted(definitions, key=lambda d: (d.qualified.count("."), d.first_line)):
        yield range(found.first_line, max(found.first_line, found.body_line - 1) + 1)


class _ExcerptLines:
    """The lines taken so far. Costs are summed line by line; the whole is counted at the end."""

    def __init__(self, path: str, text: str, limit: int, count: Counter) -> None:
        self._limit = limit
        self._lines = split_lines(text)
        self._language = language_of(path)
        self._count = count
        self._costs: dict[int, int] = {}
        self._shown: dict[int, None] = {}
        self._spent = _GAP_TOKENS

    def fill(self) -> None:
        """Take lines from the top until one does not fit."""
        for line in range(len(self._lines)):
            if not self.take((line,)):
                return

    def take(self, group: Iterable[int]) -> bool:
        """Take a whole group of lines if it fits; return whether it did."""
        new = [line for line in group if line not in self._shown]
        gaps = sum(line > 0 and line - 1 not in self._shown and line - 1 not in new for line in new)
        cost = gaps * _GAP_TOKENS
        for line in new:
            if line not in self._costs:
                self._costs[line] = self._count(self._lines[line] + "\n", self._language)
            cost += self._costs[line]
        if self._spent + cost > self._limit:
            return False
        self._spent += cost
        self._shown.update(dict.fromkeys(new))
        return True

    def render(self) -> str:
        """Return the lines in order, without the last ones taken if the whole counts more than its parts."""
        taken = list(self._shown)
        while True:
            shown = sorted(taken)
            pieces: list[str] = []
            for before, line in pairwise([-1, *shown, len(self._lines)]):
                # `before` and `line` count from 0, the mark from 1: between 4 and 6 lies index 5, which is line 6.
                if line == before + 2:
                    pieces.append(f"⋮ line {line}")
                elif line > before + 2:
                    pieces.append(f"⋮ lines {before + 2}-{line}")
                if line < len(self._lines):
                    pieces.append(self._lines[line])
            rendered = "".join(piece + "\n" for piece in pieces)
            if self._count(rendered, self._language) <= self._limit:
                return rendered
            if not taken:
                return ""
            del taken[-max(1, len(taken) // 20) :]
