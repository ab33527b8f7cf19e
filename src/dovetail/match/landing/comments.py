"""Which comment of the file stands for which of a search whose code stands there; and where on a line one begins.

Partners are lines that hold comments and no code. What is equal goes together; of what is left as much as there is,
where both have equally much between the same lines: a kept comment may say something else in the file, and new lines
beside it still belong where it stands.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from dovetail.match.lines.linediff import common
from dovetail.match.lines.quoting import strings
from dovetail.model.patterns import late

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from dovetail.match.lines.alignment import Alignment
    from dovetail.match.lines.document import Document

_COMMENT = late(r"(?:^|\s)\s*+(?://|#(?![\w\[])|--(?!\w)|/\*(?!.*\*/.*\S)|<!--(?!.*-->.*\S))")


def partners(
    document: Document,
    search: Sequence[str],
    bare: Iterable[int],
    code: Container[int],
    alignment: Alignment,
) -> Iterator[tuple[int, int]]:
    """Partners for the `bare` lines of the search, which hold comments and no code, between lines that have theirs.

    Equal ones go together; of the others as many as there are, where search and file have equally many between those.
    """
    for (above, below), together in groupby(bare, lambda i: (alignment.above(i), alignment.below(i))):
        run, there = list(together), _between(document, code, above, below)
        i_done = k_done = 0
        mine, theirs = [search[i].strip() for i in run], [document.stripped[line] for line in there]
        for i, k in [*common(mine, theirs), (len(mine), len(theirs))]:
            if i - i_done == k - k_done:
                yield from zip(run[i_done:i], there[k_done:k], strict=True)
            if i < len(mine):
                yield run[i], there[k]
            i_done, k_done = i + 1, k + 1


def _between(document: Document, code: Container[int], above: int | None, below: int | None) -> list[int]:
    """The file's comment lines between code; where one end is open, as far as nothing else stands there."""
    if above is None:
        above = below or 0
        while above > 0 and above - 1 not in code and document.stripped[above - 1]:
            above -= 1
    elif below is None:
        below = above
        while below < len(document) and below not in code and document.stripped[below]:
            below += 1
    return [line for line in range(above, below or above) if document.stripped[line]]


def parted(line: str) -> tuple[str, str]:
    """The code of a line and the comment behind it, with the blanks between them."""
    line = line.rstrip()
    quoted = strings(line)
    at = next(
        (
            match.start()
            for match in _COMMENT.finditer(line)
            if not any(string.start < match.end() and match.start() < string.end for string in quoted)
        ),
        len(line),
    )
    return line[:at], line[at:]
