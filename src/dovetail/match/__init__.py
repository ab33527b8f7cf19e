"""Finds where an edit lands in a text. Knows nothing of paths on disk, formats or replies.

`ladder` asks the `tiers` for places, strictest first. A place of whole lines is a `Fit`: the edit's lines (`Change`),
aligned with the file's (`Alignment`). `decide` takes one of the places, or none; `landing.land` returns what is written
there, or the `Obstacle` that forbids it; `refusals` says why nothing lands.
"""

from dovetail.match.ladder import locate
from dovetail.match.lookup import nearest_text
from dovetail.match.outcome import AlreadyApplied, Ambiguous, Match, Needle, Neighbours, NoMatch, Outcome, certain
from dovetail.match.parts import has_marks, is_data, merge_parts, names_in, put_lines
from dovetail.match.sketch import Unplaced, merge_sketch
from dovetail.text.document import Document
from dovetail.text.merge import Clash, Merged, merge

__all__ = [
    "AlreadyApplied",
    "Ambiguous",
    "Clash",
    "Document",
    "Match",
    "Merged",
    "Needle",
    "Neighbours",
    "NoMatch",
    "Outcome",
    "Unplaced",
    "certain",
    "has_marks",
    "is_data",
    "locate",
    "merge",
    "merge_parts",
    "merge_sketch",
    "names_in",
    "nearest_text",
    "put_lines",
]
