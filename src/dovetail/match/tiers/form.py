"""Tier `form`: how the text was wrapped on its way through the model.

What wraps single lines alike on both sides (entities, curly quotes and dashes, no-break spaces, Unicode normal form,
the slash of a tag that never closes, the length of a table's rule) is folded away on both (`folding`), or typed as
the file has it (`Lookup.typed`); what wraps a block as a whole is taken off search and replacement together
(`wrapping`). The file's own lines are never rewritten.
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
    """Places where whole lines are the search, once search and replacement are unwrapped."""
    document = lookup.document
    pairs = list(unwrapped(*lookup.typed, document.raw))
    # All unwrappings with the file's entities as they stand, before any with them undone: a file may hold `&lt;`
    # itself.
    for form, (search, replace) in product((typed, folded), pairs):
        wanted = split_lines(search)
        found = list(places(document, wanted, form)) if worded(wanted) else []
        # Two ways to take backslashes off give one search and two replacements.
        if found and any(same == search and other != replace for same, other in pairs):
            return Obstacle(found[0].first, _ESCAPES)
        if found:
            return lookup.lines(Tier.FORM, Change.of(wanted, split_lines(replace)), found)
    return []
