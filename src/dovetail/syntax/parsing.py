r"""From text to tree, within limits, remembering the last few.

A `Source` pairs a tree with the text it was made of. Trees count bytes and know lines that end with ``\n``; here
bytes become characters, and a text whose lines end with a lone ``\r`` is read as if they ended with ``\n``, so that a
tree's row is always the index of a line as `dovetail.model.text` counts them.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, TypeVar

from tree_sitter import Parser

from dovetail.syntax.grammars import grammar
from dovetail.syntax.guard import MAX_BYTES, Budget, may_parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Language, Node, Tree

_Answer = TypeVar("_Answer")
_CHUNK = 1 << 16
_WIDE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


@dataclass(frozen=True)
class Source:
    """A text that was parsed. `data` is its UTF-8, in which the tree counts."""

    language: str
    grammar: Language
    text: str
    data: bytes
    tree: Tree
    _answers: dict[object, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def root(self) -> Node:
        """The node that holds the whole text."""
        return self.tree.root_node

    @cached_property
    def _wide(self) -> tuple[list[int], list[int]]:
        """Where characters of more than one byte end, and how many bytes too many all up to there have."""
        found = [(m.end(), m.end() - m.start() - 1) for m in _WIDE.finditer(self.data)]
        return [end for end, _ in found], [0, *accumulate(extra for _, extra in found)]

    def offset(self, byte: int) -> int:
        """The character that begins at `byte`; inside a character, that character."""
        if len(self.data) == len(self.text):
            return byte
        ends, extra = self._wide
        return byte - extra[bisect_right(ends, byte)]

    def answer(self, question: Callable[[Source], _Answer]) -> _Answer:
        """What `question` says of this text, asked once."""
        if question not in self._answers:
            self._answers[question] = question(self)
        return self._answers[question]  # type: ignore[return-value]

    def slice(self, node: Node) -> str:
        """The text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def encode(text: str) -> bytes:
    r"""UTF-8 for a grammar: as many characters as `text`, lone surrogates as ``?``, lines closed by ``\n``."""
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
    return text.encode("utf-8", "replace")


def parse(language: str, text: str) -> Source | None:
    """Parse `text`, or answer None where there is no grammar, or the text is more than it may be given."""
    if len(text) > MAX_BYTES:
        return None
    data = encode(text)
    if not may_parse(data, language):
        return None
    found = grammar(language)
    if found is None:
        return None
    tree = _parse_within_budget(found, data)
    return None if tree is None else Source(language, found, text, data, tree)


def _parse_within_budget(language: Language, data: bytes) -> Tree | None:
    def piece(offset: int, _point: object) -> bytes:
        return data[offset : offset + _CHUNK]

    try:
        return Parser(language).parse(piece, encoding="utf8", progress_callback=Budget(len(data)).spent)
    except ValueError:  # how the binding says that the callback stopped it
        return None


class Recent:
    """The last few texts that were parsed, refusals included. Safe to share between threads.

    A text is found by comparing it with each of them: those that differ do so at once, in length or early on, while to
    hash a long text takes as long as to plan an edit of it.
    """

    def __init__(self, *, entries: int = 32, characters: int = 4_000_000) -> None:
        self._entries = entries
        self._characters = characters
        self._held = 0
        self._kept: list[tuple[str, str, Source | None]] = []  # the one asked for last stands last
        self._lock = threading.Lock()

    def get(self, language: str, text: str) -> Source | None:
        """The parsed text, from memory where it is among the last few."""
        if len(text) > MAX_BYTES:
            return None  # as `parse` says
        with self._lock:
            for place, (name, known, source) in enumerate(self._kept):
                if name == language and known == text:
                    self._kept.append(self._kept.pop(place))
                    return source
        source = parse(language, text)
        with self._lock:
            self._kept.append((language, text, source))
            self._held += len(text)
            while len(self._kept) > self._entries or (self._held > self._characters and len(self._kept) > 1):
                self._held -= len(self._kept.pop(0)[1])
        return source

    def __len__(self) -> int:
        return len(self._kept)
