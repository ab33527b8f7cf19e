"""Carries a change inside one line over to the file's spelling of that line.

The three lines agree but for form (blanks, quotes, entities): what the edit does not change is taken from the file,
token by token; what it changes is taken from the replacement. A string is one token, so that both its marks are of a
kind. A comma or semicolon at the end of the code is looked at by itself (`ended`), for it may be another line's affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.text.comments import parted
from dovetail.text.line import indent_of, tokens
from dovetail.text.linediff import common
from dovetail.text.quoting import between, marked, strings

if TYPE_CHECKING:
    from collections.abc import Mapping

_SEPARATORS = (",", ";")
_OPENERS = frozenset("{([:")
_CLOSERS = frozenset("])}")

_Tokens = list[tuple[str, str]]  # each with the blanks before it


def carry(wanted: str, replacement: str, found: str, marks: Mapping[str, str]) -> str:
    """`replacement` with its share of `wanted` spelled as in `found`, and its new strings in the marks that `marks` has
    for theirs.

    Where the tokens of `wanted` and `found` do not stand one for one, one line is a part of what the other says: then
    nothing but marks is carried, and what the file's line ends with may end something else.
    """
    ends = _ends(wanted, replacement, found)
    if ends is not None:
        mine, theirs = ends
        return _put(carry(_bare(wanted, mine), _bare(replacement, mine), _bare(found, theirs), marks), theirs)
    before, file, after = _solid(wanted), _solid(found), _solid(replacement)
    if len(before) != len(file):
        return marked(replacement, marks)
    source = {k: i for i, k in common([t for _, t in before], [t for _, t in after])}
    replaced = _replaced(source, len(before), len(after))
    pieces: list[str] = []
    for k, (gap, token) in enumerate(after):
        if k in source:
            spelled = file[source[k]][1]
        elif k in replaced:
            spelled = _rewritten(before[replaced[k]][1], token, file[replaced[k]][1], marks)
        else:
            spelled = marked(token, marks)
        pieces += (_gap(before, file, source.get(k - 1), source.get(k), gap), spelled)
    return indent_of(replacement) + "".join(pieces).lstrip() + _blanks_behind(wanted, replacement, found)


def ended(wanted: str, replacement: str, found: str) -> str:
    """`replacement` with the comma or semicolon of `found`, or without one, where `wanted` differs from it in that."""
    ends = _ends(wanted, replacement, found)
    return replacement if ends is None else _put(_bare(replacement, ends[0]), ends[1])


def _ends(wanted: str, replacement: str, found: str) -> tuple[str, str] | None:
    """What the code of `wanted` and `found` ends with, where it is a comma or semicolon on one side and nothing on the
    other, and the edit leaves it alone; None where they end alike, or differ in more.
    """
    if wanted.strip() == found.strip():
        return None
    mine, after, theirs = _end(wanted), _end(replacement), _end(found)
    if mine != after or mine is None or theirs is None or bool(mine) == bool(theirs):
        return None
    if theirs == ";" and parted(replacement)[0].endswith("}"):  # a block ends by itself
        return None
    return (mine, theirs) if len(_solid(wanted)) - len(_solid(found)) == bool(mine) - bool(theirs) else None


def _replaced(source: Mapping[int, int], before: int, after: int) -> dict[int, int]:
    """Which token of the search each new one takes the place of: one that goes, beside the same kept one.

    source: which of the `before` tokens of the search each kept one of the `after` new ones is.
    """
    kept = set(source.values())
    at = {-1: -1, **source, after: before}
    found: dict[int, int] = {}
    for k in range(after):
        for beside, step in ((k - 1, 1), (k + 1, -1)):
            i = at[beside] + step if beside in at and k not in source else -1
            if 0 <= i < before and i not in kept:
                found.setdefault(k, i)
    return found


def _rewritten(wanted: str, token: str, found: str, marks: Mapping[str, str]) -> str:
    """A token in the place of another: between the marks that the file has there, if both are strings."""
    mine, new, theirs = (strings(text) for text in (wanted, token, found))
    if not (mine and new and theirs) or mine[0].mark != new[0].mark or not mine[0].plain:
        return marked(token, marks)
    text = carry(mine[0].text, new[0].text, theirs[0].text, {})
    return marked(between(new[0].mark, text), {new[0].mark: theirs[0].mark})


def _blanks_behind(wanted: str, replacement: str, found: str) -> str:
    """The blanks that a changed line ends with: the replacement's, spelled as in the file where the search has them."""
    before, after, file = (line[len(line.rstrip()) :] for line in (wanted, replacement, found))
    return file if before == after != "" else after


def _end(line: str) -> str | None:
    """The comma or semicolon that the code of a line ends with, "" for none; None where one cannot come or go."""
    code, _ = parted(line)
    last = code[-1:]
    return last if last in _SEPARATORS else None if not last or last in _OPENERS else ""


def _bare(line: str, end: str) -> str:
    code, comment = parted(line)
    return code.removesuffix(end).rstrip() + comment


def _put(line: str, end: str) -> str:
    code, comment = parted(line)
    return code + end + comment


def _gap(before: _Tokens, file: _Tokens, left: int | None, right: int | None, gap: str) -> str:
    """The blanks between two tokens, of which the search may have either: the file's, where they are the search's own.

    Blanks beside a bracket belong to the bracket, whatever comes or goes at the other end of them.
    """
    behind = left + 1 if left is not None and left + 1 < len(before) else None
    opened = left is not None and before[left][1] in _OPENERS
    if behind != right:
        behind = None if behind is None or before[behind][1] in _CLOSERS else behind
        right = None if not right or before[right - 1][1] in _OPENERS else right
    for i in (behind, right) if opened else (right, behind):
        if i is not None and before[i][0] == gap:
            return file[i][0]
    return gap


def _solid(line: str) -> _Tokens:
    """The tokens of a line that are not blank."""
    line = line.rstrip()
    solid: _Tokens = []
    gap, at = "", 0
    for string in strings(line):
        gap = _add(solid, gap, tokens(line[at : string.start]))
        gap = _add(solid, gap, (line[string.start : string.end],))
        at = string.end
    _add(solid, gap, tokens(line[at:]))
    return solid


def _add(solid: _Tokens, gap: str, more: tuple[str, ...]) -> str:
    """Add tokens behind those that there are; returns the blanks at the end."""
    for token in more:
        if token.isspace():
            gap = token
        else:
            solid.append((gap, token))
            gap = ""
    return gap
