"""What changed between two texts, as hunks of lines, for every face to draw in its own way.

Owns the choice of context lines, which removed line is shown as the former state of which added one, and which
characters in such a pair changed. The line comparison itself is the one that merges use; its cost is bounded. Words
are compared by `difflib`, not by what `match` uses: it keeps to long runs, so that what is marked reads as one change,
and it is loaded in a fraction of the time, which every edit that is shown would pay.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from dovetail.model.text import Span, Text
from dovetail.text import linediff

if TYPE_CHECKING:
    from dovetail.model.results import FileChange

CONTEXT_LINES = 3
_PAIRED = 0.5  # two lines less alike than this are a removal and an addition, not one changed line
_MOST_PAIRS = 400  # pairs of lines compared in one hunk; above, lines pair off in order
_LONGEST = 2_000  # characters of a line that is compared word by word
_MOST_EQUAL = 400_000  # equal words that face each other in one hunk; in one of rows of noughts and ones there are more
_MOST_IN_A_PAIR = 100_000  # the same in two lines; above, they are compared from both ends alone
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts that put no blanks between words: a line of theirs would be one word, and always another one."""
_WORDS = re.compile(rf"[^\W{_UNSPACED}]+|\s+|[^\w\s]|[{_UNSPACED}]")
_PLAIN_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
"""The same for ASCII: large ranges take as long to compile as many lines to draw."""
_JOINER = "\u200d"
_FLAG, _TONE = ("\U0001f1e6", "\U0001f1ff"), ("\U0001f3fb", "\U0001f3ff")  # halves of flags; colours of skin


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk: `sign` is ``" "``, ``"-"`` or ``"+"``.

    `end` is the line end as the file has it, ``""`` for a last line without one. `marks` are the spans of `text`
    that changed, where the line is one side of a changed pair.
    """

    sign: str
    text: str
    end: str
    marks: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Hunk:
    """Changed lines with their context. Starts count from 1; for a count of 0 it is the line before, as in a patch."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    lines: tuple[DiffLine, ...]

    @property
    def header(self) -> str:
        """The ``@@`` line of a patch."""
        return f"@@ -{_range(self.old_start, self.old_count)} +{_range(self.new_start, self.new_count)} @@"


def _range(start: int, count: int) -> str:
    return str(start) if count == 1 else f"{start},{count}"


def diff(before: str, after: str, context: int = CONTEXT_LINES) -> tuple[Hunk, ...]:
    """The hunks between two texts, in order; none where they are equal. A changed line end is a changed line."""
    old, new = Text(before), Text(after)
    changes = linediff.diff(_with_ends(old), _with_ends(new))
    return tuple(_hunk(old, new, group, context) for group in _groups(changes, context))


def diff_of(change: FileChange, context: int = CONTEXT_LINES) -> tuple[Hunk, ...]:
    """The hunks of a file's change; one that is not there counts as empty."""
    return diff(change.before or "", change.after or "", context)


def counts(hunks: Sequence[Hunk]) -> tuple[int, int]:
    """Lines added and lines removed."""
    signs = [line.sign for hunk in hunks for line in hunk.lines]
    return signs.count("+"), signs.count("-")


def _with_ends(text: Text) -> list[str]:
    return [text.raw[text.starts[n] : text.starts[n + 1]] for n in range(len(text))]


def _groups(changes: Sequence[linediff.Hunk], context: int) -> Iterator[list[linediff.Hunk]]:
    """Changes whose context lines touch stand in one hunk."""
    group: list[linediff.Hunk] = []
    for change in changes:
        if group and change.a1 - group[-1].a2 > 2 * context:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(old: Text, new: Text, group: Sequence[linediff.Hunk], context: int) -> Hunk:
    first, last = group[0], group[-1]
    before = min(context, first.a1)
    behind = min(context, len(old) - last.a2)
    lines: list[DiffLine] = []
    at = first.a1 - before
    for change in group:
        lines.extend(_line(old, n, " ") for n in range(at, change.a1))
        lines.extend(_changed(old, new, change))
        at = change.a2
    lines.extend(_line(old, n, " ") for n in range(at, last.a2 + behind))
    old_count = last.a2 + behind - (first.a1 - before)
    new_count = last.b2 + behind - (first.b1 - before)
    return Hunk(
        _start(first.a1 - before, old_count), old_count, _start(first.b1 - before, new_count), new_count, tuple(lines)
    )


def _start(index: int, count: int) -> int:
    return index + 1 if count else index


def _line(text: Text, index: int, sign: str) -> DiffLine:
    return DiffLine(sign, text.lines[index], text.end_of(index))


def _changed(old: Text, new: Text, change: linediff.Hunk) -> list[DiffLine]:
    """Removed lines, then added ones; the changed characters of pairs are marked."""
    removed = [_line(old, n, "-") for n in range(change.a1, change.a2)]
    added = [_line(new, n, "+") for n in range(change.b1, change.b2)]
    pairs = _pairs([line.text for line in removed], [line.text for line in added])
    for i, k in pairs:
        gone, come = changed_characters(removed[i].text, added[k].text, _share(len(pairs)))
        removed[i] = replace(removed[i], marks=gone)
        added[k] = replace(added[k], marks=come)
    return removed + added


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Index pairs of lines that are one line, changed; increasing on both sides, most alike in sum."""
    if len(old) * len(new) > _MOST_PAIRS or _equal(_words(old), _words(new)) > _MOST_EQUAL:
        least = min(len(old), len(new))
        return [(n, n) for n in range(least) if _likeness(old[n], new[n], _share(least)) >= _PAIRED]
    best: list[list[tuple[float, list[tuple[int, int]]]]] = [[(0.0, [])] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, was in enumerate(old):
        for k, now in enumerate(new):
            likeness = _likeness(was, now)
            score, chain = best[i][k]
            with_pair = (score + likeness, [*chain, (i, k)]) if likeness >= _PAIRED else (score, chain)
            best[i + 1][k + 1] = max(with_pair, best[i][k + 1], best[i + 1][k], key=lambda entry: entry[0])
    return best[-1][-1][1]


def _share(pairs: int) -> int:
    """The most equal words that face each other in one of a hunk's pairs of lines: what all take stays the same."""
    return min(_MOST_IN_A_PAIR, _MOST_EQUAL // max(pairs, 1))


def _words(lines: Iterable[str]) -> Iterator[str]:
    return (word for line in lines if len(line) <= _LONGEST for word in _words_of(line))


def _words_of(line: str) -> list[str]:
    """The words of a line. None begins inside of what is seen as one sign: a letter with its accents, a flag."""
    if line.isascii():
        return _PLAIN_WORDS.findall(line)
    words: list[str] = _WORDS.findall(line)
    whole = words[:1]
    for word in words[1:]:
        if _goes_on(whole[-1], word[0]):
            whole[-1] += word
        else:
            whole.append(word)
    return whole


def _goes_on(before: str, sign: str) -> bool:
    """Whether a character belongs to the sign that a word ends with."""
    if before[-1] == _JOINER or sign.isalnum():
        return before[-1] == _JOINER
    if sign == _JOINER or unicodedata.category(sign)[0] == "M" or _TONE[0] <= sign <= _TONE[1]:
        return True
    return len(before) == 1 and _FLAG[0] <= before <= _FLAG[1] and _FLAG[0] <= sign <= _FLAG[1]


def _equal(was: Iterable[str], now: Iterable[str]) -> int:
    """How many pairs of equal words there are, one from here and one from there: what comparing them takes."""
    old, new = Counter(was), Counter(now)
    return sum(count * new[word] for word, count in old.items())


def _likeness(was: str, now: str, most: int = _MOST_IN_A_PAIR) -> float:
    if len(was) > _LONGEST or len(now) > _LONGEST:
        head, tail = _common_ends(was, now)
        return 2 * (head + tail) / (len(was) + len(now))
    old, new = _words_of(was), _words_of(now)
    differing = sum(i2 - i1 + k2 - k1 for i1, i2, k1, k2 in _differing(old, new, most))
    return 1 - differing / max(len(old) + len(new), 1)


def _differing(old: Sequence[str], new: Sequence[str], most: int) -> list[tuple[int, int, int, int]]:
    """Where words differ: first and end in both. What would take too long is compared from both ends, then between."""
    head, tail = (0, 0) if _equal(old, new) <= most else _common_ends(old, new)
    was, now = old[head : len(old) - tail], new[head : len(new) - tail]
    if _equal(was, now) > most:
        return [(head, head + len(was), head, head + len(now))]
    steps = SequenceMatcher(None, was, now, autojunk=False).get_opcodes()
    return [(i1 + head, i2 + head, k1 + head, k2 + head) for tag, i1, i2, k1, k2 in steps if tag != "equal"]


def changed_characters(was: str, now: str, most: int = _MOST_IN_A_PAIR) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The spans of two versions of one line that differ, by words and single signs, neighbours joined."""
    if len(was) > _LONGEST or len(now) > _LONGEST:
        head, tail = _common_ends(was, now)
        return _joined([Span(head, len(was) - tail)]), _joined([Span(head, len(now) - tail)])
    old, new = _words_of(was), _words_of(now)
    old_at, new_at = _offsets(old), _offsets(new)
    gone: list[Span] = []
    come: list[Span] = []
    for i1, i2, k1, k2 in _differing(old, new, most):
        gone.append(Span(old_at[i1], old_at[i2]))
        come.append(Span(new_at[k1], new_at[k2]))
    return _joined(gone), _joined(come)


def _offsets(words: Sequence[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def _joined(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans that touch made one, empty ones left out."""
    joined: list[Span] = []
    for span in spans:
        if not len(span):
            continue
        if joined and joined[-1].end == span.start:
            joined[-1] = Span(joined[-1].start, span.end)
        else:
            joined.append(span)
    return tuple(joined)


def _common_ends(was: Sequence[str], now: Sequence[str]) -> tuple[int, int]:
    """How many characters or words two lines share at the start, and how many behind that at the end."""
    least = min(len(was), len(now))
    head = next((n for n in range(least) if was[n] != now[n]), least)
    tail = next((n for n in range(least - head) if was[-1 - n] != now[-1 - n]), least - head)
    return head, tail
