"""The leaves of a tree as tokens.

The idea: two texts that mean the same have the same tokens, so nothing but blanks between tokens may be left out.
Text that a grammar gives no node to becomes a token of its own; a string without substitutions is one token, blanks
included.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.model.language import Token
from dovetail.model.text import Text
from dovetail.syntax.embedded import MARKUP, language_inside
from dovetail.syntax.layout.formatted import formatted
from dovetail.syntax.layout.strings import BROKEN
from dovetail.syntax.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from dovetail.syntax.parsing import Source

_COMMENT = re.compile(r"comment|^shebang|^hash_bang|^haddock$|^marginalia$")
_NUMBER = re.compile(r"number|integer|float|decimal|(^|_)int(_|$)|^(hex|octal|binary|rational|imaginary|complex)")
_STRING = re.compile(
    r"string|(char(acter)?|rune)_(literal|content)|^char(acter)?$|heredoc_(body|content)|^(text|raw_text|jsx_text)$|"
    r"escape|template_(literal|chars)|quoted_|_quote_scalar$|block_scalar|^regex|^inline$"
)
_BROKEN_END = re.compile(r"\A[ \t]*\n\s*|[ \t]*\n\s*\Z")
_FLOWING = ("text", "attribute_value")
_AS_IT_STANDS = re.compile(rb"<(?:pre|textarea)\b")
_MOST_PARTS = 64
_KEYWORD = re.compile(
    r"^(true|false|null|none|nil|undefined|this|self|super)(_literal|_scalar)?$|"
    r"^(primitive|predefined|builtin|void|integral|boolean|floating_point)_?(type)?(_identifier)?$"
)


@lru_cache(maxsize=4096)
def _kind_of_type(node_type: str) -> str | None:
    """The kind of token that a named node is by its type alone, None where its text must tell."""
    if _COMMENT.search(node_type):
        return "comment"
    if _STRING.search(node_type):
        return "string"
    if _NUMBER.search(node_type) and not node_type.endswith("_type"):
        return "number"
    return "other" if _KEYWORD.match(node_type) else None


def _kind_of_text(text: str) -> str:
    first = text[0]
    if first.isalpha() or first in "_$@":
        return "name"
    return "number" if first.isdigit() else "other"


def tokens(source: Source) -> tuple[Token, ...]:
    """The leaves in order, with the text between them that has no node of its own; of scripts and styles in markup
    theirs.
    """
    text = source.text
    offset = source.offset
    found: list[Token] = []
    inside: dict[int, str] = {}  # where a text in another language begins, and which
    done = 0
    for node, kind in _leaves(source):
        start, end = max(done, offset(node.start_byte)), offset(node.end_byte)
        if start > done:
            _add_gap(found, text, done, start)
        if end > start:
            piece = text[start:end]
            if node.type == "raw_text" and (language := language_inside(source, node)) is not None:
                inside[start] = language
            said = _flowing(node, piece) if "\n" in piece and _flows(source, node) else piece
            found.append(Token(kind or _kind_of_text(piece), piece, start, end, said))
        done = max(start, end)
    _add_gap(found, text, done, len(text))
    starts = Text(text).starts
    told = formatted(source.language, found, [bisect_right(starts, token.start) - 1 for token in found])
    return tuple(t for token in told for t in _inner(token, inside.get(token.start))) if inside else tuple(told)


def _inner(token: Token, language: str | None) -> Sequence[Token]:
    """The tokens of a text in another language, or the token itself."""
    source = parse(language, token.text) if language is not None else None
    if source is None:
        return (token,)
    return [replace(t, start=t.start + token.start, end=t.end + token.start) for t in tokens(source)]


def tokens_of_piece(source: Source, before: int, behind: int) -> tuple[Token, ...]:
    """The tokens of a text but for so many characters at its start and its end, which were put around it."""
    end = len(source.text) - behind
    mine = [token for token in source.answer(tokens) if token.start < end and token.end > before]
    return tuple(replace(token, start=token.start - before, end=token.end - before) for token in mine)


def _add_gap(found: list[Token], text: str, start: int, end: int) -> None:
    gap = text[start:end]
    if bare := gap.strip():
        start += gap.index(bare)
        found.append(Token(_kind_of_text(bare), bare, start, start + len(bare), bare))


def _has_fixed(source: Source) -> bool:
    """Whether some of its texts stand as they are."""
    return _AS_IT_STANDS.search(source.data) is not None


def _flows(source: Source, node: Node) -> bool:
    """Whether a text says the same wherever its lines are broken."""
    if node.type == "jsx_text":
        return True
    if source.language not in MARKUP or node.type not in _FLOWING:
        return False
    above = node.parent if source.answer(_has_fixed) else None
    while above is not None and _AS_IT_STANDS.match(source.data, above.start_byte) is None:
        above = above.parent
    return above is None


def _flowing(node: Node, text: str) -> str:
    """What a text between tags says, wherever its lines are broken: that is one blank, and none at its ends."""
    beside = (node.prev_sibling, node.next_sibling)
    if any(other is not None and other.type == "html_character_reference" for other in beside):
        return text
    return BROKEN.sub(" ", _BROKEN_END.sub("", text))


def _leaves(source: Source) -> Iterator[tuple[Node, str | None]]:
    """Nodes that are one token each, with their kind where their type tells it."""
    cursor = source.tree.walk()
    while (node := cursor.node) is not None:
        if node.child_count == 0:
            yield node, _kind_of_type(node.type) if node.is_named else "other"
        elif (kind := _kind_of_whole(node)) is not None:
            yield node, kind
        elif cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def _kind_of_whole(node: Node) -> str | None:
    """The kind of an inner node that is one token: a comment, or a string with no code inside."""
    if not node.is_named:
        return None
    kind = _kind_of_type(node.type)
    if kind == "comment":
        return kind
    if kind != "string" or node.has_error or node.child_count > _MOST_PARTS:
        return None
    plain = all(part.child_count == 0 and (not part.is_named or _STRING.search(part.type)) for part in node.children)
    return kind if plain else None
