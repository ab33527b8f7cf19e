"""An edit as lines: its search, its replacement, and what differs between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import eq
from typing import TYPE_CHECKING

from dovetail.text.diff import Hunk, common, diff, line_by_line
from dovetail.text.line import closes, distinctive, indent_of, stripped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(frozen=True)
class Change:
    """An edit as lines, with the hunks between them."""

    search: list[str]
    replace: list[str]
    hunks: tuple[Hunk, ...]

    @classmethod
    def of(cls, search: list[str], replace: list[str]) -> Change:
        """Compare the two; line by line if all lines are the same except for their blanks."""
        # Where only blanks change, a diff would pair a line with an equal one elsewhere: of `}`, `  }` made to
        # `  }`, `}` it would keep one brace in the other's place.
        one_by_one = len(search) == len(replace) and all(map(eq, map(str.strip, search), map(str.strip, replace)))
        return cls(search, replace, tuple(line_by_line(search, replace) if one_by_one else diff(search, replace)))

    def coarse(self) -> Change:
        """Return the same change, with hunks joined if no distinctive line stands between them.

        If the file has lines that the search left out, a lone brace or blank line does not prove what is kept.
        """
        joined: list[Hunk] = []
        for hunk in self.hunks:
            last = joined[-1] if joined else None
            if last is not None and not any(map(distinctive, self.search[last.a2 : hunk.a1])):
                joined[-1] = Hunk(last.a1, hunk.a2, last.b1, hunk.b2)
            else:
                joined.append(hunk)
        return Change(self.search, self.replace, tuple(joined))

    def widened(self, groups: Iterable[range]) -> Change:
        """Return the same change, with every hunk that cuts a group of search lines widened to all of it."""
        whole: list[Hunk] = []
        for hunk in self.hunks:
            first, end = hunk.a1, hunk.a2
            for group in groups:
                if group.start < end and first < group.stop:
                    first, end = min(first, group.start), max(end, group.stop)
            # The lines that a hunk grows by are kept ones, so the replacement's range grows by as many.
            above = hunk.b1 - (hunk.a1 - first)
            if whole and first < whole[-1].a2:
                last = whole.pop()
                first, end, above = last.a1, max(last.a2, end), last.b1
            whole.append(Hunk(first, end, above, hunk.b2 + (end - hunk.a2)))
        return Change(self.search, self.replace, tuple(whole))

    def from_below(self) -> Change:
        """Return the same edit compared from its end, so that of equal lines others may count as kept.

        The change itself if it was compared line by line, or if its hunks were widened.
        """
        above = Change(self.search, self.replace, tuple(diff(self.search, self.replace)))
        old, new = len(self.search), len(self.replace)
        turned = diff(self.search[::-1], self.replace[::-1])
        hunks = (Hunk(old - h.a2, old - h.a1, new - h.b2, new - h.b1) for h in reversed(turned))
        below = Change(self.search, self.replace, tuple(hunks))
        # Hunks that are neither the plain nor the coarse difference were made by hand (line for line, or widened):
        # there is no other reading of them.
        if self.hunks == above.hunks:
            return below
        return below.coarse() if self.hunks == above.coarse().hunks else self

    @cached_property
    def moved(self) -> dict[int, int]:
        """The search lines that the edit only indents or outdents: index in the search → index in the replacement.

        They are kept lines: the file's words stay, with the replacement's depth.
        """
        return {
            hunk.a1 + i: hunk.b1 + k
            for hunk in self.hunks
            for i, k in common(stripped(self.old(hunk)), stripped(self.new(hunk)))
            if (line := self.search[hunk.a1 + i]).strip() and indent_of(line) != indent_of(self.replace[hunk.b1 + k])
        }

    def old(self, hunk: Hunk) -> list[str]:
        """Return the lines that a hunk removes."""
        return self.search[hunk.a1 : hunk.a2]

    def new(self, hunk: Hunk) -> list[str]:
        """Return the lines that a hunk adds."""
        return self.replace[hunk.b1 : hunk.b2]

    @property
    def gone(self) -> Iterator[str]:
        """All lines that the edit removes."""
        return chain.from_iterable(map(self.old, self.hunks))

    @property
    def come(self) -> Iterator[str]:
        """All lines that the edit adds."""
        return chain.from_iterable(map(self.new, self.hunks))

    @property
    def inserts_only(self) -> bool:
        """Whether the edit removes no line but blank ones; False if it changes nothing."""
        return bool(self.hunks) and not any(map(str.strip, self.gone))

    def comes_behind(self, hunk: Hunk) -> int | None:
        """Return the search line after which a hunk inserts text, blank lines aside; None if it rewrites lines instead.

        None, too, if the new text begins with a line that closes a block.
        """
        old, new = self.last_text(hunk.a1, hunk.a2), self.new(hunk)
        first = next(filter(str.strip, new), None)
        kept = old is not None and distinctive(next(filter(str.strip, self.old(hunk))))
        return None if first is None or kept or closes(first) else self.last_text(0, hunk.a1)

    def last_text(self, first: int, end: int) -> int | None:
        """Return the last search line from `first` to `end` (exclusive) that is not blank, or None."""
        return next((i for i in range(end - 1, first - 1, -1) if self.search[i].strip()), None)

    def changed(self) -> set[int]:
        """Return the indices of the search lines that the edit does not keep."""
        return {i for hunk in self.hunks for i in hunk.old}
