"""Entities that a reply has for markup characters: taken off search and replacement together.

The search shows which characters were wrapped. A replacement that has one of them bare, or a line of the search as it
is without them, was not wrapped with it: of its lines only those are unwrapped that the search has, too.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from dovetail.text.folding import undone

if TYPE_CHECKING:
    from collections.abc import Callable

_ENTITY = re.compile(
    r"&(?:lt|gt|amp|quot|apos|nbsp|#0*39|#x0*27|#0*34|#x0*22|#0*60|#0*62|#0*38|ldquo|rdquo|lsquo|rsquo);"
)
_BARE = re.compile(r"[<>\"']|&(?!#?\w+;)")
_IN_TEXT = re.compile(r"[>\"']|&(?!#?\w+;)|<(?![\w/!?$])")
_IN_TAG = re.compile(r"&(?!#?\w+;)|<")
_IN_ELEMENTS = re.compile(
    rf"(?si)<(?:(script|style)\b.{{0,999}}?</\1|(?P<tag>[\w/!?$](?:[^<>\"']|\"[^\"]*\"|'[^']*')*+))>|{_IN_TEXT.pattern}"
)
_MARKUP = frozenset("<>&\"'")


def entities_of(text: str) -> set[str]:
    """The entities of a text that models put for markup characters."""
    return set(_ENTITY.findall(text)) if "&" in text else set()


def without_entities(search: str, replace: str) -> tuple[str, str] | None:
    """Search and replacement with their entities undone, once; None where the search has none.

    Those of the replacement that stand for other characters than the search's are undone where they stand for markup
    that neither half has bare.
    """
    shown = {undone(entity) for entity in entities_of(search)}
    if not shown:
        return None
    bare = set(_BARE.findall(search))
    wrapped = shown | (_MARKUP - bare - set(_BARE.findall(replace)))

    def unwrap(text: str) -> str:
        return _ENTITY.sub(lambda found: said if (said := undone(found[0])) in wrapped else found[0], text)

    return unwrap(search), unwrapped_alike(search, replace, unwrap, lambda new: bool((shown - bare) & _bare_in(new)))


def without_strange_entities(search: str, replace: str, file: str) -> tuple[str, str] | None:
    """Search and replacement with their entities undone, where the search has some and the file none of them."""
    bare: tuple[str, str] | None = None
    for _ in range(2):  # they may be wrapped twice
        strange = entities_of(search)
        less = without_entities(search, replace)
        if less is None or any(entity in file for entity in strange):
            break
        search, replace = bare = less
    return bare


def with_entities_of(found: str, wanted: str, new: str) -> tuple[str, str]:
    """Two spellings of a text, `wanted` and what becomes of it, with the entities that `found` has for markup which
    `wanted` has bare: for each character that it has in no other way, tags aside. In a tag the marks around what it
    says are none of the text's, and a program or a style is written as it is.
    """
    spelled = entities_of(found)
    if not spelled:
        return wanted, new
    ways = Counter(map(undone, (*spelled, *set(_IN_TEXT.findall(found)), *entities_of(wanted))))
    entities = {sign: entity for entity in spelled if ways[sign := undone(entity)] == 1}
    if entities.keys().isdisjoint(_IN_TEXT.findall(wanted)):
        return wanted, new

    def one(sign: re.Match[str]) -> str:
        return entities.get(sign[0], sign[0])

    def spelt(found: re.Match[str]) -> str:
        said = found[0]
        if len(said) == 1:
            return one(found)
        inside = found["tag"]
        return said if inside is None else f"<{_IN_TAG.sub(one, inside)}>"

    return _IN_ELEMENTS.sub(spelt, wanted), _IN_ELEMENTS.sub(spelt, new)


def _bare_in(text: str) -> set[str]:
    return set(_BARE.findall(text))


def unwrapped_alike(search: str, replace: str, unwrap: Callable[[str], str], shows: Callable[[str], bool]) -> str:
    """The replacement as `unwrap` leaves it; only the lines that the search has, too, where the others are as they
    should be: one is a line of the search without its wrapping, or what they say `shows` it.
    """
    quoted = search.split("\n")
    kept, plain = set(quoted), {unwrap(line) for line in quoted} - set(quoted)
    lines = replace.split("\n")
    new = [line for line in lines if line not in kept]
    if plain.isdisjoint(new) and not shows("\n".join(new)):
        return unwrap(replace)
    return "\n".join(unwrap(line) if line in kept else line for line in lines)
