"""PHP: a list by either of its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax.layout.commas import last_commas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.syntax.layout.laid_out import LaidOut


def _lists(laid: LaidOut, at: int) -> bool:
    """Whether a token is PHP's word for a list before the brackets that hold it."""
    return laid.text(at) == "array" and laid.tokens[at].kind == "other" and laid.text(at + 1) == "("


def said(laid: LaidOut, at: int) -> str | None:
    """A list by either of its names: `array(…)` and `[…]`."""
    if _lists(laid, at):
        return ""
    opened = laid.brackets.partner[at] if laid.text(at) == ")" else at
    if opened > 0 and laid.text(opened) == "(" and _lists(laid, opened - 1):
        return "[" if opened == at else "]"
    return None


def _array_words(laid: LaidOut) -> Iterator[int]:
    """PHP's word for a list."""
    return (at for at in range(len(laid.tokens)) if _lists(laid, at))


RULES = (last_commas, _array_words)
