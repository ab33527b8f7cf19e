"""How all depths of a reply move to those of a file, where its quoted lines prove it.

They are proof where they are the same columns in another spelling, where two depths and more moved alike, or where both
sides step in widths of their own. Owns what is asked of pairs of depths, the reply's and the file's, all lines alike;
which lines those are, and what single ones tell where there is no law, is asked in `depths`.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.line import TAB, indent_of, mark, opens, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dovetail.match.landing.fit import Fit

_DEFAULT_UNIT = 4
_SHOW_A_SCALE = 3  # depths
_TABS = (4, 8, 2, 3, 5, 6, 7, 1)


class Law(NamedTuple):
    """How all depths move.

    tab: the columns of a tab. origin: a depth of the reply, and where it goes. steps: from there, so many columns of
    the reply are so many of the file.
    """

    tab: int
    origin: tuple[int, int]
    steps: tuple[int, int] = (1, 1)

    def moved(self, columns: int, *, starred: bool) -> int | None:
        """Where a depth of the reply goes; None between two steps, where only a comment's line with a star stands."""
        whole, rest = divmod(columns - self.origin[0], self.steps[0])
        if rest and not (starred and rest == 1):
            return None
        return self.origin[1] + whole * self.steps[1] + rest


class Counting:
    """How the reply counts depths, and how the file does: `pairs` of depths, and how the lines of each grow deeper."""

    def __init__(self, pairs: Sequence[tuple[str, str]], fit: Fit) -> None:
        self.pairs = pairs
        self._search, self._replace, self._rows = fit.search, fit.replace, fit.document.rows

    @property
    def lone(self) -> bool:
        """Whether all quoted lines stand at one depth, in the reply and in the file."""
        return len(self.pairs) == 1

    @property
    def proven(self) -> bool:
        """Whether the quoted lines say where lines of other depths go, shallower ones too."""
        return self.law is not None

    @cached_property
    def law(self) -> Law | None:
        """What is proven; None where nothing is."""
        for tab in _TABS:
            shifts = {width(file, tab) - width(model, tab) for model, file in self.pairs}
            several = len({width(model, tab) for model, _ in self.pairs}) > 1
            usual = shifts == {0} and (tab == (self.step or _DEFAULT_UNIT) or self._stops(tab))
            if len(shifts) == 1 and (several or usual):
                return Law(tab, (0, shifts.pop()))
        return self._scale

    @cached_property
    def restepped(self) -> int:
        """The columns by which the reply's lines grow deeper, where the file's do so by others; else 0."""
        return self.law.steps[0] if self.law is not None and self.law.steps[0] != self.law.steps[1] else 0

    def _stops(self, tab: int) -> bool:
        """Whether the reply indents by tab stops so far apart: the file has spaces for its tabs, and fewer of them
        stand behind tabs."""
        behind = [
            len(indent) - len(indent.rstrip(" ")) for indent in map(indent_of, self._replace) if indent[:1] == "\t"
        ]
        told = any("\t" in model and "\t" not in file for model, file in self.pairs)
        return told and 0 < max(behind, default=0) < tab

    @cached_property
    def step(self) -> int:
        """The spaces by which lines grow deeper, in the file or else in the reply; 0 for neither."""
        return len(self.growth.strip("\t")) or len(grown(self._replace).strip("\t"))

    @cached_property
    def tabbed(self) -> bool:
        """Whether the file's lines grow deeper by tabs, or none does."""
        return not self.growth.strip("\t")

    @cached_property
    def growth(self) -> str:
        """What the file's lines add to the depth of the line above."""
        return grown(self._rows)

    @cached_property
    def scaled(self) -> bool:
        """Whether the file steps in another width than the reply, all lines alike, not merely from another start.

        One width holds the other a number of times; else lines were moved of which some had no room.
        """
        steps = sorted({(width(model), width(file)) for model, file in self.pairs})
        (low, start), (high, end) = steps[0], steps[-1]
        if high - low == end - start or high == low or gcd(high - low, end - start) < min(high - low, end - start):
            return False
        return all((found - start) * (high - low) == (wanted - low) * (end - start) for wanted, found in steps)

    @property
    def _scale(self) -> Law | None:
        """The law of a file that steps in another width than the reply.

        Three depths show it, as none of them was moved and had no room; so do fewer where the reply's lines, old and
        new, step by what its depths are of the file's.
        """
        if any("\t" in depth for pair in self.pairs for depth in pair):
            return None
        steps = sorted({(len(model), len(file)) for model, file in self.pairs})
        if self.scaled and len(steps) >= _SHOW_A_SCALE:
            origin = steps[0]
            reply, file = (gcd(*(step[side] - origin[side] for step in steps)) for side in (0, 1))
            return Law(TAB, origin, (reply, file))
        told = _steps(self._replace).keys() | _steps(self._search).keys()
        if len(told) != 1 or "\t" in self.growth or not self.growth or not any(model for model, _ in steps):
            return None
        reply, file = len(next(iter(told))), len(self.growth)
        if reply == file or any(model * file != found * reply for model, found in steps):
            return None
        return Law(TAB, (0, 0), (reply, file))

    def lawful(self, line: str) -> str | None:
        """Where a line of the reply goes by what is proven; None where that is left of the margin, or nothing is."""
        if self.law is None:
            return None
        tab = self.law.tab
        columns = self.law.moved(width(indent_of(line), tab), starred=mark(line) == "*")
        if columns is None or columns < 0:
            return None
        if any("\t" in file for _, file in self.pairs):
            return "\t" * (columns // tab) + " " * (columns % tab)
        return " " * columns

    def skips(self, more: str) -> bool:
        """Whether a line goes deeper by more than a step, in a reply that steps otherwise than the file.

        It may as well count as the file does, of which the quoted lines stand too far left or right.
        """
        return self.scaled and len(more) > len(unit(model for model, _ in self.pairs))

    @cached_property
    def moved_left(self) -> int:
        """By how many columns the reply put all lines to the left that had the room; 0 where it does not look so.

        A tab is as wide as the law has it: four blanks for one are no line that was moved.
        """
        tab = self.law.tab if self.law is not None else TAB
        moved = {width(file, tab) - width(model, tab) for model, file in self.pairs if model}
        return max(0, *moved) if len(moved) == 1 else 0

    def clamped(self, own: str) -> int | None:
        """The columns of a depth if the reply put lines to the left as far as they had room, by steps of the file's."""
        columns = width(own) + self.moved_left
        return columns if self.moved_left and columns % (self.step or 1) == 0 else None

    def half_a_step(self, depth: str, base: str) -> bool:
        """Whether a line would stand deeper than the one it hangs on by less than a step, which no quoted one does."""
        step = self.step
        return 0 < width(depth) - width(base) < step and not any(width(file) % step for _, file in self.pairs)

    def deeper(self, more: str, base: str) -> str:
        """Further indentation, written in the file's unit."""
        file_unit, model_unit = unit(file for _, file in self.pairs), unit(model for model, _ in self.pairs)
        if file_unit == "\t" and "\t" not in more:
            step = width(model_unit) if model_unit.strip("\t") else width(unit([more]))
            return "\t" * (len(more) // (step or _DEFAULT_UNIT)) + " " * (len(more) % (step or _DEFAULT_UNIT))
        if "\t" in more and "\t" not in base and file_unit != "\t" and not self.tabbed:
            return more.replace("\t", " " * self.step or file_unit or " " * _DEFAULT_UNIT)
        if file_unit and model_unit and "\t" not in file_unit + model_unit and len(more) % len(model_unit) == 0:
            return file_unit * (len(more) // len(model_unit)) if self.scaled else more
        return more


def unit(indents: Iterable[str]) -> str:
    """The step in which some indentations grow: a tab, or the greatest common number of spaces; "" for no step."""
    step = 0
    for indent in indents:
        if "\t" in indent:
            return "\t"
        step = gcd(step, len(indent))
    return " " * step


def grown(lines: Iterable[str]) -> str:
    """What lines most often add to the depth of the line above, where that opens a block; where none does, of any.

    "" where nothing grows.
    """
    steps = _steps(lines)
    return max(steps, key=steps.__getitem__, default="")


def _steps(lines: Iterable[str]) -> Counter[str]:
    """How often lines add what to the depth of the line above, where that opens a block; where none does, of any.

    Lines that begin with a star are left out: they stand a column into a comment.
    """
    inside: Counter[str] = Counter()
    behind: Counter[str] = Counter()
    for above, below in pairwise(line for line in lines if line.strip() and mark(line) != "*"):
        depth, deeper = indent_of(above), indent_of(below)
        if len(deeper) > len(depth) and deeper.startswith(depth):
            (inside if opens(above) else behind)[deeper[len(depth) :]] += 1
    return inside or behind
