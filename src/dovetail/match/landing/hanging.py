"""Lists whose entries the reply hangs otherwise on their keys than the file does, as YAML allows.

    ports:          ports:
    - 80              - 80

Who writes the one for the other moves each line of a list by so many columns for each list that it stands in, which is
no law of depths. So both halves are hung as the file's lists are, before anybody asks how deep a line belongs. The
quoted keys and entries must agree that one of the two has entries as deep as their key, and all quoted lines stand
alike then; else nothing is moved, for other steps may be wider altogether.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dovetail.match.landing.change import Change
from dovetail.text.comments import is_comment, parted
from dovetail.text.line import deep, indent_of, mark
from dovetail.text.places import uniform

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.fit import Fit


def as_the_file_hangs(fit: Fit) -> Fit:
    """The same edit with its lists hung as the file's; itself where that is so, or nothing tells."""
    if not any(mark(line) == "-" for line in fit.search) or any("\t" in indent_of(line) for line in fit.replace):
        return fit
    pairs = [(wanted, row) for wanted, row in fit.pairs if wanted.strip()]
    hung = {
        (deep(entry) - _key(head), deep(row) - _key(above))
        for (head, above), (entry, row) in pairwise(pairs)
        if _opens_list(head, entry) and _opens_list(above, row)
    }
    if len(hung) != 1 or (found := hung.pop()).count(0) != 1:
        return fit
    search, replace = (_moved(lines, *found) for lines in (fit.search, fit.replace))
    again = fit.of(Change(search, replace, fit.change.hunks))
    alike = uniform({(indent_of(wanted), indent_of(row)) for wanted, row in again.pairs if wanted.strip()})
    return again if alike else fit


def _key(line: str) -> int:
    """The column of a line's first word: behind the dash where the line is an entry itself."""
    return deep(line) + (len(line.lstrip()) - len(line.lstrip().lstrip("- ")) if mark(line) == "-" else 0)


def _opens_list(head: str, entry: str) -> bool:
    """Whether an entry is the first of a list that hangs on a key."""
    return mark(entry) == "-" and parted(head)[0].rstrip().endswith(":") and deep(entry) >= _key(head)


def _moved(lines: Sequence[str], own: int, wanted: int) -> list[str]:
    """Lines with each list that hangs `own` columns behind its key hung `wanted` columns behind it."""
    moved: list[str] = []
    entries: list[int] = []  # where those of the lists stand that are open
    level, above = 0, ""  # how many of them hang so, as far as the lines show; less than none where they begin in one
    for line in filter(str.strip, lines):
        at, entry = deep(line), mark(line) == "-"
        while entries and (at < entries[-1] or (at == entries[-1] and not entry and not is_comment(line))):
            level -= 1
            entries.pop()
        if entry and (not entries or at > entries[-1]):
            keyed = _opens_list(above, line)
            hangs = keyed and at - _key(above) == own
            level += hangs
            entries += [at] if hangs or not (entries or keyed) else []
        moved.append(" " * max(0, at + level * (wanted - own)) + line.lstrip())
        above = line
    again = iter(moved)
    return [next(again) if line.strip() else line for line in lines]
