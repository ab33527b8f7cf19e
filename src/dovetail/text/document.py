"""A text indexed once for all the edits that are looked for in it.

Every index is built on first use, so an exact hit in a large file pays for none of them. The invariant that the
looser tiers rely on: a tier that compares whole lines keeps the words of a line, so a line that agrees with a
needle's line holds each of its words, and looking for the rarest word finds every candidate.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from dovetail.model.text import IndexedText, Span, to_lf
from dovetail.model.work import spend
from dovetail.text.comments import comment_rows
from dovetail.text.line import distinctive
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from dovetail.text.line import Form

_WORD = pattern(r"[A-Za-z0-9_]+")
_NO_REFERENCE = pattern(r"(?<![A-Za-z0-9_])(?<!&#)(?!(?<=&)\w+;)[A-Za-z0-9_]+")  # a word that names no character
_TRIES = 24  # words counted before the rarest of them is taken
_SCANS = 4
_LOOKS = 32  # scans of the text for whole lines that cost about as much as one index of them
_COMMON = 256  # places; looking for more stops here
_RARE = 3  # a count this low ends the search for a rarer word
_REACH = 12  # lines away from a place that are compared to tell places apart
_SCANNED = 1_000  # characters that are scanned for a word in the time of one step
_PLACE = 6  # steps to check one place of a search
_LONGEST = 100  # characters of a line that is worth quoting


class Document(IndexedText):
    """A text and the indexes that tiers ask for."""

    @cached_property
    def lf(self) -> str:
        r"""The text with every line end written as ``\n``."""
        return to_lf(self.raw)

    @cached_property
    def stripped(self) -> list[str]:
        """The lines without blanks at their ends."""
        return list(map(str.strip, self.lines))

    @cached_property
    def comments(self) -> frozenset[int]:
        """The indices of the lines that hold comments and nothing else."""
        spend(len(self.lines))
        return comment_rows(self.lines)

    def __init__(self, raw: str) -> None:
        super().__init__(raw)
        self._scans = 0
        self._looks = 0
        self._runs = 0
        self._found: dict[str, list[int]] = {}
        self._totals: dict[str, int] = {}
        self._formed: dict[Form, dict[str, list[int]]] = {}
        self._first_lines: dict[int, tuple[tuple[Span, ...], tuple[int, ...]]] = {}

    @cached_property
    def line_set(self) -> frozenset[str]:
        """The lines without blanks at their ends, each once."""
        return frozenset(self.stripped)

    def first_lines(self, places: tuple[Span, ...]) -> tuple[int, ...]:
        """The first lines of places, from 1, each once. Edits that are refused for the same places share one answer:
        thousands of equal ones would have as many for each."""
        # By identity, as comparing thousands of spans costs as much as the answer. The tuple is kept with it, so that
        # no other one can get its id.
        known = self._first_lines.get(id(places))
        if known is None or known[0] is not places:
            spend(len(places))
            lines = tuple(dict.fromkeys([self.line_at(place.start) + 1 for place in places]))
            known = self._first_lines[id(places)] = places, lines
        return known[1]

    def places_of(self, wanted: Collection[str]) -> dict[str, list[int]]:
        """Return for each stripped line of `wanted` the indices where it stands; lines that are not there are left out.

        The first few askers pay for a scan each, further ones for one index of all lines.
        """
        if self._scans >= _SCANS:
            return {text: self._where[text] for text in wanted if text in self._where}
        self._scans += 1
        spend(len(self.stripped) // 2)
        places: dict[str, list[int]] = {text: [] for text in wanted}
        for index, line in enumerate(self.stripped):
            if line in places:
                places[line].append(index)
        return {text: rows for text, rows in places.items() if rows}

    def once(self, lines: Iterable[str]) -> dict[str, int]:
        """Return the index of each of `lines`, stripped, that is distinctive and stands once in the text."""
        places = self.places_of({line.strip() for line in lines if distinctive(line)})
        return {text: rows[0] for text, rows in places.items() if len(rows) == 1}

    @cached_property
    def _where(self) -> dict[str, list[int]]:
        where: dict[str, list[int]] = {}
        for index, line in enumerate(self.stripped):
            where.setdefault(line, []).append(index)
        return where

    def agreeing(self, wanted: str, form: Form) -> list[int]:
        """Return the indices of the lines that `form` makes equal to `wanted`, in order; blank lines never are."""
        if form not in self._formed:
            spend(len(self._where))
            rows = self._formed[form] = {}
            for text, where in self._where.items():
                rows.setdefault(form(text), []).extend(where if text else ())
        return sorted(self._formed[form].get(form(wanted), ()))

    def raw_offset(self, lf_offset: int) -> int:
        """Return the offset in `raw` of the character at an offset of `lf`."""
        if len(self.lf) == len(self.raw):
            return lf_offset
        if lf_offset >= len(self.lf):
            return len(self.raw)
        line = self._unified.line_at(lf_offset)
        return self.start_of(line) + lf_offset - self._unified.start_of(line)

    def lf_offset(self, raw_offset: int) -> int:
        """Return the offset in `lf` for an offset of `raw`, which must not be in the middle of a line end."""
        if len(self.lf) == len(self.raw):
            return raw_offset
        if raw_offset >= len(self.raw):
            return len(self.lf)
        line = self.line_at(raw_offset)
        return self._unified.start_of(line) + raw_offset - self.start_of(line)

    @cached_property
    def _unified(self) -> IndexedText:
        """`lf` as an indexed text; its lines are those of `raw`."""
        return IndexedText(self.lf)

    def runs(self, needle: str) -> Iterator[Span]:
        """Yield every place of `needle`, characters with line ends as LF, overlapping ones too, as spans of `raw`."""
        spend(len(self.lf) // _SCANNED)
        found = self.lf.find(needle)
        while found >= 0:
            spend(_PLACE)
            yield Span(self.raw_offset(found), self.raw_offset(found + len(needle)))
            found = self.lf.find(needle, found + 1)

    def whole_lines(self, needle: str) -> Iterator[Span]:
        r"""Every place where `needle`, lines closed by ``\n``, stands as whole lines; spans of `raw`.

        The first askers pay for a scan each, further ones for one index of all lines.
        """
        lf = self.lf
        self._looks += 1
        spend(len(lf) // _SCANNED if self._looks <= _LOOKS else 1)
        for start in self._scanned(needle) if self._looks <= _LOOKS or needle[-1:] != "\n" else self._looked_up(needle):
            spend(_PLACE)
            yield Span(self.raw_offset(start), self.raw_offset(start + len(needle)))
        # The last line of a text may have no end where the needle has one.
        without_end = needle.removesuffix("\n")
        if not lf.endswith("\n") and lf.endswith(without_end):
            start = len(lf) - len(without_end)
            if start == 0 or lf[start - 1] == "\n":
                yield Span(self.raw_offset(start), len(self.raw))

    def _scanned(self, needle: str) -> Iterator[int]:
        """Yield where `needle` begins in `lf` at the start of a line."""
        if self.lf.startswith(needle):
            yield 0
        found = self.lf.find("\n" + needle)
        while found >= 0:
            yield found + 1
            found = self.lf.find("\n" + needle, found + 1)

    def _looked_up(self, needle: str) -> Iterator[int]:
        """Yield the same for a needle that ends in a line end, by looking up its longest line."""
        lines = needle.split("\n")[:-1]
        longest = max(lines, key=len)
        above, starts = lines.index(longest), self._unified.starts
        for row in self._where.get(longest.strip(), ()):
            spend(1)
            # Only the longest line was looked up, blanks aside; here all of the needle is compared with the text.
            if row >= above and self.lf.startswith(needle, starts[row - above]):
                yield starts[row - above]

    def around(self, span: Span, lines: int) -> Span:
        """Return a span of whole lines widened by `lines` lines at either side, as far as the text goes."""
        start, end = span.start, span.end
        for _ in range(lines):
            start = max(self.raw.rfind("\n", 0, max(0, start - 1)) + 1, 0) if start else 0
            end = self.raw.find("\n", end) + 1 or len(self.raw)
        return Span(start, end)

    def lines_holding(self, run: str) -> Iterator[int]:
        """Yield the indices of the lines that contain `run`, which is not empty, each once, in order."""
        last = -1
        for found in self._each(run) if self.is_common(run) else self._places(run):
            line = self.line_at(found)
            spend(1)
            if line != last:
                yield line
                last = line

    def has(self, run: str) -> bool:
        """Return whether the text contains `run`."""
        if run in self._found or self._at_least(run):
            return self._found.get(run) != []
        self._look_through()
        if run not in self.raw:
            self._found[run] = []
            return False
        return True

    def has_word(self, word: str) -> bool:
        """Return whether the text contains a word that is not a part of a longer one."""
        return self._with_word(word, 1) == 1

    def lines_with(self, word: str, most: int) -> int:
        """Return how many lines contain a word that is not a part of a longer one, counting up to `most`."""
        return self._with_word(word, most)

    def _with_word(self, word: str, most: int) -> int:
        found = re.compile(rf"\b{re.escape(word)}\b")
        return sum(
            1 for _ in islice((line for line in self.lines_holding(word) if found.search(self.rows[line])), most)
        )

    def rarest_word(self, lines: Sequence[str]) -> tuple[int, str] | None:
        """Return the word of `lines` that is rarest in this text, with the index of its line.

        The word may not be in the text at all. Returns None if the lines have no word. Looks at the longest words only.
        """
        ranked = _longest_words(tuple(lines))
        best, least = None, _COMMON
        for word in ranked:
            if self._at_least(word) >= least:
                continue
            count = len(self._places(word))
            if count < least:
                best, least = word, count
            if count <= _RARE:
                break
        # Every word is common: the least common of the longest three is still better than none.
        if best is None and ranked:
            best = min(ranked[:_RARE], key=self._total)
        return (next(i for i, line in enumerate(lines) if best in _words(line)), best) if best is not None else None

    def is_common(self, word: str) -> bool:
        """Return whether a word occurs so often in the text that looking for it singles out no line."""
        return len(self._places(word)) >= _COMMON

    def _places(self, run: str) -> list[int]:
        """Return the offsets of `run` in the text, the first `_COMMON` of them."""
        places = self._found.get(run)
        if places is None:
            self._look_through()
            places = self._found[run] = list(islice(self._each(run), _COMMON))
        return places

    def _look_through(self) -> None:
        """Count one more search of the whole text."""
        self._runs += 1
        spend(len(self.raw) // _SCANNED)

    def _at_least(self, run: str) -> int:
        """Return how often `run` occurs in the text at least; 0 until so many runs were looked for that counting all
        words has become cheaper."""
        return self._counts[run] if self._runs > _LOOKS else 0

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(found.group() for found in _WORD.finditer(self.raw))

    def _total(self, word: str) -> int:
        """Return how often a common word is in the text."""
        if word not in self._totals:
            self._look_through()
            self._totals[word] = self.raw.count(word)
        return self._totals[word]

    def _each(self, run: str) -> Iterator[int]:
        found = self.raw.find(run)
        while found >= 0:
            yield found
            found = self.raw.find(run, found + len(run))


@lru_cache(maxsize=8)
def _longest_words(lines: tuple[str, ...]) -> list[str]:
    """Return the longest words of some lines, longest first; cached, as every tier asks again."""
    return sorted(dict.fromkeys(_words("\n".join(lines))), key=len, reverse=True)[:_TRIES]


def _words(text: str) -> list[str]:
    return (_NO_REFERENCE if "&" in text else _WORD).findall(text)


def lines_that_tell_apart(lines: Sequence[str], places: Sequence[int], height: int = 1) -> tuple[int, ...]:
    """Return for each place the nearest line, at the same distance from all, whose text differs between all of them.

    `places` are the first lines, from 1, of runs of `height` lines; lines returned count from 1, too. Empty if no line
    tells the places apart.
    """
    for away in range(1, _REACH + 1):
        for step in (-away, height - 1 + away):
            found = tuple(place + step for place in places)
            texts = {lines[at - 1].strip() for at in found if 1 <= at <= len(lines)}
            if len(texts) == len(places) and all(0 < len(text) <= _LONGEST for text in texts):
                return found
    return ()
