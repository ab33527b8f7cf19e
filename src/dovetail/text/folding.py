"""Spellings in which a model's text differs from the file alike in search and replacement, and how to undo them.

Entities, curly quotes and dashes, no-break spaces, Unicode normal form, the slash of a tag that never closes, the
length of a table's rule.

Entities come off search and replacement together. The search shows which characters were wrapped; a replacement that
has one of them plain, or a line of the search as it is without them, was not wrapped with it: of its lines only those
are unwrapped that the search has, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from dovetail.text.line import squeeze
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Callable

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
_REFERENCE = pattern(r"&#?\w+;")
# The start of a tag that never closes, and its `/>`: `<br />`, `<img alt="a/>b" />`; not `<div />`.
_VOID = pattern(
    r"(?i)(<(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b"
    r"(?:[^<>\"'/\s]|\s++(?!/>)|/(?!>)|\"[^\"]*+\"|'[^']*+')*+)\s*+/>"
)
# The rule below a table's head: `| --- | :-: |`, `---|---`; not `---` alone, or `a | b`.
_RULE = pattern(r"\s*\|?(?:\s*+:?-++:?\s*+\|)+(?:\s*+:?-++:?\s*+)?")


@lru_cache(maxsize=16384)
def folded(line: str) -> str:
    """Return the line with its character references decoded, normalized by `typed`."""
    return typed(_REFERENCE.sub(lambda found: undone(found[0]), line) if "&" in line else line)


@lru_cache(maxsize=16384)
def typed(line: str) -> str:
    """Return the line with look-alikes, Unicode form, blanks, void tags and a table's rules normalized."""
    if not line.isascii():
        line = unicodedata.normalize("NFC", line).translate(_LOOKALIKES)
    if "/>" in line:
        line = _VOID.sub(r"\1>", line)
    elif "|" in line and _RULE.fullmatch(line):
        line = re.sub("-+", "-", line)
    return squeeze(line)


def undone(text: str) -> str:
    """Return a text with its character references decoded."""
    import html  # its table of names costs a start milliseconds, and few texts hold a reference

    return html.unescape(text)


def in_the_files_type(search: str, replace: str, file: str) -> tuple[str, str]:
    """Return search and replacement with plain characters for look-alikes that the search has and the file lacks.

    All that stand for one plain character go together, and so do both kinds of quotes: what curls one curls the other,
    and a quote that opens is typed like one that closes. Guillemets count only if the search has them: no keyboard
    types them for quotes. On a line that has a plain quote, too, the curly ones of its kind are meant and stay.
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
        # A line with both `'` and `’` tells them apart on purpose.
        meant = [quote for quote in _QUOTES if quote in line]
        lines.append(line.translate({sign: to for sign, to in table.items() if to not in meant} if meant else table))
    return "\n".join(lines)


_ENTITY = pattern(r"&(?:lt|gt|amp|quot|apos|nbsp|#0*39|#x0*27|#0*34|#x0*22|#0*60|#0*62|#0*38|ldquo|rdquo|lsquo|rsquo);")
_BARE = pattern(r"[<>\"']|&(?!#?\w+;)")
_IN_TEXT = pattern(r"[>\"']|&(?!#?\w+;)|<(?![\w/!?$])")
_IN_TAG = pattern(r"&(?!#?\w+;)|<")
# A script or style as a whole, a tag as a whole (attributes in quotes may hold `>`), or one bare sign of the text. What
# is matched first is not looked into again, so signs of programs and tags are no text.
_IN_ELEMENTS = pattern(
    rf"(?si)<(?:(script|style)\b.{{0,999}}?</\1|(?P<tag>[\w/!?$](?:[^<>\"']|\"[^\"]*\"|'[^']*')*+))>|{_IN_TEXT.pattern}"
)
_MARKUP = frozenset("<>&\"'")


def entities_of(text: str) -> set[str]:
    """Return the entities in a text that models write for markup characters."""
    return set(_ENTITY.findall(text)) if "&" in text else set()


def without_entities(search: str, replace: str) -> tuple[str, str] | None:
    """Return search and replacement with their entities decoded once, or None if the search has no entity.

    The replacement's entities for characters of which the search has no entity are decoded if they stand for markup
    that is bare in neither half.
    """
    shown = {undone(entity) for entity in entities_of(search)}
    if not shown:
        return None
    plain = set(_BARE.findall(search))
    # Of `&lt;` in the search and `&gt;` in the replacement, the second was wrapped too if neither half has a bare `>`.
    wrapped = shown | (_MARKUP - plain - set(_BARE.findall(replace)))

    def unwrap(text: str) -> str:
        return _ENTITY.sub(lambda found: piece if (piece := undone(found[0])) in wrapped else found[0], text)

    return unwrap(search), unwrapped_alike(
        search, replace, unwrap, lambda new: not (shown - plain).isdisjoint(_BARE.findall(new))
    )


def with_entities_of(found: str, wanted: str, new: str) -> tuple[str, str]:
    """Return `wanted` and `new`, its replacement, with bare markup characters spelled as the entities that `found` has.

    Only characters that `found` spells in one way, outside of tags, are changed. A tag keeps its own ``<``, ``>`` and
    quotes, and scripts and styles stay as they are.
    """
    spelled = entities_of(found)
    if not spelled:
        return wanted, new
    ways = Counter(map(undone, (*spelled, *set(_IN_TEXT.findall(found)), *entities_of(wanted))))
    # A character that the file spells in two ways (`&amp;` and a bare `&`), or that the search has as an entity too,
    # tells no way for the new text.
    entities = {sign: entity for entity in spelled if ways[sign := undone(entity)] == 1}
    if entities.keys().isdisjoint(_IN_TEXT.findall(wanted)):
        return wanted, new

    def one(sign: re.Match[str]) -> str:
        return entities.get(sign[0], sign[0])

    def spelt(found: re.Match[str]) -> str:
        piece = found[0]
        if len(piece) == 1:
            return one(found)
        inside = found["tag"]
        return piece if inside is None else f"<{_IN_TAG.sub(one, inside)}>"

    return _IN_ELEMENTS.sub(spelt, wanted), _IN_ELEMENTS.sub(spelt, new)


def unwrapped_alike(search: str, replace: str, unwrap: Callable[[str], str], shows: Callable[[str], bool]) -> str:
    """Return the replacement unwrapped; if its new lines were not wrapped, only the lines that the search has, too.

    They were not if one of them is a line of the search without its wrapping, or if `shows` holds for their text.
    """
    quoted = search.split("\n")
    # kept: the search's lines as they are. plain: those that the wrapping changed, without it. A new line that is in
    # `plain` was not wrapped, so the other new lines were not, either.
    kept, plain = set(quoted), {unwrap(line) for line in quoted} - set(quoted)
    lines = replace.split("\n")
    new = [line for line in lines if line not in kept]
    if plain.isdisjoint(new) and not shows("\n".join(new)):
        return unwrap(replace)
    return "\n".join(unwrap(line) if line in kept else line for line in lines)
