"""Tier `whitespace`: runs of blanks inside lines, blanks or none beside punctuation, blank lines added or missing.

Text in quotes must agree to the character, and a blank between two words is never nothing (see `lines.squeeze`).
Whatever `blanks.places` finds agrees at this tier; the stricter ones take their share first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.lines.line import worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.lines.alignment import Alignment


def belongs(_alignment: Alignment, search: Sequence[str], _file: Sequence[str]) -> bool:
    """Whether the search is more than signs: the candidates were compared by this tier's rule."""
    return worded(search)
