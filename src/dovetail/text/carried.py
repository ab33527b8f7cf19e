"""Lines as they become others: each keeps who wrote it, and one that goes keeps its place and who took it away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dovetail.text.diff import diff


class Line(NamedTuple):
    """A line, and who wrote it: "" for somebody who is not known.

    removed_by: who took it away; None where it stands.
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
