"""What wraps single lines alike on both sides of an edit: folded away, or typed as the file has it.

Entities, curly quotes and dashes, no-break spaces, Unicode normal form, the slash of a tag that never closes, the
length of a table's rule.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from dovetail.text.line import squeeze

_LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("\u00a0\u1680\u202f\u205f\u3000", " "),
        **dict.fromkeys(map(chr, range(0x2000, 0x200B)), " "),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
        "\u2026": "...",
    }
)
_QUOTES = ("'", '"')
_GUILLEMETS = frozenset("\u00ab\u00bb")
_REFERENCE = re.compile(r"&#?\w+;")
_VOID = re.compile(
    r"(?i)(<(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b"
    r"(?:[^<>\"'/\s]|\s++(?!/>)|/(?!>)|\"[^\"]*+\"|'[^']*+')*+)\s*+/>"
)
_RULE = re.compile(r"\s*\|?(?:\s*+:?-++:?\s*+\|)+(?:\s*+:?-++:?\s*+)?")


@lru_cache(maxsize=16384)
def folded(line: str) -> str:
    """The line as `typed` makes it, with its character references undone."""
    return typed(_REFERENCE.sub(lambda found: undone(found[0]), line) if "&" in line else line)


@lru_cache(maxsize=16384)
def typed(line: str) -> str:
    """The line with look-alike characters, normal form, blanks, void tags and a table's rules made one."""
    if not line.isascii():
        line = unicodedata.normalize("NFC", line).translate(_LOOKALIKES)
    if "/>" in line:
        line = _VOID.sub(r"\1>", line)
    elif "|" in line and _RULE.fullmatch(line):
        line = re.sub("-+", "-", line)
    return squeeze(line)


def undone(reference: str) -> str:
    """What a character reference stands for."""
    import html  # its table of names costs a start milliseconds, and few texts hold a reference

    return html.unescape(reference)


def in_the_files_type(search: str, replace: str, file: str) -> tuple[str, str]:
    """Search and replacement with plain characters for the look-alikes that the search has and the file has not.

    All that stand for one plain character go together, and so do both kinds of quotes: what curls one curls the other,
    and a quote that opens is typed like one that closes. But for guillemets, which no keyboard puts where it curls
    quotes. Those on a line that has plain quotes as well are meant.
    """
    if search.isascii():
        return search, replace
    plain = {_LOOKALIKES[ord(sign)] for sign in set(search) if ord(sign) in _LOOKALIKES}
    plain |= set(() if plain.isdisjoint(_QUOTES) else _QUOTES)
    kept = _GUILLEMETS if _GUILLEMETS.isdisjoint(search) else ()
    strange = {sign: to for sign, to in _LOOKALIKES.items() if to in plain and chr(sign) not in kept}
    used = {to for sign, to in strange.items() if chr(sign) in file}
    table = {sign: to for sign, to in strange.items() if to not in used}
    return _retyped(search, table), _retyped(replace, table)


def _retyped(text: str, table: dict[int, str]) -> str:
    if not any(quote in text for quote in _QUOTES):
        return text.translate(table)
    lines = []
    for line in text.split("\n"):
        meant = [quote for quote in _QUOTES if quote in line]
        lines.append(line.translate({sign: to for sign, to in table.items() if to not in meant} if meant else table))
    return "\n".join(lines)
