"""Which unit of a new text is which unit of the file, at one depth of both outlines.

Units are known by their first line; where that line changed, by what it defines (the words before the first bracket,
``=`` or ``:``), if only one unit on each side defines it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from dovetail.plan.texts.units import Unit
from dovetail.text import likeness

_DEFINES = re.compile(r"^[^=:({\[<]+")
_SAYS_NOTHING = frozenset(
    {"import", "from", "use", "using", "return", "if", "for", "while", "else", "elif", "case", "with", "try", "const"}
) | {"let", "var", "print"}
_WORD = re.compile(r"\w+")
_FEWEST = 2  # words that lines have in common before either may stand for the other
_MOST = 2 / 3  # share of such words


def paired(new: Sequence[str], units: Sequence[Unit], old: Sequence[str], file: Sequence[Unit]) -> dict[int, int]:
    """For each named unit's first line in `new`, the index of the unit in `file` that it is."""
    named = [unit for unit in units if not unit.mark]
    pairs = _unique(
        [(unit.first, new[unit.first].strip()) for unit in named],
        [(index, old[unit.first].strip()) for index, unit in enumerate(file)],
    )
    taken = set(pairs.values())
    loose = _unique(
        [(unit.first, defined(new[unit.first])) for unit in named if unit.first not in pairs],
        [(index, defined(old[unit.first])) for index, unit in enumerate(file) if index not in taken],
    )
    pairs |= _in_order(loose, pairs)
    taken = set(pairs.values())
    for step in (1, -1):
        order = units if step == 1 else units[::-1]
        for unit, neighbour in zip(order[1:], order, strict=False):
            index = pairs.get(neighbour.first, -2) + step
            if unit.first in pairs or unit.mark or neighbour.mark or not 0 <= index < len(file):
                continue
            if index not in taken and _said(new, unit) == _said(old, file[index]):
                pairs[unit.first] = index  # equal, and directly next to a pair on both sides
                taken.add(index)
    return pairs


def defined(line: str) -> str | None:
    """What a first line defines, where its opening words can tell it from others."""
    found = _DEFINES.match(line.strip())
    if found is None:
        return None
    words = found.group().split()
    return " ".join(words) if words and not (len(words) == 1 and words[0] in _SAYS_NOTHING) else None


def is_version(old: str, new: str) -> bool:
    """Whether a line of code is another as it was before."""
    name = defined(old)
    return (name is not None and name == defined(new)) or likeness.is_version(old, new)


def says_again(old: str, new: str) -> bool:
    """Whether a line may be another as it was before: it has all of its words, in order, or most, and does not define
    another thing."""
    mine, theirs = (list(dict.fromkeys(_WORD.findall(line))) for line in (old, new))
    same = len(list(likeness.subsequence(mine, theirs)))
    if same >= _FEWEST and same == min(len(mine), len(theirs)):
        return True
    names = defined(old) != old.strip() or defined(new) != new.strip()
    return same > _FEWEST and not names and same >= _MOST * max(len(mine), len(theirs))


def _unique(ours: Sequence[tuple[int, str | None]], theirs: Sequence[tuple[int, str | None]]) -> dict[int, int]:
    """Pairs of those whose key stands once on each side."""
    mine, other = Counter(key for _, key in ours), Counter(key for _, key in theirs)
    found = {key: index for index, key in theirs if other[key] == 1}
    return {line: found[key] for line, key in ours if key is not None and mine[key] == 1 and key in found}


def _in_order(loose: Mapping[int, int], pairs: Mapping[int, int]) -> dict[int, int]:
    """Those of the loose pairs, told from the first line down, that keep the order of the others."""
    lines = sorted(pairs)
    highest = list(accumulate((pairs[line] for line in lines), max))
    lowest = list(accumulate((pairs[line] for line in reversed(lines)), min))[::-1]
    kept: dict[int, int] = {}
    last = -1
    for line, index in loose.items():
        at = bisect_left(lines, line)
        if max(last, highest[at - 1] if at else -1) < index and (at == len(lines) or index < lowest[at]):
            kept[line] = last = index
    return kept


def _said(lines: Sequence[str], unit: Unit) -> list[str]:
    return [line.strip() for line in lines[unit.first : unit.end]]
