"""Tiers `trailing-space`, `indentation` and `whitespace`: whole lines that differ only in blanks.

One search finds the candidates of all three, and each takes its own, the strictest first:

- trailing-space: blanks at line ends, blank lines that hold blanks, blank lines at the block's ends.
- indentation: one uniform shift of the whole block, or tabs against spaces.
- whitespace: runs of blanks inside lines, blanks or none beside punctuation, blank lines added or missing. Text in
  quotes must agree to the character, and a blank between two words is never nothing (`squeeze`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.model.codes import Tier
from dovetail.text.alignment import gapless, uniform
from dovetail.text.line import indent_of, worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.lookup import Lookup
    from dovetail.text.alignment import Alignment


def find(lookup: Lookup) -> Sequence[Candidate]:
    """Return the places of the strictest of the three tiers that has any, in file order."""
    if lookup.typed[0] != lookup.needle.search:  # no-break spaces are a matter of form
        return []
    for tier, belongs in _RULES:
        if tier in lookup.tiers:
            own = [a for a in lookup.alike if belongs(a, lookup.change.search, lookup.document.rows)]
            if own:
                return lookup.lines(tier, lookup.change, own)
    return []


def _differs_at_ends(alignment: Alignment, search: Sequence[str], file: Sequence[str]) -> bool:
    """Return whether lines differ only in blanks at their ends; blank lines inside must be on both sides."""
    return all(search[i].rstrip() == file[j].rstrip() for i, j in alignment.pairs) and gapless(alignment, search)


def _is_shifted(alignment: Alignment, search: Sequence[str], file: Sequence[str]) -> bool:
    """Return whether lines differ only by one shift, and in blanks at their ends."""
    full = [(search[i], file[j]) for i, j in alignment.pairs if search[i].strip()]
    return (
        gapless(alignment, search)
        and all(wanted.strip() == found.strip() for wanted, found in full)
        and uniform({(indent_of(wanted), indent_of(found)) for wanted, found in full})
    )


def _says_something(_alignment: Alignment, search: Sequence[str], _file: Sequence[str]) -> bool:
    """Return whether the search has words; any place that was found agrees at this tier."""
    return worded(search)


# Strictest first; each takes the places that the ones above it leave, so the last only requires words.
_RULES = (
    (Tier.TRAILING_SPACE, _differs_at_ends),
    (Tier.INDENTATION, _is_shifted),
    (Tier.WHITESPACE, _says_something),
)
