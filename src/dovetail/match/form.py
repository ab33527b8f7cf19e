"""Tier `form`: how the text was wrapped on its way through the model.

HTML entities, escaped quotes or newlines, line-number prefixes, curly quotes and dashes, no-break spaces, Unicode
normal form. What wraps single lines alike on both sides is folded away on both (`folded`); what wraps a block as a
whole is taken off search and replacement together (`unwrapped`), so the replacement's changed lines are unwrapped by
the same rule. The file's own lines are never rewritten.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.match.lines import squeeze
from dovetail.model.patterns import late
from dovetail.model.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
_ENTITY = late(r"&(?:lt|gt|amp|quot|apos|nbsp|#0*39|#x0*27|#0*34|#x0*22|#0*60|#0*62|#0*38|ldquo|rdquo|lsquo|rsquo);")
_NUMBERED = late(r"\s*(\d+)(?: ?[|:\u2502\u2192] ?|\t)(.*)", re.DOTALL)
_ESCAPED = late(r"\\([\"'`$\\/])")
_ESCAPED_ALL = late(r"\\([nrt\"'`$\\/])")
_NUMBERED_FROM = 3  # lines that must bear their numbers, for one or two may be text that begins so
_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}


def agree_in_type(wanted: str, found: str) -> bool:
    """Whether two lines differ in nothing but blanks, look-alike characters and normal form."""
    return typed(wanted) == typed(found)


def agree_folded(wanted: str, found: str) -> bool:
    """Whether two lines differ in nothing but blanks and form."""
    return folded(wanted) == folded(found)


@lru_cache(maxsize=16384)
def folded(line: str) -> str:
    """The line with entities, look-alike characters, normal form and blanks made one."""
    return typed(unescape_entities(line) if "&" in line else line)


@lru_cache(maxsize=16384)
def typed(line: str) -> str:
    """The line with look-alike characters, normal form and blanks made one."""
    if not line.isascii():
        line = unicodedata.normalize("NFC", line).translate(_LOOKALIKES)
    return squeeze(line)


def unescape_entities(text: str) -> str:
    """The entities that models put for markup characters, each undone once."""
    return _ENTITY.sub(lambda found: html.unescape(found.group()), text)


def entities_of(text: str) -> set[str]:
    """The entities of a text that models put for markup characters."""
    return set(_ENTITY.findall(text)) if "&" in text else set()


def without_strange_entities(search: str, replace: str, file: str) -> tuple[str, str] | None:
    """Search and replacement with their entities undone, where the search has some and the file none of them."""
    bare: tuple[str, str] | None = None
    for _ in range(2):  # they may be wrapped twice
        strange = entities_of(search)
        if not strange or any(entity in file for entity in strange):
            break
        search, replace = bare = unescape_entities(search), unescape_entities(replace)
    return bare


def in_the_files_type(search: str, replace: str, file: str) -> tuple[str, str]:
    """Search and replacement with plain characters for the look-alikes that the search has and the file has not.

    All that stand for one plain character go together: a curly quote that opens is typed like one that closes.
    """
    if search.isascii():
        return search, replace
    plain = {_LOOKALIKES[ord(sign)] for sign in set(search) if ord(sign) in _LOOKALIKES}
    strange = {sign: to for sign, to in _LOOKALIKES.items() if to in plain}
    used = {to for sign, to in strange.items() if chr(sign) in file}
    table = {sign: to for sign, to in strange.items() if to not in used}
    return search.translate(table), replace.translate(table)


def unwrapped(search: str, replace: str) -> Iterator[tuple[str, str]]:
    """Search and replacement with one wrapping, or several, taken off; the plain pair first.

    A wrapping counts only where the search shows it, and every pair is given once. Entities may be wrapped twice.
    """
    given = [(search, replace)]
    yield search, replace
    for take_off in (_line_numbers, _entities, _entities, _escapes, _all_escapes):
        for pair in list(given):
            bare = take_off(*pair)
            if bare is not None and bare not in given:
                given.append(bare)
                yield bare


def _line_numbers(search: str, replace: str) -> tuple[str, str] | None:
    lines = split_lines(search)
    full = [line for line in lines if line.strip()]
    numbers = [int(found.group(1)) for line in full if (found := _NUMBERED.fullmatch(line))]
    if not full or len(numbers) != len(full) or any(a >= b for a, b in pairwise(numbers)):
        return None
    return _each_line(search, _unnumbered), _each_line(replace, _unnumbered)


def _unnumbered(line: str) -> str:
    found = _NUMBERED.fullmatch(line)
    return found.group(2) if found else line


def without_own_numbers(text: str, file: str) -> str | None:
    """A file's whole text without the numbers of its lines, where each bears its own; None where `file` does not show
    that they are none of its text."""
    lines = split_lines(text)
    found = [(number, _NUMBERED.fullmatch(line)) for number, line in enumerate(lines, 1) if line.strip()]
    if len(found) < _NUMBERED_FROM or any(match is None or int(match[1]) != number for number, match in found):
        return None
    has = {line.strip() for line in split_lines(file)} - {""}
    bare = _each_line(text, _unnumbered)
    stands = any(any(map(str.isalnum, line)) and line.strip() in has for line in split_lines(bare))
    return bare if stands and has.isdisjoint(line.strip() for line in lines) else None


def _each_line(text: str, rule: Callable[[str], str]) -> str:
    return "\n".join(rule(line) for line in text.split("\n"))


def _entities(search: str, replace: str) -> tuple[str, str] | None:
    bare = unescape_entities(search)
    return None if bare == search else (bare, unescape_entities(replace))


def _escapes(search: str, replace: str) -> tuple[str, str] | None:
    bare = _ESCAPED.sub(r"\1", search)
    return None if bare == search else (bare, _ESCAPED.sub(r"\1", replace))


def _all_escapes(search: str, replace: str) -> tuple[str, str] | None:
    bare = _ESCAPED_ALL.sub(_unescape, search)
    if bare == search:
        return None
    return bare, _ESCAPED_ALL.sub(_unescape, replace)


def _unescape(found: re.Match[str]) -> str:
    character = found.group(1)
    return _CONTROL.get(character, character)
