"""Edits whose search and file disagree about lines that the edit leaves alone: no such line may go, come or move.

The search has lines twice, has one that the file lacks, or has one a blank too far; or the file went on since the model
saw it. Each is given as the edit in the file that there is, so the truth is what a careful person would write: the
change that was asked for, and every other line of the file as it was. A refusal is right as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from edits import Fate, Line, Scenario, as_text, indent_of, renumbered
from misquotes import apart

LONGEST_RUN = 4  # lines that are doubled together
MOST_CHANGES = 3  # of a file since the model saw it

Disagreement = Callable[[Scenario, Random], "Scenario | None"]


def doubled(case: Scenario, rng: Random) -> Scenario | None:
    """A run of the search's lines twice, in the search alone or, where the edit keeps them all, in both halves."""
    searched = [at for at, line in enumerate(case.edit) if line.fate is not Fate.NEW]
    first = rng.choice(searched)
    end = first + 1
    while end in searched and end - first < LONGEST_RUN and rng.random() < 0.4:
        end += 1
    again = [replace(line, fate=Fate.GONE) for line in case.edit[first:end]]
    if all(line.fate is Fate.KEPT for line in case.edit[first:end]) and rng.random() < 0.5:
        again = [replace(line, fate=Fate.KEPT) for line in again]
    return replace(case, edit=(*case.edit[:end], *again, *case.edit[end:]))


def shifted_line(case: Scenario, rng: Random) -> Scenario | None:
    """One kept line a blank deeper or less deep, in the search alone or in both halves."""
    places = [at for at, line in enumerate(case.edit) if line.fate is Fate.KEPT and line.text.strip()]
    if not places:
        return None
    at = rng.choice(places)
    text = case.edit[at].text
    moved = text[1:] if indent_of(text) and rng.random() < 0.7 else f" {text}"
    edit = (*case.edit[:at], replace(case.edit[at], text=moved), *case.edit[at + 1 :])
    return replace(case, edit=edit) if rng.random() < 0.5 else replace(case, misread=edit)


def invented(case: Scenario, rng: Random) -> Scenario | None:
    """One line in both halves that the file has not there: nowhere, almost, or elsewhere."""
    at = rng.randrange(len(case.edit) + 1)
    like = case.edit[min(at, len(case.edit) - 1)].text
    elsewhere = rng.choice(case.text.splitlines()).strip()
    texts = (f"invented_{rng.randrange(10**6)} = {rng.randrange(100)}", renumbered(like.strip(), rng), elsewhere)
    text = rng.choice(texts)
    number = max([0, *(line.number for line in case.edit[:at])])
    lines = ["", *case.text.splitlines(), ""]
    quoted = [line.text for line in case.edit[max(0, at - 1) : at + 1]]
    beside = {line.strip() for line in (*lines[number : number + 2], *quoted)}
    if not text or text in beside:
        return None
    return replace(case, edit=(*case.edit[:at], Line(Fate.KEPT, indent_of(like) + text), *case.edit[at:]))


def older(case: Scenario, rng: Random) -> Scenario | None:
    """The edit of a file in which lines that it keeps were changed, added or deleted since, apart from what changes."""
    inside = apart(case)
    if not inside:
        return None
    now = {number: [text] for number, text in enumerate(case.text.splitlines(), 1)}
    for at in rng.sample(inside, min(len(inside), rng.randrange(1, MOST_CHANGES + 1))):
        line = case.edit[at]
        match rng.choice(("change", "delete", "insert")):
            case "change":
                now[line.number] = [renumbered(line.text, rng)]
            case "delete":
                now[line.number] = []
            case _ if at + 1 in inside:
                now[line.number] += [f"{indent_of(line.text)}since_{rng.randrange(10**6)} = {rng.randrange(100)}"]
    numbers = [line.number for line in case.edit if line.number]
    stay = [line for line in case.edit if line.fate is not Fate.GONE]
    edited = [text for line in stay for text in (now[line.number] if line.number else [line.text])]
    above, below = range(1, numbers[0]), range(numbers[-1] + 1, len(now) + 1)
    before = as_text([text for lines in now.values() for text in lines])
    after = as_text([*(text for n in above for text in now[n]), *edited, *(text for n in below for text in now[n])])
    unchanged = before == case.text or case.search in before
    return None if unchanged else replace(case, text=before, truth=after)


DISAGREEMENTS: dict[str, Disagreement] = {
    "lines of the search doubled": doubled,
    "one kept line shifted by a blank": shifted_line,
    "one kept line invented": invented,
    "an older version of the file": older,
}
