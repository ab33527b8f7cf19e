"""Aligns a sketch with its file: finds the borders between lines that both share.

Such a border is a *cut*. Cuts come from a definition that both name once, a line that occurs once in its definition on
both sides, and a line that closes what a kept line opens; equal neighbours of these follow.

Lines are numbered without blank lines and marks, so that blank lines decide nothing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.comments import is_comment
from dovetail.text.diff import common
from dovetail.text.languages import dots_are_code
from dovetail.text.line import closes, deep, distinctive, full, indent_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dovetail.model.language import Definition, Language
    from dovetail.text.document import Document

_ATTRIBUTES = ("@", "#[", "[")


class SharedBorder(NamedTuple):
    """A border above line `mine` of the sketch and line `theirs` of the file.

    begins: something begins below it; if not, something ends above it. At one number, ends sort before beginnings.
    """

    mine: int
    begins: bool
    theirs: int


class SketchSide:
    """The sketch or the file: its lines, `at`, the indices of those that count, and its definitions."""

    def __init__(self, lines: Sequence[str], at: Sequence[int], definitions: Sequence[Definition] | None) -> None:
        self.lines, self.at, self.definitions = lines, at, definitions or ()
        self.texts = [lines[i].strip() for i in at]
        self.depths = [deep(lines[i]) for i in at]

    def number(self, line: int) -> int:
        """Return the number of a line: how many lines that count stand above it."""
        return bisect_left(self.at, line)

    def head(self, definition: Definition) -> int:
        """Return the number of the line that names a definition, below its decorators."""
        span = range(self.number(definition.first_line), self.end(definition))
        named = (n for n in span if definition.name in self.texts[n] and not self.texts[n].startswith(_ATTRIBUTES))
        return next(named, span.start)

    def top(self, number: int) -> int:
        """Return the number of the first decorator or comment right above a line, else its own; a comment that begins
        the file does not count."""
        top = number
        while top and self.at[top - 1] == self.at[top] - 1 and self.depths[top - 1] == self.depths[number]:
            if not (is_comment(self.texts[top - 1]) or self.texts[top - 1].startswith(_ATTRIBUTES)):
                break
            top -= 1
        return top if top or self.texts[0].startswith(_ATTRIBUTES) else number

    def end(self, definition: Definition) -> int:
        """Return one past the number of a definition's last line."""
        return self.number(definition.last_line + 1)

    def line(self, number: int, *, begins: bool) -> int:
        """Return the line at a cut: the first one that begins there, or one past the last that ends there."""
        if begins:
            return self.at[number] if number < len(self.at) else len(self.lines)
        return self.at[number - 1] + 1 if number else 0

    @cached_property
    def named(self) -> dict[tuple[bool, str], list[Definition]]:
        """The definitions by their qualified name (True), and by their own (False)."""
        found: dict[tuple[bool, str], list[Definition]] = {}
        for definition in self.definitions:
            found.setdefault((True, definition.qualified), []).append(definition)
            found.setdefault((False, definition.name), []).append(definition)
        return found

    @cached_property
    def scopes(self) -> list[Definition | None]:
        """For each line that counts, the innermost definition below whose head it stands, or None."""
        found: list[Definition | None] = [None] * len(self.at)
        for definition in self.definitions:
            # Outer definitions come first, so inner ones overwrite them.
            first, end = self.head(definition) + 1, self.end(definition)
            found[first:end] = [definition] * (end - first)
        return found


class SketchOnFile:
    """A sketch aligned with its file.

    mine, theirs: the sketch and the file. marks: the indices of the sketch's marks. borders: the numbers of the lines
    below marks, and of both ends, as a sketch need not begin and end where its file does. kept: number in the sketch to
    number in the file, for lines that both have. paired: the sketch's definitions with the file's. ends: the cuts at
    the borders of these. uneven: the number of a line after which most lines have another shift than the piece, or
    None.
    """

    def __init__(
        self, document: Document, lines: list[str], marks: frozenset[int], path: str, language: Language
    ) -> None:
        self.marks = marks
        plain = list(lines)
        for i in marks:  # Python needs a statement below a colon
            above = next((lines[k].rstrip() for k in range(i - 1, -1, -1) if lines[k].strip()), "")
            plain[i] = indent_of(lines[i]) + "pass" if dots_are_code(path) and above.endswith(":") else ""
        counted = [i for i in full(lines) if i not in marks]
        self.mine = SketchSide(lines, counted, language.definitions(path, "\n".join(plain)))
        self.theirs = SketchSide(document.rows, full(document.rows), language.definitions(path, document.raw))
        self.borders = sorted({0, len(counted), *map(self.mine.number, marks)})
        self.kept: dict[int, int] = {}
        self.ends: set[SharedBorder] = set()
        self.paired: dict[Definition, Definition] = {}
        self.uneven: int | None = None

    def same(self, definition: Definition) -> Definition | None:
        """Return the file's definition of the same name: the only one, or of several the one with the same head, if the
        sketch has one such; a method may stand without its class. Else None."""
        own, found = (side.named.get((True, definition.qualified), []) for side in (self.mine, self.theirs))
        if definition.name == definition.qualified and not (found and self.marks):
            found = self.theirs.named.get((False, definition.name), [])
        if len(found) > 1 or len(own) > 1:
            head = self.mine.texts[self.mine.head(definition)]
            own = [d for d in own if self.mine.texts[self.mine.head(d)] == head]
            found = [d for d in found if self.theirs.texts[self.theirs.head(d)] == head]
        return found[0] if len(found) == len(own) == 1 else None

    def cuts(self) -> list[SharedBorder]:
        """Return all cuts in order, including those at equal lines between two cuts without a mark."""
        self._pair_definitions()
        self._keep_unique_lines()
        if self.mine.texts[:1] == self.theirs.texts[:1]:
            self.kept[0] = 0
        # Twice: a closing line kept in the first round has neighbours, and these may open what a further line closes.
        for _ in range(2):
            self._keep_neighbours()
            self._keep_closers()
        even: dict[int, int] = {}
        for first, end in pairwise(self.borders):
            # A piece between marks has one shift from the file. A kept line with another was paired with a line that
            # only has the same text, and is dropped; if most lines of a piece are, its depths cannot be trusted
            # (`uneven`).
            shift, own = self.shift(first), [n for n in range(first, end) if n in self.kept]
            alike = [n for n in own if self._shift_of(n, self.kept[n]) == shift]
            if 2 * len(alike) < len(own):
                self.uneven = own[0]
            even |= {n: self.kept[n] for n in alike}
        self.kept = even
        outer = {SharedBorder(0, False, 0), SharedBorder(len(self.mine.at), True, len(self.theirs.at))}
        cuts = sorted(outer | self.ends | set(_around(self.kept)))
        for one, other in pairwise(cuts):
            if not self.marked(one, other):
                rows = [self.theirs.lines[self.theirs.at[k]].rstrip() for k in range(one.theirs, other.theirs)]
                lines = [line.rstrip() for line in self.lines(self.mine.at[one.mine : other.mine], one.mine)]
                self.kept |= {one.mine + k: one.theirs + i for i, k in common(rows, lines)}
        return sorted({*cuts, *_around(self.kept)})

    def _pair_definitions(self) -> None:
        mine, theirs = self.mine, self.theirs
        for own in mine.definitions:
            if (found := self.same(own)) is None:
                continue
            self.paired[own] = found
            head, row = mine.head(own), theirs.head(found)
            if mine.texts[head] == theirs.texts[row]:
                self.kept[head] = row
            top, above = mine.top(head), theirs.top(row)
            self.ends.add(
                SharedBorder(top, True, above) if top < head and above < row else SharedBorder(head, True, row)
            )
            below = mine.line(mine.end(own), begins=False)
            mark = next((i for i in range(below, len(mine.lines)) if mine.lines[i].strip()), None)
            # A mark deeper than the head stands inside the definition, so the sketch does not show its end.
            goes_on = mark is not None and mark in self.marks and deep(mine.lines[mark]) > mine.depths[head]
            if mark in self.marks and own.kind == "class" and not closes(mine.texts[mine.end(own) - 1]):
                goes_on = True  # the mark stands for its further members too, wherever it stands
            if not goes_on and mine.end(own) > head + 1:
                self.ends.add(SharedBorder(mine.end(own), False, theirs.end(found)))

    def _keep_unique_lines(self) -> None:
        """Keep each distinctive line that occurs once in its definition on both sides, except in new definitions."""
        mine, theirs = self.mine, self.theirs
        # Lines by text and scope: `return x` in two functions is two lines, each once in its own.
        rows: dict[tuple[str, Definition | None], list[int]] = {}
        own: dict[tuple[str, Definition | None], list[int]] = {}
        for n, (text, scope) in enumerate(zip(theirs.texts, theirs.scopes, strict=True)):
            rows.setdefault((text, scope), []).append(n)
        for n, (text, scope) in enumerate(zip(mine.texts, mine.scopes, strict=True)):
            if distinctive(text) and (scope is None or scope in self.paired):
                own.setdefault((text, self.paired[scope] if scope is not None else None), []).append(n)
        once, twice = Counter(theirs.texts), Counter(mine.texts)
        row_of = {text: n for n, text in enumerate(theirs.texts) if once[text] == 1}
        for (text, scope), numbers in own.items():
            found = rows.get((text, scope), [])
            if not found and scope is None and mine.depths[numbers[0]] and text in row_of:
                found = [row_of[text]]  # a piece of a definition whose head is left out
            if len(numbers) == len(found) == 1:
                self.kept.setdefault(numbers[0], found[0])
        candidates = {n for numbers in own.values() for n in numbers if twice[mine.texts[n]] == 1}
        for first, end in pairwise(self.borders):  # the same, below another definition of the sketch
            if self.kept.keys().isdisjoint(range(first, end)):
                pairs = {n: row_of[t] for n in range(first, end) if n in candidates and (t := mine.texts[n]) in row_of}
                self.kept |= pairs if len(pairs) > 1 else {}

    def _keep_neighbours(self) -> None:
        """Keep the lines beside a kept one that the file has beside its partner, up to the next mark. A run that ends
        before the mark loses braces and the like at its end, as these may belong to new lines."""
        mine, theirs, taken, borders = self.mine, self.theirs, set(self.kept.values()), set(self.borders)
        new = {n for d in mine.definitions if d not in self.paired for n in range(mine.head(d), mine.end(d))}
        for step in (1, -1):
            for n, row in sorted(self.kept.items(), reverse=step < 0):
                run: list[tuple[int, int]] = []
                while max(n, n + step) not in borders and n + step not in self.kept:
                    n, row = n + step, row + step
                    there = n not in new and row not in taken and 0 <= row < len(theirs.at)
                    if not there or mine.texts[n] != theirs.texts[row]:
                        while run and not distinctive(mine.texts[run[-1][0]]):
                            run.pop()
                        break
                    run.append((n, row))
                self.kept |= dict(run)
                taken.update(row for _, row in run)

    def _keep_closers(self) -> None:
        """Keep each line that closes what a kept line opens: the next line that is not deeper, on both sides."""
        mine, theirs, taken = self.mine, self.theirs, set(self.kept.values())
        # openers[n]: the line above that line n may close. closers[n]: the line below that may close line n, found the
        # same way from the end.
        openers = _not_deeper(mine.depths)
        closers = [len(theirs.at) - 1 - k for k in reversed(_not_deeper(theirs.depths[::-1]))]
        for n, opener in enumerate(openers):
            if n in self.kept or opener not in self.kept or not closes(mine.texts[n]):
                continue
            closer = closers[self.kept[opener]]
            alike = closer < len(theirs.at) and theirs.texts[closer] == mine.texts[n] and closer not in taken
            if alike and mine.depths[opener] == mine.depths[n]:
                self.kept[n] = closer
                taken.add(closer)

    def marked(self, one: SharedBorder, other: SharedBorder) -> list[int]:
        """Return the borders between two cuts at which a mark, or an end of the sketch, stands."""
        # A mark at border n stands after what ends at n and before what begins at n. So a mark at a cut's number lies
        # between the two cuts only if the first one ends something there, or the second one begins something.
        first, end = one.mine + one.begins, other.mine + other.begins
        return self.borders[bisect_left(self.borders, first) : bisect_left(self.borders, end)]

    def shift(self, number: int) -> int:
        """Return by how many columns the first kept line of a piece between marks is further right in the file."""
        at = bisect_right(self.borders, min(number, len(self.mine.at) - 1))
        piece = range(self.borders[at - 1], self.borders[at])
        return next((self._shift_of(n, self.kept[n]) for n in piece if n in self.kept), 0)

    def lines(self, indices: Iterable[int], number: int) -> list[str]:
        """Return lines of the sketch, by index, with the shift that the piece around `number` has in the file."""
        shift, lines = self.shift(number), [self.mine.lines[i] for i in indices]
        if shift < 0:
            return [indent_of(line)[-shift:] + line.lstrip() for line in lines]
        blanks = [("\t" if line[:1] == "\t" else " ", line) for line in lines]
        return [blank * (shift // len(blank.expandtabs())) + line if line.strip() else line for blank, line in blanks]

    def _shift_of(self, number: int, row: int) -> int:
        return self.theirs.depths[row] - self.mine.depths[number]


def _around(kept: dict[int, int]) -> Iterator[SharedBorder]:
    """Yield the cuts above and below kept lines."""
    for n, row in kept.items():
        yield SharedBorder(n, True, row)
        yield SharedBorder(n + 1, False, row + 1)


def _not_deeper(depths: Sequence[int]) -> list[int]:
    """Return for each depth the index of the nearest one before it that is not deeper; -1 for none."""
    found: list[int] = []
    for n, depth in enumerate(depths):
        at = n - 1
        while at >= 0 and depths[at] > depth:
            at = found[at]
        found.append(at)
    return found
