"""Shells: what parts commands, a semicolon or a line's end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax.layout.code import line_joints, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.syntax.layout.code import Code


_JOINED = words("| || |& && \\ ( (( $( ` { do then else elif in ;; ;& ;;&")


def _begins_command(code: Code, at: int) -> bool:
    """Whether a token of a shell begins a command that is parted from the one before."""
    last = at - 1
    parted = code.text(last) == ";"
    if parted:
        last -= 1
    elif last < 0 or not code.ends_line(last):
        return False
    if last < 0 or code.text(at) in (";", "{") or code.text(last) in _JOINED:
        return False
    holds = code.brackets.within[at]
    cased = code.text(last) == ")" and code.brackets.partner[last] < 0
    return not cased and not (code.text(holds) == "(" and code.text(holds - 1) == "=")


def said(code: Code, at: int) -> str | None:
    """The first word of a command, which a line's end or a semicolon parts from the one before."""
    return "; " + code.text(at) if _begins_command(code, at) else None


def _command_ends(code: Code) -> Iterator[int]:
    """Semicolons behind a command: what begins behind them says so itself."""
    for at, token in enumerate(code.tokens):
        if token.text == ";" and (at + 1 == len(code.tokens) or _begins_command(code, at + 1)):
            yield at


RULES = (_command_ends, line_joints)
