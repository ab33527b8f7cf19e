"""A bare run in a text that may hold fences: it ends the text's own fence, or begins one inside.

Owns how both are weighed, over all bare runs up to a line that says more (a fence with an info string, or a longer one;
a marker), or to the reply's end. An end has nothing right behind it and text right above, and stands as deep as its
beginning; a beginning has text right behind it, and a gap, a colon, a title or a path above. A path right behind speaks
for neither. Runs pair, so that one of them ends the text, or none. Where two readings weigh the same, the longer one is
taken and refused: what follows in it may be an example.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

from dovetail.formats.lines import fences
from dovetail.formats.listings import whole
from dovetail.formats.scan.keeping import EveryLine
from dovetail.formats.scan.scanner import GiveBack

if TYPE_CHECKING:
    from dovetail.formats.listings.fenced import Fenced

_MOST_AHEAD, _MOST_RUNS = 300, 16  # lines, and runs; so the work is linear in the reply


class _Run(NamedTuple):
    """A bare run at a line of the reply, the line above it, and the one behind it, "" if there is none."""

    text: str
    line: int
    above: str
    behind: str = ""

    @property
    def depth(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def as_beginning(self) -> int:
        """How much speaks for a beginning; an empty fence is hardly one."""
        return (
            -2 if fences.is_fence_line(self.behind) else (self._text_behind and not self._path_behind) + self._has_gap
        )

    def as_end(self, depth: int) -> int:
        """How much speaks for the end of what began at that depth."""
        return (not self._text_behind) + (not self._has_gap) + (self.depth == depth)

    @property
    def _text_behind(self) -> bool:
        return bool(self.behind.strip()) and not fences.is_fence_line(self.behind)

    @property
    def _path_behind(self) -> bool:
        """The next listing's, or the first line of an example: it speaks for neither."""
        return whole.names_file(self.behind)

    @property
    def _has_gap(self) -> bool:
        above = self.above.strip()
        return not above or above.endswith(":") or self.above.startswith("#") or whole.names_file(above)


class InnerRuns(EveryLine):
    """Behind a bare run of an open fence. `runs` are it and those that follow; the lines behind it are kept."""

    def __init__(self, fenced: Fenced, text: str, line: int, above: str) -> None:
        self.fenced = fenced
        self.runs = [_Run(text, line, above)]
        self.kept: list[str] = []

    def line(self, text: str, line: int) -> GiveBack | None:
        """The next line; where nothing is right behind the first run, that run is an end."""
        fence, grammar = self.fenced.fence, self.fenced.scanner.grammar
        above = self.kept[-1] if self.kept else self.runs[0].text
        self.kept.append(text)
        if fences.is_fence_line(above) and self.runs[-1].line == line - 1:
            self.runs[-1] = self.runs[-1]._replace(behind=text)
        if len(self.kept) == 1 and not text.strip() and not fence.is_above(self.runs[0].text):
            return self._decide(0)
        if grammar.start(text) is not None:
            return self._decide(self._before_edit(line))
        inner = fences.opening(text)
        longer = inner is not None and len(inner.mark) > len(fence.mark)
        if inner is not None and (longer or not inner.bare) and not inner.item:
            return self._decide(self._best(sure=True))
        if fence.closes(text):
            self.runs.append(_Run(text, line, above))
        enough = len(self.kept) >= _MOST_AHEAD or len(self.runs) >= _MOST_RUNS
        return self._decide(self._best(sure=None)) if enough else None

    def end(self) -> GiveBack | None:
        """The reply ends."""
        return self._decide(self._best(sure=False))

    def _before_edit(self, line: int) -> int | None:
        """Which run ends the text where an edit starts; the last one begins its fence, if only a path is between."""
        last = self.runs[-1]
        if last.line < line - 2 or (last.line == line - 2 and not whole.names_file(last.behind)):
            return self._best(sure=None)
        if len(self.runs) == 1:
            return None if last.as_beginning >= last.as_end(len(self.fenced.fence.blank)) else 0
        self.runs.pop()
        return self._best(sure=True)

    def _best(self, *, sure: bool | None) -> int | None:
        """Which run ends the text, or None if none does.

        sure: no fence is open behind the last run; False: the text itself has ended; None: nothing is known.
        """
        odd = len(self.runs) % 2 == 1
        told = self._weights()
        weights: dict[int | None, int] = {}
        for ends in (*range(0, len(self.runs), 2), None):
            dangles = odd == (ends is None)
            if not (sure and dangles and ends is None):
                left_open = sure is not None and (dangles or (not sure and ends is None))
                weights[ends] = told[-1 if ends is None else ends] - left_open
        most = max(weights.values())
        best = [ends for ends, weight in weights.items() if weight == most]
        self.fenced.unsure |= len(best) > 1 and 0 in best
        return best[-1]

    def _weights(self) -> list[int]:
        """How much speaks for it that a run ends the text, by its number; last, that none does.

        Before it and behind it runs pair, so each is a beginning or an end by whether its number is even.
        """
        own = len(self.fenced.fence.blank)
        begins = [run.as_beginning for run in self.runs]
        closes = [run.as_end(above.depth) for above, run in pairwise((self.runs[0], *self.runs))]
        before = [0, *accumulate(closes[i] if i % 2 else begins[i] for i in range(len(self.runs)))]
        other = [begins[i] if i % 2 else closes[i] for i in range(len(self.runs))]
        behind = [*accumulate(reversed(other))][::-1]
        ends = [before[i] + run.as_end(own) + behind[i] - other[i] for i, run in enumerate(self.runs)]
        return [*ends, before[-1]]

    def _decide(self, ends: int | None) -> GiveBack | None:
        """Take the first run for what it is, keep what the others are, and give back what was read behind it."""
        last = len(self.runs) if ends is None else ends
        begins = {run.line: False for run in self.runs[:last:2]}
        self.fenced.known = begins | {run.line: True for run in self.runs[last : last + 1]}
        first = self.runs[0]
        self.fenced.on_known(first.text, first.line)
        return GiveBack("".join(self.kept), first.line + 1) if self.kept else None
