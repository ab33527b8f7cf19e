r"""Parses texts within limits and caches the last few trees; owns the grammars and small questions about nodes.

A grammar comes from the wheel of its own language, once in a process, when first asked for. The wheels of the common
languages come with Dovetail, those of the others with the extra ``languages``. They are imported like any other
package: nothing is unpacked, downloaded, or loaded from a folder that others can write.

A `Source` pairs a tree with the text it was made of. Trees know lines that end with ``\n``; here a text whose lines end
with a lone ``\r`` is read as if they ended with ``\n``, so that a tree's row is always the index of a line as
`dovetail.model.text` counts them. What is asked of a node costs no more in a large tree.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, TypeVar

from tree_sitter import Language, Parser

from dovetail.syntax import kinds
from dovetail.syntax.guard import MAX_BYTES, Budget, may_parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tree_sitter import Node, Tree


_NAMED_ALIKE = (
    "bash c cpp css go html java javascript json markdown python ruby rust toml yaml "
    "dart elixir haskell hcl julia kotlin lua make nix powershell scala sql swift zig"
)
GRAMMARS: dict[str, tuple[str, str]] = {
    **{language: (f"tree_sitter_{language}", "language") for language in _NAMED_ALIKE.split()},
    "csharp": ("tree_sitter_c_sharp", "language"),
    "jsonc": ("tree_sitter_json", "language"),
    "ocaml": ("tree_sitter_ocaml", "language_ocaml"),
    "php": ("tree_sitter_php", "language_php"),
    "php_only": ("tree_sitter_php", "language_php_only"),
    "svelte": ("tree_sitter_html", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "vue": ("tree_sitter_html", "language"),
    "xml": ("tree_sitter_xml", "language_xml"),
}
"""For each language the package of its grammar's wheel, and the function in it that returns the grammar."""


@cache
def grammar(language: str) -> Language | None:
    """Return the compiled grammar of a language, or None if it is not installed."""
    if language not in GRAMMARS:
        return None
    wheel, function = GRAMMARS[language]
    # Only the compiled module is loaded: the package around it loads what reads its queries, up to `tempfile`.
    package = find_spec(wheel)
    spec = PathFinder.find_spec(f"{wheel}._binding", package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        return None
    try:
        binding = sys.modules[spec.name] = module_from_spec(spec)
        spec.loader.exec_module(binding)
        return Language(getattr(binding, function)())
    except (ImportError, AttributeError, ValueError):
        return None


def node_kinds(language: Language) -> Iterator[str]:
    """Yield the names of all visible, named kinds of nodes that a grammar has, each once."""
    seen: set[str] = set()
    for index in range(language.node_kind_count):
        if language.node_kind_is_named(index) and language.node_kind_is_visible(index):
            kind = language.node_kind_for_id(index)
            if kind is not None and kind not in seen:
                seen.add(kind)
                yield kind


_MOST_CHILDREN = 40  # children of a node among which a body is looked for


def first_children(node: Node, most: int) -> Iterator[Node]:
    """The first children of a node, `most` of them at most."""
    for index in range(min(node.child_count, most)):
        if (child := node.child(index)) is not None:
            yield child


def first_named(node: Node, most: int) -> Iterator[Node]:
    """The first named children of a node, `most` of them at most."""
    for index in range(min(node.named_child_count, most)):
        if (child := node.named_child(index)) is not None:
            yield child


def first_row(node: Node) -> int:
    """The row, from 0, where a node begins."""
    return node.start_point.row


def last_row(node: Node) -> int:
    """The last row that holds a character of a node; a line end at its end opens no row."""
    start, end = node.start_point, node.end_point
    return end.row - 1 if end.column == 0 and end.row > start.row else end.row


def header_row(node: Node) -> int | None:
    """Return the last row, from 0, of a node's header, the token that opens its body included; None without a body."""
    body = node.child_by_field_name("body")
    if body is None:
        body = next((child for child in first_children(node, _MOST_CHILDREN) if child.type in kinds.BODY_TYPES), None)
    if body is None:
        return None
    opening = next(first_children(body, 1), None)
    if opening is not None and opening.type in kinds.OPENINGS:
        return first_row(opening)
    # The body has no sign of its own to open it (Python): the header ends with what stands before it, comments aside.
    before = body.prev_sibling
    while before is not None and before.is_extra:
        before = before.prev_sibling
    return first_row(node) if before is None else last_row(before)


_Answer = TypeVar("_Answer")
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Source:
    """A text that was parsed. `data` is its UTF-8; the tree's offsets count its bytes."""

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

    def answer(self, question: Callable[[Source], _Answer]) -> _Answer:
        """Return `question(self)`, computed once."""
        if question not in self._answers:
            self._answers[question] = question(self)
        return self._answers[question]  # type: ignore[return-value]

    def slice(self, node: Node) -> str:
        """The text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def encode(text: str) -> bytes:
    r"""UTF-8 for a grammar: as many characters as `text`, lone surrogates as ``?``, lines closed by ``\n``."""
    # Where line ends are `\r\n` the grammar counts by their `\n`.
    if "\r" in text and "\n" not in text:
        text = text.replace("\r", "\n")
    return text.encode("utf-8", "replace")


def parse(language: str, text: str) -> Source | None:
    """Parse `text`; None if there is no grammar, or the text goes beyond the limits of `guard`."""
    found = grammar(language)
    if found is None or len(text) > MAX_BYTES:
        return None
    data = encode(text)
    if not may_parse(data, language):
        return None
    try:
        tree = Parser(found).parse(
            lambda offset, _point: data[offset : offset + _CHUNK],
            encoding="utf8",
            progress_callback=Budget(len(data)).spent,
        )
    except ValueError:  # how the binding says that the callback stopped it
        return None
    return Source(language, found, text, data, tree)


recent = lru_cache(maxsize=6)(parse)
"""`parse` for whole texts, cached for further questions; few, as trees take several times the memory of their texts.

Six: a file and the texts that one edit compares it with (`match.decide`), twice over, so that the file stays cached.
"""
recent_piece = lru_cache(maxsize=32)(parse)
"""`parse` for pieces of a text, cached apart, as one edit may need several."""
