"""Shells: what parts commands, a semicolon or a line's end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.syntax.layout.laid_out import line_joints, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dovetail.syntax.layout.laid_out import LaidOut


_JOINED = words("| || |& && \\ ( (( $( ` { do then else elif in ;; ;& ;;&")


def _begins_command(laid: LaidOut, at: int) -> bool:
    """Whether a token of a shell begins a command that is parted from the one before."""
    last = at - 1
    parted = laid.text(last) == ";"
    if parted:
        last -= 1
    elif last < 0 or not laid.ends_line(last):
        return False
    if last < 0 or laid.text(at) in (";", "{") or laid.text(last) in _JOINED:
        return False
    holds = laid.brackets.within[at]
    cased = laid.text(last) == ")" and laid.brackets.partner[last] < 0
    return not cased and not (laid.text(holds) == "(" and laid.text(holds - 1) == "=")


def said(laid: LaidOut, at: int) -> str | None:
    """The first word of a command, which a line's end or a semicolon parts from the one before."""
    return "; " + laid.text(at) if _begins_command(laid, at) else None


def _command_ends(laid: LaidOut) -> Iterator[int]:
    """Semicolons behind a command: what begins behind them says so itself."""
    for at, token in enumerate(laid.tokens):
        if token.text == ";" and (at + 1 == len(laid.tokens) or _begins_command(laid, at + 1)):
            yield at


RULES = (_command_ends, line_joints)
