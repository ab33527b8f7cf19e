"""Tier `exact`: nothing differs but line ends. Whole lines, or any run of characters where the format says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.landing.candidates import ExactLines, Run
from dovetail.model.codes import Tier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.question import Question


def find(question: Question) -> Sequence[Candidate]:
    """Places in file order; those of a run of characters may overlap."""
    needle, document = question.needle, question.document
    if needle.inline:
        return [Run(document, Tier.EXACT, needle.search, needle.replace, span) for span in document.runs(needle.search)]
    return [ExactLines(document, question.change, span) for span in document.whole_lines(needle.search)]
