"""Tier `syntax`: the code is the same, its formatting or its comments are not; or one definition is named.

Works on the leaves of syntax trees, comments left out. A string may stand in the other kind of quotes, where neither
kind means anything in it, and a comma behind the last of several lines may come or go. A search whose tokens stand in
a region of the file one for one, from a line's start to a line's end, is that region; its lines are partners where the
borders of their tokens agree. What the file has on one line and the search on several is changed as one, and then laid
out as in the reply.
Comments carry no meaning, so they may differ on lines that the edit keeps; those that it changes must agree, and one
beside a change must have its partner in the file.
A search that is one definition, by a name the file defines once, is compared with that definition alone: then there
is no second place to be clear of, but every other rule of the tier `fuzzy` holds.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING

from dovetail.match import comments, separators
from dovetail.match.alignment import Alignment, blank_partners
from dovetail.match.lines import distinctive, tokens
from dovetail.match.similar import align
from dovetail.match.substance import is_comment
from dovetail.model.dataclasses import dataclass
from dovetail.model.patterns import late
from dovetail.model.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dovetail.match.change import Change
    from dovetail.match.document import Document
    from dovetail.model.language import Definition, Language, Token

_FEWEST = 8  # tokens below which equal tokens prove no place
_MANY = 30  # tokens below which a comment that differs may tell another place
_LARGEST = 200_000  # characters of a region that is parsed
_FEW = 8  # places that are looked at where no line of the search stands in the file
_SLACK = 3  # times the search's lines that its place may take
_OPENERS = frozenset("([{")
_CLOSERS = frozenset(")]}")
_QUOTED = late(r"(['\"])([^'\"\\`$#{}\n]{2,})\1")


@dataclass(frozen=True, slots=True)
class _Code:
    """The tokens of a text: what each says, its first and last line; each line of a comment with its number; the lines
    that end with a comma which is no token; how many lines."""

    texts: list[str]
    firsts: list[int]
    lasts: list[int]
    comments: list[tuple[int, str]]
    commas: set[int]
    lines: int

    def solid_lines(self) -> set[int]:
        """The lines that hold code."""
        return {line for first, last in zip(self.firsts, self.lasts, strict=True) for line in range(first, last + 1)}

    def comments_on(self, first: int, end: int) -> list[str]:
        """The comments on lines `first` to `end` (exclusive)."""
        return [text for line, text in self.comments if first <= line < end]


def same_tokens(
    document: Document, change: Change, regions: Sequence[Alignment], language: Language, path: str
) -> list[tuple[Change, Alignment]]:
    """Places whose tokens are the search's: near `regions`, or the definition that it names, or its rarest word.

    With each the change as it lands there: what the file has on one line is changed as one.
    """
    wanted = _read(language, path, "\n".join(change.search) + "\n")
    if wanted is None or len(wanted.texts) < _FEWEST:
        return []
    words = {text.strip("'\"") for text in wanted.texts}
    places: dict[int, tuple[Change, Alignment]] = {}
    for low, high in _windows(document, change, regions, language, path):
        span = document.span(low, high)
        text = document.raw[span.start : span.end]
        if len(text) > _LARGEST or any(token not in text for token in words):
            continue
        found = _read(language, path, text)
        if found is None:
            continue
        for at in _occurrences(found.texts, wanted.texts):
            landing = _aligned(document, change, wanted, found, at, low)
            if landing is not None and _comments_agree(document, wanted, found, landing[1], low):
                places.setdefault(landing[1].first, landing)
    for whole, alignment in list(places.values()):
        for again in _standing_again(document, alignment, regions):
            places.setdefault(again.first, (whole, again))
    return [places[first] for first in sorted(places)]


def _standing_again(document: Document, alignment: Alignment, regions: Sequence[Alignment]) -> Iterator[Alignment]:
    """The same lines at other regions: what they say is the same, even where what is around parses otherwise."""
    first, size = alignment.first, alignment.end - alignment.first
    told = document.stripped[first : first + size]
    for region in regions:
        if document.stripped[region.first : region.first + size] == told:
            yield alignment.moved(region.first - first)


def named(document: Document, search: Sequence[str], language: Language, path: str) -> Alignment | None:
    """The definition that the search names, aligned; None where it names none, or the file has no such one."""
    pair = _named(document, search, language, path)
    return align(document, search, pair[1].first_line - pair[0].first_line) if pair is not None else None


def _named(
    document: Document, search: Sequence[str], language: Language, path: str
) -> tuple[Definition, Definition] | None:
    """The one definition that the search is, and the file's one of that name, whose head stands nowhere else."""
    outer = _only(search, language.definitions(path, "\n".join(search) + "\n"))
    if outer is None:
        return None
    same = [d for d in language.definitions(path, document.raw) or () if d.name == outer.name]
    if len(same) != 1 or (same[0].kind != outer.kind and {same[0].kind, outer.kind} != {"function", "method"}):
        return None
    head = _head(document.stripped, same[0])
    return (outer, same[0]) if len(document.places_of([head])[head]) == 1 else None


def _head(lines: Sequence[str], definition: Definition) -> str:
    """The line that names a definition, behind its decorators, which may be another place's too."""
    header = lines[definition.first_line : definition.body_line]
    named = (line for line in header if definition.name in tokens(line) and not line.startswith("@"))
    return next(named, lines[definition.first_line])


def _only(search: Sequence[str], definitions: Sequence[Definition] | None) -> Definition | None:
    """The one definition that holds all others, and all of the search but for comments."""
    if not definitions:
        return None
    outer = definitions[0]
    inside = all(d.first_line >= outer.first_line and d.last_line <= outer.last_line for d in definitions)
    beside = (*search[: outer.first_line], *search[outer.last_line + 1 :])
    return outer if inside and all(not line.strip() or is_comment(line) for line in beside) else None


def _windows(
    document: Document, change: Change, regions: Sequence[Alignment], language: Language, path: str
) -> Iterator[tuple[int, int]]:
    slack = _SLACK * len(change.search) + 5
    spans = [(region.first, region.end) for region in regions]
    if not spans and (pair := _named(document, change.search, language, path)) is not None:
        spans = [(pair[1].first_line, pair[1].last_line + 1)]
    for first, end in spans or _holding(document, change.search):
        yield max(0, first - slack), min(len(document), end + slack)


def _holding(document: Document, search: Sequence[str]) -> list[tuple[int, int]]:
    """The lines with the search's rarest word, where they are few: no other place can have its tokens."""
    rarest = document.rarest_word(search)
    lines = list(islice(document.lines_holding(rarest[1]), _FEW + 1)) if rarest is not None else []
    return [(line, line + 1) for line in lines] if len(lines) <= _FEW else []


def _read(language: Language, path: str, text: str) -> _Code | None:
    """The tokens of a text; None where the language is not known."""
    found = language.tokens(path, text)
    if found is None:
        return None
    starts = Text(text).starts
    line = [(t, bisect_right(starts, t.start) - 1) for t in found if t.text.strip()]
    code = [(t, first) for t, first in line if not t.comment]
    commas = _last_commas(code)
    solid = [pair for i, pair in enumerate(code) if i not in commas]
    return _Code(
        [_unquoted(t) for t, _ in solid],
        [first for _, first in solid],
        [first + t.text.count("\n") for t, first in solid],
        [(n, text.strip()) for t, first in line if t.comment for n, text in enumerate(t.text.split("\n"), first)],
        {code[i][1] for i in commas},
        len(starts) - 1,
    )


def _last_commas(solid: Sequence[tuple[Token, int]]) -> set[int]:
    """Which of these tokens, each with its line, are commas that a formatter puts behind the last of several lines.

    In round brackets that nothing is called with, and that hold no other, a comma makes a list of what they hold.
    """
    found: set[int] = set()
    open_at: list[int] = []
    held: list[int] = []  # commas, by the brackets that are open
    for i, (token, line) in enumerate(solid):
        if token.text in _OPENERS:
            open_at.append(i)
            held.append(0)
        elif token.text == "," and held:
            held[-1] += 1
        elif token.text in _CLOSERS and held:
            at, commas = open_at.pop(), held.pop()
            plain = solid[at][0].text == "(" and not (at and solid[at - 1][0].kind == "name")
            if solid[i - 1][0].text == "," and solid[i - 1][1] < line and (commas > 1 or not plain):
                found.add(i - 1)
    return found


def _unquoted(token: Token) -> str:
    """What a token says, the kind of its quotes left out where both say the same."""
    if token.kind != "string" or not (found := _QUOTED.fullmatch(token.text)):
        return token.text
    return f'"{found[2]}"'


def _occurrences(tokens: Sequence[str], wanted: Sequence[str]) -> Iterator[int]:
    for at in range(len(tokens) - len(wanted) + 1):
        if tokens[at] == wanted[0] and tokens[at : at + len(wanted)] == wanted:
            yield at


def _aligned(
    document: Document, change: Change, wanted: _Code, found: _Code, at: int, low: int
) -> tuple[Change, Alignment] | None:
    """The search's lines with the file's lines that hold their tokens, tokens `at` on, and the change of such lines.

    Search lines that share a line of the file go together: the first of them has all their lines, the others none, and
    a hunk takes all of them. None where the place does not begin and end with a line, or where a hunk changes a comment
    that the file has otherwise.
    """
    end = at + len(wanted.texts)
    if (at and found.lasts[at - 1] == found.firsts[at]) or (
        end < len(found.texts) and found.firsts[end] == found.lasts[end - 1]
    ):
        return None
    lines, ends, leads = _led(change, wanted, found, at, low)
    solid = wanted.solid_lines()
    bare = [i for i, line in enumerate(change.search) if line.strip() and i not in solid]
    code = {low + line for line in (-1, *found.solid_lines(), found.lines)}
    for i, line in list(
        comments.partners(document, change.search, bare, code, Alignment(tuple(lines), ends=tuple(ends)))
    ):
        lines[i], ends[i] = line, line + 1
    shared = Alignment(tuple(lines[lead] for lead in leads), ends=tuple(ends[lead] for lead in leads))
    for i, line in blank_partners(change.search, document.rows, shared):
        lines[i], ends[i] = line, line + 1
    alignment = Alignment(tuple(lines), ends=tuple(ends))
    whole = change.widened(_groups(leads))
    certain = _certain(whole, wanted, found, alignment, leads, low)
    return (whole, alignment) if certain and separators.objection(document, whole, alignment) is None else None


def _groups(leads: Sequence[int]) -> list[range]:
    """The search lines that go together."""
    ends = {lead: i + 1 for i, lead in enumerate(leads)}
    return [range(lead, end) for lead, end in ends.items() if end - lead > 1]


def _led(
    change: Change, wanted: _Code, found: _Code, at: int, low: int
) -> tuple[list[int | None], list[int | None], list[int]]:
    """The file's lines of each search line that has tokens, where they end, and which search line has them for it."""
    lines: list[int | None] = [None] * len(change.search)
    ends: list[int | None] = [None] * len(change.search)
    leader, leads = -1, list(range(len(change.search)))
    for mine, theirs in zip(range(len(wanted.texts)), range(at, at + len(wanted.texts)), strict=True):
        line = wanted.firsts[mine]
        first, behind = low + found.firsts[theirs], low + found.lasts[theirs] + 1
        if line != leader and (leader < 0 or first >= (ends[leader] or 0)):
            leader = line
            lines[leader] = first
        leads[line] = leader
        ends[leader] = max(first + 1, ends[leader] or 0)
        if wanted.lasts[mine] > line:  # a text of several lines, all of them the same in the file
            inner = range(line + 1, wanted.lasts[mine] + 1)
            lines[inner.start : inner.stop] = range(first + 1, behind)
            ends[inner.start : inner.stop] = range(first + 2, behind + 1)
            leader = wanted.lasts[mine]
    return lines, ends, leads


def _comments_agree(document: Document, wanted: _Code, found: _Code, alignment: Alignment, low: int) -> bool:
    """Whether the search's comments let its tokens mean this place.

    Each must stand in the place, or beside it on the side where the search has it. Many tokens need no comments, but
    one that stands elsewhere in the file may tell of another place there.
    """
    first, end = alignment.first - low, alignment.end - low
    many = len(wanted.texts) >= _MANY
    for line, text in wanted.comments:
        above, below = line < wanted.firsts[0], line > wanted.lasts[-1]
        if text in found.comments_on(first - above, end + below) or (many and not distinctive(text)):
            continue
        if not many or text in document.raw:
            return False
    return True


def _certain(change: Change, wanted: _Code, found: _Code, alignment: Alignment, leads: Sequence[int], low: int) -> bool:
    """Whether every hunk stands beside lines that the file has, the one above with its comma, and changes no comment
    unseen.
    """
    for hunk in change.hunks:
        inside = range(hunk.a1, hunk.a2)
        beside = [i for i in (hunk.a1 - 1, hunk.a2) if 0 <= i < len(leads) and change.search[i].strip()]
        if any(alignment.lines[i] is None and leads[i] == i for i in beside):
            return False
        above = change.last_text(0, hunk.a1)
        if above in wanted.commas and alignment.reach(leads[above])[1] - 1 - low not in found.commas:
            return False
        spans = [alignment.reach(i) for i in inside if alignment.lines[i] is not None]
        theirs = found.comments_on(spans[0][0] - low, spans[-1][1] - low) if spans else []
        if wanted.comments_on(hunk.a1, hunk.a2) != theirs:
            return False
    return True
