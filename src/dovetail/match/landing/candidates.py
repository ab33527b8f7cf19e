"""A place that a tier found, and what would be written there.

Two kinds: places of whole lines, which land by merging, and runs of characters, which are replaced as they are. And
places where nothing can land, which count as places all the same.
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
    """Whole lines of the file that stand for the search."""

    tier: Tier
    fit: Fit

    @property
    def place(self) -> Span:
        """The characters of those lines."""
        return self.fit.span

    @property
    def score(self) -> float:
        """Likeness; 1.0 where the tier compares for equality."""
        return self.fit.alignment.score

    def edits(self) -> tuple[Edit, ...] | Obstacle:
        """The edits that put the replacement here, or what forbids them."""
        return land(self.fit)


class ExactLines(NamedTuple):
    """Whole lines of the file that are the search; nothing but them is looked at, however large the file."""

    document: Document
    change: Change
    place: Span
    tier: Tier = Tier.EXACT
    score: float = 1.0

    def edits(self) -> tuple[Edit, ...] | Obstacle:
        """The edits that put the replacement here, or what forbids them."""
        search, replace = self.change.search, self.change.replace
        if self.document.lf is self.document.raw and self.document.raw.endswith("\n", self.place.start, self.place.end):
            # The usual case: the file has no carriage return and the place ends with a line end, so the lengths of the
            # search's lines, with one sign more for the end of each, are offsets.
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
    """A place where the search stands, and where nobody can say what the edit would make of it."""

    tier: Tier
    obstacle: Obstacle
    place: Span
    score: float = 1.0

    def edits(self) -> tuple[Edit, ...] | Obstacle:
        """What forbids the edit, whatever it is."""
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
        """The characters that differ, in the file's line ends; what both texts begin and end with is left alone."""
        search, replace = self.search, self.replace
        if search == replace:
            return ()
        head = shared(search, replace)
        # Behind `head`, so that the two never overlap: of `aa` → `a` the head is `a`, and the tail is empty.
        tail = shared(search[head:][::-1], replace[head:][::-1])
        found = self.place.of(self.document.raw)
        start = self.place.start + _raw_length(found, head)
        end = self.place.start + _raw_length(found, len(search) - tail)
        text = replace[head : len(replace) - tail]
        if "\n" in text and "\r" in self.document.raw:
            text = text.replace("\n", self.document.end_near(self.document.line_at(start) + 1))
        return (Edit(Span(start, end), text),)

    def applied(self) -> Span | None:
        """Where the replacement, which holds the search, already stands around this place."""
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
        """Whether what the replacement adds around the search stands as lines of its own where the search does.

        What goes before a line begins one, and what goes behind one ends one, so it is no part of a line that is there.
        What begins with a line end and goes before a line, or ends with one and goes behind it, adds an empty line.
        """
        before, behind = self.replace[:inside], self.replace[inside + len(self.search) :]
        point, stop = first + inside, first + len(self.replace)
        # `x` → `# why\nx`: what goes above the line `x` is a line of its own, not the end of one that is there.
        if first and before and lf[point - 1] == "\n" and lf[first - 1] != "\n":
            return False
        if stop == len(lf) or not behind or self.search.endswith("\n") == behind.endswith("\n"):
            return True
        # Text that brings its line end to the wrong side adds an empty line: made only where that stands.
        return lf[stop] == "\n"


Candidate = ExactLines | Lines | Run | Barred


def _raw_length(found: str, characters: int) -> int:
    r"""How many characters of `found` the first `characters` of its text with ``\n`` line ends take."""
    if "\r\n" not in found:
        return characters
    taken = 0
    for piece in found.split("\r\n"):
        if characters <= len(piece):
            return taken + characters
        taken += len(piece) + 2
        characters -= len(piece) + 1
    return taken
