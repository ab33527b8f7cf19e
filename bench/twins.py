"""Files in which an edit's place is gone and something very like it stands elsewhere: only a refusal is right there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from code_samples import STYLES, units
from edits import Fate, Line, Scenario, as_text, edited, joined, step_of
from misquotes import MISQUOTES

Twin = Callable[[str, Line, Random], str]


def other_number(text: str, _: Line, rng: Random) -> str:
    """The changed line with another number."""
    return re.sub(r"\d+", lambda found: str(int(found[0]) + rng.randrange(1, 9)), text, count=1)


def other_word(text: str, _: Line, rng: Random) -> str:
    """The changed line with another word in it."""
    words = list(re.finditer(r"[a-z]{4,}", text))
    if not words:
        return text
    word = rng.choice(words)
    return text[: word.start()] + rng.choice(("archive", "notify", "ledger", "widget")) + text[word.end() :]


def near_word(text: str, _: Line, rng: Random) -> str:
    """The changed line with one letter of a name another."""
    words = list(re.finditer(r"[a-z]{4,}", text))
    if not words:
        return text
    word = rng.choice(words)
    return text[: word.end() - 1] + rng.choice("bdkz".replace(word[0][-1], "")) + text[word.end() :]


NEAR = "one letter another"
MISREAD = (
    "one wrong letter",
    "one wrong letter in the search",
    "a line forgotten",
    "trailing space",
    "blanks inside lines",
)

TWINS: dict[str, Twin] = {
    "another number": other_number,
    "another word": other_word,
    NEAR: near_word,
}


def twin(case: Scenario, rng: Random, kind: str) -> Scenario | None:
    """The file of a case, in which the edit's place is gone, and its changed line stands a little different.

    A line that is set deeper and comes again is no changed one: it keeps what the file says.
    """
    come = {line.text.strip() for line in case.edit if line.fate is Fate.NEW}
    changed = [line for line in case.edit if line.fate is Fate.GONE and line.text.strip() not in come]
    if not changed:
        return None
    target = rng.choice(changed)
    lines = case.text.splitlines()
    lines[target.number - 1] = TWINS[kind](target.text, target, rng)
    text = as_text(lines)
    if lines[target.number - 1] == target.text or case.search in text:
        return None
    if kind == NEAR and not set(re.findall(r"\w+", target.text)) <= set(re.findall(r"\w+", text)):
        return None  # where nothing else shows that both words are real, a typo is as likely
    return replace(case, text=text, truth=text)


def sibling(style: str, rng: Random) -> Scenario | None:
    """A file without the unit that the edit is about; its siblings have other names and numbers throughout."""
    pieces = units(style, rng.randrange(3, 12), rng, first=rng.randrange(500))
    lines = pieces.pop(rng.randrange(len(pieces))).splitlines()
    edit = edited([Line(Fate.KEPT, text, at + 1) for at, text in enumerate(lines)], step_of(lines), rng)
    text = "".join(pieces)
    search = joined(edit, Fate.GONE)
    if not any(line.fate is Fate.GONE for line in edit) or search in text:
        return None
    return Scenario(f"src/file.{STYLES[style][0]}", text, edit, text)


def copy(case: Scenario, rng: Random) -> Scenario | None:
    """The file of a case, in which the edit's lines stand twice, one copy right behind the other, and are misquoted."""
    numbers = [line.number for line in case.edit if line.number]
    quoted = MISQUOTES[rng.choice(MISREAD)](case, rng)
    if quoted is None:
        return None
    lines = case.text.splitlines()
    again = lines[numbers[0] - 1 : numbers[-1]]
    between = [f"between_{number} = {rng.randrange(10**6)}" for number in range(rng.randrange(4))]
    text = as_text([*lines[: numbers[-1]], *between, *again, *lines[numbers[-1] :]])
    return None if quoted.search in text else replace(quoted, text=text, truth=text)
