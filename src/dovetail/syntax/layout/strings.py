"""Strings and numbers, however they are spelled."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.model.language import Token


_EITHER_QUOTES = ("bash", "dart", "lua", "php", "php_only", "ruby", "toml", "yaml")
_ONE_KIND = ("css", "javascript", "python", "scss", "tsx", "typescript")  # of strings, in either marks
_PLAIN = re.compile(r"(['\"])([^'\"\\`$#{}\n]*)\1")
_SHORT = 2  # characters of what may be one in other marks, where a language has a kind for it
_STRING = re.compile(r"([A-Za-z]{0,2})('{3}|\"{3}|['\"])(.*)\2", re.DOTALL)
_MARK = re.compile(r"([A-Za-z]{0,2})('{3}|\"{3}|['\"])")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
UNQUOTED = re.compile(r"[\w.:/#-]+")
"""What says the same in quotes or none, as an attribute's value."""
BROKEN = re.compile(r"[ \t]*\n\s*")
"""Where a text is broken into lines, which says no more than a blank."""
_DECIMAL = re.compile(r"(?=.*\d)([-+]?)(\d*)\.(\d*?)0*(e[-+]?\d+)?")


def is_decimal(text: str) -> bool:
    """Whether a text is a number with a point."""
    return _DECIMAL.fullmatch(text) is not None


def number(text: str) -> str:
    """A number without zeros that say nothing, in lower case."""
    text = text.lower().replace("e+", "e")
    found = _DECIMAL.fullmatch(text)
    if found is None:
        return text
    return found[1] + (found[2] or "0") + ("." + found[3] if found[3] else "") + (found[4] or "")


def string(language: str, token: Token) -> str:
    """A string, the kind of its marks left out where both say the same."""
    if language not in _ONE_KIND:
        plain = _PLAIN.fullmatch(token.text)
        same = plain is not None and (language in _EITHER_QUOTES or len(plain[2]) >= _SHORT)
        return f'"{plain[2]}"' if plain is not None and same else token.said
    if (mark := _MARK.fullmatch(token.text)) is not None:  # of a string with code inside
        return _prefix(mark[1]) + '"' * len(mark[2])
    found = _STRING.fullmatch(token.text)
    if found is None:
        return token.said
    prefix = _prefix(found[1])
    inside = found[3] if "r" in prefix else _ESCAPE.sub(lambda m: m[1] if m[1] in "'\"" else m[0], found[3])
    return prefix + '"' * len(found[2]) + inside + '"' * len(found[2])


def _prefix(text: str) -> str:
    return text.lower().replace("u", "")
