"""Signs that came with the reply, and that the file has nowhere: taken off search and replacement together."""

from __future__ import annotations

from dovetail.match.lines.entities import entities_of, without_entities
from dovetail.match.lines.folding import LOOKALIKES

_QUOTES = ("'", '"')
_GUILLEMETS = frozenset("\u00ab\u00bb")


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


def in_the_files_type(search: str, replace: str, file: str) -> tuple[str, str]:
    """Search and replacement with plain characters for the look-alikes that the search has and the file has not.

    All that stand for one plain character go together, and so do both kinds of quotes: what curls one curls the other,
    and a quote that opens is typed like one that closes. But for guillemets, which no keyboard puts where it curls
    quotes. Those on a line that has plain quotes as well are meant.
    """
    if search.isascii():
        return search, replace
    plain = {LOOKALIKES[ord(sign)] for sign in set(search) if ord(sign) in LOOKALIKES}
    plain |= set(() if plain.isdisjoint(_QUOTES) else _QUOTES)
    kept = _GUILLEMETS if _GUILLEMETS.isdisjoint(search) else ()
    strange = {sign: to for sign, to in LOOKALIKES.items() if to in plain and chr(sign) not in kept}
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
