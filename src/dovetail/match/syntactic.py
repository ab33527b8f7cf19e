"""Tier `syntax`: the code is the same, its formatting or its comments are not; or one definition is named.

Works on the leaves of syntax trees, comments left out. A search whose tokens stand in a region of the file one for
one, from a line's start to a line's end, is that region; its lines are partners where the borders of their tokens
agree. A search that is one definition, by a name the file defines once, is compared with that definition alone: then
there is no second place to be clear of, but every other rule of the tier `fuzzy` holds.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.match.alignment import Alignment
from dovetail.match.similar import align
from dovetail.model.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.match.document import Document
    from dovetail.model.language import Definition, Language, Token

_FEWEST = 8  # tokens below which equal tokens prove no place
_LARGEST = 200_000  # characters of a region that is parsed
_SLACK = 3  # times the search's lines that its place may take


def same_tokens(
    document: Document, search: Sequence[str], regions: Sequence[Alignment], language: Language, path: str
) -> Iterator[Alignment]:
    """Places near `regions` whose tokens are the search's."""
    wanted = _solid(language, path, "\n".join(search) + "\n")
    if wanted is None or len(wanted[0]) < _FEWEST:
        return
    tokens, token_lines = wanted
    seen: set[int] = set()
    for region in regions:
        low, high = _window(document, region, len(search))
        span = document.span(low, high)
        found = _solid(language, path, document.raw[span.start : span.end]) if len(span) <= _LARGEST else None
        if found is None:
            continue
        for at in _occurrences(found[0], tokens):
            alignment = _aligned(len(search), token_lines, found[1][at : at + len(tokens)], low)
            whole = _whole_lines(found[1], at, at + len(tokens))
            if whole and alignment is not None and alignment.first not in seen:
                seen.add(alignment.first)
                yield alignment


def named(document: Document, search: Sequence[str], language: Language, path: str) -> Alignment | None:
    """The definition that the search names, aligned; None where it names none, or the file has no such one."""
    text = "\n".join(search) + "\n"
    outer = _only(language.definitions(path, text))
    if outer is None:
        return None
    same = [d for d in language.definitions(path, document.raw) or () if d.name == outer.name]
    if len(same) != 1 or (same[0].kind != outer.kind and {same[0].kind, outer.kind} != {"function", "method"}):
        return None
    return align(document, search, same[0].first_line - outer.first_line)


def _only(definitions: Sequence[Definition] | None) -> Definition | None:
    """The one definition that holds all others."""
    if not definitions:
        return None
    outer = definitions[0]
    inside = all(d.first_line >= outer.first_line and d.last_line <= outer.last_line for d in definitions)
    return outer if inside else None


def _window(document: Document, region: Alignment, count: int) -> tuple[int, int]:
    slack = _SLACK * count + 5
    return max(0, region.first - slack), min(len(document), region.end + slack)


def _solid(language: Language, path: str, text: str) -> tuple[list[str], list[int]] | None:
    """Tokens without comments, and the line each begins on; None where the language is not known."""
    found: Sequence[Token] | None = language.tokens(path, text)
    if found is None:
        return None
    starts = Text(text).starts
    solid = [t for t in found if not t.comment and t.text.strip()]
    return [t.text for t in solid], [bisect_right(starts, t.start) - 1 for t in solid]


def _occurrences(tokens: Sequence[str], wanted: Sequence[str]) -> Iterator[int]:
    for at in range(len(tokens) - len(wanted) + 1):
        if tokens[at] == wanted[0] and list(tokens[at : at + len(wanted)]) == list(wanted):
            yield at


def _whole_lines(lines: Sequence[int], first: int, end: int) -> bool:
    """Whether tokens `first` to `end` share no line with their neighbours."""
    return (first == 0 or lines[first - 1] != lines[first]) and (end == len(lines) or lines[end - 1] != lines[end])


def _aligned(count: int, wanted: Sequence[int], found: Sequence[int], low: int) -> Alignment | None:
    """Each search line with the file's lines that hold its tokens; None where two search lines share one."""
    lines: list[int | None] = [None] * count
    ends: list[int | None] = [None] * count
    for mine, theirs in zip(wanted, found, strict=True):
        if lines[mine] is None:
            lines[mine] = low + theirs
        ends[mine] = low + theirs + 1
    spans = [(a, b) for a, b in zip(lines, ends, strict=True) if a is not None and b is not None]
    if any(b > a for (_, b), (a, _) in pairwise(spans)):
        return None
    return Alignment(tuple(lines), ends=tuple(ends))
