"""Whole-file replies that leave lines out: finds the marks, and puts the file's own lines back in their place.

Refuses wherever two readings are possible: a wrong place is far worse than a refusal.

The idea: both texts are outlines. A unit is a line with the deeper lines below it, up to the line that closes it. A
mark stands for those units of the file, at its own depth and between its neighbours, that the new text does not
name.

The invariant: every line of the file is kept, or stands next to lines of the new text that replace it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dovetail.model.text import join_lines, split_lines
from dovetail.plan.texts.pairs import defined, is_version, paired, says_again
from dovetail.plan.texts.units import TooDeepError, Unit, crooked, outline
from dovetail.text.line import closes
from dovetail.text.linediff import diff

_WORDS = re.compile(r"\s*[rRuU]?(\"\"\"|'''|\"|'|//|/\*|#(?!include|define|if|else|end|pragma)|--|<!--)")
_JUMPS = frozenset({"return", "raise", "throw", "break", "continue", "goto"})
_SHORT = 3


@dataclass(frozen=True, slots=True)
class Spliced:
    """The completed text, lines closed by ``\\n``, and how many of the file's lines the marks stood for."""

    text: str
    kept: int


class UnclearError(Exception):
    """A mark, or what is next to it, has more than one reading. `line` counts from 0, in the new text."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def splice(before: str, new: str, marks: Sequence[int]) -> Spliced:
    """Complete `new` from `before` at its marks. Raises `UnclearError`."""
    try:
        return _Splice(split_lines(before), split_lines(new), frozenset(marks)).run()
    except TooDeepError:
        raise UnclearError(marks[0], "the text nests too deep to say which") from None


@dataclass
class _Splice:
    old: list[str]
    new: list[str]
    marks: frozenset[int]
    kept: int = 0

    def run(self) -> Spliced:
        units = outline(self.new, 0, len(self.new), self.marks)
        file = outline(self.old, 0, len(self.old), frozenset())
        self._must_have_ends(units, file)
        lines = self._level(units, file, 0, len(self.new))
        lines += self.new[units[-1].end :] if units and not units[-1].mark else self.old[file[-1].end :] if file else []
        return Spliced(join_lines(lines), self.kept)

    def _level(self, units: list[Unit], file: list[Unit], start: int, end: int) -> list[str]:
        """Lines of one depth of the new text, completed from the same depth of the file."""
        if not any(mark in self.marks for mark in range(start, end)):
            return self.new[start:end]
        self._must_be_straight(units, file)
        pairs = paired(self.new, units, self.old, file)
        self._must_be_complete(units, file, pairs)
        lines: list[str] = []
        run: list[Unit] = []
        at = 0
        for unit in units:
            partner = None if unit.mark else pairs.get(unit.first)
            if partner is None:
                run.append(unit)
                continue
            if partner < at:
                raise UnclearError(unit.first, "its parts stand in another order than the file's")
            lines += self._gap(run, file[at:partner], unit)
            lines += self._unit(unit, file[partner], after_mark=bool(run) and run[-1].mark)
            run, at = [], partner + 1
        return lines + self._gap(run, file[at:], None)

    def _gap(self, run: list[Unit], left: list[Unit], below: Unit | None) -> list[str]:
        """The stretch between two named units: `run` in the new text, `left` in the file."""
        marks = [i for i, unit in enumerate(run) if unit.mark]
        if not marks:
            self._may_drop(run, left, below)
            return [line for unit in run for line in self._explicit(unit)]
        if len(marks) > 1 and left:
            raise UnclearError(run[marks[1]].first, "nothing between two such lines says where it belongs")
        for unit in run:
            if not unit.mark:
                self._must_be_new(unit, left)
        self._must_be_reached(run[: marks[0]], run[marks[0] + 1 :], left)
        lines: list[str] = []
        for index, unit in enumerate(run):
            if index == marks[0] and left:
                lines += self.old[left[0].gap : left[-1].end]
                self.kept += left[-1].end - left[0].gap
            elif not unit.mark:
                lines += self._explicit(unit)
        return lines

    def _must_have_ends(self, units: list[Unit], file: list[Unit]) -> None:
        """A text is refused that begins with a later unit of the file, or ends with an earlier one: nobody saw the file
        without its first or last lines, and the text may leave them out unmarked."""
        pairs = paired(self.new, units, self.old, file)
        for unit, end in ((units[0], 0), (units[-1], len(file) - 1)) if units and file else ():
            partner = pairs.get(unit.first, end)
            if partner != end and not unit.mark:
                lost = file[:partner] if end == 0 else file[partner + 1 :]
                reason = f"lines {lost[0].first + 1} to {lost[-1].end} of the file are not named"
                raise UnclearError(unit.first, reason)

    def _must_be_straight(self, units: list[Unit], file: list[Unit]) -> None:
        """A mark between units is refused where one of them may not be what its indentation says."""
        mark = next((unit.first for unit in units if unit.mark), None)
        if mark is not None and (
            any(crooked(self.new, unit) for unit in units) or any(crooked(self.old, unit) for unit in file)
        ):
            raise UnclearError(mark, "the lines around it are not indented as they nest")

    def _must_be_complete(self, units: list[Unit], file: list[Unit], pairs: dict[int, int]) -> None:
        """A mark right behind a unit that leaves a bracket open, or stops where the file's goes on, is refused: it may
        stand inside, whatever its depth."""
        for unit, below in pairwise(units):
            if not below.mark or unit.mark:
                continue
            other = file[pairs[unit.first]] if unit.first in pairs else None
            had = _left_open(self.old[other.first : other.end]) if other is not None else 0
            if _left_open(self.new[unit.first : unit.end]) > had:
                raise UnclearError(below.first, f"a bracket of line {unit.first + 1} is still open there")
            if other is not None and (lost := self._cut_off(unit, other)) > 0:
                reason = f"the file has {lost} more lines there that belong to line {unit.first + 1}"
                raise UnclearError(below.first, reason)

    def _cut_off(self, unit: Unit, other: Unit) -> int:
        """How many lines a unit has in the file behind its last one, if they are more than one would take away, or end
        with a jump or what closes it."""
        (line, _), (theirs, _) = unit.parts[-1], other.parts[-1]
        new, old = (
            [x for x in map(str.strip, lines) if x]
            for lines in (self.new[line + 1 : unit.end], self.old[theirs + 1 : other.end])
        )
        hunks = diff(old, new)
        if not new or not old or not hunks or hunks[-1].a2 < len(old):
            return 0
        last = hunks[-1]
        went_on = [i for i in last.old if is_version(old[i], new[-1])] if not last.deletes else [last.a1 - 1]
        lost = len(old) - 1 - went_on[0] if went_on else 0
        ends = lost and any(said(old[-1]) and not said(new[-1]) for said in (_jumps, closes))
        return lost if lost > _SHORT or ends else 0

    def _must_be_reached(self, above: list[Unit], below: list[Unit], left: list[Unit]) -> None:
        """New units around a mark are refused where they, or the lines that it stands for, would come behind a jump."""
        for unit in above:
            if left and _jumps(self.new[unit.first]):
                raise UnclearError(unit.first, "nothing behind it would ever be reached")
        for unit in below:
            if left and _jumps(self.old[left[-1].first]):
                reason = f"nothing behind line {left[-1].first + 1} of the file would ever be reached"
                raise UnclearError(unit.first, reason)

    def _may_drop(self, run: list[Unit], left: list[Unit], below: Unit | None) -> None:
        """Lines of the file that the new text passes over in full view are gone, if they are few or replaced."""
        lost = [unit for unit in left if _nests(unit)]
        if sum(unit.end - unit.first for unit in left) > _SHORT + 2 * sum(unit.end - unit.first for unit in run):
            lost = lost or left
        if lost:
            line = run[0].first if run else below.first if below is not None else len(self.new) - 1
            raise UnclearError(line, f"lines {lost[0].first + 1} to {lost[-1].end} of the file are not named")

    def _must_be_new(self, unit: Unit, left: list[Unit]) -> None:
        """A unit next to a mark is refused where it may be a version of one that the mark stands for."""
        name, words = defined(self.new[unit.first]), _opens_words(self.new[unit.first])
        for other in left:
            line = self.old[other.first]
            beside = other is left[0] or other is left[-1]
            again = beside and (says_again(line, self.new[unit.first]) or (words and _opens_words(line) == words))
            if (name is not None and defined(line) == name) or again:
                reason = f"nothing says whether it replaces line {other.first + 1} of the file"
                raise UnclearError(unit.first, reason)

    def _explicit(self, unit: Unit) -> list[str]:
        hidden = next((mark for mark in range(unit.first, unit.end) if mark in self.marks), None)
        if hidden is not None:
            raise UnclearError(hidden, "the file has nothing that the lines around it name")
        return self.new[unit.gap : unit.end]

    def _unit(self, unit: Unit, other: Unit, *, after_mark: bool) -> list[str]:
        """A named unit: as the new text has it, with what its own marks stand for."""
        blank = self.old[other.gap : other.first] if after_mark else self.new[unit.gap : unit.first]
        if not any(line in self.marks for line in range(unit.first, unit.end)):
            if _nests(other) and not _nests(unit):
                raise UnclearError(unit.first, f"what is below line {other.first + 1} of the file is not named")
            return [*blank, *self.new[unit.first : unit.end]]
        if len(unit.parts) != len(other.parts):
            raise UnclearError(unit.first, f"its parts are not those of line {other.first + 1} of the file")
        lines = list(blank)
        ends = [*(line for line, _ in unit.parts[1:]), unit.end]
        for (line, below), (_, theirs), end in zip(unit.parts, other.parts, ends, strict=True):
            lines.append(self.new[line])
            lines += self._level(below, theirs, line + 1, end)
        return lines


def _opens_words(line: str) -> str:
    """How a line of words for people begins: a quote or a comment's mark; "" for code."""
    found = _WORDS.match(line)
    return found.group(1) if found else ""


def _jumps(line: str) -> bool:
    """Whether a line leaves the block that it stands in."""
    found = re.match(r"\s*(\w+)", line)
    return found is not None and found[1] in _JUMPS


def _left_open(lines: Sequence[str]) -> int:
    """How many brackets more are opened than closed."""
    return sum(line.count(char) for line in lines for char in "([{") - sum(
        line.count(char) for line in lines for char in ")]}"
    )


def _nests(unit: Unit) -> bool:
    return any(below for _, below in unit.parts)
