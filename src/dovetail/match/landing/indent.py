"""Decides the indentation of the edit's new lines in the file.

The lines that the search quotes, compared with the file's, show which depth of the reply is which depth of the file.
First one law for all depths is looked for: the same depths, a shift by columns, tabs for spaces, or steps of another
width. Without a law, each quoted depth is mapped on its own. If neither gives a new line's depth, the edit does not
land.

Before that, a search that misquotes the depth of some lines is corrected from the replacement, if that has them right
(`requoted`). If the file's own indentation is wrong, and does not parse, its lines may be corrected (`reindented`).
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

_NEAR = 200  # lines around a place from which the file's indentation step is read
_MOST_SHIFTS = 4  # different shifts between a search and the file that are tried
_COPIED = 500  # characters that are copied in the time of one step
DEPTH = "the search is indented otherwise than the file, and does not tell how deep the new lines belong"


class _QuotedLine(NamedTuple):
    """A line of the search that is not blank, with its index, and its indentation in the reply and in the file."""

    at: int
    line: str
    reply: str
    file: str


class _Law(NamedTuple):
    """A map from depths of the reply to those of the file, in columns: `origin` becomes `target`, and from there each
    `step` becomes one `file_step`. `tab`: the width of a tab."""

    tab: int
    origin: int
    target: int
    step: int = 1
    file_step: int = 1

    def columns(self, indent: str, *, starred: bool) -> int | None:
        """Return the file's depth for an indentation of the reply; None between two steps, where only `starred` lines
        of comments may be."""
        # If steps of 2 become steps of 4, column 2 of the reply is 4 in the file, and column 3 has no counterpart. A
        # comment's star stands one column further in, at any step.
        steps, rest = divmod(width(indent, self.tab) - self.origin, self.step)
        if rest and not (starred and rest == 1):
            return None
        columns = self.target + steps * self.file_step + rest
        return columns if columns >= 0 else None

    def holds_of(self, quoted: _QuotedLine) -> bool:
        """Return whether the law agrees with a comment's starred line that has the same indentation in reply and file.

        True for all other lines. A starred line proves no law, as models lose the blank before the star.
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
        """Whether the edit's indentation has two readings that write different lines."""
        return self._first_line_alone_lost_its_blanks() or self._may_be_the_files() or self._moves_in_doubt()

    @cached_property
    def _kept(self) -> list[tuple[_QuotedLine, str]]:
        """The quoted lines that the replacement has, too, each with its indentation there."""
        quoted = {line.at: line for line in self._quoted}
        pairs = common(stripped(self._fit.search), stripped(self._fit.replace))
        return [(quoted[i], indent_of(self._fit.replace[k])) for i, k in pairs if i in quoted]

    @cached_property
    def _file_step(self) -> str:
        """The indentation that one block adds in the file, around the place."""
        first, end = self._fit.alignment.first, self._fit.alignment.end
        return _step(self._fit.rows[max(0, first - _NEAR) : end + _NEAR])

    def indent(self, hunk: Hunk) -> list[str] | None:
        """Return the new lines of a hunk with the file's indentation; None if that of any line cannot be determined."""
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
        """Return the indentation in the file of new line `n`, from 0, of a hunk, or None."""
        new = self._fit.replace[hunk.b1 + n]
        own = indent_of(new)
        spend(2 * len(self._quoted))
        # 1. Quoted lines of the same depth in the reply show the depth in the file. A comment's star stands one column
        #    further in, so lines with the same mark are compared first.
        alike = [quoted for quoted in self._quoted if quoted.reply == own]
        same = [quoted for quoted in alike if mark(quoted.line) == mark(new)]
        if len(same) == 1 and any(mark(quoted.line) == "*" and quoted.file != same[0].file for quoted in alike):
            return None  # other quoted lines of that depth contradict the starred one
        alike = same or alike
        # 2. A line that replaces a single line takes that line's depth.
        inside = [quoted for quoted in alike if quoted.at in hunk.old]
        if hunk.one_for_one and (here := [quoted for quoted in inside if quoted.at == hunk.a1 + n]):
            return here[0].file
        # 3. One law maps the reply's depths to the file's (steps of 2 to 4, tabs for spaces, a shift): it holds for
        # depths    that are not quoted, too. Left of the only quoted depth it is not proven.
        if self._law is not None:
            if len({quoted.file for quoted in alike}) == 1:
                return alike[0].file
            depths = {quoted.reply for quoted in self._quoted}
            if self._law.origin != self._law.target and width(own) < min(map(width, depths)) and len(depths) == 1:
                return None  # left of the one depth that is quoted
            columns = self._law.columns(own, starred=mark(new) == "*")
            return None if columns is None else self._spelled(columns, own)
        # 4. No law: the reply's indentation is wrong in more than one way. A line that the edit only indents goes as
        # much    deeper in the file as in the reply.
        moved = [quoted for quoted in self._quoted if quoted.at in hunk.old and quoted.line.strip() == new.strip()]
        if hunk.one_for_one and len(moved) == 1 and own.startswith(moved[0].reply):
            return moved[0].file + own[len(moved[0].reply) :]
        if not own and any(quoted.reply and quoted.reply != quoted.file for quoted in self._quoted):
            alike = inside  # other lines may have been moved to the margin as well
        if self._search_alone_is_uneven(own, alike):
            return None
        # 5. The depth that all quoted lines of its depth agree on; else the lines that it replaces and its nearest
        #    neighbours above and below. If even these disagree, the depth is unknown.
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
        """Return whether the removed lines give one depth for new lines, and the kept ones another that the file has.

        Then the search misquotes the removed lines, and the depth is unknown.
        """
        stay = {width(quoted.file) - width(new) for quoted, new in self._kept if distinctive(quoted.line)}
        if len(stay) != 1 or any(new == own for _, new in self._kept):
            return False
        depth = width(own) + stay.pop()
        return {width(quoted.file) for quoted in alike} != {depth} <= {width(quoted.file) for quoted in self._quoted}

    def _spelled(self, columns: int, own: str) -> str:
        """Return `columns` of indentation in the file's tabs or spaces; if it has none, like the reply's `own`."""
        law, shown = self._law, self._file_step + "".join(quoted.file for quoted in self._quoted)
        if law is not None and "\t" in (shown or own):
            return "\t" * (columns // law.tab) + " " * (columns % law.tab)
        return " " * columns

    def _first_line_alone_lost_its_blanks(self) -> bool:
        """Return whether only lines at the margin are quoted, and only the replacement's first line stands there.

        Models leave out the blanks before the first line of a text; then the other lines have the file's depth.
        """
        first, *others = [line for line in self._fit.replace if line.strip()] or [""]
        alone = others and not indent_of(first) and all(map(indent_of, others))
        lone = {(quoted.reply, quoted.file) for quoted in self._quoted}
        if not alone or len(lone) > 1 or ("", lone.pop()[1]) != ("", self._quoted[0].file) or self._quoted[0].reply:
            return False
        return not opens(first) or width(indent_of(others[0])) > width(self._quoted[0].file)

    def _replacement_is_the_files(self) -> bool:
        """Return whether the replacement is indented like the file, although the search is not: its shallowest line is
        as deep as the file's, and no line that it shares with the search is less deep than in the file."""
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
        """Return whether the replacement's depths may be the file's, although the law maps them to others.

        Its kept lines are as deep as in the file, and no other line is less deep: perhaps only the search has another
        indentation.
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
        """Return whether a line whose depth the search misquotes may be meant to be indented or outdented.

        It may, without a law, if the replacement has it at another depth than the search, or at a shift from the file's
        depth by which another line is moved.
        """
        if self._law is not None:
            return False
        depths = [(width(quoted.reply), width(quoted.file), width(new)) for quoted, new in self._kept]
        margin = min(width(quoted.file) for quoted in self._quoted)
        shifts = {new - old for old, file, new in depths if old == file}
        return any(old != file and new >= margin and (new != old or new - file in shifts) for old, file, new in depths)

    def _law_of_all(self) -> _Law | None:
        """Return the law that all quoted lines prove, or None."""
        # 1. One shift for all, for some width of a tab. One quoted depth alone proves only that depths are the same.
        # 2. Steps of another width, counted from the margin.
        # 3. The only depth that is quoted, with equal steps from there on.
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
        """Return whether neighbouring new lines would be nested differently in the file than in the reply.

        A line deeper than the one above it must stay deeper, and one below a line that opens a block must be deeper. If
        not, the reply lost its indentation, and it cannot be restored.
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
    """Return the edit with misquoted depths of its search corrected from its replacement, or an obstacle.

    Most lines that the replacement repeats, or rewrites one for one, must have one shift from the file's, and so must a
    line of the search. Then a line with that shift in the replacement and another in the search is not to be moved: the
    search misquotes its depth, and that of each removed line with the same wrong shift.

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
        # told: the shift of the file's line from the replacement's. shifts: its shift from the search's.
        told = {i: deep(files[i]) - deep(new[k]) for i, k in again.items()}
        proof = Counter(told[i] for i in again if distinctive(search[i]))
        shift, count = next(iter(proof.most_common(1)), (0, 0))
        misquoted = {shifts[i] for i in again if told[i] != shifts[i] != shift}
        if 2 * count <= proof.total() or not misquoted or shift not in shifts.values():
            continue
        alike = sum(was == shift for was in shifts.values())
        # The replacement may wrap these lines in a new block (`if x:` above them, less deep than all that it repeats).
        # Then they are to be indented, and the search is right.
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
    """Yield the edit on a copy of the file whose lines are nested as in the search, for each shift of a quoted line.

    Yields nothing if the search and the file differ by one shift, or if there are tabs. The first line must suit the
    line
    above it: one step deeper if that opens a block, else no deeper.
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
    """Return the blanks that lines most often add to the indentation of the line above, if that opens a block; if none
    does, of any line above; "" if none is deeper. Starred lines of comments do not count."""
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
