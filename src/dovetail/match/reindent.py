"""How deep a line of the replacement stands in the file.

The search says how the model counts indentation, its partners in the file how the file does. Each line of the
replacement takes the file's indentation of the nearest search line that the model indented alike; failing that, it
follows the law that the lines prove (`depths`), or the nearest shallower one plus what the line has more, in the file's
own unit. Lines that are not inserted are never asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.depths import Depths, Reference
from dovetail.match.lines import indent_of, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.alignment import Alignment
    from dovetail.match.document import Document
    from dovetail.match.linediff import Hunk

_OPENERS = tuple("{([:")
_CLOSERS = tuple("})]")


class Indenter:
    """Re-indents lines for one alignment."""

    def __init__(self, document: Document, search: Sequence[str], replace: Sequence[str], alignment: Alignment) -> None:
        rows, self._replace = document.rows, replace
        self._references = [
            Reference(i, j, search[i], indent_of(search[i]), indent_of(rows[j]))
            for i, j in alignment.pairs()
            if search[i].strip() and rows[j].strip()
        ]
        self._depths = Depths(self._references, replace, document)

    def indent(self, hunk: Hunk) -> list[str] | None:
        """The new lines of a hunk as they stand in the file; blank lines stay as they are.

        None where the lines around put the same indentation of the model's at different depths of the file, and
        nothing tells which of them a new line belongs to.
        """
        lines = self._replace[hunk.b1 : hunk.b2]
        if self._depths.same:
            return list(lines)
        done: list[str] = []
        for n, line in enumerate(lines):
            own = indent_of(line)
            depth = self._depth(own, n, len(lines), hunk) if line.strip() else own
            if depth is None:
                return None
            done.append(depth + line[len(own) :])
        return done

    def _depth(self, own: str, n: int, count: int, hunk: Hunk) -> str | None:
        """How deep the file puts new line `n` of `count`, which the model indented by `own`."""
        alike = [ref for ref in self._references if ref.model == own]
        inside = [ref for ref in alike if hunk.a1 <= ref.at < hunk.a2]
        if inside and (count == hunk.a2 - hunk.a1 or len({ref.file for ref in inside}) == 1):
            return min(inside, key=lambda ref: abs(ref.at - hunk.a1 - n)).file
        above = [ref for ref in alike if ref.at < hunk.a2]
        below = [ref for ref in alike if ref.at >= hunk.a1 and ref not in inside]
        if above and below and above[-1].file != below[0].file:
            return _between(above[-1], below[0], hunk)
        if alike:
            return (above[-1] if above else below[0]).file
        return self._unlike(own, hunk.a1)

    def _unlike(self, own: str, near: int) -> str | None:
        """The depth of a line that the model indented like no line of the search; None where that leaves a doubt."""
        if self._depths.proven:
            return self._depths.lawful(own)
        by_distance = sorted(self._references, key=lambda ref: abs(ref.at - near))
        shallower = [ref for ref in by_distance if own.startswith(ref.model)]
        if shallower:
            deepest = max(shallower, key=lambda ref: len(ref.model))
            return deepest.file + self._depths.deeper(own[len(deepest.model) :], deepest.file)
        if len({width(ref.file) - width(ref.model) for ref in self._references}) > 1:
            return None  # shallower than all, and they were not moved alike
        ref = by_distance[0]
        columns = max(0, width(ref.file) + width(own) - width(ref.model))
        return "\t" * (columns // 8) + " " * (columns % 8) if "\t" in ref.file else " " * columns


def _between(above: Reference, below: Reference, hunk: Hunk) -> str | None:
    """The depth of a line between two that the model put alike and the file does not.

    It goes with the one that stands next to it; with both, it is inside what opens above or before what closes below.
    """
    touches_above, touches_below = above.at == hunk.a1 - 1, below.at == hunk.a2
    if touches_above != touches_below:
        return above.file if touches_above else below.file
    opens, closes = above.line.rstrip()[-1:] in _OPENERS, below.line.lstrip()[:1] in _CLOSERS
    if opens == closes or not touches_above:
        return None
    return below.file if opens else above.file
