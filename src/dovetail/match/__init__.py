"""Where an edit lands in a text. Knows nothing of paths on disk, formats or replies."""

from dovetail.match.ladder import locate
from dovetail.match.landing.merge import Clash, Merged, merge
from dovetail.match.lines.document import Document
from dovetail.match.outcome import AlreadyApplied, Ambiguous, Match, Needle, Neighbours, NoMatch, Outcome

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
    "locate",
    "merge",
]
