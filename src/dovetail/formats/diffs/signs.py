"""Tells whether a text in a call's field is a patch, and of which kind, by the first line that begins one.

For readers of calls only: for the reply's own lines the scanner asks each format's machine.
"""

from __future__ import annotations

from enum import Enum

from dovetail.text.pattern import pattern


class PatchKind(Enum):
    """The notation of a patch. HUNKS are those of a diff without the head that names its file."""

    SECTIONS = "sections"
    DIFF = "diff"
    BLOCKS = "blocks"
    HUNKS = "hunks"


# `*** Update File: a.py`; `--- a/x.py` above `+++ b/x.py`, `diff --git a/x.py b/x.py`; `<<<<<<< SEARCH`,
# `------- SEARCH`; `@@ -1,2 +1,2 @@`, `@@`. Not `*** note ***`, a rule `---`, or `@@count = 1`, which is Ruby.
_SIGN = pattern(
    r"(?m)^[ \t]*+(?:(?P<sections>\*{3} ?(?:Begin|Update|Add|Delete)\b)|(?P<diff>--- .*\n[ \t]*+\+{3} |diff --git )"
    r"|(?P<blocks>(?:[<-]{5,9}|<{3,4}) ?(?:SEARCH|ORIGINAL)\b)|(?P<hunks>@@(?:[ \t-].*)?$))"
)


def patch_kind(text: str) -> PatchKind | None:
    """Return the kind of patch by the first line of a text that begins one, or None if no line does."""
    found = _SIGN.search(text)
    return PatchKind(found.lastgroup) if found is not None else None


def begins_patch(text: str) -> PatchKind | None:
    """Return the same if the text's first line that is not empty begins it, else None. Added lines alone are HUNKS."""
    start = text.lstrip("\r\n")
    found = _SIGN.match(start)
    if found is not None:
        return PatchKind(found.lastgroup)
    return PatchKind.HUNKS if start.startswith("+") and not start.startswith("++") else None
