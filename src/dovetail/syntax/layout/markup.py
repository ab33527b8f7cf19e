"""HTML and its like: the end of a tag that has no other, quotes around attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax.layout.code import CLOSE, words
from dovetail.syntax.layout.strings import UNQUOTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.syntax.layout.code import Code


_VOID = words("area base br col embed hr img input link meta source track wbr")


def said(code: Code, at: int) -> str | None:
    """The end of a tag that has no other, quotes of either kind, and a text or an attribute wherever it is broken."""
    token, before = code.tokens[at], code.text(at - 1)
    if token.text == "/>":
        tag = at - 1
        while tag > max(0, at - CLOSE) and code.text(tag) != "<":
            tag -= 1
        return ">" if code.text(tag + 1).lower() in _VOID else None
    if token.text in ("'", '"'):
        return '"'
    return token.text.lower() if before == "<!" else None


def _plain_quotes(code: Code) -> Iterator[int]:
    """Quotes around the one word of an attribute."""
    for at in range(1, len(code.tokens) - 1):
        marks = code.text(at - 1), code.text(at + 1)
        if marks[0] in ("'", '"') and marks[0] == marks[1] and UNQUOTED.fullmatch(code.text(at)):
            yield from (at - 1, at + 1)


RULES = (_plain_quotes,)
