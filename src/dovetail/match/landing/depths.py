"""What quoted lines tell of how the reply counts indentation, and how the file does.

The quoted lines are pairs: how deep the reply put a line, and how deep the file has it. They are a law where they are
proof: the same columns in another spelling, or two depths and more that moved alike. Then every depth of the reply has
one in the file. Short of that they tell of their own depths alone, and `reindent` must ask line by line.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import groupby, pairwise
from math import gcd
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.lines.line import TAB, deep, distinctive, indent_of, mark, opens, says, width

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from dovetail.match.landing.fit import Fit

_DEFAULT_UNIT = 4
_SHOW_A_SCALE = 3  # depths
_TABS = (4, 8, 2, 3, 5, 6, 7, 1)


class Placed(NamedTuple):
    """A line, how deep the reply put it, and how deep the file has it or will have.

    at, row: of a line that the reply quotes, its place in the search and in the file.
    """

    line: str
    model: str
    file: str
    at: int = -1
    row: int = -1


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


class Depths:
    """The quoted lines of an edit that tell of depths.

    silent: indices of those that do not, as the file may have them as they were or as they are to be.
    """

    def __init__(self, fit: Fit, silent: Collection[int] = ()) -> None:
        self._search, self._replace, self._document = fit.search, fit.replace, fit.document
        self.references = [
            Placed(line, indent_of(line), indent_of(row), *at)
            for at, (line, row) in zip(fit.alignment.pairs, fit.pairs, strict=True)
            if at[0] not in silent and line.strip() and row.strip()
        ]

    @cached_property
    def _pairs(self) -> list[tuple[str, str]]:
        return sorted({(ref.model, ref.file) for ref in self.references})

    @cached_property
    def _by_model(self) -> dict[str, list[Placed]]:
        """The quoted lines by how deep the reply put them."""
        found: dict[str, list[Placed]] = {}
        for ref in self.references:
            found.setdefault(ref.model, []).append(ref)
        return found

    @cached_property
    def same(self) -> bool:
        """Whether the reply indents as the file does."""
        return all(ref.model == ref.file for ref in self.references)

    @cached_property
    def written(self) -> bool:
        """Whether the replacement indents as the file does, and the search alone does not.

        Its shallowest line is as deep as the file's, no line stands in it as the search has it, and of those that it
        has in common with the search but for their blanks none is shallower than the file has it. Where none is in
        common that tells, no line of the search may be as deep: then the replacement would count as the search does.
        """
        new = [line for line in self._replace if line.strip()]
        margin = _margin(ref.file for ref in self.references)
        if not new or _margin(map(indent_of, new)) != margin or _margin(ref.model for ref in self.references) == margin:
            return False
        texts = [ref.line.strip() for ref in self.references]
        if texts == [line.strip() for line in new] or not {ref.line for ref in self.references}.isdisjoint(new):
            return False
        told = any(line.strip() in texts and distinctive(line) for line in new)
        if not told and any(ref.model == margin for ref in self.references):
            return False
        least: dict[str, int] = {}
        for ref in self.references:
            least[ref.line.strip()] = min(width(ref.file), least.get(ref.line.strip(), width(ref.file)))
        return all(deep(line) >= least.get(line.strip(), 0) for line in new)

    @cached_property
    def unclear(self) -> bool:
        """Whether new lines that indent as the file does may as well count as the search does: no line of the
        replacement stands where the file has it, and the search has a law, or the first stands elsewhere than the
        file's first that is quoted."""
        found = {(ref.line.strip(), ref.file) for ref in self.references}
        first = next(line for line in self._replace if line.strip())
        if not found.isdisjoint((line.strip(), indent_of(line)) for line in self._replace):
            return False
        return self.proven or indent_of(first) != self.references[0].file

    @cached_property
    def lone(self) -> bool:
        """Whether all quoted lines stand at one depth, in the reply and in the file."""
        return len(self._pairs) == 1

    def torn(self, model: str) -> bool:
        """Whether the file has at several depths what the reply put at this one.

        A list's entries may stand as deep as what they hang on, or deeper, and so may a comment's lines behind a star,
        which lose their one blank easily: they are asked apart from other lines.
        """
        found = {(mark(ref.line), width(ref.file)) for ref in self._by_model.get(model, ())}
        return len({mark for mark, _ in found}) < len(found)

    def alike(self, line: str) -> list[Placed]:
        """The quoted lines that the reply put as deep as `line`; where the file has entries elsewhere, of its mark."""
        found = self._by_model.get(indent_of(line), [])
        if len({width(ref.file) for ref in found}) == 1 or self.torn(indent_of(line)):
            return found
        return [ref for ref in found if mark(ref.line) == mark(line)]

    @property
    def proven(self) -> bool:
        """Whether the quoted lines say where lines of other depths go, shallower ones too."""
        return self._law is not None

    @cached_property
    def _law(self) -> Law | None:
        for tab in _TABS:
            shifts = {width(file, tab) - width(model, tab) for model, file in self._pairs}
            several = len({width(model, tab) for model, _ in self._pairs}) > 1
            usual = shifts == {0} and (tab == (self._step or _DEFAULT_UNIT) or self._stops(tab))
            if len(shifts) == 1 and (several or usual):
                return Law(tab, (0, shifts.pop()))
        return self._scale

    def _stops(self, tab: int) -> bool:
        """Whether the reply indents by tab stops so far apart: the file has spaces for its tabs, and fewer of them
        stand behind tabs."""
        behind = [
            len(indent) - len(indent.rstrip(" ")) for indent in map(indent_of, self._replace) if indent[:1] == "\t"
        ]
        told = any("\t" in model and "\t" not in file for model, file in self._pairs)
        return told and 0 < max(behind, default=0) < tab

    @cached_property
    def _step(self) -> int:
        """The spaces by which lines grow deeper, in the file or else in the reply; 0 for neither."""
        return len(self._growth.strip("\t")) or len(growth(self._replace).strip("\t"))

    @cached_property
    def _tabbed(self) -> bool:
        """Whether the file's lines grow deeper by tabs, or none does."""
        return not self._growth.strip("\t")

    @cached_property
    def _growth(self) -> str:
        return growth(self._document.rows)

    @cached_property
    def _scaled(self) -> bool:
        """Whether the file steps in another width than the reply, all lines alike, not merely from another start.

        One width holds the other a number of times; else lines were moved of which some had no room.
        """
        steps = sorted({(width(model), width(file)) for model, file in self._pairs})
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
        if any("\t" in depth for pair in self._pairs for depth in pair):
            return None
        steps = sorted({(len(model), len(file)) for model, file in self._pairs})
        if self._scaled and len(steps) >= _SHOW_A_SCALE:
            origin = steps[0]
            reply, file = (gcd(*(step[side] - origin[side] for step in steps)) for side in (0, 1))
            return Law(TAB, origin, (reply, file))
        told = _steps(self._replace).keys() | _steps(self._search).keys()
        if len(told) != 1 or "\t" in self._growth or not self._growth or not any(model for model, _ in steps):
            return None
        reply, file = len(next(iter(told))), len(self._growth)
        if reply == file or any(model * file != found * reply for model, found in steps):
            return None
        return Law(TAB, (0, 0), (reply, file))

    def skips(self, more: str) -> bool:
        """Whether a line goes deeper by more than a step, in a reply that steps otherwise than the file.

        It may as well count as the file does, of which the quoted lines stand too far left or right.
        """
        return self._scaled and len(more) > len(unit(model for model, _ in self._pairs))

    @cached_property
    def _moved_left(self) -> int:
        """By how many columns the reply put all lines to the left that had the room; 0 where it does not look so.

        A tab is as wide as the law has it: four blanks for one are no line that was moved.
        """
        tab = self._law.tab if self._law is not None else TAB
        moved = {width(file, tab) - width(model, tab) for model, file in self._pairs if model}
        return max(0, *moved) if len(moved) == 1 else 0

    def clamped(self, own: str) -> int | None:
        """The columns of a depth if the reply put lines to the left as far as they had room, by steps of the file's."""
        columns = width(own) + self._moved_left
        return columns if self._moved_left and columns % (self._step or 1) == 0 else None

    def half_a_step(self, depth: str, base: str) -> bool:
        """Whether a line would stand deeper than the one it hangs on by less than a step, which no quoted one does."""
        step = self._step
        return 0 < width(depth) - width(base) < step and not any(width(file) % step for _, file in self._pairs)

    def doubted(self, ref: Placed) -> bool:
        """Whether other lines need not stand where this quoted one does, though the reply put them as deep.

        The reply put it at the margin, and may have put deeper lines there as well; or it tells little, no other that
        says something stands as it does, and all that tell more stand where the reply put them. Or the file has as deep
        a line that the reply put less deep: one of the two is another line than the reply means.
        """
        if ref.model in self._merged and not mark(ref.line):
            return True
        if not ref.model and self._moved_left >= width(ref.file) + (self._step or 1):
            return True
        alike = [other for other in self._by_model[ref.model] if other.file == ref.file]
        if sum(says(other.line) for other in alike) > 1:
            return False
        told = [other for other in self.references if distinctive(other.line)]
        return ref.model != ref.file and bool(told) and all(other.model == other.file for other in told)

    @cached_property
    def _merged(self) -> frozenset[str]:
        """The depths of the reply that the file does not keep deeper than less deep ones."""
        plain = [ref for ref in self.references if not mark(ref.line)]
        pairs = sorted({(width(ref.model), width(ref.file), ref.model) for ref in plain})
        deepest, merged = -1, set[str]()
        for _, group in groupby(pairs, key=itemgetter(0)):
            alike = list(group)
            merged |= {model for _, file, model in alike if file <= deepest}
            deepest = max(deepest, *(file for _, file, _ in alike))
        return frozenset(merged)

    def lawful(self, line: str) -> str | None:
        """Where a line of the reply goes by what is proven; None where that is left of the margin, or nothing is."""
        if self._law is None:
            return None
        tab = self._law.tab
        columns = self._law.moved(width(indent_of(line), tab), starred=mark(line) == "*")
        if columns is None or columns < 0:
            return None
        if any("\t" in ref.file for ref in self.references):
            return "\t" * (columns // tab) + " " * (columns % tab)
        return " " * columns

    def deeper(self, more: str, base: str) -> str:
        """Further indentation, written in the file's unit."""
        file_unit, model_unit = unit(file for _, file in self._pairs), unit(model for model, _ in self._pairs)
        if file_unit == "\t" and "\t" not in more:
            step = width(model_unit) if model_unit.strip("\t") else width(unit([more]))
            return "\t" * (len(more) // (step or _DEFAULT_UNIT)) + " " * (len(more) % (step or _DEFAULT_UNIT))
        if "\t" in more and "\t" not in base and file_unit != "\t" and not self._tabbed:
            return more.replace("\t", " " * self._step or file_unit or " " * _DEFAULT_UNIT)
        if file_unit and model_unit and "\t" not in file_unit + model_unit and len(more) % len(model_unit) == 0:
            return file_unit * (len(more) // len(model_unit)) if self._scaled else more
        return more


def _margin(indents: Iterable[str]) -> str:
    """The shallowest of some indentations."""
    return min(indents, key=width)


def unit(indents: Iterable[str]) -> str:
    """The step in which some indentations grow: a tab, or the greatest common number of spaces; "" for no step."""
    step = 0
    for indent in indents:
        if "\t" in indent:
            return "\t"
        step = gcd(step, len(indent))
    return " " * step


def growth(lines: Iterable[str]) -> str:
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
