"""Tier `fuzzy`: some lines misremembered or forgotten.

The likest region must be nearly the search, and clearly more so than any other. Then its lines are asked one by one:
a line that the edit changes must say the same thing but for a typo that the other lines make certain; of those that it
keeps, words for people may be misremembered, and code where the region cannot be another place's twin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dovetail.match.landing import applied, separators
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
from dovetail.match.question import forgiven
from dovetail.model.codes import Tier
from dovetail.text import similar
from dovetail.text.comments import defines, is_comment, is_prose
from dovetail.text.entities import entities_of
from dovetail.text.escapes import escaped_in
from dovetail.text.line import distinctive, tokens
from dovetail.text.quoting import between, same_in_other_marks, strings, without_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.landing.change import Change
    from dovetail.match.question import Question
    from dovetail.text.alignment import Alignment
    from dovetail.text.document import Document

LEAST = 0.85
_MARGIN = 0.02
_TWIN = "a line of the search says something else here: this may be another place much like the one meant"
_FORM = "the search quotes the line with entities or backslashes, and nothing says whether the new lines mean theirs"
_OTHERWISE = "a line that the edit changes says something else in the file"
_TOO_FEW = "too few lines agree to be certain of the place"
_SUPPORT = 2  # lines that agree to the letter, besides one that does not


def find(question: Question) -> Sequence[Candidate] | Obstacle:
    """The region most like the search, where it is certain, or what its lines say against it."""
    if not certain(question.document, question.bare.search, question.regions):
        return []
    best = Fit(question.document, question.coarse, question.regions[0])
    return objection(best) or forgiven(Tier.FUZZY, best)


def certain(document: Document, search: Sequence[str], ranked: Sequence[Alignment]) -> bool:
    """Whether the first region is like enough, and the second clearly less so.

    Clearly less is twice as unlike, and not for the lines alone that the search would have forgotten in either; or
    without the lines that the file has only once, all of which are in the first.
    """
    if not ranked or ranked[0].score < LEAST:
        return False
    best, *others = ranked
    clearly = not others or 1 - others[0].score >= 2 * (1 - best.score) + _MARGIN
    if clearly and not any(quotes_as_much(document, search, best, other) for other in others):
        return True
    return _holds_all_rare_lines(document, search, best)


def quotes_as_much(document: Document, search: Sequence[str], best: Alignment, other: Alignment) -> bool:
    """Whether another region has the search's lines as the best one has, where that has lines between them, too."""
    if not any(document.stripped[row] for row in best.unnamed()):
        return False
    return similar.quoted(document, search, other) >= similar.quoted(document, search, best)


def _holds_all_rare_lines(document: Document, search: Sequence[str], best: Alignment) -> bool:
    """Whether the search's lines that the file has exactly once stand in the region, in their places."""
    rare = document.once(search)
    at_home = {search[i].strip() for i, j in best.pairs if rare.get(search[i].strip()) == j}
    return len(rare) >= _SUPPORT and len(at_home) == len(rare)


def objection(fit: Fit) -> Obstacle | None:
    """The first line of the file that forbids the edit to land there; None where nothing does."""
    if (obstacle := wrapped(fit) or separators.objection(fit)) is not None:
        return obstacle
    document, change, alignment = fit.document, fit.change, fit.alignment
    changed, support, of_words = change.changed(), support_of(fit), changes_words_alone(change)
    deleted = {i for hunk in change.hunks if hunk.deletes for i in hunk.old}
    made = {i for hunk in change.hunks if not hunk.deletes and applied.made(fit, hunk) for i in hunk.old}
    misspelt: set[tuple[str, str]] = set()
    for i, line in enumerate(change.search):
        if not line.strip() or i in alignment.gaps or i in made:
            continue
        partner = alignment.lines[i]
        if partner is not None:
            found = document.lines[partner]
            agreement = compare(document, line, found)
            if agreement is Agreement.TYPO:
                misspelt.update(differences(line, found))
            reason = _against(document, change, line, found, agreement, changed=i in changed, support=support)
            if (
                reason is not None or (of_words and agreement.otherwise) or len(misspelt) > 1
            ):  # one slip is a slip, several are the names of a twin
                return Obstacle(partner, reason or _TWIN)
        elif i not in deleted or not _surely_gone(document, line, i, alignment):
            return Obstacle(alignment.first, "a line of the search is not here")
    return None


def wrapped(fit: Fit) -> Obstacle | None:
    """The line of the file that the search quotes with entities or backslashes, where new lines may have the same."""
    mine = _wraps("\n".join(fit.change.come))
    for i, j in fit.alignment.pairs if mine else ():
        rows = fit.rows[slice(*fit.alignment.reach(i))]
        if mine & _wraps(fit.search[i]) - _wraps("\n".join(rows)):
            return Obstacle(j, _FORM)
    return None


def _wraps(text: str) -> set[str]:
    """What a reply may have put for the text's own signs."""
    return entities_of(text) | escaped_in(text)


def _against(
    document: Document, change: Change, line: str, found: str, agreement: Agreement, *, changed: bool, support: int
) -> str | None:
    """What speaks against a line of the search standing for this line of the file, with which it agrees so far."""
    reason = _reason(agreement, line, found, changed, support)
    if reason is _TWIN and not tells_apart(document, line, found):
        reason = None if support >= _SUPPORT else _TOO_FEW
    if reason is not None:
        return reason
    if agreement is Agreement.SAME:
        if changed and separators.tangled(line, found):
            return _OTHERWISE
        return _TOO_FEW if support < _SUPPORT and separators.swapped(line, found) else None
    if line.strip() in document.line_set:
        return "a line of the search differs here, and stands elsewhere in the file"
    if agreement is Agreement.TYPO and changed and _spreads(change, line, found):
        return "a line that the edit changes misspells a name, and the replacement repeats it"
    if agreement is Agreement.QUOTED and changed and _quotes_again(change, line, found):
        return "a line that the edit changes quotes a string in other marks, and the replacement has it inside another"
    return None


def _surely_gone(document: Document, line: str, index: int, alignment: Alignment) -> bool:
    """Whether a line that the edit deletes is nowhere, and its neighbours already stand next to each other."""
    above, below = alignment.above(index), alignment.below(index + 1)
    if above is None or below is None or not distinctive(line) or line.strip() in document.line_set:
        return False
    return not any(document.stripped[above:below])


def _spreads(change: Change, line: str, found: str) -> bool:
    """Whether the replacement's changed lines hold a word that the search misspells."""
    words = {wanted for wanted, _ in differences(line, found)}
    return any(words.intersection(tokens(text)) for text in change.come)


def _quotes_again(change: Change, line: str, found: str) -> bool:
    """Whether the replacement's changed lines hold a string that the search quotes in other marks where it is none, but
    a part of a longer text."""
    pairs = zip(strings(line), strings(found), strict=True)
    quoted = [between(mine.mark, mine.text) for mine, theirs in pairs if mine.mark != theirs.mark]
    return any(string in said for text in change.come for said in without_marks(text) for string in quoted)


def _reason(agreement: Agreement, line: str, found: str, changed: bool, support: int) -> str | None:
    match agreement:
        case Agreement.SAME:
            return None
        case Agreement.TYPO if support >= _SUPPORT:
            return None
        case Agreement.TYPO:
            return "a misspelled line has too few others beside it to be certain of the place"
        case Agreement.QUOTED if not changed or same_in_other_marks(line, found):
            return None
        case _ if changed:
            return _OTHERWISE
        case Agreement.TWIN if not is_comment(line) or names_code(line, found):
            return _TWIN
        case Agreement.OTHER if not is_prose(line):
            return _TWIN
        case _ if defines(line):
            return "the line that names the definition says something else in the file"
        case _ if support < _SUPPORT:
            return _TOO_FEW
    return None
