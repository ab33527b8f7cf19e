"""Tier `elision`: `...` or `// rest of code` lines that stand in search and replacement alike.

Such a line stands for lines of the file that the edit keeps. The pieces between must follow each other in the file;
every way for them to do so is a place of its own, so ways that would write differently are ambiguous. An elision that
only the search has would delete lines that nobody has shown, and is refused.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.match.alignment import Alignment
from dovetail.match.blanks import places
from dovetail.model.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.match.document import Document

_OPEN = r"(?://|\#|--|;+|%|/\*+|<!--|\{/\*|\(\*?|\*|\"|')?"
_CLOSE = r"(?:\*+/\}?|-->|\*?\)|\"|')?"
_DOTS = r"(?:\.{3,}|\u2026)"
_WORDS = r"[\w\s,'()-]*\b(?:rest|remain\w*|existing|unchanged|previous|omitted|same|other|more)\b[\w\s,'()./-]*"
# `re` compiles it for the first line that has dots; few replies have one.
_ELISION = rf"(?i)\s*{_OPEN}\s*(?:{_DOTS}|{_DOTS}\s*{_WORDS}(?:{_DOTS})?|{_WORDS}{_DOTS})\s*{_CLOSE}\s*"

_MOST_WAYS = 64


def elides(line: str) -> bool:
    """Whether a line stands for others that it does not show: dots alone, or dots with words that say so."""
    return ("..." in line or "\u2026" in line) and re.fullmatch(_ELISION, line) is not None


def omission(search: str, replace: str) -> str | None:
    """A line of the replacement that says in words that lines are left out, and that the search does not have.

    Dots alone may be code, so they are no omission.
    """
    if "..." not in replace and "\u2026" not in replace:
        return None
    had = {line.strip() for line in split_lines(search)}
    for line in split_lines(replace):
        if elides(line) and line.strip() not in had and any(map(str.isalpha, line)):
            return line.strip()
    return None


def alignments(document: Document, search: Sequence[str], replace: Sequence[str]) -> Iterator[Alignment]:
    """Places of a search with elisions, where the replacement has the same ones; in file order.

    Lines that elide have no partner, so what they stand for is kept as lines that nobody names.
    """
    gaps = [i for i, line in enumerate(search) if elides(line)]
    if not gaps or [search[i].strip() for i in gaps] != [line.strip() for line in replace if elides(line)]:
        return
    pieces = _pieces(search, gaps)
    if not pieces:
        return
    for chain in _chains([list(places(document, search[first:end])) for first, end in pieces]):
        yield _joined(len(search), frozenset(gaps), pieces, chain)


def _pieces(search: Sequence[str], gaps: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges of the search between elisions that hold more than blank lines."""
    borders = [-1, *gaps, len(search)]
    ranges = [(a + 1, b) for a, b in pairwise(borders)]
    return [(a, b) for a, b in ranges if any(line.strip() for line in search[a:b])]


def _chains(found: Sequence[Sequence[Alignment]]) -> list[list[Alignment]]:
    """Every way to take a place of each piece, each behind the one before; none where they are too many to look at."""
    chains: list[list[Alignment]] = [[]]
    for candidates in found:
        chains = [[*chain, c] for chain in chains for c in candidates if not chain or c.first >= chain[-1].end]
        if len(chains) > _MOST_WAYS:
            return []
    return chains


def _joined(
    count: int, gaps: frozenset[int], pieces: Sequence[tuple[int, int]], chain: Sequence[Alignment]
) -> Alignment:
    lines: list[int | None] = [None] * count
    for (first, _), alignment in zip(pieces, chain, strict=True):
        for i, line in alignment.pairs():
            lines[first + i] = line
    return Alignment(tuple(lines), gaps=gaps)
