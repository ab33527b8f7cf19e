"""Carries a change inside one line over to the file's spelling of that line.

The three lines agree but for form (blanks, quotes, entities): what the edit does not change is taken from the file,
token by token; what it changes is taken from the replacement.
"""

from __future__ import annotations

from dovetail.match.linediff import common
from dovetail.match.lines import indent_of, tokens


def carry(wanted: str, replacement: str, found: str) -> str:
    """`replacement` with its share of `wanted` spelled as in `found`.

    Returns `replacement` itself where the tokens of `wanted` and `found` do not stand one for one.
    """
    before = _solid(wanted)
    file = _solid(found)
    after = _solid(replacement)
    if len(before) != len(file):
        return replacement
    source = {k: i for i, k in common([t for _, t in before], [t for _, t in after])}
    pieces: list[str] = []
    for k, (gap, token) in enumerate(after):
        i = source.get(k)
        if i is None:
            pieces += (gap, token)
            continue
        neighbours = k > 0 and source.get(k - 1) == i - 1 and i > 0 and before[i][0] == gap
        pieces += (file[i][0] if neighbours else gap, file[i][1])
    line = "".join(pieces)
    return indent_of(replacement) + line.lstrip(" \t")


def _solid(line: str) -> list[tuple[str, str]]:
    """The tokens of a line that are not blank, each with the blanks before it."""
    pairs: list[tuple[str, str]] = []
    gap = ""
    for token in tokens(line.rstrip()):
        if token.isspace():
            gap = token
        else:
            pairs.append((gap, token))
            gap = ""
    return pairs
