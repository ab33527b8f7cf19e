"""In what the nearest text differs from what an edit looks for, as every face says it."""

from __future__ import annotations

from dovetail.model.diagnostics import Difference, Nearest

_SAID = {
    Difference.WHITESPACE: "only blanks differ",
    Difference.INDENTATION: "only the indentation differs",
    Difference.STALE: "the file has changed since the model saw it",
    Difference.MISREMEMBERED: "the text is not quite what the file says",
    Difference.ELIDED: "lines are left out",
    Difference.ALREADY_APPLIED: "the change seems to be there already",
}


def said_of(nearest: Nearest) -> str:
    """``only blanks differ``: a clause, to stand behind how much is alike."""
    return _SAID[nearest.difference]
