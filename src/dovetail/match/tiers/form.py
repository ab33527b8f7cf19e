"""Tier `form`: differences in how the model wrote the text.

Differences of single lines (entities, curly quotes and dashes, no-break spaces, Unicode normal form, the slash of a
void tag, the length of a table's rule) are folded away on both sides (`folding`), or typed as in the file
(`Lookup.typed`); wrappings of a whole block are taken off search and replacement together (`wrapping`). The file's own
lines are never rewritten.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from dovetail.match.landing.change import Change
from dovetail.match.landing.fit import Obstacle
from dovetail.model.codes import Tier
from dovetail.model.text import split_lines
from dovetail.text.alignment import places
from dovetail.text.folding import folded, typed
from dovetail.text.line import worded
from dovetail.text.wrapping import unwrapped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.lookup import Lookup

_ESCAPES = "the search is quoted with backslashes, and does not tell which of the new lines' are part of them"


def find(lookup: Lookup) -> Sequence[Candidate] | Obstacle:
    """Return the places where whole lines equal the unwrapped search; an obstacle if its replacement is not clear."""
    document = lookup.document
    pairs = list(unwrapped(*lookup.typed, document.raw))
    # All unwrappings without decoding the file's entities come first: a file may contain `&lt;` itself.
    for form, (search, replace) in product((typed, folded), pairs):
        wanted = split_lines(search)
        found = list(places(document, wanted, form)) if worded(wanted) else []
        # Two ways to take backslashes off may give one search and two replacements.
        if found and any(same == search and other != replace for same, other in pairs):
            return Obstacle(found[0].first, _ESCAPES)
        if found:
            return lookup.lines(Tier.FORM, Change.of(wanted, split_lines(replace)), found)
    return []
