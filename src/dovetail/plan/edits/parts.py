"""Which part of an `anchored` or `guillemet` block the file does not have.

These formats promise to say so: the leading anchor, the old lines behind it, the trailing anchor, or their sequence.
"""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.model.blocks import Parts
from dovetail.model.codes import Code
from dovetail.model.text import Text, split_lines
from dovetail.plan.outcomes import Rejected


def failing_part(document: Text, parts: Parts) -> Rejected | None:
    """The first part that is not where it should be, in words; None where all stand, in another order or apart."""
    leading, old, trailing = (split_lines(part) for part in (parts.leading, parts.old, parts.trailing))
    ends = _ends(document.lines, leading, range(len(document) + 1))
    if leading and not ends:
        reason = f"The leading anchor is not in the file: {_first(leading)}"
        return Rejected(Code.ANCHOR_MISSING, reason, "Copy the anchor from the file as it is now.")
    behind = _ends(document.lines, old, ends)
    if old and not behind:
        where = f"behind the leading anchor, at line {ends[0] + 1}" if leading else "in the file"
        reason = f"The old lines are not {where}: {_first(old)}"
        return Rejected(Code.OLD_DIFFERS, reason, "Copy the old lines from the file as it is now.")
    if trailing and not _ends(document.lines, trailing, behind):
        where = f"behind the old lines, at line {behind[0] + 1}" if leading or old else "in the file"
        reason = f"The trailing anchor is not {where}: {_first(trailing)}"
        return Rejected(Code.TRAILING_DIFFERS, reason, "Copy the trailing anchor from the file as it is now.")
    return None


def _ends(lines: Sequence[str], part: Sequence[str], starts: Sequence[int]) -> list[int]:
    """For each start at which the part stands, the index of the line behind it."""
    size = len(part)
    return [start + size for start in starts if list(lines[start : start + size]) == list(part)]


def _first(part: Sequence[str]) -> str:
    return next((line.strip() for line in part if line.strip()), "")
