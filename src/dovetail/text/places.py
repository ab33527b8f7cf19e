"""Places where whole lines are those of a search, in a form that says what of a line must agree.

Owns the one search for them, and what can be told of the blanks by which two runs of lines differ. Which form is asked
for, and what of it may differ, is the tiers' affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.text.alignment import grow
from dovetail.text.line import TABS, bare, closes, deep, distinctive, full, indent_of, squeeze, width

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from dovetail.text.alignment import Alignment
    from dovetail.text.document import Document
    from dovetail.text.line import Form


_MOST_COUNTED = 8  # texts of the search, where each word of it is common


def places(document: Document, search: Sequence[str], form: Form = squeeze) -> Iterator[Alignment]:
    """Every alignment in which all lines of `search` that are not blank are the file's in a form, in file order.

    `form` must keep the ASCII words of a line: a line that agrees holds each of them.
    """
    rows = document.rows
    seen: set[int] = set()
    for anchor in _anchors(document, search, form):
        alignment = grow(search, rows, anchor, form)
        if alignment is not None and alignment.first not in seen and not _astray(search, rows, alignment):
            seen.add(alignment.first)
            yield alignment


def _astray(search: Sequence[str], file: Sequence[str], alignment: Alignment) -> bool:
    """Whether a brace or the like that only the search sets off stands otherwise than the lines that can be told apart;
    where nothing but the ends of blocks is searched, whether one stands otherwise than the others.

    It is another one then, behind a line that the search forgot.
    """
    if all(closes(line) for line in search if line.strip()):
        pairs = ((search[i], file[j]) for i, j in alignment.pairs if search[i].strip())
        return not uniform({(indent_of(wanted), indent_of(found)) for wanted, found in pairs})
    lines = alignment.lines
    set_off = [i for i in range(1, len(lines)) if lines[i - 1] is None and not distinctive(search[i])]
    if not set_off:
        return False
    others = _shifts(search, file, alignment, (i for i in range(len(lines)) if distinctive(search[i])))
    return bool(others) and not _shifts(search, file, alignment, set_off) <= others


def _shifts(search: Sequence[str], file: Sequence[str], alignment: Alignment, indices: Iterable[int]) -> set[int]:
    """By how many columns those lines stand further right in the file."""
    pairs = ((i, alignment.lines[i]) for i in indices if search[i].strip())
    return {deep(file[j]) - deep(search[i]) for i, j in pairs if j is not None}


def _anchors(document: Document, search: Sequence[str], form: Form) -> Iterator[tuple[int, int]]:
    """A line of the search with each line of the file that agrees with it; of a line that few of the file's do."""
    rarest = document.rarest_word(search)
    if rarest is None:
        index = max(range(len(search)), key=lambda i: len(search[i].strip()), default=-1)
        if index >= 0 and search[index].strip():
            yield from ((index, line) for line in document.agreeing(search[index], form))
        return
    index, word = rarest
    if document.is_common(word):
        yield from _of_the_rarest(document, search, form)
        return
    wanted = form(search[index])
    yield from ((index, line) for line in document.lines_holding(word) if form(document.rows[line]) == wanted)


def _of_the_rarest(document: Document, search: Sequence[str], form: Form) -> Iterator[tuple[int, int]]:
    """The same, where every word is common: the lines as a whole are counted, each text of the file once."""
    first: dict[str, int] = {}
    for index, line in enumerate(search):
        if line.strip():
            first.setdefault(line, index)
    texts = sorted(first, key=len, reverse=True)[:_MOST_COUNTED]
    found = ((first[text], document.agreeing(text, form)) for text in texts)
    index, lines = min(found, key=lambda pair: len(pair[1]))
    yield from ((index, line) for line in lines)


def gapless(alignment: Alignment, search: Sequence[str]) -> bool:
    """Whether lines follow each other alike on both sides; blank lines at the block's ends do not count."""
    said = full(search)
    inner = alignment.lines[said[0] : said[-1] + 1]
    return None not in inner and inner[-1] == inner[0] + len(inner) - 1  # type: ignore[operator]


def as_deep(lines: Sequence[str], rows: Sequence[str]) -> bool:
    """Whether lines are the file's but for blanks at their ends, and stand as deep for some width of a tab."""
    if bare(lines) != bare(rows):
        return False
    depths = [(indent_of(line), indent_of(row)) for line, row in zip(lines, rows, strict=True) if row.strip()]
    return any(all(width(told, tab) == width(found, tab) for told, found in depths) for tab in TABS)


def uniform(indents: Collection[tuple[str, str]]) -> bool:
    """Whether one shift turns each first indentation into the second, for some width of a tab.

    A shift to the left that stopped at column 0 is uniform too: the lines it could not move are those that had no room.
    """
    for tab in TABS:
        columns = [(width(wanted, tab), width(found, tab)) for wanted, found in indents]
        shift = max((found - wanted for wanted, found in columns), default=0)
        if all(found - wanted == shift or _clamped(wanted, found, shift) for wanted, found in columns):
            return True
    return False


def _clamped(wanted: int, found: int, shift: int) -> bool:
    """Whether a line that the model moved left by `shift` columns ran into column 0."""
    return wanted == 0 and 0 <= found < shift
