"""Replies of several edits of one file, whose true result is known.

Edits may be told of the text as it was, in any order, or each of what the ones before it leave; to the letter, or as
models misquote the layout. Each line keeps its number in the first text, so that a search which both texts have is
known to mean the same lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from code_samples import STYLES, units
from edits import Fate, Line, Lines, Scenario, as_text, edited, joined, step_of
from misquotes import MISQUOTES

LONGEST = 12  # lines that one edit quotes
EDITED = 0.85  # of the edits; the others put one blank line more
LAYOUTS = ("trailing space", "indentation shifted", "blanks inside lines", "entities", "curly quotes")


@dataclass(frozen=True, slots=True)
class Chain:
    """A file, the edits of a reply in its order, and what they make of it together."""

    path: str
    text: str
    edits: tuple[Lines, ...]
    truth: str

    @property
    def reply(self) -> str:
        """The reply that says so."""
        halves = ((joined(edit, Fate.GONE), joined(edit, Fate.NEW)) for edit in self.edits)
        blocks = (f"<<<<<<< SEARCH\n{gone}=======\n{new}>>>>>>> REPLACE\n" for gone, new in halves)
        return "".join(f"{self.path}\n```\n{block}```\n\n" for block in blocks)


def apart(style: str, rng: Random) -> Chain | None:
    """Edits of regions that share no line, each told of the text as it was, in any order."""
    first = _lines(style, rng)
    taken: set[int] = set()
    edits: dict[int, Lines] = {}
    for _ in range(rng.randrange(2, 7)):
        start, end = _region(first, rng)
        if taken.isdisjoint(range(start, end)) and (edit := _edit(first, first, start, end, rng)) is not None:
            taken.update(range(start, end))
            edits[start] = edit
    lines: list[Line] = []
    for at, line in enumerate(first):
        if at in edits:
            lines += [replace(new, fate=Fate.KEPT) for new in edits[at] if new.fate is not Fate.GONE]
        elif at not in taken:
            lines.append(line)
    return _chain(style, first, rng.sample(list(edits.values()), len(edits)), lines)


def one_after_another(style: str, rng: Random) -> Chain | None:
    """Edits near each other, each told of what the ones before it leave."""
    first = lines = _lines(style, rng)
    near = rng.randrange(len(first))
    edits: list[Lines] = []
    for _ in range(rng.randrange(2, 7)):
        start, end = _region(lines, rng, near)
        edit = _edit(first, lines, start, end, rng)
        if edit is not None:
            new = [replace(line, fate=Fate.KEPT) for line in edit if line.fate is not Fate.GONE]
            lines = [*lines[:start], *new, *lines[end:]]
            edits.append(edit)
    return _chain(style, first, edits, lines)


def _lines(style: str, rng: Random) -> list[Line]:
    text = "".join(units(style, rng.randrange(3, 20), rng, first=rng.randrange(500)))
    return [Line(Fate.KEPT, line, number) for number, line in enumerate(text.splitlines(), 1)]


def _region(lines: Sequence[Line], rng: Random, near: int | None = None) -> tuple[int, int]:
    start = rng.randrange(len(lines)) if near is None else near + rng.randrange(-LONGEST, LONGEST)
    start = max(0, min(start, len(lines) - 1))
    return start, min(len(lines), start + rng.randrange(1, LONGEST))


def _edit(first: Sequence[Line], lines: Sequence[Line], start: int, end: int, rng: Random) -> Lines | None:
    """An edit of a region, where what it quotes, blanks aside, stands once in `lines`, and nowhere else in `first`."""
    step = step_of(line.text for line in lines)
    edit = edited(lines[start:end], step, rng) if rng.random() < EDITED else _spaced(lines[start:end], rng)
    if joined(edit, Fate.NEW) == joined(edit, Fate.GONE) or meets(edit, lines, start, end):
        return None
    return edit if told(first, lines, lines[start:end]) else None


def told(first: Sequence[Line], lines: Sequence[Line], region: Sequence[Line]) -> bool:
    """Whether lines, blank ones aside, stand once in a text, and nowhere else in the one it came from."""
    quoted = _solid(region)
    return (
        bool(quoted)
        and len(_places(quoted, lines)) == 1
        and _places(quoted, first) in ([], [[line.number for line in quoted]])
    )


def _solid(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.text.strip()]


def _places(quoted: Sequence[Line], lines: Sequence[Line]) -> list[list[int]]:
    """The numbers of the lines that say what the quoted ones do, for each place; blank lines count for none."""
    solid, wanted = _solid(lines), [line.text.strip() for line in quoted]
    runs = (solid[at : at + len(wanted)] for at in range(len(solid) - len(wanted) + 1))
    return [[line.number for line in run] for run in runs if [line.text.strip() for line in run] == wanted]


def _spaced(kept: Sequence[Line], rng: Random) -> Lines:
    """A run of lines with one blank line more."""
    at = rng.randrange(len(kept) + 1)
    return (*kept[:at], Line(Fate.NEW, ""), *kept[at:])


def meets(edit: Lines, lines: Sequence[Line], start: int, end: int) -> bool:
    """Whether new lines would stand beside those of an earlier edit, which go in the reply's order, or a new blank line
    may stand already, beyond what the edit quotes."""
    beside = ((edit[0], lines[max(0, start - 1)]), (edit[-1], lines[min(end, len(lines) - 1)]))
    spaced = any(line.fate is Fate.NEW and not line.text for line in edit)
    return any((new.fate is Fate.NEW and not line.number) or (spaced and not line.text.strip()) for new, line in beside)


def _chain(style: str, first: Sequence[Line], edits: Sequence[Lines], lines: Sequence[Line]) -> Chain | None:
    before, after = (as_text([line.text for line in text]) for text in (first, lines))
    if len(edits) < 2 or before == after:
        return None
    return Chain(f"src/file.{STYLES[style][0]}", before, tuple(edits), after)


def misquoted(make: Callable[[str, Random], Chain | None], style: str, rng: Random) -> Chain | None:
    """Edits of which each is laid out in another way than the file."""
    chain = make(style, rng)
    return None if chain is None else replace(chain, edits=tuple(_misquoted(chain, edit, rng) for edit in chain.edits))


def _misquoted(chain: Chain, edit: Lines, rng: Random) -> Lines:
    """The edit in another layout, where neither half stands as it then is."""
    quoted = MISQUOTES[rng.choice(LAYOUTS)](Scenario(chain.path, chain.text, edit, chain.truth), rng)
    if quoted is None or any(half in chain.text or half in chain.truth for half in (quoted.search, quoted.replace)):
        return edit
    return quoted.edit


IN_ANY_ORDER = "several edits, in any order"
ONE_AFTER_ANOTHER = "several edits, one after another"
ALL_MISQUOTED = "several edits, misquoted"
CHAINS = {
    IN_ANY_ORDER: apart,
    ONE_AFTER_ANOTHER: one_after_another,
    ALL_MISQUOTED: partial(misquoted, one_after_another),
}
