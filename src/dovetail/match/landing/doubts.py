"""Second readings: whether re-indented lines could as well have been meant at another depth.

Where the quoted lines prove no law (`depths`), a new line's depth is read off single lines. It is doubtful where the
result steps otherwise than the reply does, where the reply seems to have lost its indentation, or where the lines
quoted may be the only ones that stand wrong. A doubt is a refusal, never another depth.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.line import closes, deep, distinctive, full, indent_of, mark, opens, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.depths import Depths, Placed
    from dovetail.text.linediff import Hunk


class Hung(NamedTuple):
    """The new lines of a hunk, blank ones left out, and the quoted line on either side, where there is one.

    heads: whether a block hangs, in the file, on the first line that is quoted; `parts`: on the one above, so that new
    lines no deeper than it would part them.
    """

    hunk: Hunk
    above: Placed | None
    new: Sequence[Placed]
    below: Placed | None
    heads: bool
    parts: bool

    @property
    def all(self) -> list[Placed]:
        """All of them, in order."""
        return [line for line in (self.above, *self.new, self.below) if line is not None]


def doubtful(hung: Hung, depths: Depths, replace: Sequence[str]) -> bool:
    """Whether there is a second reading of the new lines."""
    if not hung.new:
        return False
    if any(
        _flattened(upper, lower) and (depths.counting.lone or not upper.model) for upper, lower in pairwise(hung.all)
    ):
        return True
    if any(
        _flat_to_the_end(upper, lower) and (depths.counting.lone or not lower.model)
        for upper, lower in pairwise(hung.all)
    ):
        return True
    if hung.parts and not opens(hung.new[-1].line):
        return True
    if depths.counting.lone:
        return _quoted_alone_wrong(hung, depths.references, replace)
    if hung.hunk.one_for_one:
        replaced = [
            ref for ref in depths.references if hung.hunk.a1 <= ref.at < hung.hunk.a2 and depths.torn(ref.model)
        ]
        return any(opens(ref.line) != opens(replace[ref.at - hung.hunk.a1 + hung.hunk.b1]) for ref in replaced)
    first = 0 if hung.hunk.b1 else 1  # the reply's first line may have lost its blanks
    return not all(_in_step(one, other) for one in hung.new[first:] for other in hung.new[first:])


def _flattened(upper: Placed, lower: Placed) -> bool:
    """Whether a line opens a block, and the next one is no deeper and not its end."""
    return opens(upper.line) and not closes(lower.line) and width(lower.file) <= width(upper.file)


def _flat_to_the_end(upper: Placed, lower: Placed) -> bool:
    """Whether a line ends a block, and the one before it is no deeper, and no end itself."""
    ends = closes(lower.line) and not (closes(upper.line) or opens(upper.line))
    return ends and width(upper.file) <= width(lower.file)


def _in_step(one: Placed, other: Placed) -> bool:
    """Whether a line that the reply has shallower than another stays shallower; an entry may come as far left."""
    if width(one.model) >= width(other.model) or width(one.file) < width(other.file):
        return True
    return width(one.file) == width(other.file) and mark(other.line) == "-" != mark(one.line)


def _quoted_alone_wrong(hung: Hung, references: Sequence[Placed], replace: Sequence[str]) -> bool:
    """Whether the quoted lines, all at one depth, may stand wrong while others stand where the file would have them."""
    quoted = references[0]
    if hung.above is not None and not opens(hung.above.line):
        first = hung.new[0].model
        if width(first) > width(quoted.model) and width(first) == width(quoted.file):
            return True
    if len([ref for ref in references if distinctive(ref.line)]) > 1:
        return False
    return _lost_blanks(quoted, replace) or _set_off(quoted, hung, replace)


def _lost_blanks(quoted: Placed, replace: Sequence[str]) -> bool:
    """Whether the reply's only quoted line may have lost the blanks that all others have kept."""
    first, *others = (line for line in replace if line.strip())
    if quoted.model or not others or not all(map(indent_of, others)):
        return False
    return not opens(first) or deep(others[0]) > width(quoted.file)


def _set_off(quoted: Placed, hung: Hung, replace: Sequence[str]) -> bool:
    """Whether a block of its own is set off from the reply's only quoted line, and not put before another block.

    It is no part of what the line is part of: the line may stand elsewhere than the reply has it, the block need not.
    """
    hunk, behind = hung.hunk, quoted.at < hung.hunk.a1
    if not hunk.inserts or len({line.model for line in hung.new}) == 1 or (hung.heads and not behind):
        return False
    said = full(replace[hunk.b1 : hunk.b2])
    return not replace[hunk.b1 + (said[0] - 1 if behind else said[-1] + 1)].strip()
