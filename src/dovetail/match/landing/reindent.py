"""How deep a line of the replacement stands in the file.

The quoted lines say how the reply counts indentation, their partners in the file how the file does (`depths`). Where
that is a law, new lines follow it. Where it is not, a new line stands as deep as the quoted lines that the reply
indented alike, or as much deeper than the line it hangs on as the reply says. Nobody guesses: where two depths of the
reply would become one, one depth could become two, or nothing quoted is as shallow, there is no answer (`doubts`).
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.match.landing.depths import Depths, Placed
from dovetail.match.landing.doubts import Hung, doubtful
from dovetail.text.line import closes, deep, indent_of, mark, opens, width

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from dovetail.match.landing.fit import Fit
    from dovetail.text.linediff import Hunk

_TELLS = 2  # columns of a step: with less, any text stands by chance where a deeper line may
_WORD = re.compile(r"[\s(\[{](?=[^\s)\]}])")
_HANGS = re.compile(r"[{(\[:=>]\s*$")  # what comes next is a block or a value, and stands below no text
_GOES_ON = re.compile(r"^\s*(?:let|var|where|with)\s+(?=\S)")
"""What a text stands behind that the next line may stand below: any, or, a step further, one of which more comes."""


class Indenter:
    """Re-indents lines for one alignment; `silent` quoted lines do not tell how deep lines belong."""

    def __init__(self, fit: Fit, silent: Collection[int] = ()) -> None:
        self._rows, self._alignment, self._search, self._replace = fit.rows, fit.alignment, fit.search, fit.replace
        self._depths = Depths(fit, silent)
        self._references, self._counting = self._depths.references, self._depths.counting

    def indent(self, hunk: Hunk) -> list[str] | None:
        """The new lines of a hunk as they stand in the file.

        None where what is quoted does not tell how deep one of them belongs.
        """
        lines = self._replace[hunk.b1 : hunk.b2]
        if self._depths.same:
            return list(lines)
        if self._depths.written:
            return None if self._depths.unclear else list(lines)
        done: list[Placed] = []
        hung: list[Placed] = []
        for n, line in enumerate(lines):
            own = indent_of(line)
            depth = self._depth(n, hung, hunk) if line.strip() else self._depth_of_blanks(own)
            if depth is None:
                return None
            done.append(Placed(line, own, depth))
            if line.strip():
                hung.append(done[-1])
        above = next((ref for ref in reversed(self._references) if ref.at < hunk.a1), None)
        below = next((ref for ref in self._references if ref.at >= hunk.a2), None)
        if not self._counting.proven and doubtful(self._hung(hunk, above, hung, below), self._depths, self._replace):
            return None
        blanked = _with_blank_lines(done, above, below)
        return [placed.file + placed.line[len(placed.model) :] for placed in blanked]

    def _depth_of_blanks(self, own: str) -> str:
        """The blanks of a blank line: only tabs are spelled anew, as nobody moves what cannot be seen."""
        depth = self._counting.lawful(own) if "\t" in own else None
        return own if depth is None else depth

    def _heads(self, row: int) -> bool:
        """Whether a block hangs on a line of the file."""
        if row + 1 == len(self._rows) or not self._rows[row + 1].strip():
            return False
        return deep(self._rows[row + 1]) > deep(self._rows[row])

    @cached_property
    def _stripped(self) -> Placed | None:
        """The search's first line, where it alone lost its blanks: the reply's text was stripped at its start."""
        if len(self._references) < 2:
            return None
        first, *others = self._references
        stripped = not first.model and first.file and not any(line.strip() for line in self._search[: first.at])
        return first if stripped and all(ref.model == ref.file for ref in others) else None

    def _hung(self, hunk: Hunk, above: Placed | None, new: Sequence[Placed], below: Placed | None) -> Hung:
        return Hung(hunk, above, new, below, self._heads(self._references[0].row), self._parts(hunk, new))

    def _parts(self, hunk: Hunk, new: Sequence[Placed]) -> bool:
        """Whether new lines come between a line and what hangs on it in the file, the last no deeper than the line."""
        row = self._alignment.above(hunk.a1)
        if not new or not hunk.inserts or row is None or not self._heads(row - 1):
            return False
        return width(new[-1].file) <= deep(self._rows[row - 1])

    def _depth(self, n: int, done: Sequence[Placed], hunk: Hunk) -> str | None:
        """How deep the file puts new line `n` of a hunk; `done` are those above it."""
        line = self._replace[hunk.b1 + n]
        own = indent_of(line)
        if self._stripped is not None:
            below = hunk.a1 == hunk.a2 == self._stripped.at + 1 and n == 0
            first = not any(map(str.strip, self._replace[: hunk.b1 + n]))
            return self._unstripped(own, first=first) if own or not below else None
        alike = self._depths.alike(line)
        inside = [ref for ref in alike if ref.at in hunk.old]
        if inside and hunk.one_for_one:
            return min(inside, key=lambda ref: abs(ref.at - hunk.a1 - n)).file
        below_text = self._aligned(own, done, hunk) if all(ref.line != line for ref in alike) else None
        if below_text is not None:
            return below_text
        if self._depths.torn(own):
            return self._torn(n, alike, hunk)
        if alike:
            there = alike[0].file
            alone = there != own and not self._counting.proven and self._moves_alone(line, hunk)
            return None if alone or self._depths.doubted(alike[0]) else there
        if not self._counting.proven:
            return self._unlike(own, n, done, hunk)
        depth = self._counting.lawful(line)
        return None if depth is None or self._leaves(line, depth, n, hunk) else depth

    def _aligned(self, own: str, done: Sequence[Placed], hunk: Hunk) -> str | None:
        """The depth of a line that the reply put below a text of the line above, and not a step behind it: as far
        behind it, however wide the file's steps are."""
        step = self._counting.restepped
        if step < _TELLS:
            return None
        quoted = [ref for ref in self._references if ref.at < hunk.a1]
        above = next((line for line in reversed([*quoted[-1:], *done]) if line.model != own), None)
        if above is None or _HANGS.search(above.line) or closes(above.line) or not own.startswith(above.model):
            return None
        more = own[len(above.model) :]
        at = (_WORD if len(more) > step else _GOES_ON).finditer(above.line)
        return above.file + more if any(found.end() == len(own) for found in at) else None

    def _unstripped(self, own: str, *, first: bool) -> str | None:
        """The depth of a line where the reply's text lost the blanks at its start, and no others.

        One right below the line that lost them may have lost its own.
        """
        if own:
            return own
        if first and self._stripped is not None:
            return self._stripped.file
        return own if any(not ref.file for ref in self._references) else None

    def _torn(self, n: int, alike: Sequence[Placed], hunk: Hunk) -> str | None:
        """The depth of new line `n` where the reply put at one depth what the file has at several.

        What is replaced, or what stands on both sides, must agree; of a line that opens a block, the quoted ones that
        open one as deep. Several new lines could differ in depth as the quoted ones do, unless the reply shows of other
        lines that they are deeper than these.
        """
        own = indent_of(self._replace[hunk.b1 + n])
        inside = {ref.file for ref in alike if ref.at in hunk.old}
        above = [ref for ref in alike if ref.at < hunk.a1]
        below = [ref for ref in alike if ref.at >= hunk.a2]
        if len(inside) == 1:
            depth: str | None = inside.pop()
        elif inside or not above or not below:
            return None
        elif width(child := self._child(n, own, hunk)) > width(own):
            heads = {ref.file for ref, under in pairwise(self._references) if ref in alike and under.model == child}
            depth = heads.pop() if len(heads) == 1 else None
        else:
            depth = above[-1].file if above[-1].file == below[0].file else self._between(above[-1], below[0], hunk)
        if depth is None:
            return None
        deepest = max(width(ref.file) for ref in alike)
        shown = any(width(ref.model) > width(own) and width(ref.file) > deepest for ref in self._references)
        new = [line for line in self._replace[hunk.b1 : hunk.b2] if line.strip() and indent_of(line) == own]
        return depth if len(new) == 1 or (shown and width(depth) == deepest) else None

    def _child(self, n: int, own: str, hunk: Hunk) -> str:
        """How deep the line below a new one stands in the reply; as deep as the line, where there is none."""
        return next((indent_of(line) for line in self._replace[hunk.b1 + n + 1 :] if line.strip()), own)

    def _between(self, above: Placed, below: Placed, hunk: Hunk) -> str | None:
        """The depth of a line between two that the model put alike and the file does not.

        It is inside what opens above, or before what closes below; else it goes with the one that stands next to it.
        """
        touches_above = above.at == hunk.a1 - 1 and bool(self._replace[hunk.b1].strip())
        touches_below = below.at == hunk.a2 and bool(self._replace[hunk.b2 - 1].strip())
        inside = opens(above.line) and width(below.file) > width(above.file)
        before = closes(below.line) and width(above.file) > width(below.file)
        if (inside and before) or not (touches_above or touches_below):
            return None
        if inside or before:
            return below.file if inside else above.file
        if touches_above and touches_below:
            return None
        return above.file if touches_above else below.file

    def _unlike(self, own: str, n: int, done: Sequence[Placed], hunk: Hunk) -> str | None:
        """The depth of a line that the reply indented like none that it quotes, where there is no law."""
        base = self._base(own, done, hunk)
        if base is None:
            return self._as_written(own, n, hunk)
        if any(self._depths.doubted(ref) for ref in self._references if ref[:3] == base[:3]):
            return None
        more = own[len(base.model) :]
        if self._counting.skips(more) or (self._depths.torn(base.model) and not opens(base.line)):
            return None
        depth = base.file + self._counting.deeper(more, base.file)
        if self._counting.clamped(own) not in (None, width(depth)) or self._counting.half_a_step(depth, base.file):
            return None
        for ref in (ref for ref in self._references if mark(ref.line) != "*"):
            deeper = width(depth) - width(ref.file)
            if not deeper or (deeper > 0) != (width(own) > width(ref.model)):
                return None
        return None if self._moves_otherwise(self._replace[hunk.b1 + n], hunk, depth) else depth

    def _moves_otherwise(self, line: str, hunk: Hunk, depth: str) -> bool:
        """Whether a line that stands in the hunk's search but for its depth would move there by another step."""
        own, text = indent_of(line), line.strip()
        steps = [
            ref.file + self._counting.deeper(own[len(ref.model) :], ref.file)
            for ref in self._references
            if ref.at in hunk.old and ref.line.strip() == text and own.startswith(ref.model)
        ]
        return bool(steps) and depth not in steps

    def _moves_alone(self, line: str, hunk: Hunk) -> bool:
        """Whether a line stands in the hunk's search but for its depth, and there as deep as the file has it.

        What the file has elsewhere than the reply may be wrapped there, and tells nothing of such a line.
        """
        inside = (ref for ref in self._references if hunk.a1 <= ref.at < hunk.a2)
        return any(ref.model == ref.file and ref.line.strip() == line.strip() for ref in inside)

    def _base(self, own: str, done: Sequence[Placed], hunk: Hunk) -> Placed | None:
        """What a line hangs on: the nearest line above that is shallower, or else the nearest below."""
        above = [ref for ref in self._references if ref.at < hunk.a1]
        near = [*reversed([*above, *done]), *self._references[len(above) :]]
        return next((line for line in near if own != line.model and own.startswith(line.model)), None)

    def _as_written(self, own: str, n: int, hunk: Hunk) -> str | None:
        """The depth of a line that stands where the file has the one it replaces, and cannot go further left."""
        ref = self._replaced(n, hunk)
        margin = ref is not None and width(own) + width(ref.file) < width(ref.model)
        return own if margin and ref is not None and ref.file == own else None

    def _leaves(self, line: str, depth: str, n: int, hunk: Hunk) -> bool:
        """Whether a law takes a line out to the left of all that is quoted, and the file says otherwise."""
        own = indent_of(line)
        if own == depth or any(width(ref.model) <= width(own) for ref in self._references):
            return False
        replaced, behind = self._replaced(n, hunk), self._behind(hunk)
        if replaced is not None and replaced.file == own:
            return True
        return deep(behind) > width(depth) and bool(behind.strip()) and not opens(line)

    def _replaced(self, n: int, hunk: Hunk) -> Placed | None:
        """The line that new line `n` takes the place of, where lines are replaced one for one."""
        here = (ref for ref in self._references if ref.at == hunk.a1 + n and hunk.one_for_one)
        return next(here, None)

    def _behind(self, hunk: Hunk) -> str:
        """The file's line behind what a hunk replaces; empty at the file's end."""
        row = self._alignment.above(hunk.a2)
        return self._rows[row] if row is not None and row < len(self._rows) else ""


def _with_blank_lines(placed: Sequence[Placed], above: Placed | None, below: Placed | None) -> list[Placed]:
    """New lines with the blank ones that hold blanks as deep as the line beside, where the reply has both alike."""
    if not any(line.model and not line.line.strip() for line in placed):
        return list(placed)
    beside: list[list[Placed]] = [[] for _ in placed]
    for outer, order in ((above, range(len(placed))), (below, range(len(placed) - 1, -1, -1))):
        near = [outer] if outer is not None else []
        for n in order:
            beside[n] += near
            near = [placed[n]] if placed[n].line.strip() else near
    return [
        line._replace(file=next((x.file for x in near if x.model == line.model), line.file))
        if line.model and not line.line.strip()
        else line
        for line, near in zip(placed, beside, strict=True)
    ]
