"""Tier `fuzzy`: some lines are misquoted or left out.

The most similar region must be nearly the search, and clearly nearer than any other. Then its lines are checked one by
one: a line that the edit changes must be the same except for a typo, which other lines confirm; of the kept lines,
prose may be misquoted, and code if the region cannot be the twin of another place.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import category

from dovetail.match.landing.candidates import Lines
from dovetail.match.landing.change import Change
from dovetail.match.landing.fit import Fit, Obstacle
from dovetail.match.landing.substance import (
    Agreement,
    changes_words_alone,
    compare,
    differences,
    names_code,
    support_of,
    tells_apart,
)
from dovetail.model.codes import Tier
from dovetail.text.alignment import Alignment
from dovetail.text.comments import defines, is_comment, is_prose, parted
from dovetail.text.line import distinctive, indent_of, tokens
from dovetail.text.similarity import quoted_score
from dovetail.text.strings import same_in_other_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.lookup import Lookup
    from dovetail.text.document import Document

LEAST = 0.85
"""The least score of a region that may be the search."""
_MARGIN = 0.02
_ENOUGH = 2  # changed lines that identify a place by themselves
_SUPPORT = 2  # lines that must agree letter for letter, besides one that does not
_GARBLED = "[ -~]{1,8}"  # the characters that one garbled token may stand for
_MOST_GARBLED = 3  # garbled tokens on one line
# Matches `[name]`, `## name`, `# --- name ---`, `// === name`; not `# name`, `-----` or `a[0] = 1`.
_SECTION = re.compile(r"\s*(?:\[[^\[\]]*\]|#{2,6} .*|\W*([-=*─━])\1\1+ *\w.*)\s*$")  # heads lines that stand no deeper

_TWIN = "a line of the search says something else here: this may be another place much like the one meant"
_OTHERWISE = "a line that the edit changes says something else in the file"
_TOO_FEW = "too few lines agree to be certain of the place"
_TYPO_ALONE = "a misspelled line has too few others beside it to be certain of the place"
_HEAD = "the line that names the definition says something else in the file"
_ELSEWHERE = "a line of the search differs here, and stands elsewhere in the file"
_REPEATED = "a line that the edit changes misspells a name, and the replacement repeats it"
_SEPARATOR = "the search ends this line with another separator than the file, and the edit changes what follows it"
_ABSENT = "the file lacks a line of the search here"


def find(lookup: Lookup) -> Sequence[Candidate] | Obstacle:
    """Return the region most like the search if it is certain, or the obstacle that one of its lines is."""
    if not _certain(lookup.document, lookup.without_lookalikes.search, lookup.regions):
        return []
    best = _ungarbled(Fit(lookup.document, lookup.coarse, lookup.regions[0]))
    return objection(best) or [Lines(Tier.FUZZY, best)]


def _certain(document: Document, search: Sequence[str], ranked: Sequence[Alignment]) -> bool:
    """Return whether the first region is similar enough and clearly the best."""
    return bool(ranked) and ranked[0].score >= LEAST and _is_clear(document, search, ranked)


def _is_clear(document: Document, search: Sequence[str], ranked: Sequence[Alignment]) -> bool:
    """Return whether no other region may be meant: the second is at least twice as unlike, and not only for lines that
    the search would have left out there."""
    best, *others = ranked
    if not others:
        return True
    quoted = quoted_score(document, search, best)
    # A region with a score of 0.95 needs that no other has more than 0.88: unlikeness 0.05, twice that and 0.02 more.
    margin = 2 * (1 - best.score) + _MARGIN
    return 1 - others[0].score >= margin and all(quoted_score(document, search, other) < quoted for other in others)


def _ungarbled(fit: Fit) -> Fit:
    """Return the edit with garbled lines of its search replaced by the file's, if they agree around the garbled tokens.

    A garbled token is one letter without case (``row极date']`` for ``row['date']``) that neither the file nor the
    replacement contains, next to an ASCII word: one alone, as in quotes, may be a word of another language. It stands
    for a few ASCII characters of the file; more may be another word.
    """
    if all(map(str.isascii, fit.search)) or support_of(fit) < _SUPPORT:
        return fit
    # Letters without case (Chinese, Arabic …) that are nowhere else in the edit or the file: a model garbles a token in
    # the search alone. A letter that the replacement has, too, was meant.
    letters = {sign for line in fit.search for sign in line if not sign.isascii() and category(sign) == "Lo"}
    garbled = "".join(letters - set(fit.document.raw).union(*fit.replace))
    search = list(fit.search)
    for i, row in fit.alignment.pairs if garbled else ():
        pieces = re.split(f"[{garbled}]", search[i].strip())
        # Around the garbled letters the line must equal the file's letter for letter: the pieces become a pattern in
        # which each garbled letter stands for a few characters.
        few = 1 < len(pieces) <= _MOST_GARBLED + 1 and "" not in pieces[1:-1]
        at_words = all(re.search(r"\w$", a) or re.match(r"\w", b) for a, b in pairwise(pieces))
        if few and at_words and distinctive("".join(pieces)):
            found = fit.rows[row].strip()
            if re.fullmatch(_GARBLED.join(map(re.escape, pieces)), found):
                search[i] = indent_of(search[i]) + found
    return Fit(fit.document, Change.of(search, fit.replace).coarse(), fit.alignment) if search != fit.search else fit


def objection(fit: Fit) -> Obstacle | None:
    """Return the first line of the file that forbids the edit to land there, or None."""
    if (obstacle := _separator_differs(fit)) is not None:
        return obstacle
    document, change, alignment = fit.document, fit.change, fit.alignment
    changed = change.changed() - change.moved.keys()
    support, of_words = support_of(fit), changes_words_alone(change)
    deleted = {i for hunk in change.hunks if hunk.deletes for i in hunk.old}
    proven = _changes_what_stands_once(fit)
    misspelt: set[tuple[str, str]] = set()
    for i, line in enumerate(change.search):
        if not line.strip() or i in alignment.gaps:
            continue
        partner = alignment.lines[i]
        if partner is None:
            # The file may lack a line that the edit deletes, as it is gone already, or one quoted from around the edit.
            gone = i in deleted and _surely_gone(document, line, i, alignment)
            if not gone and (i in changed or not _says_again(fit, i)):
                above = alignment.above(i)
                return Obstacle(alignment.first if above is None else above, _ABSENT, line)
            continue
        found = document.lines[partner]
        agreement = compare(document, line, found)
        reason = _against(document, line, found, agreement, changed=i in changed, support=support)
        if agreement is Agreement.TYPO:
            slips = differences(line, found)
            misspelt.update(slips)
            if reason is None and i in changed and any(word in tokens(new) for word, _ in slips for new in change.come):
                reason = _REPEATED
        if len(misspelt) > 1 or (agreement.otherwise and (of_words or _SECTION.match(line))):
            reason = reason or _TWIN  # one slip may be a typo, several are the names of a twin
        # Unique changed lines identify the place, so a kept line may differ, if the edit does not depend on it.
        if reason is None or (proven and i not in changed and not _needed(fit, i, found)):
            continue
        return Obstacle(partner, reason, line)
    return None


def _changes_what_stands_once(fit: Fit) -> bool:
    """Return whether the lines that the edit changes are unique in the file and equal letter for letter: several such
    lines identify the place, whatever is around them."""
    known: set[str] = set()
    for hunk in fit.change.hunks:
        rows = fit.document.once(fit.search[i] for i in hunk.old)
        if not rows or any(rows.get(fit.search[i].strip(), fit.lines[i]) != fit.lines[i] for i in hunk.old):
            return False
        known.update(rows)
    return len(known) >= _ENOUGH


def _needed(fit: Fit, index: int, found: str) -> bool:
    """Return whether the edit depends on a kept line as it quotes it, although it differs in the file.

    It does if the line defines something, encloses changed lines or heads their section, or if the edit removes a word
    that only the search has on this line.
    """
    line = fit.search[index]
    if defines(line) or defines(found):
        return True
    below = (row for hunk in fit.change.hunks for row in fit.search[max(index + 1, hunk.a1) : hunk.a2 + 1])
    depths = [len(indent_of(row)) for row in below if row.strip()]
    if max(depths, default=0) > len(indent_of(line)) or (depths and _SECTION.match(line)):
        return True
    gone, come = ({word for row in rows for word in tokens(row)} for rows in (fit.change.gone, fit.change.come))
    return any(word.isidentifier() for word in (gone - come) & (set(tokens(line)) - set(tokens(found))))


def _separator_differs(fit: Fit) -> Obstacle | None:
    """Return the line of the file before a change that ends with another separator (comma, semicolon, none) than the
    search's, as the result could lack one, or have one too many; else None.

    A separator that no line of the file ends with is not needed.
    """
    for hunk in fit.change.hunks:
        changed = None if hunk.one_for_one else fit.change.last_text(hunk.a1, hunk.a2)
        for i in (fit.change.comes_behind(hunk), changed):
            line = fit.lines[i] if i is not None else None
            if i is None or line is None:
                continue
            ends = {_separator(fit.search[i]), _separator(fit.rows[line])}
            if len(ends) > 1 and any(_separator(row) in ends - {""} for row in fit.rows):
                return Obstacle(line, _SEPARATOR, fit.search[i])
    return None


def _separator(line: str) -> str:
    """Return the comma or semicolon that the code of a line ends with; "" for none."""
    end = parted(line)[0].rstrip()[-1:]
    return end if end in (",", ";") else ""


def _against(
    document: Document, line: str, found: str, agreement: Agreement, *, changed: bool, support: int
) -> str | None:
    """Return why a line of the search cannot be this line of the file, or None."""
    reason: str | None = None
    match agreement:
        case Agreement.SAME:
            return None
        case Agreement.TYPO:
            reason = None if support >= _SUPPORT else _TYPO_ALONE
        case Agreement.QUOTED if not changed or same_in_other_marks(line, found):
            reason = None
        case _ if changed:
            reason = _OTHERWISE
        case Agreement.TWIN if not is_comment(line) or names_code(line, found):
            reason = _TWIN
        case Agreement.OTHER if not is_prose(line):
            reason = _TWIN
        case _ if defines(line):
            reason = _HEAD
        case _ if support < _SUPPORT:
            reason = _TOO_FEW
    # If the difference could not tell places apart (a brace, a word in a long sentence), support is enough.
    if reason is _TWIN and not tells_apart(document, line, found):
        reason = None if support >= _SUPPORT else _TOO_FEW
    return _ELSEWHERE if reason is None and distinctive(line) and line.strip() in document.line_set else reason


def _says_again(fit: Fit, index: int) -> bool:
    """Return whether the last line repeats the one above, which the file has: it is from around the edit."""
    last = index == fit.change.last_text(0, len(fit.search))
    return last and fit.search[index] == fit.search[index - 1] and fit.lines[index - 1] is not None


def _surely_gone(document: Document, line: str, index: int, alignment: Alignment) -> bool:
    """Return whether a line to be deleted is gone already: not in the file, and its neighbours are adjacent."""
    above, below = alignment.above(index), alignment.below(index + 1)
    if above is None or below is None or not distinctive(line) or line.strip() in document.line_set:
        return False
    return not any(document.stripped[above:below])
