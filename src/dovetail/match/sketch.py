"""Merges a sketch into its file: a listing of parts of the file, with marks for the lines that it leaves out.

The sketch's kept lines align it with the file, at *cuts* (see `sketch_borders`). Lines between two cuts replace the
file's lines there. If a mark stands between them, the file's lines stay, and the lines beside the mark are new; they
land only if none of the lines that the mark stands for could be their old form. The file's blank lines stay.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.outcome import Match
from dovetail.match.sketch_borders import SharedBorder, SketchOnFile
from dovetail.model.codes import Tier
from dovetail.model.text import Edit, Span, apply_edits, split_lines
from dovetail.text.comments import defines, is_comment
from dovetail.text.diff import diff
from dovetail.text.languages import source_language
from dovetail.text.line import closes, deep, distinctive, full, has_words, indent_of
from dovetail.text.line_edits import rewrite
from dovetail.text.omission import Mark, mark_in
from dovetail.text.similarity import is_version

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dovetail.model.language import Definition, Language
    from dovetail.text.document import Document

_NEAR = 200  # lines left out next to a new one among which its old form is looked for
_MOST_COMPARED = 50_000  # pairs of a new line and one of those
_MOST_LOST = 8  # lines that a stretch without a mark may lose if less than a quarter as many are added
# Matches `import a`, `from a import b`, `#include <a>`, `use a::b;`, `const a = require("a")`. Not `from here on` or
# `imports = 1`.
IMPORT = re.compile(
    r"(?:import\b|from\s+\S+\s+import\b|#\s*include\b|(?:using|use)\s.*;$|require\b|const .*\brequire\()"
)
HEADER = re.compile(r"#!|from __future__ |[\"']use (?:client|server|strict)[\"']|package [\w.]+;?$|<\?php|#pragma once")
"""Lines at a file's beginning that imports must not go above."""
# The module of `from a.b import c`, or what stands in quotes or `<>`: `import c from "a"`, `#include <a.h>`.
MODULE = re.compile(r"from\s+([\w.]+)\s+import\b|[\"'<]([^\"'>]+)[\"'>]")
# The name in `a.b = 1`, `"key": 2`, `x := 3`; two lines with the same one are old and new form of each other.
_VALUE = re.compile(r"([\w.$\[\]\"'-]+)\s*(?::=|[:=])")
_LEAVES = re.compile(r"(?:return|raise|throw|break|continue)\b")


class Unplaced(NamedTuple):
    """A sketch that is not merged, with the reason."""

    reason: str


def merge_sketch(document: Document, text: str, path: str, language: Language) -> Match | Unplaced | None:
    """Return the match that merges the sketch `text` into the file at `path`, or why it cannot be merged.

    It has no edits if the file has all of the sketch. None if `text` is no sketch: no line of the file would vanish at
    a mark.
    """
    lines = split_lines(text)
    name = path.rpartition("/")[2]
    if lines and name in lines[0] and is_comment(lines[0]) and lines[0].strip() not in document.line_set:
        lines = lines[1:]
    marks = _marks(lines, document, path)
    if not marks:
        return None
    laid = SketchOnFile(document, with_tabs_of(document.rows, lines), marks, path, language)
    edits = _Merge(document, laid).edits()
    if isinstance(edits, Unplaced):
        return edits
    if (head := _parted_from_above(document, edits)) is not None:
        return Unplaced(f"New lines would part `{head}` from the comment or decorator above it.")
    merged = apply_edits(document.raw, edits)
    if (gone := shown_and_gone(document.rows, lines, split_lines(merged))) is not None:
        return Unplaced(gone)
    errors = language.errors(path, merged)
    if errors and language.errors(path, document.raw) == ():
        return Unplaced(f"Merged into the file, it does not parse at line {errors[0]}.")
    span = Span(edits[0].span.start, edits[-1].span.end) if edits else Span(0, len(document.raw))
    return Match(span, Tier.ELISION, edits)


def shown_and_gone(rows: Sequence[str], shown: Sequence[str], now: Sequence[str]) -> str | None:
    """Return why a merge must not be made: a line that is in `rows` and `shown` is missing in `now`; None if none is.

    This guards against definitions whose end was misjudged: a grammar ends `f = () =>` at the first statement below,
    even if a line was inserted above its body.
    """
    of_text, of_file, left = (Counter(line.strip() for line in some if has_words(line)) for some in (shown, rows, now))
    gone = next((line for line, count in of_text.items() if left[line] < min(count, of_file[line])), None)
    return None if gone is None else f"Merged into the file, `{gone}` would be gone, which the text shows."


def _parted_from_above(document: Document, edits: Sequence[Edit]) -> str | None:
    """Return the head of a definition that new lines would separate from its comment or decorator, or None."""
    rows = document.rows
    for edit in edits:
        at, last = document.line_at(edit.span.start), edit.text.rstrip().rpartition("\n")[2].strip()
        # Only an insertion can part lines that follow each other.
        if edit.span or not 0 < at < len(rows) or not defines(rows[at]) or is_comment(last) or last[:1] in ("@", "#"):
            continue
        if is_comment(rows[at - 1]) or rows[at - 1].strip().startswith(("@", "#[")):
            return rows[at].strip()
    return None


def _marks(lines: Sequence[str], document: Document, path: str) -> frozenset[int]:
    """Return the omission marks, if lines of the file would vanish at one; a document has none."""
    row = source_language(path)
    if row is None or row.kind == "document":
        return frozenset()
    found = {i: mark for i, s in enumerate(lines) if (mark := mark_in(s, path)) and s.strip() not in document.line_set}
    for i, mark in list(found.items()):
        if mark is Mark.WORDS and any(map(is_comment, (*lines[max(0, i - 1) : i], *lines[i + 1 : i + 2]))):
            del found[i]  # a line of a longer comment
    for hunk in diff(document.stripped, [line.strip() for line in lines]) if found else ():
        # A mark by words alone may be a plain comment: it counts only if more lines would vanish than are added.
        come = [lines[i].strip() for i in range(hunk.b1, hunk.b2) if has_words(lines[i]) and i not in found]
        lost = [line for line in document.stripped[hunk.a1 : hunk.a2] if has_words(line) and line not in come]
        marks = [found[i] for i in range(hunk.b1, hunk.b2) if i in found]
        if lost and marks and (len(lost) > len(come) or any(mark is not Mark.WORDS for mark in marks)):
            return frozenset(found)
    return frozenset()


def with_tabs_of(rows: Sequence[str], lines: list[str]) -> list[str]:
    """Return lines that are indented by spaces with tabs instead, if the file has only tabs; a space before a comment's
    star stays."""
    theirs, mine = ({indent_of(line)[:2] for line in some if line.strip()} - {"", " "} for some in (rows, lines))
    # Spaces become tabs only in a file with tabs alone and a sketch with spaces alone.
    if any(indent[0] != "\t" for indent in theirs) or not theirs or mine != {"  "}:
        return lines
    step = min(deep(line) for line in lines if line.strip() and deep(line) > 1)
    return ["\t" * (deep(line) // step) + " " * (deep(line) % step) + line.lstrip() for line in lines]


class _Merge:
    """Computes the edits that a sketch makes in its file. new: the definitions that only the sketch has, by the numbers
    of their heads; lost: those that only the file has."""

    def __init__(self, document: Document, laid: SketchOnFile) -> None:
        self.document, self.laid = document, laid
        self.mine, self.theirs = laid.mine, laid.theirs
        self.mark_numbers = {laid.mine.number(i) for i in laid.marks}
        self.new: dict[int, Definition] = {}
        self.lost: dict[int, Definition] = {}

    def edits(self) -> tuple[Edit, ...] | Unplaced:
        """Return all edits, in order, or why the sketch cannot be merged."""
        edits: list[Edit] = []
        if not self.mine.at:
            return Unplaced("It shows no line of it.")
        cuts, paired = self.laid.cuts(), self.laid.paired
        kept = set(paired.values())
        self.new = {self.mine.head(d): d for d in self.mine.definitions if d not in paired}
        self.lost = {self.theirs.head(d): d for d in self.theirs.definitions if d not in kept}
        if self.laid.uneven is not None:
            return Unplaced(f"Below {self._quoted(self.laid.uneven)} it is indented otherwise than the file.")
        for one, other in pairwise(cuts):
            if one.theirs > other.theirs:
                return Unplaced(f"It has {self._quoted(other.mine)} in another order than the file.")
            borders = self.laid.marked(one, other)
            landed = self._left_out(one, other, borders) if borders else self._replaced(one, other)
            if isinstance(landed, Unplaced):
                return landed
            edits += landed
        return tuple(sorted(edits))

    def _replaced(self, one: SharedBorder, other: SharedBorder) -> list[Edit] | Unplaced:
        """Return the edits that put the lines between two cuts without a mark in place of the file's."""
        new, rows = range(one.mine, other.mine), range(one.theirs, other.theirs)
        if (not new and not rows) or (len(new) == len(rows) == 1 and self.laid.kept.get(one.mine) == one.theirs):
            return []
        if (doubt := self._doubt_of_replaced(one, other, new, rows)) is not None:
            return Unplaced(doubt)
        (start, first), (stop, end) = (
            (self.mine.line(cut.mine, begins=cut.begins), self.theirs.line(cut.theirs, begins=cut.begins))
            for cut in (one, other)
        )
        # Blank lines: p and q are the sketch's above and below its text, `above` and `below` the file's. If both have
        # some, the file's number stays. A deletion leaves one of two runs; an insertion has no fewer than were there,
        # unless a line that ends the block follows.
        p, text, q = _parted(self.laid.lines(range(start, stop), one.mine))
        above, old, below = _parted(self.theirs.lines[first:end])
        if not text:
            p, q = max(p, min(above, below)) if p else 0, 0
        elif not old:
            ends = end < len(self.theirs.lines) and deep(self.theirs.lines[end]) < deep(text[0])
            p, q = max(p, above * (not ends)) if p else 0, max(q, above) if q or not p else 0
        else:
            p, q = above if p and above else p, below if q and below else q
        return self._written(first, max(first, end), [*[""] * p, *text, *[""] * q])

    def _doubt_of_replaced(self, one: SharedBorder, other: SharedBorder, new: range, rows: range) -> str | None:
        """Return why the file's lines between two cuts may not be meant to be replaced, or None."""
        mine, theirs = self.mine, self.theirs
        first = f"`{theirs.texts[rows[0]]}`" if rows else ""
        if len(rows) > _MOST_LOST and 4 * len(new) < len(rows):
            return f"It would delete {len(rows)} lines without a mark, from {first} on."
        # If more lines are removed than added (by three or more if any are added), both borders must be proven, by a
        # definition or by two kept lines that follow each other.
        if len(rows) > len(new) + 2 * bool(new) and not (self._holds(one, -1) and self._holds(other, 1)):
            return f"Nothing says whether it deletes {first} or only adds lines."
        if new and self._may_go_on(other):
            last = mine.texts[new[-1]]
            old = theirs.texts[rows[-1]] if rows else last
            if not (_may_become(old, last) or (_LEAVES.match(old) and _LEAVES.match(last))):
                return f"Nothing says whether `{last}` comes in place of `{old}` or above it."
            pair = [mine.texts[n] for n in new[-2:]]
            others = (list(two) for n, two in enumerate(pairwise(theirs.texts)) if n not in rows)
            if all(map(distinctive, pair)) and pair in others:
                return f"`{last}` stands above a mark, and elsewhere in the file."
        lost = [row for row in rows if row in self.lost]
        if len(lost) > sum(n in self.new for n in new):
            return f"It would delete `{self.lost[lost[0]].qualified}` without a mark."
        return None

    def _holds(self, cut: SharedBorder, step: int) -> bool:
        """Return whether a cut is a definition's, or two kept lines beside it are consecutive in the file."""
        if cut in self.laid.ends:
            return not self._may_go_on(cut)
        kept = self.laid.kept
        n, row = (cut.mine - 1, cut.theirs - 1) if step < 0 else (cut.mine, cut.theirs)
        return (kept.get(n), kept.get(n + step)) == (row, row + step)

    def _may_go_on(self, cut: SharedBorder) -> bool:
        """Return whether a definition that ends at a mark, without a closing line, may continue after it."""
        ends = cut in self.laid.ends and not cut.begins and not closes(self.mine.texts[cut.mine - 1])
        return ends and cut.mine in self.mark_numbers

    def _left_out(self, one: SharedBorder, other: SharedBorder, borders: Sequence[int]) -> list[Edit] | Unplaced:
        """Return the edits that insert the lines beside marks; the file's lines that the marks stand for stay."""
        landed: list[Edit] = []
        pieces = [(one.mine, borders[0]), *pairwise(borders), (borders[-1], other.mine)]
        for i, (first, end) in enumerate(pieces):
            if first == end:
                continue
            below, above = i == 0, i == len(pieces) - 1
            imports = all(IMPORT.match(text) for text in self.mine.texts[first:end])
            at = self._place(one, other, below=below) if below or above else None
            if imports and not below:
                at = self._below_header(other) if above else self._below_imports() if first == 0 else None
            if at is None:
                return Unplaced(f"Nothing beside {self._quoted(first)} says where in the file it belongs.")
            if (doubt := self._doubt_of_new(range(first, end), one, other, below=below, imports=imports)) is not None:
                return Unplaced(doubt)
            p, text, q = _parted(self._lines(first, end))
            rows = self.theirs.lines
            if below:
                # The new lines go above the file's blank lines, which then separate them below; q is how many are
                # missing.
                blank = _blank(rows[at:])
                ends = at + blank == len(rows) or closes(rows[at + blank]) or deep(rows[at + blank]) < deep(text[0])
                p, q = max(p, blank * (not ends)) if p else 0, max(0, (q or p) - blank) if p and not ends else 0
            else:
                blank = _blank(reversed(rows[:at]))
                closed = above and at < len(rows) and closes(rows[at])
                p, q = max(0, p - blank) if q or closed else 0, max(q, blank) if q and above else 0
            landed += self._written(at, at, [*[""] * p, *text, *[""] * q])
        return landed

    def _place(self, one: SharedBorder, other: SharedBorder, *, below: bool) -> int:
        """Return the line below a cut, or that of the next one: above decorators and comments of what begins there."""
        if below or other.theirs == len(self.theirs.at):
            cut = one if below else other
            return self.theirs.line(cut.theirs, begins=not below)
        return self.theirs.at[self.theirs.top(other.theirs)]

    def _below_header(self, cut: SharedBorder) -> int:
        """Return the line at a cut, or after the header lines there that no import goes above."""
        number = cut.theirs
        while number < len(self.theirs.at) and HEADER.match(self.theirs.texts[number]):
            number += 1
        return self.theirs.line(number, begins=number == cut.theirs)

    def _below_imports(self) -> int | None:
        """Return the line below the last import at the margin before the file's first definition, or below its header;
        None if it has neither."""
        at, inside, quoted = None, False, False
        end = min((d.first_line for d in self.theirs.definitions if d.kind != "other"), default=len(self.theirs.lines))
        for text, depth, line in zip(self.theirs.texts, self.theirs.depths, self.theirs.at, strict=True):
            if line >= end:
                break
            if not (depth or quoted):
                inside = bool(IMPORT.match(text) or HEADER.match(text)) or (inside and closes(text))
            at = line + 1 if inside and not quoted else at
            # An odd number of triple quotes opens or closes a docstring: an `import` in it is text.
            quoted ^= (text.count('"""') + text.count("'''")) % 2 == 1
        return at

    def _doubt_of_new(
        self, numbers: range, one: SharedBorder, other: SharedBorder, *, below: bool, imports: bool
    ) -> str | None:
        """Return why lines beside a mark may not be new lines at the cut that they touch, or None."""
        mine, theirs, shift = self.mine, self.theirs, self.laid.shift(numbers[0])
        first, last = mine.texts[numbers[0]], mine.texts[numbers[-1]]
        if below and is_comment(last):
            return f"`{last}` stands above a mark, and may be an instruction."
        new = [self.new[n] for n in numbers if n in self.new]
        if (again := next((d for d in new if (True, d.qualified) in theirs.named), None)) is not None:
            return f"The file has `{again.qualified}` more than once."
        depths = [mine.depths[n] + shift for n in numbers]
        left_out = range(one.theirs, other.theirs) if below else range(other.theirs - 1, one.theirs - 1, -1)
        least = min(depths)
        # The left-out lines beside the new ones, nearest first, up to the first less deep line: a new line's old form
        # would be among these.
        near = list(takewhile(lambda row: theirs.depths[row] >= least, left_out[:_NEAR]))
        if len(numbers) * len(near) > _MOST_COMPARED:
            return f"Too many lines stand beside the mark at `{first}`."
        row, behind, most = (
            (one.theirs, other.theirs, depths[0]) if below else (other.theirs, len(theirs.at), min(depths))
        )
        if not imports and row < behind and theirs.depths[row] > most:
            return f"`{first}` would stand inside of what the file has there."
        mark = next((i for i in range(mine.at[numbers[-1]], len(mine.lines)) if i in self.laid.marks), None)
        if below and near and mark is not None and deep(mine.lines[mark]) + shift < depths[0]:
            return f"The mark below `{last}` ends a block that goes on in the file."
        inside = {n for d in new for n in range(mine.top(mine.head(d)), mine.end(d))}
        for n, depth in zip(numbers, depths, strict=True):
            text = mine.texts[n]
            if n in inside:
                continue
            if not imports and distinctive(text) and text in self.document.line_set:
                return f"`{text}` stands beside a mark, and elsewhere in the file."
            if depth > least:
                continue
            if near and not imports and _LEAVES.match(text if below else theirs.texts[near[0]]):
                return f"`{text}` stands beside a mark, and one of the two would not be reached."
            same_depth = (theirs.texts[row] for row in near if theirs.depths[row] == depth)
            if (old := next((old for old in same_depth if _may_become(old, text)), None)) == text:
                return f"Nothing says which `{text}` of the file the one beside a mark is."
            if old is not None:
                return f"`{text}` stands beside a mark, and may be meant for `{old}`."
        return None

    def _lines(self, first: int, end: int) -> list[str]:
        """Return the sketch's lines between two numbers, with the blank lines beside them, up to the next marks."""
        mine, marks = self.mine, self.laid.marks
        start, stop = mine.at[first], mine.at[end - 1] + 1
        while start > mine.line(first, begins=False) and start - 1 not in marks:
            start -= 1
        while stop < mine.line(end, begins=True) and stop not in marks:
            stop += 1
        return self.laid.lines(range(start, stop), first)

    def _written(self, first: int, end: int, lines: list[str]) -> list[Edit]:
        """Return the smallest edits that replace lines `first` to `end` (exclusive) of the file."""
        old, new = ([line.rstrip() for line in some] for some in (self.theirs.lines[first:end], lines))
        places = ((first + hunk.a1, first + hunk.a2, lines[hunk.b1 : hunk.b2]) for hunk in diff(old, new))
        return [rewrite(self.document, *place) for place in places]

    def _quoted(self, number: int) -> str:
        return f"`{self.mine.texts[min(number, len(self.mine.at) - 1)]}`"


def _blank(lines: Iterable[str]) -> int:
    """Return how many blank lines some lines begin with."""
    return sum(1 for _ in takewhile(lambda line: not line.strip(), lines))


def _parted(lines: Sequence[str]) -> tuple[int, list[str], int]:
    """Return how many blank lines some lines begin with, the lines between, and how many blank lines they end with."""
    if not (filled := full(lines)):
        return len(lines), [], len(lines)
    return filled[0], list(lines[filled[0] : filled[-1] + 1]), len(lines) - 1 - filled[-1]


def _may_become(old: str, new: str) -> bool:
    """Return whether a line may be the new form of another: it sets the same name, or is similar."""
    if IMPORT.match(new):
        modules = [MODULE.search(text) for text in (old, new) if IMPORT.match(text)]
        # Two imports are forms of one line if they name the same module; an import is never the new form of other code.
        return len({module and module.groups() for module in modules}) == 1 < len(modules) and modules[0] is not None
    values = [_VALUE.match(text) for text in (old, new)]
    if values[0] is not None and values[1] is not None:
        return values[0][1] == values[1][1]
    return is_version(old, new)
