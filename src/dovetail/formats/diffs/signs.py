"""Whether a text in a call's field is a patch, and of which kind: by the first line that begins one.

Every reader of calls asks here. What a line of the reply itself begins, the scanner asks each machine.
"""

from __future__ import annotations

from enum import Enum

from dovetail.text.pattern import pattern


class PatchKind(Enum):
    """What a patch is written as. HUNKS are a diff's without the head that names its file."""

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
    """Return what the first sign of a patch in a text says it is; None where no line has one."""
    found = _SIGN.search(text)
    return PatchKind(found.lastgroup) if found is not None else None


def begins_patch(text: str) -> PatchKind | None:
    """The same, but that the text's first line that is not blank must have the sign. Added lines alone are HUNKS."""
    start = text.lstrip("\r\n")
    found = _SIGN.match(start)
    if found is not None:
        return PatchKind(found.lastgroup)
    return PatchKind.HUNKS if start.startswith("+") and not start.startswith("++") else None
