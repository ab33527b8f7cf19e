"""The symmetric three-way merge of lines that both sides changed, token by token.

A token is a word, a number, a literal or a sign; the blanks and line breaks before it are its gap, which is merged
separately: one side may space or indent what the other edits. Where both sides changed the same token, or tokens that
touch, there is no merge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dovetail.text.diff import Hunk, diff
from dovetail.text.pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_TOKENS = 20_000  # of the lines that clash, on each side
_FURTHEST = 200  # tokens that an insertion or a deletion is moved, so as not to touch what the other side changed
_TOKEN = pattern(
    r"#[0-9a-fA-F]{3,8}\b"  # a colour
    r"|\d+(?:[-/:]\d+)+[T.:\d]*"  # a date or a time
    r"|\d[\w.%]*(?<!\.)"  # a number with its unit, a version, an address
    r"|\w+"
    r"|\.{3}|[-+*/%=<>!&|^~?:]+"  # a sign, or an operator of several
    r"|[^\w\s]"
)
_WORD = pattern(r"[\w\"'`]")


class SpacedToken(NamedTuple):
    """A token, and the blanks and line breaks before it."""

    gap: str
    text: str


class _Side:
    """One side: its tokens, the hunks that turn base's tokens into them, and `partners`, base's index to its own."""

    def __init__(self, base: Sequence[SpacedToken], tokens: Sequence[SpacedToken], hunks: Sequence[Hunk]) -> None:
        self.tokens = tokens
        self.hunks = hunks
        self.partners: dict[int, int] = {}
        at = shift = 0
        for hunk in (*hunks, Hunk(len(base), len(base), 0, 0)):
            self.partners |= {i: i + shift for i in range(at, hunk.a1)}
            if hunk.one_for_one:
                self.partners |= dict(zip(hunk.old, range(hunk.b1, hunk.b2), strict=True))
            at, shift = hunk.a2, hunk.b2 - hunk.a2

    def gap(self, i: int, otherwise: str) -> str:
        """Return this side's gap before token `i` of base, or `otherwise` if the side has no such token."""
        return self.tokens[self.partners[i]].gap if i in self.partners else otherwise

    def new(self, hunk: Hunk) -> Sequence[SpacedToken]:
        """Return the tokens that a hunk adds."""
        return self.tokens[hunk.b1 : hunk.b2]


def merge_tokens(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], *, layout: bool = False
) -> list[str] | None:
    """Merge lines that both sides changed; None if both changed the same tokens, or tokens that touch.

    layout: indentation is grammar; see `merge`.
    """
    was, mine, new = map(tokens_of, (base, ours, theirs))
    if max(len(was), len(mine), len(new)) > _MOST_TOKENS:
        return None
    words = [token.text for token in was]
    first, second = (diff(words, [token.text for token in side]) for side in (mine, new))
    sides = (
        _Side(was, mine, [_beside(hunk, second, words, mine) for hunk in first]),
        _Side(was, new, [_beside(hunk, first, words, new) for hunk in second]),
    )
    if _come_twice(was, sides):
        return None
    if layout and not all(_nesting_stays(was, side, other) for side, other in (sides, sides[::-1])):
        return None
    written: list[SpacedToken | None] = []
    done = 0
    for start, end, parts in _regions(sides):
        written += [_kept(was, sides, i) for i in range(done, start)]
        written += _changed(was, sides, start, end, parts)
        done = end
    written += [_kept(was, sides, i) for i in range(done, len(was))]
    if None in written:
        return None
    text = "".join(token.gap + token.text for token in written if token is not None)
    # `tokens_of` begins each line with its break, so nothing stands before the first one.
    return text.split("\n")[1:]


def tokens_of(lines: Sequence[str]) -> list[SpacedToken]:
    r"""Return the tokens of `lines`, a ``\n`` before each line, and an empty last token for the blanks at the end."""
    text = "".join("\n" + line for line in lines)
    found: list[SpacedToken] = []
    end = 0
    for token in _TOKEN.finditer(text):
        found.append(SpacedToken(text[end : token.start()], token.group()))
        end = token.end()
    return [*found, SpacedToken(text[end:], "")]


def _beside(hunk: Hunk, others: Sequence[Hunk], base: Sequence[str], side: Sequence[SpacedToken]) -> Hunk:
    """Return the hunk, or an equivalent one that touches none of the other side's hunks.

    In `x x` made to `x`, either `x` may be the one that was deleted: an insertion or a deletion may stand
    anywhere in a run of equal tokens.
    """
    if not (hunk.inserts or hunk.deletes) or not any(_meet(hunk, other) for other in others):
        return hunk
    found = [hunk]
    for step in (-1, 1):
        at = hunk
        for _ in range(_FURTHEST):
            moved = Hunk(*(index + step for index in at))
            # the token that the hunk leaves behind, and the one that it takes up on its other side
            left, taken = (at.a1 - 1, at.a2 - 1) if step < 0 else (at.a2, at.a1)
            come, gone = (at.b1 - 1, at.b2 - 1) if step < 0 else (at.b2, at.b1)
            if not 0 <= left < len(base) - 1:
                break
            if base[left] != base[taken] if hunk.deletes else side[come].text != side[gone].text:
                break
            found.append(at := moved)
    return min(
        (one for one in found if not any(_meet(one, other) for other in others)),
        key=lambda one: (abs(one.a1 - hunk.a1), one.a1),
        default=hunk,
    )


def _meet(one: Hunk, other: Hunk) -> bool:
    """Return whether two hunks share tokens of base or border on each other."""
    return one.a1 <= other.a2 and other.a1 <= one.a2


def _regions(sides: tuple[_Side, _Side]) -> Iterator[tuple[int, int, list[tuple[_Side, Hunk]]]]:
    """Yield regions of base that either side changed, as (start, end, hunks): hunks that touch are in one region."""
    changes = [(hunk, side) for side in sides for hunk in side.hunks]
    changes.sort(key=lambda change: change[0][:2])
    at = 0
    while at < len(changes):
        start, end, n = changes[at][0].a1, changes[at][0].a2, at + 1
        while n < len(changes) and not _apart(changes[at:n], end, *changes[n]):
            end, n = max(end, changes[n][0].a2), n + 1
        yield start, end, [(side, hunk) for hunk, side in changes[at:n]]
        at = n


def _come_twice(base: Sequence[SpacedToken], sides: tuple[_Side, _Side]) -> bool:
    """Return whether both sides add the same word, which base lacks, at different places: it may be one change."""
    known = {token.text for token in base}
    places: tuple[dict[str, list[Hunk]], ...] = ({}, {})
    for side, found in zip(sides, places, strict=True):
        for hunk in side.hunks:
            for token in side.new(hunk):
                if token.text not in known and _WORD.match(token.text):
                    found.setdefault(token.text, []).append(hunk)
    mine, others = places
    return any(
        not any(_meet(hunk, other) for hunk in mine[word] for other in others[word]) for word in mine.keys() & others
    )


def _apart(region: Sequence[tuple[Hunk, _Side]], end: int, hunk: Hunk, side: _Side) -> bool:
    """Return whether a change stands apart from a region before it.

    What one side puts beside a token that the other replaced is apart from it if a sign or a line break parts them, as
    in `x = 1` made to `x = 2` and to `x = 1  # why`.
    """
    if hunk.a1 != end:
        return hunk.a1 > end
    for before, other in region:
        if before.a2 != end or other is side:
            continue
        replacement = before if hunk.inserts else hunk
        if before.inserts == hunk.inserts or not replacement.one_for_one:
            return False
        edge = side.new(hunk)[0] if hunk.inserts else other.new(before)[-1]
        if _WORD.match(edge.text) and not (hunk.inserts and "\n" in edge.gap):
            return False
    return True


def _kept(base: Sequence[SpacedToken], sides: tuple[_Side, _Side], i: int) -> SpacedToken | None:
    """Return token `i` of base, which both sides keep, with the merged gap; None if the gaps clash."""
    gap = _merged_gap(base[i].gap, *(side.gap(i, base[i].gap) for side in sides))
    return None if gap is None else SpacedToken(gap, base[i].text)


def _merged_gap(base: str, one: str, other: str) -> str | None:
    """Merge a gap three ways, its line breaks apart from its indentation; None if they clash."""
    if one in (base, other):
        return other
    if other == base:
        return one
    parts = [gap.rpartition("\n") for gap in (base, one, other)]
    if not all(breaks for _, breaks, _ in parts):
        return None
    above, indent = (_merged_gap_part(*(part[n] for part in parts)) for n in (0, 2))
    return None if above is None or indent is None else f"{above}\n{indent}"


def _merged_gap_part(base: str, one: str, other: str) -> str | None:
    return other if one in (base, other) else one if other == base else None


def _changed(
    base: Sequence[SpacedToken], sides: tuple[_Side, _Side], start: int, end: int, parts: Sequence[tuple[_Side, Hunk]]
) -> list[SpacedToken | None]:
    """Return what becomes of tokens `start` to `end` (exclusive) of base; a None among them is a clash."""
    changed = {id(side) for side, _ in parts}
    if len(changed) == 1:
        side, hunk = parts[0]
        other = sides[1] if side is sides[0] else sides[0]
        return [_new(base, side, hunk, other, n) for n in range(len(side.new(hunk)))]
    news = [_between(parts, side, start, end) for side in sides]
    one, other_words = ([token.text for token in new] for new in news)
    # Both sides wrote the same words; where their blanks differ, neither can be preferred.
    if one == other_words:
        return [_alike(*pair) for pair in zip(*news, strict=True)]
    if len(one) == len(other_words) == end - start:
        return _one_for_one(base[start:end], *news)
    short, long = sorted(news, key=len)
    words, more = [token.text for token in short], [token.text for token in long]
    if words and (more[: len(words)] == words or more[-len(words) :] == words):  # one side made the other's change too
        return list(long)
    return [None]


def _between(parts: Sequence[tuple[_Side, Hunk]], side: _Side, start: int, end: int) -> Sequence[SpacedToken]:
    """The side's tokens for tokens `start` to `end` of base: what its hunks bring, and what it keeps around them."""
    hunks = [hunk for one, hunk in parts if one is side]
    return side.tokens[hunks[0].b1 - (hunks[0].a1 - start) : hunks[-1].b2 + (end - hunks[-1].a2)]


def _alike(one: SpacedToken, other: SpacedToken) -> SpacedToken | None:
    return one if one.gap == other.gap else None


def _one_for_one(
    base: Sequence[SpacedToken], one: Sequence[SpacedToken], other: Sequence[SpacedToken]
) -> list[SpacedToken | None]:
    """Merge regions of equal length token by token: each may be changed by one side only, and neighbours by the same.
    Return ``[None]`` for a clash."""
    written: list[SpacedToken | None] = []
    before = 0
    for was, mine, new in zip(base, one, other, strict=True):
        # 0: both alike. 1: ours changed. 2: theirs changed. 3: both, differently. A word of ours right beside one of
        # theirs may be half of a change each.
        changed = 0 if mine.text == new.text else 1 if new.text == was.text else 2 if mine.text == was.text else 3
        gap = _merged_gap(was.gap, mine.gap, new.gap)
        if changed == 3 or (changed and before and changed != before) or gap is None:
            return [None]
        written.append(SpacedToken(gap, new.text if changed == 2 else mine.text))
        before = changed
    return written


def _new(base: Sequence[SpacedToken], side: _Side, hunk: Hunk, other: _Side, n: int) -> SpacedToken | None:
    """Return token `n` of those that a hunk of one side alone adds, with its gap; None if the gaps clash."""
    token = side.tokens[hunk.b1 + n]
    if hunk.one_for_one or (n == 0 and not hunk.inserts):
        i = hunk.a1 + n
        gap = _merged_gap(base[i].gap, token.gap, other.gap(i, base[i].gap))
    else:
        gap = _indented(base, token.gap, hunk, other)
    return None if gap is None else SpacedToken(gap, token.text)


def _indented(base: Sequence[SpacedToken], gap: str, hunk: Hunk, other: _Side) -> str | None:
    """Return the blanks before an inserted token, indented as the other side indented the lines around it; None if it
    indented those above and below differently."""
    breaks, found, indent = gap.rpartition("\n")
    if not found:
        return gap
    above = next((i for i in range(hunk.a1 - 1, -1, -1) if "\n" in base[i].gap), None)
    below = next((i for i in range(hunk.a2, len(base) - 1) if "\n" in base[i].gap), None)
    # above, below: the nearest tokens that begin a line in base.
    joined = [other.gap(i, gap) for i in (below, above) if i is not None and base[i].gap == gap]
    if joined and "\n" not in joined[0]:  # the other side put these lines on one
        return joined[0]
    if any(i is not None and "\n" not in other.gap(i, base[i].gap) for i in (above, below)):
        return None
    moves = [("", "") if i is None else _move(base, other, i) for i in (above, below)]
    if moves[0] != moves[1]:
        known = [(i, move) for i, move in zip((above, below), moves, strict=True) if i is not None]
        # The other side moved one neighbour and not the other: the new line goes with the one that is as deep as it.
        near = {move for i, move in known if base[i].gap.rpartition("\n")[2] == indent}
        if len(near) != 1 or len(known) < 2:
            return None
        moves = [*near]
    gone, come = moves[0]
    return f"{breaks}\n{come}{indent[len(gone) :]}" if indent.startswith(gone) else None


def _move(base: Sequence[SpacedToken], side: _Side, i: int) -> tuple[str, str]:
    """Return what a side removes from, and adds to, the front of the indentation before token `i` of base."""
    was, now = (gap.rpartition("\n")[2] for gap in (base[i].gap, side.gap(i, base[i].gap)))
    shared = len(was) if now.endswith(was) else len(now) if was.endswith(now) else 0
    return was[: len(was) - shared], now[: len(now) - shared]


def _nesting_stays(base: Sequence[SpacedToken], side: _Side, other: _Side) -> bool:
    """Return whether all lines that a side indents or outdents are runs that move alike, right below a changed line.

    If not, a line that the other side edits may have moved into another block.
    """
    if not other.hunks:
        return True
    changed = {i for hunk in side.hunks for i in (hunk.a1, hunk.a2)}
    run: tuple[str, str] | None = None
    for i, token in enumerate(base[:-1]):
        if "\n" not in token.gap or "\n" not in side.gap(i, ""):
            continue
        move = _move(base, side, i)
        # A run of moved lines must begin right below a line that the side changed, such as a new `if x:`, and move
        # alike.
        if move != ("", "") and move != run and (run is not None or i not in changed):
            return False
        run = move if move != ("", "") else None
    return True
