"""Tier `syntax`: the code is the same, its formatting or its comments are not; or one definition is named.

Works on the leaves of syntax trees, comments left out. What a formatter adds, drops or spells otherwise may differ
(`code`). A search whose tokens stand in a region of the file, from a line's start to a line's end, is that region; its
lines are partners where the borders of their tokens agree (`partners`). What the file has on one line and the search on
several is changed as one, and then laid out as in the reply.
Comments carry no meaning, so they may differ on lines that the edit keeps; those that it changes must agree, and one
beside a change must have its partner in the file.
A search that is one definition, by a name the file defines once, is compared with that definition alone: then there
is no second place to be clear of, and what the edit keeps may be quoted from memory (`misremembered`), but every other
rule of the tier `fuzzy` holds.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from dovetail.match.landing import separators
from dovetail.match.landing.candidates import Barred, Lines
from dovetail.match.landing.fit import Fit, Obstacle
from dovetail.match.landing.land import land
from dovetail.match.question import forgiven
from dovetail.match.tiers import fuzzy
from dovetail.match.tiers.code import Window, places_in, read
from dovetail.match.tiers.misremembered import misremembered
from dovetail.match.tiers.partners import Partners, comment_partners
from dovetail.model.codes import Tier
from dovetail.model.text import apply_edits, split_lines
from dovetail.text.alignment import Alignment, blank_partners
from dovetail.text.comments import defines, goes_on, is_comment
from dovetail.text.line import distinctive, full, opens
from dovetail.text.similar import within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.landing.change import Change
    from dovetail.match.question import Question
    from dovetail.match.tiers.code import Code, Place
    from dovetail.text.document import Document

_FEWEST = 8  # tokens, or words in them, below which equal tokens prove no place
_MANY = 30  # tokens below which a comment that differs may tell another place
_LARGEST = 200_000  # characters of a region that is parsed
_FEW = 8  # places that are looked at where no line of the search stands in the file
_DECORATES = re.compile(r"\s*@")
_SLACK = 3  # times the search's lines that its place may take
_RUNS_ON = "the reply ends statements otherwise than the file, and its new lines would be one with those beside them"


def find(question: Question) -> Sequence[Candidate] | Obstacle:
    """Places whose tokens are the search's; where there are none, the definition that it names."""
    same = same_tokens(question)
    if same:
        return [
            Lines(Tier.SYNTAX, fit) if barred is None else Barred(Tier.SYNTAX, barred, fit.span) for fit, barred in same
        ]
    region = named(question)
    if region is None:
        return []
    fit = Fit(question.document, question.coarse, region)
    others = misremembered(fit, question.heads)
    if region.score < fuzzy.LEAST and not others:
        return []
    return [] if fuzzy.objection(fit, others) else forgiven(Tier.SYNTAX, fit)


def same_tokens(question: Question) -> list[tuple[Fit, Obstacle | None]]:
    """Places whose tokens are the search's: near the likest regions, or the definition that it is, or its rarest word.

    With each the change as it lands there, what the file has on one line changed as one, and why it must not.
    """
    document = question.document
    wanted = read(question.language, question.path, "\n".join(question.coarse.search) + "\n")
    if wanted is None or max(len(wanted.tokens), len(wanted.words)) < _FEWEST or not wanted.may_stand_in(document.has):
        return []
    places = next(filter(None, (_found_in(question, wanted, spans) for spans in _spans(question))), {})
    for fit, barred in list(places.values()):
        for again in _standing_again(document, fit.alignment, question.regions):
            places.setdefault(again.first, (Fit(document, fit.change, again), barred))
    return [places[first] for first in sorted(places)]


def _found_in(
    question: Question, wanted: Code, spans: Iterable[tuple[int, int]]
) -> dict[int, tuple[Fit, Obstacle | None]]:
    """The places in some spans of lines, by their first lines."""
    document, change, language, path = question.document, question.coarse, question.language, question.path
    places: dict[int, tuple[Fit, Obstacle | None]] = {}
    known: set[range] = set()  # the lines of those, which windows that overlap would show again
    for first, end in spans:
        low, high = max(0, first), min(len(document), end)
        span = document.span(low, high)
        text = span.of(document.raw)
        if len(text) > _LARGEST or not wanted.may_stand_in(text.__contains__):
            continue
        window = Window(language, path, low, [document.rows[line] for line in range(low, high)])
        for place in places_in(window, change.search, wanted, known):
            fit = _aligned(document, change, place)
            if fit is not None and _comments_agree(fit, place) and not _quoted_elsewhere(fit, question.regions):
                at = fit.alignment.first
                runs_on = Obstacle(at, _RUNS_ON) if place.runs_on(change.replace) else None
                places.setdefault(at, (fit, runs_on or fuzzy.wrapped(fit)))
                known.add(place.lines)
    return places


def _quoted_elsewhere(fit: Fit, regions: Sequence[Alignment]) -> bool:
    """Whether a line that the search forgets at its place is one that it has and found no equal for, or another place
    has all that it quotes without forgetting any."""
    rows, forgotten = fit.document.stripped, {fit.document.stripped[row] for row in fit.alignment.unnamed()}
    for line, at in zip(map(str.strip, fit.search), fit.lines, strict=True):
        if line in forgotten and distinctive(line) and (at is None or rows[at] != line):
            return True
    others = (region for region in regions if not region.meets(fit.alignment))
    return any(fuzzy.quotes_as_much(fit.document, fit.search, fit.alignment, other) for other in others)


def _standing_again(document: Document, alignment: Alignment, regions: Sequence[Alignment]) -> Iterator[Alignment]:
    """The same lines at other regions, comments aside: what they say is the same, even where what is around parses
    otherwise."""
    first, size = alignment.first, alignment.end - alignment.first
    told = _but_for_comments(document.stripped[first : first + size])
    for region in regions:
        if _but_for_comments(document.stripped[region.first : region.first + size]) == told:
            yield alignment.moved(region.first - first)


def _but_for_comments(lines: Sequence[str]) -> list[str]:
    return ["" if is_comment(line) else line for line in lines]


def named(question: Question) -> Alignment | None:
    """The definition that the search is, aligned; None where it is none, or the file has no such one, or several.

    It is more than a definition where it has a line that the file has elsewhere alone.
    """
    head = _head(question)
    if head is None:
        return None
    document, search = question.document, question.coarse.search
    rows = question.heads[head].rows
    low, high = rows.start - head, rows.stop
    places = document.places_of({line.strip() for line in search if distinctive(line)})
    if any(map(frozenset(range(low, high)).isdisjoint, places.values())):
        return None
    blanks = len(search) - 1 - full(search)[-1]
    return within(document, search, low, high + blanks)


def _head(question: Question) -> int | None:
    """The line of the search that names the definition which it is: but for comments and decorators the first one."""
    search = question.coarse.search
    code = (i for i, line in enumerate(search) if line.strip() and not is_comment(line) and not _DECORATES.match(line))
    first = search[: next(code, -1) + 1]
    if not any(opens(line) or defines(line) or line.startswith("#") for line in first):  # most are not worth a reading
        return None
    return next((i for i in range(len(first)) if i in question.heads), None)


def _spans(question: Question) -> Iterator[list[tuple[int, int]]]:
    """Where to look, as lines from and to, likeliest first; each is asked where those before gave nothing.

    The definition is read from its first line on, for lines that begin inside a text of several are read as what they
    are not.
    """
    search = question.coarse.search
    slack = _SLACK * len(search) + 5
    near = [(region.first - slack, region.end + slack) for region in question.regions]
    yield near
    head = _head(question)
    if head is not None:
        rows = question.heads[head].rows
        yield [(rows.start - head, rows.stop + slack)]
    elif not near:
        yield [(line - slack, line + 1 + slack) for line in _holding(question.document, search)]


def _holding(document: Document, search: Sequence[str]) -> Sequence[int]:
    """The lines with the search's rarest word, where they are few: no other place can have its tokens."""
    rarest = document.rarest_word(search)
    lines = list(islice(document.lines_holding(rarest[1]), _FEW + 1)) if rarest is not None else []
    return lines if len(lines) <= _FEW else []


def _aligned(document: Document, change: Change, place: Place) -> Fit | None:
    """The search's lines with the file's lines that hold their tokens, and the change of such lines.

    Search lines that share a line of the file go together: the first of them has all their lines, the others none, and
    a hunk takes all of them. None where a hunk changes a comment that the file has otherwise, or where what it makes
    of the file's lines has other tokens than the replacement in their place.
    """
    partners = Partners(len(change.search), place)
    if not partners.found:
        return None
    lines, ends, leads = partners.lines, partners.ends, partners.leads
    solid = place.mine.solid_lines()
    bare = [i for i, line in enumerate(change.search) if line.strip() and i not in solid]
    code = place.around
    solidly = Alignment(tuple(lines), ends=tuple(ends))
    for i, line, end in list(comment_partners(document, change.search, bare, code, solidly)):
        lines[i], ends[i] = line, end
    shared = Alignment(tuple(lines[lead] for lead in leads), ends=tuple(ends[lead] for lead in leads))
    for i, line in blank_partners(change.search, document.rows, shared):
        lines[i], ends[i] = line, line + 1
    alignment = Alignment(tuple(lines), ends=tuple(ends))
    if _slipped(document, change.search, alignment):
        return None
    whole = Fit(document, partners.widened(change), alignment, code)
    certain = _certain(whole, place, leads) and separators.objection(whole) is None
    return whole if certain and _as_wanted(whole, place) else None


def _slipped(document: Document, search: Sequence[str], alignment: Alignment) -> bool:
    """Whether the first or last line of a search, of which the partner says it otherwise, stands right beyond that."""
    rows, pairs = document.stripped, [(search[i].strip(), line) for i, line in alignment.pairs if search[i].strip()]
    ends = ((*pairs[0], alignment.first - 1), (*pairs[-1], alignment.end))
    return any(rows[line] != wanted == rows[beyond] for wanted, line, beyond in ends if 0 <= beyond < len(rows))


def _as_wanted(fit: Fit, place: Place) -> bool:
    """Whether landing makes of the place what the replacement would be there, token by token."""
    edits = land(fit)
    if isinstance(edits, Obstacle):
        return True  # and nothing lands
    return place.becomes(fit.replace, split_lines(apply_edits(fit.document.raw, edits)), len(fit.document))


def _comments_agree(fit: Fit, place: Place) -> bool:
    """Whether the search's comments let its tokens mean this place.

    Each must stand in the place, or beside it on the side where the search has it, and may go on there. Many tokens
    need no comments, but one that stands elsewhere in the file may tell of another place there.
    """
    mine = place.mine
    many = len(mine.tokens) >= _MANY
    for line, text in mine.comments:
        above, below = line < mine.firsts[0], line > mine.lasts[-1]
        near = place.theirs.comments_on(fit.alignment.first - above, fit.alignment.end + below)
        if text in near or (many and not distinctive(text)) or any(goes_on(text, line) for line in near):
            continue
        if not many or text in fit.document.raw:
            return False
    return True


def _certain(fit: Fit, place: Place, leads: Sequence[int]) -> bool:
    """Whether every hunk stands beside lines that the file has, the one above with its comma, and changes no comment
    unseen.
    """
    mine, theirs = place.mine, place.theirs
    for hunk in fit.change.hunks:
        beside = [i for i in (hunk.a1 - 1, hunk.a2) if 0 <= i < len(leads) and fit.search[i].strip()]
        if any(fit.lines[i] is None and leads[i] == i for i in beside):
            return False
        above = fit.change.last_text(0, hunk.a1)
        if above in mine.commas and fit.alignment.reach(leads[above])[1] - 1 not in theirs.commas:
            return False
        taken = fit.taken(hunk)
        if mine.comments_on(hunk.a1, hunk.a2) != (theirs.comments_on(*taken) if taken is not None else []):
            return False
    return True
