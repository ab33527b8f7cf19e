"""CSS and SCSS: numbers, colours, the words of a selector, the last semicolon of a block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dovetail.syntax.layout.commas import last_commas
from dovetail.syntax.layout.strings import UNQUOTED, is_decimal, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.syntax.layout.laid_out import LaidOut


_COLOUR = re.compile(r"[0-9A-Fa-f]{3,8}")


def said(laid: LaidOut, at: int) -> str | None:
    """Numbers with their zeros, colours in either case, and the words of a selector in quotes or none."""
    text, before = laid.text(at), laid.text(at - 1)
    if before == "#" and _COLOUR.fullmatch(text) and laid.next_of(at, (";", "{", "}")) in (";", "}"):
        return text.lower()
    if before.endswith("=") and laid.text(laid.brackets.within[at]) == "[" and UNQUOTED.fullmatch(text):
        return f'"{text}"'
    return number(text) if is_decimal(text) else None


def _last_semicolons(laid: LaidOut) -> Iterator[int]:
    """Semicolons before the end of a block, where they only divide."""
    for at, token in enumerate(laid.tokens):
        if token.text == ";" and laid.text(at + 1) == "}" and laid.text(at - 1) not in ("", "{", ";"):
            yield at


RULES = (last_commas, _last_semicolons)
