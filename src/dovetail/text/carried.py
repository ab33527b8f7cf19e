"""Who wrote each line, carried through changes: a removed line keeps its place and who removed it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dovetail.text.diff import diff


class Line(NamedTuple):
    """A line, and who wrote it: "" if that is not known.

    removed_by: who removed it; None if it is still there.
    """

    text: str
    writer: str = ""
    removed_by: str | None = None


def carried(lines: Sequence[Line], after: Sequence[str], writer: str) -> list[Line]:
    """Return the lines after a change: those that stay keep their writer, and new ones are the writer's.

    Removed lines stay in the list, at their place, with who took them away.
    """
    standing = [at for at, line in enumerate(lines) if line.removed_by is None]
    found: list[Line] = []
    at = 0
    for hunk in diff([lines[n].text for n in standing], list(after)):
        first = standing[hunk.a1] if hunk.a1 < len(standing) else len(lines)
        last = standing[hunk.a2 - 1] + 1 if hunk.a2 > hunk.a1 else first
        found += lines[at:first]
        found += [
            line if line.removed_by is not None else line._replace(removed_by=writer) for line in lines[first:last]
        ]
        found += [Line(text, writer) for text in after[hunk.b1 : hunk.b2]]
        at = last
    return [*found, *lines[at:]]
