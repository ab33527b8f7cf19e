"""A text as an outline: lines with the deeper lines below them.

Owns units by indentation, for any language. Knows nothing of syntax, so it can be trusted only where indentation
follows the structure; whoever uses it asks whether a unit is `crooked`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

DEEPEST = 100
_PAIRS = {"}": "{", ")": "(", "]": "["}


class TooDeepError(ValueError):
    """The text nests deeper than `DEEPEST` units."""


@dataclass(slots=True)
class Unit:
    """Lines `first` to `end` (exclusive): a line, the deeper ones below it, and the line that closes them.

    `gap` is the first of the blank lines above it. Each of `parts` is a line at the unit's own depth with the units
    below it. `mark` says that the one line is an elision.
    """

    first: int
    end: int
    gap: int
    mark: bool = False
    parts: list[tuple[int, list[Unit]]] = field(default_factory=list)


def outline(lines: Sequence[str], start: int, end: int, marks: frozenset[int], level: int = 0) -> list[Unit]:
    """The units of a range of lines at its least depth, in order; lines in `marks` are units of their own.

    Raises `TooDeepError`.
    """
    if level > DEEPEST:
        raise TooDeepError
    units: list[Unit] = []
    said = [index for index in range(start, end) if lines[index].strip()]
    for head, stop in _heads(lines, said, marks, end) if said else ():
        body = outline(lines, head + 1, stop, marks, level + 1) if head not in marks else []
        previous = units[-1] if units else None
        if previous is not None and not previous.mark and head not in marks and _closes(lines, previous, head):
            previous.parts.append((head, body))
            previous.end = stop
            continue
        gap = previous.end if previous is not None else start
        units.append(Unit(head, stop, gap, head in marks, [(head, body)]))
    return units


def crooked(lines: Sequence[str], unit: Unit) -> bool:
    """Whether a line of a unit closes what the unit does not open, so that indentation cannot follow the structure."""
    opened = ""
    for line, _ in unit.parts:
        text = lines[line].strip()
        tag = re.match(r"</([\w.:-]*)", text)
        if (text[0] in _PAIRS and _PAIRS[text[0]] not in opened) or (tag is not None and f"<{tag[1]}" not in opened):
            return True
        if not opened and re.match(r"end\b", text):
            return True
        opened += text
    return False


def _heads(lines: Sequence[str], said: Sequence[int], marks: frozenset[int], end: int) -> Iterator[tuple[int, int]]:
    """First line and end (without blank lines behind) of each group of a line and the deeper ones below it.

    A mark has nothing below it, however it is indented.
    """
    heads: list[int] = []
    depth = _depth(lines[said[0]])
    for index in said:
        own = _depth(lines[index])
        if not heads or own <= depth or heads[-1] in marks:
            heads.append(index)
            depth = depth if index in marks and len(heads) > 1 else own
    for head, following in zip(heads, [*heads[1:], end], strict=True):
        yield head, said[bisect_left(said, following) - 1] + 1


def _closes(lines: Sequence[str], previous: Unit, head: int) -> bool:
    text = lines[head].strip()
    same = _depth(lines[head]) == _depth(lines[previous.first])
    return same and (text[0] in "})]" or text.startswith(("</", "end")) or text in ("{", "then", "do"))


def _depth(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())
