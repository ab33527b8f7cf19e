"""Carries a change inside one line over to the file's spelling of that line.

The three lines agree but for form (blanks, quotes, entities): what the edit does not change is taken from the file,
token by token; what it changes is taken from the replacement. A string is one token, so that both its marks are of a
kind. A comma or semicolon at the end of the code is looked at by itself (`ended`), for it may be another line's affair.
"""

from __future__ import annotations

from dovetail.text.comments import parted
from dovetail.text.line import tokens
from dovetail.text.strings import strings

_SEPARATORS = (",", ";")
_OPENERS = frozenset("{([:")
_CLOSERS = frozenset("])}")

_Tokens = list[tuple[str, str]]  # each with the blanks before it


def ended(wanted: str, replacement: str, found: str) -> str:
    """`replacement` with the comma or semicolon of `found`, or without one, where `wanted` differs from it in that."""
    ends = _ends(wanted, replacement, found)
    return replacement if ends is None else _put(_bare(replacement, ends[0]), ends[1])


def _ends(wanted: str, replacement: str, found: str) -> tuple[str, str] | None:
    """What the code of `wanted` and `found` ends with, where it is a comma or semicolon on one side and nothing on the
    other, and the edit leaves it alone; None where they end alike, or differ in more.
    """
    if wanted.strip() == found.strip():
        return None
    mine, after, theirs = _end(wanted), _end(replacement), _end(found)
    if mine != after or mine is None or theirs is None or bool(mine) == bool(theirs):
        return None
    if theirs == ";" and parted(replacement)[0].endswith("}"):  # a block ends by itself
        return None
    return (mine, theirs) if len(_solid(wanted)) - len(_solid(found)) == bool(mine) - bool(theirs) else None


def _end(line: str) -> str | None:
    """The comma or semicolon that the code of a line ends with, "" for none; None where one cannot come or go."""
    code, _ = parted(line)
    last = code[-1:]
    return last if last in _SEPARATORS else None if not last or last in _OPENERS else ""


def _bare(line: str, end: str) -> str:
    code, comment = parted(line)
    return code.removesuffix(end).rstrip() + comment


def _put(line: str, end: str) -> str:
    code, comment = parted(line)
    return code + end + comment


def _solid(line: str) -> _Tokens:
    """The tokens of a line that are not blank."""
    line = line.rstrip()
    solid: _Tokens = []
    gap, at = "", 0
    for string in strings(line):
        gap = _add(solid, gap, tokens(line[at : string.start]))
        gap = _add(solid, gap, (line[string.start : string.end],))
        at = string.end
    _add(solid, gap, tokens(line[at:]))
    return solid


def _add(solid: _Tokens, gap: str, more: tuple[str, ...]) -> str:
    """Add tokens behind those that there are; returns the blanks at the end."""
    for token in more:
        if token.isspace():
            gap = token
        else:
            solid.append((gap, token))
            gap = ""
    return gap
