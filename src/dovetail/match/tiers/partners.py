"""Which lines of a search have the tokens of which lines of the file, where not all lines are broken alike.

Search lines that share a line of the file go together: the first of them has all their lines, the others none. A
bracket that only one side has goes with the one that closes it: an edit that takes the line of one takes the line of
the other, and all between. Comments are no tokens: which of them is which is asked apart, and a kept one may say
something else in the file, as new lines beside it still belong where it stands.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from dovetail.text.comments import goes_on, is_docstring
from dovetail.text.linediff import Hunk, apart, common

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    from dovetail.match.landing.change import Change
    from dovetail.match.tiers.code import Place
    from dovetail.text.alignment import Alignment
    from dovetail.text.document import Document


class Partners:
    """The lines of one place.

    lines, ends: for each search line the first of the file's lines that it stands for, and one behind the last.
    leads: for each search line the one that has the file's lines for it.
    found: whether every token has its place.
    """

    def __init__(self, size: int, place: Place) -> None:
        self.lines: list[int | None] = [None] * size
        self.ends: list[int | None] = [None] * size
        self.leads = list(range(size))
        self._mine, self._theirs = place.mine, place.theirs
        self._leader = -1
        self._led: dict[int, int] = {}  # the search line that has a token of the file
        self._own: list[int] = []  # tokens that one side has alone
        self._others: list[int] = []
        for i, k in place.pairs:
            if i is None and k is not None:
                self._others.append(k)
                self._add_alone(k)
            elif k is None and i is not None:
                self._own.append(i)
            elif i is not None and k is not None:
                self._add(i, k)
        self._lead_lone_lines()
        self._ties = [*self._own_brackets(), *self._joints()]
        self._loose_ties = list(self._other_brackets())
        tied = [*self._ties, *self._loose_ties]
        self.found = self._leader >= 0 and all(low >= 0 and high >= 0 for low, high in tied)

    def _add(self, mine: int, theirs: int) -> None:
        line = self._mine.firsts[mine]
        first, behind = self._theirs.firsts[theirs], self._theirs.lasts[theirs] + 1
        if line != self._leader and (self._leader < 0 or first >= (self.ends[self._leader] or 0)):
            alone = [self._theirs.firsts[k] for k in self._others] if self._leader < 0 else []
            self._leader = line
            self.lines[line] = min([first, *alone])
        self.leads[line] = self._led[theirs] = self._leader
        self.ends[self._leader] = max(first + 1, self.ends[self._leader] or 0)
        if self._mine.lasts[mine] > line:  # a text of several lines
            inner = range(line + 1, self._mine.lasts[mine] + 1)
            if behind - first - 1 == len(inner):  # all of them the same in the file
                self.lines[inner.start : inner.stop] = range(first + 1, behind)
                self.ends[inner.start : inner.stop] = range(first + 2, behind + 1)
                self._leader = inner.stop - 1
            else:
                self.leads[inner.start : inner.stop] = [self._leader] * len(inner)
        self.ends[self._leader] = max(behind, self.ends[self._leader] or 0)

    def _add_alone(self, theirs: int) -> None:
        if self._leader >= 0:
            self.ends[self._leader] = max(self._theirs.lasts[theirs] + 1, self.ends[self._leader] or 0)
            self._led[theirs] = self._leader

    def _lead_lone_lines(self) -> None:
        """Put lines of the search that hold nothing but what the file lacks to the line above."""
        led = -1
        for line in sorted(self._mine.solid_lines()):
            if self.lines[line] is None and self.leads[line] == line:
                self.leads[line] = led
                if led < 0:
                    self._leader = -1
                    return
            led = self.leads[line]

    def _own_brackets(self) -> Iterator[tuple[int, int]]:
        """The search lines from one bracket to the other, where the file has neither."""
        pairs = self._mine.brackets
        for i in self._own:
            if self._mine.tokens[i].text == "(":
                first, last = self._mine.firsts[i], self._mine.firsts[pairs[i]] if i in pairs else -1
                yield self.leads[first], last

    def _other_brackets(self) -> Iterator[tuple[int, int]]:
        """The search lines whose own are the file's lines of two brackets that the search has not."""
        pairs = self._theirs.brackets
        first = self.leads[self._mine.firsts[0]]
        for k in self._others:
            if self._theirs.tokens[k].text == "(":
                last = self._led.get(pairs[k], -1) if k in pairs else -1
                yield self._led.get(k, first), last

    def _joints(self) -> Iterator[tuple[int, int]]:
        """The search lines that the file has on lines which a backslash joins."""
        for k in self._others:
            if self._theirs.tokens[k].text.strip() == "\\":
                yield self._led.get(k, -1), self._led.get(k + 1, -1)

    def widened(self, change: Change) -> Change:
        """A change of which every hunk takes all lines that go together with one that it takes."""
        ends = {lead: i + 1 for i, lead in enumerate(self.leads)}
        groups = [range(lead, end) for lead, end in ends.items() if end - lead > 1]
        groups += [range(low, ends.get(self.leads[high], high + 1)) for low, high in self._ties]
        for _ in range(len(self._loose_ties) + 1):
            wide = change.widened(groups)
            for low, high in self._loose_ties:
                both = (range(low, ends[low]), range(high, ends[high]))
                whole = range(low, ends[high])
                if whole not in groups and any(_takes(wide, lines) for lines in both):
                    groups.append(whole)
        return change.widened(groups)


def _takes(change: Change, lines: range) -> bool:
    """Whether a change has a hunk that takes one of some search lines, or parts them."""
    return any(hunk.a1 < lines.stop and lines.start < hunk.a2 for hunk in change.hunks)


def comment_partners(
    document: Document,
    search: Sequence[str],
    bare: Iterable[int],
    code: Container[int],
    alignment: Alignment,
) -> Iterator[tuple[int, int, int]]:
    """Partners for the `bare` lines of the search, which hold comments and no code, between lines that have theirs; the
    file's line, and one behind the last.

    Equal ones go together; of the others as many as there are, where search and file have equally many between those.
    One that goes on in the file has all lines of it there.
    """
    for (above, below), together in groupby(bare, lambda i: (alignment.above(i), alignment.below(i))):
        run = list(together)
        texts = [search[i].strip() for i in run]
        there = _between(document, code, above, below, texts)
        equal = list(common(texts, [document.stripped[line] for line in there]))
        yield from ((run[i], there[k], there[k] + 1) for i, k in equal)
        for left in apart(equal, Hunk(0, len(run), 0, len(there))):
            mine, others = run[left.a1 : left.a2], there[left.b1 : left.b2]
            if left.one_for_one:
                yield from ((i, line, line + 1) for i, line in zip(mine, others, strict=True))
            elif len(mine) == 1 and others and goes_on(search[mine[0]].strip(), document.stripped[others[0]]):
                whole = is_docstring(search[mine[0]]) or others[-1] - others[0] < len(others)
                yield mine[0], others[0], others[-1] + 1 if whole else others[0] + 1


def _between(
    document: Document, code: Container[int], above: int | None, below: int | None, texts: Container[str]
) -> list[int]:
    """The file's comment lines between code; where one end is open, as far as nothing else stands there, and below a
    blank line only one of `texts`."""
    rows = document.stripped
    if above is None:
        above = below or 0
        while above > 0 and above - 1 not in code and rows[above - 1]:
            above -= 1
    elif below is None:
        below = above
        while (
            below < len(rows)
            and below not in code
            and (rows[below] or any(row in texts for row in rows[below + 1 : below + 2]))
        ):
            below += 1
    return [line for line in range(above, below or above) if rows[line]]
