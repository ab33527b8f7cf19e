"""The places that a tier found, and the edits that land there.

Places of whole lines land by merging, runs of characters are replaced as they are, and at a barred place nothing can
land, although it counts as a place.
"""

from __future__ import annotations

from typing import NamedTuple

from dovetail.match.landing.change import Change
from dovetail.match.landing.fit import Fit, Obstacle
from dovetail.match.landing.land import land
from dovetail.model.codes import Tier
from dovetail.model.text import Edit, Span, join_lines, to_lf
from dovetail.text.document import Document
from dovetail.text.line import shared


class Lines(NamedTuple):
    """Whole lines of the file that are aligned with the search."""

    tier: Tier
    fit: Fit

    @property
    def place(self) -> Span:
        """The span of the candidate's lines, in characters."""
        return self.fit.span

    @property
    def score(self) -> float:
        """Likeness; 1.0 where the tier compares for equality."""
        return self.fit.alignment.score

    def edits(self) -> tuple[Edit, ...] | Obstacle:
        """Return the edits that put the replacement here, or what forbids them."""
        return land(self.fit)


class ExactLines(NamedTuple):
    """Whole lines of the file that equal the search; only they are read, however large the file."""

    document: Document
    change: Change
    place: Span
    tier: Tier = Tier.EXACT
    score: float = 1.0

    def edits(self) -> tuple[Edit, ...] | Obstacle:
        """Return the edits that put the replacement here, or what forbids them."""
        search, replace = self.change.search, self.change.replace
        if self.document.lf is self.document.raw and self.document.raw.endswith("\n", self.place.start, self.place.end):
            # The usual case: the file has no carriage return and the place ends with a line end, so offsets follow from
            # the lengths of the search's lines, plus one for each line end.
            edits: list[Edit] = []
            done, at = 0, self.place.start
            for hunk in self.change.hunks:
                kept, gone = search[done : hunk.a1], search[hunk.a1 : hunk.a2]
                start = at + sum(map(len, kept)) + len(kept)
                done, at = hunk.a2, start + sum(map(len, gone)) + len(gone)
                edits.append(Edit(Span(start, at), join_lines(replace[hunk.b1 : hunk.b2])))
            return tuple(edits)
        # Else the place is laid out as a document of its own, which knows each line's end.
        region = Document(self.place.of(self.document.raw))
        landed = land(Fit.straight(region, self.change, 0))
        if isinstance(landed, Obstacle):
            return landed
        return tuple(self._shifted(edit) for edit in landed)

    def _shifted(self, edit: Edit) -> Edit:
        text = edit.text
        if "\n" in text and "\n" not in self.place.of(self.document.raw) and "\r" in self.document.raw:
            text = to_lf(text).replace("\n", self.document.main_end)  # a last line without end knows no file
        return Edit(edit.span.shifted(self.place.start), text)


class Barred(NamedTuple):
    """A place where the search stands, but where the edit's result cannot be determined."""

    tier: Tier
    obstacle: Obstacle
    place: Span
    score: float = 1.0

    def edits(self) -> tuple[Edit, ...] | Obstacle:
        """Return the obstacle."""
        return self.obstacle


class Run(NamedTuple):
    r"""A run of characters; `search` and `replace` have ``\n`` for line ends."""

    document: Document
    tier: Tier
    search: str
    replace: str
    place: Span
    score: float = 1.0

    def edits(self) -> tuple[Edit, ...]:
        """Return the edit of the characters that differ, in the file's line ends; common ends of both texts stay."""
        search, replace = self.search, self.replace
        if search == replace:
            return ()
        head = shared(search, replace)
        # Compared after `head`, so that the two never overlap: for `aa` → `a` the head is `a`, and the tail is empty.
        tail = shared(search[head:][::-1], replace[head:][::-1])
        found = self.place.of(self.document.raw)
        start = self.place.start + _raw_length(found, head)
        end = self.place.start + _raw_length(found, len(search) - tail)
        text = replace[head : len(replace) - tail]
        if "\n" in text and "\r" in self.document.raw:
            text = text.replace("\n", self.document.end_near(self.document.line_at(start) + 1))
        return (Edit(Span(start, end), text),)

    def applied(self) -> Span | None:
        """Return where the replacement, which contains the search, already stands around this place; None if not."""
        lf, start = self.document.lf, self.document.lf_offset(self.place.start)
        # `b` → `a b`: the search stands inside of the replacement, and so in the text, after the edit too. Each place
        # of it there is tried.
        inside = self.replace.find(self.search) if self.search != self.replace else -1
        while inside >= 0:
            first = start - inside
            if first >= 0 and lf.startswith(self.replace, first) and self._has_own_ends(lf, first, inside):
                return Span(self.document.raw_offset(first), self.document.raw_offset(first + len(self.replace)))
            inside = self.replace.find(self.search, inside + 1)
        return None

    def _has_own_ends(self, lf: str, first: int, inside: int) -> bool:
        """Return whether the texts that the replacement adds around the search are whole lines if the search is.

        A text added before a line must begin a line, and one added after a line must end one; else it may be a part of
        a line that was there before the edit.
        """
        before, behind = self.replace[:inside], self.replace[inside + len(self.search) :]
        point, stop = first + inside, first + len(self.replace)
        # `x` → `# why\nx`: what goes above the line `x` is a line of its own, not the end of one that is there.
        if first and before and lf[point - 1] == "\n" and lf[first - 1] != "\n":
            return False
        if stop == len(lf) or not behind or self.search.endswith("\n") == behind.endswith("\n"):
            return True
        # Text with a line end on the wrong side adds an empty line: the edit was made only if that is there.
        return lf[stop] == "\n"


Candidate = ExactLines | Lines | Run | Barred


def _raw_length(found: str, characters: int) -> int:
    r"""Return how many characters of `found` its first `characters` take, if those count each line end as one."""
    if "\r\n" not in found:
        return characters
    taken = 0
    for piece in found.split("\r\n"):
        if characters <= len(piece):
            return taken + characters
        taken += len(piece) + 2
        characters -= len(piece) + 1
    return taken
