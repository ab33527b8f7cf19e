"""Decides whether an edit was made already: it is taken back on a copy and landed again, and the bytes must agree.

So the same demands hold for an edit that was made as for one that lands. A reply that is applied twice changes nothing
the second time.
"""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from dovetail.match.landing.candidates import Lines, Run
from dovetail.match.landing.invariant import left
from dovetail.match.outcome import Ambiguous, Match
from dovetail.model.codes import ALL_TIERS, Tier
from dovetail.model.text import Edit, Span, apply_edits, join_lines, to_lf
from dovetail.model.work import spend
from dovetail.text.diff import common, subsequence
from dovetail.text.document import Document
from dovetail.text.folding import folded
from dovetail.text.line import deep, distinctive, indent_of, solid, squeeze, stripped, tokens, worded
from dovetail.text.similarity import ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.landing.change import Change
    from dovetail.match.landing.fit import Fit
    from dovetail.match.lookup import Lookup
    from dovetail.match.outcome import Outcome

    Ask = Callable[[Lookup], Outcome | None]

_NAMES = 16  # new names of the edit that must be in the text before places are looked for
_LONG = 3  # distinctive lines that are not together by chance
_COPIED = 50  # lines that are copied and compared as wholes in the time of one step
_FEW = 4  # words and signs that are not in another text by chance
_ALIKE = 0.6  # the least similarity of a replacement that is a version of its search


def applied_at(lookup: Lookup, candidate: Candidate, ask: Ask) -> Span | None:
    """Return where the replacement stands if the edit was made at the place of `candidate`; None if it was not."""
    document, change, place = lookup.document, lookup.change, candidate.place
    if isinstance(candidate, Run) and candidate.tier is Tier.EXACT and (span := candidate.applied()) is not None:
        return span
    if not change.inserts_only and candidate.tier is Tier.EXACT:
        return None  # the search stands, and the replacement has it nowhere inside
    if not any(map(str.strip, change.replace)) or _is_run(change.replace, change.search):
        return None
    if isinstance(candidate, Lines):
        if (moved := _moved_already(candidate.fit)) is not None:
            return place if moved else None
        change = candidate.fit.change
    # The replacement stands around the place: at most its own height above or below it.
    wide = document.around(place, len(change.replace))
    window = Document(wide.of(document.raw))
    if not _may_stand(window, change):
        return None
    span = _taken_back(replace(lookup, document=window), change, ask, ALL_TIERS.index(candidate.tier), chosen=True)
    return None if span is None or not span.shifted(wide.start).meets(place) else span.shifted(wide.start)


def _moved_already(fit: Fit) -> bool | None:
    """Return whether an edit that only indents or outdents lines was made already.

    It was if all lines of the file are shifted equally from the replacement's, and differently from the search's. None
    if
    the edit does more, or if the depths do not tell: with tabs, or with one shift from the search's lines, too.
    """
    old, new = fit.search, fit.replace
    if stripped(old) != stripped(new):
        return None
    pairs = [(i, j) for i, j in fit.alignment.pairs if old[i].strip()]
    before, after = ({deep(fit.rows[j]) - deep(lines[i]) for i, j in pairs} for lines in (old, new))
    # Search `a`, `b`; replacement `a`, `  b`; file `a`, `  b`: shifts from the search are {0, 2}, from the replacement
    # {0}. Any other shift than 0 must be one that the search has too, with no line where the search has it.
    if len(after) == 1 < len(before) and after <= before and (after == {0} or 0 not in before):
        return True
    tabs = any("\t" in indent_of(line) for lines in (old, new, (fit.rows[j] for _, j in pairs)) for line in lines)
    return None if tabs or after == {0} else False


def applied_elsewhere(lookup: Lookup, ask: Ask, *, to_the_letter: bool) -> Span | None:
    """Return where the replacement stands if the edit was made, or None; for a search that was found nowhere.

    to_the_letter: the search may still be there in another form, so the replacement must match letter for letter.
    """
    change = lookup.change
    if not (shows(change) or _grown(change)) or not _may_stand(lookup.document, change):
        return None
    if to_the_letter:
        exact = replace(lookup, tiers=lookup.tiers & {Tier.EXACT})
        return _taken_back(exact, change, ask, ALL_TIERS.index(Tier.EXACT))
    return _taken_back(lookup, change, ask, len(ALL_TIERS))


def _taken_back(lookup: Lookup, change: Change, ask: Ask, loosest: int, *, chosen: bool = False) -> Span | None:
    """Take the edit back on a copy and land it again; return its place if the bytes agree, else None.


    change: the edit's lines, without wrappings (line numbers, entities) that the search was found without.
    loosest: index in `ALL_TIERS` of the loosest tier at which the replacement may be found; a change of blanks alone
    needs a stricter one.
    chosen: one of several places of the search was chosen, so it may land at any of them again.
    """
    document, needle = lookup.document, lookup.needle
    old, new = ([squeeze(line) for line in lines if line.strip()] for lines in (change.search, change.replace))
    blanks = old == new or not worded(chain(change.come, change.gone))
    # The reverse edit, as lines at one place: it turns the replacement into the search.
    turned = needle._replace(
        search=needle.replace, replace=needle.search, inline=False, replace_all=False, last_end=None
    )
    back = ask(replace(lookup, needle=turned, tiers=lookup.tiers - {Tier.PART_LINE}))
    if not isinstance(back, Match) or not back.edits or back.others:
        return None
    # A looser tier than that of the search would find the replacement in a text that was never edited. A change of
    # blanks alone shows only at a stricter one.
    tier = ALL_TIERS.index(back.tier)
    if tier > loosest or (blanks and back.tier is not Tier.EXACT and tier == loosest):
        return None
    gone = {folded(line) for line in change.gone if distinctive(line)} - set(map(folded, change.replace))
    first, last = document.line_at(back.span.start), document.line_at(back.span.end - 1)
    if not gone.isdisjoint(map(folded, document.rows[max(0, first - 1) : last + 2])):
        return None  # what the edit takes away stands
    if left(change, document.rows[first : last + 1]) or _stands_beside(document, change, first, last):
        return None
    before = Document(apply_edits(document.raw, back.edits))
    again = ask(replace(lookup, document=before))
    # Taken back, the search stands at several places again, as it did when one was chosen; each is tried.
    if isinstance(again, Ambiguous) and chosen and again.tier is Tier.EXACT:
        spots, whole = (Edit(place, needle.replace) for place in again.places), to_lf(document.raw)
        return back.span if any(to_lf(apply_edits(before.raw, [spot])) == whole for spot in spots) else None
    restored = isinstance(again, Match) and apply_edits(before.raw, again.edits) == document.raw
    return back.span if restored else None


def _stands_beside(document: Document, change: Change, first: int, last: int) -> bool:
    """Return whether the lines that an edit removes at its ends stand right above or below lines `first` to `last`."""
    search, size = stripped(change.search), len(change.search)
    # A replacement that only drops lines at an end of its search stands there before the edit, too: then the dropped
    # lines stand right beside it.
    kept = [i for i, _ in common(search, stripped(change.replace)) if search[i]]
    if not kept:
        return False
    head, tail = (list(filter(None, part)) for part in (search[: kept[0]], search[kept[-1] + 1 :]))
    above, below = (
        list(filter(None, stripped(rows)))
        for rows in (document.rows[max(0, first - size) : first], document.rows[last + 1 : last + 1 + size])
    )
    return bool(tail and tail == below[: len(tail)]) or bool(head and head == above[-len(head) :])


def _may_stand(document: Document, change: Change) -> bool:
    """Return whether the text contains the longest names that the edit adds: a cheap check before the costly one."""
    old = {word for line in change.search for word in tokens(line)}
    new = {word for line in change.come for word in tokens(line)}
    # A word of the replacement that the search lacks must stand in a text where the edit was made.
    names = [word for word in new - old if word.isascii() and word.isidentifier()]
    return all(map(document.has, heapq.nlargest(_NAMES, names, key=len)))


def shows(change: Change) -> bool:
    """Return whether finding the replacement's text in the file proves that the edit was made.

    It does if the text is long, keeps a distinctive line, or is a version of the search. A run of the search's own
    lines
    does not: it is in the file before the edit, too.
    """
    new = [line for line in change.replace if line.strip()]
    if not new or _is_run(change.replace, change.search):
        return False
    kept = {line.strip() for line in change.search} & {line.strip() for line in new}
    if sum(map(distinctive, new)) >= _LONG or any(map(distinctive, kept)):
        return True
    return ratio("\n".join(change.search), "\n".join(change.replace)) >= _ALIKE


def replacement_places(document: Document, change: Change, *, inline: bool = False) -> list[Span]:
    """Return the places of the whole replacement, letter for letter; none if that proves nothing.

    inline: it is a run of characters, which may be inside a line.
    """
    if not any(map(str.strip, change.replace)):
        return []
    new = "\n".join(change.replace) if inline else join_lines(change.replace)
    places = list(document.runs(new) if inline else document.whole_lines(new))
    return places if places and shows(change) else []


def _is_run(lines: Sequence[str], of: Sequence[str]) -> bool:
    size = len(lines)
    starts = [at for at in range(len(of) - size + 1) if of[at] == lines[0]]
    spend(len(starts) * size // _COPIED)
    return any(of[at : at + size] == lines for at in starts)


def _grown(change: Change) -> bool:
    """Return whether the replacement has all words and signs of the search, in their order, and more."""
    old, new = ([word for line in lines for word in solid(line)] for lines in (change.search, change.replace))
    whole = len(old) >= _FEW and len(old) < len(new) and any(map(distinctive, change.search))
    return whole and sum(1 for _ in subsequence(old, new)) == len(old)
