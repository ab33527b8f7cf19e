"""How deep the edit's new lines stand in the file.

The lines that the search quotes, laid beside the file's, say which depth of the reply is which depth of the file. One
law for all depths is looked for first: the same depths, a shift by so many columns, tabs for spaces, steps of another
width. Where there is none, each quoted depth speaks for itself. Where a new line has no depth by either, there is no
answer, and the edit does not land.

Before that, a search that misquotes the depth of some lines is put right by the replacement, where that has them right
(`requoted`). Where the file itself is wrong, and does not parse, its lines may be put right (`reindented`).
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.landing.change import Change
from dovetail.match.landing.fit import Fit, Obstacle
from dovetail.model.text import Edit, Span, apply_edits
from dovetail.model.work import spend
from dovetail.text.alignment import uniform
from dovetail.text.diff import common, diff
from dovetail.text.document import Document
from dovetail.text.line import TABS, closes, deep, distinctive, indent_of, mark, opens, stripped, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dovetail.text.diff import Hunk

_NEAR = 200  # lines around a place that tell the file's step
_MOST_SHIFTS = 4  # of a search that are tried
_COPIED = 500  # characters that are copied in the time of one step
DEPTH = "the search is indented otherwise than the file, and does not tell how deep the new lines belong"


class _QuotedLine(NamedTuple):
    """A line of the search, not blank: its index, and its indentation in the reply and in the file."""

    at: int
    line: str
    reply: str
    file: str


class _Law(NamedTuple):
    """How all depths map, in columns: `origin` of the reply is `target` of the file, and from there each step of the
    reply is one of the file."""

    tab: int
    origin: int
    target: int
    step: int = 1
    file_step: int = 1

    def columns(self, indent: str, *, starred: bool) -> int | None:
        """Where a depth of the reply goes; None between two steps, where only a comment's line with a star stands."""
        # With steps of 2 for 4, column 2 of the reply is 4 of the file, and column 3 is nothing: it lies between two
        # steps. A comment's star stands one column further in, at any step.
        steps, rest = divmod(width(indent, self.tab) - self.origin, self.step)
        if rest and not (starred and rest == 1):
            return None
        columns = self.target + steps * self.file_step + rest
        return columns if columns >= 0 else None

    def holds_of(self, quoted: _QuotedLine) -> bool:
        """Return whether the law agrees with a comment's line with a star that stands alike in reply and file.

        True for other lines. A line with a star proves no law: models lose the blank before it.
        """
        starred = mark(quoted.line) == "*"
        if not starred or quoted.reply != quoted.file:
            return True
        return self.columns(quoted.reply, starred=True) == width(quoted.file, self.tab)


class Indenter:
    """Indents the new lines of an edit for one place in the file."""

    def __init__(self, fit: Fit) -> None:
        self._fit = fit
        self._quoted = [
            _QuotedLine(i, fit.search[i], indent_of(fit.search[i]), indent_of(fit.rows[row]))
            for i, row in fit.alignment.pairs
            if fit.search[i].strip() and fit.rows[row].strip()
        ]
        self._as_written = all(line.reply == line.file for line in self._quoted) or self._replacement_is_the_files()
        law = None if self._as_written else self._law_of_all()
        self._law = law if law is not None and all(map(law.holds_of, self._quoted)) else None

    @cached_property
    def _doubtful(self) -> bool:
        """Whether the edit's depths can be read in two ways that write different lines."""
        return self._first_line_alone_lost_its_blanks() or self._may_be_the_files() or self._moves_in_doubt()

    @cached_property
    def _kept(self) -> list[tuple[_QuotedLine, str]]:
        """The quoted lines that the replacement has too, each with that one's indentation."""
        quoted = {line.at: line for line in self._quoted}
        pairs = common(stripped(self._fit.search), stripped(self._fit.replace))
        return [(quoted[i], indent_of(self._fit.replace[k])) for i, k in pairs if i in quoted]

    @cached_property
    def _file_step(self) -> str:
        """How deep the blocks of the file are around the place."""
        first, end = self._fit.alignment.first, self._fit.alignment.end
        return _step(self._fit.rows[max(0, first - _NEAR) : end + _NEAR])

    def indent(self, hunk: Hunk) -> list[str] | None:
        """The new lines of a hunk as deep as the file has their like; None where nothing says how deep one belongs."""
        lines = self._fit.replace[hunk.b1 : hunk.b2]
        if self._as_written:
            return lines
        if self._doubtful:
            return None
        depths = [self._depth(n, hunk) if line.strip() else indent_of(line) for n, line in enumerate(lines)]
        if self._changes_shape(hunk, depths):
            return None
        indented = [
            None if depth is None else depth + line[len(indent_of(line)) :]
            for depth, line in zip(depths, lines, strict=True)
        ]
        return None if None in indented else [line for line in indented if line is not None]

    def _depth(self, n: int, hunk: Hunk) -> str | None:
        """The indentation of new line `n` of a hunk, in the file."""
        new = self._fit.replace[hunk.b1 + n]
        own = indent_of(new)
        spend(2 * len(self._quoted))
        # 1. What the quoted lines of the same depth in the reply have in the file. A comment's star stands one column
        #    further in, so lines with the same mark are compared first.
        alike = [quoted for quoted in self._quoted if quoted.reply == own]
        same = [quoted for quoted in alike if mark(quoted.line) == mark(new)]
        if len(same) == 1 and any(mark(quoted.line) == "*" and quoted.file != same[0].file for quoted in alike):
            return None  # the comment around that line contradicts it
        alike = same or alike
        # 2. A line that replaces one line stands where that stood.
        inside = [quoted for quoted in alike if quoted.at in hunk.old]
        if hunk.one_for_one and (here := [quoted for quoted in inside if quoted.at == hunk.a1 + n]):
            return here[0].file
        # 3. One law leads from the reply's depths to the file's (a step of 2 for 4, tabs for blanks, a shift): it holds
        #    for depths that nobody quoted, too. Left of all that is quoted it is not known to hold.
        if self._law is not None:
            if len({quoted.file for quoted in alike}) == 1:
                return alike[0].file
            depths = {quoted.reply for quoted in self._quoted}
            if self._law.origin != self._law.target and width(own) < min(map(width, depths)) and len(depths) == 1:
                return None  # left of the one depth that is quoted
            columns = self._law.columns(own, starred=mark(new) == "*")
            return None if columns is None else self._spelled(columns, own)
        # 4. No law: the reply's blanks are wrong in more than one way. A line that is only indented otherwise goes as
        #    much deeper in the file as it does in the reply.
        moved = [quoted for quoted in self._quoted if quoted.at in hunk.old and quoted.line.strip() == new.strip()]
        if hunk.one_for_one and len(moved) == 1 and own.startswith(moved[0].reply):
            return moved[0].file + own[len(moved[0].reply) :]
        if not own and any(quoted.reply and quoted.reply != quoted.file for quoted in self._quoted):
            alike = inside  # other lines may have been moved to the margin as well
        if self._search_alone_is_uneven(own, alike):
            return None
        # 5. What the lines of its depth agree on: all of them, else those that it replaces and its next neighbours
        #    above and below. Where even these disagree nothing tells the depth.
        if len({quoted.file for quoted in alike}) == 1:
            return alike[0].file
        depths = {quoted.file for quoted in inside}
        above = [quoted.file for quoted in alike if quoted.at < hunk.a1]
        below = [quoted.file for quoted in alike if quoted.at >= hunk.a2]
        if above and below:
            depths |= {above[-1], below[0]}
        else:
            depths |= {*above, *below}
        return depths.pop() if len(depths) == 1 else None

    def _search_alone_is_uneven(self, own: str, alike: Sequence[_QuotedLine]) -> bool:
        """Return whether lines that go say one depth for new lines, and the kept ones another that the file has here.

        Then the search misquotes the lines that go, and nothing tells the depth.
        """
        stay = {width(quoted.file) - width(new) for quoted, new in self._kept if distinctive(quoted.line)}
        if len(stay) != 1 or any(new == own for _, new in self._kept):
            return False
        depth = width(own) + stay.pop()
        return {width(quoted.file) for quoted in alike} != {depth} <= {width(quoted.file) for quoted in self._quoted}

    def _spelled(self, columns: int, own: str) -> str:
        """So many columns in the blanks that the file indents with; where it indents nothing, the reply's `own`."""
        law, shown = self._law, self._file_step + "".join(quoted.file for quoted in self._quoted)
        if law is not None and "\t" in (shown or own):
            return "\t" * (columns // law.tab) + " " * (columns % law.tab)
        return " " * columns

    def _first_line_alone_lost_its_blanks(self) -> bool:
        """Return whether only the margin is quoted, and only the replacement's first line stands there.

        Models leave out the blanks before the first line of a text; then the other lines have the file's depth.
        """
        first, *others = [line for line in self._fit.replace if line.strip()] or [""]
        alone = others and not indent_of(first) and all(map(indent_of, others))
        lone = {(quoted.reply, quoted.file) for quoted in self._quoted}
        if not alone or len(lone) > 1 or ("", lone.pop()[1]) != ("", self._quoted[0].file) or self._quoted[0].reply:
            return False
        return not opens(first) or width(indent_of(others[0])) > width(self._quoted[0].file)

    def _replacement_is_the_files(self) -> bool:
        """Whether the replacement is indented as the file is, though the search is not: its shallowest line is as deep
        as the file's, and so is each line that it has in common with the search."""
        new = [line for line in self._fit.replace if line.strip()]
        margin = _shallowest(quoted.file for quoted in self._quoted)
        if not new or _shallowest(map(indent_of, new)) != margin:
            return False
        if _shallowest(quoted.reply for quoted in self._quoted) == margin:
            return False
        if not {quoted.line for quoted in self._quoted}.isdisjoint(new):
            return False
        # Without a distinctive kept line, a search line at the file's margin speaks against it.
        keeps = any(distinctive(quoted.line) for quoted, _ in self._kept)
        if not keeps and any(quoted.reply == margin for quoted in self._quoted):
            return False
        return all(width(new) >= width(quoted.file) for quoted, new in self._kept)

    def _may_be_the_files(self) -> bool:
        """Return whether the replacement's depths may be the file's, though the law would set its lines elsewhere.

        It has the lines that it keeps as deep as the file has them, and none less deep: perhaps only the search is
        indented otherwise.
        """
        law, kept = self._law, self._kept
        telling = [(quoted, new) for quoted, new in kept if distinctive(quoted.line) or quoted.reply == new]
        if law is None or not any(distinctive(quoted.line) for quoted, _ in kept):
            return False
        stay = all(new == quoted.file for quoted, new in telling)
        moves = any(law.columns(new, starred=True) != width(quoted.file, law.tab) for quoted, new in telling)
        shallowest = min(deep(line) for line in self._fit.replace if line.strip())
        return stay and moves and shallowest == min(width(new) for _, new in kept)

    def _moves_in_doubt(self) -> bool:
        """Return whether a line that the search misquotes in depth may be one to be set deeper or back.

        So it is, without a law, where the replacement has it at another depth than the search, or as far from the
        file's as another line is moved.
        """
        if self._law is not None:
            return False
        depths = [(width(quoted.reply), width(quoted.file), width(new)) for quoted, new in self._kept]
        margin = min(width(quoted.file) for quoted in self._quoted)
        shifts = {new - old for old, file, new in depths if old == file}
        return any(old != file and new >= margin and (new != old or new - file in shifts) for old, file, new in depths)

    def _law_of_all(self) -> _Law | None:
        """The law that all quoted lines prove; None where they prove none."""
        # 1. One shift for all, for some width of a tab. One quoted depth alone proves only that depths are the same.
        # 2. Steps of another width, counted from the margin.
        # 3. The one depth that is quoted, and equal steps from there on.
        telling = [quoted for quoted in self._quoted if mark(quoted.line) != "*"] or self._quoted
        pairs = sorted({(quoted.reply, quoted.file) for quoted in telling})
        reply_step = _step(self._fit.replace) or _step(self._fit.search)
        tabs = list(TABS)
        if any("\t" in reply for reply, _ in pairs) != any("\t" in file for _, file in pairs):
            step = (self._file_step + reply_step).replace("\t", "")
            # One side indents with tabs, the other with spaces: a tab most likely stands for the spaces' step.
            tabs = [len(step), *TABS] if step else tabs
        for tab in tabs:
            columns = sorted({(width(reply, tab), width(file, tab)) for reply, file in pairs})
            shifts = {file - reply for reply, file in columns}
            if len(shifts) == 1 and (len(columns) > 1 or shifts == {0}):
                return _Law(tab, 0, shifts.pop())
        steps = width(reply_step), width(self._file_step)
        flat = sorted({(width(reply), width(file)) for reply, file in pairs})
        scaled = all(reply * steps[1] == file * steps[0] for reply, file in flat) and flat != [(0, 0)]
        if scaled and 0 not in steps and steps[0] != steps[1]:
            return _Law(tabs[0], 0, 0, *steps)
        if len(pairs) > 1:
            return None
        return _Law(tabs[0], width(pairs[0][0], tabs[0]), width(pairs[0][1], tabs[0]))

    def _changes_shape(self, hunk: Hunk, depths: Sequence[str | None]) -> bool:
        """Return whether neighbouring new lines would stand to each other otherwise in the file than in the reply.

        A line deeper than the one above it must stay deeper, and one below a line that opens a block must be. Else the
        reply lost its indentation, and nothing tells which.
        """
        lines = self._fit.replace[hunk.b1 : hunk.b2]
        new = [
            (line, width(indent_of(line)), width(depth))
            for line, depth in zip(lines, depths, strict=True)
            if depth is not None and line.strip()
        ]
        for (upper, was, above), (lower, is_, below) in pairwise(new):
            if opens(upper) and not closes(lower):
                if below <= above:
                    return True
            elif (is_ > was) != (below > above) or (is_ < was and below > above):
                return True
        return False


def requoted(fit: Fit) -> Fit | Obstacle:
    """The edit with its search indented as its replacement is, where that tells how deep the search's lines stand.

    Most lines that the replacement has again, or rewrites one for one, must stand at one shift from the file's, and so
    must a line of the search. Then a line that the replacement has at that shift, and the search at another, is no line
    to be moved: the search misquotes it, and each line beside it that goes and stands at the same wrong shift.
    Of 5,100 real replies, calls and reports this turns three right that were refused, and changes no other.
    """
    search, new, files = fit.search, fit.replace, {i: fit.rows[row] for i, row in fit.alignment.pairs}
    shifts = {i: deep(row) - deep(search[i]) for i, row in files.items() if search[i].strip()}
    if len(set(shifts.values())) < 2 or uniform({(indent_of(search[i]), indent_of(files[i])) for i in shifts}):
        return fit
    old, come = stripped(search), stripped(new)
    kept = {i: k for i, k in common(old, come) if i in shifts}
    rewritten = {i: h.b1 + n for h in diff(old, come) if h.one_for_one for n, i in enumerate(h.old) if i in shifts}
    for again in (kept, kept | rewritten):
        # told: how far the file's line stands from the replacement's. shifts: how far from the search's.
        told = {i: deep(files[i]) - deep(new[k]) for i, k in again.items()}
        proof = Counter(told[i] for i in again if distinctive(search[i]))
        shift, count = next(iter(proof.most_common(1)), (0, 0))
        misquoted = {shifts[i] for i in again if told[i] != shifts[i] != shift}
        if 2 * count <= proof.total() or not misquoted or shift not in shifts.values():
            continue
        alike = sum(was == shift for was in shifts.values())
        # The replacement may wrap these lines in a new block (`if x:` above them, less deep than all it repeats). Then
        # they are to be set deeper, and the search is right.
        wraps = max(misquoted) > shift and min(map(deep, filter(str.strip, new))) < min(
            deep(new[k]) for k in again.values()
        )
        if wraps or (shift and 2 * alike <= len(shifts)):
            continue
        # How the reply spells each depth of the file, by the lines that the replacement has right.
        indents = {indent_of(files[i]): indent_of(new[k]) for i, k in again.items() if told[i] == shift}
        wrong = {i: indent_of(files[i]) for i, was in shifts.items() if was in misquoted}
        if doubtful := [i for i in wrong if told.get(i) == shifts[i]]:
            return Obstacle(fit.alignment.reach(doubtful[0])[0], DEPTH, search[doubtful[0]])
        if shift == 0 or indents.keys() >= set(wrong.values()):
            lines = list(search)
            for i, indent in wrong.items():
                lines[i] = indents.get(indent, indent) + search[i][len(indent_of(search[i])) :]
            return Fit(fit.document, Change.of(lines, new), fit.alignment)
    return fit


def reindented(fit: Fit) -> Iterator[Fit]:
    """The edit on a file whose lines stand to each other as the search has them, for each shift that a quoted line has.

    Nothing where one shift is all that parts the search from the file, or there are tabs. The first line must stand as
    the line above it demands: one step deeper where that opens a block, else no deeper.
    """
    rows, pairs = fit.rows, [(fit.search[i], row) for i, row in fit.alignment.pairs if fit.search[i].strip()]
    shifts = sorted({deep(rows[row]) - deep(line) for line, row in pairs})
    tabs = any("\t" in indent_of(line) + indent_of(rows[row]) for line, row in pairs)
    if tabs or not 1 < len(shifts) <= _MOST_SHIFTS:
        return
    first, end = pairs[0][1], fit.alignment.end
    start = max(0, first - _NEAR)
    above = next(filter(str.strip, reversed(rows[start:first])), "")
    step = width(_step(rows[start : end + _NEAR])) if opens(above) else 0
    for shift in shifts:
        depths = {row: deep(line) + shift for line, row in pairs}
        # The first line stands one step inside of what the line above opens; below any other line it may end blocks.
        deeper = depths[first] - deep(above)
        if min(depths.values()) < 0 or deeper > step or (opens(above) and deeper < step):
            continue
        starts = ((fit.document.span(row, row + 1).start, row) for row in depths)
        edits = [Edit(Span(at, at + len(indent_of(rows[row]))), " " * depths[row]) for at, row in starts]
        spend(len(fit.document.raw) // _COPIED)
        yield Fit(Document(apply_edits(fit.document.raw, edits)), fit.change, fit.alignment)


def _shallowest(indents: Iterable[str]) -> str:
    return min(indents, key=width)


def _step(lines: Iterable[str]) -> str:
    """What lines most often add to the indentation of the line above, where that opens a block; where none does, of
    any; "" where nothing grows. Lines that begin with a star stand a column into a comment, and do not count."""
    inside: Counter[str] = Counter()
    behind: Counter[str] = Counter()
    lines = [line for line in lines if line.lstrip()[:1] not in ("", "*")]
    depths = list(map(indent_of, lines))
    for above, depth, deeper in zip(lines, depths, depths[1:], strict=False):
        # Steps below a line that opens a block are sure; others may be continuation lines, set off by any width.
        if len(deeper) > len(depth) and deeper.startswith(depth):
            (inside if opens(above) else behind)[deeper[len(depth) :]] += 1
    steps = inside or behind
    return max(steps, key=steps.__getitem__, default="")
