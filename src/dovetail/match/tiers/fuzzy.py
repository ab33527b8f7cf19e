"""Tier `fuzzy`: some lines misremembered or forgotten.

The likest region must be nearly the search, and clearly more so than any other. Then its lines are asked one by one:
a line that the edit changes must say the same thing but for a typo that the other lines make certain; of those that it
keeps, words for people may be misremembered, and code where the region cannot be another place's twin.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dovetail.match.landing import applied, separators
from dovetail.match.landing.land import Obstacle
from dovetail.match.landing.substance import (
    Agreement,
    compare,
    defines,
    differences,
    is_comment,
    is_prose,
    names_code,
    tells_apart,
    titled,
)
from dovetail.match.lines import similar
from dovetail.match.lines.escapes import escaped_in
from dovetail.match.lines.folding import entities_of
from dovetail.match.lines.line import distinctive, says, tokens
from dovetail.match.lines.quoting import between, same_in_other_marks, strings, without_marks
from dovetail.model.codes import Tier

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from dovetail.match.landing.candidates import Candidate
    from dovetail.match.landing.change import Change
    from dovetail.match.lines.alignment import Alignment
    from dovetail.match.lines.document import Document
    from dovetail.match.lines.linediff import Hunk
    from dovetail.match.question import Question

LEAST = 0.85
_MARGIN = 0.02
_TWIN = "a line of the search says something else here: this may be another place much like the one meant"
_FORM = "the search quotes the line with entities or backslashes, and nothing says whether the new lines mean theirs"
_OTHERWISE = "a line that the edit changes says something else in the file"
_TOO_FEW = "too few lines agree to be certain of the place"
_OTHERS = (Agreement.TYPO, Agreement.TWIN, Agreement.OTHER)
_SUPPORT = 2  # lines that agree to the letter, besides one that does not


def find(question: Question) -> Sequence[Candidate] | Obstacle:
    """The region most like the search, where it is certain, or what its lines say against it."""
    document = question.document
    if not certain(document, question.bare.search, question.regions):
        return []
    best = question.regions[0]
    forgiven = _misremembered(document, question.coarse, best)
    return objection(document, question.coarse, best, forgiven) or question.forgiven(Tier.FUZZY, best)


def certain(document: Document, search: Sequence[str], ranked: Sequence[Alignment]) -> bool:
    """Whether the first region is like enough, and the second clearly less so.

    Clearly less is twice as unlike, and not for the lines alone that the search would have forgotten in either; or
    without the lines that the file has only once, all of which are in the first.
    """
    if not ranked or ranked[0].score < LEAST:
        return False
    best, *others = ranked
    clearly = not others or 1 - others[0].score >= 2 * (1 - best.score) + _MARGIN
    if clearly and not any(_quotes_as_much(document, search, best, other) for other in others):
        return True
    return _holds_all_rare_lines(document, search, best)


def _quotes_as_much(document: Document, search: Sequence[str], best: Alignment, other: Alignment) -> bool:
    """Whether another region has the search's lines as the best one has, where that has lines between them, too."""
    if not any(document.stripped[row] for row in best.unnamed()):
        return False
    return similar.quoted(document, search, other) >= similar.quoted(document, search, best)


def _holds_all_rare_lines(document: Document, search: Sequence[str], best: Alignment) -> bool:
    """Whether the search's lines that the file has exactly once stand in the region, in their places."""
    places = document.places_of({line.strip() for line in search if distinctive(line)})
    rare = {text: found[0] for text, found in places.items() if len(found) == 1}
    at_home = {search[i].strip() for i, j in best.pairs if rare.get(search[i].strip()) == j}
    return len(rare) >= _SUPPORT and len(at_home) == len(rare)


def _misremembered(document: Document, change: Change, alignment: Alignment) -> frozenset[int]:
    """The kept lines of the search that say something else in the file, if that is no sign of another place.

    What the edit changes tells the place: each change replaces a line that the file has once, or adds beside one. Then
    the file's line may say all that the search's does, and more, as a newer text would; and a line of a definition
    of whose name the file has but one may say anything, as no other is meant. A line that stands elsewhere in the file
    was meant as it is, and where words for people are all that changes, it is the code that tells the place.
    """
    once = _standing_once(document, change, alignment)
    if not all(once.intersection(_at(change, hunk)) for hunk in change.hunks) or _changes_words_alone(change):
        return frozenset()
    changed = change.changed()
    kept = [(i, change.search[i], document.lines[j]) for i, j in alignment.pairs if i not in changed]
    others = [(i, line, found) for i, line, found in kept if compare(document, line, found) in _OTHERS]
    for i, line, found in others:
        known = _says_more(line, found) or _is_of_the_one(document, change, alignment, i)
        if line.strip() in document.line_set or not known:
            return frozenset()
    few = len(others) <= _support(document, change, alignment)
    return frozenset(i for i, *_ in others) if few else frozenset()


def _standing_once(document: Document, change: Change, alignment: Alignment) -> set[int]:
    """The distinctive lines of the search that the file has once, and there."""
    places = document.places_of({line.strip() for line in change.search if distinctive(line)})
    return {i for i, j in alignment.pairs if places.get(change.search[i].strip()) == [j]}


def _at(change: Change, hunk: Hunk) -> Iterable[int]:
    """The lines of the search that a hunk replaces; where it only adds, those above and below, blank lines aside."""
    if hunk.a1 < hunk.a2:
        return range(hunk.a1, hunk.a2)
    beside = (change.last_text(0, hunk.a1), change.first_text(hunk.a1))
    return [i for i in beside if i is not None]


def _says_more(line: str, found: str) -> bool:
    """Whether the file's line is the search's with further words in it."""
    return all(not mine and says(theirs) for mine, theirs in differences(line, found))


def _is_of_the_one(document: Document, change: Change, alignment: Alignment, index: int) -> bool:
    """Whether a line of the search stands in a definition, its head included, of whose name the file has but one."""
    head = next((i for i in range(index, -1, -1) if defines(change.search[i])), None)
    if head is None or (partner := alignment.lines[head]) is None:
        return False
    name = titled(change.search[head])
    rows = (row for row, line in enumerate(document.stripped) if line.startswith(name) and titled(line) == name)
    return list(islice(rows, 2)) == [partner]


def objection(
    document: Document, change: Change, alignment: Alignment, forgiven: Collection[int] = ()
) -> Obstacle | None:
    """The first line of the file that forbids the edit to land there; None where nothing does.

    forgiven: lines of the search that are not asked.
    """
    changed = change.changed()
    deleted = {i for hunk in change.hunks if hunk.b1 == hunk.b2 for i in range(hunk.a1, hunk.a2)}
    made = {
        i
        for hunk in change.hunks
        if hunk.b1 < hunk.b2 and applied.made(document, change, hunk, alignment)
        for i in range(hunk.a1, hunk.a2)
    }
    support, of_words = _support(document, change, alignment), _changes_words_alone(change)
    if (obstacle := wrapped(document, change, alignment)) is not None:
        return obstacle
    if (obstacle := separators.objection(document, change, alignment)) is not None:
        return obstacle
    misspelt: set[tuple[str, str]] = set()
    for i, line in enumerate(change.search):
        if not line.strip() or i in alignment.gaps or i in made or i in forgiven:
            continue
        partner = alignment.lines[i]
        if partner is not None:
            found = document.lines[partner]
            agreement = compare(document, line, found)
            if agreement is Agreement.TYPO:
                misspelt.update(differences(line, found))
            reason = _against(document, change, line, found, agreement, changed=i in changed, support=support)
            other = of_words and agreement in (Agreement.TWIN, Agreement.OTHER)
            if reason is not None or other or len(misspelt) > 1:  # one slip is a slip, several are the names of a twin
                return Obstacle(partner, reason or _TWIN)
        elif i not in deleted or not _surely_gone(document, line, i, alignment):
            return Obstacle(alignment.first, "a line of the search is not here")
    return None


def _changes_words_alone(change: Change) -> bool:
    """Whether all that an edit changes are words for people: then it is they that tell one place from another."""
    old = (line for hunk in change.hunks for line in change.search[hunk.a1 : hunk.a2])
    new = (line for hunk in change.hunks for line in change.replace[hunk.b1 : hunk.b2])
    return all(is_prose(line) for line in (*old, *new) if line.strip())


def wrapped(document: Document, change: Change, alignment: Alignment) -> Obstacle | None:
    """The line of the file that the search quotes with entities or backslashes, where new lines may have the same."""
    mine = _wraps("\n".join(line for hunk in change.hunks for line in change.replace[hunk.b1 : hunk.b2]))
    for i, j in alignment.pairs if mine else ():
        rows = document.rows[slice(*alignment.reach(i))]
        if mine & _wraps(change.search[i]) - _wraps("\n".join(rows)):
            return Obstacle(j, _FORM)
    return None


def _wraps(text: str) -> set[str]:
    """What a reply may have put for the text's own signs."""
    return entities_of(text) | escaped_in(text)


def _support(document: Document, change: Change, alignment: Alignment) -> int:
    """How many distinctive lines agree to the letter."""
    pairs = ((change.search[i], document.stripped[j]) for i, j in alignment.pairs)
    return sum(distinctive(wanted) and wanted.strip() == found for wanted, found in pairs)


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
    new = (text for hunk in change.hunks for text in change.replace[hunk.b1 : hunk.b2])
    return any(words.intersection(tokens(text)) for text in new)


def _quotes_again(change: Change, line: str, found: str) -> bool:
    """Whether the replacement's changed lines hold a string that the search quotes in other marks where it is none, but
    a part of a longer text."""
    pairs = zip(strings(line), strings(found), strict=True)
    quoted = [between(mine.mark, mine.text) for mine, theirs in pairs if mine.mark != theirs.mark]
    new = (text for hunk in change.hunks for text in change.replace[hunk.b1 : hunk.b2])
    return any(string in said for text in new for said in without_marks(text) for string in quoted)


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
