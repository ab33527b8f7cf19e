"""PHP: a list by either of its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax.layout.commas import last_commas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.syntax.layout.code import Code


def _lists(code: Code, at: int) -> bool:
    """Whether a token is PHP's word for a list before the brackets that hold it."""
    return code.text(at) == "array" and code.tokens[at].kind == "other" and code.text(at + 1) == "("


def said(code: Code, at: int) -> str | None:
    """A list by either of its names: `array(…)` and `[…]`."""
    if _lists(code, at):
        return ""
    opened = code.brackets.partner[at] if code.text(at) == ")" else at
    if opened > 0 and code.text(opened) == "(" and _lists(code, opened - 1):
        return "[" if opened == at else "]"
    return None


def _array_words(code: Code) -> Iterator[int]:
    """PHP's word for a list."""
    return (at for at in range(len(code.tokens)) if _lists(code, at))


RULES = (last_commas, _array_words)
