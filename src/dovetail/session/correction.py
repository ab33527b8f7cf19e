"""What would help a model to write a failed edit again: the edit with a search that fits, or lines it may have meant.

Pure: a result and a text in, an edit or an excerpt out.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from dovetail.formats import render
from dovetail.llm.repair import Excerpt
from dovetail.model.blocks import Kind
from dovetail.model.codes import Code
from dovetail.model.dataclasses import replace
from dovetail.model.diagnostics import Difference
from dovetail.model.errors import RenderError
from dovetail.model.text import Text, split_lines

if TYPE_CHECKING:
    from dovetail.model.results import BlockResult

LONGEST_CORRECTED = 40
"""Lines of a corrected edit's search that are worth sending."""

_MISSED = frozenset(
    {Code.NO_MATCH, Code.CONFLICT, Code.ANCHOR_MISSING, Code.OLD_DIFFERS, Code.TRAILING_DIFFERS, Code.MALFORMED}
)
_MOST_LIKELY = 24
_MARGIN = 2
_WORD = re.compile(r"[^\W\d]\w{2,}")


def corrected_edit(result: BlockResult) -> str | None:
    """The failed edit with a search that fits the file, in its own format; None where none is known, or it is long."""
    nearest = result.nearest
    if nearest is None or nearest.difference is Difference.ABSENT:
        return None
    if not nearest.corrected or nearest.corrected.count("\n") > LONGEST_CORRECTED:
        return None
    fitting = replace(
        result.block,
        kind=Kind.EDIT,
        path=result.path,
        search=nearest.corrected,
        readings=(),
        parts=None,
        malformed=None,
    )
    try:
        return render([fitting], result.block.format)
    except RenderError:
        return None


def likely_lines(result: BlockResult, text: str) -> Excerpt | None:
    """The lines of a file that share most rare words with a search for which no nearest region is known.

    None where one is known, where the failure is not about the file's text, or where no word is shared.
    """
    if result.path is None or result.nearest is not None or result.places or result.code not in _MISSED:
        return None
    wanted = set(_WORD.findall(result.block.search or result.block.raw))
    lines = [wanted.intersection(_WORD.findall(line)) for line in split_lines(text)]
    often = Counter(word for found in lines for word in found)
    if not often:
        return None
    worth = [sum(1 / often[word] for word in found) for found in lines]
    size = max(1, min(_MOST_LIKELY, len(lines), result.block.search.count("\n")))
    sums = [0.0, *accumulate(worth)]
    first = max(range(len(lines) - size + 1), key=lambda at: (sums[at + size] - sums[at], -at))
    return lines_between(result.path, text, first + 1 - _MARGIN, first + size + _MARGIN)


def lines_between(path: str, text: str, first: int, last: int) -> Excerpt:
    """Lines of a text, from 1, as far as it has them."""
    lines = Text(text)
    first, last = max(1, first), min(len(lines), last)
    span = lines.span(first - 1, last)
    return Excerpt(path, first, last, text[span.start : span.end])
