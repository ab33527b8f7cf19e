"""The invariant of landing: no line is removed, added or kept that the edit does not name.

It checks the edits of landing, and knows nothing of how they were found. The alignment pairs lines of the search and
the file, however they are spelled; then lines are counted by their text without blanks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from dovetail.match.landing.fit import Obstacle
from dovetail.model.text import split_lines
from dovetail.text.line import distinctive

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dovetail.match.landing.change import Change
    from dovetail.match.landing.fit import Fit
    from dovetail.model.text import Edit

_LOST = "this line would go, and the edit does not say so"
_ADDED = "both halves of the edit have a line that the file lacks here"
_LEFT = "the edit takes this line away, and it would stay"


def breach(fit: Fit, edits: Sequence[Edit]) -> Obstacle | None:
    """Return the first line that the edits treat differently from the change, or None. The rules:

    - A line that the edit does not remove survives. Of a line that the search has twice and the file once, the one
    survives that the replacement still has.
    - A line that both halves have is never added to a file that lacks it.
    - A line that the edit removes, and that is in the file, is gone.
    - An edit that removes only blank lines removes none from a file that has no more than the replacement.
    - A line that survives keeps the file's bytes, unless the edit indents or outdents it.
    """
    rows, search, alignment = fit.rows, fit.search, fit.alignment
    standing = [(i, row) for i, _ in alignment.pairs for row in range(*alignment.reach(i))]
    taken = [row for edit in edits for row in _rows_of(fit, edit)]
    put = [line for edit in edits for line in split_lines(edit.text)]

    if not alignment.ends:  # else the file breaks lines differently, and its tier has compared all words
        was, now = Counter(_bare(rows[row]) for row in taken), Counter(map(_bare, put))
        old, new = Counter(map(_bare, search)), Counter(map(_bare, fit.replace))
        may_go = _may_go(((_bare(search[i]), _bare(rows[row])) for i, row in standing), new)
        # Blank lines have no identity: those between removed lines may go with them.
        may_go[""] = max(0, old[""] - new[""]) + sum(not rows[row].strip() for row in taken)
        if lost := was - now - may_go:
            return Obstacle(next(row for row in taken if _bare(rows[row]) in lost), _LOST)
        first, end = min([alignment.first, *taken]), max([alignment.end, *(row + 1 for row in taken)])
        had = Counter(_bare(row) for row in rows[first:end])
        if now[""] < was[""] and had[""] <= new[""] < old[""] and not any(old - new):
            return Obstacle(next(row for row in taken if not rows[row].strip()), _LOST)
        for i, line in enumerate(search):
            text = _bare(line)
            # grown: how many more such lines the file would have. asked: how many more the edit asks for.
            grown, asked = now[text] - was[text], new[text] - old[text]
            if text and grown > max(0, asked):
                return Obstacle(alignment.above(i) or alignment.first, _ADDED, line)
            # Enough are gone if no more are left than the replacement has, or if as many went as the edit removes: the
            # file may have the line more often than the search quotes it.
            if text and asked < 0 and had[text] + grown > max(new[text], had[text] + asked):
                return Obstacle(next(row for row in range(first, end) if _bare(rows[row]) == text), _LEFT, line)

    # Bytes. Lines without words inside a change belong to it, as braces cannot be told apart, and so do lines that the
    # file has on one line.
    inside = fit.change.changed()
    firm = [(i, row) for i, row in standing if i not in inside or (distinctive(search[i]) and not alignment.ends)]
    may_go = _may_go(((search[i], rows[row]) for i, row in firm), Counter(fit.replace))
    may_go.update(rows[row] for _, row in set(standing).difference(firm))
    lost = Counter(rows[row] for row in taken) - Counter(put) - may_go
    at = next((row for row in taken if rows[row].strip() and rows[row] in lost), None)
    return None if at is None else Obstacle(at, _LOST)


def left(change: Change, rows: Sequence[str]) -> bool:
    """Return whether a line that the change removes is still among `rows`, where it seems to be made already."""
    new, found = Counter(map(_bare, change.replace)), Counter(map(_bare, rows))
    return any(text and found[text] > new[text] for text in map(_bare, change.gone))


def _may_go(pairs: Iterable[tuple[str, str]], kept: Mapping[str, int]) -> Counter[str]:
    """Return how often each text of the file may be removed: as often as its search lines exceed those `kept`."""
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for line, row in pairs:
        spelled[line][row] += 1
    may_go: Counter[str] = Counter()
    for line, found in spelled.items():
        going = found.total() - min(found.total(), kept[line])
        for text, count in found.items():
            may_go[text] += min(count, going)
    return may_go


def _rows_of(fit: Fit, edit: Edit) -> range:
    """Return the indices of the file's lines that an edit replaces."""
    if not len(edit.span):
        return range(0)
    return range(fit.document.line_at(edit.span.start), fit.document.line_at(edit.span.end - 1) + 1)


def _bare(line: str) -> str:
    """Return a line without any blanks."""
    return "".join(line.split())
