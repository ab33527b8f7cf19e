"""The three-way merge inside one changed line: what the edit keeps of the line keeps the file's characters.

Base is the line as the search quotes it, theirs the replacement's line, ours the file's line. All three are split into
tokens, which are compared without what models misquote: look-alike signs, character references, Unicode form, blanks. A
token of the replacement that the search has, too, is written as in the file; a new one as in the replacement. If two
readings of what is kept would write different texts, there is no merge.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.diff import Hunk, apart, common
from dovetail.text.folding import folded
from dovetail.text.line import indent_of
from dovetail.text.pattern import pattern
from dovetail.text.strings import strings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Pairs = Sequence[tuple[int, int]]
    Align = Callable[[Sequence[str], Sequence[str]], Pairs]

# A character reference, a word with its accents and invisible signs, `...`, three hyphens or more, blanks, or one sign.
_TOKEN = pattern(r"&#?\w+;|[\w\u0300-\u036f\u00ad\u200b-\u200d\u2060\ufeff]+|\.{3}|-{3,}|\s+|[^\w\s][\u0300-\u036f]*")
_BRACKET = pattern(r"[(){}\[\]]")
_QUOTES = frozenset("'\"`")
_OPENERS = frozenset("{([:")
_CLOSERS = frozenset("])}")
_REFERENCE = "&"


class Token(NamedTuple):
    """A word or a sign of a line.

    gap: the blanks before it, as written. key: the token as it is compared.
    """

    gap: str
    text: str
    key: str


Tokens = list[Token]


def merge_line(wanted: str, new: str, found: str) -> str | None:
    """Carry the change from `wanted` to `new` over to the file's line `found`; the result has the indentation of `new`.

    `found` may be broken into several lines; then the result is, too, at the same points. None if it is not clear which
    tokens of `new` are kept, or in which order the edit and the file add tokens, or if the edit changes the
    surroundings of a line break.
    """
    if wanted.strip() == found.strip():
        return new
    base, theirs, ours = tokens_of(wanted), tokens_of(new), tokens_of(found)
    merged, other = (_merged(base, theirs, ours, align, new) for align in (_pairs, _pairs_from_the_end))
    if merged is None or other is None or "".join(merged.split()) != "".join(other.split()):
        return None
    return indent_of(new) + merged if _breaks(merged) == _breaks(found) else None


def _breaks(text: str) -> list[tuple[list[str], list[str], list[str]]]:
    """Return for each line end inside a text the words before and after it, and the brackets on its line, which decide
    whether the language allows a break there."""
    lines = pairwise(text.split("\n"))
    return [(above.split()[-1:], below.split()[:1], _BRACKET.findall(above)) for above, below in lines]


def tokens_of(line: str) -> Tokens:
    """Return the tokens of a line, and a last one for its end, whose gap is the blanks there."""
    found: Tokens = []
    gap = ""
    for text in _TOKEN.findall(line):
        key = folded(text)
        if key.strip():
            found.append(Token(gap if found else "", text, key))
            gap = ""
        else:
            gap += text
    return [*found, Token(gap, "", "")]


def _pairs(one: Sequence[str], other: Sequence[str]) -> Pairs:
    """Return index pairs of equal tokens, including the final ones for the lines' ends."""
    return list(common(one, other))


def _pairs_from_the_end(one: Sequence[str], other: Sequence[str]) -> Pairs:
    """Return the same, compared from the end: of equal tokens, others may be partners."""
    last, end = len(one) - 1, len(other) - 1
    return [(last - i, end - k) for i, k in common(one[::-1], other[::-1])][::-1]


def _merged(base: Tokens, theirs: Tokens, ours: Tokens, align: Align, new: str) -> str | None:
    """Return the merge for one way to pair equal tokens, without indentation, or None."""
    one, other, file = ([token.key for token in side] for side in (base, theirs, ours))
    kept = {k: i for i, k in align(one, other)}
    place = list(align(one, file))
    written = _written(base, theirs, ours, kept, place, other_marks=True)  # or not, if new text holds such a mark
    if written is not None and _inside_strings(written) != _inside_strings(
        new
    ):  # a string that comes holds the file's marks
        return _written(base, theirs, ours, kept, place, other_marks=False)
    return written


def _inside_strings(line: str) -> list[str]:
    return [folded(string.text) for string in strings(line)]


def _written(
    base: Tokens, theirs: Tokens, ours: Tokens, kept: Mapping[int, int], place: Pairs, *, other_marks: bool
) -> str | None:
    """Write `theirs`, with the tokens that it keeps of `base` spelled as in `ours`; None if that is not clear.


    kept: for tokens of `theirs` their partners in `base`. place: pairs of `base` and `ours`.
    other_marks: write the file's quotation marks if the search has others.
    """
    spelled = _spelled(base, theirs, ours, kept, place, other_marks=other_marks)
    if spelled is None:
        return None
    partner = dict(place)
    pieces: list[str] = []
    for k, token in enumerate(theirs):
        tokens = spelled.get(kept.get(k, -1))
        if tokens is None:
            pieces += (_gap(base, ours, partner, kept.get(k - 1), None, token.gap), token.text)
            continue
        for j in tokens:
            own = j == partner.get(kept[k], j) and j == tokens[0]
            gap = _gap(base, ours, partner, kept.get(k - 1), kept[k], token.gap) if own else ours[j].gap
            pieces += (gap, ours[j].text)
    return "".join(pieces)


def _spelled(
    base: Tokens, theirs: Tokens, ours: Tokens, kept: Mapping[int, int], place: Pairs, *, other_marks: bool
) -> dict[int, list[int]] | None:
    """Return for each token of the search that stays the file's tokens that are written for it; None if the edit and
    the file add different tokens at one point."""
    stay = {i: k for k, i in kept.items()}
    spelled = {i: [j] for i, j in place if i in stay}
    for gap in apart(place, Hunk(0, len(base), 0, len(ours))):
        mine, file = list(gap.old), list(range(gap.b1, gap.b2))
        # New text contains the file's kind of mark (`"it's"`), so the token keeps the replacement's marks.
        if mine and not other_marks and any(base[i].key in _QUOTES for i in mine):
            continue
        if mine and all(i in stay for i in mine) and stay[mine[-1]] - stay[mine[0]] == len(mine) - 1:
            # Tokens that stay together are written as the file's tokens for all of them: `--` becomes its `—`.
            spelled |= {i: file if i == mine[0] else [] for i in mine}
        elif len(mine) == len(file):
            spelled |= {i: [j] for i, j in zip(mine, file, strict=True) if i in stay}
        elif not mine and gap.a1 in stay:
            # The file has tokens here that the search lacks, such as a `;`; they stay before the next token that stays.
            beside = gap.a1 - 1 in stay  # else the edit changes the token before
            first = max((k for i, k in stay.items() if i < gap.a1), default=-1) + 1
            come = [token.key for token in theirs[first : stay[gap.a1]]]
            keys = [ours[j].key for j in file]
            if come[-len(keys) :] == keys or (beside and come[: len(keys)] == keys):  # both sides put in the same
                continue
            # The edit and the file add different tokens at one point: their order is unknown.
            if beside and come:
                return None
            spelled[gap.a1] = [*file, *spelled[gap.a1]]
        elif not mine and gap.a1 - 1 in stay:
            spelled[gap.a1 - 1] = [*spelled[gap.a1 - 1], *file]
    return spelled


def _gap(base: Tokens, ours: Tokens, partner: Mapping[int, int], left: int | None, right: int | None, gap: str) -> str:
    """Return the blanks between two tokens of the replacement: the file's, if the replacement has the search's there.

    left, right: their indices in the search, None for new tokens. gap: the replacement's blanks. Blanks beside a
    bracket belong to the bracket, whatever changes on their other side.
    """
    behind = left + 1 if left is not None and left + 1 < len(base) else None
    opened = left is not None and base[left].text in _OPENERS
    # Tokens were added or removed between the two. Then the blanks after `left` count only if no closing bracket
    # follows them, and those before `right` only if no opening one precedes them: such blanks belong to the bracket.
    if behind != right:
        behind = None if behind is None or base[behind].text in _CLOSERS else behind
        right = None if not right or base[right - 1].text in _OPENERS else right
    for i in (behind, right) if opened else (right, behind):
        if i is not None and i in partner and base[i].gap == gap:
            return ours[partner[i]].gap
    return gap
