"""Where the code of a search stands in a file: the same tokens, whatever a formatter made of them.

Words find the places; what stands there is proven by putting the search's lines there. The file's tokens must stay the
same then, but for those that are spare, and all of them are read in their place: in a part of a file nobody can tell
what a bracket or the end of a line means.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from dovetail.model.text import Text
from dovetail.text.comments import is_docstring
from dovetail.text.linediff import common

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

    from dovetail.model.language import Language, Token

    Pairs = list[tuple[int | None, int | None]]

_WORD = re.compile(r"\w+|[^\w\s]")
_OPENS, _CLOSES = frozenset("([{"), frozenset(")]}")
_LOOSE = frozenset("();,|&/'\"`\\")  # what may come or go, alone or in a sign, and marks of strings
_BELOW = 3  # lines below that may hold nothing but such
_GOES_ON = frozenset("([`+-/*<")
_DONE = frozenset({"", ";", "{", ","})
_TAG_ENDS = "</"  # which ends a script as well


@dataclass(frozen=True)
class Code:
    """The tokens of a text that are neither blank nor comments, the line that each begins on and ends on; and each line
    of a comment with its number.
    """

    tokens: list[Token]
    firsts: list[int]
    lasts: list[int]
    comments: list[tuple[int, str]]

    @cached_property
    def words(self) -> list[tuple[str, int]]:
        """The words and signs that no formatter touches, each with the index of its token."""
        return [
            (word, at)
            for at, token in enumerate(self.tokens)
            for word in _WORD.findall(token.said)
            if word not in _LOOSE
        ]

    @cached_property
    def _names(self) -> list[str]:
        return sorted({word for word, _ in self.words if word[0].isalpha()}, key=lambda word: (-len(word), word))

    def may_stand_in(self, has: Callable[[str], bool]) -> bool:
        """Whether a text has all the words, without which it cannot have the tokens; `has` tells of one."""
        return all(map(has, self._names))

    @cached_property
    def commas(self) -> set[int]:
        """The lines that end with a comma which is spare."""
        ends = zip(self.tokens, self.lasts, strict=True)
        return {line for token, line in ends if token.spare and token.text == ","}

    @cached_property
    def brackets(self) -> dict[int, int]:
        """For each round bracket the other one of its pair, by their tokens."""
        found: dict[int, int] = {}
        opened: list[int] = []
        for at, token in enumerate(self.tokens):
            if token.text == "(":
                opened.append(at)
            elif token.text == ")" and opened:
                found[at] = opened.pop()
                found[found[at]] = at
        return found

    def solid_lines(self) -> set[int]:
        """The lines that hold code."""
        return {line for first, last in zip(self.firsts, self.lasts, strict=True) for line in range(first, last + 1)}

    def comments_on(self, first: int, end: int) -> list[str]:
        """The comments on lines `first` to `end` (exclusive)."""
        return [text for line, text in self.comments if first <= line < end]

    def part(self, first: int, end: int, by: int) -> Code | None:
        """Lines `first` to `end` (exclusive), renumbered; None where a token begins outside of them and ends inside, or
        the other way round.
        """
        lines = list(zip(self.tokens, self.firsts, self.lasts, strict=True))
        inside = [line for line in lines if first <= line[1] < end]
        if any(at < first <= last for _, at, last in lines) or any(last >= end for _, _, last in inside):
            return None
        return Code(
            [token for token, _, _ in inside],
            [at + by for _, at, _ in inside],
            [last + by for _, _, last in inside],
            [(line + by, text) for line, text in self.comments if first <= line < end],
        )


def read(language: Language, path: str, text: str) -> Code | None:
    """The tokens of a text; None where the language is not known."""
    found = language.tokens(path, text)
    if found is None:
        return None
    starts = Text(text).starts
    lines = [(token, bisect_right(starts, token.start) - 1) for token in found if token.text.strip()]
    silent = [token.comment for token, _ in lines]
    for n in _docstrings([token for token, _ in lines], text):
        silent[n] = True
    code = [line for line, says_nothing in zip(lines, silent, strict=True) if not says_nothing]
    comments = [line for line, says_nothing in zip(lines, silent, strict=True) if says_nothing]
    return Code(
        [token for token, _ in code],
        [first for _, first in code],
        [first + token.text.count("\n") for token, first in code],
        [(n, text.strip()) for token, first in comments for n, text in enumerate(token.text.split("\n"), first)],
    )


def _docstrings(tokens: Sequence[Token], text: str) -> Iterator[int]:
    """Which tokens are the texts in triple quotes that stand alone below the head of a definition, or above all code:
    where a search begins with one, that head stands above it in the file.
    """
    depth, above = 0, -1
    for n, token in enumerate(tokens):
        if token.comment:
            continue
        if depth == 0 and is_docstring(token.text) and (above < 0 or tokens[above].text == ":"):
            behind = tokens[n + 1].start if n + 1 < len(tokens) else len(text)
            if (above < 0 or "\n" in text[tokens[above].end : token.start]) and "\n" in text[token.end : behind]:
                yield n
                continue
        depth, above = max(0, depth + (token.text in _OPENS) - (token.text in _CLOSES)), n


@dataclass(frozen=True)
class Window:
    """Lines of a file from `low` on, in which a search is looked for."""

    language: Language
    path: str
    low: int
    rows: list[str]

    @cached_property
    def code(self) -> Code | None:
        """Its tokens; lines count from the window's first."""
        return self.read(self.rows)

    def read(self, rows: Sequence[str]) -> Code | None:
        """The tokens of lines that stand for the window's."""
        return read(self.language, self.path, "\n".join(rows) + "\n")

    def with_lines(self, first: int, end: int, lines: Sequence[str]) -> Code | None:
        """Its tokens, with other lines for those from `first` to `end` (exclusive)."""
        return self.read([*self.rows[:first], *lines, *self.rows[end:]])


@dataclass(frozen=True)
class Place:
    """Lines `first` to `end` (exclusive) of a window that the search's lines could stand for.

    mine: the search's tokens, read there; lines count from its first.
    theirs: the file's tokens, and all comments of the window; lines count as the file's.
    pairs: which of them are the same.
    """

    window: Window
    first: int
    end: int
    mine: Code
    theirs: Code
    pairs: Pairs

    @property
    def lines(self) -> range:
        """The file's lines."""
        return range(self.window.low + self.first, self.window.low + self.end)

    @cached_property
    def around(self) -> set[int]:
        """The file's lines of the window that hold code, and the lines beside the window."""
        low, code = self.window.low, self.window.code
        solid = code.solid_lines() if code is not None else set()
        return {low - 1, *(low + line for line in solid), low + len(self.window.rows)}

    def becomes(self, replacement: Sequence[str], rows: Sequence[str], lines: int) -> bool:
        """Whether the file's new `rows`, of `lines` old ones, say what the replacement would in this place."""
        window, size = self.window, len(self.window.rows)
        wanted = window.with_lines(self.first, self.end, replacement)
        found = window.read(rows[window.low : window.low + size + len(rows) - lines])
        return wanted is not None and found is not None and paired(wanted, found) is not None

    def runs_on(self, replacement: Sequence[str]) -> bool:
        """Whether new lines that end statements in another way than the file would be one with those beside them."""
        mine, theirs = ([t.text for t in code.tokens].count(";") for code in (self.mine, self.theirs))
        if mine == theirs:
            return False
        end = self.first + len(replacement)
        wanted = self.window.with_lines(self.first, self.end, replacement)
        if wanted is None:
            return False
        lines = list(zip([token.text for token in wanted.tokens], wanted.firsts, strict=True))
        above, new, below = (
            [text for text, line in lines if first <= line < last]
            for first, last in ((0, self.first), (self.first, end), (end, len(self.window.rows) + end))
        )
        old = [token.text for token in self.theirs.tokens]
        begins = above and new and above[-1] not in _DONE and new[0][0] in _GOES_ON and new[0] != old[0]
        goes_on = below and below[0][0] in _GOES_ON and below[0] != _TAG_ENDS
        return bool(begins) or bool(new and goes_on and new[-1] not in _DONE)


def places_in(window: Window, search: Sequence[str], wanted: Code, known: Container[range]) -> Iterator[Place]:
    """The places of a window that have the tokens `wanted` of a search, but for lines of the file that are `known`."""
    found = window.code
    if found is None or not wanted.words:
        return
    for at in _occurrences([word for word, _ in found.words], [word for word, _ in wanted.words]):
        end = at + len(wanted.words)
        first, last = found.firsts[found.words[at][1]], found.lasts[found.words[end - 1][1]]
        if at and found.lasts[found.words[at - 1][1]] == first:
            continue
        if end < len(found.words) and found.firsts[found.words[end][1]] == last:
            continue
        for low, high in _reaches(found, wanted, first, last + 1):
            if range(window.low + low, window.low + high) in known:
                break
            place = _proven(window, search, low, high)
            if place is not None:
                yield place
                break


def _occurrences(words: Sequence[str], wanted: Sequence[str]) -> Iterator[int]:
    for at in range(len(words) - len(wanted) + 1):
        if words[at] == wanted[0] and words[at : at + len(wanted)] == wanted:
            yield at


def _reaches(found: Code, wanted: Code, first: int, end: int) -> Iterator[tuple[int, int]]:
    """Lines `first` to `end` (exclusive), and with the lines beside them that hold nothing but what may come or go,
    where they open and close as many brackets as the search.
    """
    lone = found.solid_lines() - {line for _, at in found.words for line in (found.firsts[at], found.lasts[at])}
    above = first
    for _ in range(wanted.words[0][1]):
        above -= above - 1 in lone
    below = end
    for _ in range(_BELOW):
        below += below in lone
    opened = _opened(wanted)
    for low in range(first, above - 1, -1):
        for high in range(end, below + 1):
            part = found.part(low, high, 0)
            if part is not None and _opened(part) == opened:
                yield low, high


def _opened(code: Code) -> int:
    texts = [token.text for token in code.tokens]
    return texts.count("(") - texts.count(")")


def _proven(window: Window, search: Sequence[str], first: int, end: int) -> Place | None:
    """The place of lines `first` to `end` (exclusive), where the search's lines in their stead say the same."""
    found = window.code
    changed = window.with_lines(first, end, search)
    if found is None or changed is None or _around(found, first, end) != _around(changed, first, first + len(search)):
        return None
    theirs, mine = found.part(first, end, window.low), changed.part(first, first + len(search), -first)
    pairs = paired(mine, theirs) if mine is not None and theirs is not None else None
    if mine is None or theirs is None or not pairs:
        return None
    comments = [(line + window.low, text) for line, text in found.comments]
    return Place(window, first, end, mine, replace(theirs, comments=comments), pairs)


def _around(code: Code, first: int, end: int) -> tuple[list[str], list[str]]:
    """What the tokens before some lines say, and those behind."""
    lines = list(zip(code.tokens, code.firsts, strict=True))
    return [t.said for t, line in lines if line < first], [t.said for t, line in lines if line >= end]


def paired(mine: Code, theirs: Code) -> Pairs | None:
    """The tokens of both sides in order: each with its partner, or None where the other side lacks one that is spare.

    None where they are not the same. Where those that stay are the same on both sides, they are partners; else one
    that is spare here may be one that is not there.
    """
    return _by_those_that_stay(mine, theirs) or _one_by_one(mine, theirs)


def _by_those_that_stay(mine: Code, theirs: Code) -> Pairs | None:
    ends = [[*(at for at, t in enumerate(code.tokens) if not t.spare), len(code.tokens)] for code in (mine, theirs)]
    if [mine.tokens[i].said for i in ends[0][:-1]] != [theirs.tokens[k].said for k in ends[1][:-1]]:
        return None
    pairs: Pairs = []
    i = k = 0
    for i_end, k_end in zip(*ends, strict=True):
        ours, others = [t.said for t in mine.tokens[i:i_end]], [t.said for t in theirs.tokens[k:k_end]]
        i_done = k_done = 0
        for i_next, k_next in [*(common(ours, others) if ours and others else ()), (len(ours), len(others))]:
            pairs += ((i + n, None) for n in range(i_done, i_next))
            pairs += ((None, k + n) for n in range(k_done, k_next))
            if i_next < len(ours):
                pairs.append((i + i_next, k + k_next))
            i_done, k_done = i_next + 1, k_next + 1
        if i_end < len(mine.tokens):
            pairs.append((i_end, k_end))
        i, k = i_end + 1, k_end + 1
    return pairs


def _one_by_one(mine: Code, theirs: Code) -> Pairs | None:
    pairs: Pairs = []
    left: tuple[set[int | None], set[int | None]] = (set(), set())  # brackets that the other side lacks
    i = k = 0
    while i < len(mine.tokens) or k < len(theirs.tokens):
        ours = mine.tokens[i] if i < len(mine.tokens) else None
        others = theirs.tokens[k] if k < len(theirs.tokens) else None
        alone = mine.brackets.get(i) in left[0], theirs.brackets.get(k) in left[1]
        if ours is not None and others is not None and ours.said == others.said and not any(alone):
            pairs.append((i, k))
            i, k = i + 1, k + 1
        elif ours is not None and ours.spare and not alone[1]:
            pairs.append((i, None))
            left[0].update({i} & mine.brackets.keys())
            i += 1
        elif others is not None and others.spare:
            pairs.append((None, k))
            left[1].update({k} & theirs.brackets.keys())
            k += 1
        else:
            return None
    return pairs
