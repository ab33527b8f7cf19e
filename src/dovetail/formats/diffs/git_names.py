r"""Reads file names as git writes them: two on one line, and in quotes if they contain special characters.

Source: git-diff(1), "Generating patch text with -p", and `core.quotePath` in git-config(1).

Grammar::

    names  = name " " name
    name   = [prefix "/"] path | '"' (sign | "\" ("a"|"b"|"t"|"n"|"v"|"f"|"r"|'"'|"\") | "\" octal*3)* '"'

The prefixes are ``a/`` and ``b/`` unless told otherwise; there may be none.
"""

from __future__ import annotations

import re

from dovetail.text.pattern import pattern

_QUOTED = pattern(r'"((?:[^"\\]|\\[abtnvfr"\\]|\\[0-3][0-7]{2})*+)"')
_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-3][0-7]{2})')
# A backslash before a quote, or the octal number of a byte above 127: `"\303\244.py"`. `"C:\new.py"` is a path of
# Windows.
_TELLING = pattern(r"\\(?:[2-3][0-7]{2}|\")")
_PREFIXED = pattern(r"(a/.+?) (b/.+)")
_SIGNS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}


def both(text: str) -> tuple[str, str] | None:
    """Return the two names after ``diff --git``, without quotes, or None if they cannot be told apart.

    Blanks divide the names and may also stand in them. Without quotes, the line is split where both halves are equal,
    or equal after their first folder; else by git's prefixes; else where both names have the same base name.
    """
    if (first := _QUOTED.match(text)) is not None:
        rest = text[first.end() :]
        return (unquoted(first[0]), unquoted(rest[1:])) if rest[:1] == " " and rest[1:] else None
    if text.endswith('"') and (at := text.find(' "')) > 0:
        return (text[:at], unquoted(text[at + 1 :])) if _QUOTED.fullmatch(text, at + 1) else None
    # `a/my file.py b/my file.py`: two alike halves with a blank between are one name twice.
    middle = len(text) // 2
    if text[middle : middle + 1] == " " and _alike(text[:middle], text[middle + 1 :]):
        return text[:middle], text[middle + 1 :]
    if (found := _PREFIXED.fullmatch(text)) is not None:
        return found[1], found[2]
    splits = ((text[:at], text[at + 1 :]) for at, sign in enumerate(text) if sign == " ")
    ends = ((old, new, old.rpartition("/")[2]) for old, new in splits if "/" in old + new)
    return next(((old, new) for old, new, name in ends if name and name == new.rpartition("/")[2]), None)


def _alike(old: str, new: str) -> bool:
    """Return whether two names are equal, or equal after their first folder."""
    return old == new or ("/" in old and old.partition("/")[2] == new.partition("/")[2])


def is_quoted(name: str) -> bool:
    r"""Return whether a name is surely in git's quotes: with a quote or a byte above 127 after a backslash, as
    ``"C:\new.py"`` may be a path of Windows."""
    return _QUOTED.fullmatch(name) is not None and _TELLING.search(name) is not None


def unquoted(name: str) -> str:
    """Return a name without git's quotes and escapes; any other name unchanged."""
    found = _QUOTED.fullmatch(name)
    if found is None:
        return name

    def sign(escape: re.Match[bytes]) -> bytes:
        return bytes((int(escape[1], 8),)) if escape[1].isdigit() else _SIGNS.get(escape[1], escape[1])

    return _ESCAPE.sub(sign, found[1].encode()).decode(errors="replace")
