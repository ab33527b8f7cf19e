"""Tier `syntax`: the code is the same, but line breaks or comments differ.

The file has the search's tokens, from a line's start to a line's end; line breaks, blanks and comments may differ.
Search lines that share a line of the file form a group and are changed as one. The result must have the replacement's
tokens, or nothing lands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from dovetail.match.landing.candidates import Lines
from dovetail.match.landing.fit import Fit, Obstacle
from dovetail.match.landing.land import land
from dovetail.model.codes import Tier
from dovetail.model.text import apply_edits, split_lines
from dovetail.model.work import spend
from dovetail.text.alignment import Alignment, blank_partners
from dovetail.text.comments import comment_rows, parted
from dovetail.text.diff import common

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.landing.change import Change
    from dovetail.match.lookup import Lookup
    from dovetail.text.diff import Hunk
    from dovetail.text.document import Document

    _Tokenizer = Callable[[Sequence[str], Collection[int], range], list["_CodeToken"]]

_FEWEST = 8  # tokens that a search must have
_FEW = 8  # the most lines with the search's rarest word; with more, nothing is compared
_SLACK = 3  # how many times the search's lines its place may take up
_WRAPPED = 8  # lines that one string may take up
_COMPARED = 50  # tokens that are compared as wholes in the time of one step
_MARKS = frozenset("\"'")
# A string that ends on its line, a word, or one sign; a mark that opens a longer string is a sign of its own. The bound
# keeps the search for a closing mark from being repeated over a long line.
_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.){0,1000}+\"|'(?:[^'\\]|\\.){0,1000}+'|\w+|[^\w\s]")


def find(lookup: Lookup) -> Sequence[Candidate]:
    """Return the places with the search's tokens; none if the edit cannot land at one of them."""
    document, change = lookup.document, lookup.coarse
    places = list(_with_same_tokens(document, change, _tokens))
    if not places and any(" " in text and not document.has(text) for text in _texts(_all_tokens(change.search))):
        places = list(_with_same_tokens(document, change, _tokens_of_wrapped))
    fits = {fit.alignment.first: fit for fit in places if fit is not None}
    return [Lines(Tier.SYNTAX, fits[first]) for first in sorted(fits)] if None not in places else []


class _CodeToken(NamedTuple):
    """A word, a string or a sign, and the lines on which it begins and ends."""

    text: str
    line: int
    last: int


def _tokens(lines: Sequence[str], comments: Collection[int], rows: range) -> list[_CodeToken]:
    """Return the words, strings and signs of the `rows` of some lines, without comments."""
    code = ((row, parted(lines[row])[0]) for row in rows if row not in comments)
    return [_CodeToken(text, row, row) for row, line in code for text in _TOKEN.findall(line)]


def _tokens_of_wrapped(lines: Sequence[str], comments: Collection[int], rows: range) -> list[_CodeToken]:
    """Return the same, with a string over several lines as one token that has a blank for each line end."""
    found: list[_CodeToken] = []
    behind = rows.start
    for row in rows:
        if row < behind or row in comments:
            continue
        pieces = [parted(lines[row])[0].strip()]
        while _ends_in_string(pieces) and len(pieces) < min(_WRAPPED, rows.stop - row):
            pieces.append(parted(lines[row + len(pieces)])[0].strip())
        if _ends_in_string(pieces):
            del pieces[1:]
        starts = list(accumulate((len(piece) + 1 for piece in pieces[:-1]), initial=0))
        for token in _TOKEN.finditer(" ".join(pieces)):
            first, last = (row + bisect_right(starts, at) - 1 for at in (token.start(), token.end() - 1))
            found.append(_CodeToken(token[0], first, last))
        behind = row + len(pieces)
    return found


def _ends_in_string(pieces: Sequence[str]) -> bool:
    """Return whether a mark opens a string that the lines do not close."""
    return not _MARKS.isdisjoint(_TOKEN.findall(" ".join(pieces)))


def _all_tokens(lines: Sequence[str]) -> list[_CodeToken]:
    return _tokens(lines, comment_rows(lines), range(len(lines)))


def _texts(tokens: Sequence[_CodeToken]) -> list[str]:
    return [token.text for token in tokens]


def _with_same_tokens(document: Document, change: Change, tokens: _Tokenizer) -> Iterator[Fit | None]:
    """Yield the places of the search's tokens near lines with its rarest word, if these are few; None for a place at
    which the edit cannot land.

    tokens: the function that reads the file's tokens.
    """
    wanted = _all_tokens(change.search)
    names = sorted({token.text for token in wanted if token.text.isidentifier()}, key=len, reverse=True)
    if len(wanted) < _FEWEST or not all(map(document.has, names)):
        return
    rarest = document.rarest_word(change.search)
    if rarest is None:
        return
    words, size = _texts(wanted), len(wanted)
    lines = list(islice(document.lines_holding(rarest[1]), _FEW + 1))
    # The place takes up to `_SLACK` times the search's lines, and the rare word may be at either end.
    reach = _SLACK * len(change.search) + 5
    for line in lines if len(lines) <= _FEW else ():
        near = range(max(0, line - reach), min(len(document), line + reach))
        found = tokens(document.rows, document.comments, near)
        texts = _texts(found)
        for at in range(len(texts) - size + 1):
            behind = at + size
            # The first and last tokens are compared before all are copied.
            if texts[at] != words[0] or texts[behind - 1] != words[-1]:
                continue
            spend(size // _COMPARED)
            if texts[at:behind] != words or not _breaks_agree(wanted, found[at:behind]):
                continue
            # From a line's start to a line's end: no other token is on these lines.
            starts = at == 0 or found[at - 1].last < found[at].line
            ends = behind == len(found) or found[behind].line > found[behind - 1].last
            fit = _fit(document, change, wanted, found[at:behind]) if starts and ends else None
            yield fit if fit is not None and _lands_as_wanted(fit, tokens) else None


def _breaks_agree(one: Sequence[_CodeToken], other: Sequence[_CodeToken]) -> bool:
    """Return whether two texts of the same tokens break lines alike between backticks, where breaks count."""
    inside = False
    for (a, b), (c, d) in zip(pairwise(one), pairwise(other), strict=True):
        inside ^= a.text == "`"
        if inside and b.line - a.last != d.line - c.last:
            return False
    return True


def _fit(document: Document, change: Change, wanted: Sequence[_CodeToken], found: Sequence[_CodeToken]) -> Fit | None:
    """Return the search's lines aligned with the file's lines of their tokens, with hunks widened to whole groups.

    None if a hunk would remove a comment that the search does not show, or is beside one that the file lacks.
    """
    size = len(change.search)
    lines: list[int | None] = [None] * size
    ends: list[int | None] = [None] * size
    # Search lines whose tokens share lines of the file are one group. Its first line, the leader, has the file's lines
    # of the group in `lines` and `ends`; `lead` holds the leader of each line. For `f(`, `a)` against `f(a)` line 0
    # leads both. A search line leads if its tokens begin after all lines of the file that are taken so far.
    lead = list(range(size))
    leader, done = -1, -1
    for mine, theirs in zip(wanted, found, strict=True):
        if mine.line != leader and theirs.line > done:
            leader = mine.line
            lines[leader] = theirs.line
        lead[mine.line] = leader
        done = max(done, theirs.last)
        ends[leader] = done + 1
    remarks = [i for i in sorted(comment_rows(change.search)) if change.search[i].strip()]
    solid = Alignment(tuple(lines), ends=tuple(ends))
    taken = {row for i, _ in solid.pairs for row in range(*solid.reach(i))}
    rows = [row for row in range(max(0, solid.first - size), min(len(document), solid.end + size)) if row not in taken]
    for i, k in common([change.search[i].strip() for i in remarks], [document.stripped[row] for row in rows]):
        above, below = solid.above(remarks[i]), solid.below(remarks[i])
        if (above is None or above <= rows[k]) and (below is None or rows[k] < below):
            lines[remarks[i]], ends[remarks[i]] = rows[k], rows[k] + 1
    if sorted(line for line in lines if line is not None) != [line for line in lines if line is not None]:
        return None
    if any(lines[i] is None and change.search[i].strip() in document.line_set for i in remarks):
        return None  # the comment stands elsewhere in the file, so another place may be meant
    shared = Alignment(tuple(lines[i] for i in lead), ends=tuple(ends[i] for i in lead))
    for i, row in blank_partners(change.search, document.rows, shared):
        lines[i], ends[i] = row, row + 1
    alignment = Alignment(tuple(lines), ends=tuple(ends))
    last = {first: i for i, first in enumerate(lead)}
    groups = [range(first, i + 1) for first, i in last.items() if i > first]
    whole = Fit(document, change.widened(groups), alignment)
    return whole if all(_shows_comments(whole, hunk, lead) for hunk in whole.change.hunks) else None


def _shows_comments(fit: Fit, hunk: Hunk, lead: Sequence[int]) -> bool:
    """Return whether the file has the comments that a hunk's search lines and their neighbours show, and no others."""
    near = range(max(0, hunk.a1 - 1), min(len(fit.search), hunk.a2 + 1))
    if any(fit.search[i].strip() and lead[i] == i and fit.lines[i] is None for i in near):
        return False
    taken = fit.taken(hunk) or (0, 0)
    quoted = _comments(fit.search, comment_rows(fit.search), hunk.old)
    return quoted == _comments(fit.rows, fit.document.comments, range(*taken))


def _comments(lines: Sequence[str], comments: Collection[int], rows: range) -> list[str]:
    texts = (lines[row] if row in comments else parted(lines[row])[1] for row in rows)
    return [text.strip() for text in texts if text.strip()]


def _lands_as_wanted(fit: Fit, tokens: _Tokenizer) -> bool:
    """Return whether landing gives the place the replacement's tokens; True for an obstacle, reported later."""
    edits = land(fit)
    if isinstance(edits, Obstacle):
        return True  # nothing lands, and the obstacle says why
    after = split_lines(apply_edits(fit.document.raw, edits))
    end = len(after) - (len(fit.document) - fit.alignment.end)
    written = after[fit.alignment.first : end]
    return _texts(tokens(written, comment_rows(written), range(len(written)))) == _texts(_all_tokens(fit.replace))
