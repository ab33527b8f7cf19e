"""HTML and its like: the end of a tag that has no other, quotes around attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax.layout.laid_out import CLOSE, words
from dovetail.syntax.layout.strings import UNQUOTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.syntax.layout.laid_out import LaidOut


_VOID = words("area base br col embed hr img input link meta source track wbr")


def said(laid: LaidOut, at: int) -> str | None:
    """The end of a tag that has no other, quotes of either kind, and a text or an attribute wherever it is broken."""
    token, before = laid.tokens[at], laid.text(at - 1)
    if token.text == "/>":
        tag = at - 1
        while tag > max(0, at - CLOSE) and laid.text(tag) != "<":
            tag -= 1
        return ">" if laid.text(tag + 1).lower() in _VOID else None
    if token.text in ("'", '"'):
        return '"'
    return token.text.lower() if before == "<!" else None


def _plain_quotes(laid: LaidOut) -> Iterator[int]:
    """Quotes around the one word of an attribute."""
    for at in range(1, len(laid.tokens) - 1):
        marks = laid.text(at - 1), laid.text(at + 1)
        if marks[0] in ("'", '"') and marks[0] == marks[1] and UNQUOTED.fullmatch(laid.text(at)):
            yield from (at - 1, at + 1)


RULES = (_plain_quotes,)
