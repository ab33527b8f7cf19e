"""Lines of a listing that say something in its language or in its file, and may stand for others all the same.

Such are three dots alone in Python, and words of omission that the file has too. Their place decides: both texts are
walked side by side as outlines. What the file has among the same units is content. So is what has nothing vanish around
it; where the file's lines vanish, the line stands for them.

Owns that reading of one line. Knows nothing of lines in units that the file does not have, and says so; what stands in
a string is text, and is left out.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from dovetail.plan.texts.pairs import paired
from dovetail.plan.texts.units import TooDeepError, Unit, outline

_DOTS = re.compile(r"\s*\.\.\.\s*(?:#.*)?")
_STUB_HEAD = re.compile(r".*:\s*\.\.\.\s*(?:#.*)?")
_TO_BE_WRITTEN = re.compile(r"pass\b|raise NotImplementedError\b|\.\.\.|#|@")
_QUOTES = re.compile(r"\"\"\"|'''|#[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_LONG_QUOTES = ('"""', "'''")
_DOCUMENTS = re.compile(r"\s*[rRuU]?[\"']")


class Meaning(enum.Enum):
    """What a line is: content, a word for lines that are left out, either of them, or among units nobody knows."""

    CONTENT = enum.auto()
    STANDS_FOR_LINES = enum.auto()
    UNCLEAR = enum.auto()
    UNKNOWN = enum.auto()


def meanings(
    before: Sequence[str], new: Sequence[str], *, python: bool, stands: Callable[[str], bool]
) -> dict[int, Meaning]:
    """What the lines of `new` are, by number, that may be meant either way; `stands` knows words of omission."""
    dots = _code_dots(new) if python else frozenset()
    known = {line.strip() for line in before}
    words = {i for i, line in enumerate(new) if i not in dots and line.strip() in known and stands(line)}
    heads = python and any(map(_STUB_HEAD.fullmatch, new))
    if not dots and not words and not heads:
        return {}
    said = {new[i].strip() for i in words}
    same = {i for i, line in enumerate(before) if line.strip() in said} | (_code_dots(before) if python else set())
    walk = _Walk(before, new, frozenset(same), frozenset(dots | words), dots, python)
    try:
        walk.run()
    except TooDeepError:
        walk.found = {}
    return {**dict.fromkeys(dots, Meaning.UNKNOWN), **walk.found}


@dataclass
class _Walk:
    """`ours` are the lines in question of `new`, three dots among them `dots`; `theirs` are those of `old` alike."""

    old: Sequence[str]
    new: Sequence[str]
    theirs: frozenset[int]
    ours: frozenset[int]
    dots: frozenset[int]
    python: bool
    found: dict[int, Meaning] = field(default_factory=dict)

    @cached_property
    def strings(self) -> set[int]:
        """Lines of `new` that begin inside a string."""
        return _in_strings(self.new) if self.python else set()

    def run(self) -> None:
        units = outline(self.new, 0, len(self.new), self.ours)
        self._level(units, outline(self.old, 0, len(self.old), self.theirs), alike=True)

    def _level(self, units: list[Unit], file: list[Unit], *, alike: bool) -> None:
        """Units of one depth; `alike` where the lines above it that they belong to are the file's to the letter."""
        self._read(units, file, alike=alike)
        pairs = paired(self.new, units, self.old, file)
        for at, unit in enumerate(units):
            if not unit.mark and unit.first in pairs:
                index = pairs[unit.first]
                decorated = _decorators(self.new, units, at) == _decorators(self.old, file, index)
                self._unit(unit, file[index], alike=alike and decorated)
        self._renamed(units, file, pairs)

    def _read(self, units: list[Unit], file: list[Unit], *, alike: bool) -> None:
        """What the lines in question among these units are."""
        had = Counter(_without_remark(self.old[unit.first]) for unit in file if unit.mark)
        has = Counter(_without_remark(self.new[unit.first]) for unit in units if unit.mark)
        vanish = bool(has) and self._vanish(file, units)
        bare = all(unit.mark for unit in units)
        stub = all(unit.mark or self._documents(unit.first) for unit in units)
        for unit in units:
            text = _without_remark(self.new[unit.first])
            if not unit.mark:
                continue
            if not vanish or (has[text] <= had[text] and not bare):
                self.found[unit.first] = Meaning.CONTENT
            elif had[text] or unit.first not in self.dots or (stub and not alike):
                self.found[unit.first] = Meaning.UNCLEAR
            else:
                self.found[unit.first] = Meaning.STANDS_FOR_LINES

    def _unit(self, unit: Unit, other: Unit, *, alike: bool) -> None:
        head, was = unit.parts[-1][0], other.parts[-1]
        stub = self.python and _STUB_HEAD.fullmatch(self.new[head]) is not None
        if stub and not _STUB_HEAD.fullmatch(self.old[was[0]]) and self._vanish(was[1], unit.parts[-1][1]):
            self.found[head] = Meaning.UNCLEAR
        if len(unit.parts) == len(other.parts):
            for (line, below), (theirs, beneath) in zip(unit.parts, other.parts, strict=True):
                alike = alike and self.new[line].strip() == self.old[theirs].strip()
                self._level(below, beneath, alike=alike)
        else:
            self._level(
                [u for _, below in unit.parts for u in below], [u for _, b in other.parts for u in b], alike=False
            )

    def _renamed(self, units: list[Unit], file: list[Unit], pairs: dict[int, int]) -> None:
        """Dots below new units, where a unit of the file that has none is gone between the same neighbours."""
        firsts = [unit.first for unit in units]
        kept = [(-1, -1), *sorted(pairs.items()), (len(self.new), len(file))]
        for (above, first), (below, end) in pairwise(kept):
            gone = file[first + 1 : max(first + 1, end)]
            full = [unit for unit in gone if any(b for _, b in unit.parts) and not _within(self.theirs, unit)]
            come = units[bisect_right(firsts, above) : bisect_left(firsts, below)]
            if self._vanish(full, come):
                self.found |= {i: Meaning.UNCLEAR for unit in come for i in _within(self.dots, unit)}

    def _documents(self, line: int) -> bool:
        return line in self.strings or _DOCUMENTS.match(self.new[line]) is not None

    def _vanish(self, file: Sequence[Unit], units: Sequence[Unit]) -> bool:
        """Whether lines of the file's units, other than what is still to be written, are not among the new ones."""
        was = Counter(_texts(self.old, file))
        now = Counter(_texts(self.new, units))
        return any(not (self.python and _TO_BE_WRITTEN.match(line)) for line in was - now)


def _without_remark(line: str) -> str:
    """What a line in question says; of dots, without the remark behind them."""
    return "..." if _DOTS.fullmatch(line) else line.strip()


def _within(lines: frozenset[int], unit: Unit) -> list[int]:
    """Those of the lines that are below a unit's first."""
    return [i for i in range(unit.first + 1, unit.end) if i in lines]


def _texts(lines: Sequence[str], units: Sequence[Unit]) -> Iterable[str]:
    return (line.strip() for unit in units for line in lines[unit.first : unit.end] if line.strip())


def _decorators(lines: Sequence[str], units: Sequence[Unit], at: int) -> list[str]:
    """The lines directly above a unit that decorate it."""
    first = at
    while first and lines[units[first - 1].first].lstrip().startswith("@"):
        first -= 1
    return [line.strip() for unit in units[first:at] for line in lines[unit.first : unit.end]]


def _code_dots(lines: Sequence[str]) -> frozenset[int]:
    """Lines of three dots that stand in no string."""
    dots = {i for i, line in enumerate(lines) if _DOTS.fullmatch(line)}
    return frozenset(dots - _in_strings(lines)) if dots else frozenset()


def _in_strings(lines: Sequence[str]) -> set[int]:
    """Lines that begin inside a string of several lines."""
    inside: set[int] = set()
    opened = ""
    for i, line in enumerate(lines):
        if opened:
            inside.add(i)
        at = 0
        while at >= 0:
            if opened:
                at = line.find(opened, at)
                opened, at = ("", at + len(opened)) if at >= 0 else (opened, at)
            else:
                found = _QUOTES.search(line, at)
                at = found.end() if found is not None else -1
                opened = found[0] if found is not None and found[0] in _LONG_QUOTES else ""
    return inside
