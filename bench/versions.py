"""Edits that people made: what changed between two versions of a folder of yours.

A scenario is one hunk of one file, or several close together, with some lines around them. Only such count as stand
once in the file, blanks aside, for then it is known where they belong. A chain is several such of one file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from random import Random

from chains import Chain, meets, told
from edits import Fate, Line, Lines, Scenario, as_text, indent_of, joined, with_edit

LONGEST = 70  # lines of an edit
MOST_LINES = 2500  # of a file
WIDEST = 300  # characters of a line; beyond, the file is likely made by a program
AROUND = 6  # kept lines at either side, at most
CLOSE = 9  # kept lines between hunks that may be one edit
MOST_EDITS = 7  # of a chain
MARKS = ("<<<<<<<", "=======", ">>>>>>>", "```")  # what a reply is made of

Hunk = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Pair:
    """One file in both versions, as lines, and where they differ."""

    path: str
    old: list[str]
    new: list[str]
    hunks: list[Hunk]


def pairs(old: Path, new: Path) -> list[Pair]:
    """The text files that both folders have and that differ."""
    return list(_pairs(old, new))


def _pairs(old: Path, new: Path) -> Iterator[Pair]:
    for path in sorted(file.relative_to(old) for file in old.rglob("*") if file.is_file()):
        before, after = _lines(old / path), _lines(new / path)
        if before is None or after is None or before == after:
            continue
        opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        yield Pair(path.as_posix(), before, after, [places for tag, *places in opcodes if tag != "equal"])  # type: ignore[misc]


def _lines(path: Path) -> list[str] | None:
    """The lines of a text file, each of which ends with a line feed; None for any other, or one that has a mark."""
    try:
        text = path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    lines = text.split("\n")
    odd = (
        lines.pop() != ""
        or text[:1] == "\ufeff"
        or "\r" in text
        or "\0" in text
        or len(text.splitlines()) != len(lines)
    )
    return None if odd or len(lines) > MOST_LINES or max(map(len, lines), default=0) > WIDEST else lines


def scenario(found: Sequence[Pair], rng: Random) -> Scenario | None:
    """One edit of one file; None where what was drawn stands twice, is too long, or holds marks of a reply."""
    pair = rng.choice(found)
    first = last = rng.randrange(len(pair.hunks))
    while last + 1 < len(pair.hunks) and pair.hunks[last + 1][0] - pair.hunks[last][1] <= rng.randrange(CLOSE):
        last += 1
    low = max(pair.hunks[first - 1][1] if first else 0, pair.hunks[first][0] - rng.randrange(AROUND))
    behind = pair.hunks[last + 1][0] if last + 1 < len(pair.hunks) else len(pair.old)
    high = min(behind, pair.hunks[last][1] + rng.randrange(AROUND))
    edit = tuple(_edit(pair, pair.hunks[first : last + 1], low, high))
    case = with_edit(pair.path, pair.old, low, high - low, edit)
    unfit = len(edit) > LONGEST or padded(edit) or any(mark in case.search + case.replace for mark in MARKS)
    return None if unfit or stands(case, case.text) != 1 else case


def _edit(pair: Pair, hunks: Sequence[Hunk], low: int, high: int) -> Iterator[Line]:
    at = low
    for gone, kept, new, behind in hunks:
        yield from (Line(Fate.KEPT, pair.old[n], n + 1) for n in range(at, gone))
        yield from (Line(Fate.GONE, pair.old[n], n + 1) for n in range(gone, kept))
        yield from (Line(Fate.NEW, pair.new[n]) for n in range(new, behind))
        at = kept
    yield from (Line(Fate.KEPT, pair.old[n], n + 1) for n in range(at, high))


def apart(found: Sequence[Pair], rng: Random) -> Chain | None:
    """Edits of one file that share no line, each told of the text as it was, in any order."""
    chain = _chain(found, rng, overlap=False)
    return chain and replace(chain, edits=tuple(rng.sample(chain.edits, len(chain.edits))))


def one_after_another(found: Sequence[Pair], rng: Random) -> Chain | None:
    """Edits of one file from its top, each told of what the ones before it leave."""
    return _chain(found, rng, overlap=True)


def _chain(found: Sequence[Pair], rng: Random, *, overlap: bool) -> Chain | None:
    """Some hunks of one file, from its top, with lines around them that only they quote, or others too."""
    pair = rng.choice(found)
    chosen = sorted(rng.sample(pair.hunks, min(len(pair.hunks), rng.randrange(2, MOST_EDITS))))
    first = lines = [Line(Fate.KEPT, text, number) for number, text in enumerate(pair.old, 1)]
    edits: list[Lines] = []
    done = 0
    for hunk, following in zip_longest(chosen, chosen[1:]):
        at = next((n for n, line in enumerate(lines) if line.number > hunk[0]), len(lines))
        end = at + hunk[1] - hunk[0]
        room = len(lines) if overlap or following is None else end + following[0] - hunk[1]
        low = max(0 if overlap else done, at - rng.randrange(AROUND))
        high = min(len(lines), room, end + rng.randrange(AROUND))
        edit = (*lines[low:at], *_edit(pair, [hunk], hunk[0], hunk[1]), *lines[end:high])
        if (
            len(edit) > LONGEST
            or padded(edit)
            or not told(first, lines, lines[low:high])
            or meets(edit, lines, low, high)
        ):
            continue
        edits.append(edit)
        new = [replace(line, fate=Fate.KEPT) for line in edit if line.fate is not Fate.GONE]
        lines, done = [*lines[:low], *new, *lines[high:]], low + len(new)
    unfit = any(mark in joined(edit, fate) for mark in MARKS for edit in edits for fate in (Fate.GONE, Fate.NEW))
    before, after = as_text(pair.old), as_text([line.text for line in lines])
    return None if unfit or len(edits) < 2 else Chain(pair.path, before, tuple(edits), after)


def stands(case: Scenario, text: str) -> int:
    """How often what an edit quotes stands in a text, blanks at the ends of lines and blank lines aside."""
    wanted, lines = _solid(case.search), _solid(text)
    size = len(wanted)
    return sum(lines[at : at + size] == wanted for at in range(len(lines) - size + 1)) if wanted else 0


def _solid(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def padded(edit: Lines) -> bool:
    """Whether an edit adds blank lines that hold blanks, which a reply laid out otherwise does not tell of."""
    return any(line.fate is Fate.NEW and line.text.isspace() for line in edit)


def mixes(edit: Lines) -> bool:
    """Whether an edit has tabs and spaces in front of lines, so that its depths are no other lines' depths."""
    return len({blank for line in edit if line.text.strip() for blank in indent_of(line.text)}) > 1
